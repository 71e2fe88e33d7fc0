// Finds a reachable cycle that meets every acceptance set, depth first, while
// the graph is explored. Finished: there is none.
//
// Strongly connected components on the fly, with the sets that each has met so
// far (Couvreur 1999; the stack of roots is Gabow's). A state is numbered when
// it is entered, so a component on the path is known by the number of its root,
// and a state costs one bit more than in a search for safety: whether its
// component is finished. A component ends the search as soon as its sets are
// whole, long before it is explored.
//
// Steps that are free (see Acceptance) join no components. Where they lead is
// entered when the path is empty, as one more root of the graph without them.
#include <algorithm>

#include "search/cycle_question.hpp"
#include "search/exact_expander.hpp"
#include "search/lasso.hpp"
#include "search/path_search.hpp"
#include "search/path_stack.hpp"
#include "search/strategy.hpp"
#include "transition_system/acceptance.hpp"

namespace assay::search {
namespace {

using storage::KeyTable;
using storage::Sharing;
using Marks = Acceptance::Marks;

constexpr std::size_t kWaitingAtLeast = std::size_t{1} << 22;

/// Steps that wait: keys of where they lead, and the process that takes them.
class WaitingSteps {
 public:
  struct Step {
    std::uint64_t key;
    std::uint16_t process;
  };
  struct Item {
    std::uint64_t key;
    std::uint16_t process;
    Position position;
  };

  void push(const Step& step, Position position, const support::MemoryBudget& budget) {
    keys_.push(step.key, position, budget);
    support::push(processes_, step.process, budget);
  }
  Item pop() {
    const WaitingKeys::Item item = keys_.pop();
    const std::uint16_t process = processes_.back();
    processes_.pop_back();
    return {item.key, process, item.position};
  }
  bool empty() const { return keys_.empty(); }
  std::uint64_t next_key() const { return keys_.next_key(); }
  std::size_t volume() const { return keys_.volume(); }
  std::size_t volume_of(std::size_t first, std::size_t count) const { return keys_.volume_of(first, count); }
  void drop_oldest(std::size_t count, std::size_t volume) {
    keys_.drop_oldest(count, volume);
    processes_.erase(processes_.begin(), processes_.begin() + static_cast<std::ptrdiff_t>(count));
  }
  std::size_t bytes() const { return keys_.bytes() + processes_.capacity() * sizeof(std::uint16_t); }
  std::vector<std::uint64_t>& keys() { return keys_.keys(); }

 private:
  WaitingKeys keys_;
  std::vector<std::uint16_t> processes_;
};

class AcceptingCycle {
 public:
  AcceptingCycle(const Task& task, Result& result)
      : task_(task),
        acceptance_(task.system, question_in(task.options)),
        store_(task.system.max_words(), task.budget),
        path_(task.budget),
        search_(task, result, path_.frames()),
        result_(result) {
    store_.add_outside_keys(&path_.waiting().keys());
    store_.add_outside_keys(&later_);
  }

  void run() {
    try {
      const InitialState initial(task_.system);
      store_.add_first(initial.words.data(), initial.length);
      Expander expander(task_.system, store_, task_.options);
      task_.observers.begins(TraversalOrder::kDepthFirst);
      enter(StateId{0}, 0, expander);
      while (!found_ && !search_.should_stop()) {
        if (path_.empty()) {
          if (!begin_anew(expander)) break;
          continue;
        }
        if (path_.starts_restoring()) restore(expander);
        if (found_) break;
        if (path_.last().pending == 0) {
          leave();
        } else if (!follow(expander)) {
          task_.control.stop(StopReason::kStates);
          break;
        }
      }
    } catch (const std::bad_alloc&) {
      search_.out_of_memory = true;
    }
    search_.end(store_.size(), transitions_, max_depth_);
    if (!found_ && !later_.empty() && result_.stop_reason == StopReason::kNone) {
      result_.stop_reason = task_.control.reason();
      result_.complete = false;
    }
    result_.table_bytes = store_.bytes() + path_.bytes();
    if (found_) report();
  }

 private:
  using Expander = ExactExpander<Sharing::kPrivate>;
  using Path = PathStack<StateId, WaitingSteps>;

  /// A component on the path: the states from its root on that are in no later one.
  struct Component {
    StateId root;
    Marks met;      // on steps inside of it
    Marks arrival;  // of the step by which its root was entered
  };

  bool is_finished(std::uint32_t id) const { return (finished_[id / 64] >> (id % 64) & 1) != 0; }

  void enter(StateId id, Marks arrival, Expander& expander) {
    const std::size_t depth = path_.size();
    max_depth_ = std::max<std::uint64_t>(max_depth_, depth);
    expander.expand_alone([&] { return store_.key(id); }, number_of(id), search_.at_limit(depth), [] {});
    search_.cut = search_.cut || expander.cut;
    path_.enter(id);
    if (number_of(id) / 64 >= finished_.size()) support::push(finished_, std::uint64_t{0}, task_.budget);
    support::push(unfinished_, id, task_.budget);
    support::push(components_, Component{id, 0, arrival}, task_.budget);
    support::push(marks_, acceptance_.of_state(expander.state()), task_.budget);
    task_.observers.entered(number_of(id));
    const auto degree = static_cast<std::uint32_t>(expander.reached.size());
    transitions_ += degree;
    const std::uint32_t steps = degree == 0 ? 0 : number_of(expander.reached.back().position) + 1;
    task_.observers.expanded({number_of(id), degree, steps, expander.state(), &expander.successors()});
    await(0, expander);
    path_.keep_within(std::max<std::size_t>(kWaitingAtLeast, store_.size()));
  }

