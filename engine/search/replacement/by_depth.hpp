/// What was found furthest from the initial state goes first (Holzmann 1987).
#pragma once

#include "search/replacement/slot_queue.hpp"

namespace assay::search::replacement {

class ByDepth final : public Policy {
 public:
  explicit ByDepth(std::uint64_t seed) : queue_(seed) {}

  void make_room(std::size_t slots, std::size_t most) override {
    queue_.make_room(slots, most);
    grow(depths_, slots, most);
  }
  std::size_t bytes_per_slot() const override { return SlotQueue::kBytesPerSlot + sizeof(std::uint64_t); }
  void entered(Slot slot, std::uint64_t depth) override { depths_[slot] = depth; }
  void hit(Slot, Slot) override {}
  void left(Slot slot, Slot) override { queue_.add(slot, ~depths_[slot]); }
  void replace(std::vector<Slot>& victims) override {
    if (!queue_.empty()) victims.push_back(queue_.take_first());
  }
  std::uint64_t worth(Slot slot) const override { return depths_[slot]; }

 private:
  SlotQueue queue_;
  std::vector<std::uint64_t> depths_;
};

}  // namespace assay::search::replacement
