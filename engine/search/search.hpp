/// Runs one search and watches it.
#pragma once

#include <functional>

#include "evidence/graph_log.hpp"
#include "evidence/ranked_graph.hpp"
#include "search/result.hpp"
#include "transition_system/transition_system.hpp"

namespace assay::search {

struct Progress {
  std::uint64_t states = 0;
  std::uint64_t transitions = 0;
  std::uint64_t depth = 0;
  std::uint64_t frontier = 0;
  std::uint64_t memory_bytes = 0;
  double seconds = 0;
  bool tracing = false;
  std::uint64_t rounds = 0, predicates = 0, eligible = 0;  // of a search that refines an abstraction
};

/// Called by the thread that called `search`, never by a searching one.
/// `progress` comes at the interval asked for, also while a single state takes
/// long; `interrupted` is asked about ten times a second. Both may be empty.
struct Watcher {
  std::function<bool(const Progress&)> progress;  // false stops the search
  std::function<bool()> interrupted;              // true stops the search
};

/// Throws std::invalid_argument with a sentence for options that do not go
/// together, and whatever a model throws. `graph`: where to write the graph down, if anywhere;
/// `ranked`: where to keep it with its acceptance sets, which only a breadth-first search on one thread does.
Result search(const transition_system::TransitionSystem& system, const Options& options,
              const Watcher& watcher, evidence::GraphLog* graph = nullptr,
              evidence::RankedGraph* ranked = nullptr);

}  // namespace assay::search
