/// Checks while a system is used that it keeps the promises on which everything else rests.
#pragma once

#include <map>
#include <mutex>
#include <set>
#include <stdexcept>
#include <vector>

#include "transition_system/transition_system.hpp"

namespace assay::transition_system {

/// A system broke a promise; the sentence says which.
class BrokenPromise : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Answers what the system answers, after it has asked in every other way that
/// must give the same answer:
///
///  - once more, and once more after other states were asked about: the list
///    of successors depends on the state alone;
///  - with a mask of what is wanted: which successors there are does not
///    depend on it, and those wanted are the same;
///  - with a recorder: the last primitive step of a successor ends in its state;
///  - with all processes: no successor is left out there;
///  - checks, labels, acceptance and keys twice; lengths within `max_words`;
///  - by content: a state that leaves and arrives is the same one, and so is every part that it is made of.
///
/// Many times slower than the system; for tests of front ends.
class Audit final : public TransitionSystem {
 public:
  /// The system must outlive the audit.
  explicit Audit(const TransitionSystem& system) : system_(system) {}

  std::uint32_t max_words() const override { return system_.max_words(); }
  std::uint32_t initial(std::uint64_t* words, std::uint32_t* violation) const override;
  void successors(StateView state, assay_buffer* out) const override;
  void all_successors(StateView state, assay_buffer* out) const override {
    system_.all_successors(state, out);
  }
  bool is_valid_end(StateView state) const override;
  bool has_state_checks() const override { return system_.has_state_checks(); }
  std::uint32_t check_state(StateView state) const override;
  bool has_step_checks() const override { return system_.has_step_checks(); }
  std::uint32_t check_step(StateView before, StateView after) const override;
  std::uint32_t flags() const override { return system_.flags() | ASSAY_SINGLE_THREADED; }
  std::uint32_t label_count() const override { return system_.label_count(); }
  std::uint64_t labels(StateView state) const override;
  std::uint32_t acceptance_count() const override { return system_.acceptance_count(); }
  std::uint64_t acceptance(StateView state) const override;
  bool has_match_key() const override { return system_.has_match_key(); }
  std::uint32_t match_key(StateView state, std::uint64_t* key) const override;
  std::uint64_t parts_met() const override { return system_.parts_met(); }
  std::size_t forgettable_bytes() const override { return system_.forgettable_bytes(); }
  void forget() const override { system_.forget(); }
  bool is_state(StateView state) const override { return system_.is_state(state); }
  std::uint64_t digest_of_parts() const override { return system_.digest_of_parts(); }
  std::uint64_t content_hash(StateView state) const override { return system_.content_hash(state); }
  void depart(StateView state, PortableState& out) const override { system_.depart(state, out); }
  std::uint32_t arrive(const PortableState& state, std::uint64_t* words) const override {
    return system_.arrive(state, words);
  }
  PartContent content_of(Part part) const override { return system_.content_of(part); }
  Part meet(const std::string& bytes, std::span<const Part> refers) const override {
    return system_.meet(bytes, refers);
  }

  /// How many states were audited.
  std::uint64_t audited() const { return audited_; }

 private:
  using Words = std::vector<std::uint64_t>;
  void look_back() const;
  void let_travel(StateView state) const;

  const TransitionSystem& system_;
  mutable std::mutex mutex_;
  mutable std::uint64_t audited_ = 0;
  mutable std::set<Part> travelled_;
  mutable std::map<Words, std::vector<Words>> before_;  // some states and what followed from them
};

}  // namespace assay::transition_system
