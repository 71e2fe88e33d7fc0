/// Which acceptance sets the steps of a state are in: what cycles are judged by.
#pragma once

#include <array>
#include <optional>
#include <stdexcept>
#include <string>

#include "transition_system/successor_buffer.hpp"
#include "transition_system/transition_system.hpp"

namespace assay::transition_system {

/// What is asked of cycles beside the acceptance sets of the system.
struct CycleQuestion {
  std::uint32_t processes = 0;                  // fairness for that many; 0: none was asked for
  std::optional<std::uint32_t> progress_label;  // no cycle counts that meets a state with it
};

/// A cycle is accepting if it meets every set. The sets are those of the
/// system, which hold for every step of a state, and with `fair` one for each
/// process: its own steps, and all steps of states in which it is not enabled.
/// Without any set, every cycle is accepting.
///
/// With `progress_label`, steps from or to a state that has it are on no cycle that counts.
class Acceptance {
 public:
  using Marks = std::uint64_t;

  Acceptance(const TransitionSystem& system, const CycleQuestion& question)
      : system_(system),
        sets_(system.acceptance_count()),
        processes_(question.processes),
        progress_(question.progress_label) {
    if (sets_ > 64 || processes_ > 64 - sets_) {
      throw std::invalid_argument("fairness: " + std::to_string(processes_) + " processes and " +
                                  std::to_string(sets_) + " acceptance sets are more than 64");
    }
    if (progress_ && *progress_ >= system.label_count()) {
      throw std::invalid_argument("progress label: the system has no label with this number");
    }
  }

  /// What a cycle has to meet.
  Marks all() const { return low_bits(sets_ + processes_); }
  std::uint32_t set_count() const { return sets_ + processes_; }
  bool has_free_steps() const { return progress_.has_value(); }
  /// All steps of a state are in the same sets, and none is free.
  bool depends_on_the_state_alone() const { return processes_ == 0 && !has_free_steps(); }

  /// The sets that all steps of a state are in.
  Marks of_state(StateView state) {
    if (processes_ == 0) return of_automaton(state);
    assay_buffer* const out = enabled_.cleared();
    out->wanted = kNone.data();  // who can move is asked, not where to
    out->wanted_count = kNone.size() * 8;
    system_.enabled_steps(state, out);
    return of_automaton(state) | of_disabled(enabled_);
  }
  /// Whether all steps of a state are in one set, for a caller who has its successors: the same as that bit of
  /// `of_state`. Nobody need be asked if one of them is a step of the process that the set belongs to.
  bool holds_all_steps(std::uint32_t set, StateView state, const SuccessorBuffer& successors) {
    if (set < sets_) return (of_automaton(state) >> set & 1) != 0;
    for (std::uint32_t i = 0; i < successors.count(); ++i) {
      if (successors[i].process == set - sets_) return false;
    }
    return !system_.leaves_successors_out() || (of_state(state) >> set & 1) != 0;
  }
  /// The set that the steps of a process are in besides.
  Marks of_process(std::uint16_t process) const {
    if (processes_ == 0 || process == ASSAY_NO_PROCESS) return 0;
    if (process >= processes_) [[unlikely]]
      refuse_process(process);
    return Marks{1} << (sets_ + process);
  }
  bool makes_progress(StateView state) const {
    return has_free_steps() && (system_.labels(state) >> *progress_ & 1) != 0;
  }

 private:
  [[noreturn, gnu::cold, gnu::noinline]] void refuse_process(std::uint16_t process) const {
    throw std::invalid_argument("fairness: process " + std::to_string(process) + " is beyond the " +
                                std::to_string(processes_) + " that were announced");
  }
  Marks of_automaton(StateView state) const { return sets_ == 0 ? 0 : system_.acceptance(state); }
  Marks of_disabled(const SuccessorBuffer& of_all) const {
    Marks enabled = 0;
    for (std::uint32_t i = 0; i < of_all.count(); ++i) enabled |= of_process(of_all[i].process);
    return all() & ~low_bits(sets_) & ~enabled;
  }
  static constexpr std::array<std::uint8_t, 64> kNone{};

  static Marks low_bits(std::uint32_t count) { return count >= 64 ? ~Marks{0} : (Marks{1} << count) - 1; }

  const TransitionSystem& system_;
  const std::uint32_t sets_;
  const std::uint32_t processes_;
  const std::optional<std::uint32_t> progress_;
  SuccessorBuffer enabled_;
};

}  // namespace assay::transition_system
