/// 64-bit keys and dense 32-bit ids, in both directions.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <thread>

#include "support/hash.hpp"
#include "support/memory.hpp"

namespace assay::storage {

/// Whether several threads use a table at once. A search of one thread does
/// not pay for atomic operations.
enum class Sharing { kPrivate, kShared };

/// Gives each distinct 64-bit key the next free id, exactly: keys are compared
/// in full, a hash only says where to look.
///
/// Keys stand in the order of their ids in segments that never move. The index
/// is open addressing with linear probing over 32-bit slots; a slot holds id+1
/// in its low bits and as many bits of the hash as fit above, so 0 means empty
/// whatever the key is. The index can be rebuilt from the keys at any time:
/// growing needs no copy of the old one.
///
/// In shared mode the index never grows by itself: `kFull` asks for a pause in
/// which one thread calls `make_room`.
class KeyTable {
 public:
  static constexpr std::uint32_t kFull = 0xFFFFFFFFu;
  static constexpr std::uint32_t kNone = 0xFFFFFFFEu;
  static constexpr std::uint64_t kMaxKeys = 0xFFFFFFFDull;

  explicit KeyTable(const support::MemoryBudget* budget = nullptr) : budget_(budget) {}
  KeyTable(KeyTable&& other) noexcept { *this = std::move(other); }
  KeyTable& operator=(KeyTable&& other) noexcept;
  KeyTable(const KeyTable&) = delete;
  KeyTable& operator=(const KeyTable&) = delete;

  std::uint32_t size() const { return size_; }
  /// Ids below this can be given out before the index must grow.
  std::uint32_t limit() const { return limit_; }
  std::uint64_t key(std::uint32_t id) const { return *place(id); }

  static std::uint64_t hash(std::uint64_t key) {
    return support::fold_multiply(key ^ 0xA0761D6478BD642Full, 0xE7037ED1A0B428DBull);
  }

  /// A lookup in three steps, so that the cache misses of many overlap: each
  /// step starts the loads that the next one needs.
  struct Probe {
    std::uint64_t key;
    std::uint64_t at;  // the slot reached so far; all before it hold other keys
    std::uint32_t tag;
  };
  Probe start(std::uint64_t key) const {
    const std::uint64_t hashed = hash(key);
    const std::uint64_t at = support::scale(hashed, capacity_);
    __builtin_prefetch(&slots_[at]);
    return {key, at, static_cast<std::uint32_t>(hashed)};
  }
  /// Goes on to the first slot that may hold the key or is empty.
  void advance(Probe& probe) const {
    const std::uint32_t tag = probe.tag & ~id_mask_;
    for (;;) {
      const std::uint32_t slot =
          std::atomic_ref<std::uint32_t>(slots_[probe.at]).load(std::memory_order_relaxed);
      if (slot == 0) return;
      if ((slot & ~id_mask_) == tag) {
        __builtin_prefetch(place((slot & id_mask_) - 1));
        return;
      }
      if (++probe.at == capacity_) probe.at = 0;
    }
  }
  /// A probe is good for one index only; a rebuilt one has another number.
  std::uint64_t index_number() const { return index_number_; }

  /// The id of a key, or kNone.
  std::uint32_t find(std::uint64_t key) const {
    if (capacity_ == 0) return kNone;
    const std::uint64_t hashed = hash(key);
    return find(Probe{key, support::scale(hashed, capacity_), static_cast<std::uint32_t>(hashed)});
  }
  std::uint32_t find(const Probe& probe) const {
    const std::uint32_t tag = probe.tag & ~id_mask_;
    std::uint64_t at = probe.at;
    for (;;) {
      const std::uint32_t slot = slots_[at];
      if (slot == 0) return kNone;
      if ((slot & ~id_mask_) == tag && *place((slot & id_mask_) - 1) == probe.key)
        return (slot & id_mask_) - 1;
      if (++at == capacity_) at = 0;
    }
  }

