#include "transition_system/compiled_model.hpp"

#include <dlfcn.h>

#include <stdexcept>

namespace assay::transition_system {

CompiledModel::CompiledModel(const std::string& library) {
  library_ = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) {
    const char* reason = dlerror();
    throw std::runtime_error("cannot open the compiled model " + library + ": " + (reason ? reason : "unknown"));
  }
  const auto fail = [&](const std::string& reason) {
    dlclose(library_);
    throw std::runtime_error("the compiled model " + library + " " + reason + "; compile it again");
  };
  using Entry = const assay_model* (*)();
  const auto entry = reinterpret_cast<Entry>(dlsym(library_, "assay_model_entry"));
  if (entry == nullptr) fail("exports no assay_model_entry");
  model_ = entry();
  if (model_ == nullptr) fail("returned no model");
  if (model_->abi != ASSAY_MODEL_ABI) {
    fail("speaks version " + std::to_string(model_->abi) + " of the model interface, this engine speaks " +
         std::to_string(ASSAY_MODEL_ABI));
  }
  if (model_->initial == nullptr || model_->successors == nullptr || model_->is_valid_end == nullptr) {
    fail("lacks one of initial, successors, is_valid_end");
  }
  if (model_->label_count > 64 || model_->acceptance_count > 64) fail("has more than 64 labels or acceptance sets");
  if ((model_->label_count != 0 && model_->labels == nullptr) ||
      (model_->acceptance_count != 0 && model_->acceptance == nullptr)) {
    fail("counts labels or acceptance sets that it does not tell");
  }
}

CompiledModel::~CompiledModel() { dlclose(library_); }

}  // namespace assay::transition_system
