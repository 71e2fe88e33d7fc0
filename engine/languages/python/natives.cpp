/// Calls of built-ins: what they touch is asked before, and those that would run the program from inside are replaced
/// by functions of the library module `_builtins`.
#include <algorithm>
#include <string>
#include <unordered_map>

#include "languages/python/absent.hpp"
#include "languages/python/address_texts.hpp"
#include "languages/python/addresses.hpp"
#include "languages/python/effects.hpp"
#include "languages/python/native_call.hpp"
#include "languages/python/native_rules.hpp"
#include "languages/python/stand_ins.hpp"

namespace assay::languages::python {
namespace {

bool is_mutable_container(PyObject* object) {
  return PyList_Check(object) || PyDict_Check(object) || PySet_Check(object) || PyByteArray_Check(object) ||
         is_deque(object);
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

/// Whether comparing a plain key with those of a dict calls nothing.
bool holds_plain_keys(PyObject* dict) {
  PyObject *key = nullptr, *item = nullptr;
  Py_ssize_t position = 0;
  while (PyDict_Next(dict, &position, &key, &item)) {
    if (!is_plain(key)) return false;
  }
  return true;
}

std::string text_attribute(PyObject* object, const char* name) {
  const Ref value = Ref::steal(PyObject_GetAttrString(object, name));
  if (!value || !PyUnicode_Check(value.get())) {
    PyErr_Clear();
    return "";
  }
  return utf8(value.get());
}

}  // namespace

NativeCall native_call(PyObject* callable, Arguments& arguments, Site& site) {
  NativeCall call{.callable = callable, .arguments = arguments, .site = site};
  if (PyCFunction_Check(callable)) {
    call.name = reinterpret_cast<PyCFunctionObject*>(callable)->m_ml->ml_name;
    PyObject* self = PyCFunction_GET_SELF(callable);
    if (self != nullptr && !PyModule_Check(self)) {
      call.receiver = self;
    } else {
      call.module = text_attribute(callable, "__module__");
    }
    return call;
  }
  if (PyType_Check(callable)) return call;
  call.name = text_attribute(callable, "__name__");
  call.module = text_attribute(callable, "__module__");
  if (Py_TYPE(callable) == &_PyMethodWrapper_Type) {
    const Ref self = Ref::steal(PyObject_GetAttrString(callable, "__self__"));
    PyErr_Clear();
    call.receiver = self.get();  // the wrapper keeps it
    return call;
  }
  const bool is_method = PyObject_TypeCheck(callable, &PyMethodDescr_Type) ||
                         PyObject_TypeCheck(callable, &PyWrapperDescr_Type) || PyFunction_Check(callable);
  if (is_method && !arguments.positional.empty()) {
    PyObject* first = arguments.positional[0].get();
    if (is_mutable_container(first) || !PyFunction_Check(callable) || call.name.starts_with("__")) {
      call.receiver = first;
      call.skipped = 1;
    }
  }
  return call;
}

namespace {

/// A class that `namedtuple` made, which keeps what it is given.
bool is_named_tuple(PyTypeObject* type) {
  if (PyType_IsSubtype(type, &PyTuple_Type) == 0 || type->tp_dictoffset != 0) return false;
  PyObject* const fields = lookup(type, interned("_fields"));
  PyObject* const maker = lookup(type, interned("__new__"));
  if (fields == nullptr || maker == nullptr || Py_TYPE(maker) != &PyStaticMethod_Type) return false;
  const Ref function = checked(PyObject_GetAttrString(maker, "__func__"));
  return PyFunction_Check(function.get()) &&
         text_attribute(function.get(), "__module__").starts_with("namedtuple_");
}

/// Whether a built-in moves what it is given and what is in its container, and looks into none of it.
bool only_moves(const NativeCall& call) {
  if (PyType_Check(call.callable)) {
    auto* const type = reinterpret_cast<PyTypeObject*>(call.callable);
    return type == &PyList_Type || type == &PyTuple_Type || is_named_tuple(type) ||
           (type == &PyDict_Type && call.arguments.positional.size() == 1 &&
            PyDict_CheckExact(call.arguments.positional[0].get()));
  }
  if (!call.has_receiver() || !is_mutable_container(call.receiver) || PyFunction_Check(call.callable))
    return false;
  const MethodEffect& effect = effect_of_method(call.name);
  PyObject* const key = call.first_argument();
  if (effect.looks_up && !PyList_Check(call.receiver) && key != nullptr)
    return PyDict_Check(call.receiver) && is_plain(key) && !PyType_Check(key) &&
           holds_plain_keys(call.receiver);
  return effect.moves;
}

/// What `_builtins` calls it; empty where nothing there can stand for it.
std::string counterpart_of(const NativeCall& call, const FunctionEffect* known) {
  if (known != nullptr && known->counterpart != nullptr) return known->counterpart;
  if (!call.is_bound()) return "";
  if (PyType_Check(call.receiver)) {
    const bool is_dict = PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(call.receiver), &PyDict_Type) != 0;
    return is_dict ? "dict_" + call.name : "";
  }
  if (is_pattern(call.receiver)) return "pattern_" + call.name;
  const std::string container = container_name(call.receiver);
  return container.empty() ? "" : container + "_" + call.name;
}

/// Whether the built-in would run the program from inside. Looks at all arguments, whatever was found: what is looked at
/// are questions of the step.
bool runs_program(const NativeCall& call, const std::string& counterpart) {
  const CounterpartEffect& effect = effect_of_counterpart(counterpart);
  const MethodEffect& method = effect_of_method(call.name);
  const auto& positional = call.arguments.positional;
  bool runs = effect.is_always_called || (counterpart.starts_with("operator_") &&
                                          !std::all_of(positional.begin(), positional.end(),
                                                       [](const Ref& o) { return is_plain(o.get()); }));
  // A default factory is only kept; everything else that can be called is called.
  const bool is_kept = effect.keeps_arguments || (call.has_receiver() && (method.moves || method.looks_up));
  const auto look = [&](PyObject* argument) {
    if (!is_kept) {
      runs |=
          iterates_program(argument) || is_program_callable(argument) || bound_object(argument) != nullptr;
    }
    if (effect.looks_inside) runs |= holds_program(argument, kOrderMethods, true);
    // Sets and dicts have kept the hashes of theirs.
    if (effect.hashes_items && !PyAnySet_Check(argument) && !PyDict_Check(argument))
      runs |= holds_program(argument, kKeyMethods, true);
  };
  if (effect.looks_inside && call.has_receiver()) look(call.receiver);
  for (const Ref& argument : positional) look(argument.get());
  for (const auto& [name, value] : call.arguments.keywords) look(value.get());
  return runs;
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

}  // namespace

namespace {

/// Whether an item is taken from its place, or put there, without a look at any other.
bool moves_item(std::string_view function, std::initializer_list<PyObject*> operands) {
  if (function != "getitem" && function != "setitem" && function != "delitem") return false;
  PyObject* const container = operands.begin()[0];
  PyObject* const key = operands.begin()[1];
  if (PyList_CheckExact(container) || is_deque(container))
    return PyLong_CheckExact(key) || PySlice_Check(key);
  return PyDict_CheckExact(container) && is_plain(key) && holds_plain_keys(container);
}

}  // namespace

std::optional<Step> Interpreter::operate_undisturbed(const char* function,
                                                     std::initializer_list<PyObject*> operands, Site& site) {
  static PyObject* const module = checked(PyImport_ImportModule("operator")).release();
  if (moves_item(function, operands)) return std::nullopt;
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
      if (!effect_of_method(text_attribute(object, "__name__")).reads) changed.push_back(bound);
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
    positional = with_module(positional.get());  // it would look who calls, which is the machine
  }
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
    refuse_telling(value.get());
    value = with_hidden_address(std::move(value));
  }
  world.poll();
  return complete(std::move(site), std::move(value));
}

