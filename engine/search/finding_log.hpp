/// Violations met during a search, before they become paths.
#pragma once

#include <cstdint>
#include <vector>

#include "transition_system/transition_system.hpp"

namespace assay::search {

/// A violation at a stored state, or on its successor number `position`.
struct Finding {
  static constexpr transition_system::Position kAtState{0xFFFFFFFFu};
  // The two codes that are not of the model's own table.
  static constexpr std::uint32_t kDeadlock = 0;
  static constexpr std::uint32_t kAcceptingCycle = 0xFFFFFFFFu;

  std::uint32_t code;
  std::uint32_t state;  // as the search numbers its states
  transition_system::Position position;
  std::uint32_t depth;  // of the state

  std::uint64_t path_length() const { return std::uint64_t{depth} + (position == kAtState ? 0 : 1); }
};

/// The first finding of each distinct code (a shorter one replaces it), and
/// the number of all.
class FindingLog {
 public:
  void add(const Finding& finding) {
    ++count_;
    for (Finding& known : first_) {
      if (known.code != finding.code) continue;
      if (finding.path_length() < known.path_length()) known = finding;
      return;
    }
    first_.push_back(finding);
  }
  void merge(const FindingLog& other) {
    const std::uint64_t count = count_ + other.count_;
    for (const Finding& finding : other.first_) add(finding);
    count_ = count;
  }
  /// Keeps only one with a shortest path: what a search that stops reports.
  void keep_shortest() {
    if (first_.empty()) return;
    Finding best = first_[0];
    for (const Finding& finding : first_) {
      if (finding.path_length() < best.path_length()) best = finding;
    }
    first_.assign(1, best);
    count_ = 1;
  }
  bool empty() const { return first_.empty(); }
  std::uint64_t count() const { return count_; }
  const std::vector<Finding>& first() const { return first_; }

 private:
  std::vector<Finding> first_;
  std::uint64_t count_ = 0;
};

}  // namespace assay::search
