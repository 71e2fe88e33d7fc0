/// What stands in for a value of CPython that nobody knows when a program is checked: the number of a clock, a random
/// number, the present. It is an object of a class that the library wrote, so whoever looks at it from outside of its
/// methods sees something else than CPython shows. So nobody may: attributes are those that CPython's type has, the
/// type is told to nobody, and built-ins get it only if they move it or call its methods.
///
/// Dates that are written down are CPython's own objects, but the class `datetime` of the library is not their type.
#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "languages/python/effects.hpp"
#include "languages/python/native_call.hpp"
#include "languages/python/reach.hpp"
#include "languages/python/stand_ins.hpp"
#include "languages/python/weak.hpp"

namespace assay::languages::python {
namespace {

using Names = std::unordered_set<std::string_view>;

bool noticed = false;

bool is_date(PyObject* value) {
  return std::string_view(Py_TYPE(value)->tp_name).starts_with("datetime.date");
}

/// Containers and what is bound to arguments: a built-in that gets one looks into it.
bool is_looked_into(PyObject* object) {
  return !is_program_type(Py_TYPE(object)) || PyTuple_Check(object) || !container_name(object).empty();
}

/// Whether a built-in that looks into what it is given comes upon a stand-in.
bool holds_stand_in(const std::vector<PyObject*>& given) {
  Reach reach;
  for (PyObject* object : given) visit(object, &reach);
  for (std::size_t next = 0; next < reach.pending.size(); ++next) {
    PyObject* const object = reach.pending[next];
    if (is_stand_in(object)) return true;
    const traverseproc traverse = Py_TYPE(object)->tp_traverse;
    const bool is_followed = is_looked_into(object) && !is_module(object) && PyCallable_Check(object) == 0;
    if (traverse != nullptr && is_followed) traverse(object, visit, &reach);
  }
  return false;
}

/// `attrgetter("__class__")`, `methodcaller("__reduce__")`: what gets a special name gets at the type.
bool gets_special_name(PyObject* callable) {
  const std::string_view type = Py_TYPE(callable)->tp_name;
  if (type != "operator.attrgetter" && type != "operator.methodcaller") return false;
  return utf8(repr_of(callable).get()).find("__") != std::string::npos;
}

/// Whether a method was made for the class of its receiver: by a decorator of CPython, or for a named tuple.
bool is_made_for_program(const NativeCall& call) {
  if (!PyFunction_Check(call.callable) || call.arguments.positional.empty()) return false;
  PyObject* const self = call.arguments.positional[0].get();
  PyTypeObject* const type = PyType_Check(self) ? reinterpret_cast<PyTypeObject*>(self) : Py_TYPE(self);
  if (!is_program_type(type)) return false;
  return call.name.starts_with("__") ||
         (call.name.starts_with("_") && PyType_HasFeature(type, Py_TPFLAGS_TUPLE_SUBCLASS));
}

/// Whether a built-in only moves what it is given, or asks its methods, which know that nobody knows.
bool is_discreet(const NativeCall& call, const FunctionEffect* known) {
  static const Names modules = {"copy", "_operator", "assay.languages.python.helpers", "dataclasses"};
  static const Names curious = {"dir", "divmod"};
  static const Names rounding = {"ceil", "floor", "trunc"};
  if (known != nullptr || is_made_for_program(call)) return true;
  if (PyType_Check(call.callable)) {
    auto* const made = reinterpret_cast<PyTypeObject*>(call.callable);
    constexpr unsigned long kKeeping = Py_TPFLAGS_BASE_EXC_SUBCLASS | Py_TPFLAGS_TUPLE_SUBCLASS |
                                       Py_TPFLAGS_DICT_SUBCLASS | Py_TPFLAGS_LIST_SUBCLASS;
    // Numbers are made by methods, which refuse.
    return (made->tp_flags & kKeeping) != 0 || made == &PyLong_Type || made == &PyFloat_Type ||
           made == &PyComplex_Type;
  }
  const std::string_view type = Py_TYPE(call.callable)->tp_name;
  if (type == "operator.itemgetter") return true;
  if (type == "operator.attrgetter") {  // a stand-in may be what is stored there, but is not to be looked at
    const std::vector<PyObject*> given = call.arguments.objects();
    return !gets_special_name(call.callable) && std::none_of(given.begin(), given.end(), is_stand_in);
  }
  if (call.has_receiver() && !PyFunction_Check(call.callable)) {
    if (is_stand_in(call.receiver)) return false;
    return effect_of_method(call.name).makes || !container_name(call.receiver).empty() ||
           PyExceptionInstance_Check(call.receiver);
  }
  if (call.module == "builtins") return !curious.contains(call.name);
  return modules.contains(call.module) || (call.module == "math" && rounding.contains(call.name)) ||
         (call.module == "typing" && call.name == "cast");
}

[[noreturn]] void refuse_type() {
  throw Unsupported(
      "the program asks for the type of what nobody knows when it is checked (a clock, a random number), "
      "which is not "
      "modelled; compare its value");
}

/// Whether the function on top has written the call itself: a library may know what it looks at, but calls what the
/// program gave it as the program would.
bool is_own_question(const Interpreter& interpreter, PyObject* function) {
  const Code& code = *interpreter.top().code;
  if (!interpreter.world.program->modules[code.module].is_library) return false;
  return std::any_of(code.names.begin(), code.names.end(),
                     [&](const Ref& name) { return name.get() == function; });
}

}  // namespace

void notice_stand_ins() { noticed = true; }

bool is_stand_in(PyObject* value) {
  PyTypeObject* const type = Py_TYPE(value);
  return is_program_type(type) && lookup(type, interned("_stands_for")) != nullptr;
}

void Interpreter::refuse_type_of_stand_in(PyObject* callable, const Arguments& arguments) const {
  static PyObject* const is_instance = built_in(interned("isinstance")).release();
  static PyObject* const matches_class = helper(interned("__match_class__")).release();
  static PyObject* const matches_sequence = helper(interned("__match_sequence__")).release();
  const auto& positional = arguments.positional;
  if (positional.empty()) return;
  PyObject* const value = positional[0].get();
  if (callable == reinterpret_cast<PyObject*>(&PyType_Type) && positional.size() == 1) {
    if (is_own_question(*this, interned("type"))) return;
    if (is_stand_in(value)) refuse_type();
    if (is_identity(value)) throw Unsupported("the type of what id() gives is not modelled");
    if (is_date(value)) throw Unsupported("the type of a date is not modelled; use isinstance");
  } else if (callable == matches_sequence) {
    if (is_stand_in(value)) refuse_type();
  } else if (callable == is_instance && is_identity(value)) {
    throw Unsupported("the type of what id() gives is not modelled");
  } else if ((callable == is_instance || callable == matches_class) && positional.size() >= 2) {
    const bool has_own_hook = program_method(positional[1].get(), "__instancecheck__") != nullptr;
    if (!has_own_hook && is_stand_in(value) && !is_own_question(*this, interned("isinstance"))) refuse_type();
  }
}

void Interpreter::refuse_attribute_of_stand_in(PyObject* object, PyObject* name, PyObject* question) const {
  const bool stands_in = is_stand_in(object);
  if (!stands_in && !is_date(object)) return;
  const Code& code = *top().code;
  const bool is_library = world.program->modules[code.module].is_library;
  if (is_library && (question == nullptr || is_own_question(*this, question))) return;
  if (!stands_in) {
    if (name == interned("__class__") || name == interned("__reduce__") ||
        name == interned("__reduce_ex__") || name == interned("__getattribute__")) {
      throw Unsupported("the type of a date is not modelled; use isinstance");
    }
    return;
  }
  PyObject* const kinds = lookup(Py_TYPE(object), interned("_stands_for"));
  Py_ssize_t having = 0;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(kinds); ++i) {
    const std::string kind = utf8(PyTuple_GET_ITEM(kinds, i));
    const std::size_t dot = kind.find('.');
    if (exists_in_cpython(kind.substr(0, dot), kind.substr(dot + 1), name)) ++having;
  }
  if (having == 0) raise(PyExc_AttributeError, "%R has no attribute '%U'", kinds, name);
  PyObject* const found = lookup(Py_TYPE(object), name);
  const bool is_modelled = found != nullptr && found != lookup(&PyBaseObject_Type, name) &&
                           having == PyTuple_GET_SIZE(kinds) && name != interned("__dict__") &&
                           name != interned("__weakref__") && name != interned("__module__") &&
                           name != interned("__doc__") && name != interned("__init__");
  if (!is_modelled) {
    throw Unsupported(
        utf8(name) +
        " of what nobody knows when a program is checked (a clock, a random number) is not modelled; leave "
        "it out, or put something of your own in its place");
  }
}

void Interpreter::refuse_stand_ins(const NativeCall& call, const FunctionEffect* known) const {
  if (!world.program->has_stand_ins && !noticed) return;
  static const Names telling = {"__instancecheck__", "__getattribute__", "__reduce__", "__reduce_ex__",
                                "__class__"};
  if (telling.contains(call.name) || gets_special_name(call.callable)) {
    for (PyObject* argument : call.arguments.objects()) {
      if (is_date(argument)) throw Unsupported("the type of a date is not modelled; use isinstance");
    }
  } else if (is_discreet(call, known)) {
    return;
  }
  std::vector<PyObject*> given = call.arguments.objects();
  if (call.has_receiver()) given.push_back(call.receiver);
  if (!holds_stand_in(given)) return;
  const std::string name = call.name.empty() ? utf8(repr_of(call.callable).get()) : call.name;
  throw Unsupported(
      name +
      " of CPython would look at what nobody knows when a program is checked (a clock, a random number, the "
      "present); compare it, or let assay.choose(...) pick from the values that matter");
}

}  // namespace assay::languages::python
