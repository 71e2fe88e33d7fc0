// Breadth-first search on one thread.
//
// The store is the queue: states are expanded in the order of their ids and
// decoded from their keys. Work goes in batches, so that the two cache misses
// of a lookup (slot of the index, key it points to) overlap with other work.
#include <algorithm>

#include "search/expander.hpp"
#include "search/strategies.hpp"
#include "search/trace.hpp"

namespace assay::search {
namespace {

constexpr std::uint32_t kBatchStates = 64;
constexpr std::size_t kBatchSuccessors = 1024;

}  // namespace

void breadth_first(const Task& task, Result& result) {
  using storage::KeyTable;
  using storage::Sharing;
  const Options& options = task.options;
  storage::ExactStateStore store(task.system.max_words(), task.budget);
  FindingLog log;
  std::vector<std::uint32_t> level_starts{0};
  std::uint64_t transitions = 0;
  std::uint32_t expanded = 0;
  bool cut = false, stop_after_level = false, stop_now = false, at_state_limit = false;
  bool out_of_memory = false;

  try {
    std::vector<std::uint64_t> initial(std::size_t{task.system.max_words()} + 1);
    std::uint32_t violation = 0;
    const std::uint32_t length = task.system.initial(initial.data(), &violation);
    require_word_count(length, task.system.max_words());
    store.add_first(initial.data(), length);
    if (violation != 0) {
      log.add({violation, 0, Finding::kAtState, 0});
      stop_now = options.stop_at_first_violation;
    }
    Expander<Sharing::kPrivate> expander(task.system, store, options);
    KeyTable& keys = store.keys();

    std::vector<std::uint32_t> targets;  // of the batch, for the log
    const auto write_down = [&] {
      std::size_t next = 0;
      for (const std::uint32_t degree : expander.degrees) {
        options.log->begin_state(degree);
        for (std::uint32_t i = 0; i < degree; ++i) options.log->add(targets[next++]);
      }
    };

    const std::uint64_t state_limit = options.state_limit == 0 ? KeyTable::kMaxKeys : options.state_limit;
    const auto commit = [&] {
      for (auto& reached : expander.reached) keys.advance(reached.probe);
      const std::uint64_t index = keys.index_number();
      targets.clear();
      for (auto& reached : expander.reached) {
        const std::uint32_t known = keys.size();
        if (known >= state_limit && keys.find(reached.probe.key) == KeyTable::kNone) {
          at_state_limit = true;
          return;
        }
        const std::uint32_t id = keys.index_number() == index
                                     ? keys.find_or_add(reached.probe)
                                     : keys.find_or_add<Sharing::kPrivate>(reached.probe.key);
        if (options.log != nullptr) targets.push_back(id == known ? evidence::GraphLog::kTree : id);
        ++transitions;
      }
      if (options.log != nullptr) write_down();
    };
    if (options.log != nullptr) options.log->begin(evidence::GraphLog::Order::kBreadthFirst);

    for (std::uint32_t depth = 0; !stop_now && !stop_after_level; ++depth) {
      const std::uint32_t end = store.size();
      if (expanded == end) break;
      if (depth > 0) level_starts.push_back(expanded);
      if (options.log != nullptr) options.log->begin_level(expanded);
      const bool at_limit = options.depth_limit != 0 && depth >= options.depth_limit;
      while (expanded < end && !stop_now) {
        std::uint32_t next = expanded;
        expander.clear();
        while (next < end && next - expanded < kBatchStates && expander.reached.size() < kBatchSuccessors) {
          if (task.control.should_stop()) break;
          if (!expander.expand(next, depth, at_limit)) {
            store.maintain(expander.workspace());
            expander.clear();
            next = expanded;
            continue;
          }
          ++next;
        }
        for (const Finding& finding : expander.findings) {
          log.add(finding);
          if (!options.stop_at_first_violation) continue;
          // A step that violates ends one level further down than a state
          // that does: look at the rest of this level for a shorter path.
          if (finding.path_length() == depth) {
            stop_now = true;
          } else {
            stop_after_level = true;
          }
        }
        cut = cut || expander.cut;
        commit();
        if (at_state_limit) {
          task.control.stop(StopReason::kStates);
          break;
        }
        expanded = next;
        task.control.report(store.size(), transitions, depth, store.size() - expanded);
        if (task.control.should_stop()) break;
      }
      result.depth = depth;
      if (task.control.should_stop()) break;
    }
  } catch (const std::bad_alloc&) {
    out_of_memory = true;
  }

  const bool finished = expanded == store.size() && !out_of_memory;
  result.states = store.size();
  result.transitions = transitions;
  result.frontier = store.size() - expanded;
  result.table_bytes = store.bytes();
  if (!log.empty() && options.stop_at_first_violation) {
    log.keep_shortest();
    result.stop_reason = StopReason::kViolation;
  } else if (out_of_memory) {
    result.stop_reason = StopReason::kMemory;
  } else if (!finished) {
    result.stop_reason = task.control.reason();
  } else if (cut) {
    result.stop_reason = StopReason::kDepth;
  }
  result.complete = result.stop_reason == StopReason::kNone;
  if (options.log != nullptr && result.complete) options.log->finish();
  for (std::size_t i = 0; i < level_starts.size(); ++i) {
    result.seen.levels.push_back((i + 1 < level_starts.size() ? level_starts[i + 1] : store.size()) - level_starts[i]);
  }
  result.violation_count = log.count();
  task.control.tracing = !log.empty();
  result.violations = trace_back(task.system, store, level_starts, log.first());
}

}  // namespace assay::search
