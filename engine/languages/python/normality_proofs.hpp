/// Proofs that a step keeps the normal form of the states in which it is made, whatever else is in them.
///
/// Let a step only replace components, and let a state be in normal form: its objects are numbered in the order in which
/// they are found, and each is reached by everybody. An object is *anchored* if it is reached from a fixed part through
/// references that the step leaves alone. The next state is in normal form too, if
///
/// - every object to which a replaced component begins or ceases to refer is found before that component is looked at,
///   and so are its other references, should their order change. That is so for identities of threads, and for anchored
///   objects whose last reference comes before, in the order in which references are followed: fixed parts, objects by
///   number, threads;
/// - every object to which a component ceases to refer is anchored;
/// - if a thread ends, its identity is anchored or known to another thread (the ended one counts as the second to reach it).
///
/// For then everything is found where it was found before. And whatever was reached through a reference that is gone is
/// still reached, from a fixed part or by two threads. Of the state, all this uses only what a few components refer to:
/// the premises.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "languages/python/heap.hpp"

namespace assay::languages::python {

class NormalityProofs {
 public:
  using Replacement =
      std::pair<std::uint32_t, ComponentId>;  // position in the list of components, and what comes there

  /// Whether one of the proofs speaks about this state.
  bool hold_in(const StateIds& state, const Components& components);

  /// Looks for a proof in a state of which it is known that the step keeps it normal.
  void look_for(const StateIds& state, const Components& components, std::span<const Replacement> replaced);

 private:
  /// A component by its place, and its shape. Objects are marked, because the number of threads before them varies.
  /// Or a thread by its number, and the slot of its identity.
  struct Premise {
    std::uint32_t place, shape;
    bool operator==(const Premise&) const = default;
  };
  using Proof = std::vector<Premise>;
  class Search;
  static constexpr std::uint32_t kObject = 1u << 31, kIdentity = 1u << 30;
  static constexpr std::size_t kMostProofs = 8;
  static constexpr std::uint32_t kMostAttempts = 64;

  static bool holds(const Premise& premise, const StateIds& state, const Components& components);

  std::vector<Proof> proofs_;   // the one that held last is the first
  std::uint32_t attempts_ = 0;  // to find one
};

}  // namespace assay::languages::python
