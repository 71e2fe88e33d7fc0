#include "evidence/ranked_graph.hpp"

#include <algorithm>
#include <stdexcept>

#include "evidence/coding.hpp"

namespace assay::evidence {
namespace {

bool has(std::uint64_t marks, std::uint64_t set) { return (marks >> set & 1) != 0; }

}  // namespace

// Tarjan's algorithm without recursion: a component is finished after those that it leads to.
void RankedGraph::find_components() {
  struct Open {
    std::uint32_t state;
    std::uint32_t number;  // in the order of entering
    std::uint64_t next_step;
  };
  const std::uint64_t states = marks_.size();
  component_.assign(states, kNone);
  std::vector<std::uint32_t> low(states, 0);  // 0: not entered yet
  std::vector<std::uint32_t> waiting;
  std::vector<Open> path;
  std::uint32_t entered = 0;
  for (std::uint64_t root = 0; root < states; ++root) {
    if (low[root] != 0) continue;
    const auto enter = [&](std::uint32_t state) {
      low[state] = ++entered;
      waiting.push_back(state);
      path.push_back({state, entered, first_step_[state]});
    };
    enter(static_cast<std::uint32_t>(root));
    while (!path.empty()) {
      Open& open = path.back();
      if (open.next_step < end_of(open.state)) {
        const std::uint64_t step = open.next_step++;
        if (step_sets_[step] == kFree) continue;
        const std::uint32_t target = targets_[step];
        if (low[target] == 0) {
          enter(target);
        } else if (component_[target] == kNone) {
          low[open.state] = std::min(low[open.state], low[target]);
        }
        continue;
      }
      const std::uint32_t state = open.state, number = open.number;
      path.pop_back();
      if (!path.empty()) low[path.back().state] = std::min(low[path.back().state], low[state]);
      if (low[state] != number) continue;
      const auto component = static_cast<std::uint32_t>(component_end_.size());
      std::uint32_t member = kNone;
      do {
        member = waiting.back();
        waiting.pop_back();
        component_[member] = component;
        order_.push_back(member);
      } while (member != state);
      component_end_.push_back(order_.size());
    }
  }
}

std::vector<std::uint32_t> RankedGraph::least_ranks() const {
  const std::uint64_t sets = set_count();
  std::vector<std::uint32_t> least(marks_.size(), 0);
  std::uint64_t begin = 0;
  for (std::uint32_t component = 0; component < component_end_.size(); ++component) {
    const std::uint64_t end = component_end_[component];
    std::uint64_t base = 0;  // the highest rank that a step out of the component leads to, ...
    Marks met_there = 0;     // ... and the sets that such steps are in
    for (std::uint64_t i = begin; i < end; ++i) {
      const std::uint32_t state = order_[i];
      for (std::uint64_t step = first_step_[state]; step < end_of(state); ++step) {
        const std::uint32_t target = targets_[step];
        if (step_sets_[step] == kFree || component_[target] == component) continue;
        if (least[target] > base) {
          base = least[target];
          met_there = 0;
        }
        if (least[target] == base) met_there |= of_step(state, step);
      }
    }
    std::uint64_t rank = base;
    if (has(met_there, rank % sets)) ++rank;
    while (!has(missed_[component], rank % sets)) ++rank;
    if (rank >= kRankEnd)
      throw std::runtime_error("the ranks of this graph are more than a certificate holds");
    for (; begin < end; ++begin) least[order_[begin]] = static_cast<std::uint32_t>(rank);
  }
  return least;
}

void RankedGraph::assign(bool highest) {
  const std::uint64_t states = marks_.size(), sets = set_count();
  find_components();
  missed_.assign(component_end_.size(), sets >= 64 ? ~Marks{0} : (Marks{1} << sets) - 1);
  for (std::uint64_t state = 0; state < states; ++state) {
    for (std::uint64_t step = first_step_[state]; step < end_of(state); ++step) {
      if (step_sets_[step] != kFree && component_[targets_[step]] == component_[state])
        missed_[component_[state]] &= ~of_step(state, step);
    }
  }
  if (std::ranges::count(missed_, Marks{0}) != 0) {
    throw std::runtime_error("some cycle of this graph meets every acceptance set");
  }
  ranks_ = least_ranks();
  if (!highest) return;

  // Whoever is above its least rank may have any rank down to there as far as its own steps are concerned;
  // so what the predecessors leave is never too little.
  std::vector<std::uint32_t> bound(component_end_.size(), kNone);
  for (std::uint64_t component = component_end_.size(); component-- > 0;) {
    const std::uint64_t begin = component == 0 ? 0 : component_end_[component - 1];
    const std::uint32_t least = ranks_[order_[begin]];
    std::uint64_t rank = bound[component] == kNone ? least : bound[component];
    while (rank > least && !has(missed_[component], rank % sets)) --rank;
    for (std::uint64_t i = begin; i < component_end_[component]; ++i) {
      const std::uint32_t state = order_[i];
      ranks_[state] = static_cast<std::uint32_t>(rank);
      for (std::uint64_t step = first_step_[state]; step < end_of(state); ++step) {
        const std::uint32_t after = component_[targets_[step]];
        if (step_sets_[step] == kFree || after == component) continue;
        const std::uint64_t left = rank - (has(of_step(state, step), rank % sets) ? 1 : 0);
        bound[after] = std::min(bound[after], static_cast<std::uint32_t>(left));
      }
    }
  }
}

std::uint64_t RankedGraph::number_beside(std::uint64_t state, std::uint32_t position) const {
  const std::uint64_t step = first_step_[state] + position;
  const std::int64_t rank = ranks_[state], reached = ranks_[targets_[step]];
  if (step_sets_[step] == kFree) return folded(rank - reached);
  const bool is_met = has(of_step(state, step), static_cast<std::uint64_t>(rank) % set_count());
  return static_cast<std::uint64_t>(rank - (is_met ? 1 : 0) - reached);
}

}  // namespace assay::evidence
