#include "search/search.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "search/replacement/policy.hpp"
#include "search/strategies.hpp"
#include "storage/state_cache.hpp"
#include "support/memory.hpp"

namespace assay::search {
namespace {

using Strategy = void (*)(const Task&, Result&);

Strategy choose_cached(const Options& options) {
  if (options.storage != "exact" || options.threads != 1) {
    throw std::invalid_argument("a cached search runs on one thread with exact storage");
  }
  if (options.cache.size == 0 || options.cache.size > storage::StateCache::kMaxCapacity) {
    throw std::invalid_argument("the cache holds from 1 to " + std::to_string(storage::StateCache::kMaxCapacity) +
                                " states, not " + std::to_string(options.cache.size));
  }
  if (options.cache.strata == 0) throw std::invalid_argument("there is at least one stratum");
  if (replacement::make_policy(options.cache.policy, 0, 1) == nullptr) {
    throw std::invalid_argument("unknown policy '" + options.cache.policy + "'");
  }
  return cached_depth_first;
}

Strategy choose(const Options& options) {
  if (options.strategy == "two-phases") return two_phases;
  if (options.strategy == "overlap") return two_overlapping;
  if (options.strategy == "sweep") {
    if (options.hash_functions == 0) throw std::invalid_argument("a sweep needs a hash function");
    if (options.bitstate_bytes == 0) throw std::invalid_argument("a sweep needs bitstate_bytes above 0");
    return sweep;
  }
  const bool is_breadth_first = options.strategy == "bfs";
  const bool is_depth_first = options.strategy == "dfs" || options.strategy == "random-dfs";
  if (options.strategy == "cached") return choose_cached(options);
  if (!is_breadth_first && !is_depth_first) {
    throw std::invalid_argument("unknown strategy '" + options.strategy + "'; choose bfs, dfs, random-dfs or cached");
  }
  if (options.threads == 0) throw std::invalid_argument("a search needs at least one thread");
  if (options.log != nullptr && (options.storage != "exact" || options.threads != 1 || options.strategy == "random-dfs")) {
    throw std::invalid_argument("only bfs, dfs and cached on one thread with exact storage write the graph down");
  }
  if (!options.spilling.directory.empty()) {
    if (!is_breadth_first || options.storage != "exact" || options.threads != 1) {
      throw std::invalid_argument("a search that keeps its states on disk is bfs on one thread with exact storage");
    }
    return spilling_breadth_first;
  }
  if (options.storage == "exact") {
    if (options.threads == 1) return is_breadth_first ? breadth_first : depth_first;
    if (is_breadth_first) return parallel_breadth_first;
    throw std::invalid_argument("depth-first search runs on one thread; use bfs to search with several");
  }
  if (options.threads != 1) {
    throw std::invalid_argument("storage '" + options.storage + "' runs on one thread; several need exact storage");
  }
  if (options.storage == "fingerprint") {
    if (is_breadth_first) return fingerprint_breadth_first;
    throw std::invalid_argument("fingerprint storage searches breadth first; use bfs with it");
  }
  if (options.storage == "bitstate") {
    if (!is_depth_first) throw std::invalid_argument("bitstate storage searches depth first; use dfs with it");
    if (options.hash_functions == 0) throw std::invalid_argument("bitstate storage needs a hash function");
    if (options.bitstate_bytes == 0) throw std::invalid_argument("bitstate storage needs bitstate_bytes above 0");
    return bitstate_depth_first;
  }
  throw std::invalid_argument("unknown storage '" + options.storage + "'; choose exact, fingerprint or bitstate");
}

}  // namespace

const char* name_of(StopReason reason) {
  switch (reason) {
    case StopReason::kNone: return "";
    case StopReason::kViolation: return "violation";
    case StopReason::kMemory: return "memory";
    case StopReason::kTime: return "time";
    case StopReason::kDepth: return "depth";
    case StopReason::kStates: return "states";
    case StopReason::kInterrupted: return "interrupted";
    case StopReason::kCache: return "cache";
  }
  return "";
}

Result search(const transition_system::TransitionSystem& system, const Options& options, const Watcher& watcher) {
  using Clock = std::chrono::steady_clock;
  const Strategy strategy = choose(options);
  const support::MemoryBudget budget(options.memory_limit_bytes);
  Control control;
  Result result;
  const Task task{system, options, budget, control};

  std::mutex mutex;
  std::condition_variable changed;
  bool finished = false;
  std::exception_ptr failure;
  const Clock::time_point start = Clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  double seconds = 0;

  std::thread worker([&] {
    try {
      strategy(task, result);
    } catch (...) {
      failure = std::current_exception();
    }
    const std::lock_guard<std::mutex> guard(mutex);
    seconds = elapsed();
    finished = true;
    changed.notify_all();
  });

  constexpr double kLook = 0.02, kAskInterrupt = 0.1;
  double next_progress = std::max(options.progress_interval_seconds, 0.001);
  double next_interrupt = kAskInterrupt;
  std::exception_ptr watcher_failure;
  bool refused = false;  // who said stop is not asked again
  std::unique_lock<std::mutex> lock(mutex);
  while (!finished) {
    double wait = std::min(kLook, std::max(next_progress - elapsed(), 0.0005));
    if (options.time_limit_seconds > 0) wait = std::min(wait, std::max(options.time_limit_seconds - elapsed(), 0.0005));
    changed.wait_for(lock, std::chrono::duration<double>(wait), [&] { return finished; });
    if (finished) break;
    lock.unlock();
    const double now = elapsed();
    if (options.time_limit_seconds > 0 && now >= options.time_limit_seconds) control.stop(StopReason::kTime);
    if (options.memory_limit_bytes > 0 && support::resident_bytes() > options.memory_limit_bytes) {
      control.stop(StopReason::kMemory);
    }
    try {
      if (watcher.interrupted && now >= next_interrupt) {
        next_interrupt = now + kAskInterrupt;
        if (watcher.interrupted()) control.stop(StopReason::kInterrupted);
      }
      if (watcher.progress && !refused && now >= next_progress) {
        next_progress = now + std::max(options.progress_interval_seconds, 0.001);
        const Progress progress{control.states.load(),   control.transitions.load(),  control.depth.load(),
                                control.frontier.load(), support::resident_bytes(), now,
                                control.tracing.load()};
        refused = !watcher.progress(progress);
        if (refused) control.stop(StopReason::kInterrupted);
      }
    } catch (...) {
      watcher_failure = std::current_exception();
      control.stop(StopReason::kInterrupted);
    }
    lock.lock();
  }
  lock.unlock();
  worker.join();
  // What writes a certificate next has the memory that the search had.
  if (options.log != nullptr) support::return_free_memory();
  if (failure) std::rethrow_exception(failure);
  if (watcher_failure) std::rethrow_exception(watcher_failure);
  result.seconds = seconds;
  return result;
}

}  // namespace assay::search
