// Searches that sample a state space too large to be searched, for an estimate
// of its size. They meet violations and count them, but have no paths to them,
// and never are complete in the sense of a verdict.
//
// Depth first here means: the successors of a state go onto a stack as keys, in
// random order, and are stored when they are taken off. Keys on the stack follow
// the store when its layout changes.
#include <algorithm>
#include <optional>

#include "search/exact_expander.hpp"
#include "search/strategy.hpp"
#include "storage/fingerprint_table.hpp"
#include "support/hash.hpp"
#include "support/random_source.hpp"

namespace assay::search {
namespace {

using storage::ExactStateStore;
using storage::KeyTable;
using storage::Sharing;

constexpr std::uint64_t kStepsPerTurn = 100;

/// States seen so far and the means to meet more.
class Explorer {
 public:
  Explorer(const Task& task, std::uint64_t seed)
      : task_(task),
        store_(task.system.max_words(), task.budget),
        source_(seed ^ 0xC0FFEEull),
        cursor_(store_.make_cursor()),
        workspace_(store_.make_workspace()),
        expansion_(task.system, task.options, &task.observers) {
    store_.add_outside_keys(&waiting_);
    const InitialState initial(task.system);
    violations_ += initial.violation != 0;
    store_.add_first(initial.words.data(), initial.length);
  }

  std::uint32_t size() const { return store_.size(); }
  std::uint64_t violations() const { return violations_; }
  std::uint64_t transitions() const { return transitions_; }
  ExactStateStore& store() { return store_; }

  /// The keys of a state's successors, in `reached`; checks the state if asked to.
  const std::vector<std::uint64_t>& expand(std::uint32_t id, bool check) {
    for (;;) {
      reached_.clear();
      store_.read(StateId{id}, cursor_);
      std::uint64_t violations = 0;
      const auto violated = [&](std::uint32_t, Position) { ++violations; };
      const auto reached = [&](Position, StateView next) {
        std::uint64_t key = 0;
        if (!store_.encode<Sharing::kPrivate>(cursor_, next.data(), length_of(next), workspace_, key))
          return false;
        reached_.push_back(key);
        return true;
      };
      const Expansion::End end = check ? expansion_(cursor_.view(), false, violated, reached)
                                       : expansion_.again(cursor_.view(), reached);
      if (end == Expansion::End::kNoRoom) {
        maintain();
        continue;
      }
      if (check) {
        violations_ += violations;
        transitions_ += reached_.size();
      }
      return reached_;
    }
  }

  /// Stores all successors of a state.
  void visit_successors(std::uint32_t id) {
    for (const std::uint64_t key : expand(id, true)) store_.keys().find_or_add<Sharing::kPrivate>(key);
  }

  bool knows(std::uint64_t key) const { return store_.keys().find(key) != KeyTable::kNone; }

  /// Depth first from a key that is not known yet. Several can be under way; each has its own stack.
  struct Walk {
    std::size_t number;                // of the sample
    std::vector<std::uint64_t> stack;  // keys still to be looked at
  };

  /// Stores the first state of a walk and puts its successors onto the stack.
  void begin(Walk& walk, std::uint64_t key) {
    expand(store_.keys().find_or_add<Sharing::kPrivate>(key), true);
    push_unknown(walk.stack);
  }

  /// Goes on for at most `steps` new states while there are fewer than `limit`. True: it is finished.
  bool walk(Walk& walk, std::uint64_t steps, std::uint64_t limit, std::uint64_t& found) {
    waiting_.swap(walk.stack);
    while (!waiting_.empty() && steps > 0 && store_.size() < limit && !task_.control.should_stop()) {
      const std::uint64_t key = waiting_.back();
      waiting_.pop_back();
      const std::uint32_t before = store_.size();
      const std::uint32_t id = store_.keys().find_or_add<Sharing::kPrivate>(key);
      if (id != before) continue;
      ++found;
      --steps;
      expand(id, true);
      push_unknown(waiting_);
      if (store_.size() % 64 == 0) task_.control.report(store_.size(), transitions_, 0, waiting_.size());
    }
    const bool finished = waiting_.empty();
    waiting_.swap(walk.stack);
    return finished;
  }

  /// How many different unknown states the chosen transitions lead to, for `chosen(i, position)`.
  template <class Chosen>
  void count_unknown(std::uint32_t id, storage::FingerprintTable& fingerprints, Chosen chosen) {
    store_.read(StateId{id}, cursor_);
    std::uint64_t number = 0;
    expansion_.again(cursor_.view(), [&](Position, StateView next) {
      if (!chosen(number++)) return true;
      std::uint64_t key = 0;
      // What the layout has no room for was never stored.
      const bool fits =
          store_.encode<Sharing::kPrivate>(cursor_, next.data(), length_of(next), workspace_, key);
      if (!fits || !knows(key)) fingerprints.add(support::hash_words(next.data(), next.size(), 0));
      return true;
    });
  }

