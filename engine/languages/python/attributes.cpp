/// Attributes: lookup as CPython does it, with the program's own getters, setters and hooks entered as frames.
#include <algorithm>
#include <string_view>

#include "languages/python/class_facts.hpp"

#include "languages/python/absent.hpp"
#include "languages/python/call_back.hpp"
#include "languages/python/interpreter.hpp"
#include "languages/python/stand_ins.hpp"

namespace assay::languages::python {
namespace {

bool is_data_descriptor(PyObject* object) { return Py_TYPE(object)->tp_descr_set != nullptr; }

Ref dict_of(PyTypeObject* type) {
#if PY_VERSION_HEX >= 0x030c0000
  return Ref::steal(PyType_GetDict(type));
#else
  return Ref::borrow(type->tp_dict);
#endif
}

/// Asks for a name in a class and in those before which it is looked for there: each of them may get it meanwhile.
/// Methods are never stored while several threads run, so one whose name nobody stores needs no question. A
/// descriptor that the program made is an object of the state, which the class says where to find.
bool may_look_up(World& world, PyTypeObject* type, PyObject* name, PyObject* found) {
  if (!is_program_type(type)) return true;
  if (found != nullptr && Py_TYPE(found)->tp_descr_get != nullptr && !is_program_type(Py_TYPE(found))) {
    const int is_final = PySet_Contains(world.program->final_attributes.get(), name);
    if (is_final < 0) throw PythonError();
    if (is_final == 1) return true;
  }
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(type->tp_mro); ++i) {
    PyObject* const base = PyTuple_GET_ITEM(type->tp_mro, i);
    if (is_program_type(reinterpret_cast<PyTypeObject*>(base)) && !world.may_read_attribute(base, name))
      return false;
    const Ref dict = dict_of(reinterpret_cast<PyTypeObject*>(base));
    const int is_here = dict ? PyDict_Contains(dict.get(), name) : 0;
    if (is_here < 0) throw PythonError();
    if (is_here == 1) return true;
  }
  return true;
}

/// Methods and what CPython keeps for itself are no part of a state; replacing them would be seen in all states.
void refuse_method(PyObject* type, PyObject* name, PyObject* value) {
  const Ref dict = dict_of(reinterpret_cast<PyTypeObject*>(type));
  PyObject* const before = dict ? PyDict_GetItemWithError(dict.get(), name) : nullptr;
  if (PyErr_Occurred() != nullptr) throw PythonError();
  const bool is_method = value != nullptr && Classes::role(name, value) != Entry::kData;
  const bool was_method = before != nullptr && Classes::role(name, before) != Entry::kData;
  if (is_method || was_method) {
    throw Unsupported(std::string("the method ") + utf8(name) + " of the class " +
                      reinterpret_cast<PyTypeObject*>(type)->tp_name +
                      " is replaced while several threads run; do it before they start");
  }
}

/// What the machinery of CPython gives to modules, besides what the compiler stores in each of them.
bool is_given_by_import(const std::string& name) {
  return name == "__spec__" || name == "__loader__" || name == "__cached__" || name == "__path__" ||
         name == "__builtins__";
}

/// Defaults for parameters that a function has not: they can be looked at, and change no call.
bool is_without_effect(PyObject* function, PyObject* name) {
  const Code& code = *reinterpret_cast<Function*>(function)->code;
  return (name == interned("__defaults__") && code.positional == 0) ||
         (name == interned("__kwdefaults__") && code.keyword_only == 0);
}

/// Whether nobody can change it, nor tell it from another one that is equal.
bool is_constant(PyObject* value) {
  if (PyTuple_CheckExact(value)) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(value); ++i) {
      if (!is_constant(PyTuple_GET_ITEM(value, i))) return false;
    }
    return true;
  }
  return value == Py_None || PyBool_Check(value) || PyLong_CheckExact(value) || PyFloat_CheckExact(value) ||
         PyUnicode_CheckExact(value) || PyBytes_CheckExact(value);
}

/// `Point.__new__.__defaults__ = ...`: the class is made by the program, which does this again wherever it begins.
bool are_defaults_of_named_tuple(const World& world, PyObject* object, PyObject* name, PyObject* value) {
  if (!PyFunction_Check(object) || name != interned("__defaults__") || value == nullptr) return false;
  if (!world.is_beginning() || !is_constant(value)) return false;
  PyObject* const home = PyDict_GetItemString(PyFunction_GET_GLOBALS(object), "__name__");
  return home != nullptr && text_if_any(home).starts_with("namedtuple_");
}

