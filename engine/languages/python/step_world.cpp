#include <algorithm>
#include <unordered_set>
#include <utility>

#include "languages/python/interpreter.hpp"
#include "languages/python/program_system.hpp"

namespace assay::languages::python {
namespace {

constexpr std::uint64_t kLongestStep = 200'000'000;  // instructions; a program that needs more does not end
constexpr std::uint32_t kNoLimit = 0xFFFFFFFFu;

std::string text_of(PyObject* name) {
  const char* const text = PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : nullptr;
  if (text == nullptr) PyErr_Clear();
  return text == nullptr ? "?" : text;
}

bool is_atom(PyObject* o) {
  PyTypeObject* const type = Py_TYPE(o);
  return type == &PyLong_Type || type == &PyUnicode_Type || type == &PyBool_Type || type == &PyFloat_Type ||
         o == Py_None || type == &PyBytes_Type || PyType_Check(o) || PyModule_Check(o);
}

struct Reach {
  std::unordered_set<PyObject*> seen;
  std::vector<PyObject*> pending;
};

int visit(PyObject* object, void* context) {
  auto* const reach = static_cast<Reach*>(context);
  if (object != nullptr && !is_atom(object) && reach->seen.insert(object).second)
    reach->pending.push_back(object);
  return 0;
}

}  // namespace

StepWorld::StepWorld(const Program& p, Granularity granularity, Watch watch)
    : heap(p, *this), granularity_(granularity), watch_(std::move(watch)) {
  program = &p;
  uses_dataclasses_ = std::any_of(p.codes.begin(), p.codes.end(), [](const auto& code) {
    return std::any_of(code->names.begin(), code->names.end(),
                       [](const Ref& name) { return text_of(name.get()) == "dataclasses"; });
  });
}

void StepWorld::begin_step(const StateIds& state, const std::vector<std::uint32_t>& choices) {
  ++changes;
  state_ = &state;
  thread_ = nullptr;
  frame_ = nullptr;
  thread_count_ = 0;
  for (std::uint32_t t = 0; t < state.threads; ++t)
    thread_count_ += heap.components.is_ended(state.thread(t)) ? 0 : 1;
  is_checking_ = has_acted_ = has_synchronised_ = is_allowed_ = has_polled_ = has_shown_ = false;
  instructions_ = 0;
  outer_.clear();
  synchronisations_ = 0;
  begins_by_synchronising_ = false;
  choices_ = choices;
  choices_made_ = 0;
  written_objects_.clear();
  written_fixed_.clear();
  is_written_object_.assign(state.objects(), false);
  is_written_fixed_.assign(heap.fixed_count(), false);
  accesses_.clear();
  accesses_known_.clear();
  escaped_.clear();
  has_written_ = false;
  is_escape_known_ = true;
  started.clear();
  failure = Failure();
  output.clear();
  lines.clear();
  recorded_accesses.clear();
  recorded_values.clear();
}

void StepWorld::begin_instruction(Thread& thread, Frame& frame) {
  if (heap.is_loading) return;  // it is no instruction of the step
  thread_ = &thread;
  frame_ = &frame;
  is_allowed_ = false;
  hashes_first = false;
  if (outer_.empty()) choices_before_ = choices_made_;
  if (std::exchange(has_written_, false)) is_escape_known_ = false;
  if (++instructions_ > kLongestStep) {
    throw Unsupported("more than " + std::to_string(kLongestStep) + " instructions without a visible one");
  }
  if (records_lines) lines.emplace_back(frame.code, frame.pc);
  if (!program->modules[frame.code->module].is_library) last_place_ = {frame.code, frame.pc};
}

/// Whether what runs stands for C code, in which nobody is interrupted.
bool StepWorld::is_standing_in() const { return frame_ != nullptr && frame_->code->stands_in; }

/// Whether a built-in has called what runs: a step cannot end there.
bool StepWorld::is_nested() const {
  return thread_ != nullptr &&
         std::any_of(thread_->frames.begin(), thread_->frames.end(),
                     [](const auto& frame) { return frame->on_return == Return::kNested; });
}

/// Whether the instruction that runs is inside of something that has no states in between.
bool StepWorld::is_in_one_piece() const {
  return thread_ == nullptr || thread_->atomic > 0 || is_standing_in() || is_nested();
}

/// The instruction that runs changes something that an atom may read.
void StepWorld::shows() {
  if (heap.atoms == 0 || heap.is_loading || is_checking_) return;
  if (has_shown_ && !is_allowed_ && is_nested()) {
    throw Unsupported(
        "a function that a built-in calls changes what formulas may read, more than once; write the loop "
        "yourself, or change it inside `with assay.atomic()`");
  }
  has_shown_ = true;
}

void StepWorld::poll() { has_polled_ |= !is_standing_in(); }

void StepWorld::enters(const Code& function) {
  // With the granularity of bytecode others may come in before C code begins; it never looks whether they want to.
  has_polled_ |= !function.stands_in || (granularity_ == Granularity::kBytecode && !is_standing_in());
}

void StepWorld::comes_back(const Code& function, const Code& caller, bool was_called) {
  if (function.stands_in == caller.stands_in) return;
  has_polled_ |= granularity_ == Granularity::kBytecode || (function.stands_in && was_called);
}

std::string StepWorld::place() const {
  // The innermost frame of the user's own code; where there is none any more, what that did last.
  auto [code, pc] = last_place_;
  if (thread_ != nullptr) {
    for (auto at = thread_->frames.rbegin(); at != thread_->frames.rend(); ++at) {
      if (program->modules[(*at)->code->module].is_library) continue;
      code = (*at)->code;
      pc = (*at)->pc;
      break;
    }
  }
  if (code == nullptr) return "?";
  pc = std::min<std::uint32_t>(pc, static_cast<std::uint32_t>(code->positions.size()) - 1);
  return program->modules[code->module].file + ":" + std::to_string(code->positions[pc].line);
}

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

/// Whether the instruction that runs may do something that others can see.
bool StepWorld::visible(bool is_synchronisation, PyObject* object) {
  if (heap.is_loading || is_checking_) return true;
  if (is_single()) {
    if (has_shown_ && !is_allowed_ && !is_in_one_piece()) return false;
    is_allowed_ = true;
    if (!is_synchronisation) return true;
    if (synchronisations_ == synchronisation_limit_) return false;
    if (synchronisations_++ == 0) begins_by_synchronising_ = instructions_ == 1;
    shows();
    return true;
  }
  if (thread_ != nullptr && thread_->atomic > 0) {
    if (thread_->atomic == 1) refuse_uncovered(object);
    return true;
  }
  if (is_allowed_) return true;
  bool stops = false;
  switch (granularity_) {
    case Granularity::kBytecode:
      stops = has_acted_ && (has_polled_ || is_synchronisation || has_synchronised_ || !is_standing_in());
      break;
    case Granularity::kGil:
      stops = has_acted_ && (has_polled_ || is_synchronisation || has_synchronised_);
      break;
    case Granularity::kSync: stops = has_acted_ && (is_synchronisation || has_synchronised_); break;
  }
  if (thread_ != nullptr) {
    for (auto at = thread_->frames.rbegin(); at != thread_->frames.rend(); ++at) {
      if ((*at)->on_return != Return::kNested) continue;
      throw Unsupported(
          "a function that a built-in calls touches what other threads can reach; call it outside of the "
          "built-in, "
          "or inside `with assay.atomic()`");
    }
  }
  if (!stops && has_shown_ && !is_in_one_piece()) {
    // Formulas look here, and threads cannot switch.
    thread_->goes_on = true;
    stops = true;
  }
  if (stops) return false;
  if (is_synchronisation) shows();
  has_acted_ = true;
  has_polled_ = false;
  has_synchronised_ |= is_synchronisation;
  is_allowed_ = true;
  return true;
}

void StepWorld::touch(Event::Kind kind, std::uint32_t index) {
  if (heap.is_loading) return;  // what puts a state together is no question of the step
  if (kind == Event::Kind::kFixed) {
    if (index >= state_->fixed || touched_fixed_[index]) return;
    touched_fixed_[index] = 1;
    events.push_back({kind, index, state_->ids[index]});
    return;
  }
  if (index >= state_->objects()) return;  // it became shared in this step
  const std::uint8_t bit = kind == Event::Kind::kObject ? 2 : 1;
  if (touched_objects_[index] & bit || touched_objects_[index] & 2) return;
  touched_objects_[index] |= bit;
  const ComponentId id = state_->object(index);
  events.push_back({kind, index, kind == Event::Kind::kFinals ? heap.components.finals(id) : id});
}

void StepWorld::note(bool is_write, Event::Kind kind, std::uint32_t index, PyObject* detail) {
  if (heap.is_loading) return;
  const bool wants_race = granularity_ == Granularity::kSync && !is_single() && !is_checking_ &&
                          (thread_ == nullptr || thread_->atomic == 0);
  if (!wants_race && !records_lines) return;
  std::uint32_t leaf = 0;
  if (detail != nullptr) {
    if (const std::optional<LeafId> found = heap.leaves.find(detail)) leaf = *found + 1;
  }
  Access access{is_write,
                kind,
                index,
                leaf,
                frame_ == nullptr ? nullptr : frame_->code,
                frame_ == nullptr ? 0 : frame_->pc};
  // A loop touches the same again and again; once is enough for a race.
  const auto what = std::tuple(is_write, kind, index, leaf);
  if (wants_race && accesses_known_.insert(what).second) accesses_.push_back(access);
  if (!records_lines) return;
  recorded_accesses.push_back(access);
  std::string name = kind == Event::Kind::kObject && detail != nullptr && PyUnicode_Check(detail)
                         ? "." + text_of(detail)
                         : "";
  if (kind == Event::Kind::kObject) {
    const std::string type = index < heap.living_count() ? Py_TYPE(heap.living(index))->tp_name : "?";
    name = type + name;
  } else if (index != 0 || detail == nullptr) {
    name = detail != nullptr ? text_of(detail) : heap.name_of_fixed(index);
  }
  recorded_values.push_back(name);
}

/// Whether this step has published an object that was its own: others may come between what it does to it from now on.
bool StepWorld::has_escaped(PyObject* object) {
  // Alone, nobody sees it, but formulas may.
  if ((is_single() && heap.atoms == 0) || is_checking_ || heap.is_loading) return false;
  if (!std::exchange(is_escape_known_, true)) {
    Reach reach;
    const auto follow = [&](PyObject* from) {
      const traverseproc traverse = Py_TYPE(from)->tp_traverse;
      if (traverse != nullptr && !is_module(from) && !PyFunction_Check(from)) traverse(from, visit, &reach);
    };
    for (std::uint32_t slot : written_objects_) follow(heap.living(slot));
    for (std::uint32_t fixed : written_fixed_) heap.visit_fixed(fixed, visit, &reach);
    for (std::size_t next = 0; next < reach.pending.size(); ++next) {
      // What has a slot was published before; if it was written it is a root itself.
      if (heap.slot(reach.pending[next]) == Heap::kNoSlot) follow(reach.pending[next]);
    }
    escaped_ = std::move(reach.seen);
  }
  return escaped_.contains(object);
}

/// Where a key is found depends on the content of the other keys, if that is what their hashes are made of.
void StepWorld::touch_keys(PyObject* container) {
  const auto touch_key = [&](auto&& self, PyObject* key) -> void {
    if (is_atom(key) || Py_TYPE(key)->tp_hash == PyBaseObject_Type.tp_hash) return;
    if (PyTuple_Check(key)) {
      for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(key); ++i) self(self, PyTuple_GET_ITEM(key, i));
    }
    if (const std::uint32_t slot = heap.slot(key); slot != Heap::kNoSlot) touch(Event::Kind::kObject, slot);
  };
  if (PyDict_Check(container)) {
    PyObject *key = nullptr, *item = nullptr;
    Py_ssize_t position = 0;
    while (PyDict_Next(container, &position, &key, &item) != 0) touch_key(touch_key, key);
  } else if (PyAnySet_Check(container)) {
    bool has_objects = false;
    PyObject* element = nullptr;
    Py_ssize_t position = 0;
    Py_hash_t hash = 0;
    while (_PySet_NextEntry(container, &position, &element, &hash) != 0) has_objects |= !is_atom(element);
    if (!has_objects) return;
    const Ref elements = heap.ordered(container);  // questions come in an order of their own
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(elements.get()); ++i) {
      touch_key(touch_key, PyList_GET_ITEM(elements.get(), i));
    }
  }
}

