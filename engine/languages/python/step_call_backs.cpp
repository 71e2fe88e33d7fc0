/// Steps of built-ins that call functions of the program, or of CPython in Python: others may come in between.
#include <algorithm>
#include <string_view>
#include <unordered_set>

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

/// The type's, in brackets, of what has no name of its own: `itemgetter`, `partial`.
std::string name_of_function(PyObject* function) {
  const Ref name = Ref::steal(PyObject_GetAttrString(function, "__name__"));
  if (name.get() != nullptr && PyUnicode_Check(name.get())) return utf8(name.get());
  PyErr_Clear();
  return std::string("<") + Py_TYPE(function)->tp_name + ">";
}

/// Whether a built-in goes on to change something after it has called functions of the program. What has no name may
/// call anything, unless it only looks.
bool changes_in_pieces(std::string_view function) {
  if (function.starts_with("<"))
    return function != "<operator.itemgetter>" && function != "<operator.attrgetter>";
  static const std::unordered_set<std::string_view> known = {"__init__",
                                                             "update",
                                                             "difference_update",
                                                             "intersection_update",
                                                             "symmetric_difference_update",
                                                             "__ior__",
                                                             "__iand__",
                                                             "__isub__",
                                                             "__ixor__",
                                                             "ior",
                                                             "iand",
                                                             "isub",
                                                             "ixor",
                                                             "extend",
                                                             "__iadd__",
                                                             "iadd",
                                                             "sort"};
  return known.contains(function);
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

/// What a built-in has changed so far others can see while it calls back, if it goes on to change more.
void StepWorld::refuse_between_writes(const std::string& name) const {
  if (thread_->atomic != 1 || frame_ == nullptr || frame_->code->qualname != "_call_if_same") return;
  const std::string function = name_of_function(frame_->locals[0].get());
  if (!changes_in_pieces(function)) return;
  throw Unsupported(
      "a built-in, " + function + ", calls " + name +
      " while it has changed some of what other threads can reach, which is not modelled; write "
      "the loop yourself, or call it inside `with assay.atomic()`");
}

/// That nobody else changes what a built-in reaches makes what it reads one piece, not what is written on the way: others
/// could see the one without the other. What it changes itself, in one piece, is seen or not.
void StepWorld::refuse_called_write() const {
  if (thread_ == nullptr || thread_->atomic != 1 || heap.is_loading) return;
  for (auto at = thread_->frames.rbegin(); at != thread_->frames.rend(); ++at) {
    if (!(*at)->in_atomic) continue;
    if (at->get() == frame_ || (*at)->code->qualname != "_call_if_same") return;
    if (program->modules[frame_->code->module].is_library &&
        !changes_in_pieces(name_of_function((*at)->locals[0].get())))
      return;
    throw Unsupported(
        "a function that a built-in calls changes what other threads can reach; call it outside of the "
        "built-in, or inside `with assay.atomic()`");
  }
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
  if (is_single() || is_checking_ || heap.is_loading || granularity_ == Granularity::kSync) return;
  if (thread_ == nullptr) return;
  if (thread_->atomic > 0) {
    refuse_between_writes(name);
    return;
  }
  if (!is_allowed_ || (hashes_first && name == "__hash__")) return;
  if (may_divide()) divide();
  throw Unsupported(
      "a built-in calls " + name +
      " while it works on what other threads can reach, which is not modelled; write the loop yourself, "
      "or call it inside `with assay.atomic()`");
}

/// Whether the built-in that calls back can be tried again as a call that nobody disturbs.
bool StepWorld::may_divide() const {
  if (outer_.size() != 1 || choices_made_ != choices_before_ || granularity_ == Granularity::kSync)
    return false;
  return std::find(divided_.begin(), divided_.end(), outer_.front().instructions) == divided_.end();
}

void StepWorld::divide() {
  divided_.push_back(outer_.front().instructions);
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
      throw Unsupported(function + " changes what other threads can reach (an object of " +
                        Py_TYPE(heap.living(slot))->tp_name +
                        "), which is not modelled; write the loop yourself");
    }
    is_written_object_[slot] = true;
    written_objects_.push_back(slot);
    shows();
  }
}

}  // namespace assay::languages::python
