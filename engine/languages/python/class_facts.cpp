#include "languages/python/class_facts.hpp"

#include "languages/python/helpers.hpp"

#include <structmember.h>

#include <string_view>
#include <unordered_set>

#include "languages/python/objects.hpp"

namespace assay::languages::python {
namespace {

Ref imported(const char* module, const char* name) {
  const Ref found = checked(PyImport_ImportModule(module));
  return checked(PyObject_GetAttrString(found.get(), name));
}

}  // namespace

Classes::Classes()
    : deque_ref_(imported("collections", "deque")),
      default_dict_ref_(imported("collections", "defaultdict")),
      ordered_dict_ref_(imported("collections", "OrderedDict")),
      enumeration_(imported("enum", "Enum")) {
  deque_ = reinterpret_cast<PyTypeObject*>(deque_ref_.get());
  default_dict_ = reinterpret_cast<PyTypeObject*>(default_dict_ref_.get());
  ordered_dict_ = reinterpret_cast<PyTypeObject*>(ordered_dict_ref_.get());
}

const ClassFacts& Classes::facts(PyTypeObject* type) {
  if (const auto known = facts_.find(type); known != facts_.end()) return *known->second;
  auto made = std::make_unique<ClassFacts>();
  made->type = type;
  const std::pair<PyTypeObject*, Base> bases[] = {{ordered_dict_, Base::kOrderedDict},
                                                  {default_dict_, Base::kDefaultDict},
                                                  {deque_, Base::kDeque},
                                                  {&PyList_Type, Base::kList},
                                                  {&PyDict_Type, Base::kDict},
                                                  {&PySet_Type, Base::kSet},
                                                  {&PyTuple_Type, Base::kTuple},
                                                  {&PyLong_Type, Base::kValue},
                                                  {&PyUnicode_Type, Base::kValue},
                                                  {&PyFloat_Type, Base::kValue},
                                                  {&PyBytes_Type, Base::kValue}};
  for (const auto& [base, kind] : bases) {
    if (PyType_IsSubtype(type, base)) {
      made->base = kind;
      made->native = base;
      break;
    }
  }
  if (made->base == Base::kUnknown &&
      PyType_IsSubtype(type, reinterpret_cast<PyTypeObject*>(PyExc_BaseException))) {
    made->base = Base::kException;
    made->native = type;
    while (made->native->tp_flags & Py_TPFLAGS_HEAPTYPE) made->native = made->native->tp_base;
  }
  made->has_dict = type->tp_dictoffset != 0;
#ifdef Py_TPFLAGS_MANAGED_DICT
  made->has_dict |= (type->tp_flags & Py_TPFLAGS_MANAGED_DICT) != 0;
#endif
  const bool is_heap = (type->tp_flags & Py_TPFLAGS_HEAPTYPE) != 0;
  // A heap type without a built-in base whose layout is object's plus __dict__, __weakref__ and __slots__.
  if (made->base == Base::kUnknown && is_heap) {
    PyTypeObject* native = type;
    // Types that C code makes can have fields of their own; only those of class statements end like this one.
    const destructor made_by_statement = reinterpret_cast<PyTypeObject*>(enumeration_.get())->tp_dealloc;
    while (native != nullptr && (native->tp_flags & Py_TPFLAGS_HEAPTYPE) &&
           native->tp_dealloc == made_by_statement &&
           (native->tp_alloc == PyType_GenericAlloc || native->tp_alloc == alloc_with_end) &&
           native->tp_new != nullptr && native->tp_base != nullptr) {
      native = native->tp_base;
    }
    // A time zone of CPython has no content of its own.
    if (native == &PyBaseObject_Type || std::string_view(native->tp_name) == "datetime.tzinfo") {
      made->base = Base::kPlain;
      made->native = native;
    }
  }
  if (std::string_view(type->tp_name) == "types.SimpleNamespace" && !is_heap) {
    made->base = Base::kPlain;
    made->native = type;
  }
  if (type == &PyBaseObject_Type) {  // `object()`, the sentinel of many programs
    made->base = Base::kPlain;
    made->native = type;
  }
  made->is_enumeration = PyType_IsSubtype(type, reinterpret_cast<PyTypeObject*>(enumeration_.get()));
  if (PyObject* const mro = type->tp_mro) {
    for (Py_ssize_t i = PyTuple_GET_SIZE(mro) - 1; i >= 0; --i) {
      auto* const ancestor = reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(mro, i));
      if (ancestor->tp_dict == nullptr) continue;
      const bool is_of_class_statement = (ancestor->tp_flags & Py_TPFLAGS_HEAPTYPE) != 0;
      if (!is_of_class_statement && made->base != Base::kException) continue;
      PyObject *key = nullptr, *value = nullptr;
      Py_ssize_t position = 0;
      while (PyDict_Next(ancestor->tp_dict, &position, &key, &value)) {
        if (Py_TYPE(value) != &PyMemberDescr_Type) continue;
        if (is_of_class_statement) {
          made->members.push_back(Ref::borrow(value));
        } else if (std::string_view(PyUnicode_AsUTF8(key)).substr(0, 2) != "__") {
          made->fields.push_back(Ref::borrow(value));
        }
      }
    }
  }
  Py_INCREF(reinterpret_cast<PyObject*>(type));  // facts outlive every state
  return *facts_.emplace(type, std::move(made)).first->second;
}

