/// What all breadth-first searches share: how they note violations, and why they end.
#pragma once

#include <span>

#include "search/finding_log.hpp"
#include "search/result.hpp"
#include "search/strategy.hpp"

namespace assay::search {

/// Levels are never mixed, so the first violation that is met has a path that
/// is at most one step too long: a step that violates ends one level further
/// down than a state that does.
class LevelSearch {
 public:
  explicit LevelSearch(const Task& task) : task_(task) {}

  bool cut = false;  // successors beyond the depth limit were left out
  bool out_of_memory = false;

  /// A violation was met, no other can have a shorter path, and one is enough.
  bool is_over() const { return is_over_; }
  /// The rest of the level may have a shorter one.
  bool ends_with_level() const { return is_over_ || ends_with_level_; }

  void begin(const InitialState& initial) {
    if (initial.violation == 0) return;
    findings_.add({initial.violation, 0, Finding::kAtState, 0});
    is_over_ = task_.options.stop_at_first_violation;
  }
  void note(std::span<const Finding> findings, std::uint32_t depth) {
    for (const Finding& finding : findings) {
      findings_.add(finding);
      if (task_.options.stop_at_first_violation)
        (finding.path_length() == depth ? is_over_ : ends_with_level_) = true;
    }
  }
  bool at_limit(std::uint64_t depth) const {
    return task_.options.depth_limit != 0 && depth >= task_.options.depth_limit;
  }

  /// The search is over; `finished`: nothing is left to be expanded. Answers what needs paths.
  const std::vector<Finding>& end(bool finished, Result& result) {
    if (!findings_.empty() && task_.options.stop_at_first_violation) {
      findings_.keep_shortest();
      result.stop_reason = StopReason::kViolation;
    } else if (out_of_memory) {
      result.stop_reason = StopReason::kMemory;
    } else if (!finished) {
      result.stop_reason = task_.control.reason();
    } else if (cut) {
      result.stop_reason = StopReason::kDepth;
    }
    result.complete = result.stop_reason == StopReason::kNone;
    result.violation_count = findings_.count();
    task_.control.tracing = !findings_.empty();
    return findings_.first();
  }
  /// What another thread of the same search found.
  void merge(const FindingLog& other) { findings_.merge(other); }

 private:
  const Task& task_;
  FindingLog findings_;
  bool is_over_ = false, ends_with_level_ = false;
};

}  // namespace assay::search
