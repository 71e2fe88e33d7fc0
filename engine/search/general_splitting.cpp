// GeneralSplitting (Kudra 2007, Algorithm 3) over breadth-first search with abstract matching (Algorithm 4).
//
// Concrete states are explored, abstract ones matched. When nothing new is found, every abstract state that more than one concrete
// state was matched with is split by new predicates, and what was matched is looked at again: steps into states that were
// not split lead where they led before, so a refinement costs what it changes. (The thesis begins each time from nothing.) Every
// counterexample is real; when nothing is merged any more, every reachable state was seen (Theorem 2).
#include "search/expansion.hpp"
#include "search/level_search.hpp"
#include "search/splitting/abstract_states.hpp"
#include "search/splitting/max_overlap.hpp"
#include "search/splitting/min_only.hpp"
#include "search/splitting/min_set.hpp"
#include "search/strategy.hpp"
#include "storage/parent_log.hpp"

namespace assay::search {
namespace {

using splitting::AbstractStates;
using splitting::MergedStep;

template <class Refinement>
class GeneralSplitting {
 public:
  GeneralSplitting(const Task& task, Result& result)
      : task_(task),
        result_(result),
        initial_(task.system),
        overflow_(static_cast<std::uint32_t>(task.options.number("overflow_code", 0))),
        states_(task.system, task.options.number("control_words", 0), initial_.length, task.budget),
        parents_(task.budget),
        search_(task),
        expansion_(task.system, task.options),
        refinement_(task.options.seed) {}

  void run() {
    try {
      states_.meet(initial_.view(), {});
      depths_.push_back(0);
      search_.begin(initial_);
      for (explore(); !is_over(); explore()) {
        if (!refine()) break;
      }
    } catch (const std::bad_alloc&) {
      search_.out_of_memory = true;
    }
    report();
  }

 private:
  bool is_over() const { return search_.ends_with_level() || task_.control.should_stop(); }

  /// Algorithm 4, from where it stands.
  void explore() {
    while (next_ < states_.size() && !is_over()) {
      const std::uint32_t number = next_++;
      const std::uint32_t depth = depths_[number];
      result_.depth = std::max<std::uint64_t>(result_.depth, depth);
      const std::uint64_t limit = task_.options.depth_limit;
      const Expansion::End end = expansion_(
          states_.state(number), limit != 0 && depth >= limit,
          [&](std::uint32_t code, Position position) { found(code, number, position, depth); },
          [&](Position position, StateView next) {
            ++transitions_;
            return reach(next, {number, number_of(position)});
          });
      search_.cut = search_.cut || end == Expansion::End::kCut;
      if (end == Expansion::End::kNoRoom) --next_;  // its other steps are still to be taken
      if ((number & 63u) == 0) tell();
    }
  }

  void found(std::uint32_t code, std::uint32_t number, Position position, std::uint32_t depth) {
    if (code == overflow_ && overflow_ != 0) {  // a number that the engine has no room for
      search_.cut = true;
      return;
    }
    if (!task_.options.stop_at_first_violation) {  // how far it was when it met each first
      auto& told = result_.observations;
      told.try_emplace("predicates at " + std::to_string(code), states_.thresholds().count());
      told.try_emplace("rounds at " + std::to_string(code), rounds_);
    }
    const Finding finding{code, number, position, depth};
    search_.note({&finding, 1}, depth);
  }

  bool reach(StateView state, MergedStep step) {
    const std::uint64_t limit = task_.options.state_limit;
    if (limit != 0 && states_.size() >= limit) {
      task_.control.stop(StopReason::kStates);
      return false;
    }
    if (states_.meet(state, step)) {
      parents_.push(step.from, step.position);
      depths_.push_back(depths_[step.from] + 1);
    }
    return true;
  }

