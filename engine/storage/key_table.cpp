#include "storage/key_table.hpp"

#include <algorithm>

namespace assay::storage {
namespace {

// Small tables are kept half empty because they are hit most; big ones trade a
// longer probe (still within one or two cache lines) for memory.
constexpr std::uint64_t kBigFrom = std::uint64_t{1} << 16;

std::uint64_t limit_of(std::uint64_t capacity) {
  const std::uint64_t limit = capacity < kBigFrom ? capacity / 2 : capacity / 5 * 4;
  return std::min(limit, KeyTable::kMaxKeys);
}

std::uint64_t capacity_for(std::uint64_t keys) {
  std::uint64_t capacity = 8;
  while (limit_of(capacity) < keys) capacity = capacity < kBigFrom * 16 ? capacity * 2 : capacity / 8 * 13;
  return capacity;
}

}  // namespace

KeyTable& KeyTable::operator=(KeyTable&& other) noexcept {
  slots_ = std::exchange(other.slots_, nullptr);
  capacity_ = std::exchange(other.capacity_, 0);
  id_mask_ = std::exchange(other.id_mask_, 0);
  size_ = std::exchange(other.size_, 0);
  limit_ = std::exchange(other.limit_, 0);
  unindexed_ = std::exchange(other.unindexed_, kNone);
  segment_count_ = std::exchange(other.segment_count_, 0);
  index_number_ = other.index_number_;
  for (int i = 0; i < kSegments; ++i) {
    segments_[i] = std::exchange(other.segments_[i], nullptr);
    segment_pages_[i] = std::move(other.segment_pages_[i]);
  }
  index_ = std::move(other.index_);
  budget_ = other.budget_;
  return *this;
}

std::uint32_t KeyTable::add(std::uint64_t key, std::uint32_t tag, std::uint64_t at) {
  if (size_ >= limit_) {
    make_room(1);
    at = support::scale(hash(key), capacity_);
    while (slots_[at] != 0) {
      if (++at == capacity_) at = 0;
    }
  }
  const std::uint32_t id = size_++;
  *place(id) = key;
  slots_[at] = (tag & ~id_mask_) | (id + 1);
  return id;
}

std::uint32_t KeyTable::find_or_add_locked(std::uint64_t key, std::uint64_t hash) {
  if (capacity_ == 0) return kFull;
  const std::uint32_t tag = static_cast<std::uint32_t>(hash) & ~id_mask_;
  std::uint64_t at = support::scale(hash, capacity_);
  const auto probe = [&]() -> std::uint32_t {
    for (;;) {
      const std::uint32_t slot = std::atomic_ref<std::uint32_t>(slots_[at]).load(std::memory_order_acquire);
      if (slot == 0) return kNone;
      if ((slot & ~id_mask_) == tag && *place((slot & id_mask_) - 1) == key) return (slot & id_mask_) - 1;
      if (++at == capacity_) at = 0;
    }
  };
  std::uint32_t id = probe();
  if (id != kNone) return id;
  std::atomic_ref<std::uint8_t> lock(lock_);
  for (int spins = 0; lock.exchange(1, std::memory_order_acquire) != 0; ++spins) {
    if (spins > 64) std::this_thread::yield();
  }
  id = probe();  // continues where it stopped: slots are never emptied
  if (id == kNone) {
    if (size_ >= limit_) {
      id = kFull;
    } else {
      id = size_;
      *place(id) = key;
      std::atomic_ref<std::uint32_t>(slots_[at]).store(tag | (id + 1), std::memory_order_release);
      std::atomic_ref<std::uint32_t>(size_).store(id + 1, std::memory_order_relaxed);
    }
  }
  lock.store(0, std::memory_order_release);
  return id;
}

void KeyTable::reserve_segments(std::uint64_t keys) {
  while (true) {
    const std::uint64_t have =
        segment_count_ == 0 ? 0 : std::uint64_t{1} << (kFirstSegmentBits + segment_count_ - 1);
    if (have >= keys) return;
    const std::uint64_t first = have;
    const std::uint64_t count = segment_count_ == 0 ? std::uint64_t{1} << kFirstSegmentBits : have;
    const bool may_be_huge = budget_ == nullptr || budget_->allows_huge_pages();
    segment_pages_[segment_count_] = support::Pages(count * sizeof(std::uint64_t), may_be_huge);
    segments_[segment_count_] = segment_pages_[segment_count_].as<std::uint64_t>() - first;
    ++segment_count_;
  }
}

void KeyTable::allocate_index(std::uint64_t capacity, std::uint64_t limit) {
  slots_ = nullptr;
  capacity_ = 0;
  index_.release();
  index_ = support::Pages(capacity * sizeof(std::uint32_t));
  slots_ = index_.as<std::uint32_t>();
  capacity_ = capacity;
  ++index_number_;
  limit_ = static_cast<std::uint32_t>(limit);
  const int id_bits = std::bit_width(static_cast<std::uint32_t>(limit));
  id_mask_ = id_bits >= 32 ? 0xFFFFFFFFu : (1u << id_bits) - 1;
}

void KeyTable::fill_index() {
  // Two passes over blocks, so that the misses of a block overlap.
  constexpr std::uint32_t kBlock = 64;
  std::uint64_t hashes[kBlock];
  for (std::uint64_t begin = 0; begin < size_; begin += kBlock) {
    const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(kBlock, size_ - begin));
    for (std::uint32_t i = 0; i < count; ++i) {
      hashes[i] = hash(key(static_cast<std::uint32_t>(begin + i)));
      __builtin_prefetch(&slots_[support::scale(hashes[i], capacity_)], 1);
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto id = static_cast<std::uint32_t>(begin + i);
      if (id == unindexed_) continue;
      std::uint64_t at = support::scale(hashes[i], capacity_);
      while (slots_[at] != 0) {
        if (++at == capacity_) at = 0;
      }
      slots_[at] = (static_cast<std::uint32_t>(hashes[i]) & ~id_mask_) | (id + 1);
    }
  }
}