  support::RandomSource& source() { return source_; }
  /// The walks under way: their keys change with the layout, too.
  void set_walks(std::vector<Walk>* walks) { walks_ = walks; }

 private:
  /// What was reached last and is not known, in random order.
  void push_unknown(std::vector<std::uint64_t>& stack) {
    const std::size_t first = stack.size();
    for (const std::uint64_t next : reached_) {
      if (!knows(next)) stack.push_back(next);
    }
    for (std::size_t i = stack.size(); i > first + 1; --i) {
      std::swap(stack[i - 1], stack[first + source_.below(i - first)]);
    }
  }
  void maintain() {
    const std::size_t own = waiting_.size();
    if (walks_ != nullptr) {
      for (const Walk& walk : *walks_) waiting_.insert(waiting_.end(), walk.stack.begin(), walk.stack.end());
    }
    store_.maintain(workspace_);
    auto from = waiting_.begin() + static_cast<std::ptrdiff_t>(own);
    if (walks_ != nullptr) {
      for (Walk& walk : *walks_) {
        std::copy_n(from, walk.stack.size(), walk.stack.begin());
        from += static_cast<std::ptrdiff_t>(walk.stack.size());
      }
    }
    waiting_.resize(own);
  }

  const Task& task_;
  ExactStateStore store_;
  support::RandomSource source_;
  ExactStateStore::Cursor cursor_;
  ExactStateStore::Workspace workspace_;
  Expansion expansion_;
  std::vector<std::uint64_t> reached_;
  std::vector<std::uint64_t> waiting_;  // the stack of the walk under way
  std::vector<Walk>* walks_ = nullptr;
  std::uint64_t violations_ = 0, transitions_ = 0;
};

/// Breadth first up to a number of states, then depth first from unexplored
/// transitions drawn at random (Taleghani 2010, ch. 5).
class TwoPhases {
 public:
  TwoPhases(const Task& task, Result& result)
      : task_(task),
        result_(result),
        limit_(task.options.state_limit == 0 ? KeyTable::kMaxKeys : task.options.state_limit),
        exhaustive_states_(task.options.number("exhaustive_states", 0)),
        samplers_(std::max<std::uint64_t>(1, task.options.number("samplers", 1))) {}

  void run() {
    try {
      explorer_.emplace(task_, task_.options.seed);
      explore_levels();
      list_transitions();
      explorer_->set_walks(&walks_);
      while (explorer_->size() < limit_ && !task_.control.should_stop()) {
        begin_walks();
        if (walks_.empty()) break;
        take_turns();
      }
      count_what_is_left();
    } catch (const std::bad_alloc&) {
      result_.stop_reason = StopReason::kMemory;
    }
    if (!explorer_) return;
    result_.states = explorer_->size();
    result_.transitions = explorer_->transitions();
    result_.violation_count = explorer_->violations();
  }

 private:
  /// The first phase.
  void explore_levels() {
    std::uint32_t begin = 0;
    for (std::uint32_t end = 1; expanded_ < end && explorer_->size() < exhaustive_states_;) {
      while (expanded_ < end && explorer_->size() < exhaustive_states_ && !task_.control.should_stop()) {
        explorer_->visit_successors(expanded_++);
        if (expanded_ % 64 == 0) {
          task_.control.report(explorer_->size(), explorer_->transitions(), 0, explorer_->size() - expanded_);
        }
      }
      if (task_.control.should_stop()) break;
      seen_.levels.push_back(end - begin);
      begin = end;
      end = explorer_->size();
    }
    result_.depth = seen_.levels.empty() ? 0 : seen_.levels.size() - 1;
    seen_.exhaustive = explorer_->size();
  }

  /// The worklist: the transitions of states that were not expanded.
  void list_transitions() {
    frontier_ = static_cast<std::uint32_t>(seen_.exhaustive) - expanded_;
    task_.budget.require(std::size_t{frontier_} * sizeof(std::uint64_t));
    starts_.resize(std::size_t{frontier_} + 1);
    for (std::uint32_t i = 0; i < frontier_ && !task_.control.should_stop(); ++i) {
      starts_[i + 1] = starts_[i] + explorer_->expand(expanded_ + i, false).size();
    }
    sampled_.resize(starts_[frontier_]);
  }

