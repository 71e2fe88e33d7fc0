/// Class statements, and what the machine knows of types.
#include <algorithm>
#include <unordered_map>

#include "languages/python/absent.hpp"
#include "languages/python/class_facts.hpp"
#include "languages/python/interpreter.hpp"

namespace assay::languages::python {
namespace {

/// Bases after `__mro_entries__` (as `typing.Generic[T]` has it), and the metaclass that a class statement gets.
Ref resolved_bases(PyObject* bases) {
  Ref resolved = checked(PyList_New(0));
  bool changed = false;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(bases); ++i) {
    PyObject* base = PyTuple_GET_ITEM(bases, i);
    if (is_absent(base)) {
      changed = true;  // what comes out is absent, too
      continue;
    }
    Ref entries;
    if (!PyType_Check(base)) entries = Ref::steal(PyObject_GetAttrString(base, "__mro_entries__"));
    if (!entries) {
      PyErr_Clear();
      if (PyList_Append(resolved.get(), base) != 0) throw PythonError();
      continue;
    }
    changed = true;
    const Ref replaced = checked(PyObject_CallOneArg(entries.get(), bases));
    if (!PyTuple_Check(replaced.get())) raise(PyExc_TypeError, "__mro_entries__ must return a tuple");
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(replaced.get()); ++k) {
      if (PyList_Append(resolved.get(), PyTuple_GET_ITEM(replaced.get(), k)) != 0) throw PythonError();
    }
  }
  return changed ? checked(PyList_AsTuple(resolved.get())) : Ref::borrow(bases);
}

/// Whether a library for the machine made the class.
bool is_of_library(PyTypeObject* type) {
  const Ref home = home_of(type);
  const World* const world = current_world();
  if (!home || world == nullptr) return false;
  const std::vector<Module>& modules = world->program->modules;
  return std::any_of(modules.begin(), modules.end(), [&](const Module& module) {
    return module.is_library && module.name == utf8(home.get());
  });
}

Ref metaclass_of(PyObject* bases, PyObject* keywords) {
  PyObject* winner = keywords == nullptr ? nullptr : PyDict_GetItemWithError(keywords, interned("metaclass"));
  if (winner != nullptr && is_absent(winner)) winner = reinterpret_cast<PyObject*>(&PyType_Type);
  if (winner == nullptr) {
    if (PyErr_Occurred() != nullptr) throw PythonError();
    winner = PyTuple_GET_SIZE(bases) > 0 ? reinterpret_cast<PyObject*>(Py_TYPE(PyTuple_GET_ITEM(bases, 0)))
                                         : reinterpret_cast<PyObject*>(&PyType_Type);
  }
  if (!PyType_Check(winner)) return Ref::borrow(winner);
  auto* best = reinterpret_cast<PyTypeObject*>(winner);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(bases); ++i) {
    PyTypeObject* candidate = Py_TYPE(PyTuple_GET_ITEM(bases, i));
    if (PyType_IsSubtype(best, candidate) != 0) continue;
    if (PyType_IsSubtype(candidate, best) == 0) {
      PyObject* const base = PyTuple_GET_ITEM(bases, i);
      if (is_of_library(candidate) || is_of_library(best)) {
        throw Unsupported(
            std::string("the metaclass of a class derived from ") +
            reinterpret_cast<PyTypeObject*>(base)->tp_name +
            ", which has another one in the machine than in CPython, is not modelled; keep one in "
            "an attribute instead of deriving from it");
      }
      raise(PyExc_TypeError,
            "metaclass conflict: the metaclass of a derived class must be a (non-strict) subclass of the "
            "metaclasses "
            "of all its bases");
    }
    best = candidate;
  }
  return Ref::borrow(reinterpret_cast<PyObject*>(best));
}

