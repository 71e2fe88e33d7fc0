/// Iteration: iterators whose position can be captured, loops, unpacking.
#include "languages/python/interpreter.hpp"

namespace assay::languages::python {
namespace {

bool iterates_like(PyObject* object, const PyTypeObject& type) {
  return Py_TYPE(object)->tp_iter == type.tp_iter;
}

/// The entry at that position, counting only those that are there; false behind the last.
bool entry_at(PyObject* dict, Py_ssize_t index, PyObject** key, PyObject** value) {
  const Py_ssize_t size = PyDict_GET_SIZE(dict);
  if (index >= size) return false;
  // Without gaps (nothing was deleted) the position of CPython is ours.
  Py_ssize_t position = size - 1;
  const bool has_last = PyDict_Next(dict, &position, key, value) != 0;
  if (has_last && position == size && PyDict_Next(dict, &position, key, value) == 0) {
    position = index;
    return PyDict_Next(dict, &position, key, value) != 0;
  }
  position = 0;
  for (Py_ssize_t i = 0; i <= index; ++i) {
    if (PyDict_Next(dict, &position, key, value) == 0) return false;
  }
  return true;
}

/// From here on the iterator depends on the shape of its container.
Ref begun(Ref made) {
  auto* const iterator = reinterpret_cast<Iterator*>(made.get());
  if (!has_shape(iterator->container)) return made;
  Mutations& mutations = current_world()->mutations;
  iterator->made_in = mutations.step();
  iterator->mutations_before = mutations.of(iterator->container);
  return made;
}

/// A dict or set that lost and got entries since a loop over it began, so that its size is the same: what comes next
/// depends on the gaps in CPython's table and on when that was made anew, which no state has.
void refuse_replaced(Iterator* iterator, const char* kind, const char* entries) {
  if (!is_stale(iterator, *current_world())) return;
  throw Unsupported(
      std::string("a loop goes over a ") + kind + " that lost and got " + entries +
      " meanwhile, which is not modelled; loop over a copy, list(...), or hold a lock around both");
}

Ref entry_for(Iteration kind, PyObject* key, PyObject* value) {
  if (kind == Iteration::kKeys) return Ref::borrow(key);
  if (kind == Iteration::kValues) return Ref::borrow(value);
  return checked(PyTuple_Pack(2, key, value));
}

void refuse_other_size(Iterator* iterator, Py_ssize_t size, const char* complaint) {
  if (size == iterator->size) return;
  iterator->size = -1;  // CPython keeps failing
  raise(PyExc_RuntimeError, "%s", complaint);
}

/// An OrderedDict has an order of its own, and looks for changes only as long as there is something to come.
Ref next_of_ordered_dict(Iterator* iterator) {
  if (iterator->index >= PyTuple_GET_SIZE(iterator->elements)) return {};
  PyObject* const dict = iterator->container;
  PyObject* const key = PyTuple_GET_ITEM(iterator->elements, iterator->index);
  PyObject* value = nullptr;
  if (!is_stale(iterator, *current_world())) {
    refuse_other_size(iterator, PyDict_GET_SIZE(dict), "OrderedDict changed size during iteration");
    value = PyDict_GetItemWithError(dict, key);
    if (value == nullptr && PyErr_Occurred() != nullptr) throw PythonError();
  }
  if (value == nullptr) {
    iterator->index = PyTuple_GET_SIZE(iterator->elements);  // it fails once, and is at its end
    raise(PyExc_RuntimeError, "OrderedDict mutated during iteration");
  }
  ++iterator->index;
  return entry_for(iterator->kind, key, value);
}

Ref next_of_dict(Iterator* iterator) {
  PyObject* const dict = iterator->container;
  if (Py_TYPE(dict)->tp_iter != PyDict_Type.tp_iter) return next_of_ordered_dict(iterator);
  refuse_other_size(iterator, PyDict_GET_SIZE(dict), "dictionary changed size during iteration");
  refuse_replaced(iterator, "dict", "keys");
  PyObject *key = nullptr, *value = nullptr;
  if (!entry_at(dict, iterator->index, &key, &value)) return {};
  ++iterator->index;
  return entry_for(iterator->kind, key, value);
}

Ref next_of_set(Iterator* iterator) {
  refuse_other_size(iterator, PySet_GET_SIZE(iterator->container), "Set changed size during iteration");
  refuse_replaced(iterator, "set", "elements");
  if (iterator->index >= PyTuple_GET_SIZE(iterator->elements)) return {};
  return Ref::borrow(PyTuple_GET_ITEM(iterator->elements, iterator->index++));
}

/// CPython notices whatever a deque gains or loses, also when its size stays, and not what is put into a place.
void refuse_mutated(Iterator* iterator) {
  if (is_stale(iterator, *current_world())) raise(PyExc_RuntimeError, "deque mutated during iteration");
}

Ref next_in_sequence(Iterator* iterator) {
  PyObject* sequence = iterator->container;
  if (PyList_CheckExact(sequence)) {
    if (iterator->index >= PyList_GET_SIZE(sequence)) return {};
    return Ref::borrow(PyList_GET_ITEM(sequence, iterator->index++));
  }
  if (PyTuple_CheckExact(sequence)) {
    if (iterator->index >= PyTuple_GET_SIZE(sequence)) return {};
    return Ref::borrow(PyTuple_GET_ITEM(sequence, iterator->index++));
  }
  if (is_deque(sequence)) {
    refuse_mutated(iterator);
    if (iterator->index >= iterator->size) return {};
    return checked(item_of_deque(sequence, iterator->index++));  // also of a subclass
  }
  // A subclass: its own __getitem__ takes no part.
  if (iterates_like(sequence, PyList_Type)) {
    if (iterator->index >= PyList_GET_SIZE(sequence)) return {};
    return Ref::borrow(PyList_GET_ITEM(sequence, iterator->index++));
  }
  ssizeargfunc item = PySequence_GetItem;
  for (PyTypeObject* const base : {&PyTuple_Type, &PyUnicode_Type, &PyBytes_Type, &PyByteArray_Type}) {
    if (iterates_like(sequence, *base)) item = base->tp_as_sequence->sq_item;
  }
  Ref value = Ref::steal(item(sequence, iterator->index));
  if (!value) {
    if (PyErr_ExceptionMatches(PyExc_IndexError) == 0 && PyErr_ExceptionMatches(PyExc_StopIteration) == 0)
      throw PythonError();
    if (interruption_pending()) throw PythonError();
    PyErr_Clear();
    return {};
  }
  ++iterator->index;
  return value;
}

/// How much there is to go through. CPython's iterators look themselves; only `reversed` of what has no iterator for
/// that asks a `__len__` of the program.
Py_ssize_t size_of(PyObject* container, Iteration kind) {
  if (PyList_Check(container)) return PyList_GET_SIZE(container);
  if (PyDict_Check(container)) return PyDict_GET_SIZE(container);
  if (is_deque(container)) return Py_SIZE(container);
  if (kind != Iteration::kReversed) {
    if (PyTuple_Check(container)) return PyTuple_GET_SIZE(container);
    if (PyUnicode_Check(container)) return PyUnicode_GET_LENGTH(container);
    if (PyBytes_Check(container)) return PyBytes_GET_SIZE(container);
    if (PyByteArray_Check(container)) return PyByteArray_GET_SIZE(container);
  }
  const Py_ssize_t size = PyObject_Size(container);
  if (size < 0) throw PythonError();
  return size;
}

Ref next_reversed(Iterator* iterator) {
  const Py_ssize_t size = size_of(iterator->container, Iteration::kReversed);
  if (PyDict_Check(iterator->container)) {
    refuse_other_size(iterator, size, "dictionary changed size during iteration");
    refuse_replaced(iterator, "dict", "keys");
    PyObject *key = nullptr, *value = nullptr;
    if (iterator->index < 0 || !entry_at(iterator->container, iterator->index, &key, &value)) return {};
    --iterator->index;
    return Ref::borrow(key);
  }
  if (iterator->index >= 0 && is_deque(iterator->container) && is_stale(iterator, *current_world())) {
    iterator->index = -1;  // it fails once, and is at its end
    refuse_mutated(iterator);
  }
  if (iterator->index < 0 || iterator->index >= size) return {};
  const Py_ssize_t place = iterator->index--;
  if (PyList_Check(iterator->container)) return Ref::borrow(PyList_GET_ITEM(iterator->container, place));
  return checked(is_deque(iterator->container) ? item_of_deque(iterator->container, place)
                                               : PySequence_GetItem(iterator->container, place));
}

}  // namespace

bool is_stale(Iterator* iterator, World& world) {
  PyObject* const container = iterator->container;
  if (iterator->is_stale || container == nullptr || !has_shape(container)) return iterator->is_stale;
  const std::uint64_t before = iterator->made_in == world.mutations.step() ? iterator->mutations_before : 0;
  iterator->is_stale = world.mutations.of(container) != before;
  return iterator->is_stale;
}

Ref over(Iteration kind, PyObject* container) {
  const Py_ssize_t size = size_of(container, kind);
  Ref elements;
  if (PyDict_Check(container) && Py_TYPE(container)->tp_iter != PyDict_Type.tp_iter)
    elements = checked(PySequence_Tuple(container));
  return begun(
      new_iterator(kind, container, kind == Iteration::kReversed ? size - 1 : 0, size, std::move(elements)));
}

Ref next_of(Iterator* iterator) {
  if (iterator->container == nullptr) return {};
  const Ref kept = Ref::borrow(iterator->container);
  Ref value;
  switch (iterator->kind) {
    case Iteration::kSequence: value = next_in_sequence(iterator); break;
    case Iteration::kReversed: value = next_reversed(iterator); break;
    case Iteration::kKeys:
    case Iteration::kValues:
    case Iteration::kItems: value = next_of_dict(iterator); break;
    case Iteration::kSet: value = next_of_set(iterator); break;
  }
  // CPython's iterators drop what they went through, but for that of a deque, which goes on to look for changes.
  if (!value && !(iterator->kind == Iteration::kSequence && is_deque(iterator->container))) {
    Py_CLEAR(iterator->container);
    Py_CLEAR(iterator->elements);
    iterator->is_stale = false;
  }
  return value;
}

Ref built_in_iterator(PyObject* iterable) {
  PyTypeObject* type = Py_TYPE(iterable);
  if (type == &PyDictProxy_Type) return built_in_iterator(shown_by_proxy(iterable));
  if (type->tp_iter == nullptr) {
    return PySequence_Check(iterable) ? new_iterator(Iteration::kSequence, iterable, 0, 0) : Ref();
  }
  if (iterates_like(iterable, PyList_Type) || iterates_like(iterable, PyTuple_Type) ||
      iterates_like(iterable, PyUnicode_Type) || iterates_like(iterable, PyRange_Type) ||
      iterates_like(iterable, PyBytes_Type) || iterates_like(iterable, PyByteArray_Type) ||
      (is_deque(iterable) && program_method(iterable, "__iter__") == nullptr)) {
    if (PyRange_Check(iterable)) return new_iterator(Iteration::kSequence, iterable, 0, 0);
    return over(Iteration::kSequence, iterable);
  }
  if (PyAnySet_Check(iterable) && iterates_like(iterable, PySet_Type)) {
    Ref elements = checked(PyList_AsTuple(arranged_elements(iterable).get()));
    const Py_ssize_t size = PyTuple_GET_SIZE(elements.get());
    return begun(new_iterator(Iteration::kSet, iterable, 0, size, std::move(elements)));
  }
  if (PyDict_Check(iterable) && program_method(iterable, "__iter__") == nullptr)
    return over(Iteration::kKeys, iterable);
  PyObject* viewed = nullptr;
  Iteration kind = Iteration::kKeys;
  if (PyDictKeys_Check(iterable) || PyDictValues_Check(iterable) || PyDictItems_Check(iterable)) {
    viewed = reinterpret_cast<PyObject*>(reinterpret_cast<_PyDictViewObject*>(iterable)->dv_dict);
    kind = PyDictKeys_Check(iterable)     ? Iteration::kKeys
           : PyDictValues_Check(iterable) ? Iteration::kValues
                                          : Iteration::kItems;
  }
  return viewed == nullptr ? Ref() : over(kind, viewed);
}

bool iterates_program(PyObject* object) {
  if (is_generator(object)) return true;
  if (is_iterator(object)) {
    PyObject* container = reinterpret_cast<Iterator*>(object)->container;
    return container != nullptr && program_method(container, "__getitem__") != nullptr;
  }
  if (!is_program_type(Py_TYPE(object))) return false;
  return program_method(object, "__iter__") != nullptr ||
         (program_method(object, "__getitem__") != nullptr &&
          lookup(Py_TYPE(object), interned("__iter__")) == nullptr);
}

Step Interpreter::get_iterator(PyObject* iterable, Site site) {
  if (is_generator(iterable) || is_iterator(iterable))
    return complete(std::move(site), Ref::borrow(iterable));
  if (PyObject* method = program_method(iterable, "__iter__")) {
    if (site.mode == Return::kPush) {
      site.mode = Return::kConvert;
      site.extra = checked(PyLong_FromLong(static_cast<long>(Conversion::kIterator)));
    }
    return call_function(method, {.positional = {Ref::borrow(iterable)}, .keywords = {}}, std::move(site));
  }
  if (!is_plain(iterable) && !PyTuple_CheckExact(iterable) && !world.may_read(iterable))
    return stop(Stop::kVisible);
  if (Ref iterator = built_in_iterator(iterable)) return complete(std::move(site), std::move(iterator));
  Ref iterator = checked(PyObject_GetIter(iterable));
  if (iterator.get() == iterable || is_generator(iterator.get()) || is_iterator(iterator.get())) {
    return complete(std::move(site), std::move(iterator));
  }
  // A container that only CPython knows (the class of an enumeration): what it gives is taken at once.
  const Ref values = checked(PySequence_Tuple(iterator.get()));
  return complete(std::move(site),
                  new_iterator(Iteration::kSequence, values.get(), 0, PyTuple_GET_SIZE(values.get())));
}

Step Interpreter::for_iter() {
  Frame& frame = top();
  const Ref iterator = frame.stack.back();
  PyObject* object = iterator.get();
  Ref value;
  if (is_iterator(object)) {
    auto* self = reinterpret_cast<Iterator*>(object);
    if (!world.may_write(object)) return stop(Stop::kVisible);
    PyObject* container = self->container;
    if (container != nullptr && !is_plain(container) && !PyTuple_CheckExact(container) &&
        !world.may_read_item(container, nullptr)) {
      return stop(Stop::kVisible);
    }
    if (container != nullptr) {
      if (PyObject* method = program_method(container, "__getitem__");
          method != nullptr && self->kind == Iteration::kSequence && Py_TYPE(container)->tp_iter == nullptr) {
        const Ref index = checked(PyLong_FromSsize_t(self->index));
        ++self->index;  // an IndexError ends the loop, so nobody sees that it was early
        return call_function(method, {.positional = {Ref::borrow(container), index}, .keywords = {}},
                             {.mode = Return::kNext, .extra = Ref::borrow(PyExc_IndexError)});
      }
    }
    value = next_of(self);
  } else if (is_generator(object)) {
    return resume(object, Py_None, {.mode = Return::kNext});
  } else if (PyObject* method = program_method(object, "__next__")) {
    return call_function(method, {.positional = {iterator}, .keywords = {}}, {.mode = Return::kNext});
  } else {
    if (!world.may_call(&object, 1, &object, 1)) return stop(Stop::kVisible);
    value = Ref::steal(Py_TYPE(object)->tp_iternext(object));
    if (!value && PyErr_Occurred() != nullptr) {
      if (PyErr_ExceptionMatches(PyExc_StopIteration) == 0) throw PythonError();
      PyErr_Clear();
    }
  }
  if (value) {
    frame.stack.push_back(std::move(value));
    ++frame.pc;
  } else {
    frame.stack.pop_back();
    frame.pc = frame.code->instructions[frame.pc] >> 8;
  }
  return Step::kDone;
}

Step Interpreter::unpack(std::uint32_t before, std::optional<std::uint32_t> after) {
  Frame& frame = top();
  const Ref iterable = frame.stack.back();
  PyObject* object = iterable.get();
  std::vector<Ref> values;
  if (iterates_program(object)) {
    bool entered = false;
    const Ref take = library_function("take", &entered);
    if (entered) return Step::kDone;
    if (take) {  // comes back to this instruction with a list
      Ref most = after ? Ref::borrow(Py_None) : checked(PyLong_FromLong(static_cast<long>(before) + 1));
      return call(take.get(), {.positional = {iterable, std::move(most)}, .keywords = {}},
                  {.operands = 1, .advance = false});
    }
  }
  const bool immutable = PyTuple_CheckExact(object) || is_plain(object);
  if (!immutable &&
      !world.may_call(&object, 1, &object, is_iterator(object) || is_generator(object) ? 1 : 0)) {
    return stop(Stop::kVisible);
  }
  Ref iterator;
  if (PyAnySet_Check(object)) {
    iterator = checked(PyObject_GetIter(arranged_elements(object).get()));
  } else {
    iterator = Ref::steal(PyObject_GetIter(object));
  }
  if (!iterator) {
    if (PyErr_ExceptionMatches(PyExc_TypeError) != 0 && Py_TYPE(object)->tp_iter == nullptr &&
        !PySequence_Check(object)) {
      PyErr_Clear();
      raise(PyExc_TypeError, "cannot unpack non-iterable %.200s object", Py_TYPE(object)->tp_name);
    }
    throw PythonError();
  }
  const std::size_t wanted = before + after.value_or(0);
  while (after || values.size() <= before) {
    Ref value = Ref::steal(PyIter_Next(iterator.get()));
    if (!value) {
      if (PyErr_Occurred() != nullptr) throw PythonError();
      break;
    }
    values.push_back(std::move(value));
  }
  if (values.size() < wanted) {
    raise(PyExc_ValueError, "not enough values to unpack (expected %s%zd, got %zd)", after ? "at least " : "",
          static_cast<Py_ssize_t>(wanted), static_cast<Py_ssize_t>(values.size()));
  }
  if (!after && values.size() > before) {
    raise(PyExc_ValueError, "too many values to unpack (expected %zd)", static_cast<Py_ssize_t>(before));
  }
  frame.stack.pop_back();
  ++frame.pc;
  const std::size_t behind = after.value_or(0);
  for (std::size_t i = 0; i < behind; ++i) frame.stack.push_back(values[values.size() - 1 - i]);
  if (after) {
    const std::size_t middle = values.size() - wanted;
    Ref rest = checked(PyList_New(static_cast<Py_ssize_t>(middle)));
    for (std::size_t i = 0; i < middle; ++i) {
      PyList_SET_ITEM(rest.get(), static_cast<Py_ssize_t>(i), Py_NewRef(values[before + i].get()));
    }
    frame.stack.push_back(std::move(rest));
  }
  for (std::size_t i = before; i-- > 0;) frame.stack.push_back(values[i]);
  return Step::kDone;
}

Step Interpreter::extend(Operation operation, std::uint32_t depth) {
  Frame& frame = top();
  PyObject* source = frame.stack.back().get();
  PyObject* target = frame.stack[frame.stack.size() - 1 - depth].get();
  if ((operation == Operation::LIST_EXTEND || operation == Operation::SET_UPDATE) &&
      iterates_program(source)) {
    bool entered = false;
    const Ref list = library_function("list", &entered);
    if (entered) return Step::kDone;
    if (list) {  // comes back to this instruction with a list
      return call(list.get(), {.positional = {Ref::borrow(source)}, .keywords = {}},
                  {.operands = 1, .advance = false});
    }
  }
  if ((operation == Operation::DICT_UPDATE || operation == Operation::DICT_MERGE) && !PyDict_Check(source) &&
      program_method(source, "keys") != nullptr) {
    bool entered = false;
    const Ref dict = library_function("dict", &entered);
    if (entered) return Step::kDone;
    if (dict) {
      return call(dict.get(), {.positional = {Ref::borrow(source)}, .keywords = {}},
                  {.operands = 1, .advance = false});
    }
  }
  if (!is_plain(source) && !PyTuple_CheckExact(source) &&
      !world.may_call(&source, 1, &source, is_iterator(source) || is_generator(source) ? 1 : 0)) {
    return stop(Stop::kVisible);
  }
  if (operation == Operation::LIST_EXTEND) {
    const Ref ordered = PyAnySet_Check(source) ? arranged_elements(source) : Ref();
    const Ref none =
        Ref::steal(_PyList_Extend(reinterpret_cast<PyListObject*>(target), ordered ? ordered.get() : source));
    if (!none) {
      if (PyErr_ExceptionMatches(PyExc_TypeError) != 0 && Py_TYPE(source)->tp_iter == nullptr &&
          !PySequence_Check(source)) {
        PyErr_Clear();
        raise(PyExc_TypeError, "Value after * must be an iterable, not %.200s", Py_TYPE(source)->tp_name);
      }
      throw PythonError();
    }
  } else if (operation == Operation::SET_UPDATE) {
    rank_elements(source);
    if (_PySet_Update(target, source) != 0) throw PythonError();
  } else {
    if (operation == Operation::DICT_MERGE && PyDict_Check(source)) {
      Py_ssize_t position = 0;
      PyObject *key, *value;
      while (PyDict_Next(source, &position, &key, &value) != 0) {
        if (PyDict_Contains(target, key) == 1) {
          PyObject* callable = frame.stack[frame.stack.size() - 3 - depth].get();
          const Ref name = checked(_PyObject_FunctionStr(callable));
          raise(PyExc_TypeError, "%U got multiple values for keyword argument '%S'", name.get(), key);
        }
      }
    }
    if (PyDict_Update(target, source) != 0) {
      if (PyErr_ExceptionMatches(PyExc_AttributeError) != 0) {
        PyErr_Clear();
        raise(PyExc_TypeError, "'%.200s' object is not a mapping", Py_TYPE(source)->tp_name);
      }
      throw PythonError();
    }
  }
  frame.stack.pop_back();
  ++frame.pc;
  return Step::kDone;
}

}  // namespace assay::languages::python