/// What a store would change although no state tells it.
void refuse_hidden(World& world, PyObject* object, PyObject* name, PyObject* value) {
  if (PyModule_Check(object)) {
    throw Unsupported("the program stores " + utf8(name) +
                      " in a module of CPython, which is no part of a state");
  }
  if (is_function(object) && !is_without_effect(object, name) &&
      (name == interned("__defaults__") || name == interned("__kwdefaults__") ||
       name == interned("__code__") || name == interned("__closure__"))) {
    throw Unsupported("the program changes " + utf8(name) + " of a function; make another function");
  }
  if (are_defaults_of_named_tuple(world, object, name, value)) return;
  if (world.is_closed(object)) {
    throw Unsupported(
        std::string("the program stores ") + utf8(name) + " in a " + Py_TYPE(object)->tp_name +
        " that states have no place for it in; store it before threads start, or in a dict beside it");
  }
  if (PyCell_Check(object)) throw Unsupported("a variable is stored through its cell; use nonlocal");
  if (PyUnicode_CompareWithASCIIString(name, "__class__") == 0) {
    throw Unsupported("an object changes its class while the program runs");
  }
  if (is_function(object) && reinterpret_cast<Function*>(object)->code->is_made_once && !world.is_single()) {
    PyObject* const attributes = reinterpret_cast<Function*>(object)->attributes;
    const bool has_some = attributes != nullptr && !holds_only_annotations(attributes);
    if (!has_some || value == nullptr || utf8(name).starts_with("__")) {
      throw Unsupported("the function gets its first attribute, " + utf8(name) +
                        ", or loses one, while several threads run; give it a value before they start");
    }
  }
  if (PyExceptionInstance_Check(object)) {
    PyObject* const found = lookup(Py_TYPE(object), name);
    const bool is_field = found != nullptr &&
                          (Py_TYPE(found) == &PyMemberDescr_Type || Py_TYPE(found) == &PyGetSetDescr_Type) &&
                          !is_program_type(PyDescr_TYPE(found));
    if (is_field && !utf8(name).starts_with("__") && utf8(name) != "args") {
      throw Unsupported("the field " + utf8(name) +
                        " of an exception is changed; make a new exception instead");
    }
  }
}

/// A container that CPython keeps for itself and hands out all the same: what is done to it would be seen in all states.
void refuse_hidden_content(World& world, const Frame& frame, PyObject* holder, PyObject* name,
                           PyObject* value) {
  if (world.program->modules[frame.code->module].is_library || !world.is_hidden(value)) return;
  const std::string where = PyModule_Check(holder) ? PyModule_GetName(holder)
                            : is_module(holder)    ? "a module"
                                                   : utf8(repr_of(holder).get());
  throw Unsupported(utf8(name) + " of " + where + " is a " + Py_TYPE(value)->tp_name +
                    " that is no part of a state; keep one of your own");
}

bool is_container(PyObject* value) {
  return PyList_Check(value) || PyDict_Check(value) || PyAnySet_Check(value) || PyByteArray_Check(value);
}

/// An assumption: that nobody asks for annotations.
constexpr const char* kNoAnnotations = "annotations that nobody looks at";

bool is_field_of_dataclass(PyTypeObject* type) {
  static PyObject* const field = [] {
    const Ref module = checked(PyImport_ImportModule("dataclasses"));
    return checked(PyObject_GetAttrString(module.get(), "Field")).release();
  }();
  return reinterpret_cast<PyObject*>(type) == field;
}

/// Those of its own, as a tuple of names and values in turn.
Ref annotations_of_class(PyObject* type) {
  const Ref dict = dict_of(reinterpret_cast<PyTypeObject*>(type));
  PyObject* const own = PyDict_GetItemWithError(dict.get(), interned("__annotations__"));
  if (own == nullptr && PyErr_Occurred() != nullptr) throw PythonError();
  const Ref parts = checked(PyList_New(0));
  PyObject *key = nullptr, *value = nullptr;
  Py_ssize_t position = 0;
  while (own != nullptr && PyDict_Check(own) && PyDict_Next(own, &position, &key, &value)) {
    if (PyList_Append(parts.get(), key) != 0 || PyList_Append(parts.get(), value) != 0) throw PythonError();
  }
  return checked(PyList_AsTuple(parts.get()));
}

bool is_enumeration(PyTypeObject* type) {
  static PyObject* const meta = [] {
    const Ref module = checked(PyImport_ImportModule("enum"));
    return checked(PyObject_GetAttrString(module.get(), "EnumMeta")).release();
  }();
  return PyObject_TypeCheck(reinterpret_cast<PyObject*>(type), reinterpret_cast<PyTypeObject*>(meta)) != 0;
}

