/// MinSet (Kudra 2007, section 4.2).
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "search/splitting/abstract_states.hpp"
#include "support/random_source.hpp"

namespace assay::search::splitting {

/// A small set of predicates that splits every abstract state that can be split. For each variable the fewest points that
/// stab all of its segments; of these, over all variables, greedily the one that splits the most states that are still whole,
/// until none is. Ties are broken at random.
class MinSet {
 public:
  explicit MinSet(std::uint64_t seed) : random_(seed) {}

  void refine(AbstractStates& states, const std::vector<std::uint32_t>& eligible) {
    points_.assign(states.variables(), {});
    first_.assign(states.variables() + 1, 0);
    for (std::size_t variable = 0; variable < states.variables(); ++variable) {
      stab(states, eligible, variable);
      first_[variable + 1] = first_[variable] + points_[variable].size();
    }
    counts_.assign(first_.back(), 0);
    for (const std::uint32_t number : eligible) count(states, number, 1);
    members_.assign(first_.back(), {});
    for (std::uint32_t i = 0; i < eligible.size(); ++i) {
      each_splitting(states, eligible[i], [&](std::size_t candidate) { members_[candidate].push_back(i); });
    }
    std::vector<bool> is_split(eligible.size(), false);
    for (std::size_t left = eligible.size(); left > 0;) {
      const std::size_t chosen = choose();
      for (const std::uint32_t i : members_[chosen]) {
        if (is_split[i]) continue;
        is_split[i] = true;
        --left;
        count(states, eligible[i], -1);
      }
      const auto variable = static_cast<std::size_t>(std::upper_bound(first_.begin(), first_.end(), chosen) -
                                                     first_.begin() - 1);
      states.thresholds().add(variable, points_[variable][chosen - first_[variable]]);
    }
  }

 private:
  /// The fewest points that stab every segment: the last point of the one that ends first, again and again.
  void stab(const AbstractStates& states, const std::vector<std::uint32_t>& eligible, std::size_t variable) {
    segments_.clear();
    for (const std::uint32_t number : eligible) {
      const std::int64_t low = states.low(number, variable), high = states.high(number, variable);
      if (low != high) segments_.emplace_back(high, low);
    }
    std::sort(segments_.begin(), segments_.end());
    std::vector<std::int64_t>& points = points_[variable];
    for (const auto& [high, low] : segments_) {
      if (points.empty() || points.back() < low) points.push_back(high - 1);
    }
  }
  template <class Function>
  void each_splitting(const AbstractStates& states, std::uint32_t number, Function&& function) const {
    for (std::size_t variable = 0; variable < states.variables(); ++variable) {
      const std::vector<std::int64_t>& points = points_[variable];
      auto point = std::lower_bound(points.begin(), points.end(), states.low(number, variable));
      for (; point != points.end() && *point < states.high(number, variable); ++point) {
        function(first_[variable] + static_cast<std::size_t>(point - points.begin()));
      }
    }
  }
  void count(const AbstractStates& states, std::uint32_t number, std::int64_t change) {
    each_splitting(states, number, [&](std::size_t candidate) { counts_[candidate] += change; });
  }
  std::size_t choose() {
    best_.clear();
    std::int64_t most = 0;
    for (std::size_t candidate = 0; candidate < counts_.size(); ++candidate) {
      if (counts_[candidate] < most || counts_[candidate] == 0) continue;
      if (counts_[candidate] > most) best_.clear();
      most = counts_[candidate];
      best_.push_back(candidate);
    }
    return best_[random_.below(best_.size())];
  }

  support::RandomSource random_;
  std::vector<std::vector<std::int64_t>> points_;    // of each variable
  std::vector<std::size_t> first_;                   // candidate of each variable
  std::vector<std::int64_t> counts_;                 // whole states that a candidate splits
  std::vector<std::vector<std::uint32_t>> members_;  // the states that it splits
  std::vector<std::pair<std::int64_t, std::int64_t>> segments_;
  std::vector<std::size_t> best_;
};

}  // namespace assay::search::splitting
