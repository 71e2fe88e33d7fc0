// Breadth-first search that keeps a 64-bit fingerprint of each state.
//
// Whole states live only in the queue, which gives memory back as it is read;
// a log of parents yields counterexamples.
#include <algorithm>

#include "search/expander.hpp"
#include "search/strategies.hpp"
#include "storage/fingerprint_table.hpp"
#include "storage/parent_log.hpp"
#include "storage/state_queue.hpp"

namespace assay::search {
namespace {

constexpr std::uint32_t kBatchStates = 64;
constexpr std::size_t kBatchWords = std::size_t{1} << 16;

struct Reached {
  std::uint64_t fingerprint;
  std::size_t first_word;
  std::uint32_t word_count;
  std::uint32_t parent;
  std::uint32_t position;
};

}  // namespace

void fingerprint_breadth_first(const Task& task, Result& result) {
  const Options& options = task.options;
  const transition_system::TransitionSystem& system = task.system;
  storage::FingerprintTable table(task.budget);
  storage::ParentLog parents(task.budget);
  storage::StateQueue queue;
  FindingLog log;
  std::uint64_t transitions = 0, expanded = 0;
  std::uint64_t dropped = 0;  // states whose successors were not all kept
  bool cut = false, stop_now = false, stop_after_level = false, out_of_memory = false, at_state_limit = false;

  try {
    std::vector<std::uint64_t> initial(std::size_t{system.max_words()} + 1);
    std::uint32_t violation = 0;
    const std::uint32_t length = system.initial(initial.data(), &violation);
    require_word_count(length, system.max_words());
    table.add(support::hash_words(initial.data(), length, options.seed));
    queue.push(initial.data(), length);
    if (violation != 0) {
      log.add({violation, 0, Finding::kAtState, 0});
      stop_now = options.stop_at_first_violation;
    }

    transition_system::SuccessorBuffer buffer;
    std::vector<Reached> reached;
    std::vector<std::uint64_t> reached_words;
    std::vector<Finding> findings;
    const bool has_step_checks = system.has_step_checks();
    const auto expand = [&](const std::uint64_t* words, std::uint32_t count, std::uint32_t id, std::uint32_t depth,
                            bool at_limit) {
      if (const std::uint32_t code = system.check_state(words, count)) {
        findings.push_back({code, id, Finding::kAtState, depth});
      }
      system.successors(words, count, buffer.cleared());
      if (buffer.count() == 0) {
        if (options.check_deadlock && !system.is_valid_end(words, count)) {
          findings.push_back({0, id, Finding::kAtState, depth});
        }
        return;
      }
      if (at_limit) {
        cut = true;
        return;
      }
      for (std::uint32_t i = 0; i < buffer.count(); ++i) {
        const assay_successor& successor = buffer[i];
        if (successor.violation != 0) findings.push_back({successor.violation, id, i, depth});
        if (successor.has_state == 0) continue;
        require_word_count(successor.word_count, system.max_words());
        const std::uint64_t* next = buffer.words(successor);
        if (has_step_checks) {
          if (const std::uint32_t code = system.check_step(words, count, next, successor.word_count)) {
            findings.push_back({code, id, i, depth});
          }
        }
        const std::uint64_t fingerprint = support::hash_words(next, successor.word_count, options.seed);
        table.prefetch(fingerprint);
        reached.push_back({fingerprint, reached_words.size(), successor.word_count, id, i});
        reached_words.insert(reached_words.end(), next, next + successor.word_count);
      }
    };

    for (std::uint32_t depth = 0; !stop_now && !stop_after_level; ++depth) {
      std::uint64_t remaining = queue.size();
      if (remaining == 0) break;
      const bool at_limit = options.depth_limit != 0 && depth >= options.depth_limit;
      while (remaining > 0 && !stop_now && !task.control.should_stop()) {
        reached.clear();
        reached_words.clear();
        findings.clear();
        const std::uint64_t expanded_before = expanded;
        for (std::uint32_t i = 0; i < kBatchStates && remaining > 0 && reached_words.size() < kBatchWords; ++i) {
          if (task.control.should_stop()) break;
          std::uint32_t count = 0;
          const std::uint64_t* words = queue.pop(count);
          expand(words, count, static_cast<std::uint32_t>(expanded), depth, at_limit);
          ++expanded;
          --remaining;
        }
        for (const Finding& finding : findings) {
          log.add(finding);
          if (!options.stop_at_first_violation) continue;
          (finding.path_length() == depth ? stop_now : stop_after_level) = true;
        }
        for (const Reached& next : reached) {
          if (table.contains(next.fingerprint)) {
            ++transitions;
            continue;
          }
          if ((options.state_limit != 0 && table.size() >= options.state_limit) || table.size() >= 0xFFFFFFFEull) {
            at_state_limit = true;
            dropped = expanded - expanded_before;
            task.control.stop(StopReason::kStates);
            break;
          }
          table.add(next.fingerprint);
          parents.push(next.parent, next.position);
          queue.push(reached_words.data() + next.first_word, next.word_count);
          ++transitions;
        }
        task.control.report(table.size(), transitions, depth, queue.size());
      }
      result.depth = depth;
      if (task.control.should_stop()) break;
    }
  } catch (const std::bad_alloc&) {
    out_of_memory = true;
  }

  result.states = table.size();
  result.transitions = transitions;
  result.frontier = queue.size() + dropped;
  result.table_bytes = table.bytes() + parents.bytes() + queue.bytes();
  if (!log.empty() && options.stop_at_first_violation) {
    log.keep_shortest();
    result.stop_reason = StopReason::kViolation;
  } else if (out_of_memory) {
    result.stop_reason = StopReason::kMemory;
  } else if (queue.size() > 0 || at_state_limit) {
    result.stop_reason = task.control.reason();
  } else if (cut) {
    result.stop_reason = StopReason::kDepth;
  }
  result.complete = result.stop_reason == StopReason::kNone;
  result.violation_count = log.count();
  for (const Finding& finding : log.first()) {
    Violation violation{finding.code, parents.path_to(finding.state)};
    if (finding.position != Finding::kAtState) violation.path.push_back(finding.position);
    result.violations.push_back(std::move(violation));
  }
}

}  // namespace assay::search
