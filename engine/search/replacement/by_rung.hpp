/// Our own: thin the levels out evenly, and mind what is gone already.
#pragma once

#include <algorithm>
#include <array>
#include <bit>

#include "search/replacement/policy.hpp"

namespace assay::search::replacement {

/// A replaced state costs little as long as what lies below it is still there:
/// whoever meets it again explores it alone. So states are given up level by
/// level, like the rungs of a ladder that stays climbable: those at even depth
/// first, then those at depth 1, 5, 9, ..., then 3, 11, 19, ..., so that of the
/// levels every second remains, then every fourth, and so on. No share of the
/// states has to be known beforehand.
///
/// Where that was not enough, a state remembers how many states below it are
/// gone: it then ranks like a rung that so many would be lost with. Within a
/// rank the state goes that was not met for the longest time.
class ByRung final : public Policy {
 public:
  ByRung() {
    first_.fill(kNoSlot);
    last_.fill(kNoSlot);
  }

  void make_room(std::size_t slots, std::size_t most) override { grow(states_, slots, most); }
  std::size_t bytes_per_slot() const override { return sizeof(State); }
  void entered(Slot slot, std::uint64_t depth) override {
    State& state = states_[slot];
    state.gone = 1;
    ++state.life;
    state.rung = static_cast<std::uint8_t>(std::min(std::countr_one(depth), kRanks - 1));
    state.is_candidate = false;
  }
  void hit(Slot slot, Slot) override {
    if (!states_[slot].is_candidate) return;
    take_out(slot);
    put_last(slot);
  }
  void left(Slot slot, Slot parent) override {
    states_[slot].parent = parent;
    states_[slot].life_of_parent = parent == kNoSlot ? std::uint16_t{0} : states_[parent].life;
    put_last(slot);
  }
  void replace(std::vector<Slot>& victims) override {
    if (ranks_in_use_ == 0) return;
    const Slot victim = first_[std::countr_zero(ranks_in_use_)];
    take_out(victim);
    victims.push_back(victim);
    State& state = states_[victim];
    ++state.life;
    if (state.parent == kNoSlot) return;
    State& parent = states_[state.parent];
    if (parent.life != state.life_of_parent) return;  // replaced itself meanwhile
    parent.gone = parent.gone > ~state.gone ? ~std::uint32_t{0} : parent.gone + state.gone;
    if (parent.is_candidate && rank(parent) != parent.rank) {
      take_out(state.parent);
      put_last(state.parent);
    }
  }
  std::uint64_t worth(Slot slot) const override { return static_cast<std::uint64_t>(rank(states_[slot])); }

 private:
  static constexpr int kRanks = 64;

  struct State {
    std::uint32_t gone = 1;  // itself, and what was replaced below it in the tree of the search
    Slot parent = kNoSlot;   // in that tree
    // Changes when a state comes or goes: is a slot still the same state? To be
    // wrong once in 65,536 replacements of one slot costs nothing but a guess.
    std::uint16_t life = 0;
    std::uint16_t life_of_parent = 0;
    Slot before = kNoSlot;
    Slot after = kNoSlot;
    std::uint8_t rung = 0;
    std::uint8_t rank = 0;  // of the list it stands in
    bool is_candidate = false;
  };

  static int rank(const State& state) {
    return std::max<int>(state.rung, static_cast<int>(std::bit_width(state.gone)) - 1);
  }
  void put_last(Slot slot) {
    State& state = states_[slot];
    state.is_candidate = true;
    state.rank = static_cast<std::uint8_t>(rank(state));
    state.before = last_[state.rank];
    state.after = kNoSlot;
    (state.before == kNoSlot ? first_[state.rank] : states_[state.before].after) = slot;
    last_[state.rank] = slot;
    ranks_in_use_ |= std::uint64_t{1} << state.rank;
  }
  void take_out(Slot slot) {
    State& state = states_[slot];
    state.is_candidate = false;
    (state.before == kNoSlot ? first_[state.rank] : states_[state.before].after) = state.after;
    (state.after == kNoSlot ? last_[state.rank] : states_[state.after].before) = state.before;
    if (first_[state.rank] == kNoSlot) ranks_in_use_ &= ~(std::uint64_t{1} << state.rank);
  }

  std::vector<State> states_;
  std::array<Slot, kRanks> first_, last_;  // of each rank's list, the one not met for longest first
  std::uint64_t ranks_in_use_ = 0;
};

}  // namespace assay::search::replacement
