// Breadth-first search on one thread over states of one length, which are kept as they are, exact. Finished: every
// reachable state was seen. Counterexamples are shortest.
//
// For the compiled symbolic form of a program, which packs a state into as few words as its bits take: what bfs spends
// most of its time on, packing states and unpacking them again, the model has done then. The store is the queue. Work
// goes in batches, so that lookups wait together.
#include "search/expansion.hpp"
#include "search/level_search.hpp"
#include "search/strategy.hpp"
#include "storage/parent_log.hpp"
#include "storage/fixed_state_store.hpp"

namespace assay::search {
namespace {

constexpr std::uint32_t kBatchStates = 64;
constexpr std::size_t kBatchSuccessors = 1024;

class PackedBreadthFirst {
 public:
  PackedBreadthFirst(const Task& task, Result& result)
      : task_(task),
        result_(result),
        overflow_(static_cast<std::uint32_t>(task.options.number("overflow_code", 0))),
        limit_(task.options.state_limit == 0 ? storage::FixedStateStore::kMostStates
                                             : task.options.state_limit),
        initial_(task.system),
        store_(initial_.length, task.budget),
        parents_(task.budget),
        search_(task),
        expansion_(task.system, task.options, &task.observers) {}

  void run() {
    try {
      const std::uint64_t* const first = initial_.words.data();
      store_.add(first, store_.start(first));
      search_.begin(initial_);
      for (std::uint32_t depth = 0; !search_.ends_with_level() && expanded_ < store_.size(); ++depth) {
        result_.depth = depth;
        result_.seen.levels.push_back(store_.size() - expanded_);
        if (!explore_level(depth, store_.size())) break;
      }
    } catch (const std::bad_alloc&) {
      search_.out_of_memory = true;
    }
    report();
  }

 private:
  struct Reached {
    std::uint32_t mark, parent;
    Position position;
  };

  /// False: the search was stopped.
  bool explore_level(std::uint32_t depth, std::uint32_t end) {
    const bool at_limit = search_.at_limit(depth);
    while (expanded_ < end && !search_.is_over()) {
      reached_.clear();
      findings_.clear();
      std::uint32_t next = expanded_;
      while (next < end && next - expanded_ < kBatchStates && reached_.size() < kBatchSuccessors) {
        if (task_.control.should_stop()) break;
        expand(next++, depth, at_limit);
      }
      search_.note(findings_, depth);
      if (!commit()) {
        task_.control.stop(StopReason::kStates);
        return false;
      }
      expanded_ = next;
      task_.control.report(store_.size(), transitions_, depth, store_.size() - expanded_);
      if (task_.control.should_stop()) return false;
    }
    return true;
  }

  void expand(std::uint32_t number, std::uint32_t depth, bool at_limit) {
    const Expansion::End end = expansion_(
        store_.state(number), at_limit,
        [&](std::uint32_t code, Position position) {
          if (code == overflow_ && overflow_ != 0) {  // a number that the engine has no room for
            search_.cut = true;
          } else {
            findings_.push_back({code, number, position, depth});
          }
        },
        [&](Position position, StateView next) {
          if (next.size() != store_.length())
            throw std::runtime_error("states of a symbolic form have one length");
          const std::size_t used = reached_.size() * store_.length();
          if (words_.size() < used + store_.length()) words_.resize((used + store_.length()) * 2);
          store_.copy(next.data(), words_.data() + used);
          reached_.push_back({store_.start(next.data()), number, position});
          return true;
        });
    search_.cut = search_.cut || end == Expansion::End::kCut;
  }

  /// Keeps what is new. False: there is no room for another state.
  bool commit() {
    for (const Reached& next : reached_) store_.advance(next.mark);
    const std::uint64_t* state = words_.data();
    for (const Reached& next : reached_) {
      if (store_.size() >= limit_) {
        if (store_.find(state, next.mark) == storage::FixedStateStore::kNone) return false;
      } else if (store_.add(state, next.mark)) {
        parents_.push(next.parent, number_of(next.position));
      }
      state += store_.length();
      ++transitions_;
    }
    return true;
  }

  void report() {
    result_.states = store_.size();
    result_.transitions = transitions_;
    result_.frontier = store_.size() - expanded_;
    result_.table_bytes = store_.bytes() + parents_.bytes();
    for (const Finding& finding :
         search_.end(expanded_ == store_.size() && !search_.out_of_memory, result_)) {
      Violation violation{finding.code, parents_.path_to(finding.state)};
      if (finding.position != Finding::kAtState) violation.path.push_back(number_of(finding.position));
      result_.violations.push_back(std::move(violation));
    }
  }

  const Task& task_;
  Result& result_;
  const std::uint32_t overflow_;
  const std::uint64_t limit_;
  const InitialState initial_;
  storage::FixedStateStore store_;
  storage::ParentLog parents_;  // an entry for each state
  LevelSearch search_;
  Expansion expansion_;
  std::vector<Reached> reached_;
  std::vector<std::uint64_t> words_;  // of what was reached, in room that is kept from batch to batch
  std::vector<Finding> findings_;
  std::uint64_t transitions_ = 0;
  std::uint32_t expanded_ = 0;
};

const Registered registered({.name = "packed",
                             .storage = "exact",
                             .run =
                                 [](const Task& task, Result& result) {
                                   try {
                                     PackedBreadthFirst(task, result).run();
                                   } catch (const std::bad_alloc&) {  // not even the tables to begin with
                                     result.stop_reason = StopReason::kMemory;
                                   }
                                 },
                             .options = {"overflow_code"}});

}  // namespace
}  // namespace assay::search
