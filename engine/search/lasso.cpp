#include "search/lasso.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "search/expansion.hpp"

namespace assay::search {
namespace {

using storage::KeyTable;
using storage::StateId;
using Marks = Acceptance::Marks;

constexpr std::uint32_t kAskEvery = 1024;  // states between two looks at whether to go on

struct Step {
  StateId source, target;
  Position position;
  Marks marks;
};

class Lasso {
 public:
  Lasso(const transition_system::TransitionSystem& system, storage::ExactStateStore& store,
        Acceptance& acceptance, const std::function<bool(StateId)>& is_in_component,
        const std::function<bool()>& should_stop)
      : system_(system),
        store_(store),
        acceptance_(acceptance),
        is_in_component_(is_in_component),
        should_stop_(should_stop),
        cursor_(store.make_cursor()),
        workspace_(store.make_workspace()),
        steps_to_(store.size()) {}

  Violation make() {
    Violation violation;
    violation.code = Finding::kAcceptingCycle;
    StateId here{0};
    if (!is_in_component_(here)) {
      const auto prefix =
          shortest(here, false, [&](const Step& step) { return is_in_component_(step.target); });
      if (!prefix) return {};
      here = append(*prefix, violation);
    }
    violation.loop_start = static_cast<std::uint32_t>(violation.path.size());
    const StateId begin = here;
    Marks missing = acceptance_.all();
    while (missing != 0) {
      const auto way = shortest(here, true, [&](const Step& step) { return (step.marks & missing) != 0; });
      if (!way) return {};
      for (const Step& step : *way) missing &= ~step.marks;
      here = append(*way, violation);
    }
    if (here != begin || violation.path.size() == *violation.loop_start) {
      const auto back = shortest(here, true, [&](const Step& step) { return step.target == begin; });
      if (!back) return {};
      append(*back, violation);
    }
    return violation;
  }

 private:
  /// A shortest path whose last step is wanted; with `inside`, of steps that stay in the component and are not free.
  template <class Wanted>
  std::optional<std::vector<Step>> shortest(StateId from, bool inside, Wanted&& is_wanted) {
    seen_.assign(store_.size(), false);
    std::vector<StateId> queue{from};
    seen_[number_of(from)] = true;
    for (std::size_t next = 0; next < queue.size(); ++next) {
      if (next % kAskEvery == 0 && should_stop_()) return std::nullopt;
      const StateId source = queue[next];
      store_.read(source, cursor_);
      const Marks marks = acceptance_.of_state(cursor_.view());
      const bool is_free = inside && acceptance_.makes_progress(cursor_.view());
      system_.successors(cursor_.view(), buffer_.cleared());
      for (std::uint32_t i = 0; i < buffer_.count(); ++i) {
        const assay_successor& successor = buffer_[i];
        if (successor.has_state == 0) continue;
        const StateView words = buffer_.state(successor);
        const std::optional<StateId> target = stored(words);
        if (!target) continue;
        if (inside && (is_free || !is_in_component_(*target) || acceptance_.makes_progress(words))) continue;
        const Step step{source, *target, Position{i}, marks | acceptance_.of_process(successor.process)};
        if (is_wanted(step)) return path_to(from, step);
        if (seen_[number_of(*target)]) continue;
        seen_[number_of(*target)] = true;
        steps_to_[number_of(*target)] = step;
        queue.push_back(*target);
      }
    }
    return std::nullopt;
  }

  std::optional<StateId> stored(StateView words) {
    std::uint64_t key = 0;
    // A state for which the layout has no room is none that was stored.
    if (!store_.encode<storage::Sharing::kPrivate>(cursor_, words.data(), length_of(words), workspace_,
                                                   key)) {
      return std::nullopt;
    }
    const std::uint32_t id = store_.keys().find(key);
    if (id == KeyTable::kNone) return std::nullopt;
    return StateId{id};
  }

  std::vector<Step> path_to(StateId from, const Step& last) const {
    std::vector<Step> path{last};
    while (path.back().source != from) path.push_back(steps_to_[number_of(path.back().source)]);
    std::ranges::reverse(path);
    return path;
  }

  static StateId append(const std::vector<Step>& path, Violation& violation) {
    for (const Step& step : path) violation.path.push_back(number_of(step.position));
    return path.back().target;
  }

  const transition_system::TransitionSystem& system_;
  storage::ExactStateStore& store_;
  Acceptance& acceptance_;
  const std::function<bool(StateId)>& is_in_component_;
  const std::function<bool()>& should_stop_;
  storage::ExactStateStore::Cursor cursor_;
  storage::ExactStateStore::Workspace workspace_;
  transition_system::SuccessorBuffer buffer_;
  std::vector<bool> seen_;
  std::vector<Step> steps_to_;  // of states that were seen: the step by which
};

}  // namespace

Violation make_lasso(const transition_system::TransitionSystem& system, storage::ExactStateStore& store,
                     Acceptance& acceptance, const std::function<bool(StateId)>& is_in_component,
                     const std::function<bool()>& should_stop) {
  return Lasso(system, store, acceptance, is_in_component, should_stop).make();
}

}  // namespace assay::search
