/// Calls: what is called, and which argument goes where.
#include <algorithm>

#include "languages/python/interpreter.hpp"

namespace assay::languages::python {
namespace {

/// `'a'`, `'a' and 'b'`, `'a', 'b', and 'c'`
std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0 && names.size() > 2) text += ", ";
    if (i > 0 && names.size() == 2) text += " ";
    if (i > 0 && i + 1 == names.size()) text += "and ";
    text += "'" + names[i] + "'";
  }
  return text;
}

[[noreturn]] void raise_missing(const std::string& function, const char* kind,
                                const std::vector<std::string>& names) {
  raise(PyExc_TypeError, "%s() missing %zd required %s argument%s: %s", function.c_str(),
        static_cast<Py_ssize_t>(names.size()), kind, names.size() == 1 ? "" : "s", listed(names).c_str());
}

[[noreturn]] void raise_too_many(const Function& function, std::size_t given,
                                 const std::vector<Ref>& locals) {
  const Code& code = *function.code;
  const std::size_t defaults =
      function.defaults == nullptr ? 0 : static_cast<std::size_t>(PyTuple_GET_SIZE(function.defaults));
  std::size_t keywords_given = 0;
  for (std::size_t i = code.positional; i < code.positional + code.keyword_only; ++i)
    keywords_given += locals[i] ? 1 : 0;
  const bool plural = defaults > 0 || code.positional != 1;
  std::string takes = std::to_string(code.positional);
  if (defaults > 0) takes = "from " + std::to_string(code.positional - defaults) + " to " + takes;
  std::string also;
  if (keywords_given > 0) {
    also = std::string(" positional argument") + (given != 1 ? "s" : "") + " (and " +
           std::to_string(keywords_given) + " keyword-only argument" + (keywords_given != 1 ? "s" : "") + ")";
  }
  raise(PyExc_TypeError, "%s() takes %s positional argument%s but %zd%s %s given", code.qualname.c_str(),
        takes.c_str(), plural ? "s" : "", static_cast<Py_ssize_t>(given), also.c_str(),
        given == 1 && keywords_given == 0 ? "was" : "were");
}

}  // namespace

Ref Arguments::positional_tuple() const {
  Ref tuple = checked(PyTuple_New(static_cast<Py_ssize_t>(positional.size())));
  for (std::size_t i = 0; i < positional.size(); ++i) {
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), Py_NewRef(positional[i].get()));
  }
  return tuple;
}

Ref Arguments::keyword_dict() const {
  if (keywords.empty()) return {};
  Ref dict = checked(PyDict_New());
  for (const auto& [name, value] : keywords) {
    if (PyDict_SetItem(dict.get(), name.get(), value.get()) != 0) throw PythonError();
  }
  return dict;
}

std::vector<PyObject*> Arguments::objects() const {
  std::vector<PyObject*> all;
  for (const Ref& argument : positional) all.push_back(argument.get());
  for (const auto& [name, value] : keywords) all.push_back(value.get());
  return all;
}

