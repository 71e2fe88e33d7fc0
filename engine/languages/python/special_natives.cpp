/// Built-ins that the interpreter takes apart: what they call is entered as frames.
#include <algorithm>

#include "languages/python/effects.hpp"
#include "languages/python/interpreter.hpp"
#include "languages/python/weak.hpp"

namespace assay::languages::python {
namespace {

Ref number(Conversion conversion) { return checked(PyLong_FromLong(static_cast<long>(conversion))); }

}  // namespace

std::optional<Step> Interpreter::call_generator_method(PyObject* callable, Arguments& arguments, Site& site) {
  if (!PyCFunction_Check(callable)) return std::nullopt;
  PyObject* self = PyCFunction_GET_SELF(callable);
  if (self == nullptr || !is_generator(self) || site.mode != Return::kPush) return std::nullopt;
  const std::string_view name = reinterpret_cast<PyCFunctionObject*>(callable)->m_ml->ml_name;
  const Ref kept = Ref::borrow(self);
  const std::size_t count = arguments.positional.size();
  if (!arguments.keywords.empty()) return std::nullopt;
  if (name == "send" && count == 1) return resume(self, arguments.positional[0].get(), std::move(site));
  if (name == "close" && count == 0) return close(self, std::move(site));
  if (name == "throw" && count >= 1) {
    PyObject* given = arguments.positional[0].get();
    Ref exception;
    if (PyExceptionInstance_Check(given)) {
      exception = Ref::borrow(given);
    } else if (PyExceptionClass_Check(given)) {
      PyObject* value = count > 1 ? arguments.positional[1].get() : Py_None;
      exception = value == Py_None                   ? checked(PyObject_CallNoArgs(given))
                  : PyExceptionInstance_Check(value) ? Ref::borrow(value)
                                                     : checked(PyObject_CallOneArg(given, value));
    } else {
      raise(PyExc_TypeError, "exceptions must be classes or instances deriving from BaseException, not %s",
            Py_TYPE(given)->tp_name);
    }
    return throw_into(self, std::move(exception), std::move(site));
  }
  return std::nullopt;
}

Step Interpreter::settle(const std::string& what, const std::string& way_out) {
  const bool is_nested = std::any_of(thread.frames.begin(), thread.frames.end(),
                                     [](const auto& frame) { return frame->on_return == Return::kNested; });
  if (thread.atomic > 0 || is_nested) {
    throw Unsupported(what + " in the middle of something that is one piece, which is not modelled; " +
                      way_out);
  }
  return stop(Stop::kLong);
}

std::optional<Step> Interpreter::call_special(PyObject* callable, Special special, Arguments& arguments,
                                              Site& site) {
  if (std::optional<Step> step = call_generator_method(callable, arguments, site)) return step;
  const std::size_t count = arguments.positional.size();
  const bool plain_call = arguments.keywords.empty();
  PyObject* first = count > 0 ? arguments.positional[0].get() : nullptr;
  switch (special) {
    case Special::kNone: return std::nullopt;
    case Special::kPrint: return print(arguments, std::move(site));
    case Special::kLen:
      if (count == 1 && plain_call) return length(first, std::move(site));
      break;
    case Special::kIter:
      if (count == 1 && plain_call) {
        if (site.mode != Return::kPush) break;
        return get_iterator(first, std::move(site));
      }
      if (count == 2 && plain_call) return delegate("iter", nullptr, arguments, site);
      break;
    case Special::kNext:
      if ((count == 1 || count == 2) && plain_call && site.mode == Return::kPush)
        return next_value(arguments, std::move(site));
      break;
    case Special::kRepr:
      if (count == 1 && plain_call) return text_of(first, Conversion::kRepr, std::move(site));
      break;
    case Special::kStr:
      if (count == 1 && plain_call) return text_of(first, Conversion::kStr, std::move(site));
      break;
    case Special::kFormat:
      if (count >= 1 && plain_call && site.mode == Return::kPush) {
        if (PyObject* method = program_method(first, "__format__")) {
          Ref spec = count > 1 ? arguments.positional[1] : Ref::borrow(interned(""));
          site.mode = Return::kConvert;
          site.extra = number(Conversion::kFormat);
          return call_function(method, {.positional = {Ref::borrow(first), std::move(spec)}, .keywords = {}},
                               std::move(site));
        }
      }
      break;
    case Special::kHash:
      if (count != 1 || !plain_call) break;
      if (PyObject* method = program_method(first, "__hash__");
          method != nullptr && site.mode == Return::kPush) {
        site.mode = Return::kConvert;
        site.extra = number(Conversion::kHash);
        return call_function(method, {.positional = {Ref::borrow(first)}, .keywords = {}}, std::move(site));
      }
      if (PyTuple_CheckExact(first) && site.mode == Return::kPush &&
          std::any_of(&PyTuple_GET_ITEM(first, 0), &PyTuple_GET_ITEM(first, 0) + PyTuple_GET_SIZE(first),
                      [](PyObject* item) { return program_method(item, "__hash__") != nullptr; })) {
        return delegate("_hash_of_tuple", nullptr, arguments, site);
      }
      break;
    case Special::kId: {
      if (count != 1 || !plain_call) break;
      if (!world.knows_identities()) return settle("id() is asked for", "ask for it before");
      Ref made = new_weak(first, true);
      world.identities_made.push_back(made);
      return complete(std::move(site), std::move(made));
    }
    case Special::kIsInstance:
    case Special::kIsSubclass:
      if (count == 2 && plain_call && site.mode == Return::kPush)
        return ask_metaclass(special == Special::kIsInstance, arguments, site);
      break;
    case Special::kGetattr:
      if ((count == 2 || count == 3) && plain_call) return get_attribute(arguments, std::move(site), false);
      break;
    case Special::kHasattr:
      if (count == 2 && plain_call) return get_attribute(arguments, std::move(site), true);
      break;
    case Special::kSetattr:
    case Special::kDelattr: {
      const std::size_t wanted = special == Special::kSetattr ? 3 : 2;
      if (count != wanted || !plain_call || site.mode != Return::kPush) break;
      PyObject* name = arguments.positional[1].get();
      if (!PyUnicode_Check(name))
        raise(PyExc_TypeError, "attribute name must be string, not '%.200s'", Py_TYPE(name)->tp_name);
      PyObject* text = Py_NewRef(name);
      PyUnicode_InternInPlace(&text);
      const Ref kept = Ref::steal(text);
      // Whatever the setter returns, the call gives None.
      site.mode = Return::kCatch;
      site.extra = checked(PyTuple_Pack(3, PyTuple_New(0), Py_None, Py_None));
      return store_attribute(first, kept.get(), wanted == 3 ? arguments.positional[2].get() : nullptr,
                             std::move(site));
    }
    case Special::kBool: {
      if (count != 1 || !plain_call || site.mode != Return::kPush) break;
      PyObject* method = program_method(first, "__bool__");
      const bool by_length = method == nullptr && lookup(Py_TYPE(first), interned("__bool__")) == nullptr;
      if (by_length) method = program_method(first, "__len__");
      if (method != nullptr) {
        site.mode = Return::kConvert;
        site.extra = number(by_length ? Conversion::kBool : Conversion::kStrictBool);
        return call_function(method, {.positional = {Ref::borrow(first)}, .keywords = {}}, std::move(site));
      }
      if (!is_plain(first) && !PyTuple_CheckExact(first) && !is_function(first) && !world.may_read(first)) {
        return stop(Stop::kVisible);
      }
      const int truth = PyObject_IsTrue(first);
      if (truth < 0) throw PythonError();
      return complete(std::move(site), Ref::borrow(truth == 1 ? Py_True : Py_False));
    }
    case Special::kReversed:
      if (count == 1 && plain_call) return reversed(first, arguments, std::move(site));
      break;
  }
  return std::nullopt;
}

/// `isinstance` and `issubclass` where a metaclass of the program has its say.
std::optional<Step> Interpreter::ask_metaclass(bool of_instance, Arguments& arguments, Site& site) {
  const char* const hook = of_instance ? "__instancecheck__" : "__subclasscheck__";
  const auto asks_program = [&](PyObject* kind) {
    PyObject* const method = program_method(kind, hook);
    if (method == nullptr) return false;
    return !world.program->modules[reinterpret_cast<Function*>(method)->code->module].is_library;
  };
  const Ref kind = arguments.positional[1];
  if (PyTuple_Check(kind.get())) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(kind.get()); ++i) {
      PyObject* const one = PyTuple_GET_ITEM(kind.get(), i);
      if (!PyTuple_Check(one) && !asks_program(one)) continue;
      return delegate(of_instance ? "_is_instance_of_any" : "_is_subclass_of_any", nullptr, arguments, site);
    }
    return std::nullopt;
  }
  const Ref first = arguments.positional[0];
  const bool is_exact = of_instance && reinterpret_cast<PyObject*>(Py_TYPE(first.get())) == kind.get();
  if (is_exact || !asks_program(kind.get())) return std::nullopt;
  site.mode = Return::kConvert;
  site.extra = number(Conversion::kBool);
  return call_function(program_method(kind.get(), hook), {.positional = {kind, first}, .keywords = {}},
                       std::move(site));
}