/// Keywords of the class statement without `metaclass`; null if none are left.
Ref class_keywords(PyObject* keywords) {
  if (keywords == nullptr || PyDict_Size(keywords) == 0) return {};
  Ref rest = checked(PyDict_Copy(keywords));
  if (PyDict_Contains(rest.get(), interned("metaclass")) == 1 &&
      PyDict_DelItem(rest.get(), interned("metaclass")) != 0) {
    throw PythonError();
  }
  return PyDict_Size(rest.get()) == 0 ? Ref() : rest;
}

/// CPython does this for its own functions; ours it does not know.
void wrap(PyObject* names, const char* name, PyObject* (*wrapper)(PyObject*)) {
  if (PyDict_Check(
          names)) {  // of `__prepare__`, maybe: CPython does this in a copy, and asks no method of it
    PyObject* const own = PyDict_GetItemWithError(names, interned(name));
    if (own == nullptr || !is_function(own)) return;
    if (PyDict_SetItem(names, interned(name), checked(wrapper(own)).get()) != 0) throw PythonError();
    return;
  }
  Ref function = Ref::steal(PyObject_GetItem(names, interned(name)));
  if (!function) {
    if (PyErr_ExceptionMatches(PyExc_KeyError) == 0) throw PythonError();
    PyErr_Clear();
    return;
  }
  if (!is_function(function.get())) return;
  const Ref wrapped = checked(wrapper(function.get()));
  if (PyObject_SetItem(names, interned(name), wrapped.get()) != 0) throw PythonError();
}

/// The class statement that is being carried out: the first class that is made by it is the one that it makes.
class Making {
 public:
  explicit Making(const Code* body) : outer_(std::exchange(current(), body)) {}
  ~Making() { current() = outer_; }
  Making(const Making&) = delete;
  Making& operator=(const Making&) = delete;
  static const Code* take() { return std::exchange(current(), nullptr); }

 private:
  static const Code*& current() {
    static const Code* body = nullptr;
    return body;
  }
  const Code* outer_;
};

PyObject* abstract_metaclass() {
  static PyObject* const found = [] {
    const Ref module = checked(PyImport_ImportModule("abc"));
    return checked(PyObject_GetAttrString(module.get(), "ABCMeta")).release();
  }();
  return found;
}

/// ABCMeta.__new__, which is written in Python. Its slot would look for the `__new__` of the metaclass that it is given,
/// and find that of the program, which has called it.
PyObject* abstract_new(PyTypeObject* metaclass, PyObject* arguments, PyObject* keywords) {
  static PyObject* const function =
      checked(PyObject_GetAttrString(abstract_metaclass(), "__new__")).release();
  const Ref first = checked(PyTuple_Pack(1, reinterpret_cast<PyObject*>(metaclass)));
  const Ref given = checked(PySequence_Concat(first.get(), arguments));
  return PyObject_Call(function, given.get(), keywords);
}

/// Whether the metaclass has the `__new__` of `type` or of ABCMeta.
bool makes_plainly(PyObject* metaclass) {
  PyObject* const found = _PyType_Lookup(reinterpret_cast<PyTypeObject*>(metaclass), interned("__new__"));
  return found == _PyType_Lookup(&PyType_Type, interned("__new__")) ||
         found == _PyType_Lookup(reinterpret_cast<PyTypeObject*>(abstract_metaclass()), interned("__new__"));
}

}  // namespace

bool is_maker_of_classes(PyObject* callable) {
  static PyObject* const plain =
      checked(PyObject_GetAttrString(reinterpret_cast<PyObject*>(&PyType_Type), "__new__")).release();
  static PyObject* const abstract =
      checked(PyObject_GetAttrString(abstract_metaclass(), "__new__")).release();
  return callable == abstract || PyObject_RichCompareBool(callable, plain, Py_EQ) == 1;
}