std::unique_ptr<Frame> Interpreter::bind(Function* function, Arguments& arguments) const {
  world.used(reinterpret_cast<PyObject*>(function));  // its defaults and its closure
  const Code& code = *function->code;
  auto frame = std::make_unique<Frame>();
  frame->code = &code;
  std::vector<Ref>& locals = frame->locals;
  locals.resize(code.local_names.size());
  const std::size_t given = arguments.positional.size();
  const std::size_t named = code.positional + code.keyword_only;
  for (std::size_t i = 0; i < given && i < code.positional; ++i)
    locals[i] = std::move(arguments.positional[i]);
  if (code.varargs) {
    Ref rest =
        checked(PyTuple_New(given > code.positional ? static_cast<Py_ssize_t>(given - code.positional) : 0));
    for (std::size_t i = code.positional; i < given; ++i) {
      PyTuple_SET_ITEM(rest.get(), static_cast<Py_ssize_t>(i - code.positional),
                       arguments.positional[i].release());
    }
    locals[named] = std::move(rest);
  }
  Ref extra;
  if (code.varkw) extra = checked(PyDict_New());
  for (auto& [name, value] : arguments.keywords) {
    if (!PyUnicode_Check(name.get()))
      raise(PyExc_TypeError, "%s() keywords must be strings", code.qualname.c_str());
    std::size_t found = named;
    for (std::size_t i = code.positional_only; i < named && found == named; ++i) {
      PyObject* parameter = code.local_names[i].get();
      if (parameter == name.get() || PyUnicode_Compare(parameter, name.get()) == 0) found = i;
    }
    if (found < named) {
      if (locals[found]) {
        raise(PyExc_TypeError, "%s() got multiple values for argument '%S'", code.qualname.c_str(),
              name.get());
      }
      locals[found] = std::move(value);
    } else if (code.varkw) {
      if (PyDict_SetItem(extra.get(), name.get(), value.get()) != 0) throw PythonError();
    } else {
      std::vector<std::string> positional_only;
      for (std::size_t i = 0; i < code.positional_only; ++i) {
        for (const auto& keyword : arguments.keywords) {
          if (PyUnicode_Compare(code.local_names[i].get(), keyword.first.get()) == 0) {
            positional_only.push_back(utf8(keyword.first.get()));
          }
        }
      }
      if (!positional_only.empty()) {
        std::string names = positional_only[0];
        for (std::size_t i = 1; i < positional_only.size(); ++i) names += ", " + positional_only[i];
        raise(PyExc_TypeError, "%s() got some positional-only arguments passed as keyword arguments: '%s'",
              code.qualname.c_str(), names.c_str());
      }
      raise(PyExc_TypeError, "%s() got an unexpected keyword argument '%S'", code.qualname.c_str(),
            name.get());
    }
  }
  if (given > code.positional && !code.varargs) raise_too_many(*function, given, locals);
  const std::size_t defaults =
      function->defaults == nullptr ? 0 : static_cast<std::size_t>(PyTuple_GET_SIZE(function->defaults));
  std::vector<std::string> missing;
  for (std::size_t i = given; i < code.positional; ++i) {
    if (locals[i]) continue;
    if (i + defaults >= code.positional) {
      locals[i] = Ref::borrow(
          PyTuple_GET_ITEM(function->defaults, static_cast<Py_ssize_t>(i + defaults - code.positional)));
    } else {
      missing.push_back(utf8(code.local_names[i].get()));
    }
  }
  if (!missing.empty()) raise_missing(code.qualname, "positional", missing);
  for (std::size_t i = code.positional; i < named; ++i) {
    if (locals[i]) continue;
    PyObject* value = function->keyword_defaults == nullptr
                          ? nullptr
                          : PyDict_GetItemWithError(function->keyword_defaults, code.local_names[i].get());
    if (value == nullptr && PyErr_Occurred() != nullptr) throw PythonError();
    if (value == nullptr) {
      missing.push_back(utf8(code.local_names[i].get()));
    } else {
      locals[i] = Ref::borrow(value);
    }
  }
  if (!missing.empty()) raise_missing(code.qualname, "keyword-only", missing);
  if (code.varkw) locals[named + (code.varargs ? 1 : 0)] = std::move(extra);
  for (std::size_t i = 0; i < code.cell_names.size(); ++i)
    frame->cells.push_back(checked(PyCell_New(nullptr)));
  for (const auto& [cell, local] : code.cell_parameters) {
    PyCell_Set(frame->cells[cell].get(), locals[local].get());
    locals[local] = Ref();
  }
  const std::size_t free =
      function->closure == nullptr ? 0 : static_cast<std::size_t>(PyTuple_GET_SIZE(function->closure));
  if (free != code.free_names.size())
    throw Unsupported("a closure of " + code.qualname + " has the wrong size");
  for (std::size_t i = 0; i < free; ++i) {
    frame->cells.push_back(Ref::borrow(PyTuple_GET_ITEM(function->closure, static_cast<Py_ssize_t>(i))));
  }
  return frame;
}

