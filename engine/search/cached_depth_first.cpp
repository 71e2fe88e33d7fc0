// Depth-first search that keeps a bounded set of visited states (thesis ch. 4).
// Finished: every reachable state was seen, some more than once.
//
// What is on the stack stays in the cache, so a path never comes back to itself
// and the search ends; everything else may be replaced, and is explored again
// when it is met again. Every state that was entered is left only after each of
// its successors was entered or found in the cache, where only entered states
// are: so a search that ends has entered all reachable states (Theorem 4.2.2).
//
// States are kept as keys of an exact store, whose tables of parts are not
// bounded by the cache: they grow with the variety of parts, not of states.
#include <algorithm>
#include <memory>

#include "evidence/visit_log.hpp"
#include "search/exact_expander.hpp"
#include "search/observers/visit_recorder.hpp"
#include "search/path_search.hpp"
#include "search/path_stack.hpp"
#include "search/replacement/policy.hpp"
#include "search/strategy.hpp"
#include "storage/state_cache.hpp"

namespace assay::search {
namespace {

using replacement::Slot;
using storage::Sharing;
using storage::StateCache;

// Successors that wait before old ones are dropped: at least this many, and as
// many as the cache has room for.
constexpr std::uint64_t kWaitingAtLeast = std::uint64_t{1} << 16;

class CachedDepthFirst {
 public:
  CachedDepthFirst(const Task& task, const Observers& observers, Result& result)
      : task_(task),
        observers_(observers),
        result_(result),
        store_(task.system.max_words(), task.budget),
        cache_(task.options.number("cache_size", 0)),
        policy_(replacement::make_policy(task.options.text("cache_policy", "rungs"), task.options.seed,
                                         static_cast<std::uint32_t>(task.options.number("cache_strata", 4)))),
        path_(task.budget),
        search_(task, result, path_.frames()),
        waiting_limit_(task.options.number("cache_pending_limit", 0)) {
    store_.add_outside_keys(&cache_.keys());
    store_.add_outside_keys(&path_.waiting().keys());
  }

  void run() {
    try {
      const InitialState initial(task_.system);
      store_.add_first(initial.words.data(), initial.length);
      if (initial.violation != 0) search_.record(initial.violation, Finding::kAtState);
      Expander expander(task_.system, store_, task_.options, &task_.observers);
      observers_.begins(TraversalOrder::kDepthFirst);
      if (!search_.is_over()) {
        make_place();
        enter(store_.key(StateId{0}), expander);
      }
      while (!path_.empty() && !search_.should_stop()) {
        if (path_.starts_restoring()) restore(expander);
        if (path_.last().pending == 0) {
          leave();
        } else if (const StopReason reason = follow(expander); reason != StopReason::kNone) {
          task_.control.stop(reason);
          break;
        }
      }
      if (task_.options.flag("keep_cache")) keep_contents();
    } catch (const std::bad_alloc&) {
      search_.out_of_memory = true;
    }
    search_.end(visits_, transitions_, max_depth_);
    result_.cache.capacity = cache_.capacity();
    result_.cache.held = cache_.size();
    result_.cache.replaced = replaced_;
    result_.cache.hits = hits_;
    result_.table_bytes =
        store_.bytes() + cache_.bytes() + cache_.room() * policy_->bytes_per_slot() + path_.bytes();
  }

 private:
  using Expander = ExactExpander<Sharing::kPrivate>;
  using Path = PathStack<Slot, WaitingKeys>;

  void expand(Slot slot, bool at_limit, Expander& expander) {
    expander.expand_alone([&] { return cache_.key(slot); }, slot, at_limit, [&] { cache_.rebuild(); });
  }

  void enter(std::uint64_t key, Expander& expander) {
    const std::size_t depth = path_.size();
    max_depth_ = std::max<std::uint64_t>(max_depth_, depth);
    const Slot slot = cache_.add(key);
    policy_->entered(slot, depth);
    if (depth > 0) observers_.edge({path_.last().position, slot, true});
    expand(slot, search_.at_limit(depth), expander);
    ++visits_;
    search_.cut = search_.cut || expander.cut;
    path_.enter(slot);
    observers_.entered(slot);
    for (const Finding& finding : expander.findings) search_.record(finding.code, finding.position);
    const auto degree = static_cast<std::uint32_t>(expander.reached.size());
    transitions_ += degree;
    policy_->expanded(slot, degree);
    observers_.expanded(
        {slot, degree, expander.successors().count(), expander.state(), &expander.successors()});
    await(0, expander);
    path_.keep_within(waiting_limit_ != 0 ? waiting_limit_ : std::max(kWaitingAtLeast, cache_.room()));
  }

  void leave() {
    const Slot slot = path_.last().node;
    path_.leave();
    policy_->left(slot, path_.empty() ? replacement::kNoSlot : path_.last().node);
    observers_.left();
  }

  /// Makes the successors just expanded wait, from number `first` on. What is
  /// in the cache now was or is being explored, whatever becomes of it until its
  /// turn: Algorithm 4.1 looks only then, and explores more again.
  void await(std::uint32_t first, Expander& expander) {
    for (const auto& reached : expander.reached) cache_.prefetch(reached.probe.key);
    for (auto i = static_cast<std::uint32_t>(expander.reached.size()); i-- > first;) {
      const auto& reached = expander.reached[i];
      if (!is_hit(reached.probe.key, reached.position)) path_.add(reached.probe.key, reached.position);
    }
  }

