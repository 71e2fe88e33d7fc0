/// Calls of built-ins: what they touch is asked before, and those that would run the program from inside are replaced
/// by functions of the library module `_builtins`.
#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "languages/python/interpreter.hpp"

namespace assay::languages::python {
namespace {

using Names = std::unordered_set<std::string_view>;

/// Methods of containers that change nothing.
const Names& reading_methods() {
  static const Names names = {"copy",
                              "count",
                              "index",
                              "get",
                              "keys",
                              "values",
                              "items",
                              "union",
                              "intersection",
                              "difference",
                              "issubset",
                              "issuperset",
                              "isdisjoint",
                              "symmetric_difference",
                              "most_common",
                              "elements",
                              "total",
                              "__len__",
                              "__contains__",
                              "__getitem__",
                              "__iter__",
                              "__eq__",
                              "__ne__",
                              "__lt__",
                              "__le__",
                              "__gt__",
                              "__ge__",
                              "__repr__",
                              "__str__",
                              "__hash__",
                              "__format__",
                              "__reversed__",
                              "__add__",
                              "__mul__",
                              "__rmul__",
                              "__or__",
                              "__and__",
                              "__sub__",
                              "__xor__",
                              "__bool__",
                              "__copy__",
                              "__deepcopy__",
                              "__class__",
                              "__reduce__",
                              "__reduce_ex__",
                              "__sizeof__",
                              "fromkeys",
                              "join",
                              "split",
                              "decode",
                              "hex",
                              "find",
                              "startswith",
                              "endswith",
                              "__getattribute__",
                              "__dir__"};
  return names;
}

/// Methods that move elements without looking into them.
const Names& shallow_methods() {
  static const Names names = {"append",  "appendleft", "pop",         "popleft", "insert", "clear",
                              "copy",    "reverse",    "rotate",      "keys",    "values", "items",
                              "popitem", "__len__",    "move_to_end", "__init__"};
  return names;
}

/// Methods that look a key up.
const Names& key_methods() {
  static const Names names = {"get",         "setdefault",   "add",         "discard",
                              "remove",      "pop",          "__getitem__", "__setitem__",
                              "__delitem__", "__contains__", "move_to_end"};
  return names;
}

/// Types and functions that look at no content of their arguments.
bool asks_nothing(PyObject* callable) {
  static const std::unordered_set<PyObject*> known = [] {
    std::unordered_set<PyObject*> set;
    for (const char* name : {"super", "isinstance", "issubclass", "type", "callable", "staticmethod",
                             "classmethod", "property", "object", "range", "slice", "chr", "id"}) {
      set.insert(built_in(interned(name)).release());
    }
    return set;
  }();
  return known.contains(callable);
}

/// Built-ins with a counterpart in `_builtins`, by identity.
const std::unordered_map<PyObject*, std::string>& counterparts() {
  static const std::unordered_map<PyObject*, std::string> names = [] {
    std::unordered_map<PyObject*, std::string> map;
    for (const char* name : {"list",   "tuple", "set",       "frozenset", "bytes", "bytearray", "dict",
                             "sorted", "min",   "max",       "sum",       "any",   "all",       "map",
                             "filter", "zip",   "enumerate", "reversed",  "iter",  "next"}) {
      map.emplace(built_in(interned(name)).release(), name);
    }
    const std::pair<const char*, std::vector<const char*>> others[] = {
        {"collections", {"deque", "OrderedDict", "defaultdict", "Counter"}},
        {"heapq",
         {"heappush", "heappop", "heapreplace", "heappushpop", "heapify", "nsmallest", "nlargest", "merge"}},
        {"bisect", {"bisect_right", "bisect_left", "bisect", "insort_right", "insort_left", "insort"}},
        {"functools", {"reduce"}}};
    const Ref operators = checked(PyImport_ImportModule("operator"));
    for (const char* name :
         {"contains", "countOf", "indexOf", "getitem", "setitem",  "delitem",   "concat",
          "iconcat",  "truth",   "not_",    "lt",      "le",       "eq",        "ne",
          "gt",       "ge",      "add",     "sub",     "mul",      "truediv",   "floordiv",
          "mod",      "pow",     "lshift",  "rshift",  "or_",      "xor",       "and_",
          "matmul",   "iadd",    "isub",    "imul",    "itruediv", "ifloordiv", "imod",
          "ipow",     "ilshift", "irshift", "ior",     "ixor",     "iand",      "imatmul"}) {
      map.emplace(checked(PyObject_GetAttrString(operators.get(), name)).release(),
                  std::string("operator_") + name);
    }
    for (const auto& [module_name, functions] : others) {
      const Ref module = checked(PyImport_ImportModule(module_name));
      for (const char* name : functions) {
        map.emplace(checked(PyObject_GetAttrString(module.get(), name)).release(), name);
      }
    }
    return map;
  }();
  return names;
}

/// Their native results are iterators that cannot be captured.
bool always_delegated(const std::string& name) {
  return name == "map" || name == "filter" || name == "zip" || name == "enumerate" || name == "merge";
}

/// They compare or add what is inside of their arguments.
bool looks_inside(const std::string& name) {
  static const Names names = {"sorted",  "min",          "max",         "sum",          "any",
                              "all",     "heappush",     "heappop",     "heapreplace",  "heappushpop",
                              "heapify", "nsmallest",    "nlargest",    "bisect_right", "bisect_left",
                              "bisect",  "insort_right", "insort_left", "insort",       "list_sort"};
  return names.contains(name);
}

bool is_mutable_container(PyObject* object) {
  static PyObject* deque = [] {
    const Ref module = checked(PyImport_ImportModule("collections"));
    return checked(PyObject_GetAttrString(module.get(), "deque")).release();
  }();
  return PyList_Check(object) || PyDict_Check(object) || PySet_Check(object) || PyByteArray_Check(object) ||
         PyObject_TypeCheck(object, reinterpret_cast<PyTypeObject*>(deque));
}

bool is_deque(PyObject* object) {
  return is_mutable_container(object) && !PyList_Check(object) && !PyDict_Check(object) &&
         !PySet_Check(object) && !PyByteArray_Check(object);
}

/// What a built-in method is bound to: whoever is given the method can read it, and most methods change it.
PyObject* bound_object(PyObject* callable) {
  PyObject* self = nullptr;
  if (PyCFunction_Check(callable)) {
    self = PyCFunction_GET_SELF(callable);
  } else if (Py_TYPE(callable) == &_PyMethodWrapper_Type) {
    self = Ref::steal(PyObject_GetAttrString(callable, "__self__")).get();  // the wrapper keeps it
  }
  PyErr_Clear();
  return self == nullptr || PyModule_Check(self) || is_plain(self) ? nullptr : self;
}

/// Whether making an object of this type looks into the arguments. `object` and exceptions only keep them.
bool reads_arguments(PyTypeObject* type) {
  return !PyType_HasFeature(type, Py_TPFLAGS_BASE_EXC_SUBCLASS) &&
         (type->tp_new != PyBaseObject_Type.tp_new || type->tp_init != PyBaseObject_Type.tp_init);
}

bool compares_items(const std::string& counterpart) {
  static const Names names = {"list_remove", "list_index",  "list_count",         "list___contains__",
                              "tuple_index", "tuple_count", "tuple___contains__", "deque_remove",
                              "deque_index", "deque_count", "deque___contains__"};
  return names.contains(counterpart);
}

/// They look up each of the items that they are given.
bool hashes_items(const std::string& counterpart) {
  static const Names names = {"set",
                              "frozenset",
                              "dict",
                              "OrderedDict",
                              "defaultdict",
                              "Counter",
                              "dict_update",
                              "dict_fromkeys",
                              "Counter_update",
                              "Counter_subtract",
                              "set_update",
                              "set_union",
                              "set_intersection",
                              "set_difference",
                              "set_symmetric_difference",
                              "set_intersection_update",
                              "set_difference_update",
                              "set_symmetric_difference_update",
                              "set_issubset",
                              "set_issuperset",
                              "set_isdisjoint",
                              "frozenset_union",
                              "frozenset_intersection",
                              "frozenset_difference",
                              "frozenset_symmetric_difference",
                              "frozenset_issubset",
                              "frozenset_issuperset",
                              "frozenset_isdisjoint"};
  return names.contains(counterpart);
}

}  // namespace

std::string container_name(PyObject* object) {
  if (PyList_Check(object)) return "list";
  if (PyTuple_Check(object)) return "tuple";
  if (PySet_Check(object)) return "set";
  if (PyFrozenSet_Check(object)) return "frozenset";
  if (PyUnicode_Check(object)) return "str";
  if (PyBytes_Check(object)) return "bytes";
  if (PyByteArray_Check(object)) return "bytearray";
  if (PyDict_Check(object))
    return std::string_view(Py_TYPE(object)->tp_name) == "Counter" ? "Counter" : "dict";
  return is_deque(object) ? "deque" : "";
}

namespace {

/// What is called, as far as the tables need it.
struct Native {
  PyObject* receiver = nullptr;  // of a method; borrowed from the callable or from the arguments
  std::string name;
  std::string module;       // of a function
  std::size_t skipped = 0;  // 1: the receiver is the first argument
};

std::string text_attribute(PyObject* object, const char* name) {
  const Ref value = Ref::steal(PyObject_GetAttrString(object, name));
  if (!value || !PyUnicode_Check(value.get())) {
    PyErr_Clear();
    return "";
  }
  return utf8(value.get());
}

Native native_of(PyObject* callable, const Arguments& arguments) {
  Native native;
  if (PyCFunction_Check(callable)) {
    native.name = reinterpret_cast<PyCFunctionObject*>(callable)->m_ml->ml_name;
    PyObject* self = PyCFunction_GET_SELF(callable);
    if (self != nullptr && !PyModule_Check(self)) {
      native.receiver = self;
    } else {
      native.module = text_attribute(callable, "__module__");
    }
    return native;
  }
  if (PyType_Check(callable)) return native;
  native.name = text_attribute(callable, "__name__");
  native.module = text_attribute(callable, "__module__");
  if (Py_TYPE(callable) == &_PyMethodWrapper_Type) {
    const Ref self = Ref::steal(PyObject_GetAttrString(callable, "__self__"));
    PyErr_Clear();
    native.receiver = self.get();  // the wrapper keeps it
    return native;
  }
  const bool is_method = PyObject_TypeCheck(callable, &PyMethodDescr_Type) ||
                         PyObject_TypeCheck(callable, &PyWrapperDescr_Type) || PyFunction_Check(callable);
  if (is_method && !arguments.positional.empty()) {
    PyObject* first = arguments.positional[0].get();
    if (is_mutable_container(first) || !PyFunction_Check(callable) || native.name.starts_with("__")) {
      native.receiver = first;
      native.skipped = 1;
    }
  }
  return native;
}

bool writes_first_argument(const Native& native) {
  if (native.module == "_heapq" || native.module == "heapq") return native.name.starts_with("heap");
  if (native.module == "_bisect" || native.module == "bisect") return native.name.starts_with("insort");
  if (native.module == "_collections") return native.name == "_count_elements";
  if (native.module == "_operator" || native.module == "operator") {
    return native.name == "setitem" || native.name == "delitem" ||
           (native.name.size() > 2 && native.name[0] == 'i' && native.name != "index" &&
            native.name != "indexOf" && native.name != "inv" && native.name != "invert" &&
            native.name != "is_" && native.name != "is_not" && native.name != "itemgetter");
  }
  return false;
}

bool is_consumed(PyObject* argument) {
  return is_iterator(argument) || is_generator(argument) ||
         (Py_TYPE(argument)->tp_iternext != nullptr &&
          Py_TYPE(argument)->tp_iternext != &_PyObject_NextNotImplemented &&
          !is_program_type(Py_TYPE(argument)));
}

/// Sets in an order for whoever iterates over them.
void order_sets(Arguments& arguments, std::size_t skipped, bool shows_order) {
  for (std::size_t i = skipped; i < arguments.positional.size(); ++i) {
    PyObject* argument = arguments.positional[i].get();
    if (!PyAnySet_CheckExact(argument)) continue;
    arguments.positional[i] = shows_order ? arranged_elements(argument) : ordered_elements(argument);
  }
}

/// Whether the result may depend on the order of what is iterated over: not if all of it is compared. With a key two
/// elements can be equal, and then it does.
bool shows_order(const std::string& counterpart, const Arguments& arguments) {
  static const Names names = {"sorted", "min", "max", "nsmallest", "nlargest"};
  return !names.contains(counterpart) || !arguments.keywords.empty();
}

bool iterates_arguments(const std::string& counterpart) {
  static const Names names = {"list",
                              "tuple",
                              "dict",
                              "sorted",
                              "min",
                              "max",
                              "sum",
                              "deque",
                              "OrderedDict",
                              "Counter",
                              "list_extend",
                              "deque_extend",
                              "deque_extendleft",
                              "dict_update",
                              "Counter_update",
                              "str_join",
                              "bytes_join",
                              "dict_fromkeys",
                              "nsmallest",
                              "nlargest",
                              "Counter_subtract"};
  return names.contains(counterpart);
}

}  // namespace

bool is_key_simple(PyObject* key) {
  if (is_plain(key)) return true;
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
  if (!PyFunction_Check(hash) || type->tp_dictoffset == 0) return true;
  // That of a dataclass: any of its fields.
  const Ref fields = checked(PyObject_GenericGetDict(key, nullptr));
  return any_hashes_address(checked(PyDict_Values(fields.get())).get());
}

void Interpreter::looks_up(PyObject* key) {
  world.hashes_first = true;
  if (hashes_in_python(key)) world.poll();  // there, before anything is touched
}

std::optional<Step> Interpreter::operate_undisturbed(const char* function,
                                                     std::initializer_list<PyObject*> operands, Site& site) {
  static PyObject* const module = checked(PyImport_ImportModule("operator")).release();
  if (!world.is_divided(operands.begin(), operands.size(), true)) return std::nullopt;
  Arguments arguments;
  for (PyObject* operand : operands) arguments.positional.push_back(Ref::borrow(operand));
  return call_undisturbed(checked(PyObject_GetAttrString(module, function)).get(), nullptr, arguments, true,
                          site);
}

bool Interpreter::may_call(PyObject* receiver, const Arguments& arguments,
                           const std::vector<PyObject*>& written) const {
  std::vector<PyObject*> read, changed = written;
  const auto add = [&](PyObject* object) {
    if (PyObject* const bound = bound_object(object)) {
      read.push_back(bound);
      if (!reading_methods().contains(text_attribute(object, "__name__"))) changed.push_back(bound);
    } else if (!is_plain(object) || PyType_Check(object)) {
      read.push_back(object);
    }
  };
  if (receiver != nullptr) add(receiver);
  for (const Ref& argument : arguments.positional) add(argument.get());
  for (const auto& [name, value] : arguments.keywords) add(value.get());
  if (read.empty() && changed.empty()) return true;
  return world.may_call(read.data(), read.size(), changed.data(), changed.size());
}

std::optional<Step> Interpreter::delegate(const std::string& name, PyObject* receiver, Arguments& arguments,
                                          Site& site) {
  bool entered = false;
  const Ref function = library_function(name.c_str(), &entered);
  if (entered) return Step::kDone;
  if (!function) return std::nullopt;
  if (receiver != nullptr) arguments.positional.insert(arguments.positional.begin(), Ref::borrow(receiver));
  return call(function.get(), std::move(arguments), std::move(site));
}

std::optional<Step> Interpreter::call_undisturbed(PyObject* callable, PyObject* receiver,
                                                  const Arguments& arguments, bool of_items, Site& site) {
  std::vector<PyObject*> given = arguments.objects();
  if (receiver != nullptr) given.push_back(receiver);
  if (!world.is_divided(given.data(), given.size(), of_items)) return std::nullopt;
  Ref keywords = arguments.keyword_dict();
  if (!keywords) keywords = checked(PyDict_New());
  Arguments delegated;
  delegated.positional = {Ref::borrow(callable), Ref::borrow(receiver == nullptr ? Py_None : receiver),
                          arguments.positional_tuple(), std::move(keywords)};
  return delegate("_undisturbed", nullptr, delegated, site);
}

Step Interpreter::run_native(PyObject* callable, const Arguments& arguments, Site site) {
  const Ref kept = Ref::borrow(callable);
  Ref positional = arguments.positional_tuple();
  const Ref keywords = arguments.keyword_dict();
  if (callable == reinterpret_cast<PyObject*>(&PyType_Type) && PyTuple_GET_SIZE(positional.get()) == 3 &&
      PyDict_Check(PyTuple_GET_ITEM(positional.get(), 2))) {
    // It would look who calls, which is the machine.
    const Ref names = checked(PyDict_Copy(PyTuple_GET_ITEM(positional.get(), 2)));
    const std::string& module = world.program->modules[top().code->module].name;
    if (PyDict_SetDefault(names.get(), interned("__module__"),
                          checked(PyUnicode_FromString(module.c_str())).get()) == nullptr) {
      throw PythonError();
    }
    positional = checked(PyTuple_Pack(3, PyTuple_GET_ITEM(positional.get(), 0),
                                      PyTuple_GET_ITEM(positional.get(), 1), names.get()));
  }
  if (PyFunction_Check(callable)) ++world.changes;  // it may change what it can reach
  Ref value;
  const bool makes_class = is_maker_of_classes(callable) && PyTuple_GET_SIZE(positional.get()) == 4;
  if (makes_class) {  // `super().__new__(...)` in a metaclass; the class statement announces its class
    const Ref arguments_of_class = checked(PyTuple_GetSlice(positional.get(), 1, 4));
    value = new_class(PyTuple_GET_ITEM(positional.get(), 0), arguments_of_class.get(), keywords.get());
  } else {
    // A metaclass whose own `__call__` the program wrote has been there already: `super().__call__(...)` means this.
    const bool is_past_metaclass = PyType_Check(callable) && program_method(callable, "__call__") != nullptr;
    const ternaryfunc make = is_past_metaclass ? PyType_Type.tp_call : PyObject_Call;
    value = world.announced(checked(make(callable, positional.get(), keywords.get())));
  }
  world.poll();
  return complete(std::move(site), std::move(value));
}

Step Interpreter::call_native(PyObject* callable, Arguments arguments, Site site) {
  if (std::optional<Step> step = call_assay(callable, arguments, site)) return *step;
  if (std::optional<Step> step = call_special(callable, arguments, site)) {
    if (*step == Step::kDone) world.poll();
    return *step;
  }
  if (asks_nothing(callable)) return run_native(callable, arguments, std::move(site));
  const bool is_type = PyType_Check(callable);
  const Native native = native_of(callable, arguments);

  if (native.name == "__call__" && native.receiver != nullptr && PyType_Check(native.receiver) &&
      is_program_type(reinterpret_cast<PyTypeObject*>(native.receiver)) && site.mode == Return::kPush) {
    // `super().__call__(...)` in a metaclass.
    const Ref type = Ref::borrow(native.receiver);
    arguments.positional.erase(arguments.positional.begin(),
                               arguments.positional.begin() + static_cast<std::ptrdiff_t>(native.skipped));
    return instantiate(reinterpret_cast<PyTypeObject*>(type.get()), std::move(arguments), std::move(site));
  }

  if (native.name == "__hash__" && native.receiver != nullptr && !is_plain(native.receiver))
    ++world.addresses_hashed;

  if (native.module == "_operator" && (native.name == "is_" || native.name == "is_not") &&
      arguments.positional.size() == 2) {
    const bool same = is_same(arguments.positional[0].get(), arguments.positional[1].get());
    return complete(std::move(site), Ref::borrow(same == (native.name == "is_") ? Py_True : Py_False));
  }

  if (native.module == "copy" && native.name == "copy" && arguments.positional.size() == 1 &&
      arguments.keywords.empty()) {
    PyObject* const original = arguments.positional[0].get();
    if (PyList_CheckExact(original) || PyDict_CheckExact(original) || PySet_CheckExact(original) ||
        PyByteArray_CheckExact(original)) {
      world.poll();  // a function in Python that calls the method `copy`, which is one piece
      if (!world.may_read_item(original, nullptr)) return stop(Stop::kVisible);
      Ref copy = checked(PyObject_CallMethod(original, "copy", nullptr));
      world.poll();
      return complete(std::move(site), std::move(copy));
    }
  }

  if (native.module == "_operator" && native.name == "length_hint" &&
      !(arguments.positional.size() == 1 && !container_name(arguments.positional[0].get()).empty())) {
    throw Unsupported("operator.length_hint() is not modelled; use len()");
  }

  std::string counterpart;
  if (const auto known = counterparts().find(callable); known != counterparts().end()) {
    counterpart = known->second;
  } else if (native.receiver != nullptr && native.skipped == 0) {
    if (PyType_Check(native.receiver)) {
      if (PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(native.receiver), &PyDict_Type) != 0)
        counterpart = "dict_" + native.name;
    } else if (const std::string container = container_name(native.receiver); !container.empty()) {
      counterpart = container + "_" + native.name;
    }
  }
  if (!counterpart.empty()) {
    bool needs_program = always_delegated(counterpart) ||
                         (counterpart.starts_with("operator_") &&
                          !std::all_of(arguments.positional.begin(), arguments.positional.end(),
                                       [](const Ref& o) { return is_plain(o.get()); }));
    const bool inside = looks_inside(counterpart) || compares_items(counterpart);
    const bool hashes = hashes_items(counterpart);
    const auto look = [&](PyObject* argument) {
      // A default factory is only kept; everything else that can be called is called.
      const bool is_kept = counterpart == "defaultdict" ||
                           (native.receiver != nullptr && shallow_methods().contains(native.name)) ||
                           (native.receiver != nullptr && key_methods().contains(native.name));
      if (iterates_program(argument) && !is_kept) needs_program = true;
      if (!is_kept && (is_program_callable(argument) || bound_object(argument) != nullptr))
        needs_program = true;
      if (inside && holds_program(argument, kOrderMethods, true)) needs_program = true;
      // Sets and dicts have kept the hashes of theirs.
      if (hashes && !PyAnySet_Check(argument) && !PyDict_Check(argument) &&
          holds_program(argument, kKeyMethods, true)) {
        needs_program = true;
      }
    };
    if (inside && native.receiver != nullptr) look(native.receiver);
    for (const Ref& argument : arguments.positional) look(argument.get());
    for (const auto& [name, value] : arguments.keywords) look(value.get());
    if (needs_program) {
      PyObject* receiver = native.receiver != nullptr && native.skipped == 0 && !PyType_Check(native.receiver)
                               ? native.receiver
                               : nullptr;
      if (std::optional<Step> step = delegate(counterpart, receiver, arguments, site)) return *step;
    }
  }

