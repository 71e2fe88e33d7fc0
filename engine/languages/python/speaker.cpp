#include "languages/python/speaker.hpp"

#include <unordered_map>

#include "languages/python/absent.hpp"
#include "languages/python/helpers.hpp"

namespace assay::languages::python {
namespace {

constexpr Py_ssize_t kItems = 50;
constexpr int kBarrierDraining = 1;

PyObject* attribute(PyObject* attributes, const char* name) {
  return PyDict_GetItemString(attributes, name);  // borrowed; null if there is none
}

long whole_number(PyObject* value) {
  if (value == nullptr || !PyLong_Check(value)) return 0;
  const long number = PyLong_AsLong(value);
  PyErr_Clear();
  return number;
}

bool is_made_by_library(PyTypeObject* type) {
  PyObject* const module = type->tp_dict == nullptr ? nullptr : attribute(type->tp_dict, "__module__");
  if (module == nullptr || !PyUnicode_Check(module)) return false;
  const std::string name = text_if_any(module);
  return name == "threading" || name == "_thread" || name == "queue" || name == "_queue" ||
         name.starts_with("multiprocessing") || name.starts_with("concurrent.futures");
}

}  // namespace

Ref attributes_of(PyObject* object) {
  Ref dict = Ref::steal(PyObject_GenericGetDict(object, nullptr));
  if (!dict) PyErr_Clear();
  PyTypeObject* const type = Py_TYPE(object);
  bool is_copy = false;
  for (Py_ssize_t i = 0; type->tp_mro != nullptr && i < PyTuple_GET_SIZE(type->tp_mro); ++i) {
    auto* const base = reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(type->tp_mro, i));
    if ((base->tp_flags & Py_TPFLAGS_HEAPTYPE) == 0) continue;
    PyObject *name = nullptr, *member = nullptr;
    for (Py_ssize_t position = 0; PyDict_Next(base->tp_dict, &position, &name, &member) != 0;) {
      if (Py_TYPE(member) != &PyMemberDescr_Type) continue;
      if (!is_copy) dict = checked(dict ? PyDict_Copy(dict.get()) : PyDict_New());
      is_copy = true;
      const Ref value =
          Ref::steal(PyMemberDescr_Type.tp_descr_get(member, object, reinterpret_cast<PyObject*>(type)));
      if (!value) PyErr_Clear();  // it has none yet
      if (value && PyDict_SetItem(dict.get(), name, value.get()) < 0) throw PythonError();
    }
  }
  return dict;
}

std::string Speaker::short_type(PyTypeObject* type) {
  const std::string name = type->tp_name;
  const std::size_t dot = name.rfind('.');
  return dot == std::string::npos ? name : name.substr(dot + 1);
}

bool Speaker::is_of_library(PyTypeObject* type) {
  if (!heap_.classes.facts(type).is_of_program) return false;
  for (Py_ssize_t i = 0; type->tp_mro != nullptr && i < PyTuple_GET_SIZE(type->tp_mro); ++i) {
    if (is_made_by_library(reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(type->tp_mro, i)))) return true;
  }
  return false;
}

