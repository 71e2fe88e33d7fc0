/// Whole levels go first (Geldenhuys 2004).
#pragma once

#include "search/replacement/policy.hpp"
#include "support/hash.hpp"
#include "support/random_source.hpp"

namespace assay::search::replacement {

/// States are sorted into strata by their depth modulo m. Those of stratum 0
/// are replaced as long as there are any, then those of stratum 1, and so on;
/// within a stratum chance decides. So what lies below a replaced state is met
/// again after at most as many levels as strata are being given up.
class Stratified final : public Policy {
 public:
  Stratified(std::uint32_t strata, std::uint64_t seed) : strata_(strata), random_(support::mix(seed)) {}

  void make_room(std::size_t slots, std::size_t most) override { grow(stratum_of_, slots, most); }
  std::size_t bytes_per_slot() const override { return sizeof(std::uint32_t) + 2 * sizeof(Slot); }
  void entered(Slot slot, std::uint64_t depth) override {
    stratum_of_[slot] = static_cast<std::uint32_t>(depth % strata_.size());
  }
  void hit(Slot, Slot) override {}
  void left(Slot slot, Slot) override { strata_[stratum_of_[slot]].push_back(slot); }
  void replace(std::vector<Slot>& victims) override {
    for (std::vector<Slot>& stratum : strata_) {
      if (stratum.empty()) continue;
      Slot& chosen = stratum[random_.below(stratum.size())];
      victims.push_back(chosen);
      chosen = stratum.back();
      stratum.pop_back();
      return;
    }
  }
  std::uint64_t worth(Slot slot) const override { return stratum_of_[slot]; }

 private:
  std::vector<std::vector<Slot>> strata_;
  std::vector<std::uint32_t> stratum_of_;
  support::RandomSource random_;
};

}  // namespace assay::search::replacement
