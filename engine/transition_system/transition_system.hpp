/// What every search explores, seen from C++.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "support/hash.hpp"
#include "support/problems.hpp"
#include "transition_system/model_abi.h"

namespace assay::transition_system {

/// The words of a state. Whoever hands it out owns them and says for how long.
using StateView = std::span<const std::uint64_t>;

inline std::uint32_t length_of(StateView state) { return static_cast<std::uint32_t>(state.size()); }

/// Which of a state's successors, in the order that the system promises.
enum class Position : std::uint32_t {};
constexpr std::uint32_t number_of(Position position) { return static_cast<std::uint32_t>(position); }

/// One of the parts that states of some systems are made of: a number of the system's own, in this process alone.
enum class Part : std::uint64_t {};

/// A state as it travels between processes: words that mean the same in all of them, and parts, whose content travels
/// beside it.
struct PortableState {
  std::vector<std::uint64_t> words;
  std::vector<Part> parts;
};

/// What a part is. The bytes mean the same in every process; where they name other parts, they do it by their place in
/// `refers`. Two parts of one system are the same exactly when their bytes are, and what they refer to is.
struct PartContent {
  std::string bytes;
  std::vector<Part> refers;
  /// What a system must have met besides, before it can meet this one. How that part came about, not what it is:
  /// it may differ from process to process.
  std::vector<Part> needs;
};

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

  /// States travel to other processes by content; `Exchange` (portable.hpp) does it block by block, with digests, and is
  /// what searches use. The promise: a state that left one process and arrived in another has the same content hash,
  /// checks, labels and successors there, in the same order; two states arrive as the same words exactly when they are the
  /// same state. Codes of violations and match keys do not travel where `parts_met` is not 0: they are numbers of the
  /// process. Where the words of a state mean the same everywhere these defaults do; a state that cannot travel is refused
  /// with UnsupportedProgram.
  virtual void depart(StateView state, PortableState& out) const {
    out.words.assign(state.begin(), state.end());
    out.parts.clear();
  }
  /// Writes the state, answers its length. Throws NotPortable if these words and parts are no state of the system.
  virtual std::uint32_t arrive(const PortableState& state, std::uint64_t* words) const {
    if (state.words.size() > max_words() || !state.parts.empty() || !is_state(state.words))
      throw NotPortable("a state that arrived is none of this program");
    std::uint32_t count = 0;
    for (const std::uint64_t word : state.words) words[count++] = word;
    return count;
  }
  /// Of a part that a state or another part referred to.
  virtual PartContent content_of(Part) const { throw NotPortable("the program has no parts"); }
  /// The number here of what has this content; all that it refers to and needs has been met. Throws NotPortable where the
  /// bytes are nothing that this program could have written. It may execute steps of the program, and throw what they do.
  virtual Part meet(const std::string& /*bytes*/, std::span<const Part> /*refers*/) const {
    throw NotPortable("the program has no parts");
  }

 protected:
  static constexpr std::uint64_t kContentSeed = 0x636F6E74656E74ull;  // no search matches states by this hash
};

}  // namespace assay::transition_system