std::string Speaker::repr(PyObject* o, int depth) {
  if (o == nullptr) return "<unset>";
  PyTypeObject* const type = Py_TYPE(o);
  if (is_function(o)) return "<function " + reinterpret_cast<Function*>(o)->code->qualname + ">";
  if (is_generator(o)) return "<generator " + reinterpret_cast<Generator*>(o)->code->qualname + ">";
  if (is_iterator(o)) return "<iterator>";
  if (is_module(o))
    return "<module " + heap_.program.modules[reinterpret_cast<ModuleObject*>(o)->module].name + ">";
  if (PyType_Check(o)) return "<class " + short_type(reinterpret_cast<PyTypeObject*>(o)) + ">";
  if (type == &PyCell_Type) return repr(PyCell_GET(o), depth);
  if (type == &PyMethod_Type) return "<method " + name_of(PyMethod_GET_FUNCTION(o)) + ">";
  const ClassFacts& facts = heap_.classes.facts(type);
  if (facts.is_enumeration) return member_of_enumeration(o);
  const std::optional<std::string> content = depth == 0 ? std::nullopt : content_of(o, depth);
  if (depth == 0 && (is_container(o) || facts.is_of_program)) return "...";
  if (type == &PyList_Type || type == &PyTuple_Type || type == &PyDict_Type) return *content;
  if (type == &PySet_Type) return *content == "{}" ? "set()" : *content;
  if (content && !facts.is_of_program) return short_type(type) + "(" + *content + ")";
  if (facts.is_of_program && !facts.is_enumeration) {
    if (facts.base == Base::kException) {
      const Ref args = checked(PyObject_GetAttrString(o, "args"));
      const std::string inside = repr(args.get(), depth - 1);
      return short_type(type) + inside;
    }
    std::string inside = content.value_or("");
    if (const Ref dict = attributes_of(o)) {
      if (attribute(dict.get(), "unknown_origin") != nullptr) return unknown(dict.get());
      if (facts.has_dict && is_of_library(type)) return synchroniser(o, dict.get(), depth);
      const std::string attributes = pairs(dict.get(), depth, "=", true);
      inside += (inside.empty() || attributes.empty() ? "" : ", ") + attributes;
    }
    return short_type(type) + "(" + inside + ")";
  }
  if (is_absent(o)) return path_of_absent(o);
  if (heap_.leaves.find(o) || facts.base == Base::kException) {
    const Ref shown = Ref::steal(PyObject_Repr(o));
    if (shown) return text_if_any(shown.get());
    PyErr_Clear();
  }
  return "<" + short_type(type) + ">";
}

/// `unknown(time.monotonic(), below 1.0)`: what stands for a clock or a random number, with what is known of it.
std::string Speaker::unknown(PyObject* attributes) {
  const auto bound = [&](const char* name, const char* with, const char* without) -> std::string {
    PyObject* const pair = attribute(attributes, name);
    if (pair == nullptr || !PyTuple_Check(pair) || PyTuple_GET_SIZE(pair) != 2) return {};
    const bool is_excluded = PyTuple_GET_ITEM(pair, 1) == Py_True;
    return std::string(", ") + (is_excluded ? without : with) + " " + repr(PyTuple_GET_ITEM(pair, 0), 1);
  };
  const bool is_computed = attribute(attributes, "unknown_is_result") == Py_True;
  return "unknown(" + text_if_any(attribute(attributes, "unknown_origin")) +
         (is_computed ? bound("unknown_low", "at least", "above") : "") +
         bound("unknown_high", "at most", "below") + ")";
}

/// `Colour.RED`: their own `__repr__` is code, which nobody can run here.
std::string Speaker::member_of_enumeration(PyObject* o) {
  const Ref attributes = attributes_of(o);
  PyObject* const name = attributes ? attribute(attributes.get(), "_name_") : nullptr;
  const std::string type = short_type(Py_TYPE(o));
  return name != nullptr && PyUnicode_Check(name) ? type + "." + text_if_any(name) : "<" + type + ">";
}

bool Speaker::is_container(PyObject* object) {
  if (PyFrozenSet_CheckExact(object)) return true;
  switch (heap_.classes.facts(Py_TYPE(object)).base) {
    case Base::kList:
    case Base::kDict:
    case Base::kOrderedDict:
    case Base::kDefaultDict:
    case Base::kSet:
    case Base::kDeque:
    case Base::kTuple: return true;
    default: return false;
  }
}

/// What an instance of a built-in type, or of a class that extends one, holds as such.
std::optional<std::string> Speaker::content_of(PyObject* o, int depth) {
  const ClassFacts& facts = heap_.classes.facts(Py_TYPE(o));
  switch (facts.base) {
    case Base::kDict:
    case Base::kDefaultDict: return "{" + pairs(o, depth, ": ", false) + "}";
    case Base::kOrderedDict: return "{" + ordered_pairs(o, depth) + "}";
    // As they are: a class of the program may have an `__iter__` of its own, which nobody can call here.
    case Base::kList:
      return "[" + items(checked(PyList_GetSlice(o, 0, PyList_GET_SIZE(o))).get(), depth) + "]";
    case Base::kDeque: {
      const Ref iterator = checked(heap_.classes.deque_type()->tp_iter(o));
      return "[" + items(checked(PySequence_List(iterator.get())).get(), depth) + "]";
    }
    case Base::kSet: return "{" + items(heap_.ordered(o).get(), depth) + "}";
    case Base::kTuple: return tuple(o, depth);
    case Base::kValue: {
      if (!facts.is_of_program || facts.native == nullptr || facts.native->tp_repr == nullptr) return {};
      const Ref shown = Ref::steal(facts.native->tp_repr(o));
      if (shown) return text_if_any(shown.get());
      PyErr_Clear();
      return {};
    }
    default: break;
  }
  if (PyFrozenSet_CheckExact(o)) {
    const std::string inside = items(heap_.ordered(o).get(), depth);
    return inside.empty() ? inside : "{" + inside + "}";
  }
  return {};
}

