/// Raising, handlers, unwinding, and what is left of an exception that nobody handles.
#include <algorithm>
#include <cstdarg>

#include "languages/python/absent.hpp"
#include "languages/python/interpreter.hpp"

namespace assay::languages::python {
namespace {

/// Below the top, a frame's pc is behind the instruction that called, unless the value comes back to it.
std::uint32_t calling_instruction(const Frame& frame, Return mode) {
  const bool stays = mode == Return::kTruth || mode == Return::kYieldFrom;
  return stays || frame.pc == 0 ? frame.pc : frame.pc - 1;
}

/// Adds a line to what becomes the traceback: (code, pc), innermost first.
void add_line(PyObject* exception, const Frame& frame, std::uint32_t at) {
  const Ref attributes = checked(PyObject_GenericGetDict(exception, nullptr));
  PyObject* name = interned("__assay_trace__");
  PyObject* before = PyDict_GetItemWithError(attributes.get(), name);
  if (before == nullptr && PyErr_Occurred() != nullptr) throw PythonError();
  const Ref line = checked(Py_BuildValue("(II)", frame.code->number, at));
  const Ref lines = before == nullptr ? line : checked(PySequence_Concat(before, line.get()));
  if (PyDict_SetItem(attributes.get(), name, lines.get()) != 0) throw PythonError();
}

Ref make_exception(PyObject* given) {
  if (PyExceptionInstance_Check(given)) return Ref::borrow(given);
  if (!PyExceptionClass_Check(given)) return {};
  Ref made = checked(PyObject_CallNoArgs(given));
  if (!PyExceptionInstance_Check(made.get())) {
    raise(PyExc_TypeError, "calling %R should have returned an instance of BaseException, not %R", given,
          reinterpret_cast<PyObject*>(Py_TYPE(made.get())));
  }
  return made;
}

/// Without a cycle, as CPython does it.
void chain(PyObject* exception, PyObject* context) {
  if (context == exception) return;
  PyObject* link = context;
  for (int steps = 0; steps < 10000; ++steps) {
    const Ref next = Ref::steal(PyException_GetContext(link));
    if (!next) break;
    if (next.get() == exception) {
      PyException_SetContext(link, nullptr);
      break;
    }
    link = next.get();  // kept alive by the chain
  }
  PyException_SetContext(exception, Py_NewRef(context));
}

bool is_quiet_exit(PyObject* exception, bool in_main_thread) {
  if (PyErr_GivenExceptionMatches(exception, PyExc_SystemExit) == 0) return false;
  if (!in_main_thread) return true;
  const Ref status = checked(PyObject_GetAttrString(exception, "code"));
  if (status.get() == Py_None) return true;
  if (!PyLong_Check(status.get())) return false;
  int overflow = 0;
  return PyLong_AsLongAndOverflow(status.get(), &overflow) == 0 && overflow == 0;
}

std::vector<std::pair<const Code*, std::uint32_t>> traceback_of(PyObject* exception, const Program& program) {
  std::vector<std::pair<const Code*, std::uint32_t>> lines;
  const Ref attributes = checked(PyObject_GenericGetDict(exception, nullptr));
  PyObject* trace = PyDict_GetItemWithError(attributes.get(), interned("__assay_trace__"));
  if (trace == nullptr || !PyTuple_Check(trace)) return lines;
  for (Py_ssize_t i = PyTuple_GET_SIZE(trace) - 2; i >= 0; i -= 2) {
    const unsigned long code = PyLong_AsUnsignedLong(PyTuple_GET_ITEM(trace, i));
    const unsigned long pc = PyLong_AsUnsignedLong(PyTuple_GET_ITEM(trace, i + 1));
    if (PyErr_Occurred() != nullptr) throw PythonError();
    if (code < program.codes.size())
      lines.emplace_back(program.codes[code].get(), static_cast<std::uint32_t>(pc));
  }
  return lines;
}

}  // namespace

void raise(PyObject* type, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  PyErr_FormatV(type, format, arguments);
  va_end(arguments);
  throw PythonError();
}

Ref take_exception() {
#if PY_VERSION_HEX >= 0x030c0000
  Ref exception = Ref::steal(PyErr_GetRaisedException());
#else
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  Py_XDECREF(type);
  Py_XDECREF(traceback);
  Ref exception = Ref::steal(value);
#endif
  if (!exception) throw Unsupported("a built-in failed without an exception");
  PyException_SetTraceback(exception.get(), Py_None);
  return exception;
}

void give_exception(const Ref& exception) {
  // PyErr_SetObject would set a context; the machine has set it.
#if PY_VERSION_HEX >= 0x030c0000
  PyErr_SetRaisedException(Py_NewRef(exception.get()));
#else
  PyErr_Restore(Py_NewRef(reinterpret_cast<PyObject*>(Py_TYPE(exception.get()))), Py_NewRef(exception.get()),
                nullptr);
#endif
}

std::string last_line(PyObject* exception) {
  const Ref type = Ref::borrow(reinterpret_cast<PyObject*>(Py_TYPE(exception)));
  std::string name;
  const Ref module = Ref::steal(PyObject_GetAttrString(type.get(), "__module__"));
  const Ref qualname = Ref::steal(PyObject_GetAttrString(type.get(), "__qualname__"));
  PyErr_Clear();
  if (module && PyUnicode_Check(module.get())) {
    const std::string text = utf8(module.get());
    if (text != "__main__" && text != "builtins") name = text + ".";
  }
  name += qualname && PyUnicode_Check(qualname.get()) ? utf8(qualname.get()) : Py_TYPE(exception)->tp_name;
  try {
    const std::string message = utf8(str_of(exception).get());
    return message.empty() ? name : name + ": " + message;
  } catch (const PythonError&) {
    if (!interruption_pending()) PyErr_Clear();
    rethrow_interruption();
    return name + ": <exception str() failed>";
  }
}

Ref Interpreter::nearest_handled() const {
  for (auto frame = thread.frames.rbegin(); frame != thread.frames.rend(); ++frame) {
    if ((*frame)->handled) return (*frame)->handled;
  }
  return {};
}

void Interpreter::set_context(PyObject* exception) const {
  if (const Ref handled = nearest_handled()) chain(exception, handled.get());
}

/// Where variables of types can have defaults, generic classes may be given fewer arguments than they have parameters.
static void refuse_missing_arguments(const World& world, PyObject* exception) {
  if (Py_TYPE(exception) != reinterpret_cast<PyTypeObject*>(PyExc_TypeError)) return;
  PyObject* const given = reinterpret_cast<PyBaseExceptionObject*>(exception)->args;
  if (PyTuple_GET_SIZE(given) != 1) return;
  if (!text_if_any(PyTuple_GET_ITEM(given, 0)).starts_with("Too few arguments for ")) return;
  const std::vector<Module>& modules = world.program->modules;
  if (std::any_of(modules.begin(), modules.end(), [](const Module& module) {
        return module.is_library && module.name == "typing_extensions";
      })) {
    throw Unsupported(
        "a generic class is given fewer arguments than it has parameters, whose defaults are not modelled; "
        "give all of them");
  }
}

Step Interpreter::raise_native() {
  Ref exception = take_exception();
  refuse_telling_text(exception.get());
  refuse_missing_arguments(world, exception.get());
  const Ref context = Ref::steal(PyException_GetContext(exception.get()));
  if (!context) set_context(exception.get());
  return unwind(std::move(exception), top().pc);
}

Step Interpreter::raise_in_caller(Ref exception, Return mode) {
  const Ref context = Ref::steal(PyException_GetContext(exception.get()));
  if (!context) set_context(exception.get());
  return unwind(std::move(exception), calling_instruction(top(), mode));
}

Step Interpreter::raise_instruction(std::uint32_t operand) {
  Frame& frame = top();
  if (operand == 0) {
    Ref handled = nearest_handled();
    if (!handled) raise(PyExc_RuntimeError, "No active exception to reraise");
    return unwind(std::move(handled), frame.pc, false);
  }
  PyObject* given = frame.stack[frame.stack.size() - operand].get();
  if (PyExceptionInstance_Check(given) && !world.may_write(given)) return stop(Stop::kVisible);
  if (is_absent(given)) refuse_absent(given, "raises");
  Ref exception = make_exception(given);
  if (!exception) raise(PyExc_TypeError, "exceptions must derive from BaseException");
  if (operand == 2) {
    PyObject* cause = frame.stack.back().get();
    Ref made = make_exception(cause);
    if (!made && cause != Py_None) raise(PyExc_TypeError, "exception causes must derive from BaseException");
    PyException_SetCause(exception.get(), made.release());
  }
  set_context(exception.get());
  return unwind(std::move(exception), frame.pc);
}

Step Interpreter::check_match() {
  Frame& frame = top();
  PyObject* expected = frame.stack.back().get();
  if (PyObject* const unknown = first_absent(expected)) refuse_absent(unknown, "catches");
  PyObject* exception = frame.stack[frame.stack.size() - 2].get();
  const Py_ssize_t count = PyTuple_Check(expected) ? PyTuple_GET_SIZE(expected) : 1;
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (!PyExceptionClass_Check(PyTuple_Check(expected) ? PyTuple_GET_ITEM(expected, i) : expected)) {
      raise(PyExc_TypeError, "catching classes that do not inherit from BaseException is not allowed");
    }
  }
  const bool matches = PyErr_GivenExceptionMatches(exception, expected) != 0;
  return complete({.operands = 1}, Ref::borrow(matches ? Py_True : Py_False));
}