bool StepWorld::may_access(PyObject* object, PyObject* detail, bool is_write) {
  changes += is_write && detail == nullptr && !is_iterator(object) && !PyList_Check(object) ? 1 : 0;
  if (PyDictViewSet_Check(object) || PyDictValues_Check(object)) {
    // A view of a dict is no object of its own: what it shows is the dict's.
    return may_access(reinterpret_cast<PyObject*>(reinterpret_cast<_PyDictViewObject*>(object)->dv_dict),
                      nullptr, is_write);
  }
  const std::uint32_t slot = heap.slot(object);
  if (slot == Heap::kNoSlot) touch_keys(object);
  if (slot == Heap::kNoSlot) {
    if (!has_escaped(object)) return true;
    if (!visible(false, object)) return false;
    has_written_ |= is_write;
    if (is_write) shows();
    return true;
  }
  if (!visible(false, object)) return false;
  touch(Event::Kind::kObject, slot);
  touch_keys(object);
  note(is_write, Event::Kind::kObject, slot, detail);
  if (is_write && !heap.is_loading) {
    if (is_checking_) throw Unsupported("an invariant changes the program's state");
    has_written_ = true;
    shows();
    if (slot < is_written_object_.size() && !is_written_object_[slot]) {
      is_written_object_[slot] = true;
      written_objects_.push_back(slot);
    }
  }
  return true;
}

