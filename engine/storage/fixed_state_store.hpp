/// States of one length, word by word as they are, in the order in which they came.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "support/hash.hpp"
#include "support/memory.hpp"

namespace assay::storage {

/// Nothing is packed, so nothing has to be unpacked: more memory than an `ExactStateStore` takes, and less time where a
/// state is a few words. Two states share a number exactly when they are equal word by word.
///
///     number   0     1     2 ...
///     words    ab    cd    ef        in segments that never move
///     slots    mark | number + 1     half of a state's hash, and which one it is; 0: free
///
/// The mark decides the slot, so the table grows without looking at states.
class FixedStateStore {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;
  static constexpr std::uint64_t kMostStates = 0xFFFFFFFEull;

  FixedStateStore(std::size_t length, const support::MemoryBudget& budget)
      : budget_(budget), length_(length), shift_(segment_shift(length)) {
    resize(support::kHugePage / sizeof(std::uint64_t));
  }

  std::uint32_t size() const { return size_; }
  std::size_t length() const { return length_; }
  std::span<const std::uint64_t> state(std::uint32_t number) const { return {at(number), length_}; }

  /// A lookup in three parts, so that what each has to wait for can come while others are at work.
  std::uint32_t start(const std::uint64_t* state) const {
    const std::uint32_t mark = mark_of(state);
    __builtin_prefetch(slots() + place_of(mark));
    return mark;
  }
  void advance(std::uint32_t mark) const {
    const std::uint64_t slot = slots()[place_of(mark)];
    if (slot != 0 && slot >> 32 == mark) __builtin_prefetch(at(number_in(slot)));
  }
  std::uint32_t find(const std::uint64_t* state, std::uint32_t mark) const {
    const std::uint64_t slot = slots()[place(state, mark)];
    return slot == 0 ? kNone : number_in(slot);
  }
  /// Whether it is new; then it has the next number.
  bool add(const std::uint64_t* state, std::uint32_t mark) {
    std::uint64_t free = place(state, mark);
    if (slots()[free] != 0) return false;
    if (std::uint64_t{size_} * 4 >= capacity_ * 3) {
      resize(capacity_ * 2);
      free = place(state, mark);
    }
    if ((size_ & ((std::uint32_t{1} << shift_) - 1)) == 0) add_segment();
    copy(state, at(size_));
    slots()[free] = std::uint64_t{mark} << 32 | (std::uint64_t{size_} + 1);
    ++size_;
    return true;
  }
  void copy(const std::uint64_t* from, std::uint64_t* to) const {
    for (std::size_t i = 0; i < length_; ++i) to[i] = from[i];
  }
  std::size_t bytes() const { return segments_.size() * segment_bytes() + table_.bytes(); }

 private:
  static constexpr std::size_t kSegmentWords = support::kHugePage / sizeof(std::uint64_t);

  /// As many states as a huge page has room for, by the next power of two.
  static unsigned segment_shift(std::size_t length) {
    return static_cast<unsigned>(
        std::bit_width(std::max<std::size_t>(kSegmentWords / std::max<std::size_t>(length, 1), 1)) - 1);
  }
  std::size_t segment_bytes() const { return (length_ << shift_) * sizeof(std::uint64_t); }
  void add_segment() {
    budget_.require(segment_bytes());
    segments_.emplace_back(segment_bytes(), budget_.allows_huge_pages());
  }
  std::uint64_t* at(std::uint32_t number) const {
    return segments_[number >> shift_].as<std::uint64_t>() +
           (number & ((std::uint32_t{1} << shift_) - 1)) * length_;
  }
  std::uint64_t* slots() const { return table_.as<std::uint64_t>(); }
  static std::uint32_t number_in(std::uint64_t slot) {
    return static_cast<std::uint32_t>(slot & 0xFFFFFFFFu) - 1;
  }
  std::uint32_t mark_of(const std::uint64_t* state) const {
    std::uint64_t hash = 0x9E3779B97F4A7C15ull;
    for (std::size_t i = 0; i < length_; ++i) {
      hash = support::fold_multiply(hash ^ state[i], 0xD6E8FEB86659FD93ull + 2 * i);
    }
    return static_cast<std::uint32_t>((hash * 0x9E3779B97F4A7C15ull) >> 32);
  }
  std::uint64_t place_of(std::uint32_t mark) const { return std::uint64_t{mark} >> mark_shift_; }

  /// Where the state is, or the free slot where it belongs.
  std::uint64_t place(const std::uint64_t* wanted, std::uint32_t mark) const {
    for (std::uint64_t i = place_of(mark);; i = (i + 1) & (capacity_ - 1)) {
      const std::uint64_t slot = slots()[i];
      if (slot == 0 || (slot >> 32 == mark && is_same(at(number_in(slot)), wanted))) return i;
    }
  }
  bool is_same(const std::uint64_t* a, const std::uint64_t* b) const {
    for (std::size_t i = 0; i < length_; ++i) {
      if (a[i] != b[i]) return false;
    }
    return true;
  }
  void resize(std::uint64_t capacity) {
    budget_.require(capacity * sizeof(std::uint64_t));
    const support::Pages old = std::move(table_);
    const std::uint64_t old_capacity = capacity_;
    table_ = support::Pages(capacity * sizeof(std::uint64_t), budget_.allows_huge_pages());
    capacity_ = capacity;
    mark_shift_ = 32 - std::min<int>(32, static_cast<int>(std::bit_width(capacity)) - 1);
    for (std::uint64_t i = 0; i < old_capacity; ++i) {
      const std::uint64_t slot = old.as<std::uint64_t>()[i];
      if (slot == 0) continue;
      std::uint64_t to = place_of(static_cast<std::uint32_t>(slot >> 32));
      while (slots()[to] != 0) to = (to + 1) & (capacity_ - 1);
      slots()[to] = slot;
    }
  }

  const support::MemoryBudget& budget_;
  const std::size_t length_;
  const unsigned shift_;  // a segment has so many states, as a power of two
  std::vector<support::Pages> segments_;
  support::Pages table_;
  std::uint64_t capacity_ = 0;
  int mark_shift_ = 0;
  std::uint32_t size_ = 0;
};

}  // namespace assay::storage
