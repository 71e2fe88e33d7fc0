/// Attributes: lookup as CPython does it, with the program's own getters, setters and hooks entered as frames.
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

/// The class in whose body the name stands.
PyObject* owner_of(PyTypeObject* type, PyObject* name) {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(type->tp_mro); ++i) {
    PyObject* base = PyTuple_GET_ITEM(type->tp_mro, i);
    const Ref dict = dict_of(reinterpret_cast<PyTypeObject*>(base));
    if (dict && PyDict_Contains(dict.get(), name) == 1) return base;
  }
  PyErr_Clear();
  return reinterpret_cast<PyObject*>(type);
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
    if (found != nullptr && Py_TYPE(found)->tp_descr_get == nullptr &&
        !world.may_read_attribute(owner_of(self, name), name)) {
      return stop(Stop::kVisible);
    }
    return complete(std::move(site), checked(PyObject_GetAttr(object, name)));
  }
  const bool is_generic = type->tp_getattro == PyObject_GenericGetAttr;
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
      return call_function(getter,
                           {.positional = {Ref::borrow(found), Ref::borrow(object),
                                           Ref::borrow(reinterpret_cast<PyObject*>(type))},
                            .keywords = {}},
                           std::move(site));
    }
    if (Py_TYPE(found)->tp_descr_get != nullptr) {
      if (name == interned("__dict__") && !world.is_single()) {
        // What is stored through it would be seen by nobody.
        throw Unsupported("__dict__ is not modelled while several threads run; use getattr and setattr");
      }
      if (!is_plain(object) && !world.may_read_attribute(object, name)) return stop(Stop::kVisible);
      return complete(std::move(site), checked(PyObject_GenericGetAttr(object, name)));
    }
  }
  if (type->tp_dictoffset != 0) {
    if (!world.may_read_attribute(object, name)) return stop(Stop::kVisible);
    if (Ref value = own_value(object, name)) return complete(std::move(site), std::move(value));
  }
  if (found != nullptr) {
    if (is_function(found)) return complete(std::move(site), checked(PyMethod_New(found, object)));
    if (PyObject* getter = program_method(found, "__get__")) {
      return call_function(getter,
                           {.positional = {Ref::borrow(found), Ref::borrow(object),
                                           Ref::borrow(reinterpret_cast<PyObject*>(type))},
                            .keywords = {}},
                           std::move(site));
    }
    if (Py_TYPE(found)->tp_descr_get == nullptr && is_program_type(type) &&
        !world.may_read_attribute(owner_of(type, name), name)) {
      return stop(Stop::kVisible);
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
    if (!world.may_write_attribute(object, name)) return stop(Stop::kVisible);
    return finish(PyObject_SetAttr(object, name, value));
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
