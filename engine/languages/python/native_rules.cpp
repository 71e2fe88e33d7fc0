#include "languages/python/native_rules.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "languages/python/addresses.hpp"

namespace assay::languages::python {
namespace {

/// `super().__call__(...)` in a metaclass.
std::optional<Step> make_instance(Interpreter& interpreter, NativeCall& call) {
  if (!call.has_receiver() || !PyType_Check(call.receiver) ||
      !is_program_type(reinterpret_cast<PyTypeObject*>(call.receiver)) || call.site.mode != Return::kPush) {
    return std::nullopt;
  }
  const Ref type = Ref::borrow(call.receiver);
  auto& positional = call.arguments.positional;
  positional.erase(positional.begin(), positional.begin() + static_cast<std::ptrdiff_t>(call.skipped));
  return interpreter.instantiate(reinterpret_cast<PyTypeObject*>(type.get()), std::move(call.arguments),
                                 std::move(call.site));
}

std::optional<Step> note_hash(Interpreter&, NativeCall& call) {
  if (call.has_receiver() && !is_plain(call.receiver)) note_hash_method(call.callable, call.receiver);
  return std::nullopt;
}

/// `operator.is_` and `is_not`.
std::optional<Step> compare_identity(Interpreter& interpreter, NativeCall& call) {
  if (call.arguments.positional.size() != 2) return std::nullopt;
  const bool same = is_same(call.arguments.positional[0].get(), call.arguments.positional[1].get());
  return interpreter.complete(std::move(call.site),
                              Ref::borrow(same == (call.name == "is_") ? Py_True : Py_False));
}

/// `copy.copy` of a container: a function in Python that calls the method `copy`, which is one piece.
std::optional<Step> copy_container(Interpreter& interpreter, NativeCall& call) {
  if (call.arguments.positional.size() != 1 || !call.arguments.keywords.empty()) return std::nullopt;
  PyObject* const original = call.arguments.positional[0].get();
  if (!PyList_CheckExact(original) && !PyDict_CheckExact(original) && !PySet_CheckExact(original) &&
      !PyByteArray_CheckExact(original)) {
    return std::nullopt;
  }
  World& world = interpreter.world;
  world.poll();
  if (!world.may_read_item(original, nullptr)) return interpreter.stop(Stop::kVisible);
  Ref copy = checked(PyObject_CallMethod(original, "copy", nullptr));
  world.poll();
  return interpreter.complete(std::move(call.site), std::move(copy));
}

std::optional<Step> refuse_length_hint(Interpreter&, NativeCall& call) {
  const auto& positional = call.arguments.positional;
  if (positional.size() == 1 && !container_name(positional[0].get()).empty()) return std::nullopt;
  throw Unsupported("operator.length_hint() is not modelled; use len()");
}

/// `namedtuple` would look who calls, which is the machine.
std::optional<Step> tell_module(Interpreter& interpreter, NativeCall& call) {
  auto& keywords = call.arguments.keywords;
  const bool is_told = std::any_of(keywords.begin(), keywords.end(),
                                   [](const auto& keyword) { return utf8(keyword.first.get()) == "module"; });
  if (is_told) return std::nullopt;
  const std::string& module = interpreter.world.program->modules[interpreter.top().code->module].name;
  keywords.emplace_back(Ref::borrow(interned("module")), checked(PyUnicode_FromString(module.c_str())));
  return std::nullopt;
}

/// What CPython keeps for the whole process, and no state has.
std::optional<Step> refuse_registration(Interpreter&, NativeCall& call) {
  throw Unsupported("codecs." + call.name + "() is not modelled; call the functions themselves");
}

PyObject* refuse_handler(PyObject*, PyObject*) {
  return guarded(
      []() -> PyObject* {
        throw Unsupported(
            "a handler of encoding errors that the program registered is called, which is not modelled");
      },
      static_cast<PyObject*>(nullptr));
}

PyObject* refuse_search(PyObject*, PyObject*) {
  return guarded(
      []() -> PyObject* {
        throw Unsupported(
            "an encoding that CPython has not is looked for among those that the program registered");
      },
      static_cast<PyObject*>(nullptr));
}

/// `codecs.register`: whoever comes to what is registered is refused.
std::optional<Step> register_search(Interpreter& interpreter, NativeCall& call) {
  static PyMethodDef definition = {"search", refuse_search, METH_O, nullptr};
  static const bool is_registered =
      PyCodec_Register(checked(PyCFunction_New(&definition, nullptr)).get()) == 0;
  if (!is_registered || call.arguments.positional.size() != 1) return refuse_registration(interpreter, call);
  return interpreter.complete(std::move(call.site), Ref::borrow(Py_None));
}

/// `codecs.register_error`: whoever comes to the handler is refused.
std::optional<Step> register_handler(Interpreter& interpreter, NativeCall& call) {
  static PyMethodDef definition = {"handler", refuse_handler, METH_O, nullptr};
  const auto& positional = call.arguments.positional;
  if (positional.size() != 2 || !PyUnicode_Check(positional[0].get()) || !call.arguments.keywords.empty())
    return refuse_registration(interpreter, call);
  const std::string name = utf8(positional[0].get());
  const Ref known = Ref::steal(PyCodec_LookupError(name.c_str()));
  if (!known) PyErr_Clear();
  const bool is_ours = known && PyCFunction_Check(known.get()) &&
                       reinterpret_cast<PyCFunctionObject*>(known.get())->m_ml == &definition;
  if (known && !is_ours) return refuse_registration(interpreter, call);  // one of CPython's own
  if (!known &&
      PyCodec_RegisterError(name.c_str(), checked(PyCFunction_New(&definition, nullptr)).get()) != 0)
    throw PythonError();
  return interpreter.complete(std::move(call.site), Ref::borrow(Py_None));
}

std::optional<Step> refuse_late_subclass(Interpreter& interpreter, NativeCall& call) {
  if (call.module == "_codecs") return register_search(interpreter, call);
  if (call.module != "abc" && call.module != "_abc") return std::nullopt;
  if (interpreter.world.is_beginning()) return std::nullopt;
  throw Unsupported(
      "an abstract class gets a subclass that no state tells of; register it before threads start and "
      "before choices are made");
}

std::optional<Step> keep_opaque_traceback(Interpreter& interpreter, NativeCall& call) {
  if (!call.is_bound() || call.arguments.positional.size() != 1 ||
      call.arguments.positional[0].get() != opaque_traceback()) {
    return std::nullopt;
  }
  return interpreter.complete(std::move(call.site), Ref::borrow(call.receiver));
}

/// `dataclass` stores methods in the class.
std::optional<Step> write_methods(Interpreter& interpreter, NativeCall& call) {
  for (const Ref& argument : call.arguments.positional) {
    if (!PyType_Check(argument.get())) continue;
    if (!interpreter.world.is_single())
      throw Unsupported(
          "a class becomes a dataclass while several threads run; decorate it where it is made");
    if (!interpreter.world.may_write_attribute(argument.get(), interned("__init__")))
      return interpreter.stop(Stop::kVisible);
  }
  return std::nullopt;
}

/// `type.__setattr__`, or what `super().__setattr__` of a metaclass is.
bool is_setter_of_types(PyObject* callable) {
  if (callable == _PyType_Lookup(&PyType_Type, interned("__setattr__"))) return true;
  if (Py_TYPE(callable) != &_PyMethodWrapper_Type) return false;
  const Ref home = checked(PyObject_GetAttrString(callable, "__objclass__"));
  return home.get() == reinterpret_cast<PyObject*>(&PyType_Type);
}

/// `type.__setattr__(cls, name, value)` in a metaclass, while there is one thread.
bool stores_in_class(Interpreter& interpreter, const NativeCall& call) {
  const auto& positional = call.arguments.positional;
  return call.name == "__setattr__" && PyType_Check(call.receiver) && call.arguments.keywords.empty() &&
         is_program_type(reinterpret_cast<PyTypeObject*>(call.receiver)) &&
         positional.size() == call.skipped + 2 && PyUnicode_CheckExact(positional[call.skipped].get()) &&
         is_setter_of_types(call.callable) && interpreter.world.is_single();
}

std::optional<Step> refuse_setter_of_class(Interpreter& interpreter, NativeCall& call) {
  if (!call.has_receiver() ||
      (!PyType_Check(call.receiver) && !is_function(call.receiver) && !PyCell_Check(call.receiver))) {
    return std::nullopt;
  }
  if (stores_in_class(interpreter, call)) {
    PyObject* const name = call.arguments.positional[call.skipped].get();
    if (!interpreter.world.may_write_attribute(call.receiver, name)) return interpreter.stop(Stop::kVisible);
    if (PyType_Type.tp_setattro(call.receiver, name, call.arguments.positional[call.skipped + 1].get()) != 0)
      throw PythonError();
    return interpreter.complete(std::move(call.site), Ref::borrow(Py_None));
  }
  throw Unsupported("the built-in " + call.name + " of a class or function; use setattr");
}

/// States have views of bytes that were not released, one for all that are equal: only what no state has is released.
std::optional<Step> refuse_release(Interpreter& interpreter, NativeCall& call) {
  if (call.has_receiver() && PyMemoryView_Check(call.receiver) &&
      interpreter.world.is_kept_view(call.receiver)) {
    throw Unsupported(
        "a memoryview is released that was kept, which is not modelled; let it go out of use, or make and "
        "release it without a look at what other threads can reach in between");
  }
  return std::nullopt;
}

}  // namespace

const NativeRule* rule_of(const NativeCall& call) {
  static const std::unordered_map<std::string_view, NativeRule> rules = {
      {"__call__", {.module = nullptr, .first = make_instance}},
      {"__hash__", {.module = nullptr, .first = note_hash}},
      {"is_", {.module = "_operator", .first = compare_identity}},
      {"is_not", {.module = "_operator", .first = compare_identity}},
      {"copy", {.module = "copy", .first = copy_container}},
      {"length_hint", {.module = "_operator", .first = refuse_length_hint}},
      {"namedtuple", {.module = "collections", .last = tell_module}},
      {"register", {.module = nullptr, .last = refuse_late_subclass}},
      {"unregister", {.module = "_codecs", .first = refuse_registration}},
      {"register_error", {.module = "_codecs", .first = register_handler}},
      {"lookup_error", {.module = "_codecs", .first = refuse_registration}},
      {"_abc_register", {.module = "_abc", .last = refuse_late_subclass}},
      {"release", {.module = nullptr, .first = refuse_release}},
      {"__exit__", {.module = nullptr, .first = refuse_release}},
      {"with_traceback", {.module = nullptr, .last = keep_opaque_traceback}},
      {"wrap", {.module = "dataclasses", .last = write_methods}},
      {"dataclass", {.module = "dataclasses", .last = write_methods}},
      {"__setattr__", {.module = nullptr, .last = refuse_setter_of_class}},
      {"__delattr__", {.module = nullptr, .last = refuse_setter_of_class}},
  };
  const auto found = rules.find(call.name);
  if (found == rules.end()) return nullptr;
  const NativeRule& rule = found->second;
  return rule.module == nullptr || call.module == rule.module ? &rule : nullptr;
}

}  // namespace assay::languages::python
