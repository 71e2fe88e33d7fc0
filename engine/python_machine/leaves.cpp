#include "python_machine/leaves.hpp"

#include <cstring>

#include "python_machine/call_backs.hpp"
#include "python_machine/objects.hpp"

namespace assay::python_machine {
namespace {

std::string text_of(PyObject* object) {
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(object, &size);
  if (text == nullptr) {  // lone surrogates
    PyErr_Clear();
    const Ref bytes = checked(PyUnicode_AsEncodedString(object, "utf-8", "surrogatepass"));
    return std::string(PyBytes_AS_STRING(bytes.get()), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.get())));
  }
  return std::string(text, static_cast<std::size_t>(size));
}

std::string attribute_text(PyObject* object, const char* name) {
  const Ref value = Ref::steal(PyObject_GetAttrString(object, name));
  if (!value) {
    PyErr_Clear();
    return "?";
  }
  return PyUnicode_Check(value.get()) ? text_of(value.get()) : std::string("?");
}

std::string type_name(PyTypeObject* type) {
  return attribute_text(reinterpret_cast<PyObject*>(type), "__module__") + "." +
         attribute_text(reinterpret_cast<PyObject*>(type), "__qualname__");
}

}  // namespace

Leaves::Leaves(PyObject* enumeration, PyObject* by_text)
    : enumeration_(Ref::borrow(enumeration)), by_text_(Ref::borrow(by_text)) {}

std::optional<LeafId> Leaves::find(PyObject* value) {
  if (const auto known = by_object_.find(value); known != by_object_.end()) return known->second;
  std::string name;
  if (!name_of(value, name)) return std::nullopt;
  if (const auto known = by_name_.find(name); known != by_name_.end()) return known->second;
  return add_fixed(value, name);
}

LeafId Leaves::add_fixed(PyObject* object, const std::string& name) {
  const LeafId id = static_cast<LeafId>(objects_.size());
  const auto [place, is_new] = by_name_.emplace(name, id);
  if (!is_new) {
    if (objects_[place->second].get() == object) return place->second;
    throw Unsupported("two different things are called " + name.substr(1));
  }
  objects_.push_back(Ref::borrow(object));
  names_.push_back(name);
  by_object_.emplace(object, id);
  return id;
}

/// False: it is no leaf. The first letter keeps the types apart.
bool Leaves::name_of(PyObject* value, std::string& name) {
  PyTypeObject* const type = Py_TYPE(value);
  if (type == &PyLong_Type) {
    int overflow = 0;
    const long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (overflow == 0) {
      name.assign(1 + sizeof number, 'i');
      std::memcpy(name.data() + 1, &number, sizeof number);
    } else {
      const Ref hex = checked(PyNumber_ToBase(value, 16));
      name = "I" + text_of(hex.get());
    }
    return true;
  }
  if (type == &PyUnicode_Type) {
    name = "s" + text_of(value);
    return true;
  }
  if (type == &PyBool_Type) {
    name = value == Py_True ? "b1" : "b0";
    return true;
  }
  if (type == &PyFloat_Type) {
    const double number = PyFloat_AS_DOUBLE(value);
    name.assign(1 + sizeof number, 'f');
    std::memcpy(name.data() + 1, &number, sizeof number);
    return true;
  }
  if (type == &PyBytes_Type) {
    name = "y" + std::string(PyBytes_AS_STRING(value), static_cast<std::size_t>(PyBytes_GET_SIZE(value)));
    return true;
  }
  if (value == Py_None || value == Py_Ellipsis || value == Py_NotImplemented) {
    name = value == Py_None ? "n" : value == Py_Ellipsis ? "n." : "n!";
    return true;
  }
  if (type == &PyTuple_Type) {  // of leaves only
    name = "t";
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(value); ++i) {
      PyObject* const item = PyTuple_GET_ITEM(value, i);
      const std::optional<LeafId> leaf = find(item);
      if (!leaf) return false;
      // An item stands with its whole name: numbers of leaves differ from process to process.
      const std::uint32_t length = static_cast<std::uint32_t>(names_[*leaf].size());
      name.append(reinterpret_cast<const char*>(&length), sizeof length);
      name += names_[*leaf];
      if (name.size() > (1u << 20)) return false;
    }
    return true;
  }
  if (type == &PyRange_Type || type == &PyComplex_Type) {
    const Ref text = checked(PyObject_Repr(value));
    name = "r" + text_of(text.get());
    return true;
  }
  if (is_function(value)) {
    const auto* function = reinterpret_cast<const Function*>(value);
    if (!function->code->is_made_once) return false;  // another one may be made of the same code
    if (function->attributes != nullptr && PyDict_GET_SIZE(function->attributes) > 0) return false;
    name = "F" + std::to_string(function->code->number) + ":";
    if (function->closure != nullptr) {
      // A method that uses super() closes over its class, which never changes.
      for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(function->closure); ++i) {
        PyObject* const content = PyCell_GET(PyTuple_GET_ITEM(function->closure, i));
        if (content == nullptr || !PyType_Check(content) ||
            PyUnicode_CompareWithASCIIString(function->code->free_names[static_cast<std::size_t>(i)].get(),
                                             "__class__") != 0) {
          return false;
        }
        name += names_[*find(content)] + "/";
      }
    }
    if (function->defaults != nullptr) {
      const std::optional<LeafId> leaf = find(function->defaults);
      if (!leaf) return false;
      name += names_[*leaf];
    }
    name += ";";
    if (function->keyword_defaults != nullptr) {
      PyObject *key = nullptr, *item = nullptr;
      Py_ssize_t position = 0;
      while (PyDict_Next(function->keyword_defaults, &position, &key, &item)) {
        const std::optional<LeafId> leaf = find(item);
        if (!leaf) return false;
        name += text_of(key) + "=" + std::to_string(names_[*leaf].size()) + ":" + names_[*leaf];
      }
    }
    return true;
  }
  if (type == module_type) {
    name = "M" + std::to_string(reinterpret_cast<const ModuleObject*>(value)->module);
    return true;
  }
  return name_of_static(value, name);
}

