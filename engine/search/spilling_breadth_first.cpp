// Breadth-first search whose states lie on disk, with delayed duplicate
// detection, on one thread. Finished: every reachable state was seen.
// Counterexamples are shortest. Goes on after it was killed.
//
// The states of a level stand sorted in one file. Expanding them fills a set of
// candidates in memory; when the set is full it is sorted and written out as a
// batch. At the end of the level all batches are merged, what earlier levels
// hold is left out, and the rest is the next level. Earlier levels are kept in
// a few sorted runs of geometrically growing size: a merge reads each at most
// once and skips the blocks that no candidate falls into, so that a narrow
// level costs little however much was seen before.
//
//     assay-levels      the records of level 0, 1, 2, ... one after another
//     assay-index       where each level stands, and its checksum
//     assay-edges       the transitions, if the graph is to be written down
//     assay-lessons     states that the system met new parts in, if its states refer to parts
//     assay-run-N       a merged run of seen states, or a batch of candidates
//     assay-checkpoint  everything else; replaced in one step
//
// If the graph is to be written down, the states of a level are put into the
// order in which the search in memory discovers them before they are expanded,
// and every step is logged by what it leads to (discovery_order). When the
// search is over, hashes become numbers (graph_assembly), and the directory
// stays until somebody has made use of the log.
//
// Here is the search; what it consists of, and each of its jobs, has a file in
// spilling/: the candidates of a level, the merge that makes the next level of
// them, and checkpoints.
#include <algorithm>
#include <new>

#include "search/graph_assembly.hpp"
#include "search/spilling/breadth_first_on_disk.hpp"
#include "search/spilling/candidates.hpp"
#include "search/spilling/checkpoint.hpp"
#include "search/spilling/level_merge.hpp"
#include "search/spilling/spilled_search.hpp"
#include "search/strategy.hpp"
#include "support/memory.hpp"

namespace assay::search {
namespace {

using namespace spilling;
using storage::CheckpointProblem;
using storage::LevelReader;
using storage::PackedLayout;

constexpr std::size_t kLeastCandidates = std::size_t{1} << 20;
constexpr std::uint32_t kLookEvery = 64;        // states, while expanding
constexpr std::uint64_t kWeighEvery = 1024;     // states
constexpr std::uint64_t kLevelsKept = 100'000;  // in the result

class SpillingBreadthFirst {
 public:
  SpillingBreadthFirst(const Task& task, Result& result,
                       const std::function<void(SpilledSearch&)>& when_logged)
      : search_(task, result),
        candidates_(search_),
        merge_(search_, candidates_),
        checkpoint_(search_),
        when_logged_(when_logged) {}

  void run() {
    try {
      if (search_.directory->has_checkpoint()) {
        if (!search_.options.flag("resume")) {
          throw CheckpointProblem(
              search_.directory->path() +
              " holds a search that is not finished; continue it with --resume, or choose "
              "another directory");
        }
        checkpoint_.load();
        candidates_.start();
        search_.result.resumed_from = search_.states;
      } else {
        search_.directory->sweep({});
        search_.begin();
        if (!search_.finished) checkpoint_.save();
      }
      while (!search_.finished) {
        if (!expand_level() || !next_level()) break;
      }
    } catch (const std::bad_alloc&) {
      search_.out_of_memory = true;
    } catch (const Interrupted&) {
      search_.result.stop_reason = search_.task.control.reason();
      search_.result.states = search_.states;
      search_.result.transitions = search_.transitions;
      return;
    }
    report();
  }

 private:
  /// False: it was stopped.
  bool expand_level() {
    const PackedLayout& level_layout = search_.layouts[static_cast<std::uint32_t>(search_.level.layout)];
    LevelReader reader(*search_.levels, search_.level, level_layout, search_.io_bytes(1));
    reader.go_to(search_.expanded);
    if (search_.expanded == 0) candidates_.start();
    const bool at_limit = search_.options.depth_limit != 0 && search_.depth >= search_.options.depth_limit;
    search_.result.depth = search_.depth;
    while (search_.expanded < search_.level.records) {
      if (search_.expanded % kLookEvery == 0) {
        if (search_.task.control.should_stop()) return false;
        search_.task.control.report(search_.states, search_.transitions, search_.depth,
                                    search_.level.records - search_.expanded + candidates_.size());
        if (search_.is_checkpoint_due()) {
          candidates_.flush();
          checkpoint_.save();
        }
        if (search_.lessons != nullptr && search_.expanded % kWeighEvery == 0) make_room();
      }
      const std::uint32_t length = reader.read();
      const std::uint64_t* const words = reader.words();
      candidates_.expand_from(words, length, reader.record(),
                              static_cast<std::uint32_t>(search_.level.layout));
      marks_.clear();
      const Expansion::End end = search_.expansion(
          {words, length}, at_limit,
          [&](std::uint32_t code, Position position) {
            search_.add({code, position, search_.depth, Words(words, words + length)});
          },
          [&](Position, StateView next) {
            candidates_.reach(next.data(), length_of(next));
            if (search_.edges != nullptr) marks_.push_back(storage::StateMark::of(next.data(), next.size()));
            ++search_.transitions;
            return true;
          });
      search_.cut = search_.cut || end == Expansion::End::kCut;
      if (search_.edges != nullptr) search_.edges->add(marks_);
      if (search_.lessons != nullptr && search_.system.parts_met() != search_.parts_met)
        note_lesson(words, length);
      ++search_.expanded;
      if (!search_.found.empty() && search_.options.stop_at_first_violation) {
        // A step that violates ends one level further down than a state that
        // does: look at the rest of this level for a shorter path.
        for (const Found& found : search_.found) {
          if (found.path_length() == search_.depth) {
            search_.finished = true;
            return true;
          }
        }
      }
    }
    candidates_.insert_pending();
    if (!search_.found.empty() && search_.options.stop_at_first_violation) search_.finished = true;
    return true;
  }

