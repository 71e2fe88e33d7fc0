/// Calls of built-ins that are given something absent. Most would look at the object that stands for it and see what
/// CPython does not show: they are refused, unless they only keep it, ask it (it refuses by itself), or can be given what
/// it stands for.
#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "languages/python/absent.hpp"
#include "languages/python/effects.hpp"
#include "languages/python/native_call.hpp"
#include "languages/python/reach.hpp"
#include "languages/python/weak.hpp"

namespace assay::languages::python {
namespace {

using Names = std::unordered_set<std::string_view>;

/// Whether a built-in that looks into what it is given comes upon something absent: the type of what stands for it would
/// show, in the text of an exception for example.
bool holds_absent(const std::vector<PyObject*>& given) {
  Reach reach;
  for (PyObject* object : given) visit(object, &reach);
  for (std::size_t next = 0; next < reach.pending.size(); ++next) {
    PyObject* const object = reach.pending[next];
    if (is_absent(object) || is_identity(object)) return true;
    const traverseproc traverse = Py_TYPE(object)->tp_traverse;
    const bool is_followed =
        traverse != nullptr && !is_module(object) && !PyModule_Check(object) && PyCallable_Check(object) == 0;
    if (is_followed) traverse(object, visit, &reach);
  }
  return false;
}

bool only_keeps(const NativeCall& call) {
  static const Names modules = {"typing",      "dataclasses", "abc",       "_abc",
                                "collections", "functools",   "_functools"};
  static const Names curious = {"dir", "divmod", "id", "iter", "next"};
  if (PyType_Check(call.callable)) return call.callable != reinterpret_cast<PyObject*>(&PyType_Type);
  if (call.has_receiver()) {
    if (is_absent(call.receiver)) return false;
    return effect_of_method(call.name).makes || !container_name(call.receiver).empty() ||
           is_program_type(Py_TYPE(call.receiver)) || PyType_Check(call.receiver) || call.module == "typing";
  }
  if (call.module == "builtins") return !curious.contains(call.name);
  return modules.contains(call.module);
}

}  // namespace

/// Whether the machine has an object of its own in place of one of CPython.
bool Interpreter::is_replaced(PyObject* value) const {
  if (is_function(value) || is_generator(value) || is_iterator(value) || is_module(value)) return true;
  PyTypeObject* const type = PyType_Check(value) ? reinterpret_cast<PyTypeObject*>(value) : Py_TYPE(value);
  if (!is_program_type(type)) return false;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(type->tp_mro); ++i) {
    const Ref home = home_of(reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(type->tp_mro, i)));
    if (!home) continue;
    const std::string module = utf8(home.get());
    for (const Module& candidate : world.program->modules) {
      if (candidate.is_library && candidate.name == module) return true;
    }
  }
  return false;
}

void Interpreter::settle_absent(PyObject* callable, Arguments& arguments, Site& site) const {
  static PyObject* const is_instance = built_in(interned("isinstance")).release();
  static PyObject* const is_subclass = built_in(interned("issubclass")).release();
  static PyObject* const is_callable = built_in(interned("callable")).release();
  if (is_absent(callable)) refuse_absent(callable, "calls");
  auto& positional = arguments.positional;
  const auto replace = [&](std::size_t i) {
    PyObject* const unknown = i < positional.size() ? first_absent(positional[i].get()) : nullptr;
    if (unknown == nullptr) return false;
    positional[i] = with_reality(positional[i].get());
    if (!positional[i]) refuse_absent(unknown, "asks for the type of");
    return true;
  };
  if (callable == is_callable) {
    replace(0);
    return;
  }
  if (callable == is_instance || callable == is_subclass) {
    PyObject* const unknown = positional.size() > 1 ? first_absent(positional[1].get()) : nullptr;
    if (unknown != nullptr && is_replaced(positional[0].get()))
      refuse_absent(unknown, "asks for instances of");
    replace(0);
    replace(1);
    return;
  }
  const NativeCall call = native_call(callable, arguments, site);
  std::vector<PyObject*> given = arguments.objects();
  const bool asks = std::any_of(given.begin(), given.end(), [](PyObject* argument) {
    return argument == is_instance || argument == is_subclass || argument == is_callable ||
           argument == reinterpret_cast<PyObject*>(&PyType_Type);
  });
  if (!asks && only_keeps(call)) return;
  if (call.has_receiver()) given.push_back(call.receiver);
  for (PyObject* const one : given) {
    if (PyObject* const unknown = first_absent(one)) refuse_absent(unknown, "gives a built-in");
  }
  if (holds_absent(given)) {
    throw Unsupported(
        "a built-in of CPython is given something that is not modelled; take it out of what is verified");
  }
}

}  // namespace assay::languages::python