Step Interpreter::call_function(PyObject* function, Arguments arguments, Site site) {
  const Ref kept = Ref::borrow(function);
  std::unique_ptr<Frame> frame = bind(reinterpret_cast<Function*>(function), arguments);
  if (frame->code->generator && !frame->code->is_coroutine)
    return complete(std::move(site), new_generator(std::move(frame)));
  return push_frame(std::move(frame), std::move(site));
}

Step Interpreter::call(PyObject* callable, Arguments arguments, Site site) {
  if (PyFunction_Check(callable)) callable = written_for_machine(callable);
  if (is_function(callable)) return call_function(callable, std::move(arguments), std::move(site));
  if (PyMethod_Check(callable)) {
    PyObject* function = PyMethod_GET_FUNCTION(callable);
    arguments.positional.insert(arguments.positional.begin(), Ref::borrow(PyMethod_GET_SELF(callable)));
    return call(function, std::move(arguments), std::move(site));
  }
  if (PyType_Check(callable)) {
    auto* type = reinterpret_cast<PyTypeObject*>(callable);
    if (type == function_type)
      throw Unsupported("a function is made of a code, which is not modelled; write it with def");
    if (is_program_type(type) && Py_TYPE(callable)->tp_call == PyType_Type.tp_call) {
      return instantiate(type, std::move(arguments), std::move(site));
    }
    if (PyObject* method = program_method(callable, "__call__")) {  // of a metaclass
      arguments.positional.insert(arguments.positional.begin(), Ref::borrow(callable));
      return call_function(method, std::move(arguments), std::move(site));
    }
  } else if (PyObject* method = program_method(callable, "__call__")) {
    arguments.positional.insert(arguments.positional.begin(), Ref::borrow(callable));
    return call_function(method, std::move(arguments), std::move(site));
  }
  return call_native(callable, std::move(arguments), std::move(site));
}

void refuse_finalizer(PyTypeObject* type) {
  throw Unsupported(
      std::string("an instance of ") + type->tp_name +
      ", which has a __del__, is made otherwise than by calling the class; release what an object holds in a "
      "context manager or a method");
}

/// Instances are made only where they are remembered, and where states are restored.
PyObject* alloc_with_end(PyTypeObject* type, Py_ssize_t items) {
  const auto is_remembered = [](const auto& frame) { return frame->code->qualname == "_made_with_end"; };
  const bool is_known =
      current_world() == nullptr || current_thread() == nullptr || current_world()->is_restoring() ||
      std::any_of(current_thread()->frames.begin(), current_thread()->frames.end(), is_remembered);
  if (is_known) return PyType_GenericAlloc(type, items);
  return guarded([&]() -> PyObject* { refuse_finalizer(type); }, static_cast<PyObject*>(nullptr));
}

void keep_from_ending(PyTypeObject* type) {
  if (type->tp_finalize == nullptr || lookup(type, interned("__del__")) == nullptr) return;
  type->tp_finalize = nullptr;
  type->tp_alloc = alloc_with_end;
}

