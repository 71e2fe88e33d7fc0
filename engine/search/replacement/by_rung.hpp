/// Our own: thin the levels out evenly, and mind what is gone already.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

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
/// gone: it then ranks like a rung that so many would be lost with. A state from
/// which one step leads on, or none, is passed in no time and goes first of all.
/// Within a rank the state goes that was not met for the longest time.
///
/// Most states that are met again are met soon: paths that differ in the order
/// of two steps come together right behind them. So what was left last is not
/// ranked yet. It takes an eighth of what could be replaced.
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
    state.rung = static_cast<std::uint8_t>(std::min(std::countr_one(depth), kRecent - 1));
    state.list = kNoList;
  }
  void expanded(Slot slot, std::size_t steps) override { states_[slot].is_passed_quickly = steps <= 1; }
  void hit(Slot slot, Slot) override {
    const std::uint8_t list = states_[slot].list;
    if (list == kNoList) return;
    take_out(slot);
    put_last(slot, list);
  }
  void left(Slot slot, Slot parent) override {
    states_[slot].parent = parent;
    states_[slot].life_of_parent = parent == kNoSlot ? std::uint16_t{0} : states_[parent].life;
    put_last(slot, kRecent);
    rank_what_is_not_recent();
  }
  void replace(std::vector<Slot>& victims) override {
    if (lists_in_use_ == 0) return;
    const Slot victim = first_[std::countr_zero(lists_in_use_)];
    take_out(victim);
    rank_what_is_not_recent();
    victims.push_back(victim);
    State& state = states_[victim];
    ++state.life;
    if (state.parent == kNoSlot) return;
    State& parent = states_[state.parent];
    if (parent.life != state.life_of_parent) return;  // replaced itself meanwhile
    parent.gone = parent.gone > ~state.gone ? ~std::uint32_t{0} : parent.gone + state.gone;
    if (parent.list < kRecent && rank(parent) != parent.list) {
      take_out(state.parent);
      put_last(state.parent, rank(parent));
    }
  }
  std::uint64_t worth(Slot slot) const override { return rank(states_[slot]); }

 private:
  static constexpr int kLists = 64;
  static constexpr std::uint8_t kRecent = kLists - 1;  // what was left last; those below are ranks
  static constexpr std::uint8_t kNoList = kLists;      // on the stack, or gone
  static constexpr std::size_t kShareOfRecent = 8;     // one in so many candidates

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
    std::uint8_t list = kNoList;  // that it stands in
    bool is_passed_quickly = false;
  };

  static std::uint8_t rank(const State& state) {
    if (state.is_passed_quickly) return 0;
    return std::max(state.rung, static_cast<std::uint8_t>(std::bit_width(state.gone) - 1));
  }
  void rank_what_is_not_recent() {
    while (recent_ > candidates_ / kShareOfRecent) {
      const Slot oldest = first_[kRecent];
      take_out(oldest);
      put_last(oldest, rank(states_[oldest]));
    }
  }
  void put_last(Slot slot, std::uint8_t list) {
    State& state = states_[slot];
    state.list = list;
    state.before = last_[list];
    state.after = kNoSlot;
    (state.before == kNoSlot ? first_[list] : states_[state.before].after) = slot;
    last_[list] = slot;
    lists_in_use_ |= std::uint64_t{1} << list;
    ++candidates_;
    recent_ += list == kRecent;
  }
  void take_out(Slot slot) {
    State& state = states_[slot];
    const std::uint8_t list = std::exchange(state.list, kNoList);
    (state.before == kNoSlot ? first_[list] : states_[state.before].after) = state.after;
    (state.after == kNoSlot ? last_[list] : states_[state.after].before) = state.before;
    if (first_[list] == kNoSlot) lists_in_use_ &= ~(std::uint64_t{1} << list);
    --candidates_;
    recent_ -= list == kRecent;
  }

  std::vector<State> states_;
  std::array<Slot, kLists> first_, last_;  // of each list, the one not met for longest first
  std::uint64_t lists_in_use_ = 0;
  std::size_t candidates_ = 0, recent_ = 0;
};

}  // namespace assay::search::replacement
