/// A bounded set of keys from which some can be removed.
#pragma once

#include <algorithm>
#include <bit>
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
/// addressing with linear probing, at most two thirds full; a word of it holds
/// the slot and as many bits of the hash as fit above, so that few keys are
/// compared in vain. A removal moves the keys behind it up: lookups never wade
/// through what is gone.
class StateCache {
 public:
  using Slot = std::uint32_t;
  static constexpr Slot kNone = 0xFFFFFFFFu;
  static constexpr std::uint64_t kMaxCapacity = std::uint64_t{1} << 31;
  // A key and its share of the index.
  static constexpr std::size_t kBytesPerSlot = sizeof(std::uint64_t) + sizeof(std::uint32_t) * 3 / 2;

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
    const std::uint64_t wanted = room_ == 0 ? 1024 : room_ + room_ / 2;
    return wanted < capacity_ ? wanted : capacity_;
  }
  void make_room() {
    room_ = next_room();
    support::reserve_if_possible(keys_, capacity_);
    index_ = {};  // given back before the larger one is made
    index_.assign(room_ + room_ / 2 + 1, 0);
    const auto bits = static_cast<int>(std::bit_width(room_));
    slot_mask_ = bits >= 32 ? 0xFFFFFFFFu : (std::uint32_t{1} << bits) - 1;
    fill_index();
  }
  /// Stays as small as it is.
  void stop_growing() { capacity_ = room_; }

  Slot find(std::uint64_t key) const {
    if (index_.empty()) return kNone;
    const std::uint64_t hashed = hash(key);
    const std::uint32_t tag = static_cast<std::uint32_t>(hashed) & ~slot_mask_;
    for (std::size_t at = home(hashed); index_[at] != 0; at = after(at)) {
      if ((index_[at] & ~slot_mask_) == tag && keys_[slot_at(at)] == key) return slot_at(at);
    }
    return kNone;
  }
  void prefetch(std::uint64_t key) const { __builtin_prefetch(&index_[home(hash(key))]); }

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
    std::size_t hole = home(hash(keys_[slot]));
    while (slot_at(hole) != slot) hole = after(hole);
    for (std::size_t at = after(hole); index_[at] != 0; at = after(at)) {
      // It may move up if its home is not between the hole and here.
      const std::size_t wanted = home(hash(keys_[slot_at(at)]));
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
  static std::uint64_t hash(std::uint64_t key) {
    return support::fold_multiply(key ^ 0xA0761D6478BD642Full, 0xE7037ED1A0B428DBull);
  }
  std::size_t home(std::uint64_t hashed) const {
    return static_cast<std::size_t>(support::scale(hashed, index_.size()));
  }
  Slot slot_at(std::size_t at) const { return (index_[at] & slot_mask_) - 1; }
  std::size_t after(std::size_t at) const { return at + 1 == index_.size() ? 0 : at + 1; }
  void put(Slot slot) {
    const std::uint64_t hashed = hash(keys_[slot]);
    std::size_t at = home(hashed);
    while (index_[at] != 0) at = after(at);
    index_[at] = (static_cast<std::uint32_t>(hashed) & ~slot_mask_) | (slot + 1);
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
  std::vector<std::uint32_t> index_;  // bits of the hash and slot + 1; 0: empty
  std::uint32_t slot_mask_ = 0;
  std::vector<Slot> free_;  // few at any time: what is replaced makes place at once
};

}  // namespace assay::storage