  void restore(Expander& expander) {
    expand(path_.last().node, false, expander);
    std::uint32_t next = 0;
    while (expander.reached[next].position != path_.last().position) ++next;
    await(next + 1, expander);
  }

  bool is_hit(std::uint64_t key, Position position) {
    const Slot known = cache_.find(key);
    if (known == StateCache::kNone) return false;
    ++hits_;
    policy_->hit(known, path_.last().node);
    observers_.edge({position, known, false});
    return true;
  }

  /// Tries the next successor; answers why the search cannot go on, if it cannot.
  StopReason follow(Expander& expander) {
    const auto [key, position] = path_.take();
    if (!path_.waiting().empty()) cache_.prefetch(path_.waiting().next_key());
    if (is_hit(key, position)) return StopReason::kNone;
    path_.last().position = position;
    if (!make_place()) return StopReason::kCache;
    if (task_.options.state_limit != 0 && visits_ >= task_.options.state_limit) return StopReason::kStates;
    enter(key, expander);
    if ((visits_ & 63) == 0) task_.control.report(visits_, transitions_, max_depth_, path_.size());
    return StopReason::kNone;
  }

  /// False: everything in the cache is on the stack or belongs to what is.
  bool make_place() {
    if (!cache_.is_full() && cache_.needs_room()) {
      const std::uint64_t more = cache_.next_room() - cache_.room();
      const std::size_t bytes = more * (StateCache::kBytesPerSlot + policy_->bytes_per_slot());
      // The tables of parts have to find room too, for as much again as they have.
      if (cache_.room() == 0 || task_.budget.allows(bytes + store_.bytes())) {
        cache_.make_room();
        policy_->make_room(cache_.room(), cache_.capacity());
      } else {
        cache_.stop_growing();
      }
    }
    if (!cache_.is_full()) return true;
    victims_.clear();
    policy_->replace(victims_);
    for (const Slot slot : victims_) cache_.remove(slot);
    replaced_ += victims_.size();
    return !victims_.empty();
  }

  void keep_contents() {
    auto cursor = store_.make_cursor();
    for (Slot slot = 0; slot < cache_.keys().size(); ++slot) {
      if (cache_.find(cache_.key(slot)) != slot) continue;  // an empty slot
      store_.decode(cache_.key(slot), cursor);
      const auto state = cursor.view();
      result_.cache.contents.push_back({{state.begin(), state.end()}, policy_->worth(slot)});
    }
  }

  const Task& task_;
  const Observers& observers_;
  Result& result_;
  storage::ExactStateStore store_;
  StateCache cache_;
  const std::unique_ptr<replacement::Policy> policy_;
  Path path_;
  PathSearch<Path::Frame> search_;
  const std::uint64_t waiting_limit_;
  std::vector<Slot> victims_;
  std::uint64_t visits_ = 0, transitions_ = 0, max_depth_ = 0, hits_ = 0, replaced_ = 0;
};

/// The graph of a search that forgets is made of its visits, when it is over and its memory is free again.
void run(const Task& task, Result& result) {
  evidence::GraphLog* const graph = task.graph;
  if (graph == nullptr) {
    CachedDepthFirst(task, task.observers, result).run();
    return;
  }
  evidence::VisitLog visits(graph->directory());
  Observers observers = task.observers;
  observers.add(std::make_unique<VisitRecorder>(visits));
  std::make_unique<CachedDepthFirst>(task, observers, result)->run();
  if (!result.complete || result.violation_count != 0) return;
  const std::uint64_t states_at_once = std::max<std::uint64_t>(result.cache.capacity, 1024);
  try {
    if (!visits.write_graph(*graph, states_at_once, [&] { return task.control.should_stop(); })) {
      result.stop_reason = task.control.reason();
    }
  } catch (const std::bad_alloc&) {
    result.stop_reason = StopReason::kMemory;
  }
  result.complete = result.stop_reason == StopReason::kNone;
  if (!result.complete) return;
  result.cache.states_of_graph = graph->states();
  result.cache.transitions_of_graph = graph->transitions();
}

void check(const Options& options) {
  const std::uint64_t size = options.number("cache_size", 0);
  if (size == 0 || size > StateCache::kMaxCapacity) {
    throw std::invalid_argument("the cache holds from 1 to " + std::to_string(StateCache::kMaxCapacity) +
                                " states, not " + std::to_string(size));
  }
  if (options.number("cache_strata", 4) == 0) throw std::invalid_argument("there is at least one stratum");
  const std::string policy = options.text("cache_policy", "rungs");
  if (replacement::make_policy(policy, 0, 1) == nullptr) {
    throw std::invalid_argument("unknown policy '" + policy + "'");
  }
}

const Registered registered({.name = "cached",
                             .storage = "exact",
                             .is_offered = true,
                             .tells = true,
                             .recording = Recording::kByItself,
                             .run = run,
                             .options = {"cache_size", "cache_policy", "cache_strata", "cache_pending_limit",
                                         "keep_cache"},
                             .check = check});

}  // namespace
}  // namespace assay::search
