/// A system whose states are the same words in every process.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "support/binary_field.hpp"
#include "transition_system/portable.hpp"
#include "transition_system/successor_buffer.hpp"
#include "transition_system/transition_system.hpp"

namespace assay::transition_system {

/// Wraps a system that names parts of its states by numbers of its own process: in their place stand the first 64 bits
/// of their digests. Two parts with the same ones are noticed by whoever has met both, and that is an error, never a
/// wrong answer; that everybody meets all parts is up to the caller, who carries `lessons` from process to process.
/// Not for several threads at once.
class Travelling final : public TransitionSystem {
 public:
  Travelling(const TransitionSystem& system, std::size_t most_bytes);

  /// What the others have to learn: parts that were met since the last time, with all that they need.
  std::string take_lessons();
  void learn(std::string_view lessons);

  std::uint32_t max_words() const override { return max_words_; }
  std::uint32_t initial(std::uint64_t* words, std::uint32_t* violation) const override;
  void successors(StateView state, assay_buffer* out) const override;
  /// Who can move; the states that they would move to are not for travelling.
  void enabled_steps(StateView state, assay_buffer* out) const override {
    system_.enabled_steps(local(state), out);
  }
  bool leaves_successors_out() const override { return system_.leaves_successors_out(); }
  std::uint32_t label_count() const override { return system_.label_count(); }
  std::uint64_t labels(StateView state) const override { return system_.labels(local(state)); }
  std::uint32_t acceptance_count() const override { return system_.acceptance_count(); }
  std::uint64_t acceptance(StateView state) const override { return system_.acceptance(local(state)); }
  bool is_valid_end(StateView state) const override { return system_.is_valid_end(local(state)); }
  bool has_state_checks() const override { return system_.has_state_checks(); }
  std::uint32_t check_state(StateView state) const override { return system_.check_state(local(state)); }
  bool has_step_checks() const override { return system_.has_step_checks(); }
  std::uint32_t check_step(StateView before, StateView after) const override;
  std::uint32_t flags() const override { return system_.flags(); }
  std::uint64_t content_hash(StateView state) const override { return system_.content_hash(local(state)); }
  std::size_t forgettable_bytes() const override { return system_.forgettable_bytes(); }
  void forget() const override { system_.forget(); }

 private:
  /// Its words in every process: how many words it travels with, these, and its parts.
  const std::vector<std::uint64_t>& everywhere(StateView local_state) const;
  /// Its words here; good until the next call.
  StateView local(StateView state) const;
  void read(StateView state, std::vector<std::uint64_t>& words, std::uint32_t& length) const;
  std::uint64_t name_of(Part part, bool& is_new) const;

  const TransitionSystem& system_;
  const std::uint32_t max_words_;
  mutable Exchange exchange_;
  mutable KnownParts told_;
  mutable Exchange::Block lessons_;
  mutable std::unordered_map<std::uint64_t, std::uint64_t> names_;  // of parts
  mutable std::unordered_map<std::uint64_t, Part> parts_;           // by name
  mutable std::unordered_map<std::uint64_t, PartDigest> digests_;   // by name: no two may have the same
  mutable PortableState state_;
  mutable std::vector<std::uint64_t> everywhere_, last_, local_, after_;
  mutable std::uint32_t local_length_ = 0;
  mutable SuccessorBuffer buffer_;
  mutable bool is_learning_ = false;
};

}  // namespace assay::transition_system