bool StepWorld::may_read_attribute(PyObject* object, PyObject* name) {
  if (PyType_Check(object)) {
    const std::uint32_t fixed = heap.fixed_of_class(reinterpret_cast<PyTypeObject*>(object));
    if (fixed == 0) return true;
    if (!heap.is_final_attribute(name) && !visible(false)) return false;
    touch(Event::Kind::kFixed, fixed);
    note(false, Event::Kind::kFixed, fixed, name);
    return true;
  }
  const std::uint32_t slot = heap.slot(object);
  if (heap.is_final_attribute(name)) {
    if (slot != Heap::kNoSlot) touch(Event::Kind::kFinals, slot);
    return true;
  }
  return may_access(object, name, false);
}

bool StepWorld::may_write_attribute(PyObject* object, PyObject* name) {
  if (PyType_Check(object)) {
    const std::uint32_t fixed = heap.fixed_of_class(reinterpret_cast<PyTypeObject*>(object));
    if (fixed == 0 && is_single() && !heap.leaves.is_fixed(object) &&
        !Leaves::is_of_cpython(reinterpret_cast<PyTypeObject*>(object))) {
      return true;  // it is being made, and announced afterwards
    }
    if (fixed == 0) {
      throw Unsupported(std::string("the class ") + reinterpret_cast<PyTypeObject*>(object)->tp_name +
                        " gets its first attribute, " + text_of(name) +
                        ", while it runs; give it a value in the class body");
    }
    if (!is_single() && heap.is_final_attribute(name)) throw NotFinal("." + text_of(name));
    if (!visible(false)) return false;
    if (is_checking_) throw Unsupported("an invariant changes the program's state");
    has_written_ = true;
    shows();
    if (is_single()) write_statics();  // it may be a method
    touch(Event::Kind::kFixed, fixed);
    note(true, Event::Kind::kFixed, fixed, name);
    if (fixed >= is_written_fixed_.size()) is_written_fixed_.resize(fixed + 1, false);
    if (!is_written_fixed_[fixed]) {
      is_written_fixed_[fixed] = true;
      written_fixed_.push_back(fixed);
    }
    return true;
  }
  if (heap.slot(object) == Heap::kNoSlot && !has_escaped(object)) return true;
  if (!is_single() && heap.is_final_attribute(name)) throw NotFinal("." + text_of(name));
  return may_access(object, name, true);
}