Step Interpreter::build_class(bool with_keywords) {
  Frame& frame = top();
  const std::size_t operands = with_keywords ? 5 : 4;
  const std::size_t first = frame.stack.size() - operands;
  PyObject* closure = frame.stack[first].get();
  const Code* code = code_of(frame.stack[first + 1].get());
  PyObject* name = frame.stack[first + 2].get();
  PyObject* original_bases = frame.stack[first + 3].get();
  PyObject* keywords = with_keywords ? frame.stack[first + 4].get() : nullptr;
  const Ref bases = resolved_bases(original_bases);
  const Ref metaclass = metaclass_of(bases.get(), keywords);
  const Ref rest = class_keywords(keywords);

  std::unique_ptr<Frame> body = body_frame(code);
  if (PyTuple_Check(closure)) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(closure); ++i) {
      body->cells.push_back(Ref::borrow(PyTuple_GET_ITEM(closure, i)));
    }
  }
  if (body->cells.size() != code->cell_names.size() + code->free_names.size()) {
    throw Unsupported("a closure of " + code->qualname + " has the wrong size");
  }
  const Ref prepare = Ref::steal(PyObject_GetAttrString(metaclass.get(), "__prepare__"));
  if (prepare) {
    const Ref arguments = checked(PyTuple_Pack(2, name, bases.get()));
    body->names = checked(PyObject_Call(prepare.get(), arguments.get(), rest.get()));
  } else {
    PyErr_Clear();
    body->names = checked(PyDict_New());
  }
  Ref description = checked(
      PyTuple_Pack(5, name, bases.get(), rest ? rest.get() : Py_None, metaclass.get(), original_bases));
  return push_frame(std::move(body),
                    {.operands = operands, .mode = Return::kClass, .extra = std::move(description)});
}

Ref Interpreter::make_class(Ref names, PyObject* description, PyObject* cell, const Code* body) {
  PyObject* name = PyTuple_GET_ITEM(description, 0);
  PyObject* bases = PyTuple_GET_ITEM(description, 1);
  PyObject* keywords = PyTuple_GET_ITEM(description, 2);
  PyObject* metaclass = PyTuple_GET_ITEM(description, 3);
  if (PyObject* const unknown = first_absent(PyTuple_GET_ITEM(description, 4))) {
    return Ref::borrow(
        derived_absent(world.program->modules[body->module].name + "." + body->qualname, unknown));
  }
  wrap(names.get(), "__new__", PyStaticMethod_New);
  wrap(names.get(), "__init_subclass__", PyClassMethod_New);
  wrap(names.get(), "__class_getitem__", PyClassMethod_New);
  if (bases != PyTuple_GET_ITEM(description, 4) &&
      PyObject_SetItem(names.get(), interned("__orig_bases__"), PyTuple_GET_ITEM(description, 4)) != 0) {
    throw PythonError();
  }
  if (cell != nullptr && PyCell_Check(cell) &&
      PyObject_SetItem(names.get(), interned("__classcell__"), cell) != 0) {
    throw PythonError();
  }
  const Making making(body);
  const Ref arguments = checked(PyTuple_Pack(3, name, bases, names.get()));
  PyObject* const given = keywords == Py_None ? nullptr : keywords;
  Ref type;
  if (PyType_Check(metaclass) && Py_TYPE(metaclass)->tp_call == PyType_Type.tp_call &&
      makes_plainly(metaclass)) {
    // What type.__call__ does.
    type = new_class(metaclass, arguments.get(), given);
    const initproc initialise = reinterpret_cast<PyTypeObject*>(metaclass)->tp_init;
    if (PyObject_TypeCheck(type.get(), reinterpret_cast<PyTypeObject*>(metaclass)) != 0 &&
        initialise(type.get(), arguments.get(), given) < 0) {
      throw PythonError();
    }
  } else {
    type = checked(PyObject_Call(metaclass, arguments.get(), given));
  }
  if (cell != nullptr && PyCell_Check(cell) && PyCell_GET(cell) == nullptr) PyCell_Set(cell, type.get());
  if (!PyType_Check(type.get())) return type;
  Ref used = world.class_made(std::move(type), body);
  if (cell != nullptr && PyCell_Check(cell)) PyCell_Set(cell, used.get());  // what super() finds
  return used;
}

