#include "transition_system/compiled_model.hpp"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

#include "transition_system/foreign/confinement.hpp"
#include "transition_system/foreign/host.hpp"

namespace assay::transition_system {

namespace {

std::optional<std::vector<std::string>> readable_when_confined;  // nothing: nobody has asked
bool is_confined = false;
/// Of a process that can open no library any more: such a process is about one program.
std::map<std::string, void*> kept_libraries;

void confine_as_asked() {
  if (!readable_when_confined || is_confined) return;
  dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);  // what embedded C may call of it
  foreign::confine(*readable_when_confined);
  is_confined = true;
}

}  // namespace

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

/// The same library once more, with variables of its own: the loader gives everybody who opens one file the same one.
/// Null where that cannot be.
void* opened_apart(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const int copy = memfd_create("assay-model", MFD_CLOEXEC);
  if (!file || copy < 0) return nullptr;
  std::size_t written = 0;
  while (written < content.size()) {
    const ssize_t more = write(copy, content.data() + written, content.size() - written);
    if (more <= 0) break;
    written += static_cast<std::size_t>(more);
  }
  void* const library =
      written < content.size()
          ? nullptr
          : dlopen(never_seen("/proc/self/fd/" + std::to_string(copy)).c_str(), RTLD_NOW | RTLD_LOCAL);
  close(copy);
  return library;
}

}  // namespace

CompiledModel::CompiledModel(const std::string& library, const std::optional<support::ElementWords>& key) {
  const auto kept = kept_libraries.find(library);
  library_ = kept != kept_libraries.end() ? kept->second
                                          : dlopen(never_seen(library).c_str(), RTLD_NOW | RTLD_LOCAL);
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
  if (model_ != nullptr && !is_confined && model_->abi == ASSAY_MODEL_ABI && model_->foreign != nullptr &&
      *model_->foreign->host != nullptr) {
    // Another model executes its foreign code through this library, which knows one host.
    dlclose(library_);
    library_ = opened_apart(library);
    if (library_ == nullptr)
      throw std::runtime_error("cannot open the compiled model " + library + " a second time");
    model_ = reinterpret_cast<Entry>(dlsym(library_, "assay_model_entry"))();
  }
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
  if (model_->foreign != nullptr) {
    try {
      confine_as_asked();
      if (is_confined) kept_libraries.emplace(library, library_);
      host_ = std::make_unique<foreign::Host>(*model_->foreign, key);
    } catch (...) {
      dlclose(library_);
      throw;
    }
  }
}

std::uint64_t CompiledModel::parts_met() const { return host_ ? host_->parts_met() : 0; }

std::vector<CompiledModel::Untracked> CompiledModel::untracked() const {
  std::vector<Untracked> found;
  if (!host_) return found;
  for (const auto& finding : host_->findings())
    found.push_back({finding.address, finding.function, finding.is_question != 0});
  return found;
}

std::uint64_t CompiledModel::content_hash(StateView state) const {
  if (!host_) return TransitionSystem::content_hash(state);
  std::vector<std::uint64_t> words(state.begin(), state.end());
  host_->hash_numbers(reinterpret_cast<std::uint8_t*>(words.data()));
  return TransitionSystem::content_hash(words);
}

void CompiledModel::depart(StateView state, PortableState& out) const {
  TransitionSystem::depart(state, out);
  if (host_) host_->depart(reinterpret_cast<std::uint8_t*>(out.words.data()), out.parts);
}

std::uint32_t CompiledModel::arrive(const PortableState& state, std::uint64_t* words) const {
  if (!host_) return TransitionSystem::arrive(state, words);
  const PortableState itself{state.words, {}};
  // As much as foreign code finds in every state.
  if (state.words.size() * sizeof(std::uint64_t) <
      model_->foreign->memory_offset + std::size_t{model_->foreign->memory_bytes})
    throw NotPortable("a state that arrived is none of this program: it is too short");
  const std::uint32_t count = TransitionSystem::arrive(itself, words);
  host_->arrive(reinterpret_cast<std::uint8_t*>(words), state.parts);
  return count;
}

PartContent CompiledModel::content_of(Part part) const {
  return host_ ? host_->content_of(part) : TransitionSystem::content_of(part);
}

Part CompiledModel::meet(const std::string& bytes, std::span<const Part> refers) const {
  return host_ ? host_->meet(bytes, refers) : TransitionSystem::meet(bytes, refers);
}

std::uint64_t CompiledModel::digests() const { return host_ ? host_->digests() : 0; }
std::uint64_t CompiledModel::longest_digested() const { return host_ ? host_->longest_digested() : 0; }

std::string CompiledModel::take_output() const { return host_ ? host_->take_output() : std::string(); }

void CompiledModel::confine(std::vector<std::string> readable) {
  readable_when_confined = std::move(readable);
}

std::string CompiledModel::memory_of(StateView state) const {
  return host_ ? host_->memory_of(reinterpret_cast<const std::uint8_t*>(state.data())) : std::string();
}

CompiledModel::~CompiledModel() {
  host_.reset();
  if (!is_confined) dlclose(library_);
}

}  // namespace assay::transition_system
