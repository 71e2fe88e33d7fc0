#include "transition_system/compiled_model.hpp"

#include <dlfcn.h>

#include <atomic>
#include <cstdint>
#include <stdexcept>

namespace assay::transition_system {

namespace {

/// Another way to write the same absolute path, each time. The loader takes a name that it has seen for the file
/// that it knows; but names under /proc/PID/fd are given to one file after another.
std::string never_seen(const std::string& path) {
  static std::atomic<std::uint32_t> count{0};
  if (path.empty() || path.front() != '/') return path;
  std::string way;
  for (std::uint32_t number = ++count; number != 0; number /= 2) way += number % 2 != 0 ? "/." : "//";
  return way + path;
}

}  // namespace

CompiledModel::CompiledModel(const std::string& library) {
  library_ = dlopen(never_seen(library).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) {
    const char* reason = dlerror();
    throw std::runtime_error("cannot open the compiled model " + library + ": " +
                             (reason ? reason : "unknown"));
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
  if (model_->label_count > 64 || model_->acceptance_count > 64)
    fail("has more than 64 labels or acceptance sets");
  if ((model_->label_count != 0 && model_->labels == nullptr) ||
      (model_->acceptance_count != 0 && model_->acceptance == nullptr)) {
    fail("counts labels or acceptance sets that it does not tell");
  }
}

CompiledModel::~CompiledModel() { dlclose(library_); }

}  // namespace assay::transition_system
