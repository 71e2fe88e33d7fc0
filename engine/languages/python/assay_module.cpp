/// The module `_assay`, from which the libraries are built. Its functions work only when the machine calls them.
#include <algorithm>
#include <array>
#include <unordered_set>

#include "languages/python/call_back.hpp"
#include "languages/python/interpreter.hpp"
#include "languages/python/weak.hpp"

namespace assay::languages::python {
namespace {

enum class Primitive : std::uint8_t {
  kAtomic,
  kBlock,
  kChoose,
  kCurrent,
  kAdopt,
  kStart,
  kPause,
  kBeginAtomic,
  kEndAtomic,
  kAssume,
  kInvariant,
  kFail,
  kWrite,
  kIsSingle,
  kUnsupported,
  kRemark,
  kHandled,
  kObserves,
  kContent,
  kIsUnchanged,
  kOwnAttribute,
  kTraceback,
  kLabel,
  kSetAtoms,
  kParameters,
  kModuleOfCaller,
  kWeak,
  kIdentity,
  kTarget,
  kSettle,
  kIsHeld,
  kModule,
  kGivePlaces,
  kVariables,
  kLacksText,
  kOwnItems,
  kOwnUnchanged,
  kStoreOwn,
  kDeleteOwn
};

PyObject* called_from_outside(PyObject*, PyObject*, PyObject*) {
  PyErr_SetString(PyExc_RuntimeError, "functions of _assay are called directly, not through a built-in");
  return nullptr;
}

struct Entry {
  const char* name;
  std::size_t arguments;
  Primitive primitive;
};

constexpr std::array<Entry, 39> kEntries = {{
    {"atomic", 1, Primitive::kAtomic},
    {"block", 0, Primitive::kBlock},
    {"choose", 1, Primitive::kChoose},
    {"current", 0, Primitive::kCurrent},
    {"adopt", 1, Primitive::kAdopt},
    {"start", 5, Primitive::kStart},
    {"pause", 0, Primitive::kPause},
    {"begin_atomic", 0, Primitive::kBeginAtomic},
    {"end_atomic", 0, Primitive::kEndAtomic},
    {"assume", 1, Primitive::kAssume},
    {"invariant", 2, Primitive::kInvariant},
    {"fail", 2, Primitive::kFail},
    {"write", 1, Primitive::kWrite},
    {"is_single", 0, Primitive::kIsSingle},
    {"unsupported", 1, Primitive::kUnsupported},
    {"observes", 1, Primitive::kObserves},
    {"remark", 1, Primitive::kRemark},
    {"handled", 0, Primitive::kHandled},
    {"content", 2, Primitive::kContent},
    {"is_unchanged", 1, Primitive::kIsUnchanged},
    {"own_attribute", 2, Primitive::kOwnAttribute},
    {"traceback", 0, Primitive::kTraceback},
    {"label", 1, Primitive::kLabel},
    {"set_atoms", 1, Primitive::kSetAtoms},
    {"parameters", 1, Primitive::kParameters},
    {"module_of_caller", 1, Primitive::kModuleOfCaller},
    {"weak", 1, Primitive::kWeak},
    {"identity", 1, Primitive::kIdentity},
    {"target", 1, Primitive::kTarget},
    {"settle", 0, Primitive::kSettle},
    {"is_held", 1, Primitive::kIsHeld},
    {"module", 1, Primitive::kModule},
    {"give_places", 2, Primitive::kGivePlaces},
    {"variables", 1, Primitive::kVariables},
    {"lacks_text", 1, Primitive::kLacksText},
    {"own_items", 1, Primitive::kOwnItems},
    {"own_unchanged", 2, Primitive::kOwnUnchanged},
    {"store_own", 3, Primitive::kStoreOwn},
    {"delete_own", 2, Primitive::kDeleteOwn},
}};

std::array<PyMethodDef, kEntries.size() + 1>& methods() {
  static std::array<PyMethodDef, kEntries.size() + 1> definitions = [] {
    std::array<PyMethodDef, kEntries.size() + 1> made{};
    for (std::size_t i = 0; i < kEntries.size(); ++i) {
      made[i] = {kEntries[i].name,
                 reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(called_from_outside)),
                 METH_VARARGS | METH_KEYWORDS, nullptr};
    }
    return made;
  }();
  return definitions;
}

/// Simple values have no identity of their own in states: those count as the same that are equal.
bool is_same_value(PyObject* one, PyObject* other) {
  if (one == other) return true;
  if (Py_TYPE(one) != Py_TYPE(other)) return false;
  if (!PyLong_CheckExact(one) && !PyFloat_CheckExact(one) && !PyUnicode_CheckExact(one) &&
      !PyBytes_CheckExact(one)) {
    return false;
  }
  return PyObject_RichCompareBool(one, other, Py_EQ) == 1;
}

bool are_same_items(PyObject* now, PyObject* before) {
  if (PyList_GET_SIZE(now) != PyTuple_GET_SIZE(before)) return false;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(now); ++i) {
    for (Py_ssize_t part = 0; part < 2; ++part) {
      PyObject* const one = PyTuple_GET_ITEM(PyList_GET_ITEM(now, i), part);
      if (!is_same_value(one, PyTuple_GET_ITEM(PyTuple_GET_ITEM(before, i), part))) return false;
    }
  }
  return true;
}

}  // namespace