Step Interpreter::length(PyObject* object, Site site) {
  if (PyObject* method = program_method(object, "__len__"); method != nullptr && site.mode == Return::kPush) {
    site.mode = Return::kConvert;
    site.extra = number(Conversion::kLength);
    return call_function(method, {.positional = {Ref::borrow(object)}, .keywords = {}}, std::move(site));
  }
  if (!is_plain(object) && !PyTuple_CheckExact(object) && !world.may_read(object))
    return stop(Stop::kVisible);
  const Py_ssize_t size = PyObject_Size(object);
  if (size < 0) throw PythonError();
  return complete(std::move(site), checked(PyLong_FromSsize_t(size)));
}

Step Interpreter::next_value(Arguments& arguments, Site site) {
  const Ref iterator = arguments.positional[0];
  PyObject* object = iterator.get();
  const bool has_default = arguments.positional.size() == 2;
  if (has_default) {
    site.mode = Return::kCatch;
    site.extra = checked(PyTuple_Pack(2, PyExc_StopIteration, arguments.positional[1].get()));
  }
  if (is_generator(object)) return resume(object, Py_None, std::move(site));
  if (PyObject* method = program_method(object, "__next__")) {
    return call_function(method, {.positional = {iterator}, .keywords = {}}, std::move(site));
  }
  Ref value;
  if (is_iterator(object)) {
    auto* self = reinterpret_cast<Iterator*>(object);
    if (!world.may_write(object)) return stop(Stop::kVisible);
    if (self->container != nullptr && !is_plain(self->container) &&
        !world.may_read_item(self->container, nullptr)) {
      return stop(Stop::kVisible);
    }
    value = next_of(self);
  } else {
    const iternextfunc next = Py_TYPE(object)->tp_iternext;
    if (next == nullptr)
      raise(PyExc_TypeError, "'%.200s' object is not an iterator", Py_TYPE(object)->tp_name);
    if (!world.may_call(&object, 1, &object, 1)) return stop(Stop::kVisible);
    value = Ref::steal(next(object));
    if (!value && PyErr_Occurred() != nullptr &&
        !(has_default && PyErr_ExceptionMatches(PyExc_StopIteration) != 0)) {
      throw PythonError();
    }
    PyErr_Clear();
  }
  if (value) return complete(std::move(site), std::move(value));
  if (has_default) return complete(std::move(site), arguments.positional[1]);
  PyErr_SetNone(PyExc_StopIteration);
  throw PythonError();
}

