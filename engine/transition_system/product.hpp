/// A system watched by an automaton: the wrapper that liveness is asked of.
#pragma once

#include <cstdint>
#include <vector>

#include "transition_system/transition_system.hpp"

namespace assay::transition_system {

/// A finite automaton that reads the labels of a system's states. It begins in location 0.
struct Automaton {
  struct Edge {
    std::uint64_t mask;   // the labels it looks at, ...
    std::uint64_t value;  // ... and how they must be
    std::uint32_t target;

    bool admits(std::uint64_t labels) const { return (labels & mask) == value; }
  };
  std::vector<std::vector<Edge>> edges;   // of each location, in one fixed order
  std::vector<std::uint64_t> acceptance;  // the acceptance sets that each location is in
  std::uint32_t acceptance_count = 0;
};

/// A state is a location of the automaton, before it reads, and a state of the
/// system. A step takes one edge that the labels of the state admit and one
/// step of the system; where the system has none the automaton goes on alone
/// (a finite run stands for the infinite one that stays at its end). Where the
/// automaton is stuck there is nothing more to be watched. What is claimed of
/// states and steps is asked of the system alone: staying at the end of a run is no step of it.
///
///     position of a successor = position of the system's step * admitted edges + number of the edge among these
class Product final : public TransitionSystem {
 public:
  /// The system must outlive the product. Throws std::invalid_argument with a
  /// sentence if the automaton has edges to nowhere or reads labels that the system does not have.
  Product(const TransitionSystem& system, Automaton automaton);

  std::uint32_t max_words() const override { return system_.max_words() + 1; }
  std::uint32_t initial(std::uint64_t* words, std::uint32_t* violation) const override;
  void successors(StateView state, assay_buffer* out) const override;
  void all_successors(StateView state, assay_buffer* out) const override;
  void enabled_steps(StateView state, assay_buffer* out) const override {
    system_.enabled_steps(of_system(state), out);  // whatever the automaton does
  }
  bool leaves_successors_out() const override { return system_.leaves_successors_out(); }
  bool is_valid_end(StateView) const override { return true; }  // only where the automaton is stuck
  std::uint32_t flags() const override { return system_.flags(); }
  std::uint32_t label_count() const override { return system_.label_count(); }
  std::uint64_t labels(StateView state) const override { return system_.labels(of_system(state)); }
  std::uint32_t acceptance_count() const override { return automaton_.acceptance_count; }
  std::uint64_t acceptance(StateView state) const override { return automaton_.acceptance[state[0]]; }
  bool has_match_key() const override { return system_.has_match_key(); }
  std::uint32_t match_key(StateView state, std::uint64_t* key) const override {
    key[0] = state[0];
    return system_.match_key(of_system(state), key + 1) + 1;
  }
  std::uint64_t parts_met() const override { return system_.parts_met(); }
  std::size_t forgettable_bytes() const override { return system_.forgettable_bytes(); }
  void forget() const override { system_.forget(); }
  bool is_state(StateView state) const override {
    return !state.empty() && state[0] < automaton_.edges.size() && system_.is_state(of_system(state));
  }
  std::uint64_t digest_of_parts() const override { return system_.digest_of_parts(); }
  void depart(StateView state, PortableState& out) const override {
    system_.depart(of_system(state), out);
    out.words.insert(out.words.begin(), state[0]);
  }
  std::uint32_t arrive(const PortableState& state, std::uint64_t* words) const override;
  PartContent content_of(Part part) const override { return system_.content_of(part); }
  Part meet(const std::string& bytes, std::span<const Part> refers) const override {
    return system_.meet(bytes, refers);
  }
  std::uint64_t content_hash(StateView state) const override {
    return support::mix(system_.content_hash(state.subspan(1)) + support::mix(state[0]));
  }

 private:
  static StateView of_system(StateView state) { return state.subspan(1); }
  void follow(StateView state, assay_buffer* out, bool all) const;
  bool follow_in_place(StateView state, assay_buffer* out, bool all) const;
  void follow_by_copying(StateView state, assay_buffer* out, bool all) const;

  const TransitionSystem& system_;
  const Automaton automaton_;
};

}  // namespace assay::transition_system