bool StepWorld::may_read_item(PyObject* container, PyObject* key) {
  if (Py_TYPE(container) == &PyCell_Type && frame_ != nullptr) {
    // A cell that is stored once and has its value can be read without being seen.
    const Code& code = *frame_->code;
    const std::uint32_t instruction =
        code.instructions[std::min<std::size_t>(frame_->pc, code.instructions.size() - 1)];
    const std::uint32_t cell = instruction >> 8;
    const std::uint32_t slot = heap.slot(container);
    if (static_cast<Operation>(instruction & 0xFF) == Operation::LOAD_DEREF &&
        cell < code.final_cells.size() && code.final_cells[cell] && PyCell_GET(container) != nullptr) {
      if (slot != Heap::kNoSlot) touch(Event::Kind::kObject, slot);
      return true;
    }
  }
  return may_access(container, key, false);
}

bool StepWorld::may_write_item(PyObject* container, PyObject* key) {
  if (Py_TYPE(container) == &PyCell_Type && frame_ != nullptr && !is_single() &&
      PyCell_GET(container) != nullptr && (heap.slot(container) != Heap::kNoSlot || has_escaped(container))) {
    const Code& code = *frame_->code;
    const std::uint32_t cell =
        code.instructions[std::min<std::size_t>(frame_->pc, code.instructions.size() - 1)] >> 8;
    if (cell < code.final_cells.size() && code.final_cells[cell]) {
      const std::size_t own = code.cell_names.size();
      throw NotFinal("cell:" +
                     text_of((cell < own ? code.cell_names[cell] : code.free_names[cell - own]).get()));
    }
  }
  return may_access(container, key, true);
}

PyObject* StepWorld::name_of_global(std::uint32_t global) const {
  for (const Module& module : program->modules) {
    if (global >= module.first_global && global < module.first_global + module.global_names.size()) {
      return module.global_names[global - module.first_global].get();
    }
  }
  return nullptr;
}

bool StepWorld::may_read_global(std::uint32_t global) {
  const std::uint32_t fixed = heap.fixed_of_global(global);
  if (fixed == 0) {
    // Part of the statics, on which every step depends. Unset ones may still be set.
    if (globals[global]) return true;
    if (!visible(false)) return false;
    note(false, Event::Kind::kFixed, 0, name_of_global(global));
    return true;
  }
  if (!visible(false)) return false;
  touch(Event::Kind::kFixed, fixed);
  note(false, Event::Kind::kFixed, fixed, nullptr);
  return true;
}

bool StepWorld::may_write_global(std::uint32_t global) {
  const std::uint32_t fixed = heap.fixed_of_global(global);
  if (fixed == 0 && !is_single() && globals[global]) {
    for (const Module& module : program->modules) {
      if (global >= module.first_global && global < module.first_global + module.global_names.size()) {
        throw NotFinal(module.name + ":" + text_of(module.global_names[global - module.first_global].get()));
      }
    }
  }
  if (!visible(false)) return false;
  if (is_checking_) throw Unsupported("an invariant changes the program's state");
  has_written_ = true;
  shows();
  if (fixed != 0) touch(Event::Kind::kFixed, fixed);
  note(true, Event::Kind::kFixed, fixed, fixed == 0 ? name_of_global(global) : nullptr);
  if (!is_written_fixed_[fixed]) {
    is_written_fixed_[fixed] = true;
    written_fixed_.push_back(fixed);
  }
  return true;
}

bool StepWorld::may_import(std::uint32_t module) {
  return module_finished[module] || visible(false);  // what has been imported stays so
}

