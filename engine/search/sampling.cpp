// Searches that sample a state space too large to be searched, for an estimate
// of its size. They meet violations and count them, but have no paths to them,
// and never are complete in the sense of a verdict.
//
// Depth first here means: the successors of a state go onto a stack as keys, in
// random order, and are stored when they are taken off. Keys on the stack follow
// the store when its layout changes.
#include <algorithm>
#include <memory>

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
        expansion_(task.system, task.options) {
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
void two_phases(const Task& task, Result& result) {
  const Options& options = task.options;
  Seen& seen = result.seen;
  const std::uint64_t limit = options.state_limit == 0 ? KeyTable::kMaxKeys : options.state_limit;
  const std::uint64_t exhaustive_states = options.number("exhaustive_states", 0);
  const std::uint64_t samplers = std::max<std::uint64_t>(1, options.number("samplers", 1));
  std::unique_ptr<Explorer> explorer;
  try {
    explorer = std::make_unique<Explorer>(task, options.seed);
    // The first phase.
    std::uint32_t expanded = 0;
    for (std::uint32_t end = 1; expanded < end && explorer->size() < exhaustive_states;) {
      while (expanded < end && explorer->size() < exhaustive_states && !task.control.should_stop()) {
        explorer->visit_successors(expanded++);
        if (expanded % 64 == 0)
          task.control.report(explorer->size(), explorer->transitions(), 0, explorer->size() - expanded);
      }
      if (task.control.should_stop()) break;
      seen.levels.push_back(end - (seen.levels.empty() ? 0 : result.depth));
      result.depth = end;  // where the next level begins, for now
      end = explorer->size();
    }
    result.depth = seen.levels.empty() ? 0 : seen.levels.size() - 1;
    seen.exhaustive = explorer->size();

    // The worklist: the transitions of states that were not expanded.
    const std::uint32_t frontier = static_cast<std::uint32_t>(seen.exhaustive) - expanded;
    task.budget.require(std::size_t{frontier} * sizeof(std::uint64_t));
    std::vector<std::uint64_t> starts(std::size_t{frontier} + 1);  // of each state's transitions
    for (std::uint32_t i = 0; i < frontier && !task.control.should_stop(); ++i) {
      starts[i + 1] = starts[i] + explorer->expand(expanded + i, false).size();
    }
    const std::uint64_t total = starts[frontier];
    std::vector<bool> sampled(total);

    // The second phase.
    const auto draw = [&] {
      std::uint64_t at = explorer->source().below(total);
      for (int attempt = 0; attempt < 32 && sampled[at]; ++attempt) at = explorer->source().below(total);
      while (sampled[at]) at = at + 1 == total ? 0 : at + 1;
      return at;
    };
    std::vector<Explorer::Walk> walks;
    explorer->set_walks(&walks);
    while (explorer->size() < limit && !task.control.should_stop()) {
      while (walks.size() < samplers && seen.tried < total && explorer->size() < limit) {
        const std::uint64_t transition = draw();
        sampled[transition] = true;
        ++seen.tried;
        const auto state = static_cast<std::uint32_t>(
            std::upper_bound(starts.begin(), starts.end(), transition) - starts.begin() - 1);
        const std::uint64_t key = explorer->expand(expanded + state, false)[transition - starts[state]];
        if (explorer->knows(key)) continue;
        Explorer::Walk walk{seen.sizes.size(), {}};
        explorer->begin(walk, key);
        walks.push_back(std::move(walk));
        seen.sizes.push_back(1);
      }
      if (walks.empty()) break;
      for (std::size_t i = 0; i < walks.size();) {
        const std::uint64_t steps = samplers > 1 ? kStepsPerTurn : ~std::uint64_t{0};
        if (explorer->walk(walks[i], steps, limit, seen.sizes[walks[i].number])) {
          walks.erase(walks.begin() + static_cast<std::ptrdiff_t>(i));
        } else {
          ++i;
        }
      }
    }
    seen.unfinished = walks.size();
    seen.left = total - seen.tried;
    storage::FingerprintTable unknown(task.budget);
    for (std::uint32_t i = 0; i < frontier; ++i) {
      explorer->count_unknown(expanded + i, unknown,
                              [&](std::uint64_t number) { return !sampled[starts[i] + number]; });
    }
    seen.productive_left = unknown.size();
    result.complete =
        walks.empty() && seen.productive_left == 0 && seen.left == 0 && !task.control.should_stop();
    result.stop_reason = result.complete ? StopReason::kNone : task.control.reason();
  } catch (const std::bad_alloc&) {
    result.stop_reason = StopReason::kMemory;
  }
  if (explorer == nullptr) return;
  result.states = explorer->size();
  result.transitions = explorer->transitions();
  result.violation_count = explorer->violations();
}

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
                                       .run = two_phases,
                                       .options = {"exhaustive_states", "samplers"}});
const Registered twice_at_random({.name = "overlap", .run = two_overlapping});

}  // namespace
}  // namespace assay::search