PyObject* assay_module() {
  static PyModuleDef definition = {
      PyModuleDef_HEAD_INIT, "_assay", nullptr, -1, methods().data(), nullptr, nullptr, nullptr, nullptr};
  static PyObject* module = checked(PyModule_Create(&definition)).release();
  return module;
}

namespace {

/// What a function keeps beside its attributes once it was given another one.
const std::unordered_set<std::string>& names_of_functions() {
  static const std::unordered_set<std::string> names = {"__name__",      "__qualname__",    "__module__",
                                                        "__doc__",       "__annotations__", "__defaults__",
                                                        "__kwdefaults__"};
  return names;
}

constexpr std::string_view kShadow = "assay!shadow ";

/// What an entry in the `__dict__` of a function is kept as that the attribute of the same name is not:
/// `f.__dict__["__module__"] = 1` leaves `f.__module__` what it was.
Ref key_of_entry(PyObject* object, PyObject* name) {
  if (!is_function(object) || !names_of_functions().contains(utf8(name))) return Ref::borrow(name);
  return checked(PyUnicode_FromString((std::string(kShadow) + utf8(name)).c_str()));
}

/// The `__dict__` of an object; of a function, a copy without what CPython keeps elsewhere.
Ref own_attributes(PyObject* object) {
  const Ref dict = checked(PyObject_GenericGetDict(object, nullptr));
  if (!is_function(object)) return dict;
  Ref own = checked(PyDict_New());
  PyObject *key = nullptr, *value = nullptr;
  Py_ssize_t position = 0;
  while (PyDict_Next(dict.get(), &position, &key, &value) != 0) {
    const std::string name = text_if_any(key);
    if (names_of_functions().contains(name)) continue;
    const bool is_shadow = name.starts_with(kShadow);
    const Ref shown =
        is_shadow ? checked(PyUnicode_FromString(name.c_str() + kShadow.size())) : Ref::borrow(key);
    if (PyDict_SetItem(own.get(), shown.get(), value) < 0) throw PythonError();
  }
  return own;
}

}  // namespace