/// What an enumeration knows its members by, to be looked at: it never changes. (Flags get more.)
Ref members_of_enumeration(PyObject* holder, PyObject* name, PyObject* value) {
  const bool is_map = name == interned("_value2member_map_") || name == interned("_member_map_");
  if (!is_map || !PyType_Check(holder) || !PyDict_Check(value)) return {};
  static PyObject* const flag = [] {
    const Ref module = checked(PyImport_ImportModule("enum"));
    return checked(PyObject_GetAttrString(module.get(), "Flag")).release();
  }();
  auto* const type = reinterpret_cast<PyTypeObject*>(holder);
  if (!is_enumeration(type) || PyType_IsSubtype(type, reinterpret_cast<PyTypeObject*>(flag)) != 0) return {};
  const Ref copy = checked(PyDict_Copy(value));
  return checked(PyDictProxy_New(copy.get()));
}

/// Whether objects of CPython that a class of our library stands for let nobody store the attribute. Such a class says
/// which those are: `_stored_in_c`, empty for all.
bool is_written_in_c(PyTypeObject* type, PyObject* name) {
  if (!is_program_type(type)) return false;
  PyObject* const names = lookup(type, interned("_stored_in_c"));
  if (names == nullptr || !PyTuple_Check(names)) return false;
  if (PyTuple_GET_SIZE(names) == 0)  // instances of a subclass have attributes of their own
    return PyDict_GetItemWithError(dict_of(type).get(), interned("_stored_in_c")) != nullptr;
  const int is_one = PySequence_Contains(names, name);
  if (is_one < 0) throw PythonError();
  return is_one == 1;
}

/// A part of a property if the program wrote it as a function; else null.
Ref property_part(PyObject* descriptor, const char* part) {
  if (!PyObject_TypeCheck(descriptor, &PyProperty_Type)) return {};
  Ref function = checked(PyObject_GetAttrString(descriptor, part));
  return is_function(function.get()) ? function : Ref();
}

/// The hook that the type defines as a function of the program.
PyObject* hook(PyTypeObject* type, const char* name) {
  if (!is_program_type(type)) return nullptr;
  PyObject* found = lookup(type, interned(name));
  return found != nullptr && is_function(found) ? found : nullptr;
}

/// The value in the instance's own dict, null if there is none.
Ref own_value(PyObject* object, PyObject* name) {
  if (Py_TYPE(object)->tp_dictoffset == 0) return {};
  const Ref dict = checked(PyObject_GenericGetDict(object, nullptr));
  PyObject* value = PyDict_GetItemWithError(dict.get(), name);
  if (value == nullptr && PyErr_Occurred() != nullptr) throw PythonError();
  return Ref::borrow(value);
}

}  // namespace

bool exists_in_cpython(const std::string& module, const std::string& path, PyObject* name) {
  const Unwatched unwatched;  // the question is ours, not the program's
  const Ref reality = checked(PyImport_ImportModule("assay.languages.python.reality"));
  return checked(PyObject_CallMethod(reality.get(), "has", "ssO", module.c_str(), path.c_str(), name))
             .get() == Py_True;
}

Ref Interpreter::missing_part(PyObject* object, PyObject* name) const {
  const auto refuse = [&](const std::string& what) {
    throw Unsupported(what + " is not modelled; leave it out, or put something of your own in its place");
  };
  const std::string word = utf8(name);
  if (is_function(object) || PyMethod_Check(object)) {
    if (exists_in_cpython("types", PyMethod_Check(object) ? "MethodType" : "FunctionType", name) ||
        exists_in_cpython("types", "FunctionType", name)) {
      refuse(word + " of a function");
    }
    return {};
  }
  if (is_generator(object)) {
    if (exists_in_cpython("types", "GeneratorType", name)) refuse(word + " of a generator");
    return {};
  }
  if (is_iterator(object)) {
    if (exists_in_cpython("assay.languages.python.reality", "list_iterator", name))
      refuse(word + " of an iterator");
    return {};
  }
  PyTypeObject* const type = PyType_Check(object) ? reinterpret_cast<PyTypeObject*>(object) : Py_TYPE(object);
  for (Py_ssize_t i = 0; type->tp_mro != nullptr && i < PyTuple_GET_SIZE(type->tp_mro); ++i) {
    PyObject* const base = PyTuple_GET_ITEM(type->tp_mro, i);
    const Ref home = home_of(reinterpret_cast<PyTypeObject*>(base));
    const Ref path = Ref::steal(PyObject_GetAttrString(base, "__qualname__"));
    PyErr_Clear();
    if (!home || !path) continue;
    const std::string module = utf8(home.get());
    for (const Module& candidate : world.program->modules) {
      if (!candidate.is_library || candidate.name != module) continue;
      if (!exists_in_cpython(module, utf8(path.get()), name)) continue;
      // A class may be asked for it: what stands for it is refused where it is used.
      if (PyType_Check(object) && utf8(path.get()).find('.') == std::string::npos && !word.starts_with("__"))
        return checked(PyObject_GetAttr(part_of_cpython(module, path.get()).get(), name));
      refuse(module + "." + utf8(path.get()) + "." + word);
    }
  }
  return {};
}

