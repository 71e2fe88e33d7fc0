#include "transition_system/explicit_graph.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace assay::transition_system {
namespace {

std::string bytes_of(StateView state) {
  return std::string(reinterpret_cast<const char*>(state.data()), state.size_bytes());
}

}  // namespace

ExplicitGraph::ExplicitGraph(std::vector<std::vector<std::uint64_t>> states,
                             std::vector<std::vector<Edge>> edges, std::vector<bool> valid_ends,
                             std::vector<std::uint32_t> state_violations, std::vector<std::uint64_t> labels,
                             std::vector<std::uint64_t> acceptance, std::uint32_t acceptance_count)
    : states_(std::move(states)),
      edges_(std::move(edges)),
      valid_ends_(std::move(valid_ends)),
      state_violations_(std::move(state_violations)),
      labels_(std::move(labels)),
      acceptance_(std::move(acceptance)),
      acceptance_count_(acceptance_count) {
  if (states_.empty()) throw std::invalid_argument("a graph needs at least its initial node");
  if (edges_.size() != states_.size() || valid_ends_.size() != states_.size() ||
      state_violations_.size() != states_.size() || (!labels_.empty() && labels_.size() != states_.size()) ||
      (!acceptance_.empty() && acceptance_.size() != states_.size())) {
    throw std::invalid_argument(
        "states, edges, valid_ends, state_violations, labels and acceptance must have the same length");
  }
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const auto count = static_cast<std::uint32_t>(states_[i].size());
    max_words_ = std::max(max_words_, count);
    if (!nodes_.emplace(bytes_of(states_[i]), i).second) {
      throw std::invalid_argument("node " + std::to_string(i) + " has the state of an earlier node");
    }
    for (const Edge& edge : edges_[i]) {
      if (edge.target < -1 || edge.target >= static_cast<std::int64_t>(states_.size())) {
        throw std::invalid_argument("node " + std::to_string(i) +
                                    " has an edge to a node that does not exist");
      }
      if (edge.target == -1 && edge.violation == 0) {
        throw std::invalid_argument("node " + std::to_string(i) +
                                    " has an edge without target and violation");
      }
    }
  }
}

std::size_t ExplicitGraph::node(StateView state) const {
  const auto found = nodes_.find(bytes_of(state));
  if (found == nodes_.end()) throw std::invalid_argument("the graph has no node with this state");
  return found->second;
}

std::uint32_t ExplicitGraph::initial(std::uint64_t* words, std::uint32_t* violation) const {
  *violation = 0;
  std::copy(states_[0].begin(), states_[0].end(), words);
  return static_cast<std::uint32_t>(states_[0].size());
}

void ExplicitGraph::successors(StateView state, assay_buffer* out) const {
  for (const Edge& edge : edges_[node(state)]) {
    const bool has_state = edge.target >= 0;
    const auto length = has_state ? static_cast<std::uint32_t>(states_[edge.target].size()) : 0;
    if (out->words_used + length > out->words_capacity || out->count == out->capacity)
      out->grow(out, length, 1);
    if (has_state)
      std::copy(states_[edge.target].begin(), states_[edge.target].end(), out->words + out->words_used);
    out->successors[out->count++] = {out->words_used, length, edge.violation, has_state, edge.process};
    out->words_used += length;
  }
}

}  // namespace assay::transition_system
