/// What a search reports.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "search/options.hpp"

namespace assay::search {

/// In which order states are visited.
enum class TraversalOrder { kBreadthFirst, kDepthFirst };

enum class StopReason : int { kNone, kViolation, kMemory, kTime, kDepth, kStates, kInterrupted, kCache };
const char* name_of(StopReason reason);

/// A path names successors by position, from the initial state on.
struct Violation {
  std::uint32_t code = 0;  // 0: a state without successors that is no valid end
  std::vector<std::uint32_t> path;
  std::optional<std::uint32_t> loop_start{};  // of a run that never ends: from this step on it goes round
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
  std::uint64_t exhaustive = 0;                   // states of the first phase
  std::vector<std::uint64_t> sizes;               // new states that each sampled productive transition led to
  std::uint64_t unfinished = 0;                   // samples cut short by the limit
  std::uint64_t tried = 0;                        // transitions sampled
  std::uint64_t left = 0;                         // unexplored transitions not sampled
  std::uint64_t productive_left = 0;              // different unvisited states these lead to
  std::uint64_t first = 0, second = 0, both = 0;  // overlap: states of two searches, and of both
  std::vector<std::uint64_t> levels;              // states of each breadth-first level
};

/// What a finished search that found nothing may have missed.
enum class Guarantee {
  kExact,              // nothing: every reachable state was seen
  kMayLose,            // states whose hash is that of another one, with a probability that can be told
  kUnderApproximates,  // states that an abstraction takes for others, and all that only these lead to
};
const char* name_of(Guarantee guarantee);

struct Result {
  std::uint64_t states = 0;
  std::uint64_t transitions = 0;
  std::uint64_t depth = 0;
  bool complete = false;
  Guarantee guarantee = Guarantee::kExact;
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
  std::uint64_t restarts = 0;                         // how often a search began again; see restarts.hpp
  std::map<std::string, std::uint64_t> observations;  // what observers counted, by name
  std::map<std::string, std::string> records;         // what they wrote down, as bytes
};

}  // namespace assay::search
