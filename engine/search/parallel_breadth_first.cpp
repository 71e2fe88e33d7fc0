// Breadth-first search with several threads on one store. Finished: every
// reachable state was seen. Counterexamples are shortest.
//
// Threads take batches of states from the present level, read the store
// without locks and publish new states by compare-and-swap under ids reserved
// in small chunks. Whatever needs the store alone (growing tables, a new
// layout, the step to the next level) happens at a meeting of all threads. A
// batch that finds no room is dropped uncounted and expanded again after the
// meeting: expanding is a function of the state, and states it has already
// stored are simply found again. So counts are those of one thread, whatever
// the timing; and because levels are never mixed, paths stay shortest.
#include <algorithm>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

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
constexpr std::uint32_t kChunkIds = 256;
// Levels this small are expanded by one thread while the others wait: meeting
// after each of them would cost more.
constexpr std::uint32_t kAloneBelow = 256;

/// All threads wait until the last has come, which does the work. Waiting
/// spins for a moment, then sleeps.
class Meeting {
 public:
  explicit Meeting(std::uint32_t members) : members_(members) {}

  template <class Work>
  void attend(Work&& work) {
    const std::uint32_t round = round_.load(std::memory_order_acquire);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == members_) {
      work();
      arrived_.store(0, std::memory_order_relaxed);
      round_.store(round + 1, std::memory_order_release);
      round_.notify_all();
      return;
    }
    for (int spins = 0; spins < 2000; ++spins) {
      if (round_.load(std::memory_order_acquire) != round) return;
    }
    while (round_.load(std::memory_order_acquire) == round) round_.wait(round, std::memory_order_acquire);
  }

 private:
  const std::uint32_t members_;
  std::atomic<std::uint32_t> arrived_{0};
  std::atomic<std::uint32_t> round_{0};
};

struct alignas(128) Member {
  Member(const Task& task, storage::ExactStateStore& store) : expander(task.system, store, task.options) {}

  ExactExpander<Sharing::kShared> expander;
  // Reserved ids not yet used: only this thread may publish under them.
  std::uint32_t next_id = 0, end_id = 0;
  // The batch under way; kept when it must be expanded again.
  std::uint32_t begin = 0, end = 0;
  FindingLog log;
  std::uint64_t transitions = 0, expanded = 0;
  bool cut = false;
  bool needs_layout = false;
};