/// A built-in may look up any attribute of the class, unless an instance is given that has its own: a step begins where
/// one of these can change.
bool StepWorld::may_read_class(PyTypeObject* type, PyObject* instance) {
  const Ref own = instance != nullptr && type->tp_dictoffset != 0
                      ? checked(PyObject_GenericGetDict(instance, nullptr))
                      : Ref();
  for (Py_ssize_t i = 0; type->tp_mro != nullptr && i < PyTuple_GET_SIZE(type->tp_mro); ++i) {
    auto* const base = reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(type->tp_mro, i));
    const std::uint32_t fixed = heap.fixed_of_class(base);
    if (fixed == 0) continue;
    touch(Event::Kind::kFixed, fixed);
    bool can_change = false;
    PyObject *name = nullptr, *value = nullptr;
    Py_ssize_t position = 0;
    while (PyDict_Next(base->tp_dict, &position, &name, &value) != 0) {
      if (Classes::role(name, value) != Entry::kData || heap.is_final_attribute(name)) continue;
      const int is_hidden = own ? PyDict_Contains(own.get(), name) : 0;
      if (is_hidden < 0) throw PythonError();
      can_change |= is_hidden == 0;
    }
    if (!can_change) continue;
    if (!visible(false)) return false;
    note(false, Event::Kind::kFixed, fixed, nullptr);
  }
  return true;
}

bool StepWorld::may_call(PyObject* const* arguments, std::size_t count, PyObject* const* written,
                         std::size_t written_count) {
  for (std::size_t i = 0; i < count; ++i) {
    if (!PyType_Check(arguments[i])) continue;
    auto* const type = reinterpret_cast<PyTypeObject*>(arguments[i]);
    if (is_program_type(type) && !may_read_class(type, nullptr)) return false;
  }
  // What an object refers to is known only after it was asked for, so everything is touched as it is found: then the
  // same questions follow from the same answers.
  Reach reach;
  for (std::size_t i = 0; i < written_count; ++i) visit(written[i], &reach);
  const std::size_t writable = reach.pending.size();
  for (std::size_t i = 0; i < count; ++i) visit(arguments[i], &reach);
  for (std::size_t next = 0; next < reach.pending.size(); ++next) {
    PyObject* const object = reach.pending[next];
    if (!may_access(object, nullptr, next < writable)) return false;
    if (is_program_type(Py_TYPE(object)) && !may_read_class(Py_TYPE(object), object)) return false;
    if (PyAnySet_Check(object)) {
      const Ref elements = heap.ordered(object);
      for (Py_ssize_t i = 0; i < PyList_GET_SIZE(elements.get()); ++i) {
        visit(PyList_GET_ITEM(elements.get(), i), &reach);
      }
    } else if (const traverseproc traverse = Py_TYPE(object)->tp_traverse;
               traverse != nullptr && !is_module(object)) {
      traverse(object, visit, &reach);
    }
  }
  return true;
}

namespace {
/// What can be reached from the arguments; calls `found` for each until that answers true.
template <typename Found>
bool any_reachable(PyObject* const* arguments, std::size_t count, Found found) {
  Reach reach;
  for (std::size_t i = 0; i < count; ++i) visit(arguments[i], &reach);
  for (std::size_t next = 0; next < reach.pending.size(); ++next) {
    PyObject* const object = reach.pending[next];
    if (found(object)) return true;
    const traverseproc traverse = Py_TYPE(object)->tp_traverse;
    if (traverse != nullptr && !is_module(object) && !PyFunction_Check(object))
      traverse(object, visit, &reach);
  }
  return false;
}

/// Whether comparing or showing an object runs a function that a decorator of CPython has made, and reads what can change.
bool has_made_methods(PyObject* object) {
  PyTypeObject* const type = Py_TYPE(object);
  if (!is_program_type(type) || lookup(type, interned("__dataclass_fields__")) == nullptr) return false;
  PyObject* const setter = lookup(type, interned("__setattr__"));
  return setter == nullptr || !PyFunction_Check(setter);  // frozen ones have such a setter
}
}  // namespace

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

bool StepWorld::joins_step(const Code& operation) {
  if (!has_acted_) return false;  // then this is its visible instruction, like any other
  has_synchronised_ = true;
  if (records_lines) {
    // The place in the program where it is called from.
    for (std::size_t i = thread_->frames.size(); i-- > 0;) {
      const Frame& frame = *thread_->frames[i];
      if (program->modules[frame.code->module].is_library) continue;
      const bool is_top = i + 1 == thread_->frames.size();
      Access access{false, Event::Kind::kObject, 0,
                    0,     frame.code,           is_top || frame.pc == 0 ? frame.pc : frame.pc - 1};
      access.is_operation = true;
      recorded_accesses.push_back(access);
      recorded_values.push_back(operation.qualname);
      break;
    }
  }
  return true;
}

void StepWorld::observes(const std::string& assumption) { throw NotFinal(assumption); }

bool StepWorld::may_synchronise() { return visible(true); }

std::uint32_t StepWorld::choose(std::uint32_t count) {
  if (is_checking_) throw Unsupported("an invariant makes a choice");
  if (count == 0) throw Unsupported("a choice among nothing");
  const std::uint32_t chosen = choices_made_ < choices_.size() ? choices_[choices_made_] : 0;
  ++choices_made_;
  if (choices_made_ > choices_known_) events.push_back({Event::Kind::kChoice, count, chosen});
  return chosen;
}