void KeyTable::make_room(std::uint64_t more) {
  const std::uint64_t keys = size_ + more;
  if (keys <= limit_ && capacity_ != 0) return;
  if (keys > kMaxKeys) throw support::MemoryRefused();
  std::uint64_t capacity = capacity_for(keys);
  std::uint64_t limit = limit_of(capacity);
  if (budget_ != nullptr) {
    const auto fits = [&](std::uint64_t slots) { return budget_->allows(slots * 4, index_.bytes()); };
    if (!fits(capacity)) {
      // Less headroom, then a fuller index: slower, but it uses what there is.
      capacity = std::max<std::uint64_t>(capacity_ + capacity_ / 4, keys + keys / 4 + 8);
      limit = limit_of(capacity);
      if (!fits(capacity) || limit < keys) {
        capacity = std::max<std::uint64_t>(capacity_, keys + keys / 16 + 8);
        limit = std::min(capacity / 16 * 15, kMaxKeys);
        if (limit < keys || !fits(capacity)) throw support::MemoryRefused();
      }
    }
  }
  reserve_segments(limit);
  allocate_index(capacity, limit);
  fill_index();
}

std::uint32_t KeyTable::add_unindexed() {
  make_room(1);
  const std::uint32_t id = size_++;
  *place(id) = 0;
  unindexed_ = id;
  return id;
}

void KeyTable::move_key(std::uint32_t from, std::uint32_t to) {
  const std::uint64_t moved = key(from);
  const std::uint64_t hashed = hash(moved);
  std::uint64_t at = support::scale(hashed, capacity_);
  while ((slots_[at] & id_mask_) != from + 1) {
    if (++at == capacity_) at = 0;
  }
  *place(to) = moved;
  slots_[at] = (slots_[at] & ~id_mask_) | (to + 1);
}

void KeyTable::drop_index() {
  slots_ = nullptr;
  capacity_ = 0;
  limit_ = 0;
  index_.release();
}

void KeyTable::rebuild_index() {
  const std::uint64_t capacity = capacity_for(std::max<std::uint64_t>(size_, 1));
  reserve_segments(limit_of(capacity));
  allocate_index(capacity, limit_of(capacity));
  fill_index();
}

}  // namespace assay::storage
