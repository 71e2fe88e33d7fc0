/// One bit for each state of a graph.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace assay::search::spilling {

/// Words of bits, so that sets can be written down, and joined, word by word.
class StateBits {
 public:
  StateBits() = default;
  explicit StateBits(std::uint64_t states, bool value = false)
      : states_(states), words_((states + 63) / 64, value ? ~std::uint64_t{0} : 0) {
    if (value && states % 64 != 0) words_.back() = (std::uint64_t{1} << states % 64) - 1;
  }

  std::uint64_t states() const { return states_; }
  bool operator[](std::uint64_t state) const { return (words_[state >> 6] >> (state & 63) & 1) != 0; }
  void set(std::uint64_t state) { words_[state >> 6] |= std::uint64_t{1} << (state & 63); }
  void clear(std::uint64_t state) { words_[state >> 6] &= ~(std::uint64_t{1} << (state & 63)); }
  std::uint64_t count() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t word : words_) sum += static_cast<std::uint64_t>(std::popcount(word));
    return sum;
  }
  /// The least one; `states()` if there is none.
  std::uint64_t first() const {
    const auto word = std::ranges::find_if(words_, [](std::uint64_t bits) { return bits != 0; });
    if (word == words_.end()) return states_;
    return static_cast<std::uint64_t>(word - words_.begin()) * 64 +
           static_cast<std::uint64_t>(std::countr_zero(*word));
  }
  std::vector<std::uint64_t>& words() { return words_; }
  const std::vector<std::uint64_t>& words() const { return words_; }
  friend bool operator==(const StateBits&, const StateBits&) = default;

 private:
  std::uint64_t states_ = 0;
  std::vector<std::uint64_t> words_;
};

}  // namespace assay::search::spilling
