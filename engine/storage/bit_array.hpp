/// The bits of a bitstate search.
#pragma once

#include <cstdint>

#include "support/hash.hpp"
#include "support/memory.hpp"

namespace assay::storage {

/// A Bloom filter over states: k bits each. A state that was never added may
/// look as if it had been; the opposite cannot happen.
class BitArray {
 public:
  BitArray(std::uint64_t bytes, std::uint32_t hash_functions)
      : words_((bytes + 7) / 8),
        hash_functions_(hash_functions),
        pages_(words_ * 8),
        bits_(pages_.as<std::uint64_t>()) {}

  struct Hashes {
    std::uint64_t first;
    std::uint64_t step;
  };
  static Hashes hash(const std::uint64_t* words, std::uint32_t count, std::uint64_t seed) {
    return {support::hash_words(words, count, seed), support::hash_words(words, count, ~seed) | 1};
  }
  void prefetch(const Hashes& hashes) const { __builtin_prefetch(&bits_[bit(hashes, 0) >> 6], 1); }

  bool contains(const Hashes& hashes) const {
    for (std::uint32_t i = 0; i < hash_functions_; ++i) {
      const std::uint64_t at = bit(hashes, i);
      if ((bits_[at >> 6] >> (at & 63) & 1) == 0) return false;
    }
    return true;
  }
  /// True if the state certainly is new.
  bool add(const Hashes& hashes) {
    bool is_new = false;
    for (std::uint32_t i = 0; i < hash_functions_; ++i) {
      const std::uint64_t at = bit(hashes, i);
      const std::uint64_t mask = std::uint64_t{1} << (at & 63);
      if ((bits_[at >> 6] & mask) != 0) continue;
      bits_[at >> 6] |= mask;
      ++bits_set_;
      is_new = true;
    }
    return is_new;
  }
  std::uint64_t bits_set() const { return bits_set_; }
  std::uint64_t bits_total() const { return words_ * 64; }
  std::size_t bytes() const { return pages_.bytes(); }

 private:
  std::uint64_t bit(const Hashes& hashes, std::uint32_t i) const {
    return support::scale(i == 0 ? hashes.first : support::mix(hashes.first + i * hashes.step), words_ * 64);
  }

  std::uint64_t words_;
  std::uint32_t hash_functions_;
  support::Pages pages_;
  std::uint64_t* bits_;
  std::uint64_t bits_set_ = 0;
};

}  // namespace assay::storage