Step Interpreter::unwind(Ref exception, std::uint32_t at, bool with_line) {
  Frame& frame = top();
  if (with_line) {
    add_line(exception.get(), frame, at);
    world.raises(exception.get(), frame, at);
  }
  for (const Handler& handler : frame.code->handlers) {
    if (at < handler.start || at >= handler.end) continue;
    if (handler.depth > frame.stack.size())
      throw Unsupported("a handler in " + frame.code->qualname + " expects a deeper stack");
    frame.stack.resize(handler.depth);
    frame.stack.push_back(std::move(exception));
    frame.pc = handler.target;
    return Step::kDone;
  }
  std::unique_ptr<Frame> left = std::move(thread.frames.back());
  thread.frames.pop_back();
  if (left->on_return == Return::kFinish &&
      is_quiet_exit(exception.get(), left->code == world.program->modules[0].code)) {
    return Step::kDone;
  }
  if (left->in_atomic) --thread.atomic;
  tell_caller(*left->code);
  if (is_body_of_module(*left)) world.module_started[left->code->module] = false;
  if (left->generator) {
    // Others can see that it ends. The step cannot stop here, between what raises and where that goes.
    if (!world.may_write(left->generator.get())) {
      throw Unsupported("an exception leaves the generator " + left->code->qualname +
                        ", which other threads can reach; catch it inside of the generator");
    }
    generator_finish(left->generator.get());
    if (PyErr_GivenExceptionMatches(exception.get(), PyExc_StopIteration) != 0) {
      const Ref text = checked(PyUnicode_FromString("generator raised StopIteration"));
      Ref replacement = checked(PyObject_CallOneArg(PyExc_RuntimeError, text.get()));
      PyException_SetCause(replacement.get(), Py_NewRef(exception.get()));
      PyException_SetContext(replacement.get(), Py_NewRef(exception.get()));
      add_line(replacement.get(), *left, at);
      exception = std::move(replacement);
    }
  }
  return propagate(left->on_return, std::move(left->extra), std::move(exception));
}

