// Finds a reachable cycle that meets every acceptance set, on disk. Finished: there is none.
//
// First the graph is explored and written down by the breadth-first search on disk, which goes on after it was
// stopped or killed. Then the states are read once more, in their order, for the acceptance sets that their steps
// are in, and the hull of all cycles that count is computed from the file of steps (spilling/cycle_hull). So a cycle
// is found only when everything is explored; whoever has the memory searches in memory, where it is found early.
#include <filesystem>

#include "evidence/graph_log.hpp"
#include "search/cycle_question.hpp"
#include "search/spilling/breadth_first_on_disk.hpp"
#include "search/spilling/cycle_hull.hpp"
#include "search/strategy.hpp"
#include "transition_system/acceptance.hpp"
#include "transition_system/successor_buffer.hpp"

namespace assay::search {
namespace {

using evidence::GraphLog;
using spilling::CycleHull;
using spilling::SpilledSearch;
using spilling::StepFile;
using transition_system::Acceptance;

/// Reads all states again, with the numbers that their successors have in the log.
void write_steps(SpilledSearch& search, const GraphLog& log, Acceptance& acceptance, StepFile& steps) {
  transition_system::SuccessorBuffer successors;
  GraphLog::Cursor targets(log, 0, log.words(), std::size_t{1} << 16);
  std::uint32_t discovered = 1;
  for (std::uint64_t number = 0; number <= search.depth; ++number) {
    steps.begin_level();
    const storage::Level level = search.read_level(number);
    storage::LevelReader reader(*search.levels, level,
                                search.layouts[static_cast<std::uint32_t>(level.layout)], search.io_bytes(1));
    for (std::uint64_t record = 0; record < level.records; ++record) {
      if (record % spilling::kLookEveryRecords == 0 && search.task.control.should_stop()) {
        throw spilling::Stopped();
      }
      const std::uint32_t length = reader.read();
      const transition_system::StateView state{reader.words(), length};
      steps.begin_state(acceptance.of_state(state), targets.read());
      const bool progress_here = acceptance.makes_progress(state);
      search.system.successors(state, successors.cleared());
      for (std::uint32_t i = 0; i < successors.count(); ++i) {
        const assay_successor& successor = successors[i];
        if (successor.has_state == 0) continue;
        const std::uint32_t target = targets.read();
        const bool is_free = progress_here || acceptance.makes_progress(successors.state(successor));
        steps.add_step(GraphLog::is_tree(target) ? discovered++ : target, Position{i},
                       acceptance.of_process(successor.process), is_free);
      }
    }
  }
  steps.finish();
}

void run(const Task& task, Result& result) {
  Options options = task.options;
  options.stop_at_first_violation = false;  // only cycles are asked for here
  options.check_deadlock = false;
  std::filesystem::create_directories(options.spill_directory);
  GraphLog log(options.spill_directory);
  Task exploring{task.system, options, task.budget, task.control, task.observers, &log};
  Acceptance acceptance(task.system, question_in(task.options));
  bool is_decided = false;
  Violation lasso;
  bool is_found = false;
  spilling::breadth_first_on_disk(exploring, result, [&](SpilledSearch& search) {
    try {
      StepFile steps(log.directory(), [&] { return task.control.should_stop(); });
      write_steps(search, log, acceptance, steps);
      CycleHull hull(steps, steps.states(), acceptance.all(),
                     [&](std::size_t bytes) { task.budget.require(bytes); });
      is_found = hull.find(lasso);
      is_decided = true;
    } catch (const spilling::Stopped&) {
      result.stop_reason = task.control.reason();
    } catch (const std::bad_alloc&) {
      result.stop_reason = StopReason::kMemory;
    }
  });
  result.violations.clear();
  result.violation_count = 0;
  result.complete = result.complete && is_decided && !is_found;
  if (is_found) {
    result.violations.push_back(lasso);
    result.violation_count = 1;
    result.stop_reason = StopReason::kViolation;
  }
  if (is_decided) log.has_served();
}

const Registered registered({.name = "accepting-cycle",
                             .storage = "exact",
                             .is_on_disk = true,
                             .run = run,
                             .options = {"fair", "processes", "progress_label"}});

}  // namespace
}  // namespace assay::search
