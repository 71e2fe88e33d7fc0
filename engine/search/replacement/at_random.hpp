/// Any state, each with the same chance.
#pragma once

#include "search/replacement/policy.hpp"
#include "support/hash.hpp"
#include "support/random_source.hpp"

namespace assay::search::replacement {

class AtRandom final : public Policy {
 public:
  explicit AtRandom(std::uint64_t seed) : random_(support::mix(seed)) {}

  void make_room(std::size_t, std::size_t most) override { support::reserve_if_possible(candidates_, most); }
  std::size_t bytes_per_slot() const override { return sizeof(Slot); }
  void entered(Slot, std::uint64_t) override {}
  void hit(Slot, Slot) override {}
  void left(Slot slot, Slot) override { candidates_.push_back(slot); }
  void replace(std::vector<Slot>& victims) override {
    if (candidates_.empty()) return;
    Slot& chosen = candidates_[random_.below(candidates_.size())];
    victims.push_back(chosen);
    chosen = candidates_.back();
    candidates_.pop_back();
  }
  std::uint64_t worth(Slot) const override { return 0; }

 private:
  support::RandomSource random_;
  std::vector<Slot> candidates_;
};

}  // namespace assay::search::replacement