/// With the names of its fields, if its class has them.
std::string Speaker::tuple(PyObject* o, int depth) {
  PyObject* const fields = PyTuple_CheckExact(o) ? nullptr : _PyType_Lookup(Py_TYPE(o), interned("_fields"));
  const Py_ssize_t size = PyTuple_GET_SIZE(o);
  if (fields == nullptr || !PyTuple_Check(fields) || PyTuple_GET_SIZE(fields) != size) {
    return "(" + items(checked(PySequence_List(o)).get(), depth) + (size == 1 ? ",)" : ")");
  }
  std::string inside;
  for (Py_ssize_t i = 0; i < size && i < kItems; ++i) {
    inside += (i == 0 ? "" : ", ") + text_if_any(PyTuple_GET_ITEM(fields, i)) + "=" +
              repr(PyTuple_GET_ITEM(o, i), depth - 1);
  }
  return inside;
}

std::string Speaker::synchroniser(PyObject* object, PyObject* attributes, int depth) {
  const auto get = [&](const char* name) { return attribute(attributes, name); };
  const std::string type = short_type(Py_TYPE(object));
  const auto holder = [&](PyObject* owner) {
    return owner == nullptr || owner == Py_None ? std::string("free") : "held by " + thread_name(owner, 0);
  };
  if (PyObject* const owner = get("_lock_owner")) {
    const long times = whole_number(get("_lock_depth"));
    return (type == "LockType" ? "Lock" : type) + "(" + holder(owner) +
           (times > 1 ? " " + std::to_string(times) + " times" : "") + ")";
  }
  if (PyObject* const waiters = get("_waiters"); waiters != nullptr && PyList_Check(waiters)) {
    PyObject* const lock = get("_lock");
    std::string names;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(waiters); ++i)
      names += (i == 0 ? "" : ", ") + thread_name(PyList_GET_ITEM(waiters, i), 0);
    std::string held;
    if (lock != nullptr && is_of_library(Py_TYPE(lock)) && heap_.classes.facts(Py_TYPE(lock)).has_dict) {
      const Ref dict = checked(PyObject_GenericGetDict(lock, nullptr));
      if (PyObject* const owner = attribute(dict.get(), "_lock_owner")) held = holder(owner) + ", ";
    }
    return type + "(" + held +
           (names.empty() ? "nobody waits" : names + (PyList_GET_SIZE(waiters) == 1 ? " waits" : " wait")) +
           ")";
  }
  if (PyObject* const flag = get("_event_flag")) return type + (flag == Py_True ? "(set)" : "(not set)");
  if (PyObject* const value = get("_value")) return type + "(" + repr(value, depth - 1) + ")";
  if (PyObject* const items = get("_simple_items")) return type + "(" + repr(items, 2).substr(5);
  if (PyObject* const items = get("queue")) {
    std::string inside = repr(items, depth > 1 ? depth - 1 : 1);
    if (inside.starts_with("deque(")) inside = inside.substr(6, inside.size() - 7);
    const long most = whole_number(get("maxsize"));
    return type + "(" + inside + (most > 0 ? ", at most " + std::to_string(most) : "") + ")";
  }
  if (PyObject* const parties = get("_barrier_parties")) {
    const bool leaves = whole_number(get("_barrier_state")) == kBarrierDraining;
    return type + "(" + std::to_string(whole_number(get("_barrier_count"))) + " of " + repr(parties, 0) +
           (leaves ? " leave)" : " wait)");
  }
  if (PyObject* const name = get("_name"); name != nullptr && PyUnicode_Check(name)) {
    std::string own;  // what a class of the program keeps in its threads
    PyObject *key = nullptr, *item = nullptr;
    for (Py_ssize_t position = 0; PyDict_Next(attributes, &position, &key, &item);) {
      const std::string field = text_if_any(key);
      if (!field.starts_with("_")) own += ", " + field + "=" + repr(item, depth - 1);
    }
    return type + "(" + repr(name, 0) + own + ")";
  }
  if (PyObject* const future = get("_future_state")) {
    const std::string state = text_if_any(future);
    PyObject* const raised = get("_future_exception");
    if (state == "PENDING" || state == "RUNNING")
      return type + (state == "PENDING" ? "(pending)" : "(running)");
    if (state != "FINISHED") return type + "(cancelled)";
    if (raised != nullptr && raised != Py_None) return type + "(raised " + exception(raised) + ")";
    return type + "(" + repr(get("_future_result"), depth - 1) + ")";
  }
  return type + "()";
}

