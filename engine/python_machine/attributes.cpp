/// Attributes: lookup as CPython does it, with the program's own getters, setters and hooks entered as frames.
#include "python_machine/class_facts.hpp"
#include <algorithm>

#include "python_machine/machine.hpp"

namespace assay::python_machine {
namespace {

bool is_data_descriptor(PyObject* object) { return Py_TYPE(object)->tp_descr_set != nullptr; }

Ref dict_of(PyTypeObject* type) {
#if PY_VERSION_HEX >= 0x030c0000
  return Ref::steal(PyType_GetDict(type));
#else
  return Ref::borrow(type->tp_dict);
#endif
}

/// Asks for a name in a class and in those before which it is looked for there: each of them may get it meanwhile.
/// Methods are never stored while several threads run, so one whose name nobody stores needs no question. A
/// descriptor that the program made is an object of the state, which the class says where to find.
bool may_look_up(World& world, PyTypeObject* type, PyObject* name, PyObject* found) {
  if (!is_program_type(type)) return true;
  if (found != nullptr && Py_TYPE(found)->tp_descr_get != nullptr && !is_program_type(Py_TYPE(found))) {
    const int is_final = PySet_Contains(world.program->final_attributes.get(), name);
    if (is_final < 0) throw PythonError();
    if (is_final == 1) return true;
  }
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(type->tp_mro); ++i) {
    PyObject* const base = PyTuple_GET_ITEM(type->tp_mro, i);
    if (is_program_type(reinterpret_cast<PyTypeObject*>(base)) && !world.may_read_attribute(base, name)) return false;
    const Ref dict = dict_of(reinterpret_cast<PyTypeObject*>(base));
    const int is_here = dict ? PyDict_Contains(dict.get(), name) : 0;
    if (is_here < 0) throw PythonError();
    if (is_here == 1) return true;
  }
  return true;
}

/// Methods and what CPython keeps for itself are no part of a state; replacing them would be seen in all states.
void refuse_method(PyObject* type, PyObject* name, PyObject* value) {
  const Ref dict = dict_of(reinterpret_cast<PyTypeObject*>(type));
  PyObject* const before = dict ? PyDict_GetItemWithError(dict.get(), name) : nullptr;
  if (PyErr_Occurred() != nullptr) throw PythonError();
  const bool is_method = value != nullptr && (is_function(value) || !Classes::is_data(name, value));
  const bool was_method = before != nullptr && (is_function(before) || !Classes::is_data(name, before));
  if (is_method || was_method) {
    throw Unsupported(std::string("the method ") + utf8(name) + " of the class " +
                      reinterpret_cast<PyTypeObject*>(type)->tp_name +
                      " is replaced while several threads run; do it before they start");
  }
}

/// What a store would change although no state tells it.
void refuse_hidden(World& world, PyObject* object, PyObject* name, PyObject* value) {
  if (PyCell_Check(object)) throw Unsupported("a variable is stored through its cell; use nonlocal");
  if (PyUnicode_CompareWithASCIIString(name, "__class__") == 0) {
    throw Unsupported("an object changes its class while the program runs");
  }
  if (is_function(object) && !world.is_single()) {
    PyObject* const attributes = reinterpret_cast<Function*>(object)->attributes;
    const bool has_some = attributes != nullptr && PyDict_GET_SIZE(attributes) > 0;
    if (!has_some || value == nullptr || utf8(name).starts_with("__")) {
      throw Unsupported("the function gets its first attribute, " + utf8(name) +
                        ", or loses one, while several threads run; give it a value before they start");
    }
  }
  if (PyExceptionInstance_Check(object)) {
    PyObject* const found = lookup(Py_TYPE(object), name);
    const bool is_field = found != nullptr && (Py_TYPE(found) == &PyMemberDescr_Type || Py_TYPE(found) == &PyGetSetDescr_Type) &&
                          !is_program_type(PyDescr_TYPE(found));
    if (is_field && !utf8(name).starts_with("__") && utf8(name) != "args") {
      throw Unsupported("the field " + utf8(name) + " of an exception is changed; make a new exception instead");
    }
  }
}

bool is_enumeration(PyTypeObject* type) {
  static PyObject* const meta = [] {
    const Ref module = checked(PyImport_ImportModule("enum"));
    return checked(PyObject_GetAttrString(module.get(), "EnumMeta")).release();
  }();
  return PyObject_TypeCheck(reinterpret_cast<PyObject*>(type), reinterpret_cast<PyTypeObject*>(meta)) != 0;
}

/// A part of a property if the program wrote it as a function; else null.
Ref property_part(PyObject* descriptor, const char* part) {
  if (!PyObject_TypeCheck(descriptor, &PyProperty_Type)) return {};
  Ref function = checked(PyObject_GetAttrString(descriptor, part));
  return is_function(function.get()) ? function : Ref();
}

/// The hook that the type defines as a function of the program.
PyObject* hook(PyTypeObject* type, const char* name) {
  if (!is_program_type(type)) return nullptr;
  PyObject* found = lookup(type, interned(name));
  return found != nullptr && is_function(found) ? found : nullptr;
}

/// The value in the instance's own dict, null if there is none.
Ref own_value(PyObject* object, PyObject* name) {
  if (Py_TYPE(object)->tp_dictoffset == 0) return {};
  const Ref dict = checked(PyObject_GenericGetDict(object, nullptr));
  PyObject* value = PyDict_GetItemWithError(dict.get(), name);
  if (value == nullptr && PyErr_Occurred() != nullptr) throw PythonError();
  return Ref::borrow(value);
}

}  // namespace

