/// Items of containers, and membership.
#include "languages/python/interpreter.hpp"

namespace assay::languages::python {
namespace {

/// A key that a container compares by running the program takes part as a whole; others are one item.
PyObject* single_key(PyObject* key) { return is_plain(key) || PyTuple_CheckExact(key) ? key : nullptr; }

/// Whether calling it runs nothing in Python.
bool is_native_factory(PyObject* factory) {
  return factory == Py_None || PyCFunction_Check(factory) ||
         (PyType_Check(factory) && !is_program_type(reinterpret_cast<PyTypeObject*>(factory)));
}

}  // namespace

Step Interpreter::load_item(PyObject* container, PyObject* key, Site site) {
  if (PyObject* method = program_method(container, "__getitem__")) {
    return call_function(method, {.positional = {Ref::borrow(container), Ref::borrow(key)}, .keywords = {}},
                         std::move(site));
  }
  looks_up(key);
  if (PyDict_Check(container)) {
    if (PyObject* missing = program_method(container, "__missing__")) {
      if (!world.may_read_item(container, single_key(key))) return stop(Stop::kVisible);
      if (std::optional<Step> step = operate_undisturbed("getitem", {container, key}, site)) return *step;
      PyObject* value = PyDict_GetItemWithError(container, key);
      if (value != nullptr) return complete(std::move(site), Ref::borrow(value));
      if (PyErr_Occurred() != nullptr) throw PythonError();
      return call_function(missing,
                           {.positional = {Ref::borrow(container), Ref::borrow(key)}, .keywords = {}},
                           std::move(site));
    }
  }
  if (!is_plain(container) && !PyTuple_CheckExact(container)) {
    if (!world.may_read_item(container, single_key(key))) return stop(Stop::kVisible);
    if (std::optional<Step> step = operate_undisturbed("getitem", {container, key}, site)) return *step;
    if (PyDict_Check(container) && lookup(Py_TYPE(container), interned("__missing__")) != nullptr) {
      PyObject* const value = PyDict_GetItemWithError(container, key);
      if (value == nullptr && PyErr_Occurred() != nullptr) throw PythonError();
      return value == nullptr ? make_default(container, key, std::move(site))
                              : complete(std::move(site), Ref::borrow(value));
    }
  }
  return complete(std::move(site), checked(PyObject_GetItem(container, key)));
}

Step Interpreter::make_default(PyObject* container, PyObject* key, Site site) {
  const Ref factory = checked(PyObject_GetAttrString(container, "default_factory"));
  if (!is_native_factory(factory.get())) {
    Arguments arguments;
    arguments.positional = {Ref::borrow(key)};
    const Ref receiver = Ref::borrow(container);
    if (std::optional<Step> step = delegate("dict___missing__", receiver.get(), arguments, site))
      return *step;
  }
  if (!world.may_write_item(container, nullptr)) return stop(Stop::kVisible);
  return complete(std::move(site), checked(PyObject_GetItem(container, key)));
}

Step Interpreter::store_item(PyObject* container, PyObject* key, PyObject* value, Site site) {
  if (PyObject* method = program_method(container, value == nullptr ? "__delitem__" : "__setitem__")) {
    Arguments arguments;
    arguments.positional = {Ref::borrow(container), Ref::borrow(key)};
    if (value != nullptr) arguments.positional.push_back(Ref::borrow(value));
    return call_function(method, std::move(arguments), std::move(site));
  }
  if (value != nullptr && PySlice_Check(key) && PyList_Check(container) && iterates_program(value)) {
    Arguments arguments;
    arguments.positional = {Ref::borrow(key), Ref::borrow(value)};
    const Ref receiver = Ref::borrow(container);
    if (std::optional<Step> step = delegate("list_store_slice", receiver.get(), arguments, site))
      return *step;
  }
  looks_up(key);
  if (!is_plain(container) && !PyTuple_CheckExact(container)) {
    // An item that comes or goes changes the order of a dict and the length of all.
    bool changes_shape = value == nullptr || PySlice_Check(key);
    if (!changes_shape && PyDict_Check(container) && !is_key_simple(key)) {
      changes_shape = true;  // looking would run methods of the key before the step may
    } else if (!changes_shape && PyDict_Check(container)) {
      const int present = PyDict_Contains(container, key);
      if (present < 0) throw PythonError();
      changes_shape = present == 0;
    }
    if (!world.may_write_item(container, changes_shape ? nullptr : single_key(key)))
      return stop(Stop::kVisible);
  }
  Ref items;
  if (value != nullptr && PySlice_Check(key) && PyList_Check(container)) {
    if (!is_plain(value) && !world.may_call(&value, 1, nullptr, 0)) return stop(Stop::kVisible);
    if (PyAnySet_Check(value)) items = arranged_elements(value);
    if (items) value = items.get();
  }
  if (std::optional<Step> step = value == nullptr
                                     ? operate_undisturbed("delitem", {container, key}, site)
                                     : operate_undisturbed("setitem", {container, key, value}, site)) {
    return *step;
  }
  const int status =
      value == nullptr ? PyObject_DelItem(container, key) : PyObject_SetItem(container, key, value);
  if (status != 0) throw PythonError();
  return complete(std::move(site), Ref::borrow(Py_None));
}

Step Interpreter::contains(bool negated) {
  Frame& frame = top();
  PyObject* key = frame.stack[frame.stack.size() - 2].get();
  PyObject* container = frame.stack.back().get();
  if (PyObject* method = program_method(container, "__contains__")) {
    const Conversion conversion = negated ? Conversion::kNotBool : Conversion::kBool;
    Ref extra = checked(PyLong_FromLong(static_cast<long>(conversion)));
    return call_function(method, {.positional = {Ref::borrow(container), Ref::borrow(key)}, .keywords = {}},
                         {.operands = 2, .mode = Return::kConvert, .extra = std::move(extra)});
  }
  const std::string kind = container_name(container);
  const bool is_compared =
      (kind == "list" || kind == "tuple" || kind == "deque") &&
      (holds_program(container, kOrderMethods, true) || holds_program(key, kOrderMethods, true));
  // Built-in containers look for the key themselves, whatever `__iter__` a subclass has.
  if (is_compared || (kind.empty() && iterates_program(container)) || is_iterator(container)) {
    Site site{.operands = 2};
    if (negated) {
      site.mode = Return::kConvert;
      site.extra = checked(PyLong_FromLong(static_cast<long>(Conversion::kNotBool)));
    }
    Arguments arguments;
    arguments.positional = {Ref::borrow(container), Ref::borrow(key)};
    const std::string function = is_compared ? kind + "___contains__" : "search";
    if (std::optional<Step> step = delegate(function, nullptr, arguments, site)) return *step;
  }
  if (PyDict_Check(container) || PyAnySet_Check(container)) looks_up(key);
  if (!is_plain(container)) {
    PyObject* operands[] = {container, key};
    const bool allowed =
        PyDict_Check(container) || PyAnySet_Check(container)
            ? world.may_read_item(container, single_key(key))
            : world.may_call(operands, 2,
                             is_iterator(container) || is_generator(container) ? operands : nullptr,
                             is_iterator(container) || is_generator(container) ? 1 : 0);
    if (!allowed) return stop(Stop::kVisible);
    Site site{.operands = 2};
    if (negated) {
      site.mode = Return::kConvert;
      site.extra = checked(PyLong_FromLong(static_cast<long>(Conversion::kNotBool)));
    }
    if (std::optional<Step> step = operate_undisturbed("contains", {container, key}, site)) return *step;
  }
  const int found = PySequence_Contains(container, key);
  if (found < 0) throw PythonError();
  return complete({.operands = 2}, Ref::borrow((found == 1) != negated ? Py_True : Py_False));
}

}  // namespace assay::languages::python