static bool has_threads(const Program& program) {
  return std::any_of(program.modules.begin(), program.modules.end(),
                     [](const Module& m) { return m.name == "_thread"; });
}

Ref Interpreter::getter_of_module(std::uint32_t number, bool* is_asked) {
  const Module& module = world.program->modules[number];
  const auto found = module.global_index.find("__getattr__");
  if (found == module.global_index.end()) return {};
  *is_asked = world.may_read_global(module.first_global + found->second);
  return *is_asked ? world.globals[module.first_global + found->second] : Ref();
}

/// CPython takes it from the dict that the text was run with.
void Interpreter::refuse_module_of_text(PyObject* object, PyObject* name) const {
  if (name != interned("__module__") || !(is_function(object) || PyMethod_Check(object))) return;
  if (world.program->modules[top().code->module].is_library) return;
  const Ref module = checked(PyObject_GetAttr(object, name));
  if (PyUnicode_Check(module.get()) && utf8(module.get()) == "_texts")
    throw Unsupported("the __module__ of a function of a text is not modelled; leave it out");
}

Step Interpreter::load_attribute(PyObject* object, PyObject* name, Site site, PyObject* question) {
  refuse_attribute_of_stand_in(object, name, question);
  refuse_module_of_text(object, name);
  Site kept = PyType_Check(object) ? site : Site();
  try {
    return load_existing_attribute(object, name, std::move(site));
  } catch (const PythonError&) {
    if (interruption_pending() || PyErr_ExceptionMatches(PyExc_AttributeError) == 0) throw;
    // What CPython has and the machine lacks is our gap, not the program's mistake.
    const Ref exception = take_exception();
    if (Ref part = missing_part(object, name)) return complete(std::move(kept), std::move(part));
    give_exception(exception);
    throw;
  }
}

/// `typing_extensions` gives defaults to variables of types, which those of CPython do not have before 3.13.
static void refuse_default_of_variable(const World& world, PyObject* object, PyObject* name) {
  if (std::string_view(Py_TYPE(object)->tp_name) != "TypeVar") return;
  if (utf8(name) != "__default__" && utf8(name) != "has_default") return;
  const std::vector<Module>& modules = world.program->modules;
  if (std::any_of(modules.begin(), modules.end(), [](const Module& module) {
        return module.is_library && module.name == "typing_extensions";
      })) {
    throw Unsupported("the default of a TypeVar is not modelled; leave it out");
  }
}