Step Interpreter::load_attribute(PyObject* object, PyObject* name, Site site) {
  PyTypeObject* type = Py_TYPE(object);
  if (is_module(object)) {
    const std::uint32_t number = reinterpret_cast<ModuleObject*>(object)->module;
    const Module& module = world.program->modules[number];
    const auto found = module.global_index.find(utf8(name));
    if (found != module.global_index.end()) {
      if (!world.may_read_global(module.first_global + found->second)) return stop(Stop::kVisible);
    }
    return complete(std::move(site), checked(PyObject_GetAttr(object, name)));
  }
  if (PyType_Check(object)) {
    auto* self = reinterpret_cast<PyTypeObject*>(object);
    PyObject* found = is_program_type(self) ? lookup(self, name) : nullptr;
    if (!may_look_up(world, self, name, found)) return stop(Stop::kVisible);
    return complete(std::move(site), checked(PyObject_GetAttr(object, name)));
  }
  if (is_enumeration(type) && name == interned("value")) {
    Ref value = checked(PyObject_GetAttr(object, name));
    if (PyList_Check(value.get()) || PyDict_Check(value.get()) || PySet_Check(value.get()) ||
        PyByteArray_Check(value.get())) {
      throw Unsupported(std::string("the members of ") + type->tp_name + " have values that can change");
    }
  }
  const bool is_generic = type->tp_getattro == PyObject_GenericGetAttr;
  if (type == &PySuper_Type) {
    const auto of = checked(PyObject_GetAttrString(object, "__self_class__"));
    if (PyType_Check(of.get())) {
      // Where the search begins is of no interest: more is asked than is looked at.
      auto* const self = reinterpret_cast<PyTypeObject*>(of.get());
      for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(self->tp_mro); ++i) {
        auto* const base = reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(self->tp_mro, i));
        if (!may_look_up(world, base, name, lookup(base, name))) return stop(Stop::kVisible);
      }
    }
  }
  if (!is_generic && !is_program_type(type)) {
    return complete(std::move(site), checked(PyObject_GetAttr(object, name)));  // super, modules, bound methods
  }
  if (!is_generic) {
    if (PyObject* own = hook(type, "__getattribute__")) {
      if (hook(type, "__getattr__") != nullptr) return complete(std::move(site), checked(PyObject_GetAttr(object, name)));
      return call_function(own, {.positional = {Ref::borrow(object), Ref::borrow(name)}, .keywords = {}}, std::move(site));
    }
  }
  PyObject* found = lookup(type, name);
  if (found != nullptr && is_data_descriptor(found)) {
    if (Ref getter = property_part(found, "fget")) {
      return call_function(getter.get(), {.positional = {Ref::borrow(object)}, .keywords = {}}, std::move(site));
    }
    if (PyObject* getter = program_method(found, "__get__")) {
      if (!may_look_up(world, type, name, found)) return stop(Stop::kVisible);
      return call_function(getter,
                           {.positional = {Ref::borrow(found), Ref::borrow(object),
                                           Ref::borrow(reinterpret_cast<PyObject*>(type))},
                            .keywords = {}},
                           std::move(site));
    }
    if (Py_TYPE(found)->tp_descr_get != nullptr) {
      // One that is kept would be written down as a dict of its own, so programs that have threads get none.
      const auto& modules = world.program->modules;
      const bool has_threads = std::any_of(modules.begin(), modules.end(), [](const Module& m) { return m.name == "_thread"; });
      if (name == interned("__dict__") && has_threads) {
        // What is stored through it would be seen by nobody.
        throw Unsupported("__dict__ is not modelled in a program with threads; use getattr and setattr");
      }
      // Slots and the fields of exceptions are not among the final attributes that a step is remembered by, and
      // built-in methods (an exception's `__init__`) store the latter without telling their names.
      if (!is_plain(object)) world.used(object);
      const bool is_native = (Py_TYPE(found) == &PyMemberDescr_Type || Py_TYPE(found) == &PyGetSetDescr_Type) &&
                             !is_program_type(PyDescr_TYPE(found)) && !PyType_Check(object) && !is_function(object);
      if (!is_plain(object) && !(is_native ? world.may_read(object) : world.may_read_attribute(object, name))) {
        return stop(Stop::kVisible);
      }
      return complete(std::move(site), checked(PyObject_GenericGetAttr(object, name)));
    }
  }
  if (type->tp_dictoffset != 0) {
    if (!world.may_read_attribute(object, name)) return stop(Stop::kVisible);
    if (Ref value = own_value(object, name)) return complete(std::move(site), std::move(value));
  }
  if (!may_look_up(world, type, name, found)) return stop(Stop::kVisible);
  if (found != nullptr) {
    if (is_function(found)) return complete(std::move(site), checked(PyMethod_New(found, object)));
    if (PyObject* getter = program_method(found, "__get__")) {
      return call_function(getter,
                           {.positional = {Ref::borrow(found), Ref::borrow(object),
                                           Ref::borrow(reinterpret_cast<PyObject*>(type))},
                            .keywords = {}},
                           std::move(site));
    }
    return complete(std::move(site), checked(PyObject_GenericGetAttr(object, name)));
  }
  if (PyObject* fallback = is_generic ? nullptr : hook(type, "__getattr__")) {
    return call_function(fallback, {.positional = {Ref::borrow(object), Ref::borrow(name)}, .keywords = {}},
                         std::move(site));
  }
  return complete(std::move(site), checked(PyObject_GetAttr(object, name)));  // fails with CPython's message
}