  /// The id of a key that is added if it is not there. In shared mode adding
  /// takes a lock (meant for tables that rarely get new keys), and the answer
  /// may be kFull.
  template <Sharing sharing>
  std::uint32_t find_or_add(std::uint64_t key) {
    return find_or_add<sharing>(key, hash(key));
  }
  template <Sharing sharing>
  std::uint32_t find_or_add(std::uint64_t key, std::uint64_t hash) {
    if constexpr (sharing == Sharing::kPrivate) {
      if (capacity_ == 0) make_room(1);
      return find_or_add(Probe{key, support::scale(hash, capacity_), static_cast<std::uint32_t>(hash)});
    } else {
      return find_or_add_locked(key, hash);
    }
  }
  std::uint32_t find_or_add(const Probe& probe) {
    const std::uint32_t tag = probe.tag & ~id_mask_;
    std::uint64_t at = probe.at;
    for (;;) {
      const std::uint32_t slot = slots_[at];
      if (slot == 0) break;
      if ((slot & ~id_mask_) == tag && *place((slot & id_mask_) - 1) == probe.key)
        return (slot & id_mask_) - 1;
      if (++at == capacity_) at = 0;
    }
    return add(probe.key, probe.tag, at);
  }

  /// Lock-free: publishes the key under the id `reserved` (which only the
  /// caller may use) unless it is already there; answers the id of the key.
  std::uint32_t find_or_publish(const Probe& probe, std::uint32_t reserved) {
    const std::uint32_t tag = probe.tag & ~id_mask_;
    std::uint64_t at = probe.at;
    for (;;) {
      std::atomic_ref<std::uint32_t> cell(slots_[at]);
      std::uint32_t slot = cell.load(std::memory_order_acquire);
      if (slot == 0) {
        *place(reserved) = probe.key;
        if (cell.compare_exchange_strong(slot, tag | (reserved + 1), std::memory_order_acq_rel))
          return reserved;
      }
      if ((slot & ~id_mask_) == tag && *place((slot & id_mask_) - 1) == probe.key)
        return (slot & id_mask_) - 1;
      if (++at == capacity_) at = 0;
    }
  }

  // The rest is for one thread while no other uses the table.

  /// Makes `size` the number of keys (after threads published reserved ids).
  void set_size(std::uint32_t size) { size_ = size; }
  /// Makes room for `more` keys beyond the present ones.
  void make_room(std::uint64_t more);
  /// Adds an id that no key finds; its key reads as 0. At most one per table.
  std::uint32_t add_unindexed();
  /// Gives the key of id `from` the id `to` instead (from > to, `to` unused).
  void move_key(std::uint32_t from, std::uint32_t to);
  /// Frees the index; `set_key` may then change keys until `rebuild_index`.
  void drop_index();
  void set_key(std::uint32_t id, std::uint64_t key) { *place(id) = key; }
  void rebuild_index();
  std::size_t index_bytes() const { return index_.bytes(); }
  /// Bytes in use: keys present, and the whole index.
  std::size_t bytes() const { return std::size_t{size_} * 8 + index_.bytes(); }

 private:
  static constexpr int kFirstSegmentBits = 3;
  static constexpr int kSegments = 32 - kFirstSegmentBits;

  std::uint64_t* place(std::uint32_t id) const {
    const int segment = 31 - std::countl_zero(id | ((1u << kFirstSegmentBits) - 1)) - (kFirstSegmentBits - 1);
    return segments_[segment] + id;
  }
  std::uint32_t add(std::uint64_t key, std::uint32_t tag, std::uint64_t at);
  std::uint32_t find_or_add_locked(std::uint64_t key, std::uint64_t hash);
  void reserve_segments(std::uint64_t keys);
  void allocate_index(std::uint64_t capacity, std::uint64_t limit);
  void fill_index();

  // What a lookup reads comes first and together.
  std::uint32_t* slots_ = nullptr;
  std::uint64_t capacity_ = 0;
  std::uint32_t id_mask_ = 0;
  std::uint32_t size_ = 0;
  // Each pointer is moved back by the segment's first id, so that adding an id
  // gives the key's address.
  std::uint64_t* segments_[kSegments] = {};
  std::uint32_t limit_ = 0;
  std::uint32_t unindexed_ = kNone;
  std::uint8_t lock_ = 0;
  int segment_count_ = 0;
  std::uint64_t index_number_ = 0;
  support::Pages segment_pages_[kSegments];
  support::Pages index_;
  const support::MemoryBudget* budget_ = nullptr;
};

}  // namespace assay::storage