std::optional<Step> Interpreter::call_assay(PyObject* callable, Arguments& arguments, Site& site) {
  if (!PyCFunction_Check(callable)) return std::nullopt;
  const PyMethodDef* definition = reinterpret_cast<PyCFunctionObject*>(callable)->m_ml;
  const PyMethodDef* first = methods().data();
  if (definition < first || definition >= first + kEntries.size()) return std::nullopt;
  const Entry& entry = kEntries[static_cast<std::size_t>(definition - first)];
  if (arguments.positional.size() != entry.arguments || !arguments.keywords.empty()) {
    raise(PyExc_TypeError, "_assay.%s takes %zd arguments by position", entry.name,
          static_cast<Py_ssize_t>(entry.arguments));
  }
  const std::vector<Ref>& given = arguments.positional;
  const auto done = [&](Ref value) { return complete(std::move(site), std::move(value)); };
  const auto none = [&] { return done(Ref::borrow(Py_None)); };
  switch (entry.primitive) {
    case Primitive::kAtomic: return done(given[0]);
    case Primitive::kBlock: return stop(Stop::kBlocked);
    case Primitive::kChoose: {
      const long count = PyLong_AsLong(given[0].get());
      if (count == -1 && PyErr_Occurred() != nullptr) throw PythonError();
      if (count < 1 || count > 1'000'000)
        raise(PyExc_ValueError, "expected a choice among 1 to 1000000, got %ld", count);
      return done(checked(PyLong_FromUnsignedLong(world.choose(static_cast<std::uint32_t>(count)))));
    }
    case Primitive::kCurrent: return done(thread.identity ? thread.identity : Ref::borrow(Py_None));
    case Primitive::kAdopt: thread.identity = given[0]; return none();
    case Primitive::kStart: {
      if (thread.atomic == 0 && !world.may_synchronise()) return stop(Stop::kVisible);
      const int daemon = PyObject_IsTrue(given[4].get());
      if (daemon < 0) throw PythonError();
      Thread started = make_thread(world, given[1].get(), given[2].get(), given[3].get());
      started.identity = given[0];
      started.daemon = daemon == 1;
      world.started.push_back({std::move(started)});
      return none();
    }
    case Primitive::kPause:
      if (thread.atomic == 0 && !world.may_synchronise()) return stop(Stop::kVisible);
      return none();
    case Primitive::kBeginAtomic:
      if (thread.atomic == 0 && !world.may_synchronise()) return stop(Stop::kVisible);
      ++thread.atomic;
      return none();
    case Primitive::kEndAtomic:
      if (thread.atomic == 0) raise(PyExc_RuntimeError, "an atomic stretch ends that did not begin");
      --thread.atomic;
      return none();
    case Primitive::kAssume: {
      const int holds = PyObject_IsTrue(given[0].get());
      if (holds < 0) throw PythonError();
      if (holds == 0) {
        world.remark("runs in which this assumption is false were not followed");
        return stop(Stop::kCut);
      }
      return none();
    }
    case Primitive::kInvariant:
      world.add_invariant(given[0], utf8(checked(PyObject_Str(given[1].get())).get()));
      return none();
    case Primitive::kFail: {
      world.failure.kind = utf8(checked(PyObject_Str(given[0].get())).get());
      world.failure.message = utf8(str_of(given[1].get()).get());
      world.failure.exception = Ref();
      world.failure.traceback.clear();
      std::size_t shown = thread.frames.size();
      while (shown > 1 && world.program->modules[thread.frames[shown - 1]->code->module].is_library) --shown;
      for (std::size_t i = 0; i < shown; ++i) {
        const Frame& frame = *thread.frames[i];
        const bool is_top = i + 1 == thread.frames.size();
        world.failure.traceback.emplace_back(frame.code, is_top || frame.pc == 0 ? frame.pc : frame.pc - 1);
      }
      return stop(Stop::kFailed);
    }
    case Primitive::kWrite:
      if (!PyUnicode_Check(given[0].get())) raise(PyExc_TypeError, "expected a text to write");
      if (world.keep_output) world.output += utf8(given[0].get());
      return none();
    case Primitive::kIsSingle: return done(Ref::borrow(world.is_single() ? Py_True : Py_False));
    case Primitive::kHandled: {
      Ref exception = nearest_handled();
      return done(exception ? std::move(exception) : Ref::borrow(Py_None));
    }
    case Primitive::kContent: {
      PyObject* const value = given[0].get();
      if (!world.may_call(&value, 1, nullptr, 0)) return stop(Stop::kVisible);
      const Unwatched unwatched;
      const Ref module = checked(PyImport_ImportModule("assay.languages.python.content"));
      Ref content = Ref::steal(PyObject_CallMethod(module.get(), "content", "(OO)", value, given[1].get()));
      if (!content && PyErr_ExceptionMatches(PyExc_NotImplementedError) != 0) {
        throw Unsupported(utf8(checked(PyObject_Str(take_exception().get())).get()));
      }
      return done(checked(content.release()));
    }
    case Primitive::kIsUnchanged: {
      if (!is_iterator(given[0].get()))
        throw Unsupported("a deque with an __iter__ of its own is looked through");
      auto* const iterator = reinterpret_cast<Iterator*>(given[0].get());
      if (iterator->container != nullptr && !world.may_read(iterator->container)) return stop(Stop::kVisible);
      return done(Ref::borrow(is_stale(iterator, world) ? Py_False : Py_True));
    }
    case Primitive::
        kOwnAttribute: {  // (whether the instance has it in its `__dict__`, the value); None without one
      PyObject* const object = given[0].get();
      if (Py_TYPE(object)->tp_dictoffset == 0) return none();
      if (!world.may_read_attribute(object, given[1].get())) return stop(Stop::kVisible);
      const Ref dict = own_attributes(object);
      PyObject* const value = PyDict_GetItemWithError(dict.get(), given[1].get());
      if (value == nullptr && PyErr_Occurred() != nullptr) throw PythonError();
      return done(checked(
          PyTuple_Pack(2, value == nullptr ? Py_False : Py_True, value == nullptr ? Py_None : value)));
    }
    case Primitive::kTraceback: return done(Ref::borrow(opaque_traceback()));
    case Primitive::kLabel:
      if (!PyUnicode_Check(given[0].get())) raise(PyExc_TypeError, "expected a text as the name of a label");
      if (!world.may_pass_label(utf8(given[0].get()))) return stop(Stop::kVisible);
      return none();
    case Primitive::kSetAtoms: {
      std::vector<Ref> functions;
      for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(given[0].get()); ++i)
        functions.push_back(Ref::borrow(PyTuple_GET_ITEM(given[0].get(), i)));
      world.set_atoms(functions);
      return none();
    }
    case Primitive::kParameters: {
      if (!is_function(given[0].get())) raise(PyExc_TypeError, "expected a function of the program");
      const auto* const function = reinterpret_cast<Function*>(given[0].get());
      world.used(given[0].get());
      const Code& code = *function->code;
      const std::size_t count =
          code.positional + code.keyword_only + (code.varargs ? 1 : 0) + (code.varkw ? 1 : 0);
      Ref names = checked(PyTuple_New(static_cast<Py_ssize_t>(count)));
      for (std::size_t i = 0; i < count; ++i)
        PyTuple_SET_ITEM(names.get(), static_cast<Py_ssize_t>(i), Py_NewRef(code.local_names[i].get()));
      const Ref defaults =
          function->defaults != nullptr ? Ref::borrow(function->defaults) : checked(PyTuple_New(0));
      const Ref by_keyword = function->keyword_defaults != nullptr
                                 ? checked(PyDict_Copy(function->keyword_defaults))
                                 : checked(PyDict_New());
      return done(checked(Py_BuildValue("(OIIIIIIIOOI)", names.get(), code.positional_only, code.positional,
                                        code.keyword_only, code.varargs ? 1u : 0u, code.varkw ? 1u : 0u,
                                        code.generator && !code.is_coroutine ? 1u : 0u,
                                        code.is_coroutine ? (code.generator ? 2u : 1u) : 0u, defaults.get(),
                                        by_keyword.get(), code.is_annotated ? 1u : 0u)));
    }
    case Primitive::kModuleOfCaller: {  // counted from the function that calls the library's
      const long depth = PyLong_AsLong(given[0].get());
      if (depth == -1 && PyErr_Occurred() != nullptr) throw PythonError();
      const std::size_t above = static_cast<std::size_t>(depth) + 2;
      if (depth < 0 || above > thread.frames.size()) raise(PyExc_ValueError, "call stack is not deep enough");
      const Code* const code = thread.frames[thread.frames.size() - above]->code;
      return done(checked(PyUnicode_FromString(world.program->modules[code->module].name.c_str())));
    }
    case Primitive::kWeak: return done(new_weak(given[0].get(), false));
    case Primitive::kIdentity: return done(new_weak(given[0].get(), true));
    case Primitive::kTarget:
      if (!is_weak(given[0].get())) raise(PyExc_TypeError, "expected a weak reference");
      return done(Ref::borrow(object_of_weak(given[0].get())));
    case Primitive::kModule: {  // of the program, if its body has begun
      if (!PyUnicode_Check(given[0].get())) return none();
      const std::string name = utf8(given[0].get());
      const auto& modules = world.program->modules;
      for (std::uint32_t index = 0; index < modules.size(); ++index) {
        if (modules[index].name != name) continue;
        if (!world.may_import(index)) return stop(Stop::kVisible);
        if (!world.module_started[index]) return none();
        return done(world.module_objects[index]);
      }
      return done(Ref::borrow(Py_NotImplemented));  // the library knows whether it could be imported at all
    }
    case Primitive::kGivePlaces: {  // for variables of a module, all at once
      if (!is_module(given[0].get())) raise(PyExc_TypeError, "expected a module of the program");
      const Module& module = world.program->modules[reinterpret_cast<ModuleObject*>(given[0].get())->module];
      std::string lacking;
      for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(given[1].get()); ++i) {
        const std::string name = text_if_any(PyTuple_GET_ITEM(given[1].get(), i));
        if (!module.global_index.contains(name)) lacking += (lacking.empty() ? "" : ",") + name;
      }
      if (lacking.empty()) return none();
      if (!world.is_beginning() || module.is_library)
        throw Unsupported("the program gives the module " + module.name + " new attributes, " + lacking);
      world.observes("global " + module.name + ":" + lacking);
      return none();
    }
    case Primitive::kLacksText:
      world.lacking_texts.push_back(utf8(checked(PyObject_Str(given[0].get())).get()));
      return none();
    case Primitive::kVariables: {  // of a module, as pairs of name and value, in the order of CPython
      if (!is_module(given[0].get())) raise(PyExc_TypeError, "expected a module of the program");
      const auto number = reinterpret_cast<ModuleObject*>(given[0].get())->module;
      const Module& module = world.program->modules[number];
      if (!world.is_beginning() || module.is_library) {
        throw Unsupported("all variables of the module " + module.name +
                          " are asked for, in an order that no state tells; name them");
      }
      for (std::uint32_t i = 0; i < module.global_names.size(); ++i) {
        if (!world.may_read_global(module.first_global + i)) return stop(Stop::kVisible);
      }
      const Ref pairs = checked(PyList_New(0));
      for (const std::uint32_t global : world.stored) {
        const std::uint32_t place = global - module.first_global;
        if (global < module.first_global || place >= module.global_names.size() || !world.globals[global])
          continue;
        const Ref pair =
            checked(PyTuple_Pack(2, module.global_names[place].get(), world.globals[global].get()));
        if (PyList_Append(pairs.get(), pair.get()) != 0) throw PythonError();
      }
      return done(checked(PyTuple_Pack(2, module.is_annotated ? Py_True : Py_False,
                                       checked(PyList_AsTuple(pairs.get())).get())));
    }
    case Primitive::kIsHeld:
      if (!is_weak(given[0].get())) raise(PyExc_TypeError, "expected a weak reference");
      return done(Ref::borrow(world.is_held(object_of_weak(given[0].get())) ? Py_True : Py_False));
    case Primitive::kSettle:  // what follows happens in a state that was looked at
      if (world.has_just_begun()) return none();
      return settle("a weak reference is followed",
                    "follow it before, and keep what it leads to in a variable");
    case Primitive::kOwnItems: {
      PyObject* const object = given[0].get();
      if (!world.may_read(object)) return stop(Stop::kVisible);
      const Ref items = checked(PyDict_Items(own_attributes(object).get()));
      return done(checked(PyList_AsTuple(items.get())));
    }
    case Primitive::kOwnUnchanged: {  // whether the attributes are still what kOwnItems gave
      PyObject* const object = given[0].get();
      if (!world.may_read(object)) return stop(Stop::kVisible);
      const Ref now = checked(PyDict_Items(own_attributes(object).get()));
      return done(Ref::borrow(are_same_items(now.get(), given[1].get()) ? Py_True : Py_False));
    }
    case Primitive::kStoreOwn:
    case Primitive::kDeleteOwn: {
      PyObject* const object = given[0].get();
      PyObject* const name = given[1].get();
      const bool stores = entry.primitive == Primitive::kStoreOwn;
      if (!PyUnicode_CheckExact(name))
        throw Unsupported("a key of a __dict__ that is no text is not modelled");
      if (is_function(object) && !world.is_single())
        throw Unsupported("the __dict__ of a function gets or loses " + utf8(name) + "; use setattr");
      if (world.is_closed(object))
        throw Unsupported("states have no place for " + utf8(name) + " in this object");
      if (!world.may_write_attribute(object, name)) return stop(Stop::kVisible);
      const Ref dict = checked(PyObject_GenericGetDict(object, nullptr));
      const Ref key = key_of_entry(object, name);
      const int status = stores ? PyDict_SetItem(dict.get(), key.get(), given[2].get())
                                : PyDict_DelItem(dict.get(), key.get());
      if (status < 0) throw PythonError();
      return none();
    }
    case Primitive::kRemark: world.remark(utf8(str_of(given[0].get()).get())); return none();
    case Primitive::kUnsupported:
      throw Unsupported(PyUnicode_Check(given[0].get()) ? utf8(given[0].get())
                                                        : std::string("a library says no"));
    case Primitive::kObserves:
      world.observes(utf8(checked(PyObject_Str(given[0].get())).get()));
      return none();
  }
  return std::nullopt;
}

}  // namespace assay::languages::python
