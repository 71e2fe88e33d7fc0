/// Our own: thin the levels out evenly, and mind what is gone already.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <deque>
#include <utility>
#include <vector>

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
/// which one step leads on, or none, is passed in no time and goes first of all;
/// one with two steps is passed quickly, too, and stands two rungs lower.
/// Within a rank the state goes that was left first, but one that was met
/// since is passed over when its turn comes.
///
/// Most states that are met again are met soon: paths that differ in the order
/// of two steps come together right behind them. So what was left last is not
/// ranked yet. It takes an eighth of what could be replaced. One that was met
/// there stays for another round.
///
/// To meet a state costs one write: lists are mended when they are used.
class ByRung final : public Policy {
 public:
  void make_room(std::size_t slots, std::size_t most) override {
    grow(states_, slots, most);
    grow(chances_, slots, most);
  }
  std::size_t bytes_per_slot() const override { return sizeof(State) + sizeof(std::uint8_t) + sizeof(Slot); }
  void entered(Slot slot, std::uint64_t depth) override {
    State& state = states_[slot];
    state.gone = 1;
    ++state.life;
    state.rung = static_cast<std::uint8_t>(std::min(std::countr_one(depth), kRecent - 1));
  }
  void expanded(Slot slot, std::size_t steps) override {
    State& state = states_[slot];
    state.is_passed_quickly = steps <= 1;
    if (steps == 2) state.rung -= std::min(state.rung, kLowerWithTwoSteps);
  }
  void hit(Slot slot, Slot) override { chances_[slot] = kChances; }
  void left(Slot slot, Slot parent) override {
    State& state = states_[slot];
    state.parent = parent;
    state.life_of_parent = parent == kNoSlot ? std::uint16_t{0} : states_[parent].life;
    chances_[slot] = 0;
    put_last(slot, kRecent);
    rank_what_is_not_recent();
  }
  void replace(std::vector<Slot>& victims) override {
    if (lists_in_use_ == 0) return;
    const Slot victim = take_least();
    rank_what_is_not_recent();
    victims.push_back(victim);
    State& state = states_[victim];
    ++state.life;
    if (state.parent == kNoSlot) return;
    State& parent = states_[state.parent];
    if (parent.life != state.life_of_parent) return;  // replaced itself meanwhile
    parent.gone = parent.gone > ~state.gone ? ~std::uint32_t{0} : parent.gone + state.gone;
  }
  std::uint64_t worth(Slot slot) const override { return rank(states_[slot]); }

 private:
  static constexpr int kLists = 64;
  static constexpr std::uint8_t kRecent = kLists - 1;  // what was left last; those below are ranks
  static constexpr std::size_t kShareOfRecent = 8;     // one in so many candidates
  static constexpr std::uint8_t kChances = 2;          // of a state that was met
  static constexpr std::uint8_t kLowerWithTwoSteps = 2;
  static constexpr std::size_t kAhead = 4;  // whose turn comes so many turns later is fetched already

  struct State {
    std::uint32_t gone = 1;  // itself, and what was replaced below it in the tree of the search
    Slot parent = kNoSlot;   // in that tree
    // Changes when a state comes or goes: is a slot still the same state? To be
    // wrong once in 65,536 replacements of one slot costs nothing but a guess.
    std::uint16_t life = 0;
    std::uint16_t life_of_parent = 0;
    std::uint8_t rung = 0;
    bool is_passed_quickly = false;
  };

  static std::uint8_t rank(const State& state) {
    if (state.is_passed_quickly) return 0;
    return std::max(state.rung, static_cast<std::uint8_t>(std::bit_width(state.gone) - 1));
  }
  /// What was met, or has risen in rank, goes to the end of the list where it belongs when its turn comes.
  Slot take_least() {
    for (;;) {
      const auto list = static_cast<std::uint8_t>(std::countr_zero(lists_in_use_));
      const Slot slot = take_first(list);
      const std::uint8_t place = list == kRecent ? kRecent : rank(states_[slot]);
      if (std::exchange(chances_[slot], std::uint8_t{0}) == 0 && place == list) return slot;
      put_last(slot, place);
    }
  }
  void rank_what_is_not_recent() {
    while (lists_[kRecent].size() > candidates_ / kShareOfRecent) {
      const Slot oldest = take_first(kRecent);
      const bool stays = chances_[oldest] == kChances;
      if (stays) --chances_[oldest];
      put_last(oldest, stays ? kRecent : rank(states_[oldest]));
    }
  }
  void put_last(Slot slot, std::uint8_t list) {
    lists_[list].push_back(slot);
    lists_in_use_ |= std::uint64_t{1} << list;
    ++candidates_;
  }
  Slot take_first(std::uint8_t list) {
    const Slot slot = lists_[list].front();
    lists_[list].pop_front();
    if (lists_[list].size() > kAhead) __builtin_prefetch(&states_[lists_[list][kAhead]], 1);
    if (lists_[list].empty()) lists_in_use_ &= ~(std::uint64_t{1} << list);
    --candidates_;
    return slot;
  }

  std::vector<State> states_;
  std::vector<std::uint8_t>
      chances_;  // to stay when its turn comes, one for each kind of list; apart: met most
  std::array<std::deque<Slot>, kLists> lists_;
  std::uint64_t lists_in_use_ = 0;
  std::size_t candidates_ = 0;  // in all lists
};

}  // namespace assay::search::replacement