bool Interpreter::may_run_method(const NativeCall& call, std::vector<PyObject*>& written) {
  PyObject* const self = call.receiver;
  const MethodEffect& effect = effect_of_method(call.name);
  PyObject* const key = effect.looks_up && !PyList_Check(self) ? call.first_argument() : nullptr;
  const bool only_moves = effect.moves && !(PyDict_Check(self) && call.name == "pop");
  if (key != nullptr) looks_up(key);
  if (only_moves || (key != nullptr && is_key_simple(key))) {
    const bool one_item = key != nullptr && effect.reads && is_plain(key);
    return effect.reads ? world.may_read_item(self, one_item ? key : nullptr)
                        : world.may_write_item(self, nullptr);
  }
  if (!effect.reads) written.push_back(self);
  return may_call(self, call.arguments, written);
}

bool Interpreter::may_run_type(const NativeCall& call, const std::string& counterpart,
                               const std::vector<PyObject*>& written) {
  auto* const type = reinterpret_cast<PyTypeObject*>(call.callable);
  const auto& positional = call.arguments.positional;
  const bool copies = type == &PyList_Type || type == &PyTuple_Type || counterpart == "deque" ||
                      (type == &PyDict_Type && !positional.empty() && PyDict_Check(positional[0].get()));
  if (copies && written.empty()) {
    bool allowed = true;
    for (PyObject* argument : call.arguments.objects()) {
      if (is_plain(argument) || PyTuple_CheckExact(argument)) continue;
      if (!world.may_read_item(argument, nullptr)) allowed = false;
    }
    return allowed;
  }
  const bool looks =
      reads_arguments(type) || (!PyType_HasFeature(type, Py_TPFLAGS_BASE_EXC_SUBCLASS) && !written.empty());
  return !looks || may_call(nullptr, call.arguments, written);
}