Step Interpreter::load_existing_attribute(PyObject* object, PyObject* name, Site site) {
  PyTypeObject* type = Py_TYPE(object);
  refuse_default_of_variable(world, object, name);
  if (is_module(object)) {
    const std::uint32_t number = reinterpret_cast<ModuleObject*>(object)->module;
    const Module& module = world.program->modules[number];
    const auto found = module.global_index.find(utf8(name));
    if (found != module.global_index.end()) {
      if (!world.may_read_global(module.first_global + found->second)) return stop(Stop::kVisible);
    }
    const bool is_there =
        found != module.global_index.end() && world.globals[module.first_global + found->second];
    const bool is_dict_of_built_ins = name == interned("__dict__") && module.name == "builtins";
    if (!is_there && module.is_library && !is_dict_of_built_ins && exists_in_cpython(module.name, "", name)) {
      return complete(std::move(site), part_of_cpython(module.name, name));
    }
    if (!is_there && !utf8(name).starts_with("__")) {
      bool is_asked = true;
      if (const Ref getter = getter_of_module(number, &is_asked); getter || !is_asked) {
        if (!is_asked) return stop(Stop::kVisible);
        return call_function(getter.get(), {.positional = {Ref::borrow(name)}, .keywords = {}},
                             std::move(site));
      }
    }
    if (!is_there && !module.is_library && name == interned("__package__")) {
      const bool is_package = module.file.ends_with("__init__.py");
      const std::size_t dot = module.name.rfind('.');
      const std::string package = is_package                 ? module.name
                                  : dot == std::string::npos ? ""
                                                             : module.name.substr(0, dot);
      return complete(std::move(site), checked(PyUnicode_FromString(package.c_str())));
    }
    if (!is_there && !module.is_library && !is_library_frame() && is_given_by_import(utf8(name))) {
      Arguments arguments;
      arguments.positional = {Ref::borrow(object), Ref::borrow(name)};
      if (std::optional<Step> step = delegate("_given_by_import", nullptr, arguments, site)) return *step;
    }
    if (!is_there && name == interned("__dict__")) {
      Arguments arguments;
      arguments.positional = {Ref::borrow(object)};
      if (std::optional<Step> step = delegate("module_dict", nullptr, arguments, site)) return *step;
    }
    return complete(std::move(site), checked(PyObject_GetAttr(object, name)));
  }
  if (PyType_Check(object)) {
    if (name == interned("__dict__") && is_program_type(reinterpret_cast<PyTypeObject*>(object)) &&
        has_threads(*world.program) && !world.program->modules[top().code->module].is_library &&
        !world.is_beginning()) {
      throw Unsupported(
          "the order in which a class got its attributes is no part of a state; instead of its __dict__ "
          "use getattr, hasattr or dir");
    }
    auto* self = reinterpret_cast<PyTypeObject*>(object);
    if (name == interned("__annotations__") && is_program_type(self) && !is_library_frame()) {
      if (std::optional<Step> step = load_annotations(object, site)) return *step;
    }
    PyObject* found = is_program_type(self) ? lookup(self, name) : nullptr;
    PyObject* const of_metaclass = is_program_type(type) ? lookup(type, name) : nullptr;
    const bool is_overridden = of_metaclass != nullptr && is_data_descriptor(of_metaclass);
    if (!is_overridden && !may_look_up(world, self, name, found)) return stop(Stop::kVisible);
    if (of_metaclass != nullptr && (found == nullptr || is_overridden)) {
      if (!may_look_up(world, type, name, of_metaclass)) return stop(Stop::kVisible);
      if (Ref getter = property_part(of_metaclass, "fget")) {
        return call_function(getter.get(), {.positional = {Ref::borrow(object)}, .keywords = {}},
                             std::move(site));
      }
    }
    if (is_program_type(type) && found == nullptr && of_metaclass == nullptr) {
      if (PyObject* fallback = hook(type, "__getattr__")) {
        return call_function(fallback,
                             {.positional = {Ref::borrow(object), Ref::borrow(name)}, .keywords = {}},
                             std::move(site));
      }
      if (!may_look_up(world, type, name, nullptr)) return stop(Stop::kVisible);
    }
    Ref value = checked(PyObject_GetAttr(object, name));
    const bool is_makeup = is_container(value.get()) && Classes::role(name, value.get()) == Entry::kMakeup;
    if (Ref members = members_of_enumeration(object, name, value.get()))
      return complete(std::move(site), std::move(members));
    if (is_makeup) {
      if (std::optional<Step> step = look_at_makeup(name, value.get(), site)) return *step;
    }
    if (is_makeup || is_enumeration(self)) refuse_hidden_content(world, top(), object, name, value.get());
    return complete(std::move(site), std::move(value));
  }
  if (is_enumeration(type)) {
    const Ref value = Ref::steal(PyObject_GenericGetAttr(object, name));
    if (!value) PyErr_Clear();
    if (value) refuse_hidden_content(world, top(), object, name, value.get());
  }
  const bool is_generic = type->tp_getattro == PyObject_GenericGetAttr;
  if (type == &PySuper_Type) {
    const auto of = checked(PyObject_GetAttrString(object, "__self_class__"));
    if (PyType_Check(of.get())) {
      // Where the search begins is of no interest: more is asked than is looked at.
      auto* const self = reinterpret_cast<PyTypeObject*>(of.get());
      for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(self->tp_mro); ++i) {
        auto* const base = reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(self->tp_mro, i));
        if (!may_look_up(world, base, name, lookup(base, name))) return stop(Stop::kVisible);
      }
    }
  }
  if (PyMethod_Check(object) && name == interned("__globals__"))
    return load_existing_attribute(PyMethod_GET_FUNCTION(object), name, std::move(site));
  if (!is_generic && !is_program_type(type)) {  // super, modules, bound methods
    Ref value = checked(PyObject_GetAttr(object, name));
    if (PyObject* const own = type_of_the_machine(value.get())) value = Ref::borrow(own);
    if (PyModule_Check(object) && name == interned("__dict__") && world.is_beginning()) {
      // To be looked at, and not changed.
      const Ref names = checked(PyDict_Copy(value.get()));
      return complete(std::move(site), checked(PyDictProxy_New(names.get())));
    }
    if (PyModule_Check(object) && is_container(value.get()))
      refuse_hidden_content(world, top(), object, name, value.get());
    return complete(std::move(site), std::move(value));
  }
  if (is_function(object) && name == interned("__globals__")) {
    // Those of a function of a text are the dict that the text was run with.
    const std::uint32_t number = reinterpret_cast<Function*>(object)->code->module;
    const Module& module = world.program->modules[number];
    if (!module.is_library && module.name != "_texts") {
      Arguments arguments;
      arguments.positional = {world.module_objects[number]};
      if (std::optional<Step> step = delegate("module_dict", nullptr, arguments, site)) return *step;
    }
  }
  const bool has_no_keywords = is_function(object) && name == interned("__kwdefaults__") &&
                               reinterpret_cast<Function*>(object)->keyword_defaults == nullptr;
  if (is_function(object) && !is_library_frame()) {
    if (name == interned("__kwdefaults__") && !has_no_keywords)
      throw Unsupported("__kwdefaults__ of a function is not modelled; name the values");
    if (name == interned("__annotations__")) {
      if (std::optional<Step> step = load_annotations(object, site)) return *step;
    }
    PyObject* const native = reinterpret_cast<Function*>(object)->code->native.get();
    if (name == interned("__code__") && native != nullptr)
      return complete(std::move(site), Ref::borrow(native));
  }
  if (!world.program->keeps_annotations && name == interned("type") && is_field_of_dataclass(type))
    world.observes(kNoAnnotations);
  if (!is_generic) {
    if (PyObject* own = hook(type, "__getattribute__")) {
      if (hook(type, "__getattr__") != nullptr)
        return complete(std::move(site), checked(PyObject_GetAttr(object, name)));
      return call_function(own, {.positional = {Ref::borrow(object), Ref::borrow(name)}, .keywords = {}},
                           std::move(site));
    }
  }
  PyObject* found = lookup(type, name);
  PyObject* const after_failure = is_generic || found == nullptr ? nullptr : hook(type, "__getattr__");
  if (after_failure != nullptr) {
    // An AttributeError that a getter of the program raises means that there is no such attribute.
    Ref getter = property_part(found, "fget");
    Ref given = checked(PyTuple_Pack(1, object));
    if (PyObject* const method = getter ? nullptr : program_method(found, "__get__")) {
      getter = Ref::borrow(method);
      given = checked(PyTuple_Pack(3, found, object, reinterpret_cast<PyObject*>(type)));
    }
    if (getter) {  // what is looked at is asked for first, or a step would depend on what nobody noted
      if (!may_look_up(world, type, name, found)) return stop(Stop::kVisible);
      if (!is_data_descriptor(found) && !world.may_read_attribute(object, name)) return stop(Stop::kVisible);
    }
    if (getter && (is_data_descriptor(found) || !own_value(object, name))) {
      Arguments arguments;
      arguments.positional = {getter, given, Ref::borrow(after_failure), Ref::borrow(object),
                              Ref::borrow(name)};
      if (std::optional<Step> step = delegate("_get_or_fall_back", nullptr, arguments, site)) return *step;
    }
  }
  if (found != nullptr && is_data_descriptor(found)) {
    if (Ref getter = property_part(found, "fget")) {
      return call_function(getter.get(), {.positional = {Ref::borrow(object)}, .keywords = {}},
                           std::move(site));
    }
    if (PyObject* getter = program_method(found, "__get__")) {
      if (!may_look_up(world, type, name, found)) return stop(Stop::kVisible);
      return call_function(getter,
                           {.positional = {Ref::borrow(found), Ref::borrow(object),
                                           Ref::borrow(reinterpret_cast<PyObject*>(type))},
                            .keywords = {}},
                           std::move(site));
    }
    if (Py_TYPE(found)->tp_descr_get != nullptr) {
      if (name == interned("__dict__") && PyTuple_Check(object) && !world.is_beginning())
        throw Unsupported("the __dict__ of a tuple is not modelled; use getattr");
      // One that is kept would be written down as a dict of its own, so programs that have threads get none.
      if (name == interned("__dict__") && (has_threads(*world.program) || is_function(object))) {
        // What is stored through it would be seen by nobody: it gets what reads and writes the attributes.
        const bool is_own_function = is_function(object) && world.is_single();
        if (!is_own_function &&
            (!is_program_type(type) || type->tp_dictoffset == 0 || PyExceptionInstance_Check(object) ||
             PyType_IsSubtype(type, &PyBaseObject_Type) == 0 || type->tp_base == nullptr)) {
          throw Unsupported("__dict__ is not modelled in a program with threads; use getattr and setattr");
        }
        Arguments arguments;
        arguments.positional = {Ref::borrow(object)};
        notice_stand_ins();
        if (std::optional<Step> step = delegate("instance_dict", nullptr, arguments, site)) return *step;
        throw Unsupported("__dict__ is not modelled here; use getattr and setattr");
      }
      // Slots and the fields of exceptions are not among the final attributes that a step is remembered by, and
      // built-in methods (an exception's `__init__`) store the latter without telling their names.
      if (!is_plain(object)) world.used(object);
      const bool is_native =
          (Py_TYPE(found) == &PyMemberDescr_Type || Py_TYPE(found) == &PyGetSetDescr_Type) &&
          !is_program_type(PyDescr_TYPE(found)) && !PyType_Check(object) && !is_function(object);
      if (!is_plain(object) &&
          !(is_native ? world.may_read(object) : world.may_read_attribute(object, name))) {
        return stop(Stop::kVisible);
      }
      if (is_native && name == interned("__traceback__") && PyExceptionInstance_Check(object)) {
        throw Unsupported("__traceback__ of an exception is not modelled; use the exception itself");
      }
      Ref value = checked(PyObject_GenericGetAttr(object, name));
      if (is_native && value.get() == Py_None && PyExceptionInstance_Check(object) &&
          (name == interned("name") || name == interned("obj") || name == interned("path"))) {
        throw Unsupported("the field " + utf8(name) +
                          " of an exception that the machine raised is not modelled; use its text");
      }
      return complete(std::move(site), std::move(value));
    }
  }
  if (type->tp_dictoffset != 0) {
    if (!world.may_read_attribute(object, name)) return stop(Stop::kVisible);
    if (Ref value = own_value(object, name)) return complete(std::move(site), std::move(value));
  }
  if (!may_look_up(world, type, name, found)) return stop(Stop::kVisible);
  if (found != nullptr) {
    if (is_function(found)) return complete(std::move(site), checked(PyMethod_New(found, object)));
    if (PyObject* getter = program_method(found, "__get__")) {
      return call_function(getter,
                           {.positional = {Ref::borrow(found), Ref::borrow(object),
                                           Ref::borrow(reinterpret_cast<PyObject*>(type))},
                            .keywords = {}},
                           std::move(site));
    }
    if (is_container(found) && Classes::role(name, found) == Entry::kMakeup) {
      if (std::optional<Step> step = look_at_makeup(name, found, site)) return *step;
      refuse_hidden_content(world, top(), object, name, found);
    }
    return complete(std::move(site), checked(PyObject_GenericGetAttr(object, name)));
  }
  if (PyObject* fallback = is_generic ? nullptr : hook(type, "__getattr__")) {
    return call_function(fallback, {.positional = {Ref::borrow(object), Ref::borrow(name)}, .keywords = {}},
                         std::move(site));
  }
  return complete(std::move(site), checked(PyObject_GetAttr(object, name)));  // fails with CPython's message
}