Step Interpreter::store_attribute(PyObject* object, PyObject* name, PyObject* value, Site site) {
  PyTypeObject* type = Py_TYPE(object);
  const auto finish = [&](int status) {
    if (status != 0) throw PythonError();
    return complete(std::move(site), Ref::borrow(Py_None));
  };
  if (is_module(object)) {
    const std::uint32_t number = reinterpret_cast<ModuleObject*>(object)->module;
    const Module& module = world.program->modules[number];
    const auto found = module.global_index.find(utf8(name));
    if (found == module.global_index.end()) {
      throw Unsupported("the program gives the module " + module.name + " a new attribute, " + utf8(name));
    }
    const std::uint32_t global = module.first_global + found->second;
    if (!world.may_write_global(global)) return stop(Stop::kVisible);
    if (value == nullptr && !world.globals[global]) raise(PyExc_AttributeError, "%U", name);
    world.globals[global] = Ref::borrow(value);
    return finish(0);
  }
  if (PyType_Check(object)) {
    if (!world.is_single()) refuse_method(object, name, value);
    if (!world.may_write_attribute(object, name)) return stop(Stop::kVisible);
    return finish(PyObject_SetAttr(object, name, value));
  }
  refuse_hidden(world, object, name, value);
  if (is_enumeration(type) && !world.is_single()) {
    throw Unsupported("a member of an enumeration gets an attribute, " + utf8(name) + ", while several threads run");
  }
  if (!is_program_type(type) && !is_function(object) && !PyExceptionInstance_Check(object)) {
    PyObject* self = object;
    if (!is_plain(object) && !world.may_call(&self, 1, &self, 1)) return stop(Stop::kVisible);
    return finish(PyObject_SetAttr(object, name, value));
  }
  Arguments arguments;
  arguments.positional = {Ref::borrow(object), Ref::borrow(name)};
  if (value != nullptr) arguments.positional.push_back(Ref::borrow(value));
  if (PyObject* own = hook(type, value == nullptr ? "__delattr__" : "__setattr__")) {
    return call_function(own, std::move(arguments), std::move(site));
  }
  if (PyObject* found = lookup(type, name); found != nullptr && is_data_descriptor(found)) {
    arguments.positional = {Ref::borrow(object)};
    if (value != nullptr) arguments.positional.push_back(Ref::borrow(value));
    if (Ref setter = property_part(found, value == nullptr ? "fdel" : "fset")) {
      return call_function(setter.get(), std::move(arguments), std::move(site));
    }
    if (PyObject* setter = program_method(found, value == nullptr ? "__delete__" : "__set__")) {
      if (!may_look_up(world, type, name, found)) return stop(Stop::kVisible);
      arguments.positional.insert(arguments.positional.begin(), Ref::borrow(found));
      return call_function(setter, std::move(arguments), std::move(site));
    }
  }
  if (!world.may_write_attribute(object, name)) return stop(Stop::kVisible);
  return finish(PyObject_SetAttr(object, name, value));
}

Step Interpreter::load_special(PyObject* name) {
  PyObject* object = top().stack.back().get();
  PyTypeObject* type = Py_TYPE(object);
  PyObject* found = lookup(type, name);
  if (found == nullptr) {
    raise(PyExc_TypeError, "'%.200s' object does not support the context manager protocol%s", type->tp_name,
          name == interned("__exit__") ? " (missed __exit__ method)" : "");
  }
  if (is_function(found)) return complete({.operands = 1}, checked(PyMethod_New(found, object)));
  const descrgetfunc get = Py_TYPE(found)->tp_descr_get;
  return complete({.operands = 1},
                  get == nullptr ? Ref::borrow(found) : checked(get(found, object, reinterpret_cast<PyObject*>(type))));
}

}  // namespace assay::python_machine
