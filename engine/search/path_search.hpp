/// What all depth-first searches share: how they note violations, and why they end.
#pragma once

#include <utility>
#include <vector>

#include "search/finding_log.hpp"
#include "search/result.hpp"
#include "search/strategy.hpp"

namespace assay::search {

/// Writes into the result of a search that follows one path. `Frame` is a
/// state on the path, the initial one first, and its `position` the step to the
/// next; that of the last leads nowhere yet.
template <class Frame>
class PathSearch {
 public:
  PathSearch(const Task& task, Result& result, const std::vector<Frame>& path)
      : task_(task), result_(result), path_(path) {}

  bool cut = false;  // successors beyond the depth limit were left out
  bool out_of_memory = false;

  /// A violation was met, and one is enough.
  bool should_stop() const { return stop_now_ || task_.control.should_stop(); }
  bool is_over() const { return stop_now_; }
  bool at_limit(std::size_t depth) const {
    return task_.options.depth_limit != 0 && depth >= task_.options.depth_limit;
  }

  /// A violation in the last state of the path, or on one of its steps.
  void record(std::uint32_t code, transition_system::Position position) {
    ++result_.violation_count;
    if (task_.options.stop_at_first_violation) {
      stop_now_ = true;
      if (!result_.violations.empty()) {
        result_.violation_count = 1;
        return;
      }
    }
    for (const Violation& known : result_.violations) {
      if (known.code == code) return;
    }
    Violation violation{code, {}};
    for (std::size_t i = 0; i + 1 < path_.size(); ++i) violation.path.push_back(number_of(path_[i].position));
    if (position != Finding::kAtState) violation.path.push_back(number_of(position));
    result_.violations.push_back(std::move(violation));
  }

  /// The search is over, finished or not.
  void end(std::uint64_t states, std::uint64_t transitions, std::uint64_t depth) {
    result_.states = states;
    result_.transitions = transitions;
    result_.depth = depth;
    result_.frontier = path_.size();
    if (stop_now_) {
      result_.stop_reason = StopReason::kViolation;
    } else if (out_of_memory) {
      result_.stop_reason = StopReason::kMemory;
    } else if (!path_.empty()) {
      result_.stop_reason = task_.control.reason();
    } else if (cut) {
      result_.stop_reason = StopReason::kDepth;
    }
    result_.complete = result_.stop_reason == StopReason::kNone;
  }

 private:
  const Task& task_;
  Result& result_;
  const std::vector<Frame>& path_;
  bool stop_now_ = false;
};

}  // namespace assay::search