ClassFacts& Classes::add_of_program(PyTypeObject* type) {
  facts(type);
  ClassFacts& own = *facts_.at(type);
  if (!own.is_of_program) {
    own.is_of_program = true;
    own.number = static_cast<std::uint32_t>(of_program_.size());
    of_program_.push_back(&own);
  }
  return own;
}

Entry Classes::role(PyObject* name, PyObject* value) {
  static const std::unordered_set<std::string_view> makeup = {"__annotations__",      "__slots__",
                                                              "__orig_bases__",       "__parameters__",
                                                              "__dataclass_fields__", "__dataclass_params__",
                                                              "__abstractmethods__",  "__static_attributes__",
                                                              "__firstlineno__",      "__annotate__"};
  const char* const text = PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : nullptr;
  if (text == nullptr) {
    PyErr_Clear();
    return Entry::kData;
  }
  const std::string_view word(text);
  PyTypeObject* const type = Py_TYPE(value);
  if (makeup.contains(word) || word.starts_with("_abc_") || type == &PyMemberDescr_Type ||
      type == &PyGetSetDescr_Type || std::string_view(type->tp_name) == "_collections._tuplegetter") {
    return Entry::kMakeup;
  }
  if (is_function(value) || PyFunction_Check(value) || PyCFunction_Check(value) ||
      (is_wrapper(value) && Py_TYPE(value) != &PyDictProxy_Type))
    return Entry::kMethod;
  return word.starts_with("__") && word.ends_with("__") ? Entry::kMethod : Entry::kData;
}

/// CPython has filled the slot again, in the classes derived from it too; those have no instances but remembered ones.
static void keep_all_from_ending(PyTypeObject* type) {
  if (type->tp_alloc != alloc_with_end) return;
  type->tp_finalize = nullptr;
  const Ref derived = checked(PyObject_CallMethod(reinterpret_cast<PyObject*>(&PyType_Type), "__subclasses__",
                                                  "O", reinterpret_cast<PyObject*>(type)));
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(derived.get()); ++i)
    keep_all_from_ending(reinterpret_cast<PyTypeObject*>(PyList_GET_ITEM(derived.get(), i)));
}

void Classes::store(PyTypeObject* type, PyObject* name, PyObject* value) {
  PyObject* const of_type = _PyType_Lookup(&PyType_Type, name);
  int status = 0;
  if (of_type == nullptr || Py_TYPE(of_type)->tp_descr_set == nullptr) {
    status = PyType_Type.tp_setattro(reinterpret_cast<PyObject*>(type), name, value);
  } else {  // none of these names has a slot that would have to follow
    status =
        value == nullptr ? PyDict_DelItem(type->tp_dict, name) : PyDict_SetItem(type->tp_dict, name, value);
    PyType_Modified(type);
  }
  if (status < 0) throw PythonError();
  if (name == interned("__del__")) keep_all_from_ending(type);
}

}  // namespace assay::languages::python