  /// Makes the steps from number `first` on wait whose target is new. Those to known states are judged at once.
  void await(std::size_t first, Expander& expander) {
    KeyTable& keys = store_.keys();
    for (auto& reached : expander.reached) keys.advance(reached.probe);
    const bool progress_here = acceptance_.makes_progress(expander.state());
    for (std::size_t i = expander.reached.size(); i-- > first;) {
      const auto& reached = expander.reached[i];
      const assay_successor& successor = expander.successors()[number_of(reached.position)];
      const std::uint32_t known = keys.find(reached.probe);
      if (acceptance_.has_free_steps() &&
          (progress_here || acceptance_.makes_progress(expander.successors().state(successor)))) {
        if (known == KeyTable::kNone) support::push(later_, reached.probe.key, task_.budget);
      } else if (known == KeyTable::kNone) {
        path_.add(WaitingSteps::Step{reached.probe.key, successor.process}, reached.position);
      } else {
        task_.observers.edge({reached.position, known, false});
        close(known, marks_.back() | acceptance_.of_process(successor.process));
      }
    }
  }

  void restore(Expander& expander) {
    const StateId id = path_.last().node;
    expander.expand_alone([&] { return store_.key(id); }, number_of(id), false, [] {});
    std::size_t next = 0;
    while (expander.reached[next].position != path_.last().position) ++next;
    await(next + 1, expander);
  }

  /// The step from the end of the path to a known state: if that is on the way here, all between is one component.
  void close(std::uint32_t target, Marks met) {
    if (is_finished(target)) return;
    while (number_of(components_.back().root) > target) {
      met |= components_.back().met | components_.back().arrival;
      components_.pop_back();
    }
    components_.back().met |= met;
    found_ = found_ || components_.back().met == acceptance_.all();
  }

  /// Tries the next step. False: it leads to a new state and there is no room for it.
  bool follow(Expander& expander) {
    KeyTable& keys = store_.keys();
    const auto [key, process, position] = path_.take();
    if (!path_.waiting().empty()) keys.start(path_.waiting().next_key());
    const std::uint32_t known = keys.size();
    const bool is_full = task_.options.state_limit != 0 && known >= task_.options.state_limit;
    const std::uint32_t target = is_full ? keys.find(key) : keys.find_or_add<Sharing::kPrivate>(key);
    if (target == KeyTable::kNone) return false;
    task_.observers.edge({position, target, target == known});
    const Marks met = marks_.back() | acceptance_.of_process(process);
    if (target < known) {
      close(target, met);
      return true;
    }
    path_.last().position = position;
    enter(StateId{target}, met, expander);
    if ((target & 63) == 0) task_.control.report(store_.size(), transitions_, max_depth_, path_.size());
    return true;
  }

  void leave() {
    const StateId id = path_.last().node;
    if (components_.back().root == id) {
      components_.pop_back();
      StateId last;
      do {
        last = unfinished_.back();
        unfinished_.pop_back();
        finished_[number_of(last) / 64] |= std::uint64_t{1} << (number_of(last) % 64);
      } while (last != id);
    }
    marks_.pop_back();
    path_.leave();
    task_.observers.left();
  }

  /// Enters a state that free steps lead to. False: there is none left.
  bool begin_anew(Expander& expander) {
    KeyTable& keys = store_.keys();
    while (!later_.empty()) {
      const std::uint64_t key = later_.back();
      const std::uint32_t known = keys.size();
      if (keys.find(key) == KeyTable::kNone) {
        if (task_.options.state_limit != 0 && known >= task_.options.state_limit) {
          task_.control.stop(StopReason::kStates);
          return true;
        }
        later_.pop_back();
        keys.find_or_add<Sharing::kPrivate>(key);
        enter(StateId{known}, 0, expander);
        return true;
      }
      later_.pop_back();
    }
    return false;
  }

  void report() {
    task_.control.tracing.store(true);
    const std::uint32_t root = number_of(components_.back().root);
    result_.violation_count = 1;
    result_.complete = false;
    result_.stop_reason = StopReason::kViolation;
    result_.violations.push_back(make_lasso(
        task_.system, store_, acceptance_,
        [&](StateId id) { return number_of(id) >= root && !is_finished(number_of(id)); },
        [&] { return task_.control.reason() == StopReason::kInterrupted; }));
  }

  const Task& task_;
  Acceptance acceptance_;
  storage::ExactStateStore store_;
  Path path_;
  PathSearch<Path::Frame> search_;
  Result& result_;
  std::vector<std::uint64_t> finished_;  // a bit for each state
  std::vector<StateId> unfinished_;      // in the order of their numbers
  std::vector<Component> components_;
  std::vector<Marks> marks_;          // of each state on the path: the sets that all of its steps are in
  std::vector<std::uint64_t> later_;  // keys of states that free steps lead to
  bool found_ = false;
  std::uint64_t transitions_ = 0, max_depth_ = 0;
};

const Registered registered({.name = "accepting-cycle",
                             .storage = "exact",
                             .tells = true,
                             .run = [](const Task& task,
                                       Result& result) { AcceptingCycle(task, result).run(); },
                             .options = {"fair", "processes", "progress_label"}});

}  // namespace
}  // namespace assay::search
