// Depth-first search that matches states by a policy and does not keep them.
// Every counterexample is real; what a finished search may have missed is the
// guarantee of the policy.
//
// Of the states on the path the stack holds what each step changed, and for
// those near the end of the path the successors not yet tried that were new
// when they were generated, as whole states (path_stack).
#include <algorithm>
#include <optional>

#include "search/expansion.hpp"
#include "search/matching/matching.hpp"
#include "search/path_search.hpp"
#include "search/path_stack.hpp"
#include "search/restarts.hpp"
#include "search/strategy.hpp"
#include "search/successor_order.hpp"
#include "storage/state_path.hpp"
#include "support/random_source.hpp"

namespace assay::search {
namespace {

// Words of successors that wait before old ones are dropped: half a megabyte,
// or a sixteenth of what the matching takes.
constexpr std::size_t kWaitingWordsAtLeast = std::size_t{1} << 16;
constexpr std::size_t kShareOfWaiting = 16;

struct Nothing {};  // that the path has to know of a state besides its words

template <class Matching>
class MatchedDepthFirst {
 public:
  MatchedDepthFirst(const Task& task, Result& result, const Attempt& attempt)
      : task_(task),
        attempt_(attempt),
        result_(result),
        order_of_steps_(task.options, attempt.number),
        states_of_path_(task.system.max_words(), task.budget),
        path_(task.budget),
        search_(task, result, path_.frames()),
        expansion_(task.system, task.options, &task.observers),
        random_(order_of_steps_.seed()) {}

  /// Whether it gave up.
  bool run() {
    bool gave_up = false;
    try {
      matching_.emplace(task_.system, task_.options, task_.budget);
      const InitialState initial(task_.system);
      matching_->add(matching_->key(initial.view()));
      states_ = 1;
      if (initial.violation != 0) search_.record(initial.violation, Finding::kAtState);
      states_of_path_.push(initial.words.data(), initial.length);
      if (!search_.is_over()) enter();
      while (!path_.empty() && !search_.should_stop()) {
        if (path_.starts_restoring()) restore();
        if (path_.last().pending == 0) {
          path_.leave();
          states_of_path_.pop();
        } else if (!follow()) {
          gave_up = attempt_.may_restart;
          if (!gave_up) task_.control.stop(StopReason::kStates);
          break;
        }
      }
    } catch (const std::bad_alloc&) {
      search_.out_of_memory = true;
    }
    search_.end(states_, transitions_, max_depth_);
    result_.guarantee = Matching::kGuarantee;
    result_.table_bytes = path_.bytes() + states_of_path_.bytes();
    if (!matching_) return false;
    matching_->report(result_);
    result_.table_bytes += matching_->bytes();
    return gave_up;
  }

 private:
  using Path = PathStack<Nothing, WaitingStates>;

  StateView last() const { return {states_of_path_.words(), states_of_path_.word_count()}; }

  /// Expands the last state of the path, which was just added.
  void enter() {
    const std::size_t depth = path_.size();
    max_depth_ = std::max<std::uint64_t>(max_depth_, depth);
    path_.enter({});
    ++expanded_;
    const Expansion::End end = expansion_(
        last(), search_.at_limit(depth),
        [&](std::uint32_t code, Position position) { search_.record(code, position); },
        [&](Position, StateView) {
          ++transitions_;
          return true;
        });
    if (end == Expansion::End::kCut) {
      search_.cut = true;
      return;
    }
    await();
    path_.keep_within(std::max<std::size_t>(kWaitingWordsAtLeast,
                                            matching_->bytes() / sizeof(std::uint64_t) / kShareOfWaiting));
  }

  /// What was tried before it was dropped is matched now.
  void restore() {
    expansion_.again(last(), [](Position, StateView) { return true; });
    await();
  }

  /// Makes those successors wait that are new as far as the matching can tell.
  void await() {
    const auto& successors = expansion_.successors();
    const auto process_of = [&](std::uint32_t i) -> std::uint32_t { return successors[i].process; };
    order_of_steps_.arrange(successors.count(), random_, process_of, order_);
    for (auto i = order_.size(); i-- > 0;) {
      const assay_successor& successor = successors[order_[i]];
      if (successor.has_state == 0) continue;
      const StateView next = successors.state(successor);
      if (!matching_->contains(matching_->key(next))) path_.add(next, Position{order_[i]});
    }
  }

  /// Tries the next successor. False: it is new and there is no room for it.
  bool follow() {
    const StateView next = path_.waiting().last();
    const auto key = matching_->key(next);
    const bool is_full = attempt_.state_limit != 0 && states_ >= attempt_.state_limit;
    if (is_full && !matching_->contains(key)) return false;
    const bool is_new = matching_->add(key);
    if (is_new) states_of_path_.push(next.data(), length_of(next));
    const Position position = path_.take();
    if (!is_new) return true;
    ++states_;
    path_.last().position = position;
    enter();
    if ((expanded_ & 63) == 0) task_.control.report(states_, transitions_, max_depth_, path_.size());
    return true;
  }

  const Task& task_;
  const Attempt& attempt_;
  Result& result_;
  SuccessorOrder order_of_steps_;
  std::optional<Matching> matching_;
  storage::StatePath states_of_path_;
  Path path_;
  PathSearch<typename Path::Frame> search_;
  Expansion expansion_;
  support::RandomSource random_;
  std::vector<std::uint32_t> order_;
  std::uint64_t states_ = 0, expanded_ = 0, transitions_ = 0, max_depth_ = 0;
};

void check_bits(const Options& options) {
  if (options.number("hash_functions", 3) == 0)
    throw std::invalid_argument("bitstate storage needs a hash function");
  if (options.number("bitstate_bytes", 0) == 0) {
    throw std::invalid_argument("bitstate storage needs bitstate_bytes above 0");
  }
}

Strategy by_bits(const char* name) {
  return {.name = name,
          .storage = "bitstate",
          .run = with_restarts<MatchedDepthFirst<matching::Bits>>,
          .options = order_options({"hash_functions", "bitstate_bytes"}),
          .check = check_bits};
}
Strategy by_key(const char* name) {
  return {.name = name,
          .storage = "abstraction",
          .run = with_restarts<MatchedDepthFirst<matching::Abstraction>>,
          .options = order_options()};
}

const Registered registered[] = {Registered(by_bits("dfs")), Registered(by_bits("random-dfs")),
                                 Registered(by_key("dfs")), Registered(by_key("random-dfs"))};

}  // namespace
}  // namespace assay::search
