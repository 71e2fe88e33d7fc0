/// MaxOverlap (Kudra 2007, section 4.1).
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "search/splitting/abstract_states.hpp"
#include "support/random_source.hpp"

namespace assay::search::splitting {

/// One predicate: the one that splits the most abstract states, at a point where the most segments from least to greatest value
/// overlap. Ties are broken at random. `variable > number` splits a state if low <= number < high.
class MaxOverlap {
 public:
  explicit MaxOverlap(std::uint64_t seed) : random_(seed) {}

  void refine(AbstractStates& states, const std::vector<std::uint32_t>& eligible) {
    std::uint64_t most = 0;
    best_.clear();
    for (std::size_t variable = 0; variable < states.variables(); ++variable) {
      ends_.clear();
      for (const std::uint32_t number : eligible) {
        const std::int64_t low = states.low(number, variable), high = states.high(number, variable);
        if (low == high) continue;
        ends_.emplace_back(low, 1);
        ends_.emplace_back(high, -1);
      }
      std::sort(ends_.begin(), ends_.end());  // at one number, segments end (-1) before others begin
      std::int64_t open = 0;
      for (std::size_t i = 0; i < ends_.size(); ++i) {
        open += ends_[i].second;
        const bool begins = ends_[i].second > 0;
        const bool is_last = i + 1 == ends_.size() || ends_[i + 1].first != ends_[i].first;
        if (!begins || !is_last) continue;
        const auto count = static_cast<std::uint64_t>(open);
        if (count > most) {
          most = count;
          best_.clear();
        }
        if (count == most) best_.emplace_back(variable, ends_[i].first);
      }
    }
    const auto& [variable, number] = best_[random_.below(best_.size())];
    states.thresholds().add(variable, number);
  }

 private:
  support::RandomSource random_;
  std::vector<std::pair<std::int64_t, int>> ends_;
  std::vector<std::pair<std::size_t, std::int64_t>> best_;
};

}  // namespace assay::search::splitting
