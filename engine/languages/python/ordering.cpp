/// The order in which sets are iterated over: any, and never one that depends on hashes or addresses.
#include <algorithm>

#include "languages/python/interpreter.hpp"
#include "languages/python/weak.hpp"

namespace assay::languages::python {
namespace {

enum Rank : int { kNone, kNumber, kText, kBytes, kTuple, kFrozenSet, kEnumeration, kType, kObject };

PyObject* enumeration_type() {
  static PyObject* type = [] {
    const Ref module = checked(PyImport_ImportModule("enum"));
    return checked(PyObject_GetAttrString(module.get(), "Enum")).release();
  }();
  return type;
}

Rank rank_of(PyObject* value) {
  if (value == Py_None) return kNone;
  if (PyLong_CheckExact(value) || PyBool_Check(value) || PyFloat_CheckExact(value)) return kNumber;
  if (PyUnicode_CheckExact(value)) return kText;
  if (PyBytes_CheckExact(value)) return kBytes;
  if (PyTuple_Check(value)) return kTuple;
  if (PyFrozenSet_CheckExact(value)) return kFrozenSet;
  if (PyType_Check(value)) return kType;
  if (PyObject_TypeCheck(value, reinterpret_cast<PyTypeObject*>(enumeration_type()))) return kEnumeration;
  return kObject;
}

int compare(PyObject* left, PyObject* right);

int compare_values(PyObject* left, PyObject* right) {
  const int less = PyObject_RichCompareBool(left, right, Py_LT);
  if (less != 0) return less < 0 ? throw PythonError() : -1;
  const int greater = PyObject_RichCompareBool(left, right, Py_GT);
  return greater < 0 ? throw PythonError() : greater;
}

int compare_items(PyObject* left, PyObject* right) {
  const Ref left_items = checked(PySequence_Tuple(left)), right_items = checked(PySequence_Tuple(right));
  const Py_ssize_t left_size = PyTuple_GET_SIZE(left_items.get()),
                   right_size = PyTuple_GET_SIZE(right_items.get());
  for (Py_ssize_t i = 0; i < std::min(left_size, right_size); ++i) {
    const int order = compare(PyTuple_GET_ITEM(left_items.get(), i), PyTuple_GET_ITEM(right_items.get(), i));
    if (order != 0) return order;
  }
  return left_size < right_size ? -1 : left_size > right_size ? 1 : 0;
}

int compare_attributes(PyObject* left, PyObject* right, const char* name) {
  const Ref a = checked(PyObject_GetAttrString(left, name)), b = checked(PyObject_GetAttrString(right, name));
  return PyUnicode_Check(a.get()) && PyUnicode_Check(b.get()) ? PyUnicode_Compare(a.get(), b.get()) : 0;
}

int compare(PyObject* left, PyObject* right) {
  if (left == right) return 0;
  const Rank left_rank = rank_of(left), right_rank = rank_of(right);
  if (left_rank != right_rank) return left_rank < right_rank ? -1 : 1;
  switch (left_rank) {
    case kNone: return 0;
    case kNumber:
    case kText:
    case kBytes: return compare_values(left, right);
    case kTuple: return compare_items(left, right);
    case kFrozenSet: return compare_items(ordered_by_content(left).get(), ordered_by_content(right).get());
    case kType: {
      const int order = compare_attributes(left, right, "__module__");
      return order != 0 ? order : compare_attributes(left, right, "__qualname__");
    }
    case kEnumeration: {
      const int order =
          compare(reinterpret_cast<PyObject*>(Py_TYPE(left)), reinterpret_cast<PyObject*>(Py_TYPE(right)));
      return order != 0 ? order : compare_attributes(left, right, "_name_");
    }
    case kObject: break;
  }
  if (is_weak(left) && is_weak(right)) return compare(object_of_weak(left), object_of_weak(right));
  World* world = current_world();
  if (world == nullptr) return 0;
  const std::uint64_t a = world->rank(left), b = world->rank(right);
  return a < b ? -1 : a > b ? 1 : 0;
}

}  // namespace

void rank_elements(PyObject* added) {
  World* const world = current_world();
  if (world == nullptr) return;
  if (PyList_CheckExact(added) || PyTuple_CheckExact(added)) {
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(added); ++i) {
      PyObject* const item = PySequence_Fast_GET_ITEM(added, i);
      if (rank_of(item) == kObject) world->rank(item);
      if (PyTuple_CheckExact(item)) rank_elements(item);
    }
  } else if (rank_of(added) == kObject) {
    world->rank(added);
  }
}

Ref ordered_elements(PyObject* set) {
  World* world = current_world();
  return world == nullptr ? ordered_by_content(set) : world->ordered(set);
}

Ref arranged_elements(PyObject* set) {
  World* world = current_world();
  return world == nullptr ? ordered_by_content(set) : world->arranged(set);
}

Ref permutation(PyObject* elements, std::uint32_t number) {
  std::vector<Ref> left;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(elements); ++i)
    left.push_back(Ref::borrow(PyList_GET_ITEM(elements, i)));
  Ref list = checked(PyList_New(0));
  while (!left.empty()) {
    const auto next = left.begin() + static_cast<std::ptrdiff_t>(number % left.size());
    number /= static_cast<std::uint32_t>(left.size());
    if (PyList_Append(list.get(), next->get()) < 0) throw PythonError();
    left.erase(next);
  }
  return list;
}

Ref ordered_by_content(PyObject* set) {
  std::vector<Ref> elements;
  Py_ssize_t position = 0;
  PyObject* element;
  Py_hash_t hash;
  while (_PySet_NextEntry(set, &position, &element, &hash) != 0) elements.push_back(Ref::borrow(element));
  std::stable_sort(elements.begin(), elements.end(),
                   [](const Ref& left, const Ref& right) { return compare(left.get(), right.get()) < 0; });
  Ref list = checked(PyList_New(static_cast<Py_ssize_t>(elements.size())));
  for (std::size_t i = 0; i < elements.size(); ++i) {
    PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), elements[i].release());
  }
  return list;
}

}  // namespace assay::languages::python
