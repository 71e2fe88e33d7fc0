/// Cheapest first, with the costs of Definition 4.2.3.
#pragma once

#include <algorithm>

#include "search/replacement/cost.hpp"
#include "search/replacement/slot_queue.hpp"

namespace assay::search::replacement {

/// All states of a strongly connected component cost the same: as many as they
/// are, and whatever lies below the component. That is known when the first
/// state of the component leaves the stack (Tarjan's algorithm), and until
/// then none of it can be replaced.
///
/// A component is replaced as a whole. If some of it stayed, a state explored
/// again would meet the rest as something below it and count it twice.
class ByComponentCost final : public Policy {
 public:
  explicit ByComponentCost(std::uint64_t seed) : queue_(seed) {}

  void make_room(std::size_t slots, std::size_t most) override {
    queue_.make_room(slots, most);
    grow(states_, slots, most);
    support::reserve_if_possible(open_, most);
  }
  std::size_t bytes_per_slot() const override {
    return SlotQueue::kBytesPerSlot + sizeof(State) + sizeof(Slot);
  }
  void entered(Slot slot, std::uint64_t) override {
    const auto number = static_cast<std::uint32_t>(open_.size());
    states_[slot] = {Cost::one(), number, number, slot};
    open_.push_back(slot);
  }
  void hit(Slot slot, Slot from) override {
    if (states_[slot].number != kComplete) {
      states_[from].lowest = std::min(states_[from].lowest, states_[slot].number);
    } else {
      states_[from].cost += states_[slot].cost;
    }
  }
  void left(Slot slot, Slot parent) override {
    State& state = states_[slot];
    if (state.lowest != state.number) {  // an ancestor belongs to the component, and so does the parent
      states_[parent].lowest = std::min(states_[parent].lowest, state.lowest);
      return;
    }
    // The component is what stands from here on among the open states: its
    // places there serve as numbers, since those above close before it.
    const std::size_t begin = state.number;
    Cost cost;
    for (std::size_t i = begin; i < open_.size(); ++i) cost += states_[open_[i]].cost;
    for (std::size_t i = begin; i < open_.size(); ++i) {
      State& member = states_[open_[i]];
      member.cost = cost;
      member.number = kComplete;
      member.next = i + 1 < open_.size() ? open_[i + 1] : slot;
    }
    open_.resize(begin);
    queue_.add(slot, cost.packed());
    if (parent != kNoSlot) states_[parent].cost += cost;
  }
  void replace(std::vector<Slot>& victims) override {
    if (queue_.empty()) return;
    const Slot first = queue_.take_first();
    Slot slot = first;
    do {
      victims.push_back(slot);
      slot = states_[slot].next;
    } while (slot != first);
  }
  std::uint64_t worth(Slot slot) const override { return states_[slot].cost.packed(); }

 private:
  static constexpr std::uint32_t kComplete = 0xFFFFFFFFu;

  struct State {
    Cost cost;                         // one and what lies below other components; then that of the component
    std::uint32_t number = kComplete;  // its place among the open states
    std::uint32_t lowest = 0;          // that it reaches
    Slot next = kNoSlot;               // in its component, in a ring
  };

  SlotQueue queue_;  // of one state for each component
  std::vector<State> states_;
  std::vector<Slot> open_;  // whose component is not complete, in the order they were entered
};

}  // namespace assay::search::replacement
