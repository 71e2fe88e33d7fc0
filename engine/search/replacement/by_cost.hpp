/// Cheapest first: Algorithm 4.1 of the thesis.
#pragma once

#include "search/replacement/cost.hpp"
#include "search/replacement/slot_queue.hpp"

namespace assay::search::replacement {

/// The cost of a state is one and the costs of the states that its steps lead
/// to: what would be explored again at worst. A state met on the stack passes
/// on what it has so far, so costs on cycles are too low (4.2.2).
class ByCost final : public Policy {
 public:
  explicit ByCost(std::uint64_t seed) : queue_(seed) {}

  void make_room(std::size_t slots, std::size_t most) override {
    queue_.make_room(slots, most);
    grow(costs_, slots, most);
  }
  std::size_t bytes_per_slot() const override { return SlotQueue::kBytesPerSlot + sizeof(Cost); }
  void entered(Slot slot, std::uint64_t) override { costs_[slot] = Cost::one(); }
  void hit(Slot slot, Slot from) override { costs_[from] += costs_[slot]; }
  void left(Slot slot, Slot parent) override {
    if (parent != kNoSlot) costs_[parent] += costs_[slot];
    queue_.add(slot, costs_[slot].packed());
  }
  void replace(std::vector<Slot>& victims) override {
    if (!queue_.empty()) victims.push_back(queue_.take_first());
  }
  std::uint64_t worth(Slot slot) const override { return costs_[slot].packed(); }

 private:
  SlotQueue queue_;
  std::vector<Cost> costs_;
};

}  // namespace assay::search::replacement
