/// A set of word strings, exact.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "support/hash.hpp"
#include "support/memory.hpp"

namespace assay::storage {

/// Holds each distinct string once, in segments that never move; a table of
/// hashes says where to look, and strings are compared in full.
class WordSet {
 public:
  explicit WordSet(const support::MemoryBudget& budget) : budget_(budget) { resize(std::uint64_t{1} << 10); }

  static std::uint64_t hash(const std::uint64_t* words, std::size_t count) {
    return support::hash_words(words, count, 0);
  }
  bool contains(const std::uint64_t* words, std::size_t count, std::uint64_t hash) const {
    return slots_[find(words, count, hash)].place != 0;
  }
  /// True if the string is new.
  bool add(const std::uint64_t* words, std::size_t count, std::uint64_t hash) {
    if (size_ >= capacity_ / 4 * 3) resize(capacity_ * 2);
    Slot& slot = slots_[find(words, count, hash)];
    if (slot.place != 0) return false;
    slot = {hash, keep(words, count)};
    ++size_;
    return true;
  }
  std::uint64_t size() const { return size_; }
  std::size_t bytes() const {
    std::size_t total = pages_.bytes();
    for (const support::Pages& segment : segments_) total += segment.bytes();
    return total;
  }

 private:
  static constexpr std::uint64_t kSegmentWords = std::uint64_t{1} << 16;
  struct Slot {
    std::uint64_t hash;
    std::uint64_t place;  // number of the segment and word in it, plus one; 0: empty
  };

  const std::uint64_t* at(std::uint64_t place) const {
    return segments_[(place - 1) >> 32].as<std::uint64_t>() + ((place - 1) & 0xFFFFFFFFu);
  }
  std::uint64_t find(const std::uint64_t* words, std::size_t count, std::uint64_t hash) const {
    for (std::uint64_t i = support::scale(hash, capacity_);;) {
      const Slot& slot = slots_[i];
      if (slot.place == 0) return i;
      if (slot.hash == hash) {
        const std::uint64_t* const held = at(slot.place);
        if (held[0] == count && (count == 0 || std::memcmp(held + 1, words, count * sizeof *words) == 0))
          return i;
      }
      if (++i == capacity_) i = 0;
    }
  }
  std::uint64_t keep(const std::uint64_t* words, std::size_t count) {
    const std::uint64_t needed = count + 1;
    if (segments_.empty() || room_ - used_ < needed) {
      room_ = needed > kSegmentWords ? needed : kSegmentWords;
      budget_.require(room_ * sizeof(std::uint64_t));
      segments_.emplace_back(room_ * sizeof(std::uint64_t));
      used_ = 0;
    }
    std::uint64_t* const to = segments_.back().as<std::uint64_t>() + used_;
    to[0] = count;
    if (count != 0) std::memcpy(to + 1, words, count * sizeof *words);
    const std::uint64_t place = ((std::uint64_t{segments_.size()} - 1) << 32 | used_) + 1;
    used_ += needed;
    return place;
  }
  void resize(std::uint64_t capacity) {
    budget_.require(capacity * sizeof(Slot));
    support::Pages pages(capacity * sizeof(Slot));
    Slot* const slots = pages.as<Slot>();
    for (std::uint64_t i = 0; i < capacity_; ++i) {
      if (slots_[i].place == 0) continue;
      std::uint64_t to = support::scale(slots_[i].hash, capacity);
      while (slots[to].place != 0) {
        if (++to == capacity) to = 0;
      }
      slots[to] = slots_[i];
    }
    pages_ = std::move(pages);
    slots_ = slots;
    capacity_ = capacity;
  }

  const support::MemoryBudget& budget_;
  support::Pages pages_;
  Slot* slots_ = nullptr;
  std::uint64_t capacity_ = 0;
  std::uint64_t size_ = 0;
  std::vector<support::Pages> segments_;
  std::uint64_t used_ = 0, room_ = 0;
};

}  // namespace assay::storage