bool Interpreter::may_run_function(const NativeCall& call, std::vector<PyObject*>& written) {
  const MethodEffect& effect = effect_of_method(call.name);
  const auto& positional = call.arguments.positional;
  if (writes_first_argument(call.module, call.name) && !positional.empty())
    written.push_back(positional[0].get());
  if (call.has_receiver() && effect.writes_receiver) written.push_back(call.receiver);
  Ref notes;
  if (call.name == "add_note" && call.has_receiver()) {  // the list of notes, if there is one, gets another
    notes = Ref::steal(PyObject_GetAttrString(call.receiver, "__notes__"));
    PyErr_Clear();
    if (notes) written.push_back(notes.get());
  }
  if (call.module != "builtins") {  // `pack_into` and its like write into the buffers that they are given
    for (PyObject* argument : call.arguments.objects()) {
      if (PyByteArray_Check(argument)) written.push_back(argument);
    }
  }
  const bool stores = (call.name == "__setattr__" || call.name == "__delattr__") && call.has_receiver() &&
                      call.first_argument() != nullptr && PyUnicode_Check(call.first_argument());
  // By its name: the attribute may be one that is taken for final.
  if (stores && !world.may_write_attribute(call.receiver, call.first_argument())) return false;
  PyTypeObject* const made = !call.has_receiver()          ? nullptr
                             : PyType_Check(call.receiver) ? reinterpret_cast<PyTypeObject*>(call.receiver)
                                                           : Py_TYPE(call.receiver);
  const bool only_keeps = made == nullptr || call.name == "__setattr__" || call.name == "__init_subclass__" ||
                          !reads_arguments(made);
  const bool is_its_own = !call.has_receiver() || PyType_Check(call.receiver) || written.size() == 1;
  if (effect.makes && only_keeps && is_its_own) return written.empty() || world.may_write(written[0]);
  return may_call(call.receiver, call.arguments, written);
}

