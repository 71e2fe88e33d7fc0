/// Which acceptance sets the steps of a state are in: what cycles are judged by.
#pragma once

#include <bit>
#include <stdexcept>
#include <string>

#include "search/outcome.hpp"
#include "transition_system/successor_buffer.hpp"
#include "transition_system/transition_system.hpp"

namespace assay::search {

/// A cycle is accepting if it meets every set. The sets are those of the
/// system, which hold for every step of a state, and with `fair` one for each
/// process: its own steps, and all steps of states in which it is not enabled.
/// Without any set, every cycle is accepting.
///
/// With `progress_label`, steps from or to a state that has it are on no cycle that counts.
class Acceptance {
 public:
  using Marks = std::uint64_t;

  Acceptance(const transition_system::TransitionSystem& system, const Options& options)
      : system_(system),
        sets_(system.acceptance_count()),
        is_fair_(options.flag("fair")),
        processes_(is_fair_ ? static_cast<std::uint32_t>(options.number("processes", 0)) : 0),
        progress_(options.number("progress_label", kNoLabel)) {
    if (sets_ + processes_ > 64) {
      throw std::invalid_argument("fairness: " + std::to_string(processes_) + " processes and " +
                                  std::to_string(sets_) + " acceptance sets are more than 64");
    }
    if (progress_ != kNoLabel && progress_ >= system.label_count()) {
      throw std::invalid_argument("progress label: the system has no label with this number");
    }
  }

  /// What a cycle has to meet.
  Marks all() const { return low_bits(sets_ + processes_); }
  bool has_free_steps() const { return progress_ != kNoLabel; }

  /// The sets that all steps of a state are in.
  Marks of_state(transition_system::StateView state) {
    Marks marks = sets_ == 0 ? 0 : system_.acceptance(state);
    if (!is_fair_) return marks;
    system_.all_successors(state, enabled_.cleared());
    Marks enabled = 0;
    for (std::uint32_t i = 0; i < enabled_.count(); ++i) enabled |= of_process(enabled_[i].process);
    return marks | (all() & ~low_bits(sets_) & ~enabled);
  }
  /// The set that the steps of a process are in besides.
  Marks of_process(std::uint16_t process) const {
    if (!is_fair_ || process == ASSAY_NO_PROCESS) return 0;
    if (process >= processes_) {
      throw std::invalid_argument("fairness: process " + std::to_string(process) + " is beyond the " +
                                  std::to_string(processes_) + " that were announced");
    }
    return Marks{1} << (sets_ + process);
  }
  bool makes_progress(transition_system::StateView state) const {
    return has_free_steps() && (system_.labels(state) >> progress_ & 1) != 0;
  }

 private:
  static constexpr std::uint64_t kNoLabel = ~std::uint64_t{0};
  static Marks low_bits(std::uint32_t count) { return count >= 64 ? ~Marks{0} : (Marks{1} << count) - 1; }

  const transition_system::TransitionSystem& system_;
  const std::uint32_t sets_;
  const bool is_fair_;
  const std::uint32_t processes_;
  const std::uint64_t progress_;
  transition_system::SuccessorBuffer enabled_;
};

}  // namespace assay::search
