/// The states of a path, in few bytes each.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "support/memory.hpp"

namespace assay::storage {

/// A stack of states of which only the last is there as a whole: of the others
/// it keeps what the step to the next one changed. Steps change little, so a
/// state takes about as many bytes as change on a step, and three more.
///
/// What a step changed is written backwards, to be read from the end: for each
/// word that differs the bytes that do, which bytes these are and which word;
/// then how many words, and whether the length changed, which comes before.
class StatePath {
 public:
  StatePath(std::uint32_t max_words, const support::MemoryBudget& budget)
      : last_(max_words), budget_(budget) {}

  const std::uint64_t* words() const { return last_.data(); }
  std::uint32_t word_count() const { return word_count_; }

  void push(const std::uint64_t* words, std::uint32_t count) {
    std::uint32_t changed = 0;
    const std::uint32_t both = std::max(count, word_count_);
    for (std::uint32_t i = 0; i < both; ++i) {
      // Words beyond the end of a state count as zero.
      const std::uint64_t word = i < count ? words[i] : 0;
      const std::uint64_t difference = last_[i] ^ word;
      if (difference == 0) continue;
      last_[i] = word;
      ++changed;
      write_bytes(difference);
      write_number(i);
    }
    if (count != word_count_) write_number(word_count_);
    write_number(changed * 2 + (count != word_count_));
    word_count_ = count;
  }

  /// The state before becomes the last one. Before the first there is one without words.
  void pop() {
    const std::uint32_t header = read_number();
    if (header % 2 != 0) word_count_ = read_number();
    for (std::uint32_t left = header / 2; left > 0; --left) {
      const std::uint32_t i = read_number();
      last_[i] ^= read_bytes();
    }
  }

  std::size_t bytes() const { return steps_.capacity() + last_.capacity() * sizeof(std::uint64_t); }

 private:
  static constexpr std::uint8_t kFourBytes = 0xFF;  // a number follows that one byte does not hold

  void write(std::uint8_t byte) { support::push(steps_, byte, budget_); }
  std::uint8_t read() {
    const std::uint8_t byte = steps_.back();
    steps_.pop_back();
    return byte;
  }
  void write_number(std::uint32_t number) {
    if (number >= kFourBytes) {
      for (int byte = 0; byte < 4; ++byte) write(static_cast<std::uint8_t>(number >> (8 * byte)));
      number = kFourBytes;
    }
    write(static_cast<std::uint8_t>(number));
  }
  std::uint32_t read_number() {
    std::uint32_t number = read();
    if (number != kFourBytes) return number;
    number = 0;
    for (int byte = 0; byte < 4; ++byte) number = number << 8 | read();
    return number;
  }
  void write_bytes(std::uint64_t word) {
    std::uint8_t present = 0;
    for (int byte = 0; byte < 8; ++byte) {
      const auto value = static_cast<std::uint8_t>(word >> (8 * byte));
      if (value == 0) continue;
      present |= static_cast<std::uint8_t>(1 << byte);
      write(value);
    }
    write(present);
  }
  std::uint64_t read_bytes() {
    const std::uint8_t present = read();
    std::uint64_t word = 0;
    for (int byte = 8; byte-- > 0;) {
      if ((present >> byte & 1) != 0) word |= std::uint64_t{read()} << (8 * byte);
    }
    return word;
  }

  std::vector<std::uint64_t> last_;
  std::uint32_t word_count_ = 0;
  std::vector<std::uint8_t> steps_;
  const support::MemoryBudget& budget_;
};

}  // namespace assay::storage