Ref Interpreter::with_module(PyObject* arguments) {
  PyObject* const names = PyTuple_GET_ITEM(arguments, 2);
  if (!PyDict_Check(names)) return Ref::borrow(arguments);
  const Ref copy = checked(PyDict_Copy(names));
  const std::string& module = world.program->modules[top().code->module].name;
  if (PyDict_SetDefault(copy.get(), interned("__module__"),
                        checked(PyUnicode_FromString(module.c_str())).get()) == nullptr) {
    throw PythonError();
  }
  return checked(PyTuple_Pack(3, PyTuple_GET_ITEM(arguments, 0), PyTuple_GET_ITEM(arguments, 1), copy.get()));
}

Ref Interpreter::new_class(PyObject* metaclass, PyObject* arguments, PyObject* keywords) {
  Ref made = make_class(metaclass, arguments, keywords);
  if (PyType_Check(made.get())) keep_from_ending(reinterpret_cast<PyTypeObject*>(made.get()));
  return made;
}

Ref Interpreter::make_class(PyObject* metaclass, PyObject* arguments, PyObject* keywords) {
  auto* const maker = reinterpret_cast<PyTypeObject*>(metaclass);
  PyObject* const home = lookup(maker, interned("__module__"));
  if (home != nullptr && Py_TYPE(home) == &PyProperty_Type) {
    throw Unsupported(
        "a metaclass says by a property of which module its classes are, which is not modelled; let them "
        "have "
        "the module in which they stand");
  }
  const bool is_abstract = PyObject_IsSubclass(metaclass, abstract_metaclass()) == 1;
  const Code* const body = Making::take();
  const Ref known = body == nullptr ? Ref() : world.class_known(body);
  if (!known || reinterpret_cast<PyObject*>(Py_TYPE(known.get())) != metaclass ||
      reinterpret_cast<PyTypeObject*>(known.get())->tp_bases == nullptr ||
      PyObject_RichCompareBool(reinterpret_cast<PyTypeObject*>(known.get())->tp_bases,
                               PyTuple_GET_ITEM(arguments, 1), Py_EQ) != 1) {
    const newfunc make = is_abstract ? abstract_new : PyType_Type.tp_new;
    if (body != nullptr) return checked(make(maker, arguments, keywords));
    // A metaclass of the program was called. CPython would look who calls, which is the machine; and class statements tell
    // of their classes themselves.
    const Ref given = with_module(arguments);
    return world.announced(checked(make(maker, given.get(), keywords)));
  }
  // As CPython does it, in the class that the statement made before: others may keep it while it is being made.
  PyObject* const names = PyTuple_GET_ITEM(arguments, 2);
  PyObject* const type = known.get();
  const auto set = [&](PyObject* name, PyObject* value) {
    Classes::store(reinterpret_cast<PyTypeObject*>(type), name, value);
  };
  const Ref old_names = checked(PyDict_Keys(reinterpret_cast<PyTypeObject*>(type)->tp_dict));
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(old_names.get()); ++i) {
    PyObject* const name = PyList_GET_ITEM(old_names.get(), i);
    PyObject* const value = PyDict_GetItemWithError(reinterpret_cast<PyTypeObject*>(type)->tp_dict, name);
    if (name == interned("__module__") || name == interned("__doc__")) continue;  // every class has them
    if (value != nullptr && Classes::role(name, value) != Entry::kMakeup) set(name, nullptr);
  }
  const Ref entries = checked(PyDict_Copy(names));
  PyObject *name = nullptr, *value = nullptr;
  Py_ssize_t position = 0;
  while (PyDict_Next(entries.get(), &position, &name, &value) != 0) {
    if (name == interned("__qualname__") || name == interned("__slots__")) continue;
    if (PyUnicode_CompareWithASCIIString(name, "__classcell__") == 0) {
      PyCell_Set(value, type);
    } else {
      set(name, value);
    }
  }
  const auto has = [&](const char* key) { return PyDict_Contains(entries.get(), interned(key)) == 1; };
  if (!has("__doc__")) set(interned("__doc__"), Py_None);
  if (has("__eq__") && !has("__hash__")) set(interned("__hash__"), Py_None);
  position = 0;
  while (PyDict_Next(entries.get(), &position, &name, &value) != 0) {
    const Ref told =
        Ref::steal(PyObject_GetAttrString(reinterpret_cast<PyObject*>(Py_TYPE(value)), "__set_name__"));
    PyErr_Clear();
    if (told) checked(PyObject_CallFunctionObjArgs(told.get(), value, type, name, nullptr));
  }
  const Ref super =
      checked(PyObject_CallFunctionObjArgs(reinterpret_cast<PyObject*>(&PySuper_Type), type, type, nullptr));
  const Ref hook = checked(PyObject_GetAttrString(super.get(), "__init_subclass__"));
  checked(PyObject_Call(hook.get(), checked(PyTuple_New(0)).get(), keywords));
  if (is_abstract) {
    const Ref module = checked(PyImport_ImportModule("_abc"));
    checked(PyObject_CallMethod(module.get(), "_abc_init", "O", type));
  }
  return known;
}

