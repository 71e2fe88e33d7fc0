#include "bindings/python_system.hpp"

#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace nb = nanobind;
using namespace nb::literals;

namespace assay::bindings {
namespace {

using transition_system::StateView;

nb::bytes bytes_of(StateView state) {
  return nb::bytes(reinterpret_cast<const char*>(state.data()), state.size_bytes());
}

nb::object method(const nb::object& system, const char* name, bool is_optional = false) {
  return is_optional && !nb::hasattr(system, name) ? nb::object() : nb::object(nb::getattr(system, name));
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self)) return 0;
  for (const nb::object& method : nb::inst_ptr<PythonSystem>(self)->methods()) Py_VISIT(method.ptr());
  return 0;
}

int clear(PyObject* self) {
  for (nb::object& method : nb::inst_ptr<PythonSystem>(self)->methods()) method.reset();
  return 0;
}

PyType_Slot slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(traverse)},
                       {Py_tp_clear, reinterpret_cast<void*>(clear)},
                       {0, nullptr}};

}  // namespace

PythonSystem::PythonSystem(nb::object system, std::uint32_t max_words)
    : max_words_(max_words),
      methods_{method(system, "initial_state"),      method(system, "successors"),
               method(system, "is_valid_end"),       method(system, "check_state", true),
               method(system, "check_step", true),   method(system, "labels", true),
               method(system, "match_key", true),    method(system, "content", true),
               method(system, "part_of", true),      method(system, "state_of", true),
               method(system, "part_content", true), method(system, "meet_part", true)} {}

std::uint32_t PythonSystem::length_of(const nb::bytes& state) const {
  const std::size_t bytes = state.size();
  if (bytes % sizeof(std::uint64_t) != 0 || bytes / sizeof(std::uint64_t) > max_words_) {
    throw std::invalid_argument("a state is a whole number of 8-byte words, at most " +
                                std::to_string(max_words_) + "; got " + std::to_string(bytes) + " bytes");
  }
  return static_cast<std::uint32_t>(bytes / sizeof(std::uint64_t));
}

std::uint32_t PythonSystem::initial(std::uint64_t* words, std::uint32_t* violation) const {
  nb::gil_scoped_acquire locked;
  const nb::object answer = methods_[kInitialState]();
  const auto state = nb::cast<nb::bytes>(answer[0]);
  *violation = nb::cast<std::uint32_t>(answer[1]);
  const std::uint32_t length = length_of(state);
  std::memcpy(words, state.c_str(), state.size());
  return length;
}

void PythonSystem::successors(StateView before, assay_buffer* out) const {
  nb::gil_scoped_acquire locked;
  const nb::object answer = methods_[kSuccessors](bytes_of(before));
  for (nb::handle successor : answer) {
    const nb::object state = successor[0];
    const auto violation = nb::cast<std::uint32_t>(successor[1]);
    const bool has_state = !state.is_none();
    const nb::bytes content = has_state ? nb::cast<nb::bytes>(state) : nb::bytes("", 0);
    const std::uint32_t length = length_of(content);
    if (out->words_capacity - out->words_used < length || out->count == out->capacity)
      out->grow(out, length, 1);
    std::uint64_t* const after = out->words + out->words_used;
    if (length > 0) std::memcpy(after, content.c_str(), content.size());
    // One action, one step; one that leaves no state behind is shown in the state where it began.
    if (out->recorder != nullptr) {
      out->recorder->primitive_step(out->recorder->context, out->count, 0, out->count,
                                    has_state ? after : before.data(),
                                    has_state ? length : transition_system::length_of(before));
    }
    out->successors[out->count++] = {out->words_used, length, violation, has_state, ASSAY_NO_PROCESS};
    out->words_used += length;
  }
}

bool PythonSystem::is_valid_end(StateView state) const {
  nb::gil_scoped_acquire locked;
  return nb::cast<bool>(methods_[kIsValidEnd](bytes_of(state)));
}

std::uint32_t PythonSystem::check_state(StateView state) const {
  nb::gil_scoped_acquire locked;
  return nb::cast<std::uint32_t>(methods_[kCheckState](bytes_of(state)));
}

