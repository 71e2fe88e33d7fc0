/// What every search explores, seen from C++.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "support/hash.hpp"
#include "transition_system/model_abi.h"

namespace assay::transition_system {

/// The words of a state. Whoever hands it out owns them and says for how long.
using StateView = std::span<const std::uint64_t>;

inline std::uint32_t length_of(StateView state) { return static_cast<std::uint32_t>(state.size()); }

/// Which of a state's successors, in the order that the system promises.
enum class Position : std::uint32_t {};
constexpr std::uint32_t number_of(Position position) { return static_cast<std::uint32_t>(position); }

/// A nondeterministic program, seen one step at a time. The promises are those
/// of `model_abi.h`; unless `flags` says otherwise all members may be called by
/// several threads at once.
class TransitionSystem {
 public:
  virtual ~TransitionSystem() = default;

  /// No state is longer than this many words.
  virtual std::uint32_t max_words() const = 0;
  /// Writes the initial state, answers its length.
  virtual std::uint32_t initial(std::uint64_t* words, std::uint32_t* violation) const = 0;
  virtual void successors(StateView state, assay_buffer* out) const = 0;
  virtual bool is_valid_end(StateView state) const = 0;

  virtual bool has_state_checks() const { return false; }
  virtual std::uint32_t check_state(StateView) const { return 0; }
  virtual bool has_step_checks() const { return false; }
  virtual std::uint32_t check_step(StateView /*before*/, StateView /*after*/) const { return 0; }

  /// A set of `assay_flags`.
  virtual std::uint32_t flags() const { return 0; }
  bool is_single_threaded() const { return (flags() & ASSAY_SINGLE_THREADED) != 0; }

  /// The successors of every process, where `successors` follows only some: their processes are the enabled ones.
  virtual void all_successors(StateView state, assay_buffer* out) const { successors(state, out); }
  /// The same, where only the processes of what is written count: no state need be built.
  virtual void enabled_steps(StateView state, assay_buffer* out) const { all_successors(state, out); }
  /// False: the first two never differ, and whoever has the one has the other.
  virtual bool leaves_successors_out() const { return true; }

  /// Whether the next two can be asked.
  virtual bool follows_one_process() const { return false; }
  /// Appends what `successors` has of one process, in the same order, without asking the others. The process must
  /// have a successor there.
  virtual void successors_of(StateView, std::uint32_t /*process*/, assay_buffer*) const {}
  /// Has the state a successor? What is written to the buffer means nothing.
  virtual bool can_move(StateView, assay_buffer*) const { return true; }

  /// The values of the atomic propositions, one bit each.
  virtual std::uint32_t label_count() const { return 0; }
  virtual std::uint64_t labels(StateView) const { return 0; }
  /// The acceptance sets that the state is in, one bit each.
  virtual std::uint32_t acceptance_count() const { return 0; }
  virtual std::uint64_t acceptance(StateView) const { return 0; }

  /// States are compared by a key computed from them, and what the key leaves out is only restored.
  virtual bool has_match_key() const { return false; }
  /// Writes the key, at most `max_words` words; answers its length.
  virtual std::uint32_t match_key(StateView state, std::uint64_t* key) const {
    std::uint32_t count = 0;
    for (const std::uint64_t word : state) key[count++] = word;
    return count;
  }

  /// A hash of what the state is made of, the same in every process and on every machine.
  virtual std::uint64_t content_hash(StateView state) const {
    return support::hash_words(state.data(), state.size(), kContentSeed);
  }

  /// States of some systems are made of parts that the system has met before and names by number. It meets parts
  /// in `initial`, `check_state` and `successors`, the same ones after the same calls that met any, in their order.
  /// How many it has met; 0: states speak for themselves, in every process.
  virtual std::uint64_t parts_met() const { return 0; }
  /// What the system remembers only to save time: about how much memory it takes, and a way to get it back.
  virtual std::size_t forgettable_bytes() const { return 0; }
  virtual void forget() const {}
  /// Whether the system has met all parts of this state.
  virtual bool is_state(StateView) const { return true; }
  /// Of the content of these parts: two systems with the same digest name the same parts alike.
  virtual std::uint64_t digest_of_parts() const { return 0; }

 protected:
  static constexpr std::uint64_t kContentSeed = 0x636F6E74656E74ull;  // no search matches states by this hash
};

}  // namespace assay::transition_system