std::string Speaker::exception(PyObject* raised) {
  const std::string type = short_type(Py_TYPE(raised));
  const Ref arguments = Ref::steal(PyObject_GetAttrString(raised, "args"));
  if (!arguments || !PyTuple_Check(arguments.get())) {
    PyErr_Clear();
    return type;
  }
  const Py_ssize_t count = PyTuple_GET_SIZE(arguments.get());
  if (count == 0) return type;
  PyObject* const first = PyTuple_GET_ITEM(arguments.get(), 0);
  const bool is_text =
      count == 1 && PyUnicode_Check(first) && PyErr_GivenExceptionMatches(raised, PyExc_KeyError) == 0;
  if (count > 1) return type + repr(arguments.get(), 2);
  return type + ": " + (is_text ? text_if_any(first) : repr(first, 2));
}

std::string Speaker::thread_name(PyObject* identity, std::uint32_t index) {
  if (identity != nullptr && heap_.classes.facts(Py_TYPE(identity)).has_dict) {
    const Ref dict = checked(PyObject_GenericGetDict(identity, nullptr));
    for (const char* key : {"_name", "name"}) {
      PyObject* const name = PyDict_GetItemString(dict.get(), key);
      if (name != nullptr && PyUnicode_Check(name)) return text_if_any(name);
    }
  }
  return index == 0 ? "MainThread" : "Thread " + std::to_string(index);
}

std::string Speaker::name_of(PyObject* function) {
  return is_function(function) ? reinterpret_cast<Function*>(function)->code->qualname : std::string("?");
}

std::string Speaker::items(PyObject* list, int depth) {
  std::string inside;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list) && i < kItems; ++i)
    inside += (i == 0 ? "" : ", ") + repr(PyList_GET_ITEM(list, i), depth - 1);
  if (PyList_GET_SIZE(list) > kItems) inside += ", ...";
  return inside;
}

/// In the order that it keeps beside that of its dict. Keys are found again by identity: their hashes may be the
/// program's to compute.
std::string Speaker::ordered_pairs(PyObject* dict, int depth) {
  std::unordered_map<PyObject*, PyObject*> values;
  PyObject *key = nullptr, *item = nullptr;
  for (Py_ssize_t position = 0; PyDict_Next(dict, &position, &key, &item);) values.emplace(key, item);
  const Ref keys = checked(PyODict_Type.tp_iter(dict));
  std::string inside;
  for (Py_ssize_t shown = 0; shown < kItems; ++shown) {
    const Ref next = Ref::steal(PyIter_Next(keys.get()));
    if (!next) break;
    inside += (inside.empty() ? "" : ", ") + repr(next.get(), depth - 1) + ": " +
              repr(values[next.get()], depth - 1);
  }
  PyErr_Clear();
  return inside;
}

std::string Speaker::pairs(PyObject* dict, int depth, const char* between, bool are_names) {
  std::string inside;
  PyObject *key = nullptr, *item = nullptr;
  Py_ssize_t position = 0, shown = 0;
  while (PyDict_Next(dict, &position, &key, &item) && shown++ < kItems) {
    const std::string name = are_names ? text_if_any(key) : repr(key, depth - 1);
    if (are_names && name.starts_with("__")) continue;
    inside += (inside.empty() ? "" : ", ") + name + between + repr(item, depth - 1);
  }
  return inside;
}

}  // namespace assay::languages::python
