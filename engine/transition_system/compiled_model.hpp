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
  void successors(const std::uint64_t* words, std::uint32_t count, assay_buffer* out) const override {
    model_->successors(words, count, out);
  }
  bool is_valid_end(const std::uint64_t* words, std::uint32_t count) const override {
    return model_->is_valid_end(words, count) != 0;
  }
  bool has_state_checks() const override { return model_->check_state != nullptr; }
  std::uint32_t check_state(const std::uint64_t* words, std::uint32_t count) const override {
    return model_->check_state == nullptr ? 0 : model_->check_state(words, count);
  }
  bool has_step_checks() const override { return model_->check_step != nullptr; }
  std::uint32_t check_step(const std::uint64_t* before, std::uint32_t before_count, const std::uint64_t* after,
                           std::uint32_t after_count) const override {
    return model_->check_step == nullptr ? 0 : model_->check_step(before, before_count, after, after_count);
  }

 private:
  void* library_ = nullptr;
  const assay_model* model_ = nullptr;
};

}  // namespace assay::transition_system
