/// Depth-first searches that give up and begin again, in another order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "search/result.hpp"
#include "search/strategy.hpp"

namespace assay::search {

/// The names of what only these searches read (`successor_order.hpp` reads some), after those of `others`.
inline std::vector<std::string> order_options(std::vector<std::string> others = {}) {
  others.insert(others.end(), {"order", "process_order", "restarts", "restart_after"});
  return others;
}

/// One of the searches that a search with restarts consists of.
struct Attempt {
  std::uint64_t number = 0;
  std::uint64_t state_limit = 0;  // 0: none
  bool may_restart = false;       // at its limit the next attempt begins
};

/// Runs `Search` up to `restarts` times until it has met `restart_after` states, each time from the initial
/// state with nothing remembered, and then once until it ends. A `Search` is made of a task, a result and an
/// attempt; its `run` answers whether it gave up at the limit of an attempt that may.
///
/// If the last attempt saw everything, the figures are its own: it was a whole search. Otherwise they are sums.
template <class Search>
void with_restarts(const Task& task, Result& result) {
  const std::uint64_t restarts = task.options.number("restarts", 0);
  const std::uint64_t after = task.options.number("restart_after", 0);
  std::uint64_t states = 0, transitions = 0, depth = 0, bytes = 0;
  for (Attempt attempt;; ++attempt.number) {
    const std::uint64_t limit = task.options.state_limit;
    const std::uint64_t left = limit == 0 ? 0 : limit - std::min(states, limit - 1);
    attempt.may_restart = attempt.number < restarts && after != 0 && (left == 0 || after < left);
    attempt.state_limit = attempt.may_restart ? after : left;
    Result one;
    const bool gave_up = Search(task, one, attempt).run();
    states += one.states;
    transitions += one.transitions;
    depth = std::max(depth, one.depth);
    bytes = std::max(bytes, one.table_bytes);
    one.violation_count += result.violation_count;
    for (Violation& known : result.violations) {
      const auto is_same = [&](const Violation& other) { return other.code == known.code; };
      std::erase_if(one.violations, is_same);
      one.violations.push_back(std::move(known));
    }
    result = std::move(one);
    result.restarts = attempt.number;
    if (!gave_up) break;
    result.complete = false;
    if (task.control.should_stop()) {
      result.stop_reason = task.control.reason();
      break;
    }
  }
  result.table_bytes = bytes;
  if (result.complete) return;
  result.states = states;
  result.transitions = transitions;
  result.depth = depth;
}

}  // namespace assay::search
