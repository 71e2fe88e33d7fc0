// Depth-first search on one thread, exact, in the order of successors or in
// another one (successor_order). Finished: every reachable state was seen.
//
// What waits along the path are keys of the store (path_stack): a deep path
// costs twelve bytes a state. The lookups of a state's successors overlap.
#include <algorithm>

#include "search/exact_expander.hpp"
#include "search/path_search.hpp"
#include "search/path_stack.hpp"
#include "search/restarts.hpp"
#include "search/strategy.hpp"
#include "search/successor_order.hpp"
#include "support/hash.hpp"
#include "support/random_source.hpp"

namespace assay::search {
namespace {

using storage::KeyTable;
using storage::Sharing;

// Successors that wait before old ones are dropped: at least this many, and as
// many as there are states.
constexpr std::size_t kWaitingAtLeast = std::size_t{1} << 22;

class DepthFirst {
 public:
  DepthFirst(const Task& task, Result& result, const Attempt& attempt)
      : task_(task),
        attempt_(attempt),
        order_of_steps_(task.options, attempt.number),
        store_(task.system.max_words(), task.budget),
        path_(task.budget),
        search_(task, result, path_.frames()),
        result_(result) {
    store_.add_outside_keys(&path_.waiting().keys());
  }

  /// Whether it gave up.
  bool run() {
    bool gave_up = false;
    try {
      const InitialState initial(task_.system);
      store_.add_first(initial.words.data(), initial.length);
      if (initial.violation != 0) search_.record(initial.violation, Finding::kAtState);
      Expander expander(task_.system, store_, task_.options, &task_.observers);
      task_.observers.begins(TraversalOrder::kDepthFirst);
      if (!search_.is_over()) enter(StateId{0}, expander);
      while (!path_.empty() && !search_.should_stop()) {
        if (path_.starts_restoring()) restore(expander);
        if (path_.last().pending == 0) {
          path_.leave();
          task_.observers.left();
        } else if (!follow(expander)) {
          gave_up = attempt_.may_restart;
          if (!gave_up) task_.control.stop(StopReason::kStates);
          break;
        }
      }
    } catch (const std::bad_alloc&) {
      search_.out_of_memory = true;
    }
    search_.end(store_.size(), transitions_, max_depth_);
    result_.table_bytes = store_.bytes() + path_.bytes();
    return gave_up;
  }

 private:
  using Expander = ExactExpander<Sharing::kPrivate>;
  using Path = PathStack<StateId, WaitingKeys>;

  void expand(StateId id, bool at_limit, Expander& expander) {
    expander.expand_alone([&] { return store_.key(id); }, number_of(id), at_limit, [] {});
    // A function of the seed and the state: what was dropped comes again in the same order.
    support::RandomSource random(support::mix(order_of_steps_.seed()) ^ number_of(id));
    const auto process_of = [&](std::uint32_t i) -> std::uint32_t {
      return expander.successors()[number_of(expander.reached[i].position)].process;
    };
    order_of_steps_.arrange(static_cast<std::uint32_t>(expander.reached.size()), random, process_of, order_);
  }

  void enter(StateId id, Expander& expander) {
    const std::size_t depth = path_.size();
    max_depth_ = std::max<std::uint64_t>(max_depth_, depth);
    expand(id, search_.at_limit(depth), expander);
    ++expanded_;
    search_.cut = search_.cut || expander.cut;
    path_.enter(id);
    task_.observers.entered(number_of(id));
    for (const Finding& finding : expander.findings) search_.record(finding.code, finding.position);
    const auto degree = static_cast<std::uint32_t>(expander.reached.size());
    transitions_ += degree;
    const std::uint32_t steps = degree == 0 ? 0 : number_of(expander.reached.back().position) + 1;
    task_.observers.expanded({number_of(id), degree, steps, expander.state(), &expander.successors()});
    await(0, expander);
    path_.keep_within(std::max<std::size_t>(kWaitingAtLeast, store_.size()));
  }

  /// Makes the successors from number `first` of the order on wait. Most are known now and need not.
  void await(std::uint32_t first, Expander& expander) {
    KeyTable& keys = store_.keys();
    for (auto& reached : expander.reached) keys.advance(reached.probe);
    for (auto i = static_cast<std::uint32_t>(order_.size()); i-- > first;) {
      const auto& reached = expander.reached[order_[i]];
      const std::uint32_t known = keys.find(reached.probe);
      if (known == KeyTable::kNone) {
        path_.add(reached.probe.key, reached.position);
      } else {
        task_.observers.edge({reached.position, known, false});
      }
    }
  }

  void restore(Expander& expander) {
    expand(path_.last().node, false, expander);
    std::uint32_t next = 0;
    while (expander.reached[order_[next]].position != path_.last().position) ++next;
    await(next + 1, expander);
  }

  /// Tries the next successor. False: it is new and there is no room for it.
  bool follow(Expander& expander) {
    KeyTable& keys = store_.keys();
    const auto [key, position] = path_.take();
    if (!path_.waiting().empty()) keys.start(path_.waiting().next_key());
    const std::uint32_t known = keys.size();
    const bool is_full = attempt_.state_limit != 0 && known >= attempt_.state_limit;
    const std::uint32_t target = is_full ? keys.find(key) : keys.find_or_add<Sharing::kPrivate>(key);
    if (target == KeyTable::kNone) return false;
    task_.observers.edge({position, target, target == known});
    if (target < known) return true;
    path_.last().position = position;
    enter(StateId{target}, expander);
    if ((expanded_ & 63) == 0) task_.control.report(store_.size(), transitions_, max_depth_, path_.size());
    return true;
  }

  const Task& task_;
  const Attempt& attempt_;
  SuccessorOrder order_of_steps_;
  storage::ExactStateStore store_;
  Path path_;
  PathSearch<Path::Frame> search_;
  Result& result_;
  std::vector<std::uint32_t> order_;
  std::uint64_t transitions_ = 0, expanded_ = 0, max_depth_ = 0;
};

constexpr auto run = with_restarts<DepthFirst>;

const Registered in_order({.name = "dfs",
                           .storage = "exact",
                           .is_offered = true,
                           .tells = true,
                           .recording = Recording::kObserved,
                           .run = run,
                           .options = order_options()});
const Registered at_random({.name = "random-dfs",
                            .storage = "exact",
                            .is_offered = true,
                            .tells = true,
                            .run = run,
                            .options = order_options()});

}  // namespace
}  // namespace assay::search
