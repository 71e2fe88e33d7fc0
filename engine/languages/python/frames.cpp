/// Frames: how they begin and end, and where their values go.
#include <algorithm>

#include "languages/python/absent.hpp"
#include "languages/python/addresses.hpp"
#include "languages/python/interpreter.hpp"
#include "languages/python/weak.hpp"

namespace assay::languages::python {
namespace {

PyObject* built_ins() {
  static PyObject* dict = [] {
    const Ref module = checked(PyImport_ImportModule("builtins"));
    return Py_NewRef(PyModule_GetDict(module.get()));
  }();
  return dict;
}

/// What a special method returned, checked and made into what the instruction wants.
Ref convert(Conversion conversion, const Ref& value) {
  PyTypeObject* type = Py_TYPE(value.get());
  switch (conversion) {
    case Conversion::kBool:
    case Conversion::kNotBool: {
      const int truth = PyObject_IsTrue(value.get());
      if (truth < 0) throw PythonError();
      return Ref::borrow((truth == 1) == (conversion == Conversion::kBool) ? Py_True : Py_False);
    }
    case Conversion::kStrictBool:
      if (!PyBool_Check(value.get()))
        raise(PyExc_TypeError, "__bool__ should return bool, returned %s", type->tp_name);
      return value;
    case Conversion::kLength: {
      const Ref number = checked(PyNumber_Index(value.get()));
      const Py_ssize_t length = PyLong_AsSsize_t(number.get());
      if (length == -1 && PyErr_Occurred() != nullptr) throw PythonError();
      if (length < 0) raise(PyExc_ValueError, "__len__() should return >= 0");
      return number;
    }
    case Conversion::kStr:
      if (!PyUnicode_Check(value.get()))
        raise(PyExc_TypeError, "__str__ returned non-string (type %s)", type->tp_name);
      return value;
    case Conversion::kRepr:
      if (!PyUnicode_Check(value.get()))
        raise(PyExc_TypeError, "__repr__ returned non-string (type %s)", type->tp_name);
      return value;
    case Conversion::kFormat:
      if (!PyUnicode_Check(value.get())) {
        raise(PyExc_TypeError, "__format__ must return a str, not %s", type->tp_name);
      }
      return value;
    case Conversion::kIterator:
      if (type->tp_iternext == nullptr)
        raise(PyExc_TypeError, "iter() returned non-iterator of type '%s'", type->tp_name);
      return value;
    case Conversion::kHash: {
      if (is_absent(value.get())) return value;  // an address
      if (is_identity(value.get()))
        throw Unsupported("the hash of this object is an address, which is different in each run");
      if (!PyLong_Check(value.get())) raise(PyExc_TypeError, "__hash__ method should return an integer");
      const Py_hash_t hash = PyObject_Hash(value.get());
      if (hash == -1) throw PythonError();
      const Py_ssize_t direct = PyLong_AsSsize_t(value.get());
      if (direct == -1 && PyErr_Occurred() != nullptr)
        PyErr_Clear();
      else
        return checked(PyLong_FromSsize_t(direct == -1 ? -2 : direct));
      return checked(PyLong_FromSsize_t(hash));
    }
  }
  return value;
}

/// The truth of what __bool__ or __len__ returned.
bool truth_of_result(bool is_length, const Ref& value) {
  if (!is_length) return convert(Conversion::kStrictBool, value).get() == Py_True;
  const Ref length = convert(Conversion::kLength, value);
  return PyObject_IsTrue(length.get()) == 1;
}

}  // namespace

Ref built_in(PyObject* name) {
  if (PyObject* const own = discreet_built_in(name)) return Ref::borrow(own);
  PyObject* value = PyDict_GetItemWithError(built_ins(), name);
  if (value == nullptr && PyErr_Occurred() != nullptr) throw PythonError();
  return Ref::borrow(value);
}

std::unique_ptr<Frame> body_frame(const Code* code) {
  auto frame = std::make_unique<Frame>();
  frame->code = code;
  frame->locals.resize(code->local_names.size());
  for (std::size_t i = 0; i < code->cell_names.size(); ++i)
    frame->cells.push_back(checked(PyCell_New(nullptr)));
  return frame;
}

Step Interpreter::deliver(Return mode, Ref extra, Ref value) {
  try {
    switch (mode) {
      case Return::kPush:
      case Return::kNext: top().stack.push_back(std::move(value)); return Step::kDone;
      case Return::kDiscard:
      case Return::kFinish: return Step::kDone;
      case Return::kNested: result = std::move(value); return Step::kDone;
      case Return::kInstance:
        if (value.get() != Py_None) {
          raise(PyExc_TypeError, "__init__() should return None, not '%.200s'",
                Py_TYPE(value.get())->tp_name);
        }
        top().stack.push_back(std::move(extra));
        return Step::kDone;
      case Return::kTruth: return decide(truth_of_result(static_cast<bool>(extra), value));
      case Return::kConvert:
        top().stack.push_back(convert(static_cast<Conversion>(PyLong_AsLong(extra.get())), value));
        return Step::kDone;
      case Return::kOperator: {
        const int code = static_cast<int>(PyLong_AsLong(PyTuple_GET_ITEM(extra.get(), 0)));
        const int attempt = static_cast<int>(PyLong_AsLong(PyTuple_GET_ITEM(extra.get(), 3)));
        if (value.get() == Py_NotImplemented) {
          return operate(code, PyTuple_GET_ITEM(extra.get(), 1), PyTuple_GET_ITEM(extra.get(), 2),
                         attempt + 1, {.advance = false});
        }
        top().stack.push_back(PyTuple_GET_SIZE(extra.get()) == 5 ? convert(Conversion::kNotBool, value)
                                                                 : std::move(value));
        return Step::kDone;
      }
      case Return::kYieldFrom:  // a __next__ of the program; generators come through return_value
        return yield_value(std::move(value));
      case Return::kCatch:
        top().stack.push_back(PyTuple_GET_SIZE(extra.get()) == 3
                                  ? Ref::borrow(PyTuple_GET_ITEM(extra.get(), 2))
                                  : std::move(value));
        return Step::kDone;
      case Return::kClose:
        if (extra) {
          const std::uint32_t at = top().pc;  // of its YIELD_FROM
          return unwind(std::move(extra), at);
        }
        top().stack.push_back(Ref::borrow(Py_None));
        return Step::kDone;
      case Return::kClass: break;  // see return_value
    }
  } catch (const PythonError&) {
    rethrow_interruption();
    return raise_in_caller(take_exception(), mode);
  }
  throw Unsupported("a frame that returns nowhere");
}

namespace {

/// Before 3.12 CPython also counts what C code calls, and how much that is depends on what calls. A function that a
/// function calls by its name counts once.
bool is_plain_call(const Frame& caller, const Frame& called) {
  if (called.on_return != Return::kPush || called.code->name.starts_with("__") || caller.pc == 0)
    return false;
  return static_cast<Operation>(caller.code->instructions[caller.pc - 1] & 0xff) == Operation::CALL;
}

void refuse_unknown_depth(const Thread& thread) {
  constexpr std::size_t kMostOfOneCall = 4;
  if (PY_VERSION_HEX >= 0x030c0000 || thread.frames.size() < kRecursionLimit / kMostOfOneCall) return;
  std::size_t deepest = 1;
  for (std::size_t i = 1; i < thread.frames.size(); ++i) {
    deepest += is_plain_call(*thread.frames[i - 1], *thread.frames[i]) ? 1 : kMostOfOneCall;
  }
  // Where hardly any are of that kind, the limit is reached about when it seems to be.
  constexpr std::size_t kNegligible = kRecursionLimit / 25;
  if (deepest >= kRecursionLimit && deepest - thread.frames.size() > kNegligible) {
    throw Unsupported("whether a recursion of " + std::to_string(thread.frames.size()) +
                      " frames, some of which C code calls, is too deep for CPython is not known; recurse "
                      "less deeply, or use a loop");
  }
}

}  // namespace

Step Interpreter::push_frame(std::unique_ptr<Frame> frame, Site site) {
  refuse_unknown_depth(thread);
  if (thread.frames.size() >= kRecursionLimit)
    raise(PyExc_RecursionError, "maximum recursion depth exceeded");
  if (frame->code->atomic) {
    const bool is_allowed = thread.atomic > 0 || (frame->code->early && world.joins_step(*frame->code)) ||
                            world.may_synchronise();
    if (!is_allowed) return stop(Stop::kVisible);
    frame->in_atomic = true;
    ++thread.atomic;
  }
  leave(site);
  frame->on_return = site.mode;
  frame->extra = std::move(site.extra);
  world.enters(*frame->code);
  thread.frames.push_back(std::move(frame));
  return Step::kDone;
}

void Interpreter::leave(const Site& site) {
  if (thread.frames.empty()) return;  // called from C++ in a thread of its own
  Frame& frame = top();
  if (site.operands != 0) frame.stack.resize(frame.stack.size() - site.operands);
  if (site.advance) ++frame.pc;
}

Step Interpreter::complete(Site site, Ref value) {
  leave(site);
  return deliver(site.mode, std::move(site.extra), std::move(value));
}

void Interpreter::tell_caller(const Code& function) {
  if (thread.frames.empty()) return;
  const Frame& caller = top();
  if (caller.code->instructions.empty()) return;
  const auto& instructions = caller.code->instructions;
  const auto before =
      static_cast<Operation>((caller.pc == 0 ? instructions[0] : instructions[caller.pc - 1]) & 0xff);
  world.comes_back(function, *caller.code,
                   before == Operation::CALL || before == Operation::CALL_KW || before == Operation::CALL_EX);
}

/// Of one that is being imported. Of what assignments call (`__setitem__`, the setter of a property) nothing is pushed
/// either.
bool Interpreter::is_body_of_module(const Frame& frame) const {
  return frame.on_return == Return::kDiscard && frame.code == world.program->modules[frame.code->module].code;
}

Step Interpreter::return_value(Ref value) {
  std::unique_ptr<Frame> frame = std::move(thread.frames.back());
  thread.frames.pop_back();
  if (frame->in_atomic) --thread.atomic;
  tell_caller(*frame->code);
  if (is_body_of_module(*frame)) {
    world.module_finished[frame->code->module] = true;
    world.poll();  // in CPython's machinery, which is not done yet
  }
  if (frame->generator) {
    generator_finish(frame->generator.get());
    switch (frame->on_return) {
      case Return::kNext:
      case Return::kYieldFrom:
      case Return::kClose:
      case Return::kNested: break;
      default: {
        Ref end = checked(value.get() == Py_None ? PyObject_CallNoArgs(PyExc_StopIteration)
                                                 : PyObject_CallOneArg(PyExc_StopIteration, value.get()));
        return propagate(frame->on_return, std::move(frame->extra), std::move(end));
      }
    }
    if (frame->on_return == Return::kYieldFrom) {
      Frame& caller = top();
      caller.stack.back() = std::move(value);
      ++caller.pc;
      return Step::kDone;
    }
    if (frame->on_return == Return::kNext) {  // the loop ends; the FOR_ITER is behind us
      Frame& caller = top();
      caller.stack.pop_back();
      caller.pc = caller.code->instructions[caller.pc - 1] >> 8;
      return Step::kDone;
    }
  }
  if (frame->on_return == Return::kClass) {
    try {
      value = make_class(std::move(frame->names), frame->extra.get(), value.get(), frame->code);
    } catch (const PythonError&) {
      rethrow_interruption();
      return raise_in_caller(take_exception(), Return::kClass);
    }
    return deliver(Return::kPush, {}, std::move(value));
  }
  yielded = false;
  return deliver(frame->on_return, std::move(frame->extra), std::move(value));
}

Ref Interpreter::library_function(const char* name, bool* entered) {
  const Program& program = *world.program;
  for (std::uint32_t index = 0; index < program.modules.size(); ++index) {
    const Module& module = program.modules[index];
    if (!module.is_library || (module.name != "_builtins" && module.name != "_library_functions")) continue;
    const auto found = module.global_index.find(name);
    if (found == module.global_index.end() || std::string_view(name).starts_with("__")) continue;
    if (!world.module_started[index]) {
      Site site;
      site.mode = Return::kDiscard;
      site.advance = false;
      push_frame(body_frame(module.code), std::move(site));
      world.module_started[index] = true;
      *entered = true;
      return {};
    }
    return world.globals[module.first_global + found->second];
  }
  return {};
}

Step Interpreter::import_module(std::uint32_t index) {
  Ref object = world.module_objects[index];
  if (!world.module_finished[index]) world.poll();  // CPython's machinery is written in Python
  if (!world.may_import(index)) return stop(Stop::kVisible);
  const Module& module = world.program->modules[index];
  if (world.module_started[index]) {
    // As CPython's lock of the module: others wait until its body has run. Who runs it gets what is there so far.
    const bool is_own = std::any_of(thread.frames.begin(), thread.frames.end(),
                                    [&](const auto& frame) { return frame->code == module.code; });
    if (!world.module_finished[index]) {
      if (!is_own) return stop(Stop::kBlocked);
      world.poll();
    }
    return complete({}, std::move(object));
  }
  Site site;
  site.mode = Return::kDiscard;
  Frame& caller = top();
  if (push_frame(body_frame(module.code), std::move(site)) == Step::kStop) return Step::kStop;
  caller.stack.push_back(std::move(object));
  world.module_started[index] = true;
  return Step::kDone;
}

Ref Interpreter::load_global(std::uint32_t module_number, std::uint32_t global, bool* allowed) {
  const Module& module = world.program->modules[module_number];
  *allowed = world.may_read_global(module.first_global + global);
  if (!*allowed) return {};
  const Ref& value = world.globals[module.first_global + global];
  if (value) return value;
  PyObject* name = module.global_names[global].get();
  if (name == interned("__name__")) return checked(PyUnicode_FromString(module.name.c_str()));
  if (name == interned("__file__")) return checked(PyUnicode_FromString(module.file.c_str()));
  if (Ref found = built_in(name)) return found;
  raise(PyExc_NameError, "name '%U' is not defined", name);
}

}  // namespace assay::languages::python