  if (native.name == "namedtuple" && native.module == "collections" &&
      std::none_of(arguments.keywords.begin(), arguments.keywords.end(),
                   [](const auto& keyword) { return utf8(keyword.first.get()) == "module"; })) {
    // It would look who calls, which is the machine.
    const std::string& module = world.program->modules[top().code->module].name;
    arguments.keywords.emplace_back(Ref::borrow(interned("module")),
                                    checked(PyUnicode_FromString(module.c_str())));
  }
  if (!world.is_beginning() && (native.module == "abc" || native.module == "_abc") &&
      native.name.find("register") != std::string::npos) {
    throw Unsupported(
        "an abstract class gets a subclass that no state tells of; register it before threads start and "
        "before choices are made");
  }
  if (native.name == "with_traceback" && native.receiver != nullptr && native.skipped == 0 &&
      arguments.positional.size() == 1 && arguments.positional[0].get() == opaque_traceback()) {
    return complete(std::move(site), Ref::borrow(native.receiver));
  }
  if (native.module == "dataclasses" && (native.name == "wrap" || native.name == "dataclass")) {
    // It stores methods in the class.
    for (const Ref& argument : arguments.positional) {
      if (!PyType_Check(argument.get())) continue;
      if (!world.is_single())
        throw Unsupported(
            "a class becomes a dataclass while several threads run; decorate it where it is made");
      if (!world.may_write_attribute(argument.get(), interned("__init__"))) return stop(Stop::kVisible);
    }
  }
  if ((native.name == "__setattr__" || native.name == "__delattr__") && native.receiver != nullptr &&
      (PyType_Check(native.receiver) || is_function(native.receiver) || PyCell_Check(native.receiver))) {
    throw Unsupported("the built-in " + native.name + " of a class or function; use setattr");
  }
  std::vector<PyObject*> written;
  for (const Ref& argument : arguments.positional) {
    if (is_consumed(argument.get())) written.push_back(argument.get());
  }
  bool allowed = true;
  if (native.receiver != nullptr && is_mutable_container(native.receiver)) {
    PyObject* self = native.receiver;
    const bool reads = reading_methods().contains(native.name);
    const bool by_key = key_methods().contains(native.name) && !PyList_Check(self);
    PyObject* key =
        arguments.positional.size() > native.skipped ? arguments.positional[native.skipped].get() : nullptr;
    const bool simple =
        shallow_methods().contains(native.name) && !(PyDict_Check(self) && native.name == "pop");
    if (by_key && key != nullptr) looks_up(key);
    if (simple || (by_key && key != nullptr && is_key_simple(key))) {
      const bool one_item = by_key && reads && is_plain(key);
      allowed =
          reads ? world.may_read_item(self, one_item ? key : nullptr) : world.may_write_item(self, nullptr);
    } else {
      if (!reads) written.push_back(self);
      allowed = may_call(self, arguments, written);
    }
  } else if (is_type) {
    auto* type = reinterpret_cast<PyTypeObject*>(callable);
    const bool copies = type == &PyList_Type || type == &PyTuple_Type || counterpart == "deque" ||
                        (type == &PyDict_Type && !arguments.positional.empty() &&
                         PyDict_Check(arguments.positional[0].get()));
    if (copies && written.empty()) {
      for (PyObject* argument : arguments.objects()) {
        if (is_plain(argument) || PyTuple_CheckExact(argument)) continue;
        if (!world.may_read_item(argument, nullptr)) allowed = false;
      }
    } else if (reads_arguments(type) ||
               (!PyType_HasFeature(type, Py_TPFLAGS_BASE_EXC_SUBCLASS) && !written.empty())) {
      allowed = may_call(nullptr, arguments, written);
    }
  } else {
    if (writes_first_argument(native) && !arguments.positional.empty())
      written.push_back(arguments.positional[0].get());
    if (native.receiver != nullptr &&
        (native.name == "__init__" || native.name == "__setattr__" || native.name == "__delattr__" ||
         native.name == "__setstate__" || native.name == "add_note" || native.name == "with_traceback")) {
      written.push_back(native.receiver);
    }
    Ref notes;
    if (native.name == "add_note" &&
        native.receiver != nullptr) {  // the list of notes, if there is one, gets another
      notes = Ref::steal(PyObject_GetAttrString(native.receiver, "__notes__"));
      PyErr_Clear();
      if (notes) written.push_back(notes.get());
    }
    if (native.module != "builtins") {  // `pack_into` and its like write into the buffers that they are given
      for (PyObject* argument : arguments.objects()) {
        if (PyByteArray_Check(argument)) written.push_back(argument);
      }
    }
    const bool creates = native.name == "__new__" || native.name == "__init_subclass__" ||
                         native.name == "__setattr__" || native.name == "__init__";
    const bool stores = (native.name == "__setattr__" || native.name == "__delattr__") &&
                        native.receiver != nullptr && arguments.positional.size() > native.skipped &&
                        PyUnicode_Check(arguments.positional[native.skipped].get());
    if (stores) {
      // By its name: the attribute may be one that is taken for final.
      if (!world.may_write_attribute(native.receiver, arguments.positional[native.skipped].get()))
        return stop(Stop::kVisible);
    }
    PyTypeObject* const made = native.receiver == nullptr ? nullptr
                               : PyType_Check(native.receiver)
                                   ? reinterpret_cast<PyTypeObject*>(native.receiver)
                                   : Py_TYPE(native.receiver);
    const bool only_keeps = made == nullptr || native.name == "__setattr__" ||
                            native.name == "__init_subclass__" || !reads_arguments(made);
    allowed = creates && only_keeps &&
                      (native.receiver == nullptr || PyType_Check(native.receiver) || written.size() == 1)
                  ? written.empty() || world.may_write(written[0])
                  : may_call(native.receiver, arguments, written);
  }
  const bool is_written_in_python =
      PyFunction_Check(callable) && native.module != "assay.languages.python.helpers";
  if (is_written_in_python && allowed) allowed = may_call(native.receiver, arguments, written);
  if (!allowed) return stop(Stop::kVisible);
  if (std::optional<Step> step =
          call_undisturbed(callable, native.receiver, arguments, !is_written_in_python, site)) {
    return *step;
  }
  if (is_written_in_python) {
    const std::vector<PyObject*> given = arguments.objects();
    const std::vector<std::uint32_t> reached = world.reached(given.data(), given.size());
    if (!reached.empty()) {
      const std::string name = native.module + "." + text_attribute(callable, "__qualname__");
      const Ref kept = Ref::borrow(callable);
      Ref value = checked(
          PyObject_Call(callable, arguments.positional_tuple().get(), arguments.keyword_dict().get()));
      value = world.announced(std::move(value));
      world.settle(reached, name);
      ++world.changes;
      world.poll();
      return complete(std::move(site), std::move(value));
    }
  }
  if (iterates_arguments(counterpart))
    order_sets(arguments, native.skipped, shows_order(counterpart, arguments));
  if (native.name == "pop" && native.receiver != nullptr && PySet_Check(native.receiver) &&
      PySet_GET_SIZE(native.receiver) > 0 && arguments.positional.size() == native.skipped) {
    const Ref elements = arranged_elements(native.receiver);
    Ref first = Ref::borrow(PyList_GET_ITEM(elements.get(), 0));
    if (PySet_Discard(native.receiver, first.get()) < 0) throw PythonError();
    return complete(std::move(site), std::move(first));
  }
  return run_native(callable, arguments, std::move(site));
}

}  // namespace assay::languages::python