std::uint32_t PythonSystem::check_step(StateView before, StateView after) const {
  nb::gil_scoped_acquire locked;
  return nb::cast<std::uint32_t>(methods_[kCheckStep](bytes_of(before), bytes_of(after)));
}

std::uint64_t PythonSystem::labels(StateView state) const {
  if (!methods_[kLabels].is_valid()) return 0;
  nb::gil_scoped_acquire locked;
  return nb::cast<std::uint64_t>(methods_[kLabels](bytes_of(state)));
}

std::uint32_t PythonSystem::match_key(StateView state, std::uint64_t* key) const {
  if (!has_match_key()) return TransitionSystem::match_key(state, key);
  nb::gil_scoped_acquire locked;
  const auto content = nb::cast<nb::bytes>(methods_[kMatchKey](bytes_of(state)));
  const std::uint32_t length = length_of(content);
  std::memcpy(key, content.c_str(), content.size());
  return length;
}

/// Where states are numbers of this process, `content` tells what they are made of.
std::uint64_t PythonSystem::content_hash(StateView state) const {
  if (!methods_[kContent].is_valid()) return TransitionSystem::content_hash(state);
  nb::gil_scoped_acquire locked;
  const auto content = nb::cast<nb::bytes>(methods_[kContent](bytes_of(state)));
  std::vector<std::uint64_t> words((content.size() + 7) / 8, 0);
  if (content.size() != 0) std::memcpy(words.data(), content.c_str(), content.size());
  return support::hash_words(words.data(), words.size(), kContentSeed + content.size());
}

void PythonSystem::depart(StateView state, transition_system::PortableState& out) const {
  if (!methods_[kPartOf].is_valid()) return TransitionSystem::depart(state, out);
  nb::gil_scoped_acquire locked;
  out.words.clear();
  out.parts.assign(1, transition_system::Part{nb::cast<std::uint64_t>(methods_[kPartOf](bytes_of(state)))});
  if (out.parts[0] != transition_system::Part{0}) return;
  out.parts.clear();  // a root
  out.words.assign(state.begin(), state.end());
}

std::uint32_t PythonSystem::arrive(const transition_system::PortableState& state,
                                   std::uint64_t* words) const {
  if (!methods_[kStateOf].is_valid()) return TransitionSystem::arrive(state, words);
  if (state.words.size() + state.parts.size() != 1 || (!state.words.empty() && state.words[0] != 0))
    throw NotPortable("a state that arrived is none of this class");
  nb::gil_scoped_acquire locked;
  const std::uint64_t part = state.parts.empty() ? 0 : static_cast<std::uint64_t>(state.parts[0]);
  const auto content = nb::cast<nb::bytes>(methods_[kStateOf](part));
  const std::uint32_t length = length_of(content);
  std::memcpy(words, content.c_str(), content.size());
  return length;
}

transition_system::PartContent PythonSystem::content_of(transition_system::Part part) const {
  if (!methods_[kPartContent].is_valid()) return TransitionSystem::content_of(part);
  nb::gil_scoped_acquire locked;
  const auto content = nb::cast<nb::bytes>(methods_[kPartContent](static_cast<std::uint64_t>(part)));
  return {std::string(content.c_str(), content.size()), {}, {}};
}

transition_system::Part PythonSystem::meet(const std::string& bytes,
                                           std::span<const transition_system::Part> refers) const {
  if (!methods_[kMeetPart].is_valid()) return TransitionSystem::meet(bytes, refers);
  nb::gil_scoped_acquire locked;
  return transition_system::Part{
      nb::cast<std::uint64_t>(methods_[kMeetPart](nb::bytes(bytes.data(), bytes.size())))};
}

void bind_python_system(nb::module_& m) {
  nb::class_<PythonSystem, transition_system::TransitionSystem>(m, "PythonSystem", nb::type_slots(slots))
      .def(nb::init<nb::object, std::uint32_t>(), "system"_a, "max_words"_a);
}

}  // namespace assay::bindings