class ParallelSearch {
 public:
  ParallelSearch(const Task& task, storage::ExactStateStore& store)
      : task_(task),
        store_(store),
        search_(task),
        meeting_(static_cast<std::uint32_t>(task.options.threads)) {
    // A limit on states is overrun by the ids that threads have reserved.
    if (task.options.state_limit != 0) {
      const std::uint64_t share = task.options.state_limit / (std::uint64_t{32} * task.options.threads);
      chunk_ = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(share, 1, kChunkIds));
    }
  }

  void run(Result& result) {
    const Options& options = task_.options;
    try {
      const InitialState initial(task_.system);
      store_.add_first(initial.words.data(), initial.length);
      for (std::uint32_t i = 0; i < options.threads; ++i)
        members_.push_back(std::make_unique<Member>(task_, store_));
      search_.begin(initial);
      violated_state_ = search_.is_over();
      level_end_ = 1;
      if (violated_state_) finished_ = true;
      store_.prepare_sharing();
      make_room();
    } catch (const std::bad_alloc&) {
      out_of_memory_ = true;
      finished_ = true;
    }
    if (!finished_) {
      std::vector<std::thread> threads;
      for (std::uint32_t i = 1; i < options.threads; ++i) {
        threads.emplace_back([this, i] { work(*members_[i]); });
      }
      work(*members_[0]);
      for (std::thread& thread : threads) thread.join();
    }
    if (failure_) std::rethrow_exception(failure_);
    report(result);
  }

 private:
  void work(Member& member) {
    while (!finished_) {
      explore(member);
      meeting_.attend([this] {
        meet();
        while (!finished_ && level_end_ - level_begin_ < kAloneBelow) {
          for (const auto& each : members_) explore(*each);  // also what another left pending
          meet();
        }
      });
    }
  }

  /// Expands batches until the level is done or a meeting is called.
  void explore(Member& member) noexcept {
    try {
      explore_batches(member);
    } catch (const std::bad_alloc&) {
      out_of_memory_ = true;
      pause_ = true;
    } catch (...) {
      const std::lock_guard<std::mutex> guard(failure_mutex_);
      if (!failure_) failure_ = std::current_exception();
      pause_ = true;
    }
  }

  void explore_batches(Member& member) {
    while (!pause_.load(std::memory_order_relaxed)) {
      if (task_.control.should_stop()) {
        pause_ = true;
        return;
      }
      if (member.begin == member.end) {
        const std::uint64_t begin = cursor_.fetch_add(kBatchStates, std::memory_order_relaxed);
        if (begin >= level_end_) return;
        member.begin = static_cast<std::uint32_t>(begin);
        member.end = static_cast<std::uint32_t>(std::min<std::uint64_t>(begin + kBatchStates, level_end_));
      }
      if (!expand_batch(member)) {
        pause_ = true;
        return;
      }
    }
  }

  /// Expands from member.begin on. False: there was no room, try again later.
  bool expand_batch(Member& member) {
    const Options& options = task_.options;
    auto& expander = member.expander;
    KeyTable& keys = store_.keys();
    expander.clear();
    std::uint32_t next = member.begin;
    while (next < member.end && expander.reached.size() < kBatchSuccessors) {
      if (task_.control.should_stop()) break;
      if (!expander.expand(StateId{next}, depth_, at_limit_)) {
        member.needs_layout = true;
        return false;
      }
      ++next;
    }
    for (auto& reached : expander.reached) keys.advance(reached.probe);
    for (const auto& reached : expander.reached) {
      if (member.next_id == member.end_id && !reserve(member)) {
        // Known states need no id, but then room is short anyway.
        return false;
      }
      if (keys.find_or_publish(reached.probe, member.next_id) == member.next_id) ++member.next_id;
    }
    // From here on the batch counts.
    for (const Finding& finding : expander.findings) {
      member.log.add(finding);
      if (!options.stop_at_first_violation) continue;
      if (finding.path_length() == depth_) {
        violated_state_ = true;
        pause_ = true;
      } else {
        violated_step_ = true;
      }
    }
    member.cut = member.cut || expander.cut;
    member.transitions += expander.reached.size();
    member.expanded += next - member.begin;
    member.begin = next;
    task_.control.transitions.fetch_add(expander.reached.size(), std::memory_order_relaxed);
    const std::uint64_t states = reserved_.load(std::memory_order_relaxed);
    task_.control.states.store(states, std::memory_order_relaxed);
    const std::uint64_t taken = cursor_.load(std::memory_order_relaxed);
    task_.control.frontier.store(states > taken ? states - taken : 0, std::memory_order_relaxed);
    return true;
  }

  bool reserve(Member& member) {
    const std::uint64_t begin = reserved_.fetch_add(chunk_, std::memory_order_relaxed);
    if (begin + chunk_ > id_limit_) return false;
    member.next_id = static_cast<std::uint32_t>(begin);
    member.end_id = static_cast<std::uint32_t>(begin + chunk_);
    return true;
  }

  /// Alone: gives unused ids back, so that states fill the ids without holes.
  void close_holes() {
    std::vector<std::uint32_t> holes;
    std::uint64_t top = std::min<std::uint64_t>(reserved_.load(), id_limit_);
    top -= (top - room_begin_) % chunk_;  // chunks refused at the limit were never given out
    for (const auto& member : members_) {
      for (std::uint32_t id = member->next_id; id < member->end_id; ++id) holes.push_back(id);
      member->next_id = member->end_id = 0;
    }
    std::sort(holes.begin(), holes.end());
    std::size_t low = 0, high = holes.size();
    while (low < high) {
      if (holes[high - 1] == top - 1) {  // a hole at the end
        --high;
        --top;
        continue;
      }
      store_.keys().move_key(static_cast<std::uint32_t>(top - 1), holes[low]);
      ++low;
      --top;
    }
    store_.keys().set_size(static_cast<std::uint32_t>(top));
  }

  /// Alone: room for the threads to go on for a while.
  void make_room() {
    KeyTable& keys = store_.keys();
    const std::uint64_t chunks = std::uint64_t{task_.options.threads} * chunk_ * 4;
    if (keys.size() + chunks > keys.limit()) keys.make_room(chunks + keys.size() / 8);
    room_begin_ = keys.size();
    reserved_ = keys.size();
    id_limit_ = keys.limit();
    if (task_.options.state_limit != 0) {
      id_limit_ = std::min<std::uint64_t>(
          id_limit_, std::max<std::uint64_t>(task_.options.state_limit, keys.size()) + chunks / 2);
    }
  }

  /// Alone, between rounds: repairs what stopped the threads, or moves on.
  void meet() {
    pause_ = false;
    const Options& options = task_.options;
    try {
      close_holes();
      if (failure_ || out_of_memory_ || violated_state_ || task_.control.should_stop()) {
        finished_ = true;
        return;
      }
      if (options.state_limit != 0 && store_.size() > options.state_limit) {
        task_.control.stop(StopReason::kStates);
        finished_ = true;
        return;
      }
      bool pending = cursor_.load() < level_end_, no_room = false;
      for (const auto& member : members_) {
        pending = pending || member->begin != member->end;
        if (!member->needs_layout) continue;
        store_.maintain(member->expander.workspace());
        member->needs_layout = false;
        no_room = true;
      }
      if (no_room) store_.prepare_sharing();
      if (!pending) {
        if (violated_step_ || level_end_ == store_.size()) {
          finished_ = true;
          return;
        }
        level_starts_.push_back(level_end_);
        level_begin_ = level_end_;
        level_end_ = store_.size();
        cursor_ = level_begin_;
        ++depth_;
        task_.control.depth = depth_;
        at_limit_ = search_.at_limit(depth_);
      }
      make_room();
    } catch (const std::bad_alloc&) {
      out_of_memory_ = true;
      finished_ = true;
    } catch (...) {
      failure_ = std::current_exception();
      finished_ = true;
    }
  }

  void report(Result& result) {
    std::uint64_t expanded = 0;
    for (const auto& member : members_) {
      search_.merge(member->log);
      result.transitions += member->transitions;
      expanded += member->expanded;
      search_.cut = search_.cut || member->cut;
    }
    search_.out_of_memory = out_of_memory_;
    result.states = store_.size();
    result.depth = depth_;
    result.frontier = store_.size() - expanded;
    result.table_bytes = store_.bytes();
    const auto& findings = search_.end(expanded == store_.size(), result);
    result.violations = trace_back(task_.system, store_, level_starts_, findings);
  }

  const Task& task_;
  storage::ExactStateStore& store_;
  LevelSearch search_;
  std::uint32_t chunk_ = kChunkIds;
  std::vector<std::unique_ptr<Member>> members_;
  Meeting meeting_;
  std::vector<std::uint32_t> level_starts_{0};
  // Changed only at meetings.
  std::uint32_t level_begin_ = 0, level_end_ = 0, depth_ = 0;
  bool at_limit_ = false;
  std::uint64_t room_begin_ = 0, id_limit_ = 0;
  std::atomic<bool> finished_{false};
  // Shared while threads run.
  alignas(128) std::atomic<std::uint64_t> cursor_{0};
  alignas(128) std::atomic<std::uint64_t> reserved_{0};
  alignas(128) std::atomic<bool> pause_{false};
  std::atomic<bool> violated_state_{false}, violated_step_{false}, out_of_memory_{false};
  std::mutex failure_mutex_;
  std::exception_ptr failure_;
};

void run(const Task& task, Result& result) {
  storage::ExactStateStore store(task.system.max_words(), task.budget);
  ParallelSearch(task, store).run(result);
}

const Registered registered({.name = "bfs", .storage = "exact", .has_threads = true, .run = run});

}  // namespace
}  // namespace assay::search
