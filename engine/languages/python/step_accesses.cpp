/// What the interpreter may touch in a step, and where a step ends.
#include <algorithm>
#include <optional>
#include <utility>

#include "languages/python/interpreter.hpp"
#include "languages/python/reach.hpp"
#include "languages/python/step_world.hpp"

namespace assay::languages::python {

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
      if (may_divide()) divide();
      throw Unsupported(
          "a function that a built-in calls touches what other threads can reach; call it outside of the "
          "built-in, "
          "or inside `with assay.atomic()`");
    }
  }
  if (!stops && has_shown_ && !is_in_one_piece()) {
    // Formulas look here, and threads cannot switch. Only once round a loop they can: a thread that never comes to a
    // synchronisation would keep the others from their turn for ever, and no such run would be fair.
    thread_->goes_on = granularity_ != Granularity::kSync || !has_looped_;
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
                         ? "." + text_if_any(detail)
                         : "";
  if (kind == Event::Kind::kObject) {
    const std::string type = index < heap.living_count() ? Py_TYPE(heap.living(index))->tp_name : "?";
    name = type + name;
  } else if (index != 0 || detail == nullptr) {
    name = detail != nullptr ? text_if_any(detail) : heap.name_of_fixed(index);
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

bool StepWorld::may_access(PyObject* object, PyObject* detail, bool is_write, Narrator::Part part) {
  if (PyDictViewSet_Check(object) || PyDictValues_Check(object)) {
    // A view of a dict is no object of its own: what it shows is the dict's.
    return may_access(reinterpret_cast<PyObject*>(reinterpret_cast<_PyDictViewObject*>(object)->dv_dict),
                      nullptr, is_write);
  }
  if (Py_TYPE(object) == &PyDictProxy_Type) return may_access(shown_by_proxy(object), nullptr, is_write);
  if (is_write && !heap.is_loading && has_shape(object)) mutations.of(object);
  const std::uint32_t slot = heap.slot(object);
  if (slot == Heap::kNoSlot) touch_keys(object);
  if (slot == Heap::kNoSlot) {
    if (!has_escaped(object)) {
      if (is_narrated()) narrator->private_access(is_write, object, detail, part, thread_);
      return true;
    }
    if (!visible(false, object)) return false;
    has_written_ |= is_write;
    if (is_write) refuse_called_write();
    if (is_write) shows();
    return true;
  }
  if (!visible(false, object)) return false;
  if (is_write) refuse_called_write();
  touch(Event::Kind::kObject, slot);
  touch_keys(object);
  note(is_write, Event::Kind::kObject, slot, detail);
  if (is_narrated()) narrator->access(is_write, object, detail, part, thread_);
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
    if (is_narrated()) narrator->access(false, object, name, Narrator::Part::kAttribute, thread_);
    return true;
  }
  const std::uint32_t slot = heap.slot(object);
  if (heap.is_final_attribute(name)) {
    if (slot != Heap::kNoSlot) touch(Event::Kind::kFinals, slot);
    return true;
  }
  return may_access(object, name, false, Narrator::Part::kAttribute);
}

bool StepWorld::may_write_attribute(PyObject* object, PyObject* name) {
  refuse_kept_hash();
  if (PyTuple_Check(object) && Py_TYPE(object)->tp_dictoffset != 0 && !is_beginning()) {
    // States have tuples as values: two variables with one such object would come back with two.
    throw Unsupported(std::string("an instance of ") + Py_TYPE(object)->tp_name +
                      ", which is a tuple, gets or loses an attribute, " + text_if_any(name) +
                      ", while the program runs; make it part of the tuple");
  }
  if (PyType_Check(object)) {
    const std::uint32_t fixed = heap.fixed_of_class(reinterpret_cast<PyTypeObject*>(object));
    if (fixed == 0 && is_single() && !heap.leaves.is_fixed(object) &&
        !Leaves::is_of_cpython(reinterpret_cast<PyTypeObject*>(object))) {
      return true;  // it is being made, and announced afterwards
    }
    if (fixed == 0) {
      throw Unsupported(std::string("the class ") + reinterpret_cast<PyTypeObject*>(object)->tp_name +
                        " gets its first attribute, " + text_if_any(name) +
                        ", while it runs; give it a value in the class body");
    }
    if (!is_single() && heap.is_final_attribute(name)) throw NotFinal("." + text_if_any(name));
    if (!visible(false)) return false;
    if (is_checking_) throw Unsupported("an invariant changes the program's state");
    has_written_ = true;
    shows();
    if (is_single()) write_statics();  // it may be a method
    touch(Event::Kind::kFixed, fixed);
    note(true, Event::Kind::kFixed, fixed, name);
    if (is_narrated()) narrator->access(true, object, name, Narrator::Part::kAttribute, thread_);
    if (fixed >= is_written_fixed_.size()) is_written_fixed_.resize(fixed + 1, false);
    if (!is_written_fixed_[fixed]) {
      is_written_fixed_[fixed] = true;
      written_fixed_.push_back(fixed);
    }
    return true;
  }
  if (heap.slot(object) == Heap::kNoSlot && !has_escaped(object)) {
    if (is_narrated()) narrator->private_access(true, object, name, Narrator::Part::kAttribute, thread_);
    return true;
  }
  if (!is_single() && heap.is_final_attribute(name)) throw NotFinal("." + text_if_any(name));
  return may_access(object, name, true, Narrator::Part::kAttribute);
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
  refuse_kept_hash();
  if (Py_TYPE(container) == &PyCell_Type && frame_ != nullptr && !is_single() &&
      PyCell_GET(container) != nullptr && (heap.slot(container) != Heap::kNoSlot || has_escaped(container))) {
    const Code& code = *frame_->code;
    const std::uint32_t cell =
        code.instructions[std::min<std::size_t>(frame_->pc, code.instructions.size() - 1)] >> 8;
    if (cell < code.final_cells.size() && code.final_cells[cell]) {
      const std::size_t own = code.cell_names.size();
      throw NotFinal("cell:" +
                     text_if_any((cell < own ? code.cell_names[cell] : code.free_names[cell - own]).get()));
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
    if (is_narrated()) narrator->global(false, global, thread_);
    return true;
  }
  if (!visible(false)) return false;
  touch(Event::Kind::kFixed, fixed);
  note(false, Event::Kind::kFixed, fixed, nullptr);
  if (is_narrated()) narrator->global(false, global, thread_);
  return true;
}

bool StepWorld::may_write_global(std::uint32_t global) {
  refuse_kept_hash();
  const std::uint32_t fixed = heap.fixed_of_global(global);
  if (fixed == 0 && !is_single() && globals[global]) {
    for (const Module& module : program->modules) {
      if (global >= module.first_global && global < module.first_global + module.global_names.size()) {
        throw NotFinal(module.name + ":" +
                       text_if_any(module.global_names[global - module.first_global].get()));
      }
    }
  }
  if (!visible(false)) return false;
  if (is_checking_) throw Unsupported("an invariant changes the program's state");
  has_written_ = true;
  shows();
  if (fixed != 0) touch(Event::Kind::kFixed, fixed);
  note(true, Event::Kind::kFixed, fixed, fixed == 0 ? name_of_global(global) : nullptr);
  if (is_narrated()) narrator->global(true, global, thread_);
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

bool StepWorld::may_synchronise() { return visible(true); }

void StepWorld::write_statics() {
  if (is_written_fixed_[0]) return;
  is_written_fixed_[0] = true;
  written_fixed_.push_back(0);
}

void StepWorld::used(PyObject* object) {
  const std::uint32_t slot = heap.slot(object);
  if (slot != Heap::kNoSlot && !heap.is_loading) touch(Event::Kind::kObject, slot);
}

}  // namespace assay::languages::python