Step Interpreter::call_native(PyObject* callable, Arguments arguments, Site site) {
  if (std::optional<Step> step = call_assay(callable, arguments, site)) return *step;
  if (has_absent()) settle_absent(callable, arguments, site);
  refuse_type_of_stand_in(callable, arguments);
  if (gives_text_with_address(callable, arguments))
    refuse_reading_address(native_call(callable, arguments, site));
  const bool makes_number = callable == reinterpret_cast<PyObject*>(&PyLong_Type) ||
                            callable == reinterpret_cast<PyObject*>(&PyFloat_Type);
  if (makes_number && arguments.positional.size() == 1 && arguments.keywords.empty() &&
      is_stand_in(arguments.positional[0].get())) {
    if (PyObject* const convert = program_method(arguments.positional[0].get(), "_converted")) {
      arguments.positional.push_back(Ref::borrow(callable));
      return call_function(convert, std::move(arguments), std::move(site));
    }
  }
  const FunctionEffect* const known = effect_of(callable);
  const Special special = known == nullptr ? Special::kNone : known->special;
  if (std::optional<Step> step = call_special(callable, special, arguments, site)) {
    if (*step == Step::kDone) world.poll();
    return *step;
  }
  if (known != nullptr && known->asks_nothing) return run_native(callable, arguments, std::move(site));

  NativeCall native = native_call(callable, arguments, site);
  const NativeRule* const rule = rule_of(native);
  if (rule != nullptr && rule->first != nullptr) {
    if (std::optional<Step> step = rule->first(*this, native)) return *step;
  }
  const std::string counterpart = counterpart_of(native, known);
  if (!counterpart.empty() && runs_program(native, counterpart)) {
    PyObject* const receiver =
        native.is_bound() && !PyType_Check(native.receiver) ? native.receiver : nullptr;
    if (std::optional<Step> step = delegate(counterpart, receiver, arguments, site)) return *step;
  }
  if (rule != nullptr && rule->last != nullptr) {
    if (std::optional<Step> step = rule->last(*this, native)) return *step;
  }

  refuse_stand_ins(native, known);
  refuse_hash_by_others(native);
  std::vector<PyObject*> written;
  for (const Ref& argument : arguments.positional) {
    if (is_consumed(argument.get())) written.push_back(argument.get());
  }
  bool allowed = native.has_receiver() && is_mutable_container(native.receiver)
                     ? may_run_method(native, written)
                 : PyType_Check(callable) ? may_run_type(native, counterpart, written)
                                          : may_run_function(native, written);
  const bool is_written_in_python =
      PyFunction_Check(callable) && native.module != "assay.languages.python.helpers";
  if (is_written_in_python && allowed) allowed = may_call(native.receiver, arguments, written);
  if (!allowed) return stop(Stop::kVisible);
  if (!only_moves(native)) {
    if (std::optional<Step> step =
            call_undisturbed(callable, native.receiver, arguments, !is_written_in_python, site)) {
      return *step;
    }
  }
  if (is_written_in_python) {
    const std::vector<PyObject*> given = arguments.objects();
    const std::vector<std::uint32_t> reached = world.reached(given.data(), given.size());
    if (!reached.empty()) return run_settled(native, reached);
  }
  const CounterpartEffect& effect = effect_of_counterpart(counterpart);
  // With a key two elements can be equal, and then the order shows.
  if (effect.iterates)
    order_sets(arguments, native.skipped, !effect.hides_order || !arguments.keywords.empty());
  if (native.name == "pop" && native.has_receiver() && PySet_Check(native.receiver) &&
      PySet_GET_SIZE(native.receiver) > 0 && native.first_argument() == nullptr) {
    const Ref elements = arranged_elements(native.receiver);
    Ref first = Ref::borrow(PyList_GET_ITEM(elements.get(), 0));
    if (PySet_Discard(native.receiver, first.get()) < 0) throw PythonError();
    return complete(std::move(site), std::move(first));
  }
  if (callable == reinterpret_cast<PyObject*>(&PySet_Type) ||
      callable == reinterpret_cast<PyObject*>(&PyFrozenSet_Type) ||
      (native.has_receiver() && PyAnySet_Check(native.receiver))) {
    for (const Ref& argument : arguments.positional) rank_elements(argument.get());
  }
  return run_native(callable, arguments, std::move(site));
}

Step Interpreter::run_settled(const NativeCall& call, const std::vector<std::uint32_t>& reached) {
  const std::string name = call.module + "." + text_attribute(call.callable, "__qualname__");
  const Ref kept = Ref::borrow(call.callable);
  Ref value = checked(PyObject_Call(call.callable, call.arguments.positional_tuple().get(),
                                    call.arguments.keyword_dict().get()));
  refuse_telling(value.get());
  value = world.announced(std::move(value));
  world.settle(reached, name);
  world.poll();
  return complete(std::move(call.site), std::move(value));
}

}  // namespace assay::languages::python
