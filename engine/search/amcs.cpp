// One round of AMCS (Kudra 2007, Algorithm 2): breadth-first search with abstract matching by predicates, without the
// questions to a prover. Whoever asks these is told every abstract state, with the concrete state that stands for it,
// and where its steps lead.
//
// A state of the compiled form is its controls, its variables, and the bits of the predicates: two states match if they
// agree in all but the variables. Every counterexample is real; if nothing was merged, every reachable state was seen.
#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "search/expansion.hpp"
#include "search/strategy.hpp"
#include "storage/fixed_state_store.hpp"
#include "storage/parent_log.hpp"

namespace assay::search {
namespace {

class Amcs {
 public:
  Amcs(const Task& task, Result& result)
      : task_(task),
        result_(result),
        initial_(task.system),
        stops_(task.options.stop_at_first_violation),
        overflow_(static_cast<std::uint32_t>(task.options.number("overflow_code", 0))),
        controls_(task.options.number("control_words", 0)),
        first_bits_(controls_ + task.options.number("value_words", 0)),
        key_(length_of_key()),
        keys_(key_.size(), task.budget),
        parents_(task.budget),
        expansion_(task.system, task.options) {}

  void run() {
    try {
      meet(initial_.view());
      while (expanded_ < keys_.size() && !is_over_ && !task_.control.should_stop()) expand(expanded_++);
    } catch (const std::bad_alloc&) {
      task_.control.stop(StopReason::kMemory);
    }
    report();
  }

 private:
  std::size_t length_of_key() const {
    if (first_bits_ > initial_.length) throw std::invalid_argument("a state has more words than that");
    return controls_ + initial_.length - first_bits_;
  }

  void expand(std::uint32_t number) {
    // What is reached may move the states.
    state_.assign(states_.begin() + offset(number), states_.begin() + offset(number + 1));
    const std::size_t place = steps_.size();
    push(steps_, std::uint32_t{0});
    expansion_(
        {state_.data(), state_.size()}, false, [&](std::uint32_t code, Position) { violated(code, number); },
        [&](Position position, StateView next) {
          const std::uint32_t known = keys_.size();
          const std::uint32_t there = meet(next);
          if (there == known) parents_.push(number, number_of(position));
          push(steps_, there);
          ++steps_[place];
          return true;
        });
    result_.transitions += steps_[place];
    if ((number & 63u) == 0)
      task_.control.report(keys_.size(), result_.transitions, 0, keys_.size() - expanded_);
  }

  /// The rest of the steps is still looked at, as the plain search does. Who does not want to stop is told
  /// the first of each code.
  void violated(std::uint32_t code, std::uint32_t number) {
    if (code == overflow_ && overflow_ != 0) {  // a number that the engine has no room for
      result_.observations["overflowed"] = 1;
      is_over_ = true;
      return;
    }
    auto& told = result_.violations;
    const auto is_same = [&](const Violation& one) { return stops_ || one.code == code; };
    if (std::none_of(told.begin(), told.end(), is_same)) told.push_back({code, parents_.path_to(number)});
    is_over_ = is_over_ || stops_;
  }

  /// The number of its abstract state.
  std::uint32_t meet(StateView state) {
    if (state.size() != initial_.length)
      throw std::runtime_error("states of a symbolic form have one length");
    std::copy_n(state.begin(), controls_, key_.begin());
    std::copy(state.begin() + static_cast<std::ptrdiff_t>(first_bits_), state.end(),
              key_.begin() + static_cast<std::ptrdiff_t>(controls_));
    const std::uint32_t mark = keys_.start(key_.data());
    if (keys_.add(key_.data(), mark)) {
      for (const std::uint64_t word : state) push(states_, word);
      return keys_.size() - 1;
    }
    const std::uint32_t known = keys_.find(key_.data(), mark);
    is_merged_ = is_merged_ || !std::equal(state.begin(), state.end(), states_.begin() + offset(known));
    return known;
  }

  std::ptrdiff_t offset(std::uint32_t number) const {
    return static_cast<std::ptrdiff_t>(std::size_t{number} * initial_.length);
  }
  template <class Item>
  void push(std::vector<Item>& items, Item item) {
    support::push(items, item, task_.budget);
  }
  template <class Item>
  static std::string bytes_of(const std::vector<Item>& items) {
    return {reinterpret_cast<const char*>(items.data()), items.size() * sizeof(Item)};
  }

  void report() {
    result_.states = keys_.size();
    result_.frontier = keys_.size() - expanded_;
    result_.table_bytes = keys_.bytes() + parents_.bytes() + states_.capacity() * 8 + steps_.capacity() * 4;
    result_.violation_count = result_.violations.size();
    result_.stop_reason = stops_ && !result_.violations.empty() ? StopReason::kViolation
                          : is_over_                            ? StopReason::kDepth
                                                                : task_.control.reason();
    result_.complete = result_.stop_reason == StopReason::kNone;
    result_.guarantee = result_.complete && !is_merged_ ? Guarantee::kExact : Guarantee::kUnderApproximates;
    result_.observations["expanded"] = expanded_;
    result_.observations["merged"] = is_merged_;
    try {
      result_.records["states"] = bytes_of(states_);
      result_.records["steps"] = bytes_of(steps_);  // of each expanded state: how many, and where they lead
    } catch (const std::bad_alloc&) {
      result_.stop_reason = StopReason::kMemory;
      result_.complete = false;
    }
  }

  const Task& task_;
  Result& result_;
  const InitialState initial_;
  const bool stops_;  // at the first violation
  const std::uint32_t overflow_;
  const std::size_t controls_, first_bits_;  // words
  std::vector<std::uint64_t> key_;
  storage::FixedStateStore keys_;
  storage::ParentLog parents_;
  Expansion expansion_;
  std::vector<std::uint64_t> states_;  // the concrete ones, word by word
  std::vector<std::uint64_t> state_;   // the one that is expanded
  std::vector<std::uint32_t> steps_;
  std::uint32_t expanded_ = 0;
  bool is_over_ = false, is_merged_ = false;
};

const Registered registered({.name = "amcs",
                             .storage = "exact",
                             .run = [](const Task& task, Result& result) { Amcs(task, result).run(); },
                             .options = {"control_words", "value_words", "overflow_code"}});

}  // namespace
}  // namespace assay::search
