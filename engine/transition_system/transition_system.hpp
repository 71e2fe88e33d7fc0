/// What every search explores, seen from C++.
#pragma once

#include <cstddef>
#include <cstdint>

#include "transition_system/model_abi.h"

namespace assay::transition_system {

/// A nondeterministic program, seen one step at a time. The promises are those
/// of `model_abi.h`; all members may be called by several threads at once.
class TransitionSystem {
 public:
  virtual ~TransitionSystem() = default;

  /// No state is longer than this many words.
  virtual std::uint32_t max_words() const = 0;
  /// Writes the initial state, answers its length.
  virtual std::uint32_t initial(std::uint64_t* words, std::uint32_t* violation) const = 0;
  virtual void successors(const std::uint64_t* words, std::uint32_t count, assay_buffer* out) const = 0;
  virtual bool is_valid_end(const std::uint64_t* words, std::uint32_t count) const = 0;

  /// States of some systems are made of parts that the system has met before and names by number. It meets parts
  /// in `initial`, `check_state` and `successors`, the same ones after the same calls that met any, in their order.
  /// How many it has met; 0: states speak for themselves, in every process.
  virtual std::uint64_t parts_met() const { return 0; }
  /// What the system remembers only to save time: about how much memory it takes, and a way to get it back.
  virtual std::size_t forgettable_bytes() const { return 0; }
  virtual void forget() const {}
  /// Whether the system has met all parts of this state.
  virtual bool is_state(const std::uint64_t*, std::uint32_t) const { return true; }
  /// Of the content of these parts: two systems with the same digest name the same parts alike.
  virtual std::uint64_t digest_of_parts() const { return 0; }

  virtual bool has_state_checks() const = 0;
  virtual std::uint32_t check_state(const std::uint64_t* words, std::uint32_t count) const = 0;
  virtual bool has_step_checks() const = 0;
  virtual std::uint32_t check_step(const std::uint64_t* before, std::uint32_t before_count,
                                   const std::uint64_t* after, std::uint32_t after_count) const = 0;
};

}  // namespace assay::transition_system
