/// Generators: their frame moves between the object and the thread.
#include "languages/python/interpreter.hpp"

namespace assay::languages::python {
namespace {

Generator* as_generator(PyObject* object) { return reinterpret_cast<Generator*>(object); }

/// Whether it waits in a YIELD_FROM: only there the pc of a suspended frame is on its instruction.
bool delegates(const Frame& frame) {
  return static_cast<Operation>(frame.code->instructions[frame.pc] & 0xff) == Operation::YIELD_FROM;
}

}  // namespace

void generator_finish(PyObject* object) {
  Generator* generator = as_generator(object);
  generator->state = GeneratorState::kFinished;
  delete std::exchange(generator->frame, nullptr);
}

/// Puts the frame of a generator that is not running onto the thread.
Frame& Interpreter::enter_generator(PyObject* object, Site site) {
  if (thread.frames.size() >= kRecursionLimit)
    raise(PyExc_RecursionError, "maximum recursion depth exceeded");
  Generator* generator = as_generator(object);
  const Ref self = Ref::borrow(object);  // the site's operands may hold the last reference
  leave(site);
  std::unique_ptr<Frame> frame(std::exchange(generator->frame, nullptr));
  frame->on_return = site.mode;
  frame->extra = std::move(site.extra);
  frame->generator = self;
  generator->state = GeneratorState::kRunning;
  thread.frames.push_back(std::move(frame));
  return top();
}

Step Interpreter::resume(PyObject* object, PyObject* sent, Site site) {
  Generator* generator = as_generator(object);
  if (!world.may_write(object)) return stop(Stop::kVisible);
  switch (generator->state) {
    case GeneratorState::kRunning: raise(PyExc_ValueError, "generator already executing");
    case GeneratorState::kFinished: {
      leave(site);
      Ref end = checked(PyObject_CallNoArgs(PyExc_StopIteration));
      if (site.mode == Return::kPush) return raise_in_caller(std::move(end), site.mode);
      return propagate(site.mode, std::move(site.extra), std::move(end));
    }
    case GeneratorState::kCreated:
      if (sent != Py_None) raise(PyExc_TypeError, "can't send non-None value to a just-started generator");
      enter_generator(object, std::move(site));
      break;
    case GeneratorState::kSuspended: {
      Ref value = Ref::borrow(sent);
      enter_generator(object, std::move(site)).stack.push_back(std::move(value));
      break;
    }
  }
  world.enters(*top().code);
  return Step::kDone;
}

Step Interpreter::throw_into(PyObject* object, Ref exception, Site site) {
  Generator* generator = as_generator(object);
  if (!world.may_write(object)) return stop(Stop::kVisible);
  if (generator->state == GeneratorState::kRunning) raise(PyExc_ValueError, "generator already executing");
  if (generator->state == GeneratorState::kCreated) generator_finish(object);
  if (generator->state == GeneratorState::kFinished) {
    leave(site);
    return propagate(site.mode, std::move(site.extra), std::move(exception));
  }
  Frame& frame = enter_generator(object, std::move(site));
  if (!delegates(frame)) {
    set_context(exception.get());
    return unwind(std::move(exception), frame.pc - 1);
  }
  PyObject* inner = frame.stack.back().get();
  if (is_generator(inner)) {
    if (PyErr_GivenExceptionMatches(exception.get(), PyExc_GeneratorExit) != 0) {
      if (as_generator(inner)->state == GeneratorState::kSuspended) {
        Ref exit = exception;
        return throw_into(inner, std::move(exit),
                          {.mode = Return::kClose, .extra = exception, .advance = false});
      }
    } else if (as_generator(inner)->state != GeneratorState::kRunning) {
      return throw_into(inner, std::move(exception), {.mode = Return::kYieldFrom, .advance = false});
    }
  }
  set_context(exception.get());
  return unwind(std::move(exception), frame.pc);
}

Step Interpreter::close(PyObject* object, Site site) {
  Generator* generator = as_generator(object);
  if (!world.may_write(object)) return stop(Stop::kVisible);
  if (generator->state == GeneratorState::kRunning) raise(PyExc_ValueError, "generator already executing");
  if (generator->state != GeneratorState::kSuspended) {
    generator_finish(object);
    return complete(std::move(site), Ref::borrow(Py_None));
  }
  Ref exit = checked(PyObject_CallNoArgs(PyExc_GeneratorExit));
  site.mode = Return::kClose;
  return throw_into(object, std::move(exit), std::move(site));
}

bool Interpreter::may_leave_generators() {
  for (auto at = thread.frames.rbegin(); at != thread.frames.rend(); ++at) {
    if ((*at)->generator && !world.may_write((*at)->generator.get())) return false;
    if ((*at)->on_return != Return::kYieldFrom)
      break;  // else what it returns or yields is yielded by the next one
  }
  return true;
}

Step Interpreter::yield_value(Ref value) {
  std::unique_ptr<Frame> frame = std::move(thread.frames.back());
  thread.frames.pop_back();
  const Return mode = frame->on_return;
  Ref extra = std::move(frame->extra);
  const Ref object = std::move(frame->generator);
  frame->generator = Ref();
  frame->on_return = Return::kPush;
  Generator* generator = as_generator(object.get());
  generator->state = GeneratorState::kSuspended;
  const Code& code = *frame->code;
  generator->frame = frame.release();
  if (mode != Return::kNested) tell_caller(code);
  switch (mode) {
    case Return::kYieldFrom:
      return yield_value(std::move(value));  // the caller waits in its YIELD_FROM and hands it on
    case Return::kClose: {
      const Ref text = checked(PyUnicode_FromString("generator ignored GeneratorExit"));
      return raise_in_caller(checked(PyObject_CallOneArg(PyExc_RuntimeError, text.get())), mode);
    }
    case Return::kNested: yielded = true; break;
    default: break;
  }
  return deliver(mode, std::move(extra), std::move(value));
}

Step Interpreter::yield_from() {
  Frame& frame = top();
  PyObject* sent = frame.stack.back().get();
  const Ref inner = frame.stack[frame.stack.size() - 2];
  if (!is_generator(inner.get()) && !may_leave_generators()) return stop(Stop::kVisible);
  if (is_generator(inner.get())) {
    return resume(inner.get(), sent, {.operands = 1, .mode = Return::kYieldFrom, .advance = false});
  }
  if (sent != Py_None) {
    // An iterator that takes values: CPython calls its `send`.
    Ref value = Ref::steal(PyObject_CallMethodOneArg(inner.get(), interned("send"), sent));
    if (value) {
      frame.stack.pop_back();
      return yield_value(std::move(value));
    }
  } else if (PyObject* next = program_method(inner.get(), "__next__")) {
    return call(next, {.positional = {inner}, .keywords = {}},
                {.operands = 1, .mode = Return::kYieldFrom, .advance = false});
  } else {
    if (is_iterator(inner.get())) {
      auto* iterator = reinterpret_cast<Iterator*>(inner.get());
      if (!world.may_write(inner.get())) return stop(Stop::kVisible);
      if (iterator->container != nullptr && !world.may_read_item(iterator->container, nullptr))
        return stop(Stop::kVisible);
    } else if (PyObject* object = inner.get(); !world.may_call(&object, 1, &object, 1)) {
      return stop(Stop::kVisible);
    }
    Ref value = Ref::steal(Py_TYPE(inner.get())->tp_iternext(inner.get()));
    if (value) {
      frame.stack.pop_back();
      return yield_value(std::move(value));
    }
  }
  Ref value = Ref::borrow(Py_None);
  if (PyErr_Occurred() != nullptr) {
    if (PyErr_ExceptionMatches(PyExc_StopIteration) == 0) throw PythonError();
    const Ref end = take_exception();
    value = checked(PyObject_GetAttrString(end.get(), "value"));
  }
  return complete({.operands = 2}, std::move(value));
}

}  // namespace assay::languages::python