Step Interpreter::instantiate(PyTypeObject* type, Arguments arguments, Site site) {
  auto* callable = reinterpret_cast<PyObject*>(type);
  if (type->tp_new == nullptr) raise(PyExc_TypeError, "cannot create '%s' instances", type->tp_name);
  if (type->tp_finalize != nullptr || type->tp_del != nullptr) refuse_finalizer(type);
  if (is_program_type(type) && type->tp_alloc == alloc_with_end) {
    Arguments given;
    given.positional = arguments.positional;
    given.keywords = arguments.keywords;
    given.positional.insert(given.positional.begin(), Ref::borrow(callable));
    if (std::optional<Step> step = delegate("_instantiate_with_end", nullptr, given, site)) return *step;
  }
  PyObject* maker = lookup(type, interned("__new__"));
  PyObject* initialiser = lookup(type, interned("__init__"));
  const bool own_new = maker != nullptr && PyObject_TypeCheck(maker, &PyStaticMethod_Type);
  if (own_new) {
    const Ref function = checked(PyObject_GetAttrString(maker, "__func__"));
    if (is_function(function.get())) {
      arguments.positional.insert(arguments.positional.begin(), Ref::borrow(callable));
      if (std::optional<Step> step = delegate("_instantiate", function.get(), arguments, site)) return *step;
      arguments.positional.erase(arguments.positional.begin());
    }
  }
  if (own_new || initialiser == nullptr || !is_function(initialiser)) {
    return call_native(callable, std::move(arguments),
                       std::move(site));  // no frame of ours to begin with, or __new__ first
  }
  if (type->tp_new != PyBaseObject_Type.tp_new && !may_call(callable, arguments, {}))
    return stop(Stop::kVisible);
  const Ref positional = arguments.positional_tuple();
  const Ref keywords = arguments.keyword_dict();
  const bool makes_class =
      PyType_IsSubtype(type, &PyType_Type) != 0 && PyTuple_GET_SIZE(positional.get()) == 3;
  const Ref made = makes_class ? new_class(callable, positional.get(), keywords.get())
                               : checked(type->tp_new(type, positional.get(), keywords.get()));
  if (!PyObject_TypeCheck(made.get(), type)) return complete(std::move(site), made);
  if (site.mode != Return::kPush) {  // the value is converted or caught: that is not what kInstance does
    Arguments given = std::move(arguments);
    given.positional.insert(given.positional.begin(), made);
    const Ref none = call_nested_with(initialiser, std::move(given));
    if (none.get() != Py_None) {
      raise(PyExc_TypeError, "__init__() should return None, not '%.200s'", Py_TYPE(none.get())->tp_name);
    }
    return complete(std::move(site), made);
  }
  arguments.positional.insert(arguments.positional.begin(), made);
  site.mode = Return::kInstance;
  site.extra = made;
  if (reinterpret_cast<Function*>(initialiser)->code->generator) {
    raise(PyExc_TypeError, "__init__() should return None, not 'generator'");
  }
  return call_function(initialiser, std::move(arguments), std::move(site));
}

Step Interpreter::call_instruction(Operation operation, std::uint32_t operand) {
  Frame& frame = top();
  const std::vector<Ref>& stack = frame.stack;
  Arguments arguments;
  Site site;
  if (operation == Operation::CALL_EX) {
    site.operands = operand != 0 ? 3 : 2;
    const std::size_t first = stack.size() - site.operands;
    const Ref positional = checked(PySequence_Tuple(stack[first + 1].get()));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(positional.get()); ++i) {
      arguments.positional.push_back(Ref::borrow(PyTuple_GET_ITEM(positional.get(), i)));
    }
    if (operand != 0) {
      PyObject* keywords = stack[first + 2].get();
      if (!PyDict_Check(keywords)) throw Unsupported("keyword arguments that are no dict");
      Py_ssize_t position = 0;
      PyObject *name, *value;
      while (PyDict_Next(keywords, &position, &name, &value) != 0) {
        if (!PyUnicode_Check(name)) raise(PyExc_TypeError, "keywords must be strings");
        arguments.keywords.emplace_back(Ref::borrow(name), Ref::borrow(value));
      }
    }
    return call(stack[first].get(), std::move(arguments), std::move(site));
  }
  std::size_t end = stack.size();
  std::size_t keyword_count = 0;
  PyObject* names = nullptr;
  if (operation == Operation::CALL_KW) {
    names = stack[--end].get();
    keyword_count = static_cast<std::size_t>(PyTuple_GET_SIZE(names));
  }
  const std::size_t first = end - operand;
  site.operands = stack.size() - first + 1;
  arguments.positional.reserve(operand + 1);
  for (std::size_t i = first; i < end - keyword_count; ++i) arguments.positional.push_back(stack[i]);
  for (std::size_t i = 0; i < keyword_count; ++i) {
    arguments.keywords.emplace_back(Ref::borrow(PyTuple_GET_ITEM(names, static_cast<Py_ssize_t>(i))),
                                    stack[end - keyword_count + i]);
  }
  return call(stack[first - 1].get(), std::move(arguments), std::move(site));
}

}  // namespace assay::languages::python
