#include "search/spilling/cycle_hull.hpp"

#include <algorithm>
#include <new>

namespace assay::search::spilling {
namespace {

/// Whether a step counts and stays inside of a set.
bool counts(const CycleStep& step, const StateBits& inside) { return !step.is_free && inside[step.target]; }

std::uint32_t first_in(const StateBits& bits) { return static_cast<std::uint32_t>(bits.first()); }

}  // namespace

Acceptance::Marks common_to(std::span<const CycleStep> steps) {
  Acceptance::Marks common = ~Acceptance::Marks{0};
  for (const CycleStep& step : steps) common &= step.is_free ? ~Acceptance::Marks{0} : step.marks;
  return common;
}

bool spread(const CycleSteps& steps, const StateBits& inside, Acceptance::Marks set, StateBits& reached) {
  bool is_any_new = false;
  for (bool is_larger = true; is_larger;) {
    is_larger = false;
    steps.each([&](std::uint32_t state, std::span<const CycleStep> of_state) {
      if (!inside[state]) return;
      for (const CycleStep& step : of_state) {
        if (!counts(step, inside) || reached[step.target]) continue;
        if (!reached[state] && set != 0 && (step.marks & set) == 0) continue;
        reached.set(step.target);
        is_any_new = true;
        // What comes later in the file hears of it in the same pass.
        is_larger = is_larger || step.target <= state;
      }
    });
  }
  return is_any_new;
}

bool eliminate(const CycleSteps& steps, std::uint64_t begin, std::uint64_t end, const StateBits& elsewhere,
               StateBits& inside) {
  constexpr std::uint8_t kMany = 255;  // nobody counts any more
  std::vector<std::uint8_t> arrivals(end - begin);
  const auto here = [&](const CycleStep& step) {
    return !step.is_free && step.target >= begin && step.target < end;
  };
  steps.each([&](std::uint32_t state, std::span<const CycleStep> of_state) {
    if (!inside[state]) return;
    for (const CycleStep& step : of_state) {
      if (here(step) && arrivals[step.target - begin] != kMany) ++arrivals[step.target - begin];
    }
  });
  bool is_any_gone = false;
  for (bool is_more = true; is_more;) {
    is_more = false;
    steps.each([&](std::uint32_t state, std::span<const CycleStep> of_state) {
      if (!inside[state] || arrivals[state - begin] != 0 || elsewhere[state]) return;
      inside.clear(state);
      is_any_gone = true;
      for (const CycleStep& step : of_state) {
        if (!here(step) || arrivals[step.target - begin] == kMany) continue;
        // What comes later in the file hears of it in the same pass.
        if (--arrivals[step.target - begin] == 0) is_more = is_more || step.target <= state;
      }
    });
  }
  return is_any_gone;
}

bool CycleHull::find(Violation& lasso) {
  shrink_to_hull();
  return find_in(std::move(inside_), lasso);
}

bool CycleHull::find_in(StateBits hull, Violation& lasso) {
  inside_ = std::move(hull);
  if (inside_.first() == states_) return false;
  shrink_to_first_component();
  lasso.code = Finding::kAcceptingCycle;
  // States are numbered in the order of their discovery: no state of the component has a shorter way to it.
  const std::uint32_t begin = first_in(inside_);
  go_to(begin, lasso);
  lasso.loop_start = static_cast<std::uint32_t>(lasso.path.size());
  Marks missing = all_;
  std::uint32_t here = begin;
  while (missing != 0) {
    const Marks wanted = missing;
    here = go_on(here, lasso, missing, [&](const CycleStep& step) { return (step.marks & wanted) != 0; });
  }
  if (here != begin || lasso.path.size() == *lasso.loop_start) {
    go_on(here, lasso, missing, [&](const CycleStep& step) { return step.target == begin; });
  }
  return true;
}

StateBits CycleHull::bits(bool value) const {
  require_(states_ / 8);
  return StateBits(states_, value);
}

// --- the hull, and a component of it ---

void CycleHull::shrink_to_hull() {
  inside_ = bits(true);
  Marks of_all_steps = all_;
  steps_.each([&](std::uint32_t, std::span<const CycleStep> steps) { of_all_steps &= common_to(steps); });
  // What is reached from a step of some set has a predecessor: sets that have all steps ask for no more.
  const Marks asked = all_ & ~of_all_steps;
  for (bool is_smaller = true; is_smaller;) {
    is_smaller = shrink_by_elimination();
    if (asked == 0) is_smaller = shrink_to_what_is_reached_from(0) || is_smaller;
    for (Marks left = asked; left != 0; left &= left - 1) {
      is_smaller = shrink_to_what_is_reached_from(left & -left) || is_smaller;
    }
  }
}

bool CycleHull::shrink_by_elimination() {
  try {
    require_(states_);
  } catch (const std::bad_alloc&) {
    return false;  // the same comes out, later
  }
  return eliminate(steps_, 0, states_, bits(false), inside_);
}

/// By a step of the set, and then any; all of them inside. 0 is the set of all steps. True: something is gone.
bool CycleHull::shrink_to_what_is_reached_from(Marks set) {
  StateBits reached = bits(false);
  spread(steps_, inside_, set, reached);
  const bool is_smaller = reached != inside_;
  std::swap(inside_, reached);
  return is_smaller;
}

/// Leaves one component of the hull that no other one leads to. Whatever reaches its states inside of the
/// hull is in it, so it has a step of each set.
void CycleHull::shrink_to_first_component() {
  std::uint32_t state = first_in(inside_);
  while (true) {
    StateBits before = leading_to(state);
    const StateBits both = reached_from(state, before);
    std::uint64_t outside = 0;
    while (outside < states_ && (!before[outside] || both[outside])) ++outside;
    std::swap(inside_, before);
    if (outside == states_) return;
    state = static_cast<std::uint32_t>(outside);  // leads there, and nothing leads back
  }
}

StateBits CycleHull::leading_to(std::uint32_t state) {
  StateBits found = bits(false);
  found.set(state);
  for (bool is_larger = true; is_larger;) {
    is_larger = false;
    steps_.each_from_the_last_level([&](std::uint32_t source, std::span<const CycleStep> steps) {
      if (!inside_[source] || found[source]) return;
      const bool leads =
          std::ranges::any_of(steps, [&](const CycleStep& step) { return counts(step, found); });
      if (!leads) return;
      found.set(source);
      is_larger = true;
    });
  }
  return found;
}

StateBits CycleHull::reached_from(std::uint32_t state, const StateBits& within) {
  StateBits found = bits(false);
  found.set(state);
  for (bool is_larger = true; is_larger;) {
    is_larger = false;
    steps_.each([&](std::uint32_t source, std::span<const CycleStep> steps) {
      if (!found[source]) return;
      for (const CycleStep& step : steps) {
        if (!counts(step, within) || found[step.target]) continue;
        found.set(step.target);
        is_larger = is_larger || step.target <= source;
      }
    });
  }
  return found;
}

// --- the run ---

/// From the initial state, by the steps that discovered the states on the way.
void CycleHull::go_to(std::uint32_t state, Violation& lasso) {
  std::size_t level = steps_.levels() - 1;
  while (steps_.first_of(level) > state) --level;
  for (; level > 0; --level) {
    const std::uint32_t target = state;
    bool is_found = false;
    steps_.each_in_level(level - 1, [&](std::uint32_t source, std::span<const CycleStep> steps) {
      for (const CycleStep& step : steps) {
        if (is_found || step.target != target) continue;
        is_found = true;
        state = source;
        lasso.path.push_back(step.position);
      }
    });
  }
  std::ranges::reverse(lasso.path);
}

template <class Wanted>
std::uint32_t CycleHull::go_on(std::uint32_t from, Violation& lasso, Marks& missing, Wanted is_wanted) {
  require_(states_ * sizeof(Arrival));
  std::vector<Arrival> arrivals(states_);
  StateBits seen = bits(false), here = bits(false);
  seen.set(from);
  here.set(from);
  std::optional<CycleStep> last;
  std::uint32_t source_of_last = 0;
  while (!last) {
    StateBits next = bits(false);
    steps_.each([&](std::uint32_t source, std::span<const CycleStep> steps) {
      if (last || !here[source]) return;
      for (const CycleStep& step : steps) {
        if (last || !counts(step, inside_)) continue;
        if (is_wanted(step)) {
          last = step;
          source_of_last = source;
        } else if (!seen[step.target]) {
          seen.set(step.target);
          next.set(step.target);
          arrivals[step.target] = {source, step.position};
        }
      }
    });
    std::swap(here, next);
  }
  std::vector<Arrival> path{{source_of_last, last->position}};
  while (path.back().source != from) path.push_back(arrivals[path.back().source]);
  std::ranges::reverse(path);
  for (const Arrival& step : path) lasso.path.push_back(step.position);
  steps_.each([&](std::uint32_t source, std::span<const CycleStep> steps) {
    for (const Arrival& on_path : path) {
      if (on_path.source != source) continue;
      for (const CycleStep& step : steps) {
        if (step.position == on_path.position) missing &= ~step.marks;
      }
    }
  });
  return last->target;
}

}  // namespace assay::search::spilling
