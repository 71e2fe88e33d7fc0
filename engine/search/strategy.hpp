/// What a strategy is given, and how it makes itself known. One file each.
#pragma once

#include <string>
#include <vector>

#include "evidence/graph_log.hpp"
#include "search/control.hpp"
#include "search/observer.hpp"
#include "search/result.hpp"
#include "support/memory.hpp"
#include "transition_system/transition_system.hpp"

namespace assay::search {

/// What every strategy is given. A strategy fills in the result as far as it
/// got, also when memory runs out.
struct Task {
  const transition_system::TransitionSystem& system;
  const Options& options;
  const support::MemoryBudget& budget;
  Control& control;
  const Observers& observers;
  /// Where a strategy that records `by_itself` writes the graph; null if it need not.
  evidence::GraphLog* graph = nullptr;
};

/// Who writes the graph down that a certificate is made of.
enum class Recording {
  kNone,      // nobody: the strategy does not see it
  kObserved,  // an observer, from the events of the search
  kByItself,  // the strategy: it does not know its states by number
};

struct Strategy {
  std::string name{};        // of the option `strategy`
  std::string storage{};     // of the option `storage`; empty: the strategy brings its own
  bool has_threads = false;  // runs on several, and only on several
  bool is_on_disk = false;   // keeps its states in `spill_directory`
  bool is_offered = false;   // to users, by its name: it looks at every state and every property
  bool tells = false;        // observers what it meets
  Recording recording = Recording::kNone;
  void (*run)(const Task&, Result&) = nullptr;
  std::vector<std::string> options{};       // that only it reads
  void (*check)(const Options&) = nullptr;  // throws std::invalid_argument with a sentence
};

/// Every file of a strategy has one of these for each strategy in it.
struct Registered {
  explicit Registered(Strategy strategy);
};
const std::vector<Strategy>& strategies();

}  // namespace assay::search
