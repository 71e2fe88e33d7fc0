// Breadth-first search that matches states by a policy and does not keep them.
// Every counterexample is real; what a finished search may have missed is the
// guarantee of the policy.
//
// Whole states live only in the queue, which gives memory back as it is read;
// a log of parents yields counterexamples.
#include <algorithm>

#include "search/expansion.hpp"
#include "search/level_search.hpp"
#include "search/matching/matching.hpp"
#include "search/strategy.hpp"
#include "storage/parent_log.hpp"
#include "storage/state_queue.hpp"

namespace assay::search {
namespace {

constexpr std::uint32_t kBatchStates = 64;
constexpr std::size_t kBatchWords = std::size_t{1} << 16;
constexpr std::uint64_t kMostStates = 0xFFFFFFFEull;

/// The states of a batch, word after word, in memory that is kept from batch to batch. (Appending to a vector
/// costs several times as many instructions, a fifteenth of the whole search.)
class BatchWords {
 public:
  std::size_t size() const { return used_; }
  const std::uint64_t* from(std::size_t first) const { return words_.data() + first; }
  void clear() { used_ = 0; }
  void add(StateView state) {
    if (words_.size() - used_ < state.size()) words_.resize((used_ + state.size()) * 2);
    std::copy(state.begin(), state.end(), words_.data() + used_);
    used_ += state.size();
  }

 private:
  std::vector<std::uint64_t> words_;
  std::size_t used_ = 0;
};

template <class Matching>
class MatchedBreadthFirst {
 public:
  MatchedBreadthFirst(const Task& task, Result& result)
      : task_(task),
        result_(result),
        matching_(task.system, task.options, task.budget),
        parents_(task.budget),
        search_(task),
        expansion_(task.system, task.options, &task.observers) {}

  void run() {
    try {
      const InitialState initial(task_.system);
      matching_.add(matching_.key(initial.view()));
      queue_.push(initial.words.data(), initial.length);
      search_.begin(initial);
      for (std::uint32_t depth = 0; !search_.ends_with_level() && queue_.size() > 0; ++depth) {
        result_.depth = depth;
        explore_level(depth);
        if (task_.control.should_stop()) break;
      }
    } catch (const std::bad_alloc&) {
      search_.out_of_memory = true;
    }
    report();
  }

 private:
  struct Reached {
    typename Matching::Key key;
    std::size_t first_word;
    std::uint32_t word_count;
    std::uint32_t parent;
    Position position;
  };

  void explore_level(std::uint32_t depth) {
    const bool at_limit = search_.at_limit(depth);
    std::uint64_t remaining = queue_.size();
    while (remaining > 0 && !search_.is_over() && !task_.control.should_stop()) {
      reached_.clear();
      reached_words_.clear();
      findings_.clear();
      const std::uint64_t expanded_before = expanded_;
      for (std::uint32_t i = 0; i < kBatchStates && remaining > 0 && reached_words_.size() < kBatchWords;
           ++i) {
        if (task_.control.should_stop()) break;
        expand(depth, at_limit);
        --remaining;
      }
      search_.note(findings_, depth);
      if (!commit()) {
        dropped_ = expanded_ - expanded_before;
        task_.control.stop(StopReason::kStates);
      }
      task_.control.report(parents_.size(), transitions_, depth, queue_.size());
    }
  }

  void expand(std::uint32_t depth, bool at_limit) {
    std::uint32_t count = 0;
    const std::uint64_t* const words = queue_.pop(count);
    const auto id = static_cast<std::uint32_t>(expanded_++);
    const Expansion::End end = expansion_(
        {words, count}, at_limit,
        [&](std::uint32_t code, Position position) { findings_.push_back({code, id, position, depth}); },
        [&](Position position, StateView next) {
          reached_.push_back({matching_.key(next), reached_words_.size(), length_of(next), id, position});
          reached_words_.add(next);
          return true;
        });
    search_.cut = search_.cut || end == Expansion::End::kCut;
  }

  /// Keeps what is new. False: there is no room for another state.
  bool commit() {
    const std::uint64_t limit = task_.options.state_limit == 0 ? kMostStates : task_.options.state_limit;
    for (const Reached& next : reached_) {
      if (parents_.size() >= limit) {
        if (!matching_.contains(next.key)) return false;
      } else if (matching_.add(next.key)) {
        parents_.push(next.parent, number_of(next.position));
        queue_.push(reached_words_.from(next.first_word), next.word_count);
      }
      ++transitions_;
    }
    return true;
  }

  void report() {
    result_.guarantee = Matching::kGuarantee;
    result_.states = parents_.size();
    result_.transitions = transitions_;
    result_.frontier = queue_.size() + dropped_;
    result_.table_bytes = matching_.bytes() + parents_.bytes() + queue_.bytes();
    matching_.report(result_);
    for (const Finding& finding : search_.end(queue_.size() == 0 && dropped_ == 0, result_)) {
      Violation violation{finding.code, parents_.path_to(finding.state)};
      if (finding.position != Finding::kAtState) violation.path.push_back(number_of(finding.position));
      result_.violations.push_back(std::move(violation));
    }
  }

  const Task& task_;
  Result& result_;
  Matching matching_;
  storage::ParentLog parents_;  // an entry for each state
  storage::StateQueue queue_;
  LevelSearch search_;
  Expansion expansion_;
  std::vector<Reached> reached_;
  BatchWords reached_words_;
  std::vector<Finding> findings_;
  std::uint64_t transitions_ = 0, expanded_ = 0;
  std::uint64_t dropped_ = 0;  // states whose successors were not all kept
};

template <class Matching>
void run(const Task& task, Result& result) {
  try {
    MatchedBreadthFirst<Matching>(task, result).run();
  } catch (const std::bad_alloc&) {  // not even the tables to begin with
    result.stop_reason = StopReason::kMemory;
  }
}

const Registered by_fingerprint({.name = "bfs",
                                 .storage = "fingerprint",
                                 .run = run<matching::Fingerprints>});
const Registered by_key({.name = "bfs", .storage = "abstraction", .run = run<matching::Abstraction>});

}  // namespace
}  // namespace assay::search