  /// Algorithm 3, lines 5 to 9. False: nothing is merged.
  bool refine() {
    eligible_.clear();
    for (std::uint32_t number = 0; number < states_.size(); ++number) {
      if (states_.is_eligible(number)) eligible_.push_back(number);
    }
    task_.control.eligible.store(eligible_.size(), std::memory_order_relaxed);
    if (eligible_.empty()) return false;
    ++rounds_;
    refinement_.refine(states_, eligible_);
    is_whole_ = false;  // until every step that was merged has been looked at again
    const std::vector<MergedStep> steps = states_.split();
    for (std::size_t i = 0; i < steps.size() && !task_.control.should_stop();) {
      const std::uint32_t from = steps[i].from;
      expansion_.again(states_.state(from), [&](Position position, StateView next) {
        if (i == steps.size() || steps[i].from != from) return false;
        if (steps[i].position != number_of(position)) return true;
        return reach(next, steps[i++]);
      });
      if (task_.control.should_stop()) break;
      if (i < steps.size() && steps[i].from == from) throw std::logic_error("a step is no longer there");
      if ((i & 63u) == 0) tell();
    }
    is_whole_ = !task_.control.should_stop();
    tell();
    return true;
  }

  void tell() {
    task_.control.report(states_.size(), transitions_, result_.depth, states_.size() - next_);
    task_.control.rounds.store(rounds_, std::memory_order_relaxed);
    task_.control.predicates.store(states_.thresholds().count(), std::memory_order_relaxed);
  }

  void report() {
    const bool is_one_to_one = is_whole_ && next_ == states_.size() && states_.merged_steps() == 0;
    result_.guarantee = is_one_to_one ? Guarantee::kExact : Guarantee::kUnderApproximates;
    result_.states = states_.size();
    result_.transitions = transitions_;
    result_.frontier = states_.size() - next_;
    result_.table_bytes = states_.bytes() + parents_.bytes();
    std::uint64_t merged = 0;
    for (std::uint32_t number = 0; number < states_.size(); ++number) merged += states_.is_eligible(number);
    auto& told = result_.observations;
    told["rounds"] = rounds_;
    told["predicates"] = states_.thresholds().count();
    told["eligible"] = merged;
    constexpr std::uint64_t kMostTold = 1000;
    std::uint64_t listed = 0;
    for (std::size_t variable = 0; variable < states_.variables(); ++variable) {
      for (const std::int64_t number : states_.thresholds().of(variable)) {
        if (listed++ < kMostTold) told["> " + std::to_string(variable) + " " + std::to_string(number)] = 1;
      }
    }
    for (const Finding& finding : search_.end(is_one_to_one, result_)) {
      Violation violation{finding.code, parents_.path_to(finding.state)};
      if (finding.position != Finding::kAtState) violation.path.push_back(number_of(finding.position));
      result_.violations.push_back(std::move(violation));
    }
  }

  const Task& task_;
  Result& result_;
  const InitialState initial_;
  const std::uint32_t overflow_;
  AbstractStates states_;
  storage::ParentLog parents_;
  LevelSearch search_;
  Expansion expansion_;
  Refinement refinement_;
  std::vector<std::uint32_t> depths_, eligible_;
  std::uint32_t next_ = 0;  // the first state that was not expanded
  std::uint64_t transitions_ = 0, rounds_ = 0;
  bool is_whole_ = true;  // no merged step was forgotten
};

template <class Refinement>
void run(const Task& task, Result& result) {
  GeneralSplitting<Refinement>(task, result).run();
}

template <class Refinement>
Strategy strategy(const char* name) {
  return {.name = name,
          .storage = "exact",
          .run = run<Refinement>,
          .options = {"control_words", "overflow_code"}};
}

const Registered max_overlap(strategy<splitting::MaxOverlap>("max-overlap"));
const Registered min_set(strategy<splitting::MinSet>("min-set"));
const Registered min_only(strategy<splitting::MinOnly>("min-only"));

}  // namespace
}  // namespace assay::search
