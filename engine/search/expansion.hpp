/// One state looked at as every search does: check it, ask for its successors, check each step.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "search/finding_log.hpp"
#include "search/observer.hpp"
#include "search/result.hpp"
#include "transition_system/successor_buffer.hpp"
#include "transition_system/transition_system.hpp"

namespace assay::search {

using transition_system::length_of;
using transition_system::number_of;
using transition_system::Position;
using transition_system::StateView;

/// A model that breaks its own promise; never the fault of the checked program.
inline void require_word_count(std::uint32_t count, std::uint32_t max_words) {
  if (count > max_words) [[unlikely]] {
    throw std::runtime_error("the model wrote a state of " + std::to_string(count) +
                             " words but promised at most " + std::to_string(max_words));
  }
}

/// The initial state as the model writes it.
struct InitialState {
  std::vector<std::uint64_t> words;  // room for any state, of which `length` are used
  std::uint32_t violation = 0;       // what it violates, if anything
  std::uint32_t length;

  explicit InitialState(const transition_system::TransitionSystem& system)
      : words(std::size_t{system.max_words()} + 1), length(system.initial(words.data(), &violation)) {
    require_word_count(length, system.max_words());
  }
  StateView view() const { return {words.data(), length}; }
};

/// Whoever searches differs in what becomes of a violation and of a state that
/// is reached; what is checked, and in which order, is said here alone.
class Expansion {
 public:
  enum class End {
    kWhole,   // all steps were looked at
    kCut,     // there are steps, beyond the depth limit
    kNoRoom,  // `reached` refused: the rest was not looked at
  };

  /// `observers` are told of visits; none: several threads look at states.
  Expansion(const transition_system::TransitionSystem& system, const Options& options,
            const Observers* observers = nullptr)
      : system_(system),
        observers_(observers != nullptr && observers->see_visits() ? observers : nullptr),
        check_deadlock_(options.check_deadlock),
        has_state_checks_(system.has_state_checks()),
        has_step_checks_(system.has_step_checks()),
        max_words_(system.max_words()) {}

  /// Tells `violated(code, position)` what is wrong (`Finding::kAtState` for
  /// the state itself) and `reached(position, state)` where its steps lead;
  /// false from `reached` ends the expansion. `at_limit`: steps are not followed.
  template <class Violated, class Reached>
  [[gnu::always_inline]] End operator()(StateView state, bool at_limit, Violated&& violated,
                                        Reached&& reached) {
    if (observers_ != nullptr) observers_->visited(state);
    if (has_state_checks_) {
      if (const std::uint32_t code = system_.check_state(state)) violated(code, Finding::kAtState);
    }
    system_.successors(state, buffer_.cleared());
    const std::uint32_t count = buffer_.count();
    if (count == 0) {
      if (check_deadlock_ && !system_.is_valid_end(state)) violated(Finding::kDeadlock, Finding::kAtState);
      return End::kWhole;
    }
    if (at_limit) return End::kCut;
    for (std::uint32_t i = 0; i < count; ++i) {
      const assay_successor& successor = buffer_[i];
      if (successor.violation != 0) violated(successor.violation, Position{i});
      if (successor.has_state == 0) continue;
      require_word_count(successor.word_count, max_words_);
      const StateView next = buffer_.state(successor);
      if (has_step_checks_) {
        if (const std::uint32_t code = system_.check_step(state, next)) violated(code, Position{i});
      }
      if (!reached(Position{i}, next)) return End::kNoRoom;
    }
    return End::kWhole;
  }

  /// Where the steps of a state lead that was checked before.
  template <class Reached>
  End again(StateView state, Reached&& reached) {
    system_.successors(state, buffer_.cleared());
    for (std::uint32_t i = 0; i < buffer_.count(); ++i) {
      const assay_successor& successor = buffer_[i];
      if (successor.has_state == 0) continue;
      require_word_count(successor.word_count, max_words_);
      if (!reached(Position{i}, buffer_.state(successor))) return End::kNoRoom;
    }
    return End::kWhole;
  }

  /// The successors of the state expanded last, as the model gave them.
  const transition_system::SuccessorBuffer& successors() const { return buffer_; }

 private:
  const transition_system::TransitionSystem& system_;
  const Observers* const observers_;  // null: nobody wants to hear of visits
  const bool check_deadlock_;
  const bool has_state_checks_;
  const bool has_step_checks_;
  const std::uint32_t max_words_;
  transition_system::SuccessorBuffer buffer_;
};

}  // namespace assay::search
