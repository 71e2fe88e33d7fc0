/// A transition system whose steps are Python.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <span>

#include "transition_system/transition_system.hpp"

namespace assay::bindings {

/// Asks a Python object with the methods `initial_state`, `successors` and
/// `is_valid_end`, and others if it has them; they take
/// and give what those of `Model` do. May be called by any thread, with or
/// without the lock of the interpreter. What the object raises comes out as
/// `nanobind::python_error`.
class PythonSystem final : public transition_system::TransitionSystem {
 public:
  PythonSystem(nanobind::object system, std::uint32_t max_words);

  std::uint32_t max_words() const override { return max_words_; }
  std::uint32_t initial(std::uint64_t* words, std::uint32_t* violation) const override;
  void successors(transition_system::StateView state, assay_buffer* out) const override;
  bool is_valid_end(transition_system::StateView state) const override;
  bool has_state_checks() const override { return methods_[kCheckState].is_valid(); }
  std::uint32_t check_state(transition_system::StateView state) const override;
  bool has_step_checks() const override { return methods_[kCheckStep].is_valid(); }
  std::uint32_t check_step(transition_system::StateView before,
                           transition_system::StateView after) const override;

  std::uint32_t label_count() const override { return methods_[kLabels].is_valid() ? 64 : 0; }
  std::uint64_t labels(transition_system::StateView state) const override;
  bool has_match_key() const override { return methods_[kMatchKey].is_valid(); }
  std::uint32_t match_key(transition_system::StateView state, std::uint64_t* key) const override;

  std::uint64_t content_hash(transition_system::StateView state) const override;
  /// A state is one part; where the object cannot tell its states by content, they are words like any others.
  void depart(transition_system::StateView state, transition_system::PortableState& out) const override;
  std::uint32_t arrive(const transition_system::PortableState& state, std::uint64_t* words) const override;
  transition_system::PartContent content_of(transition_system::Part part) const override;
  transition_system::Part meet(const std::string& bytes,
                               std::span<const transition_system::Part> refers) const override;

  /// What it refers to: the garbage collector follows and cuts that.
  std::span<nanobind::object> methods() { return methods_; }

 private:
  enum Method {
    kInitialState,
    kSuccessors,
    kIsValidEnd,
    kCheckState,
    kCheckStep,
    kLabels,
    kMatchKey,
    kContent,
    kPartOf,
    kStateOf,
    kPartContent,
    kMeetPart,
    kMethods
  };

  /// The length in words of a state that Python gave. Throws std::invalid_argument if it cannot be one.
  std::uint32_t length_of(const nanobind::bytes& state) const;

  const std::uint32_t max_words_;
  std::array<nanobind::object, kMethods> methods_;  // from kCheckState on they may be missing
};

void bind_python_system(nanobind::module_& m);

}  // namespace assay::bindings
