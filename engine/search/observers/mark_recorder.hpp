/// Writes down the graph that a search walks through with its acceptance sets, so that it can be ranked.
#pragma once

#include <bit>

#include "evidence/ranked_graph.hpp"
#include "search/observer.hpp"
#include "transition_system/acceptance.hpp"

namespace assay::search {

/// For breadth-first searches: what they tell of a state stands together.
class MarkRecorder final : public Observer {
 public:
  MarkRecorder(evidence::RankedGraph& graph, const transition_system::TransitionSystem& system,
               const support::MemoryBudget& budget)
      : graph_(graph), acceptance_(system, graph.question()), budget_(budget) {
    graph_.begin(acceptance_.set_count());
  }

  bool looks_at_states() const override { return true; }
  void expanded(const ExpandedState& state) override {
    state_ = state;
    makes_progress_ = acceptance_.makes_progress(state.words);
    graph_.add_state(acceptance_.of_state(state.words), budget_);
  }
  void edge(const Edge& edge) override {
    const assay_successor& successor = (*state_.successors)[number_of(edge.position)];
    graph_.add_step(edge.target, set_of(successor), budget_);
  }

 private:
  std::uint8_t set_of(const assay_successor& successor) const {
    using Graph = evidence::RankedGraph;
    if (makes_progress_ || acceptance_.makes_progress(state_.successors->state(successor)))
      return Graph::kFree;
    const auto set = acceptance_.of_process(successor.process);
    return set == 0 ? Graph::kNoSet : static_cast<std::uint8_t>(std::countr_zero(set));
  }

  evidence::RankedGraph& graph_;
  transition_system::Acceptance acceptance_;
  const support::MemoryBudget& budget_;
  ExpandedState state_{};
  bool makes_progress_ = false;
};

}  // namespace assay::search
