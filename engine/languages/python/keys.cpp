/// Keys of dicts and elements of sets: who computes their hashes, and of what.
#include "languages/python/interpreter.hpp"
#include "languages/python/weak.hpp"

namespace assay::languages::python {

bool is_key_simple(PyObject* key) {
  if (is_plain(key) || is_identity(key)) return true;
  if (PyTuple_CheckExact(key)) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(key); ++i) {
      if (!is_key_simple(PyTuple_GET_ITEM(key, i))) return false;
    }
    return true;
  }
  return is_program_type(Py_TYPE(key)) && program_method(key, "__eq__") == nullptr &&
         program_method(key, "__hash__") == nullptr;
}

bool hashes_in_python(PyObject* key) {
  if (PyTuple_Check(key)) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(key); ++i) {
      if (hashes_in_python(PyTuple_GET_ITEM(key, i))) return true;
    }
  }
  if (!is_program_type(Py_TYPE(key))) return false;
  PyObject* const hash = lookup(Py_TYPE(key), interned("__hash__"));
  return hash != nullptr && (is_function(hash) || PyFunction_Check(hash));
}

bool hashes_address(PyObject* key) {
  PyTypeObject* const type = Py_TYPE(key);
  for (PyTypeObject* plain : {&PyLong_Type, &PyUnicode_Type, &PyBytes_Type, &PyComplex_Type, &PyFloat_Type}) {
    if (type->tp_hash == plain->tp_hash) return is_not_a_number(key);
  }
  const auto any_hashes_address = [](PyObject* items) {
    const Ref list = checked(PySequence_List(items));
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list.get()); ++i) {
      if (hashes_address(PyList_GET_ITEM(list.get(), i))) return true;
    }
    return false;
  };
  if (type->tp_hash == PyTuple_Type.tp_hash || type == &PyFrozenSet_Type) return any_hashes_address(key);
  PyObject* const hash = lookup(type, interned("__hash__"));
  if (!is_program_type(type) || hash == nullptr) return true;
  if (is_function(hash)) return false;
  if (!PyFunction_Check(hash)) return true;
  // That of a dataclass: any of its fields, wherever it has them.
  if (type->tp_dictoffset != 0) {
    const Ref attributes = checked(PyObject_GenericGetDict(key, nullptr));
    if (any_hashes_address(checked(PyDict_Values(attributes.get())).get())) return true;
  }
  PyObject* const fields = lookup(type, interned("__dataclass_fields__"));
  if (fields == nullptr || !PyDict_Check(fields)) return type->tp_dictoffset == 0;
  const Ref names = checked(PyDict_Keys(fields));
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(names.get()); ++i) {
    PyObject* const slot = lookup(type, PyList_GET_ITEM(names.get(), i));
    if (slot == nullptr || Py_TYPE(slot) != &PyMemberDescr_Type) {
      if (type->tp_dictoffset == 0) return true;
      continue;
    }
    const Ref value = Ref::steal(PyObject_GenericGetAttr(key, PyList_GET_ITEM(names.get(), i)));
    if (!value) PyErr_Clear();  // then there is no hash
    if (value && hashes_address(value.get())) return true;
  }
  return false;
}

void Interpreter::looks_up(PyObject* key) {
  world.hashes_first = true;
  if (hashes_in_python(key)) world.poll();  // there, before anything is touched
}

}  // namespace assay::languages::python
