/// A bounded set of keys from which some can be removed.
#pragma once

#include <cstdint>
#include <vector>

#include "support/hash.hpp"
#include "support/memory.hpp"

namespace assay::storage {

/// Holds at most `capacity` keys of an exact store, each in a slot that stays
/// its own until it is removed. Keys are compared in full: what is found here
/// is exactly the state looked for.
///
/// Memory grows with use, in steps, up to the capacity. The index is open
/// addressing with linear probing; a removal moves the keys behind it up, so
/// lookups never wade through what is gone.
class StateCache {
 public:
  using Slot = std::uint32_t;
  static constexpr Slot kNone = 0xFFFFFFFFu;
  static constexpr std::uint64_t kMaxCapacity = std::uint64_t{1} << 31;
  // A key, its share of an index at most half and at least a quarter full, a free slot.
  static constexpr std::size_t kBytesPerSlot = 8 + 4 * sizeof(Slot) + sizeof(Slot);

  explicit StateCache(std::uint64_t capacity) : capacity_(capacity) {}

  std::uint64_t capacity() const { return capacity_; }
  std::uint64_t size() const { return keys_.size() - free_.size(); }
  /// Slots that there is memory for.
  std::uint64_t room() const { return room_; }
  bool is_full() const { return size() == capacity_; }
  /// No further key fits without more memory.
  bool needs_room() const { return size() == room_; }
  /// The slots that `make_room` will have memory for.
  std::uint64_t next_room() const {
    const std::uint64_t wanted = room_ == 0 ? 1024 : room_ * 2;
    return wanted < capacity_ ? wanted : capacity_;
  }
  void make_room() {
    room_ = next_room();
    keys_.reserve(room_);
    free_.reserve(room_);
    index_.assign(room_ * 2 + 1, 0);
    fill_index();
  }
  /// Stays as small as it is.
  void stop_growing() { capacity_ = room_; }

  Slot find(std::uint64_t key) const {
    if (index_.empty()) return kNone;
    for (std::size_t at = home(key); index_[at] != 0; at = after(at)) {
      if (keys_[index_[at] - 1] == key) return index_[at] - 1;
    }
    return kNone;
  }
  void prefetch(std::uint64_t key) const { __builtin_prefetch(&index_[home(key)]); }

  /// For a key that is not there, when there is room.
  Slot add(std::uint64_t key) {
    Slot slot;
    if (free_.empty()) {
      slot = static_cast<Slot>(keys_.size());
      keys_.push_back(key);
    } else {
      slot = free_.back();
      free_.pop_back();
      keys_[slot] = key;
    }
    put(slot);
    return slot;
  }

  void remove(Slot slot) {
    std::size_t hole = home(keys_[slot]);
    while (index_[hole] != slot + 1) hole = after(hole);
    for (std::size_t at = after(hole); index_[at] != 0; at = after(at)) {
      // It may move up if its home is not between the hole and here.
      const std::size_t wanted = home(keys_[index_[at] - 1]);
      const bool stays = hole < at ? hole < wanted && wanted <= at : hole < wanted || wanted <= at;
      if (stays) continue;
      index_[hole] = index_[at];
      hole = at;
    }
    index_[hole] = 0;
    free_.push_back(slot);
  }

  std::uint64_t key(Slot slot) const { return keys_[slot]; }
  /// For a store whose layout changes; `rebuild` afterwards. Empty slots hold keys too.
  std::vector<std::uint64_t>& keys() { return keys_; }
  void rebuild() {
    std::fill(index_.begin(), index_.end(), 0);
    fill_index();
  }
  std::size_t bytes() const {
    return keys_.capacity() * sizeof(std::uint64_t) + (index_.capacity() + free_.capacity()) * sizeof(Slot);
  }

 private:
  std::size_t home(std::uint64_t key) const {
    const std::uint64_t hash = support::fold_multiply(key ^ 0xA0761D6478BD642Full, 0xE7037ED1A0B428DBull);
    return static_cast<std::size_t>(support::scale(hash, index_.size()));
  }
  std::size_t after(std::size_t at) const { return at + 1 == index_.size() ? 0 : at + 1; }
  void put(Slot slot) {
    std::size_t at = home(keys_[slot]);
    while (index_[at] != 0) at = after(at);
    index_[at] = slot + 1;
  }
  void fill_index() {
    std::vector<bool> is_free(keys_.size());
    for (const Slot slot : free_) is_free[slot] = true;
    for (Slot slot = 0; slot < keys_.size(); ++slot) {
      if (!is_free[slot]) put(slot);
    }
  }

  std::uint64_t capacity_;
  std::uint64_t room_ = 0;
  std::vector<std::uint64_t> keys_;
  std::vector<Slot> index_;  // slot + 1, 0: empty
  std::vector<Slot> free_;
};

}  // namespace assay::storage
