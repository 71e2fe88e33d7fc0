#include "search/search.hpp"

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "search/observers/graph_recorder.hpp"
#include "search/observers/mark_recorder.hpp"
#include "search/observers/registry.hpp"
#include "search/strategy.hpp"
#include "search/watched_run.hpp"
#include "support/memory.hpp"

namespace assay::search {
namespace {

/// What strategies and observers register into; made when the first one does.
std::vector<Strategy>& registry() {
  static std::vector<Strategy> strategies;
  return strategies;
}
struct KnownObserver {
  std::string name;
  MakeObserver make;
  Listens listens;
};
std::vector<KnownObserver>& observer_registry() {
  static std::vector<KnownObserver> observers;
  return observers;
}

template <class Keep>
std::string listed(std::string Strategy::* field, Keep keep) {
  std::vector<std::string> names;
  for (const Strategy& strategy : registry()) {
    if (keep(strategy) && !(strategy.*field).empty()) names.push_back(strategy.*field);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i];
  return text;
}

/// The observers that the option `observe` names, separated by commas.
std::vector<KnownObserver> wanted_observers(const std::string& names) {
  std::vector<KnownObserver> wanted;
  std::istringstream list(names);
  for (std::string name; std::getline(list, name, ',');) {
    const auto found = std::ranges::find(observer_registry(), name, &KnownObserver::name);
    if (found == observer_registry().end()) {
      std::string known;
      for (const auto& entry : observer_registry()) known += (known.empty() ? "" : ", ") + entry.name;
      throw std::invalid_argument("nobody observes '" + name + "'; choose some of: " + known);
    }
    wanted.push_back(*found);
  }
  return wanted;
}

/// The strategy that does what the options ask for, or a sentence why there is none.
const Strategy& choose(const Options& options, bool records) {
  if (options.threads == 0) throw std::invalid_argument("a search needs at least one thread");
  const auto with_name = [&](const Strategy& s) { return s.name == options.strategy; };
  const auto with_storage = [&](const Strategy& s) {
    return with_name(s) && (s.storage.empty() || s.storage == options.storage);
  };
  const auto fits = [&](const Strategy& s) {
    return with_storage(s) && s.has_threads == (options.threads > 1) &&
           s.is_on_disk == !options.spill_directory.empty();
  };
  const auto any = [](const auto& condition) { return std::ranges::any_of(registry(), condition); };
  if (!any(with_name)) {
    throw std::invalid_argument(
        "unknown strategy '" + options.strategy + "'; choose " +
        listed(&Strategy::name, [](const Strategy& s) { return !s.storage.empty(); }));
  }
  if (!any([&](const Strategy& s) { return s.storage == options.storage; })) {
    throw std::invalid_argument("unknown storage '" + options.storage + "'; choose " +
                                listed(&Strategy::storage, [](const Strategy&) { return true; }));
  }
  if (!any(with_storage)) {
    throw std::invalid_argument(
        "storage '" + options.storage + "' does not go with '" + options.strategy + "'; use " +
        listed(&Strategy::name, [&](const Strategy& s) { return s.storage == options.storage; }) +
        " with it");
  }
  const auto found = std::ranges::find_if(registry(), fits);
  if (found == registry().end()) {
    if (!options.spill_directory.empty()) {
      throw std::invalid_argument(
          "a search that keeps its states on disk is bfs on one thread with exact storage");
    }
    throw std::invalid_argument("'" + options.strategy + "' with " + options.storage +
                                " storage runs on one thread; bfs with exact storage runs on several");
  }
  if (records && found->recording == Recording::kNone) {
    throw std::invalid_argument(
        "only bfs, dfs and cached on one thread with exact storage write the graph down");
  }
  for (const auto& [name, value] : options.others()) {
    if (name != "observe" &&
        !any([&](const Strategy& s) { return std::ranges::count(s.options, name) != 0; })) {
      throw std::invalid_argument("no search has an option '" + name + "'");
    }
  }
  for (const KnownObserver& observer : wanted_observers(options.text("observe"))) {
    const bool shows_visits = !found->has_threads && !found->is_on_disk;
    if (observer.listens == Listens::kToEvents ? found->tells : shows_visits) continue;
    throw std::invalid_argument(
        observer.listens == Listens::kToEvents
            ? "observe: this search does not tell what it meets; bfs, dfs and cached on one thread with "
              "exact "
              "storage in memory do"
            : "observe: only searches on one thread in memory tell which states they look at");
  }
  if (found->check != nullptr) found->check(options);
  return *found;
}

}  // namespace

Registered::Registered(Strategy strategy) { registry().push_back(std::move(strategy)); }
const std::vector<Strategy>& strategies() { return registry(); }
RegisteredObserver::RegisteredObserver(const char* name, MakeObserver make, Listens listens) {
  observer_registry().push_back({name, make, listens});
}

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

const char* name_of(Guarantee guarantee) {
  switch (guarantee) {
    case Guarantee::kExact: return "exact";
    case Guarantee::kMayLose: return "may-lose";
    case Guarantee::kUnderApproximates: return "under-approximates";
  }
  return "";
}

Result search(const transition_system::TransitionSystem& system, const Options& options,
              const Watcher& watcher, evidence::GraphLog* graph, evidence::RankedGraph* ranked) {
  const Strategy& strategy = choose(options, graph != nullptr);
  if (strategy.has_threads && system.is_single_threaded()) {
    throw std::invalid_argument("this program is executed by one thread at a time; search with one");
  }
  Observers observers;
  for (const KnownObserver& one : wanted_observers(options.text("observe"))) observers.add(one.make(system));
  if (graph != nullptr && strategy.recording == Recording::kObserved) {
    observers.add(std::make_unique<GraphRecorder>(*graph));
  }
  const support::MemoryBudget budget(options.memory_limit_bytes);
  if (ranked != nullptr) {
    if (options.strategy != "bfs" || strategy.recording != Recording::kObserved || strategy.has_threads) {
      throw std::invalid_argument("only bfs on one thread in memory keeps the graph to be ranked");
    }
    observers.add(std::make_unique<MarkRecorder>(*ranked, system, budget));
  }
  Control control;
  Result result;
  const Task task{system,  options,   budget,
                  control, observers, strategy.recording == Recording::kByItself ? graph : nullptr};
  result.seconds = WatchedRun(options, watcher, control)([&] {
    strategy.run(task, result);
    observers.ends(result);
  });
  // What writes a certificate next has the memory that the search had.
  if (graph != nullptr) support::return_free_memory();
  return result;
}

}  // namespace assay::search
