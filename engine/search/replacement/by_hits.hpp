/// What was met again least often goes first, or most often (Holzmann 1987 tries both).
#pragma once

#include "search/replacement/slot_queue.hpp"

namespace assay::search::replacement {

class ByHits final : public Policy {
 public:
  enum class First { kFewest, kMost };

  ByHits(First first, std::uint64_t seed) : first_(first), queue_(seed) {}

  void make_room(std::size_t slots, std::size_t most) override {
    queue_.make_room(slots, most);
    grow(hits_, slots, most);
  }
  std::size_t bytes_per_slot() const override { return SlotQueue::kBytesPerSlot + sizeof(std::uint32_t); }
  void entered(Slot slot, std::uint64_t) override { hits_[slot] = 0; }
  void hit(Slot slot, Slot) override {
    if (hits_[slot] == 0xFFFFFFFFu) return;
    ++hits_[slot];
    if (queue_.has(slot)) queue_.change(slot, rank(slot));
  }
  void left(Slot slot, Slot) override { queue_.add(slot, rank(slot)); }
  void replace(std::vector<Slot>& victims) override {
    if (!queue_.empty()) victims.push_back(queue_.take_first());
  }
  std::uint64_t worth(Slot slot) const override { return hits_[slot]; }

 private:
  std::uint64_t rank(Slot slot) const {
    return first_ == First::kFewest ? hits_[slot] : ~std::uint64_t{hits_[slot]};
  }

  const First first_;
  SlotQueue queue_;
  std::vector<std::uint32_t> hits_;
};

}  // namespace assay::search::replacement
