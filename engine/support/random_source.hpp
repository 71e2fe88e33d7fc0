/// Numbers that look random and are the same for the same seed.
#pragma once

#include <cstdint>

#include "support/hash.hpp"

namespace assay::support {

/// A small seeded generator (splitmix64) for permutations of successors.
class RandomSource {
 public:
  explicit RandomSource(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() { return mix(state_ += 0x9E3779B97F4A7C15ull); }
  std::uint64_t below(std::uint64_t range) { return scale(next(), range); }

 private:
  std::uint64_t state_;
};

}  // namespace assay::support