/// CPython's order depends on hashes, addresses and what the set went through (even that of small numbers, if some
/// were removed); with few elements each is tried.
Ref StepWorld::arranged(PyObject* set) {
  constexpr Py_ssize_t kMostArranged = 4;
  constexpr std::uint32_t kArrangements[] = {1, 1, 2, 6, 24};
  Ref elements = heap.ordered(set);
  const Py_ssize_t count = PyList_GET_SIZE(elements.get());
  if (count < 2) return elements;
  if (count > kMostArranged || is_checking_) {
    remark("a set is gone through in one order only; sort it where the order matters");
    return elements;
  }
  return permutation(elements.get(), choose(kArrangements[count]));
}

void StepWorld::remark(std::string what) { remarks[std::move(what)].insert(place()); }

void StepWorld::add_invariant(Ref function, std::string name) {
  heap.invariants.push_back({std::move(function), std::move(name)});
  write_statics();
}

void StepWorld::set_atoms(const std::vector<Ref>& functions) {
  if (functions.size() != watch_.atoms.size()) throw Unsupported("atoms of formulas that nobody asked for");
  std::vector<Invariant> atoms;
  for (std::size_t i = 0; i < functions.size(); ++i) atoms.push_back({functions[i], watch_.atoms[i]});
  heap.invariants.insert(heap.invariants.begin(), atoms.begin(), atoms.end());
  heap.atoms = static_cast<std::uint32_t>(functions.size());
  write_statics();
}

bool StepWorld::may_pass_label(const std::string& name) {
  const auto found = std::find(watch_.labels.begin(), watch_.labels.end(), name);
  if (found == watch_.labels.end() || heap.is_loading) return true;
  if (is_checking_) throw Unsupported("a property passes a label");
  if (is_in_one_piece()) {
    throw Unsupported("the label '" + name +
                      "' stands where no other thread gets a turn, so no state is there; "
                      "move it out of `with assay.atomic()` or of what a built-in calls");
  }
  if (instructions_ == 1) {  // the state before this step was that of standing here
    has_acted_ = has_synchronised_ = has_shown_ = is_allowed_ = true;
    return true;
  }
  thread_->label = static_cast<std::uint32_t>(found - watch_.labels.begin()) + 1;
  return false;
}

void StepWorld::write_statics() {
  if (is_written_fixed_[0]) return;
  is_written_fixed_[0] = true;
  written_fixed_.push_back(0);
}

Ref StepWorld::class_known(const Code* body) {
  if (!is_single()) throw Unsupported("a class is made while several threads run; make it before they start");
  return heap.class_known(body);
}

Ref StepWorld::class_made(Ref type, const Code* body) {
  if (!is_single()) throw Unsupported("a class is made while several threads run; make it before they start");
  write_statics();
  return heap.class_made(std::move(type), body);
}

Ref StepWorld::announced(Ref value) {
  if (!PyType_Check(value.get()) || heap.is_loading || heap.leaves.is_fixed(value.get()) ||
      heap.leaves.is_of_cpython(reinterpret_cast<PyTypeObject*>(value.get()))) {
    return value;
  }
  return class_made(std::move(value), nullptr);
}

bool StepWorld::is_beginning() const {
  return is_single() && choices_made_ == 0 && state_ != nullptr && state_->ids == first_ids_;
}

bool StepWorld::is_closed(PyObject* object) {
  if (PyType_Check(object) || is_module(object)) return false;
  if (heap.leaves.is_fixed(object)) return true;
  if (is_function(object)) return false;
  PyTypeObject* const type = Py_TYPE(object);
  if (is_program_type(type) && !Leaves::is_of_cpython(type)) {
    // While an enumeration is being made, its members get their attributes.
    return heap.classes.facts(type).is_enumeration && heap.leaves.is_fixed(reinterpret_cast<PyObject*>(type));
  }
  return heap.slot(object) == Heap::kNoSlot && heap.leaves.find(object).has_value();
}

bool StepWorld::is_hidden(PyObject* object) {
  return !is_plain(object) && !PyMethod_Check(object) && !is_function(object) && !is_module(object) &&
         Py_TYPE(object) != &PyDictProxy_Type && heap.slot(object) == Heap::kNoSlot &&
         !heap.leaves.find(object);
}

void StepWorld::used(PyObject* object) {
  const std::uint32_t slot = heap.slot(object);
  if (slot != Heap::kNoSlot && !heap.is_loading) touch(Event::Kind::kObject, slot);
}

std::uint32_t StepWorld::violation_code(Violation violation) {
  for (std::size_t i = 0; i < violations.size(); ++i) {
    const Violation& known = violations[i];
    if (known.kind == violation.kind && known.message == violation.message && known.file == violation.file &&
        known.line == violation.line) {
      return static_cast<std::uint32_t>(i + 1);
    }
  }
  violations.push_back(std::move(violation));
  return static_cast<std::uint32_t>(violations.size());
}