// --- helpers

std::string text_if_any(PyObject* object) {
  const char* const text = PyUnicode_Check(object) ? PyUnicode_AsUTF8(object) : nullptr;
  if (text == nullptr) PyErr_Clear();
  return text == nullptr ? "?" : text;
}

std::string utf8(PyObject* text) {
  Py_ssize_t size = 0;
  const char* data = PyUnicode_AsUTF8AndSize(text, &size);
  if (data == nullptr) {  // lone surrogates
    PyErr_Clear();
    const Ref bytes = checked(PyUnicode_AsEncodedString(text, "utf-8", "backslashreplace"));
    return {PyBytes_AS_STRING(bytes.get()), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.get()))};
  }
  return {data, static_cast<std::size_t>(size)};
}

PyObject* interned(const char* text) {
  static std::unordered_map<std::string_view, PyObject*> names;
  const auto found = names.find(text);
  if (found != names.end()) return found->second;
  PyObject* name = PyUnicode_InternFromString(text);
  if (name == nullptr) throw PythonError();
  names.emplace(*new std::string(text), name);  // the key lives as long as the process
  return name;
}

Ref home_of(PyTypeObject* type) {
  if (!(type->tp_flags & Py_TPFLAGS_HEAPTYPE)) {
    Ref home = Ref::steal(PyObject_GetAttr(reinterpret_cast<PyObject*>(type), interned("__module__")));
    if (!home) PyErr_Clear();
    return home;
  }
  PyObject* const home = PyDict_GetItem(type->tp_dict, interned("__module__"));
  return home != nullptr && PyUnicode_Check(home) ? Ref::borrow(home) : Ref();
}

PyObject* lookup(PyTypeObject* type, PyObject* name) {
  PyObject* const found = _PyType_Lookup(type, name);
  return found != nullptr && PyFunction_Check(found) ? written_for_machine(found) : found;
}

PyObject* written_for_machine(PyObject* function) {
  static std::unordered_map<PyObject*, std::string> names;  // empty: there is none
  const auto [known, is_new] = names.try_emplace(function);
  if (is_new) {
    Py_INCREF(function);  // an address means one function
    const Ref module = checked(PyObject_GetAttrString(function, "__module__"));
    const Ref qualname = checked(PyObject_GetAttrString(function, "__qualname__"));
    if (PyUnicode_Check(module.get()) &&
        (utf8(module.get()) == "collections.abc" || utf8(module.get()) == "collections")) {
      known->second = utf8(qualname.get());
      std::replace(known->second.begin(), known->second.end(), '.', '_');
    }
  }
  World* const world = current_world();
  if (known->second.empty() || world == nullptr) return function;
  for (const Module& module : world->program->modules) {
    if (module.name != "_library_functions" || !module.is_library) continue;
    const auto found = module.global_index.find(known->second);
    if (found == module.global_index.end()) break;
    PyObject* const written = world->globals[module.first_global + found->second].get();
    return written == nullptr ? function : written;
  }
  known->second.clear();
  return function;
}

