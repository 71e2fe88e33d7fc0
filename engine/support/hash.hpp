/// Mixing functions. Nothing here depends on time, addresses or the platform.
#pragma once

#include <cstddef>
#include <cstdint>

#include "support/wide_integer.hpp"

namespace assay::support {

/// A bijection of 64-bit words whose high and low bits both depend on every
/// input bit (xor-shift-multiply, twice).
inline std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 32;
  x *= 0x9E3779B97F4A7C15ull;
  x ^= x >> 29;
  x *= 0xD6E8FEB86659FD93ull;
  x ^= x >> 32;
  return x;
}

/// Both halves of the 128-bit product, folded.
inline std::uint64_t fold_multiply(std::uint64_t a, std::uint64_t b) {
  const auto product = static_cast<WideUnsigned>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

/// Hash of a word string; strings of different length differ like any others.
inline std::uint64_t hash_words(const std::uint64_t* words, std::size_t count, std::uint64_t seed) {
  std::uint64_t hash = mix(seed ^ (0xA0761D6478BD642Full + count));
  for (std::size_t i = 0; i < count; ++i) {
    hash = fold_multiply(hash ^ words[i] ^ 0xE7037ED1A0B428DBull, 0x8EBC6AF09C88C6E3ull) + mix(words[i] + i);
  }
  return mix(hash);
}

/// A point of [0, range) from the high bits of a hash.
inline std::uint64_t scale(std::uint64_t hash, std::uint64_t range) {
  return static_cast<std::uint64_t>((static_cast<WideUnsigned>(hash) * range) >> 64);
}

}  // namespace assay::support
