/// A transition system in a shared object that a language front end compiled.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "support/binary_field.hpp"
#include "transition_system/transition_system.hpp"

namespace assay::transition_system {

namespace foreign {
class Host;
}

/// Opens the library and keeps it open for its lifetime. Throws
/// std::runtime_error with a sentence if the library cannot be used.
class CompiledModel final : public TransitionSystem {
 public:
  /// With a key (an element of the field), states are the same bytes in every process that has it; those of models
  /// without embedded C always are.
  explicit CompiledModel(const std::string& library,
                         const std::optional<support::ElementWords>& key = std::nullopt);
  ~CompiledModel() override;
  CompiledModel(const CompiledModel&) = delete;
  CompiledModel& operator=(const CompiledModel&) = delete;

  std::uint32_t max_words() const override { return model_->max_words; }
  std::uint32_t initial(std::uint64_t* words, std::uint32_t* violation) const override {
    return model_->initial(words, violation);
  }
  void successors(StateView state, assay_buffer* out) const override {
    model_->successors(state.data(), length_of(state), out);
  }
  bool is_valid_end(StateView state) const override {
    return model_->is_valid_end(state.data(), length_of(state)) != 0;
  }
  bool has_state_checks() const override { return model_->check_state != nullptr; }
  std::uint32_t check_state(StateView state) const override {
    return model_->check_state == nullptr ? 0 : model_->check_state(state.data(), length_of(state));
  }
  bool has_step_checks() const override { return model_->check_step != nullptr; }
  std::uint32_t check_step(StateView before, StateView after) const override {
    return model_->check_step == nullptr
               ? 0
               : model_->check_step(before.data(), length_of(before), after.data(), length_of(after));
  }
  std::uint32_t flags() const override { return model_->flags; }
  bool leaves_successors_out() const override { return model_->all_successors != nullptr; }
  void all_successors(StateView state, assay_buffer* out) const override {
    (model_->all_successors == nullptr ? model_->successors : model_->all_successors)(state.data(),
                                                                                      length_of(state), out);
  }
  bool follows_one_process() const override {
    return model_->successors_of != nullptr && model_->can_move != nullptr;
  }
  void successors_of(StateView state, std::uint32_t process, assay_buffer* out) const override {
    model_->successors_of(state.data(), length_of(state), process, out);
  }
  bool can_move(StateView state, assay_buffer* out) const override {
    return model_->can_move(state.data(), length_of(state), out) != 0;
  }
  std::uint32_t label_count() const override { return model_->label_count; }
  std::uint64_t labels(StateView state) const override {
    return model_->labels == nullptr ? 0 : model_->labels(state.data(), length_of(state));
  }
  std::uint32_t acceptance_count() const override { return model_->acceptance_count; }
  std::uint64_t acceptance(StateView state) const override {
    return model_->acceptance == nullptr ? 0 : model_->acceptance(state.data(), length_of(state));
  }
  std::uint64_t parts_met() const override;
  std::uint64_t content_hash(StateView state) const override;
  void depart(StateView state, PortableState& out) const override;
  std::uint32_t arrive(const PortableState& state, std::uint64_t* words) const override;
  PartContent content_of(Part part) const override;
  Part meet(const std::string& bytes, std::span<const Part> refers) const override;
  /// Of the embedded C of a model: what it changed that is no part of the state, and what it printed.
  struct Untracked {
    std::uint64_t address;
    std::uint32_t function;
    bool is_question;
  };
  std::vector<Untracked> untracked() const;
  std::string take_output() const;
  /// How many contents of its memory have a digest, and of how many words the longest is.
  std::uint64_t digests() const;
  std::uint64_t longest_digested() const;
  /// Makes this process harmless before the first piece of embedded C is executed in it, constructors among them
  /// (`foreign/confinement.hpp`). Models that are opened later must have been opened before, too.
  static void confine(std::vector<std::string> readable);
  std::string memory_of(StateView state) const;  // empty: it has no embedded C
  bool has_match_key() const override { return model_->match_key != nullptr; }
  std::uint32_t match_key(StateView state, std::uint64_t* key) const override {
    return model_->match_key == nullptr ? TransitionSystem::match_key(state, key)
                                        : model_->match_key(state.data(), length_of(state), key);
  }

 private:
  void* library_ = nullptr;
  const assay_model* model_ = nullptr;
  std::unique_ptr<foreign::Host> host_;  // of a model with foreign code
};

}  // namespace assay::transition_system