namespace {

/// A module that is not there tells nothing about the program, unless somebody is prepared for that.
void refuse_missing_module(PyObject* exception, const Program& program) {
  if (reinterpret_cast<PyObject*>(Py_TYPE(exception)) != PyExc_ModuleNotFoundError) return;
  const Ref name = checked(PyObject_GetAttrString(exception, "name"));
  if (!PyUnicode_Check(name.get())) return;
  const std::string text = utf8(str_of(exception).get());
  if (text != "No module named '" + utf8(name.get()) + "'") return;
  std::string place;
  const auto lines = traceback_of(exception, program);
  if (!lines.empty()) {
    const auto& [code, pc] = lines.back();
    place = " (" + program.modules[code->module].file + ":" +
            std::to_string(code->positions[std::min<std::size_t>(pc, code->positions.size() - 1)].line) + ")";
  }
  throw Unsupported("there is no module '" + utf8(name.get()) +
                    "' here, so nothing is known about the program" + place +
                    "; install it where --python says, put it beside the program, or catch the ImportError");
}

}  // namespace

Step Interpreter::propagate(Return mode, Ref extra, Ref exception) {
  const auto matches = [&](PyObject* type) {
    return PyErr_GivenExceptionMatches(exception.get(), type) != 0;
  };
  switch (mode) {
    case Return::kFinish: {
      refuse_missing_module(exception.get(), *world.program);
      world.failure.kind = matches(PyExc_AssertionError) ? "assertion" : "exception";
      world.failure.message = last_line(exception.get());
      world.failure.traceback = traceback_of(exception.get(), *world.program);
      world.failure.exception = std::move(exception);
      return stop(Stop::kFailed);
    }
    case Return::kNested: nested_error = std::move(exception); return Step::kDone;
    case Return::kNext:
      if (matches(PyExc_StopIteration) || (extra && matches(extra.get()))) {  // the FOR_ITER is behind us
        Frame& caller = top();
        caller.stack.pop_back();
        caller.pc = caller.code->instructions[caller.pc - 1] >> 8;
        return Step::kDone;
      }
      break;
    case Return::kCatch:
      if (matches(PyTuple_GET_ITEM(extra.get(), 0))) {
        top().stack.push_back(Ref::borrow(PyTuple_GET_ITEM(extra.get(), 1)));
        return Step::kDone;
      }
      break;
    case Return::kClose:
      if (matches(PyExc_GeneratorExit) || matches(PyExc_StopIteration)) {
        return deliver(Return::kClose, std::move(extra), Ref::borrow(Py_None));
      }
      break;
    case Return::kYieldFrom:
      if (matches(PyExc_StopIteration)) {
        Frame& caller = top();
        caller.stack.back() = checked(PyObject_GetAttrString(exception.get(), "value"));
        ++caller.pc;
        return Step::kDone;
      }
      break;
    default: break;
  }
  return unwind(std::move(exception), calling_instruction(top(), mode));
}

}  // namespace assay::languages::python
