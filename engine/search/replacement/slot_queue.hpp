/// Slots in the order in which they shall be replaced.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "search/replacement/policy.hpp"
#include "support/hash.hpp"
#include "support/random_source.hpp"

namespace assay::search::replacement {

/// A heap that knows where each slot stands, so that the rank of one can
/// change (thesis 4.2.3 keeps a sorted queue). Lower ranks come first, and of
/// equal ranks each has the same chance.
///
/// Chance is drawn when a slot comes in: a time to live, exponentially
/// distributed, that starts when the last of its rank was taken. Such times
/// have no memory, so whoever is first to end is any of them with equal odds,
/// however long it has been there. (Plain random numbers would protect for
/// good whoever once drew a high one.) Ranks have 4096 clocks between them.
class SlotQueue {
 public:
  static constexpr std::size_t kBytesPerSlot = 2 * sizeof(Slot) + sizeof(std::uint64_t) + sizeof(double);

  explicit SlotQueue(std::uint64_t seed) : random_(support::mix(seed)) {}

  void make_room(std::size_t slots, std::size_t most) {
    support::reserve_if_possible(places_, most);
    places_.resize(slots, kNoSlot);
    grow(ranks_, slots, most);
    grow(ends_, slots, most);
    support::reserve_if_possible(heap_, most);
  }
  bool empty() const { return heap_.empty(); }
  bool has(Slot slot) const { return places_[slot] != kNoSlot; }

  void add(Slot slot, std::uint64_t rank) {
    set(slot, rank);
    heap_.push_back(slot);
    rise(heap_.size() - 1, slot);
  }
  void change(Slot slot, std::uint64_t rank) {
    const bool earlier = rank < ranks_[slot];
    set(slot, rank);
    if (earlier) {
      rise(places_[slot], slot);
    } else {
      sink(places_[slot], slot);
    }
  }
  Slot take_first() {
    const Slot first = heap_.front();
    const Slot last = heap_.back();
    heap_.pop_back();
    places_[first] = kNoSlot;
    clock(ranks_[first]) = ends_[first];
    if (!heap_.empty()) sink(0, last);
    return first;
  }

 private:
  // Four children: half the levels of a binary heap, and they stand together.
  static constexpr std::size_t kChildren = 4;
  static constexpr std::size_t kClocks = 4096;

  double& clock(std::uint64_t rank) { return clocks_[rank % kClocks]; }
  void set(Slot slot, std::uint64_t rank) {
    ranks_[slot] = rank;
    const double uniform = static_cast<double>((random_.next() >> 11) + 1) * 0x1p-53;  // in (0, 1]
    ends_[slot] = clock(rank) - std::log(uniform);
  }
  bool before(Slot a, Slot b) const {
    if (ranks_[a] != ranks_[b]) return ranks_[a] < ranks_[b];
    return ends_[a] < ends_[b];
  }
  void put(std::size_t place, Slot slot) {
    heap_[place] = slot;
    places_[slot] = static_cast<std::uint32_t>(place);
  }
  void rise(std::size_t place, Slot slot) {
    while (place > 0) {
      const std::size_t above = (place - 1) / kChildren;
      if (!before(slot, heap_[above])) break;
      put(place, heap_[above]);
      place = above;
    }
    put(place, slot);
  }
  void sink(std::size_t place, Slot slot) {
    for (;;) {
      const std::size_t begin = place * kChildren + 1;
      if (begin >= heap_.size()) break;
      std::size_t least = begin;
      const std::size_t end = std::min(begin + kChildren, heap_.size());
      for (std::size_t child = begin + 1; child < end; ++child) {
        if (before(heap_[child], heap_[least])) least = child;
      }
      if (!before(heap_[least], slot)) break;
      put(place, heap_[least]);
      place = least;
    }
    put(place, slot);
  }

  support::RandomSource random_;
  std::vector<Slot> heap_;
  std::vector<Slot> places_;  // of each slot in the heap
  std::vector<std::uint64_t> ranks_;
  std::vector<double> ends_;
  std::array<double, kClocks> clocks_{};
};

}  // namespace assay::search::replacement