/// Things that exist once in CPython or were made once by the program.
bool Leaves::name_of_static(PyObject* value, std::string& name) {
  if (PyType_Check(value)) {
    name = "C" + type_name(reinterpret_cast<PyTypeObject*>(value));
    return true;
  }
  if (PyModule_Check(value)) {
    name = "N" + attribute_text(value, "__name__");
    return true;
  }
  if (PyCFunction_Check(value)) {
    PyObject* const self = PyCFunction_GET_SELF(value);
    if (self != nullptr && !PyModule_Check(self) && !PyType_Check(self)) return false;
    name = "B" + (self == nullptr ? std::string() : attribute_text(self, "__name__")) + "." +
           attribute_text(value, "__qualname__");
    return true;
  }
  PyTypeObject* const type = Py_TYPE(value);
  if (type == &PyMethodDescr_Type || type == &PyWrapperDescr_Type || type == &PyGetSetDescr_Type ||
      type == &PyMemberDescr_Type || type == &PyClassMethodDescr_Type) {
    const Ref owner = Ref::steal(PyObject_GetAttrString(value, "__objclass__"));
    if (!owner) {
      PyErr_Clear();
      return false;
    }
    name = "D" + type_name(reinterpret_cast<PyTypeObject*>(owner.get())) + "." + attribute_text(value, "__name__");
    return true;
  }
  if (PyFunction_Check(value)) {
    name = "P" + attribute_text(value, "__module__") + "." + attribute_text(value, "__qualname__");
    return true;
  }
  const Unwatched unwatched;
  const int is_member = PyObject_IsInstance(value, enumeration_.get());
  if (is_member < 0) throw PythonError();
  if (is_member == 1) {
    name = "E" + type_name(type) + "." + attribute_text(value, "_name_");
    if (name.ends_with(".?")) {  // a combination of flags without a name of its own
      const Ref text = checked(PyObject_Repr(value));
      name += text_of(text.get());
    }
    return true;
  }
  const int is_by_text = PyObject_IsInstance(value, by_text_.get());
  if (is_by_text < 0) throw PythonError();
  if (is_by_text == 1) {
    const Ref text = checked(PyObject_Repr(value));
    name = "v" + type_name(type) + ":" + text_of(text.get());
    return true;
  }
  return false;
}

}  // namespace assay::python_machine