/// What a class statement left in a container for good, and programs look at: they get one that cannot be changed.
std::optional<Step> Interpreter::look_at_makeup(PyObject* name, PyObject* value, Site& site) {
  if (is_library_frame() || !world.is_hidden(value)) return std::nullopt;
  Arguments arguments;
  if (name == interned("__slots__") && PyList_CheckExact(value)) {
    arguments.positional = {checked(PyList_AsTuple(value))};
    return delegate("_slots_to_look_at", nullptr, arguments, site);
  }
  if (name == interned("__dataclass_fields__") && PyDict_CheckExact(value)) {
    const Ref items = checked(PyDict_Items(value));
    arguments.positional = {checked(PyList_AsTuple(items.get()))};
    return delegate("_fields_to_look_at", nullptr, arguments, site);
  }
  return std::nullopt;
}

std::optional<Step> Interpreter::load_annotations(PyObject* object, Site& site) {
  if (!world.may_read_attribute(object, interned("__annotations__"))) return stop(Stop::kVisible);
  Arguments arguments;
  arguments.positional = {PyType_Check(object)
                              ? annotations_of_class(object)
                              : checked(PyObject_GenericGetAttr(object, interned("__annotations__")))};
  PyObject* const found = arguments.positional[0].get();
  const bool is_text_of_class = PyType_Check(object) && PyTuple_GET_SIZE(found) > 0;
  if (!world.program->keeps_annotations && (found == Py_None || is_text_of_class))
    world.observes(kNoAnnotations);
  if (found == Py_None)
    throw Unsupported("__annotations__ of this function are not modelled; name the values");
  if (!PyTuple_Check(found)) return std::nullopt;  // the program has put a dict there
  return delegate("_annotations", nullptr, arguments, site);
}

