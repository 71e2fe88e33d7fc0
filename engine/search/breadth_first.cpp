// Breadth-first search on one thread, exact. Finished: every reachable state
// was seen. Counterexamples are shortest.
//
// The store is the queue: states are expanded in the order of their ids and
// decoded from their keys. Work goes in batches, so that the two cache misses
// of a lookup (slot of the index, key it points to) overlap with other work.
#include "search/exact_expander.hpp"
#include "search/level_search.hpp"
#include "search/strategy.hpp"
#include "search/trace.hpp"

namespace assay::search {
namespace {

using storage::KeyTable;
using storage::Sharing;

constexpr std::uint32_t kBatchStates = 64;
constexpr std::size_t kBatchSuccessors = 1024;

class BreadthFirst {
 public:
  BreadthFirst(const Task& task, Result& result)
      : task_(task),
        result_(result),
        store_(task.system.max_words(), task.budget),
        search_(task),
        batch_states_(task.observers.look_at_states() ? 1 : kBatchStates) {}

  void run() {
    try {
      const InitialState initial(task_.system);
      store_.add_first(initial.words.data(), initial.length);
      search_.begin(initial);
      ExactExpander<Sharing::kPrivate> expander(task_.system, store_, task_.options, &task_.observers);
      if (!task_.observers.none() && task_.system.follows_one_process()) expander.name_moves();
      task_.observers.begins(TraversalOrder::kBreadthFirst);
      for (std::uint32_t depth = 0; !search_.ends_with_level() && expanded_ < store_.size(); ++depth) {
        if (depth > 0) level_starts_.push_back(expanded_);
        task_.observers.level(expanded_);
        result_.depth = depth;
        if (!explore_level(expander, depth, store_.size())) break;
      }
    } catch (const std::bad_alloc&) {
      search_.out_of_memory = true;
    }
    report();
  }

 private:
  /// False: the search was stopped.
  bool explore_level(ExactExpander<Sharing::kPrivate>& expander, std::uint32_t depth, std::uint32_t end) {
    while (expanded_ < end && !search_.is_over()) {
      const std::uint32_t next = expand_batch(expander, depth, end);
      search_.note(expander.findings, depth);
      search_.cut = search_.cut || expander.cut;
      if (!commit(expander)) {
        task_.control.stop(StopReason::kStates);
        return false;
      }
      expanded_ = next;
      task_.control.report(store_.size(), transitions_, depth, store_.size() - expanded_);
      if (task_.control.should_stop()) return false;
    }
    return true;
  }

  /// Answers the first state that was not expanded.
  std::uint32_t expand_batch(ExactExpander<Sharing::kPrivate>& expander, std::uint32_t depth,
                             std::uint32_t end) {
    const bool at_limit = search_.at_limit(depth);
    std::uint32_t next = expanded_;
    expander.clear();
    while (next < end && next - expanded_ < batch_states_ && expander.reached.size() < kBatchSuccessors) {
      if (task_.control.should_stop()) break;
      if (!expander.expand(StateId{next}, depth, at_limit)) {
        store_.maintain(expander.workspace());
        expander.clear();
        next = expanded_;
        continue;
      }
      ++next;
    }
    return next;
  }

  /// Stores what was reached. False: there is no room for another state.
  bool commit(ExactExpander<Sharing::kPrivate>& expander) {
    KeyTable& keys = store_.keys();
    for (auto& reached : expander.reached) keys.advance(reached.probe);
    const std::uint64_t index = keys.index_number();
    const std::uint64_t limit =
        task_.options.state_limit == 0 ? KeyTable::kMaxKeys : task_.options.state_limit;
    const bool is_observed = !task_.observers.none(), shows_states = batch_states_ == 1;
    std::uint32_t state = expanded_;
    const auto* const first = expander.reached.data();
    const auto* reached = first;
    bool has_room = true;
    for (const std::uint32_t degree : expander.degrees) {
      if (shows_states) {
        task_.observers.expanded({state++, degree, degree, expander.state(), &expander.successors()});
      } else if (is_observed) {
        task_.observers.expanded({state++, degree, degree});
      }
      for (const auto* const end = reached + degree; reached != end; ++reached) {
        const std::uint32_t known = keys.size();
        if (known >= limit && keys.find(reached->probe.key) == KeyTable::kNone) {
          has_room = false;
          break;
        }
        const std::uint32_t target = keys.index_number() == index
                                         ? keys.find_or_add(reached->probe)
                                         : keys.find_or_add<Sharing::kPrivate>(reached->probe.key);
        if (is_observed) task_.observers.edge({reached->position, target, target == known, reached->move});
      }
      if (!has_room) break;
    }
    transitions_ += static_cast<std::uint64_t>(reached - first);
    return has_room;
  }

  void report() {
    result_.states = store_.size();
    result_.transitions = transitions_;
    result_.frontier = store_.size() - expanded_;
    result_.table_bytes = store_.bytes();
    const auto& findings = search_.end(expanded_ == store_.size() && !search_.out_of_memory, result_);
    for (std::size_t i = 0; i < level_starts_.size(); ++i) {
      const std::uint32_t end = i + 1 < level_starts_.size() ? level_starts_[i + 1] : store_.size();
      result_.seen.levels.push_back(end - level_starts_[i]);
    }
    result_.violations = trace_back(task_.system, store_, level_starts_, findings);
  }

  const Task& task_;
  Result& result_;
  storage::ExactStateStore store_;
  LevelSearch search_;
  const std::uint32_t batch_states_;
  std::vector<std::uint32_t> level_starts_{0};
  std::uint64_t transitions_ = 0;
  std::uint32_t expanded_ = 0;
};

const Registered registered({.name = "bfs",
                             .storage = "exact",
                             .is_offered = true,
                             .tells = true,
                             .recording = Recording::kObserved,
                             .run = [](const Task& task, Result& result) {
                               BreadthFirst(task, result).run();
                             }});

}  // namespace
}  // namespace assay::search
