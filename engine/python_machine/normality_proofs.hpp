/// Proofs that a step keeps the normal form of the states in which it is made, whatever else is in them.
///
/// Let a step only replace components, and let a state be in normal form: its objects are numbered in the order in which
/// they are found, and each is reached by everybody. Then the next state is in normal form too if every object to which a
/// replaced component begins or ceases to refer
///
/// - is reached from a fixed part through components that stay as they are, and
/// - the last of these comes before the replaced component in the order in which references are followed
///   (fixed parts, objects by number, threads),
///
/// and if a replaced component keeps the order of its other references. An ended thread ceases to refer to its own identity.
/// For then that object is found where it was found
/// before, so nothing is found earlier or later; and whatever was reached through a reference that is gone is still reached
/// from a fixed part. Of the state, all this uses only what a few components refer to: the premises.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "python_machine/heap.hpp"

namespace assay::python_machine {

class NormalityProofs {
 public:
  using Replacement = std::pair<std::uint32_t, ComponentId>;  // position in the list of components, and what comes there

  /// Whether one of the proofs speaks about this state.
  bool hold_in(const StateIds& state, const Components& components);

  /// Looks for a proof in a state of which it is known that the step keeps it normal.
  void look_for(const StateIds& state, const Components& components, std::span<const Replacement> replaced);

 private:
  /// A component by its place, and its shape. Objects are marked, because the number of threads before them varies.
  struct Premise {
    std::uint32_t place, shape;
  };
  using Proof = std::vector<Premise>;
  static constexpr std::uint32_t kObject = 1u << 31;
  static constexpr std::size_t kMostProofs = 8;
  static constexpr std::uint32_t kMostAttempts = 64;

  static std::optional<Proof> proof(const StateIds& state, const Components& components,
                                    std::span<const Replacement> replaced);

  std::vector<Proof> proofs_;   // the one that held last is the first
  std::uint32_t attempts_ = 0;  // to find one
};

}  // namespace assay::python_machine
