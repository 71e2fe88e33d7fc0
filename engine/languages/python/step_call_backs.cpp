/// Steps of built-ins that call functions of the program, or of CPython in Python: others may come in between.
#include <algorithm>

#include "languages/python/interpreter.hpp"
#include "languages/python/reach.hpp"
#include "languages/python/step_world.hpp"

namespace assay::languages::python {
namespace {

/// Whether comparing or showing an object runs a function that a decorator of CPython has made, and reads what can change.
bool has_made_methods(PyObject* object) {
  PyTypeObject* const type = Py_TYPE(object);
  if (!is_program_type(type) || lookup(type, interned("__dataclass_fields__")) == nullptr) return false;
  PyObject* const setter = lookup(type, interned("__setattr__"));
  return setter == nullptr || !PyFunction_Check(setter);  // frozen ones have such a setter
}

}  // namespace

/// `_undisturbed` of the library looks whether others change what a built-in can reach while that calls back. What it
/// cannot reach is not looked at, so what is called must leave it alone; and so must what an atomic operation of a library
/// calls. A null object is a variable or a class.
void StepWorld::refuse_uncovered(PyObject* object) const {
  const Frame* built_in = nullptr;
  for (auto at = thread_->frames.rbegin(); at != thread_->frames.rend() && built_in == nullptr; ++at) {
    if ((*at)->in_atomic) built_in = at->get();
  }
  if (built_in == nullptr || built_in == frame_) return;
  Reach reach;
  if (built_in->code->qualname == "_call_if_same") {
    for (const Ref& local : built_in->locals) visit(local.get(), &reach);
  } else if (program->modules[frame_->code->module].is_library) {
    return;  // what is atomic is the library's own
  }
  for (std::size_t next = 0; next < reach.pending.size() && object != nullptr; ++next) {
    if (reach.pending[next] == object) return;
    const traverseproc traverse = Py_TYPE(reach.pending[next])->tp_traverse;
    const bool is_followed = !is_module(reach.pending[next]) && !PyFunction_Check(reach.pending[next]);
    if (traverse != nullptr && is_followed) traverse(reach.pending[next], visit, &reach);
  }
  throw Unsupported(
      "a function that a built-in or a library calls touches what other threads can reach; call it outside "
      "of the "
      "built-in, or inside `with assay.atomic()`");
}

bool StepWorld::is_divided(PyObject* const* arguments, std::size_t count, bool of_items) {
  if (is_single() || is_checking_ || heap.is_loading || granularity_ == Granularity::kSync) return false;
  if (thread_ != nullptr && thread_->atomic > 0) return false;
  if (outer_.empty() && std::find(divided_.begin(), divided_.end(), instructions_) != divided_.end())
    return true;
  if (of_items && (granularity_ != Granularity::kBytecode || !uses_dataclasses_))
    return false;  // gil: see calls_back
  return any_reachable(arguments, count, [&](PyObject* object) {
    return (!of_items || has_made_methods(object)) &&
           (heap.slot(object) != Heap::kNoSlot || has_escaped(object));
  });
}

void StepWorld::calls_back(const std::string& name) {
  if (outer_.empty()) addresses_before_ = addresses_hashed;
  outer_.push_back({frame_, is_allowed_, hashes_first, instructions_});
  has_polled_ = true;  // also where what calls stands for C code: the function is in Python
  const bool is_seen = is_allowed_ && !(hashes_first && name == "__hash__");
  if (!is_seen || is_single() || is_checking_ || heap.is_loading || granularity_ == Granularity::kSync)
    return;
  if (thread_ == nullptr || thread_->atomic > 0) return;
  const std::uint64_t instruction = outer_.front().instructions;
  const bool is_known = std::find(divided_.begin(), divided_.end(), instruction) != divided_.end();
  if (is_known || outer_.size() > 1 || choices_made_ != choices_before_) {
    throw Unsupported(
        "a built-in calls " + name +
        " while it works on what other threads can reach, which is not modelled; write the loop yourself, "
        "or call it inside `with assay.atomic()`");
  }
  divided_.push_back(instruction);
  throw Divided();
}

void StepWorld::called_back() {
  const Outer outer = outer_.back();
  outer_.pop_back();
  frame_ = outer.frame;
  is_allowed_ = outer.is_allowed;
  hashes_first = outer.hashes_first;
  instructions_ = outer.instructions;  // what is counted are those of the step itself
}

std::vector<std::uint32_t> StepWorld::reached(PyObject* const* arguments, std::size_t count) {
  std::vector<std::uint32_t> slots;
  if (heap.is_loading) return slots;
  any_reachable(arguments, count, [&](PyObject* object) {
    const std::uint32_t slot = heap.slot(object);
    if (slot < is_written_object_.size()) slots.push_back(slot);
    return false;
  });
  return slots;
}

void StepWorld::settle(const std::vector<std::uint32_t>& reached, const std::string& function) {
  for (std::uint32_t slot : reached) {
    if (is_written_object_[slot] || heap.write_object(slot) == state_->object(slot)) continue;
    if (!is_single()) {
      throw Unsupported(
          function + " changes what other threads can reach, which is not modelled; write the loop yourself");
    }
    is_written_object_[slot] = true;
    written_objects_.push_back(slot);
    shows();
  }
}

}  // namespace assay::languages::python
