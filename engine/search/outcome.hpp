/// What a search is asked to do, and what it reports.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "evidence/graph_log.hpp"

namespace assay::search {

/// The cache of a search that forgets states.
struct CacheOptions {
  std::uint64_t size = 0;  // states it holds at most
  std::string policy = "rungs";
  std::uint32_t strata = 4;         // of the policy `stratified`
  std::uint64_t pending_limit = 0;  // successors that wait; 0: as many as suit the cache
  bool keep_contents = false;       // answer what the cache holds at the end
};

/// Where a search keeps its states when that is not in memory.
struct Spilling {
  std::string directory;  // empty: in memory
  bool resume = false;    // go on from the checkpoint in the directory, if there is one
  /// What the checkpoint is about, by name: a search with other values is another search.
  std::vector<std::pair<std::string, std::string>> identity;
  double checkpoint_seconds = 30;   // between two checkpoints
  std::uint64_t buffer_bytes = 0;   // 0: what the memory limit leaves
};

/// What a search that looks around is asked for (`two-phases`, `overlap`, `sweep`).
struct LookingAround {
  std::uint64_t exhaustive_states = 0;  // two-phases: states of the first phase
  std::uint32_t samplers = 1;           // two-phases: depth-first searches that take turns
  std::string scratch_directory;        // sweep: where queues that grow too long are written
};

struct Options {
  std::string strategy = "bfs";
  std::string storage = "exact";
  std::uint32_t threads = 1;
  std::uint64_t seed = 0;
  std::uint32_t hash_functions = 3;
  std::uint64_t bitstate_bytes = 0;
  std::uint64_t memory_limit_bytes = 0;  // 0 means no limit, here and below
  double time_limit_seconds = 0;
  std::uint64_t depth_limit = 0;
  std::uint64_t state_limit = 0;
  bool stop_at_first_violation = true;
  bool check_deadlock = true;
  double progress_interval_seconds = 1;
  evidence::GraphLog* log = nullptr;  // where the graph is written down; exact searches of one thread only
  CacheOptions cache;  // of the strategy `cached`
  Spilling spilling{};
  LookingAround looking{};
};

enum class StopReason : int { kNone, kViolation, kMemory, kTime, kDepth, kStates, kInterrupted, kCache };
const char* name_of(StopReason reason);

/// A path names successors by position, from the initial state on.
struct Violation {
  std::uint32_t code = 0;  // 0: a state without successors that is no valid end
  std::vector<std::uint32_t> path;
};

/// What a cached search says besides; its `states` counts visits.
struct CacheFacts {
  std::uint64_t capacity = 0;  // less than asked for if memory was short
  std::uint64_t held = 0;      // states in it at the end
  std::uint64_t replaced = 0;  // 0: no state was visited twice
  std::uint64_t hits = 0;
  std::uint64_t states_of_graph = 0;  // distinct; known (not 0) once the graph was written down
  std::uint64_t transitions_of_graph = 0;
  struct Held {
    std::vector<std::uint64_t> state;
    std::uint64_t worth;
  };
  std::vector<Held> contents;  // if asked for
};

/// What a search that looks around saw; assay.evidence.coverage makes estimates of it.
struct Seen {
  std::uint64_t exhaustive = 0;         // states of the first phase
  std::vector<std::uint64_t> sizes;     // new states that each sampled productive transition led to
  std::uint64_t unfinished = 0;         // samples cut short by the limit
  std::uint64_t tried = 0;              // transitions sampled
  std::uint64_t left = 0;               // unexplored transitions not sampled
  std::uint64_t productive_left = 0;    // different unvisited states these lead to
  std::uint64_t first = 0, second = 0, both = 0;  // overlap: states of two searches, and of both
  std::vector<std::uint64_t> levels;    // states of each breadth-first level
};

struct Result {
  std::uint64_t states = 0;
  std::uint64_t transitions = 0;
  std::uint64_t depth = 0;
  bool complete = false;
  StopReason stop_reason = StopReason::kNone;
  std::vector<Violation> violations;
  std::uint64_t violation_count = 0;
  double seconds = 0;
  std::uint64_t table_bytes = 0;
  std::uint64_t bits_set = 0;
  std::uint64_t bits_total = 0;
  std::uint64_t frontier = 0;
  CacheFacts cache;
  std::uint64_t disk_bytes = 0;    // most that lay on disk at once
  std::uint64_t resumed_from = 0;  // states that a checkpoint brought along
  Seen seen;
};

/// What the searching threads and the thread that watches them share. The
/// watcher sees limits on time and memory, and people who lose patience; the
/// search sees only that it shall stop.
class Control {
 public:
  bool should_stop() const { return reason_.load(std::memory_order_relaxed) != 0; }
  /// The first reason counts.
  void stop(StopReason reason) {
    int none = 0;
    reason_.compare_exchange_strong(none, static_cast<int>(reason));
  }
  StopReason reason() const { return static_cast<StopReason>(reason_.load()); }

  /// Figures for the progress display; approximate while the search runs.
  void report(std::uint64_t states, std::uint64_t transitions, std::uint64_t depth, std::uint64_t frontier) {
    this->states.store(states, std::memory_order_relaxed);
    this->transitions.store(transitions, std::memory_order_relaxed);
    this->depth.store(depth, std::memory_order_relaxed);
    this->frontier.store(frontier, std::memory_order_relaxed);
  }
  std::atomic<std::uint64_t> states{0}, transitions{0}, depth{0}, frontier{0};
  /// The search is over and something was found: now the paths to it are made.
  std::atomic<bool> tracing{false};

 private:
  std::atomic<int> reason_{0};
};

}  // namespace assay::search
