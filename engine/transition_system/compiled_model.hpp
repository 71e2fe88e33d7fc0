/// A transition system in a shared object that a language front end compiled.
#pragma once

#include <string>

#include "transition_system/transition_system.hpp"

namespace assay::transition_system {

/// Opens the library and keeps it open for its lifetime. Throws
/// std::runtime_error with a sentence if the library cannot be used.
class CompiledModel final : public TransitionSystem {
 public:
  explicit CompiledModel(const std::string& library);
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
  std::uint32_t label_count() const override { return model_->label_count; }
  std::uint64_t labels(StateView state) const override {
    return model_->labels == nullptr ? 0 : model_->labels(state.data(), length_of(state));
  }
  std::uint32_t acceptance_count() const override { return model_->acceptance_count; }
  std::uint64_t acceptance(StateView state) const override {
    return model_->acceptance == nullptr ? 0 : model_->acceptance(state.data(), length_of(state));
  }
  bool has_match_key() const override { return model_->match_key != nullptr; }
  std::uint32_t match_key(StateView state, std::uint64_t* key) const override {
    return model_->match_key == nullptr ? TransitionSystem::match_key(state, key)
                                        : model_->match_key(state.data(), length_of(state), key);
  }

 private:
  void* library_ = nullptr;
  const assay_model* model_ = nullptr;
};

}  // namespace assay::transition_system