Violation StepWorld::violation_of_failure() const {
  Violation found{failure.kind, failure.message, "", 0, failure.traceback};
  for (auto at = failure.traceback.rbegin(); at != failure.traceback.rend(); ++at) {
    const Module& module = program->modules[at->first->module];
    if (found.file.empty() || !module.is_library) {
      found.file = module.file;
      found.line =
          at->first->positions[std::min<std::size_t>(at->second, at->first->positions.size() - 1)].line;
    }
    if (!module.is_library) break;
  }
  return found;
}

StateIds StepWorld::first_state() {
  StateIds empty;
  begin_step(empty, {});
  thread_count_ = 1;
  const Thread main = make_main_thread(*this);
  StateIds state;
  for (std::uint32_t fixed = 0; fixed < heap.fixed_count(); ++fixed)
    state.ids.push_back(heap.write_fixed(fixed));
  state.fixed = static_cast<std::uint32_t>(state.ids.size());
  state.threads = 1;
  state.ids.push_back(heap.write_thread(main));
  first_ids_ = state.ids;
  return state;
}

Outcome StepWorld::execute(const StateIds& state, std::uint32_t thread,
                           const std::vector<std::uint32_t>& choices) {
  events.clear();
  touched_objects_.assign(state.objects(), 0);
  touched_fixed_.assign(state.fixed, 0);
  synchronisation_limit_ = kNoLimit;
  choices_known_ = 0;
  divided_.clear();
  World* const outer = std::exchange(current_world(), this);
  struct Restore {
    World* world;
    ~Restore() {
      current_world() = world;
      current_thread() = nullptr;
    }
  } restore{outer};
  const auto start_again = [&] {
    choices_known_ = std::max(choices_known_, choices_made_);
    for (std::uint32_t slot : written_objects_) heap.forget_object(slot);
    for (std::uint32_t fixed : written_fixed_) heap.forget_fixed(fixed);
  };
  for (;;) {
    thread_ = nullptr;
    frame_ = nullptr;
    begin_step(state, choices);
    Thread live;  // outlives the attempt: the place of a problem is found in its frames
    try {
      heap.load(state);
      live = heap.read_thread(state.thread(thread));
      live.label = 0;
      live.goes_on = false;
      if (distrusts) heap.audit(live);
      thread_ = &live;
      frame_ = nullptr;
      current_thread() = &live;
      const std::vector<bool> started_before = module_started, finished_before = module_finished;
      const Stop stop = run(*this, live);
      frame_ = live.frames.empty() ? nullptr : live.frames.back().get();
      if (module_started != started_before || module_finished != finished_before)
        write_statics();  // an import
      if (stop == Stop::kBlocked && is_single() && synchronisations_ > (begins_by_synchronising_ ? 1u : 0u)) {
        // Alone, much runs in one step; it ends before the operation that has to wait.
        synchronisation_limit_ = synchronisations_ - 1;
        start_again();
        continue;
      }
      Outcome outcome = written_down(state, thread, live, stop);
      if (keeps_blocked && stop == Stop::kBlocked) blocked = std::move(live);
      thread_ = nullptr;
      frame_ = nullptr;
      return outcome;
    } catch (const Divided&) {
      start_again();
    } catch (const Unsupported& problem) {
      const std::string where = place();
      thread_ = nullptr;
      frame_ = nullptr;
      throw UnsupportedProgram(where + ": " + problem.what());
    } catch (const PythonError&) {
      const std::string where = place();
      thread_ = nullptr;
      frame_ = nullptr;
      PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
      PyErr_Fetch(&type, &value, &traceback);
      const Ref text = Ref::steal(value == nullptr ? nullptr : PyObject_Repr(value));
      PyErr_Clear();
      throw std::runtime_error("internal: " + where + ": " +
                               (text ? text_of(text.get()) : "an unknown error"));
    }
  }
}

void StepWorld::check_untouched(const StateIds& state) {
  for (std::uint32_t slot = 0; slot < state.objects(); ++slot) {
    if (!is_written_object_[slot] && heap.write_object(slot) != state.object(slot)) {
      throw std::runtime_error(std::string("internal: a step wrote an object without saying so: ") +
                               Py_TYPE(heap.living(slot))->tp_name);
    }
  }
  for (std::uint32_t fixed = 0; fixed < state.fixed; ++fixed) {
    if (!is_written_fixed_[fixed] && heap.write_fixed(fixed) != state.ids[fixed]) {
      throw std::runtime_error("internal: a step wrote a variable without saying so: " +
                               heap.name_of_fixed(fixed));
    }
  }
}