  /// What the system has met stays in memory, and there is more and more of it, beside what it only remembers
  /// to save time. The larger of what can be done without gives way.
  void make_room() {
    if (search_.options.number("spill_buffer_bytes", 0) != 0) return;
    const std::size_t limit = memory_limit(search_.options);
    if (support::resident_bytes() <= limit - limit / 32) return;
    const bool can_halve = candidates_.bytes() / 2 >= kLeastCandidates;
    if (can_halve && candidates_.bytes() >= search_.system.forgettable_bytes()) {
      candidates_.halve();
    } else if (search_.system.forgettable_bytes() >= kLeastCandidates) {
      search_.system.forget();
      support::return_free_memory();
    } else {
      search_.task.control.stop(StopReason::kMemory);
    }
  }
  void note_lesson(const std::uint64_t* words, std::uint32_t length) {
    search_.parts_met = search_.system.parts_met();
    search_.lessons->append({&length, 1});
    search_.lessons->append({reinterpret_cast<const std::uint32_t*>(words), std::size_t{length} * 2});
  }

  /// False: it was stopped.
  bool next_level() {
    if (search_.finished) return true;
    if (!merge_()) return false;
    if (!search_.finished && search_.is_checkpoint_due()) {
      candidates_.start();
      checkpoint_.save();
    }
    return true;
  }

  void report() {
    // A violation is real, also when the rest of its level could not be looked at.
    const bool violated = !search_.found.empty() && search_.options.stop_at_first_violation;
    search_.finished = search_.finished || violated;
    search_.result.states = search_.states + search_.unmerged;
    search_.result.transitions = search_.transitions;
    search_.result.frontier =
        search_.finished && !violated ? 0 : search_.level.records - search_.expanded + search_.unmerged;
    if (violated) {
      const Found shortest =
          *std::min_element(search_.found.begin(), search_.found.end(),
                            [](const Found& a, const Found& b) { return a.path_length() < b.path_length(); });
      search_.found.assign(1, shortest);
      search_.violation_count = 1;
      search_.result.stop_reason = StopReason::kViolation;
    } else if (search_.out_of_memory) {
      search_.result.stop_reason = StopReason::kMemory;
    } else if (!search_.finished) {
      search_.result.stop_reason = search_.task.control.reason();
    } else if (search_.cut) {
      search_.result.stop_reason = StopReason::kDepth;
    }
    search_.result.complete = search_.result.stop_reason == StopReason::kNone;
    const bool is_logged = search_.task.graph != nullptr && search_.result.complete &&
                           (search_.violation_count == 0 || when_logged_ != nullptr);
    if ((!search_.finished || is_logged) && !search_.out_of_memory) {
      candidates_.flush();
      checkpoint_.save();
    }
    if (is_logged) {
      write_graph();
      if (when_logged_ && search_.result.complete) when_logged_(search_);
    }
    for (std::uint64_t i = 0; i <= search_.depth && i < kLevelsKept && search_.index != nullptr; ++i) {
      search_.result.seen.levels.push_back(search_.read_level(i).records);
    }
    if (when_logged_) search_.found.clear();  // it was not asked for
    search_.result.violation_count = search_.violation_count;
    search_.task.control.tracing = !search_.found.empty();
    search_.result.violations = trace_back();
    if (is_logged) {
      search_.task.graph->keep([directory = search_.directory] { directory->clear(); });
    } else if (search_.finished) {
      search_.directory->clear();
    }
  }

  std::vector<Violation> trace_back() {
    WayBack way(search_.found);
    return way.follow([&](std::uint64_t depth) {
      const Level level = search_.read_level(depth);
      storage::LevelReader reader(*search_.levels, level,
                                  search_.layouts[static_cast<std::uint32_t>(level.layout)],
                                  search_.io_bytes(1));
      for (std::uint64_t n = 0; n < level.records && way.wants_more(); ++n) {
        const std::uint32_t length = reader.read();
        const StateView state{reader.words(), length};
        search_.expansion.again(state, [&](Position position, StateView next) {
          way.show(state, position, next);
          return true;
        });
      }
    });
  }

  void write_graph() {
    const SearchedLevels searched{
        *search_.levels,   search_.layouts, *search_.edges,
        search_.depth + 1, search_.states,  [&](std::uint64_t number) { return search_.read_level(number); }};
    const auto should_stop = [&] { return search_.task.control.should_stop(); };
    try {
      if (assemble_graph(searched, candidates_.lend(), search_.shares.io, should_stop, *search_.task.graph))
        return;
      search_.result.stop_reason = search_.task.control.reason();
    } catch (const std::bad_alloc&) {
      search_.result.stop_reason = StopReason::kMemory;
    }
    search_.result.complete = false;
  }

  SpilledSearch search_;
  Candidates candidates_;
  LevelMerge merge_;
  Checkpoint checkpoint_;
  const std::function<void(SpilledSearch&)> when_logged_;
  std::vector<storage::StateMark> marks_;  // of the successors of a state
};

const Registered registered({.name = "bfs",
                             .storage = "exact",
                             .is_on_disk = true,
                             .recording = Recording::kByItself,
                             .run = [](const Task& task,
                                       Result& result) { breadth_first_on_disk(task, result); },
                             .options = {"resume", "checkpoint_seconds", "spill_buffer_bytes"}});

}  // namespace

void spilling::breadth_first_on_disk(const Task& task, Result& result,
                                     const std::function<void(SpilledSearch&)>& when_logged) {
  SpillingBreadthFirst(task, result, when_logged).run();
}

}  // namespace assay::search
