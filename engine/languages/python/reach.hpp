/// What can be reached from objects, found the way the garbage collector of CPython does.
#pragma once

#include <unordered_set>
#include <vector>

#include "languages/python/objects.hpp"

namespace assay::languages::python {

/// Without parts that could change.
inline bool is_atom(PyObject* o) {
  PyTypeObject* const type = Py_TYPE(o);
  return type == &PyLong_Type || type == &PyUnicode_Type || type == &PyBool_Type || type == &PyFloat_Type ||
         o == Py_None || type == &PyBytes_Type || PyType_Check(o) || PyModule_Check(o);
}

struct Reach {
  std::unordered_set<PyObject*> seen;
  std::vector<PyObject*> pending;
};

/// For `tp_traverse`; the context is a Reach.
inline int visit(PyObject* object, void* context) {
  auto* const reach = static_cast<Reach*>(context);
  if (object != nullptr && !is_atom(object) && reach->seen.insert(object).second)
    reach->pending.push_back(object);
  return 0;
}

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

}  // namespace assay::languages::python