Step Interpreter::store_attribute(PyObject* object, PyObject* name, PyObject* value, Site site) {
  PyTypeObject* type = Py_TYPE(object);
  const auto finish = [&](int status) {
    if (status != 0) throw PythonError();
    return complete(std::move(site), Ref::borrow(Py_None));
  };
  if (is_module(object)) {
    const std::uint32_t number = reinterpret_cast<ModuleObject*>(object)->module;
    const Module& module = world.program->modules[number];
    const auto found = module.global_index.find(utf8(name));
    if (found == module.global_index.end()) {
      if (!module.is_library && value != nullptr && world.is_beginning())
        world.observes("global " + module.name + ":" + utf8(name));  // compiled again with a place for it
      throw Unsupported("the program gives the module " + module.name + " a new attribute, " + utf8(name));
    }
    if (module.is_library && module.name == "sys" &&
        (name == interned("stdout") || name == interned("stderr"))) {
      throw Unsupported("sys." + utf8(name) +
                        " is replaced, which is not modelled; give print() the argument file");
    }
    const std::uint32_t global = module.first_global + found->second;
    if (!world.may_write_global(global)) return stop(Stop::kVisible);
    if (value == nullptr && !world.globals[global]) raise(PyExc_AttributeError, "%U", name);
    world.store_global(global, Ref::borrow(value));
    return finish(0);
  }
  if (PyType_Check(object)) {
    if (!world.is_single()) refuse_method(object, name, value);
    if (!world.may_write_attribute(object, name)) return stop(Stop::kVisible);
    return finish(PyObject_SetAttr(object, name, value));
  }
  if (is_absent(object)) refuse_absent(object, "stores in");
  refuse_hidden(world, object, name, value);
  const bool is_immutable = is_written_in_c(type, name) || is_stand_in(object);
  if (is_immutable && !world.program->modules[top().code->module].is_library) {
    raise(PyExc_AttributeError, "'%s' object has no attribute '%U' that can be stored", type->tp_name, name);
  }
  if (is_enumeration(type) && !world.is_single()) {
    throw Unsupported("a member of an enumeration gets an attribute, " + utf8(name) +
                      ", while several threads run");
  }
  if (!is_program_type(type) && !is_function(object) && !PyExceptionInstance_Check(object)) {
    PyObject* self = object;
    if (!is_plain(object) && !world.may_call(&self, 1, &self, 1)) return stop(Stop::kVisible);
    return finish(PyObject_SetAttr(object, name, value));
  }
  Arguments arguments;
  arguments.positional = {Ref::borrow(object), Ref::borrow(name)};
  if (value != nullptr) arguments.positional.push_back(Ref::borrow(value));
  if (PyObject* own = hook(type, value == nullptr ? "__delattr__" : "__setattr__")) {
    return call_function(own, std::move(arguments), std::move(site));
  }
  if (PyObject* found = lookup(type, name); found != nullptr && is_data_descriptor(found)) {
    arguments.positional = {Ref::borrow(object)};
    if (value != nullptr) arguments.positional.push_back(Ref::borrow(value));
    if (Ref setter = property_part(found, value == nullptr ? "fdel" : "fset")) {
      return call_function(setter.get(), std::move(arguments), std::move(site));
    }
    if (PyObject* setter = program_method(found, value == nullptr ? "__delete__" : "__set__")) {
      if (!may_look_up(world, type, name, found)) return stop(Stop::kVisible);
      arguments.positional.insert(arguments.positional.begin(), Ref::borrow(found));
      return call_function(setter, std::move(arguments), std::move(site));
    }
  }
  if (!world.may_write_attribute(object, name)) return stop(Stop::kVisible);
  return finish(PyObject_SetAttr(object, name, value));
}

Step Interpreter::load_special(PyObject* name) {
  PyObject* object = top().stack.back().get();
  PyTypeObject* type = Py_TYPE(object);
  if (is_absent(object)) refuse_absent(object, "enters");
  PyObject* found = lookup(type, name);
  if (found == nullptr) {
    raise(PyExc_TypeError, "'%.200s' object does not support the context manager protocol%s", type->tp_name,
          name == interned("__exit__") ? " (missed __exit__ method)" : "");
  }
  if (is_function(found)) return complete({.operands = 1}, checked(PyMethod_New(found, object)));
  const descrgetfunc get = Py_TYPE(found)->tp_descr_get;
  return complete({.operands = 1}, get == nullptr
                                       ? Ref::borrow(found)
                                       : checked(get(found, object, reinterpret_cast<PyObject*>(type))));
}

}  // namespace assay::languages::python
