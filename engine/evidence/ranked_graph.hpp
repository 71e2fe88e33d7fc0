/// Ranks: why no cycle of a graph meets every acceptance set.
#pragma once

#include <cstdint>
#include <vector>

#include "support/memory.hpp"
#include "transition_system/acceptance.hpp"

namespace assay::evidence {

/// Ranks are below this, so that a sum of two is no surprise to anybody.
inline constexpr std::uint64_t kRankEnd = std::uint64_t{1} << 31;

/// The graph of a product in memory, with the acceptance sets that its steps are
/// in, and a rank for each of its states. With k sets and i = rank(p) mod k, a
/// step e from p to q satisfies
///
///     rank(q) <= rank(p) - (1 if e is in set i, else 0)
///
/// unless it is free. On a cycle without free steps ranks stay the same, so i
/// does, and no step is in set i (docs/formats/certificate.md). Where no set is
/// given there is one that holds every step.
class RankedGraph {
 public:
  using Marks = std::uint64_t;
  static constexpr std::uint8_t kNoSet = 0xFF;
  static constexpr std::uint8_t kFree = 0xFE;

  /// What makes a cycle of the graph one that counts.
  explicit RankedGraph(const transition_system::CycleQuestion& question) : question_(question) {}
  const transition_system::CycleQuestion& question() const { return question_; }

  /// States come in the order of their numbers, each followed by its steps.
  void begin(std::uint32_t sets) { sets_ = sets; }
  /// `marks`: the sets that all steps of the state are in.
  void add_state(Marks marks, const support::MemoryBudget& budget) {
    support::push(marks_, marks, budget);
    support::push(first_step_, targets_.size(), budget);
  }
  /// `set`: one more that this step is in, or kNoSet, or kFree.
  void add_step(std::uint32_t target, std::uint8_t set, const support::MemoryBudget& budget) {
    support::push(targets_, target, budget);
    support::push(step_sets_, set, budget);
  }

  /// Gives each state a rank, the initial one the least it can have, and then
  /// each component the highest that its predecessors allow (`highest`), or the least: one pass over the
  /// strongly connected components for each. Throws std::runtime_error with a sentence if a cycle meets every
  /// set or ranks become too large.
  void assign(bool highest = true);

  std::uint64_t states() const { return marks_.size(); }
  std::uint32_t rank(std::uint64_t state) const { return ranks_[state]; }
  /// Of where the step at that position leads.
  std::uint32_t rank_after(std::uint64_t state, std::uint32_t position) const {
    return ranks_[targets_[first_step_[state] + position]];
  }
  /// What stands beside the step at that position: by how much more the rank falls than it must, or for
  /// a free step the difference, folded.
  std::uint64_t number_beside(std::uint64_t state, std::uint32_t position) const;

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;

  std::uint64_t end_of(std::uint64_t state) const {
    return state + 1 < first_step_.size() ? first_step_[state + 1] : targets_.size();
  }
  std::uint32_t set_count() const { return sets_ == 0 ? 1 : sets_; }
  Marks of_step(std::uint64_t state, std::uint64_t step) const {
    if (sets_ == 0) return 1;
    const std::uint8_t set = step_sets_[step];
    return set >= kFree ? marks_[state] : marks_[state] | Marks{1} << set;
  }
  /// Fills `order_` with all states, components one after another, those that nothing is after first.
  void find_components();
  std::vector<std::uint32_t> least_ranks() const;

  const transition_system::CycleQuestion question_;
  std::uint32_t sets_ = 0;
  std::vector<Marks> marks_;
  std::vector<std::uint64_t> first_step_;
  std::vector<std::uint32_t> targets_;
  std::vector<std::uint8_t> step_sets_;
  std::vector<std::uint32_t> order_, component_;  // states by components; of each state its component
  std::vector<std::uint64_t> component_end_;      // in `order_`
  std::vector<Marks> missed_;                     // by each component: sets that no step inside of it is in
  std::vector<std::uint32_t> ranks_;
};

}  // namespace assay::evidence
