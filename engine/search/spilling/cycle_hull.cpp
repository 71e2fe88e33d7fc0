#include "search/spilling/cycle_hull.hpp"

#include <algorithm>

namespace assay::search::spilling {
namespace {

constexpr std::uint32_t kAskEvery = 4096;  // states between two looks at whether to go on
constexpr std::size_t kReadAtOnce = std::size_t{1} << 18;

std::uint32_t first_in(const std::vector<bool>& bits) {
  return static_cast<std::uint32_t>(std::ranges::find(bits, true) - bits.begin());
}

}  // namespace

void CycleHull::begin_state(Marks marks, std::uint32_t steps) {
  file_.append(&steps, sizeof steps);
  file_.append(&marks, sizeof marks);
  ++states_;
}

void CycleHull::add_step(std::uint32_t target, Position position, Marks marks, bool is_free) {
  const std::uint32_t number = number_of(position);
  const std::uint8_t free = is_free ? 1 : 0;
  file_.append(&target, sizeof target);
  file_.append(&number, sizeof number);
  file_.append(&marks, sizeof marks);
  file_.append(&free, sizeof free);
}

bool CycleHull::find(Violation& lasso) {
  file_.flush();
  if (!shrink_to_hull()) return false;
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
    here = go_on(here, lasso, missing, [&](const Step& step) { return (step.marks & wanted) != 0; });
  }
  if (here != begin || lasso.path.size() == *lasso.loop_start) {
    go_on(here, lasso, missing, [&](const Step& step) { return step.target == begin; });
  }
  return true;
}

CycleHull::Bits CycleHull::bits(bool value) {
  task_.budget.require(states_ / 8);
  return Bits(states_, value);
}

// --- reading ---

template <class Take>
void CycleHull::each_in_level(std::size_t level, Take take) {
  const std::uint64_t end = level + 1 < levels_.size() ? levels_[level + 1].first_state : states_;
  support::ScratchFile::Reader reader(file_, kReadAtOnce, levels_[level].offset);
  for (std::uint64_t state = levels_[level].first_state; state < end; ++state) {
    if (state % kAskEvery == 0 && task_.control.should_stop()) throw Stopped();
    steps_.resize(reader.next<std::uint32_t>());
    const auto shared = reader.next<Marks>();
    for (Step& step : steps_) {
      step.target = reader.next<std::uint32_t>();
      step.position = reader.next<std::uint32_t>();
      step.marks = reader.next<Marks>() | shared;
      step.is_free = reader.next<std::uint8_t>() != 0;
    }
    take(static_cast<std::uint32_t>(state));
  }
}

template <class Take>
void CycleHull::each(Take take) {
  for (std::size_t level = 0; level < levels_.size(); ++level) each_in_level(level, take);
}

template <class Take>
void CycleHull::each_from_the_last_level(Take take) {
  for (std::size_t level = levels_.size(); level-- > 0;) each_in_level(level, take);
}

// --- the hull, and a component of it ---

bool CycleHull::shrink_to_hull() {
  inside_ = bits(true);
  for (bool is_smaller = true; is_smaller;) {
    is_smaller = false;
    // Without any set every cycle counts, as if one set had all steps.
    if (all_ == 0) is_smaller = shrink_to_what_is_reached_from(0);
    for (Marks left = all_; left != 0; left &= left - 1) {
      is_smaller = shrink_to_what_is_reached_from(left & -left) || is_smaller;
    }
  }
  return std::ranges::count(inside_, true) != 0;
}

/// By a step of the set, and then any; all of them inside. 0 is the set of all steps. True: something is gone.
bool CycleHull::shrink_to_what_is_reached_from(Marks set) {
  Bits reached = bits(false);
  for (bool is_larger = true; is_larger;) {
    is_larger = false;
    each([&](std::uint32_t state) {
      if (!inside_[state]) return;
      for (const Step& step : steps_) {
        if (!counts(step, inside_) || reached[step.target]) continue;
        if (!reached[state] && set != 0 && (step.marks & set) == 0) continue;
        reached[step.target] = true;
        // What comes later in the file hears of it in the same pass.
        is_larger = is_larger || step.target <= state;
      }
    });
  }
  const bool is_smaller = reached != inside_;
  inside_.swap(reached);
  return is_smaller;
}

/// Leaves one component of the hull that no other one leads to. Whatever reaches its states inside of the
/// hull is in it, so it has a step of each set.
void CycleHull::shrink_to_first_component() {
  std::uint32_t state = first_in(inside_);
  while (true) {
    Bits before = leading_to(state);
    const Bits both = reached_from(state, before);
    std::uint64_t outside = 0;
    while (outside < states_ && (!before[outside] || both[outside])) ++outside;
    inside_.swap(before);
    if (outside == states_) return;
    state = static_cast<std::uint32_t>(outside);  // leads there, and nothing leads back
  }
}

CycleHull::Bits CycleHull::leading_to(std::uint32_t state) {
  Bits found = bits(false);
  found[state] = true;
  for (bool is_larger = true; is_larger;) {
    is_larger = false;
    each_from_the_last_level([&](std::uint32_t source) {
      if (!inside_[source] || found[source]) return;
      const bool leads =
          std::ranges::any_of(steps_, [&](const Step& step) { return !step.is_free && found[step.target]; });
      if (!leads) return;
      found[source] = true;
      is_larger = true;
    });
  }
  return found;
}

CycleHull::Bits CycleHull::reached_from(std::uint32_t state, const Bits& within) {
  Bits found = bits(false);
  found[state] = true;
  for (bool is_larger = true; is_larger;) {
    is_larger = false;
    each([&](std::uint32_t source) {
      if (!found[source]) return;
      for (const Step& step : steps_) {
        if (!counts(step, within) || found[step.target]) continue;
        found[step.target] = true;
        is_larger = is_larger || step.target <= source;
      }
    });
  }
  return found;
}

// --- the run ---

/// From the initial state, by the steps that discovered the states on the way.
void CycleHull::go_to(std::uint32_t state, Violation& lasso) {
  std::size_t level = levels_.size() - 1;
  while (levels_[level].first_state > state) --level;
  for (; level > 0; --level) {
    std::uint32_t target = state;
    bool is_found = false;
    each_in_level(level - 1, [&](std::uint32_t source) {
      for (const Step& step : steps_) {
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
  task_.budget.require(states_ * sizeof(Arrival));
  std::vector<Arrival> arrivals(states_);
  Bits seen = bits(false), here = bits(false);
  seen[from] = here[from] = true;
  std::optional<Step> last;
  std::uint32_t source_of_last = 0;
  while (!last) {
    Bits next = bits(false);
    each([&](std::uint32_t source) {
      if (last || !here[source]) return;
      for (const Step& step : steps_) {
        if (last || !counts(step, inside_)) continue;
        if (is_wanted(step)) {
          last = step;
          source_of_last = source;
        } else if (!seen[step.target]) {
          seen[step.target] = next[step.target] = true;
          arrivals[step.target] = {source, step.position};
        }
      }
    });
    here.swap(next);
  }
  std::vector<Arrival> path{{source_of_last, last->position}};
  while (path.back().source != from) path.push_back(arrivals[path.back().source]);
  std::ranges::reverse(path);
  for (const Arrival& step : path) lasso.path.push_back(step.position);
  each([&](std::uint32_t source) {
    for (const Arrival& on_path : path) {
      if (on_path.source != source) continue;
      for (const Step& step : steps_) {
        if (step.position == on_path.position) missing &= ~step.marks;
      }
    }
  });
  return last->target;
}

}  // namespace assay::search::spilling