  /// A transition that was not drawn before.
  std::uint64_t draw() {
    const std::uint64_t total = sampled_.size();
    std::uint64_t at = explorer_->source().below(total);
    for (int attempt = 0; attempt < 32 && sampled_[at]; ++attempt) at = explorer_->source().below(total);
    while (sampled_[at]) at = at + 1 == total ? 0 : at + 1;
    sampled_[at] = true;
    ++seen_.tried;
    return at;
  }

  /// The second phase: as many walks at a time as there are samplers.
  void begin_walks() {
    while (walks_.size() < samplers_ && seen_.tried < sampled_.size() && explorer_->size() < limit_) {
      const std::uint64_t transition = draw();
      const auto state = static_cast<std::uint32_t>(
          std::upper_bound(starts_.begin(), starts_.end(), transition) - starts_.begin() - 1);
      const std::uint64_t key = explorer_->expand(expanded_ + state, false)[transition - starts_[state]];
      if (explorer_->knows(key)) continue;
      Explorer::Walk walk{seen_.sizes.size(), {}};
      explorer_->begin(walk, key);
      walks_.push_back(std::move(walk));
      seen_.sizes.push_back(1);
    }
  }

  void take_turns() {
    const std::uint64_t steps = samplers_ > 1 ? kStepsPerTurn : ~std::uint64_t{0};
    for (std::size_t i = 0; i < walks_.size();) {
      if (explorer_->walk(walks_[i], steps, limit_, seen_.sizes[walks_[i].number])) {
        walks_.erase(walks_.begin() + static_cast<std::ptrdiff_t>(i));
      } else {
        ++i;
      }
    }
  }

  void count_what_is_left() {
    seen_.unfinished = walks_.size();
    seen_.left = sampled_.size() - seen_.tried;
    storage::FingerprintTable unknown(task_.budget);
    for (std::uint32_t i = 0; i < frontier_; ++i) {
      explorer_->count_unknown(expanded_ + i, unknown,
                               [&](std::uint64_t number) { return !sampled_[starts_[i] + number]; });
    }
    seen_.productive_left = unknown.size();
    result_.complete =
        walks_.empty() && seen_.productive_left == 0 && seen_.left == 0 && !task_.control.should_stop();
    result_.stop_reason = result_.complete ? StopReason::kNone : task_.control.reason();
  }

  const Task& task_;
  Result& result_;
  Seen& seen_ = result_.seen;
  const std::uint64_t limit_, exhaustive_states_, samplers_;
  std::optional<Explorer> explorer_;
  std::uint32_t expanded_ = 0, frontier_ = 0;  // states of the first phase that were, and were not, expanded
  std::vector<std::uint64_t> starts_;          // of the transitions of each state that was not
  std::vector<bool> sampled_;
  std::vector<Explorer::Walk> walks_;
};

/// Two random depth-first searches, and how many states they share.
void two_overlapping(const Task& task, Result& result) {
  const std::uint64_t limit = std::max<std::uint64_t>(1, task.options.state_limit / 2);
  try {
    Explorer first(task, 2 * task.options.seed), second(task, 2 * task.options.seed + 1);
    for (Explorer* explorer : {&first, &second}) {
      Explorer::Walk walk{0, {}};
      std::uint64_t found = 0;
      // The initial state is stored already: begin with its successors.
      walk.stack = explorer->expand(0, true);
      explorer->walk(walk, ~std::uint64_t{0}, limit, found);
    }
    // Count the states of the second that the first knows.
    auto cursor = second.store().make_cursor();
    auto base = first.store().make_cursor();
    auto workspace = first.store().make_workspace();
    first.store().read(StateId{0}, base);
    for (std::uint32_t id = 0; id < second.size() && !task.control.should_stop(); ++id) {
      second.store().read(StateId{id}, cursor);
      std::uint64_t key = 0;
      const bool fits =
          first.store().encode<Sharing::kPrivate>(base, cursor.words.data(), cursor.length, workspace, key);
      result.seen.both += fits && first.knows(key);
    }
    result.seen.first = first.size();
    result.seen.second = second.size();
    result.states = first.size() + second.size() - result.seen.both;
    result.transitions = first.transitions() + second.transitions();
    result.violation_count = first.violations() + second.violations();
    result.stop_reason = task.control.reason();
  } catch (const std::bad_alloc&) {
    result.stop_reason = StopReason::kMemory;
  }
}

const Registered first_then_at_random({.name = "two-phases",
                                       .run = [](const Task& task,
                                                 Result& result) { TwoPhases(task, result).run(); },
                                       .options = {"exhaustive_states", "samplers"}});
const Registered twice_at_random({.name = "overlap", .run = two_overlapping});

}  // namespace
}  // namespace assay::search