Outcome StepWorld::written_down(const StateIds& state, std::uint32_t thread, Thread& live, Stop stop) {
  Outcome outcome;
  const auto forget = [&] {
    for (std::uint32_t slot : written_objects_) heap.forget_object(slot);
    for (std::uint32_t fixed : written_fixed_) heap.forget_fixed(fixed);
  };
  switch (stop) {
    case Stop::kBlocked: outcome.kind = Outcome::Kind::kBlocked; break;
    case Stop::kCut: outcome.kind = Outcome::Kind::kCut; break;
    case Stop::kFailed:
      outcome.kind = Outcome::Kind::kViolation;
      outcome.violation = violation_code(violation_of_failure());
      break;
    case Stop::kFinished:
    case Stop::kVisible:
    case Stop::kLong: break;
  }
  outcome.accesses = accesses_;
  if (outcome.kind != Outcome::Kind::kState) {
    forget();
    return outcome;
  }
  if (distrusts) check_untouched(state);
  const Components& components = heap.components;
  const auto same_refs = [&](ComponentId a, ComponentId b) {
    const auto x = components.refs(a), y = components.refs(b);
    return std::equal(x.begin(), x.end(), y.begin(), y.end());
  };
  std::sort(written_fixed_.begin(), written_fixed_.end());
  std::sort(written_objects_.begin(), written_objects_.end());
  for (std::uint32_t fixed : written_fixed_) {
    if (fixed >= state.fixed) continue;
    const ComponentId id = heap.write_fixed(fixed);
    outcome.fixed.emplace_back(fixed, id);
    outcome.changes_structure |= !same_refs(state.ids[fixed], id);
  }
  for (std::uint32_t fixed = state.fixed; fixed < heap.fixed_count(); ++fixed) {
    outcome.new_fixed.push_back(heap.write_fixed(fixed));
  }
  for (std::uint32_t slot : written_objects_) {
    const ComponentId id = heap.write_object(slot);
    outcome.objects.emplace_back(slot, id);
    outcome.changes_structure |= !same_refs(state.object(slot), id);
  }
  for (const Started& start : started) outcome.started.push_back(heap.write_new_thread(start.thread));
  outcome.fresh = heap.write_fresh();
  // Objects that become shared are numbered after those that are, so what refers to them depends on how many these are.
  if (!outcome.fresh.empty()) events.push_back({Event::Kind::kObjectCount, 0, state.objects()});
  if (stop == Stop::kFinished) {
    // It stays in its place while others know it, so that nothing else has to move.
    live.frames.clear();
    live.daemon = false;
    live.atomic = 0;
    live.label = 0;
    live.goes_on = false;
    outcome.thread = heap.write_thread(live);
    outcome.is_finished = !components.is_ended(outcome.thread) || components.refs(outcome.thread).empty();
  } else {
    outcome.thread = heap.write_thread(live);
    outcome.changes_structure |= !same_refs(state.thread(thread), outcome.thread);
  }
  outcome.changes_structure |= stop == Stop::kFinished || !outcome.started.empty() ||
                               !outcome.fresh.empty() || !outcome.new_fixed.empty();
  forget();
  started.clear();
  return outcome;
}

Outcome StepWorld::check(const StateIds& state, std::uint32_t number) {
  events.clear();
  touched_objects_.assign(state.objects(), 0);
  touched_fixed_.assign(state.fixed, 0);
  begin_step(state, {});
  World* const outer = std::exchange(current_world(), this);
  Outcome outcome;
  bool is_atom = false;
  std::string problem_of_atom;
  Violation violation{"invariant", "", "", 0, {}};
  try {
    heap.load(state);
    is_checking_ = true;
    Thread thread;
    thread_ = &thread;
    current_thread() = &thread;
    const Invariant invariant = heap.invariants.at(number);
    is_atom = number < heap.atoms;
    violation.message = "the invariant " + invariant.name + " does not hold";
    if (is_function(invariant.function.get())) {
      const Code& code = *reinterpret_cast<Function*>(invariant.function.get())->code;
      violation.file = program->modules[code.module].file;
      violation.line = code.first_line;
    }
    used(invariant.function.get());
    const Ref answer = call_nested(*this, invariant.function.get(), nullptr, 0);
    const int holds = PyObject_IsTrue(answer.get());
    if (holds < 0) throw PythonError();
    if (holds == 0) outcome.kind = Outcome::Kind::kViolation;
  } catch (const PythonError&) {
    PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    const Ref text = Ref::steal(value == nullptr ? nullptr : PyObject_Repr(value));
    PyErr_Clear();
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(traceback);
    const std::string raised = text ? text_of(text.get()) : std::string("an error");
    violation.message += ": evaluating it raised " + raised;
    if (is_atom) problem_of_atom = watch_.atoms.at(number) + " raised " + raised + " in some state";
    outcome.kind = Outcome::Kind::kViolation;
  } catch (const Unsupported& problem) {
    is_checking_ = false;
    thread_ = nullptr;
    frame_ = nullptr;
    current_world() = outer;
    current_thread() = nullptr;
    throw UnsupportedProgram(
        (is_atom ? watch_.atoms.at(number) : violation.file + ":" + std::to_string(violation.line)) + ": " +
        problem.what());
  } catch (...) {
    is_checking_ = false;
    thread_ = nullptr;
    current_world() = outer;
    current_thread() = nullptr;
    throw;
  }
  is_checking_ = false;
  thread_ = nullptr;
  frame_ = nullptr;
  current_world() = outer;
  current_thread() = nullptr;
  if (!problem_of_atom.empty()) throw UnsupportedProgram(problem_of_atom);
  if (outcome.kind == Outcome::Kind::kViolation && !is_atom)
    outcome.violation = violation_code(std::move(violation));
  return outcome;
}

}  // namespace assay::languages::python
