/// MinOnly (Kudra 2007, section 4.3).
#pragma once

#include <cstdint>
#include <vector>

#include "search/splitting/abstract_states.hpp"
#include "support/random_source.hpp"

namespace assay::search::splitting {

/// For each abstract state that more than one concrete state matches: `variable > its least value`, for one of the variables
/// that have several values there, chosen at random.
class MinOnly {
 public:
  explicit MinOnly(std::uint64_t seed) : random_(seed) {}

  void refine(AbstractStates& states, const std::vector<std::uint32_t>& eligible) {
    for (const std::uint32_t number : eligible) {
      candidates_.clear();
      for (std::size_t variable = 0; variable < states.variables(); ++variable) {
        if (states.low(number, variable) != states.high(number, variable)) candidates_.push_back(variable);
      }
      const std::size_t chosen = candidates_[random_.below(candidates_.size())];
      states.thresholds().add(chosen, states.low(number, chosen));
    }
  }

 private:
  support::RandomSource random_;
  std::vector<std::size_t> candidates_;
};

}  // namespace assay::search::splitting
