/// A set of 64-bit fingerprints.
#pragma once

#include <cstdint>

#include "support/hash.hpp"
#include "support/memory.hpp"

namespace assay::storage {

/// Lossy as a set of states: two states with one fingerprint count as one.
class FingerprintTable {
 public:
  explicit FingerprintTable(const support::MemoryBudget& budget) : budget_(budget) {
    resize(std::uint64_t{1} << 12);
  }

  void prefetch(std::uint64_t fingerprint) const {
    __builtin_prefetch(&slots_[support::scale(fingerprint, capacity_)], 1);
  }

  bool contains(std::uint64_t fingerprint) const {
    fingerprint += fingerprint == 0;
    for (std::uint64_t at = support::scale(fingerprint, capacity_);;) {
      if (slots_[at] == fingerprint) return true;
      if (slots_[at] == 0) return false;
      if (++at == capacity_) at = 0;
    }
  }

  /// True if the fingerprint is new.
  bool add(std::uint64_t fingerprint) {
    fingerprint += fingerprint == 0;  // 0 marks empty slots
    for (std::uint64_t at = support::scale(fingerprint, capacity_);;) {
      if (slots_[at] == fingerprint) return false;
      if (slots_[at] == 0) {
        if (size_ >= limit_) [[unlikely]] {
          resize(capacity_ < (1u << 20) ? capacity_ * 2 : capacity_ / 8 * 13);
          return add(fingerprint);
        }
        slots_[at] = fingerprint;
        ++size_;
        return true;
      }
      if (++at == capacity_) at = 0;
    }
  }

  std::uint64_t size() const { return size_; }
  std::size_t bytes() const { return pages_.bytes(); }

 private:
  void resize(std::uint64_t capacity) {
    budget_.require(capacity * sizeof(std::uint64_t));
    support::Pages pages(capacity * sizeof(std::uint64_t));
    auto* slots = pages.as<std::uint64_t>();
    for (std::uint64_t i = 0; i < capacity_; ++i) {
      if (slots_[i] == 0) continue;
      std::uint64_t at = support::scale(slots_[i], capacity);
      while (slots[at] != 0) {
        if (++at == capacity) at = 0;
      }
      slots[at] = slots_[i];
    }
    pages_ = std::move(pages);
    slots_ = slots;
    capacity_ = capacity;
    limit_ = capacity / 5 * 4;
  }

  const support::MemoryBudget& budget_;
  support::Pages pages_;
  std::uint64_t* slots_ = nullptr;
  std::uint64_t capacity_ = 0;
  std::uint64_t limit_ = 0;  // of fingerprints: then it grows
  std::uint64_t size_ = 0;
};

}  // namespace assay::storage
