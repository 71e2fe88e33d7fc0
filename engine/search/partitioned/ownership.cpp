#include "search/partitioned/ownership.hpp"

#include <bit>

#include "support/hash.hpp"

namespace assay::search::partitioned {
namespace {

/// The same in every process: files outlive them.
std::uint32_t weight_of(std::size_t word, std::uint32_t bit) {
  return static_cast<std::uint32_t>(support::mix(word * 64 + bit + 0x2545F4914F6CDD1Dull) >> 32);
}

template <class Take>
void each_bit(std::uint64_t word, Take take) {  // highest first
  while (word != 0) {
    const auto bit = 63 - static_cast<std::uint32_t>(std::countl_zero(word));
    take(bit);
    word &= ~(std::uint64_t{1} << bit);
  }
}

}  // namespace

Ownership::Ownership(const storage::PackedLayout& layout, std::uint32_t partitions)
    : partitions_(partitions),
      weights_(std::size_t{layout.record_words()} * 8),
      last_(layout.record_words()),
      sums_(std::size_t{layout.record_words()} + 1) {
  const std::vector<std::uint64_t>& base = layout.base();
  const std::vector<std::uint64_t>& masks = layout.masks();
  for (std::size_t word = 0; word < base.size(); ++word) {
    const std::uint64_t mask = word < masks.size() ? masks[word] : 0;
    each_bit(base[word] & ~mask, [&](std::uint32_t bit) { sums_[0] ^= weight_of(word, bit); });
  }
  std::vector<std::uint32_t> of_bits(weights_.size() * 8);
  std::size_t at = 0;
  for (std::size_t word = 0; word < masks.size(); ++word) {
    each_bit(masks[word], [&](std::uint32_t bit) { of_bits[at++] = weight_of(word, bit); });
  }
  for (std::size_t byte = 0; byte < weights_.size(); ++byte) {
    for (std::uint32_t value = 1; value < 256; ++value) {
      const auto lowest = static_cast<std::uint32_t>(std::countr_zero(value));
      weights_[byte][value] = weights_[byte][value & (value - 1)] ^ of_bits[byte * 8 + 7 - lowest];
    }
  }
  for (std::size_t i = 0; i < last_.size(); ++i) sums_[i + 1] = sums_[i];  // of a record of zeros
}

std::uint32_t Ownership::of(const std::uint64_t* record) {
  std::size_t word = 0;
  while (word < last_.size() && record[word] == last_[word]) ++word;
  for (; word < last_.size(); ++word) {
    const std::uint64_t bits = last_[word] = record[word];
    const std::array<std::uint32_t, 256>* const weights = weights_.data() + word * 8;
    std::uint32_t sum = sums_[word];
    for (std::uint32_t byte = 0; byte < 8; ++byte) sum ^= weights[byte][(bits >> (56 - 8 * byte)) & 255];
    sums_[word + 1] = sum;
  }
  return static_cast<std::uint32_t>((sums_.back() * partitions_) >> 32);
}

}  // namespace assay::search::partitioned