bool is_program_type(PyTypeObject* type) {
  return PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE) && !PyType_HasFeature(type, Py_TPFLAGS_IMMUTABLETYPE) &&
         type != function_type && type != generator_type && type != iterator_type && type != module_type;
}

PyObject* program_method(PyObject* object, const char* name) {
  PyTypeObject* type = Py_TYPE(object);
  if (!is_program_type(type)) return nullptr;
  PyObject* found = lookup(type, interned(name));
  return found != nullptr && is_function(found) ? found : nullptr;
}

bool is_program_callable(PyObject* object) {
  if (is_function(object)) return true;
  if (PyMethod_Check(object)) return is_program_callable(PyMethod_GET_FUNCTION(object));
  if (PyType_Check(object)) {
    PyObject* made = is_program_type(reinterpret_cast<PyTypeObject*>(object))
                         ? lookup(reinterpret_cast<PyTypeObject*>(object), interned("__init__"))
                         : nullptr;
    return made != nullptr && is_function(made);
  }
  return program_method(object, "__call__") != nullptr;
}

bool is_plain(PyObject* object) {
  return object == Py_None || PyLong_CheckExact(object) || PyUnicode_CheckExact(object) ||
         PyBool_Check(object) || PyFloat_CheckExact(object) || PyBytes_CheckExact(object) ||
         PyRange_Check(object) || PyType_Check(object) || PyComplex_CheckExact(object) ||
         PyCFunction_Check(object);
}

bool holds_program(PyObject* value, std::span<const char* const> methods, bool or_made, int depth) {
  if (is_plain(value)) return false;
  if (is_program_type(Py_TYPE(value))) {
    for (const char* method : methods) {
      PyObject* const found = lookup(Py_TYPE(value), interned(method));
      if (found != nullptr && (is_function(found) || (or_made && PyFunction_Check(found)))) return true;
    }
  }
  if (depth == 0) return false;
  // What follows from the answer depends on what is in there, so that is a question of the step.
  if (current_world() != nullptr && !PyTuple_Check(value) && !container_name(value).empty())
    current_world()->used(value);
  if (PyList_Check(value) || PyTuple_Check(value)) {
    PyObject** items = PySequence_Fast_ITEMS(value);
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(value); ++i) {
      if (holds_program(items[i], methods, or_made, depth - 1)) return true;
    }
  } else if (PyDict_Check(value)) {
    Py_ssize_t position = 0;
    PyObject *key, *item;
    while (PyDict_Next(value, &position, &key, &item) != 0) {
      if (holds_program(key, methods, or_made, depth - 1) || holds_program(item, methods, or_made, depth - 1))
        return true;
    }
  } else if (PyAnySet_Check(value)) {
    Py_ssize_t position = 0;
    PyObject* element;
    Py_hash_t hash;
    while (_PySet_NextEntry(value, &position, &element, &hash) != 0) {
      if (holds_program(element, methods, or_made, depth - 1)) return true;
    }
  } else if (PySequence_Check(value) && !is_program_type(Py_TYPE(value)) && !is_iterator(value)) {  // a deque
    const Py_ssize_t size = PySequence_Size(value);
    for (Py_ssize_t i = 0; i < size; ++i) {
      const Ref item = Ref::steal(PySequence_GetItem(value, i));
      if (item && holds_program(item.get(), methods, or_made, depth - 1)) return true;
    }
    PyErr_Clear();
  }
  return false;
}

}  // namespace assay::languages::python
