/// Writes down the graph that a search walks through, for a certificate.
#pragma once

#include <vector>

#include "evidence/graph_log.hpp"
#include "search/observer.hpp"

namespace assay::search {

class GraphRecorder final : public Observer {
 public:
  explicit GraphRecorder(evidence::GraphLog& log) : log_(log) {}

  void begins(TraversalOrder order) override {
    is_depth_first_ = order == TraversalOrder::kDepthFirst;
    log_.begin(is_depth_first_ ? evidence::GraphLog::Order::kDepthFirst
                               : evidence::GraphLog::Order::kBreadthFirst);
  }
  void level(std::uint64_t first_state) override { log_.begin_level(first_state); }
  void expanded(const ExpandedState& state) override {
    if (!is_depth_first_) {
      log_.begin_state(state.degree);
      return;
    }
    // Where its steps lead becomes known bit by bit, while other states are looked at.
    places_.push_back(log_.begin_state(state.steps));
    for (std::uint32_t i = 0; i < state.steps; ++i) log_.add(evidence::GraphLog::kUnknown);
  }
  void edge(const Edge& edge) override {
    const std::uint32_t target = edge.is_new ? evidence::GraphLog::tree_word(edge.move) : edge.target;
    if (is_depth_first_) {
      log_.set(places_.back() + number_of(edge.position), target);
    } else {
      log_.add(target);
    }
  }
  void left() override { places_.pop_back(); }
  void ends(Result& result) override {
    if (result.complete) log_.finish();
  }

 private:
  evidence::GraphLog& log_;
  bool is_depth_first_ = false;
  std::vector<std::uint64_t> places_;  // for each state on the path: where the log has its steps
};

}  // namespace assay::search