Step Interpreter::get_attribute(Arguments& arguments, Site site, bool only_whether) {
  PyObject* object = arguments.positional[0].get();
  PyObject* given = arguments.positional[1].get();
  const char* function = only_whether ? "hasattr" : "getattr";
  if (!PyUnicode_Check(given)) {
    if (PY_VERSION_HEX >= 0x030b0000 && !only_whether) {
      raise(PyExc_TypeError, "attribute name must be string, not '%.200s'", Py_TYPE(given)->tp_name);
    }
    raise(PyExc_TypeError, "%s(): attribute name must be string", function);
  }
  PyObject* text = Py_NewRef(given);
  PyUnicode_InternInPlace(&text);
  const Ref name = Ref::steal(text);
  const bool catches = only_whether || arguments.positional.size() == 3;
  if (!catches) return load_attribute(object, name.get(), std::move(site), interned(function));
  if (site.mode != Return::kPush)
    return run_native(built_in(interned(function)).get(), arguments, std::move(site));
  const Ref otherwise = only_whether ? Ref::borrow(Py_False) : arguments.positional[2];
  Site caught;
  caught.operands = site.operands;
  caught.advance = site.advance;
  caught.mode = Return::kCatch;
  caught.extra = checked(only_whether ? PyTuple_Pack(3, PyExc_AttributeError, Py_False, Py_True)
                                      : PyTuple_Pack(2, PyExc_AttributeError, otherwise.get()));
  try {
    return load_attribute(object, name.get(), std::move(caught), interned(function));
  } catch (const PythonError&) {
    if (interruption_pending() || PyErr_ExceptionMatches(PyExc_AttributeError) == 0) throw;
    PyErr_Clear();
  }
  return complete(std::move(site), otherwise);
}

Step Interpreter::reversed(PyObject* sequence, Arguments& arguments, Site site) {
  if (PyObject* method = program_method(sequence, "__reversed__")) {
    return call_function(method, {.positional = {Ref::borrow(sequence)}, .keywords = {}}, std::move(site));
  }
  if (PyODict_Check(sequence)) {
    throw Unsupported("reversed() of an OrderedDict is not modelled; use reversed(list(...))");
  }
  const bool is_built_in = !is_program_type(Py_TYPE(sequence)) &&
                           (PySequence_Check(sequence) || PyDict_Check(sequence)) &&
                           !PyAnySet_Check(sequence);
  if (!is_built_in) {
    if (std::optional<Step> step = delegate("reversed", nullptr, arguments, site)) return *step;
    return run_native(built_in(interned("reversed")).get(), arguments, std::move(site));
  }
  if (!is_plain(sequence) && !PyTuple_CheckExact(sequence) && !world.may_read(sequence))
    return stop(Stop::kVisible);
  return complete(std::move(site), over(Iteration::kReversed, sequence));
}

}  // namespace assay::languages::python
