/// The loop over instructions, frames and what comes back from them.
#include "languages/python/interpreter.hpp"

#include <exception>

#include "languages/python/absent.hpp"
#include "languages/python/call_back.hpp"
#include "languages/python/weak.hpp"

namespace assay::languages::python {
namespace {

/// A step of more instructions is cut, so that an endless loop without a visible instruction is noticed.
constexpr std::uint64_t kLongRun = 1'000'000;
constexpr std::uint64_t kLongBeginning = 50'000'000;  // packages make tables when they are imported

std::exception_ptr& pending() {
  static std::exception_ptr interruption;
  return interruption;
}

int running_interpreters = 0;

/// Makes world and thread those of nested interpreters, and hides the exception that the surrounding Python program
/// may be handling, so that it becomes no context of the program's exceptions.
class Running {
 public:
  Running(World& world, Thread& thread)
      : world_(std::exchange(current_world(), &world)), thread_(std::exchange(current_thread(), &thread)) {
    PyErr_GetExcInfo(&type_, &value_, &traceback_);
    PyErr_SetExcInfo(nullptr, nullptr, nullptr);
    // What lived in other states and is still to be collected must not go away as if this step had dropped it.
    if (running_interpreters++ > 0) return;
    collects_ = PyGC_Disable() == 1;
    watch_python_functions(true);
  }
  ~Running() {
    if (--running_interpreters == 0) {
      watch_python_functions(false);
      if (collects_) PyGC_Enable();
    }
    PyErr_SetExcInfo(type_, value_, traceback_);
    current_world() = world_;
    current_thread() = thread_;
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

 private:
  World* world_;
  Thread* thread_;
  PyObject *type_, *value_, *traceback_;
  bool collects_ = false;
};

Ref pop(Frame& frame) {
  Ref value = std::move(frame.stack.back());
  frame.stack.pop_back();
  return value;
}

PyObject* peek(const Frame& frame, std::size_t depth = 1) {
  return frame.stack[frame.stack.size() - depth].get();
}

PyObject* cell_name(const Code& code, std::size_t cell) {
  return cell < code.cell_names.size() ? code.cell_names[cell].get()
                                       : code.free_names[cell - code.cell_names.size()].get();
}

[[noreturn]] void raise_empty_cell(const Code& code, std::size_t cell) {
  if (cell < code.cell_names.size()) {
    raise(PyExc_UnboundLocalError,
          "cannot access local variable '%U' where it is not associated with a value", cell_name(code, cell));
  }
  raise(PyExc_NameError,
        "cannot access free variable '%U' where it is not associated with a value in enclosing scope",
        cell_name(code, cell));
}

/// The last `count` values of the stack, which stay there.
std::span<const Ref> last(const Frame& frame, std::size_t count) {
  return std::span<const Ref>(frame.stack).last(count);
}

}  // namespace

Ref helper(PyObject* name) {
  const Ref module = checked(PyImport_ImportModule("assay.languages.python.helpers"));
  const Ref helpers = checked(PyObject_GetAttrString(module.get(), "HELPERS"));
  return checked(PyObject_GetItem(helpers.get(), name));
}

World*& current_world() {
  static World* world = nullptr;
  return world;
}

Thread*& current_thread() {
  static Thread* thread = nullptr;
  return thread;
}

void hide_interruption(std::exception_ptr interruption) {
  static PyObject* type =
      PyErr_NewException("assay.Interruption", PyExc_BaseException, nullptr);  // nobody's `except` names it
  if (!pending()) pending() = std::move(interruption);
  PyErr_SetString(type == nullptr ? PyExc_SystemError : type, "the machine stops here");
}

void keep_interruption(std::exception_ptr interruption) {
  if (!pending()) pending() = std::move(interruption);
}

bool is_running() { return running_interpreters > 0; }

bool interruption_pending() { return pending() != nullptr; }

void rethrow_interruption() {
  if (!pending()) return;
  PyErr_Clear();
  std::rethrow_exception(std::exchange(pending(), nullptr));
}

// --- running

Stop run(World& world, Thread& thread) {
  Running running(world, thread);
  Interpreter interpreter(world, thread);
  try {
    const std::optional<Stop> stop = interpreter.loop(0);
    return stop.value_or(Stop::kFinished);
  } catch (const NestedStop& nested) {
    return nested.stop;
  }
}

std::optional<Stop> Interpreter::loop(std::size_t base) {
  std::uint64_t executed = 0;
  while (thread.frames.size() > base) {
    Step step;
    try {
      Frame& frame = top();
      if (++executed > kLongRun && base == 0 && thread.atomic == 0 &&
          (executed > kLongBeginning || !world.is_beginning())) {
        return Stop::kLong;
      }
      // A loop that goes on by choice would otherwise have a step for each number of times that it can.
      if (std::exchange(loops_, false) && world.has_chosen() && base == 0 && thread.atomic == 0)
        return Stop::kLong;
      // A new thread may reach what this step has made, which only the next step knows to be shared.
      if (!world.started.empty() && base == 0 && thread.atomic == 0) return Stop::kLong;
      if (base == 0 && thread.atomic == 0) {
        if (executed == world.cut_at) return Stop::kLong;
        world.last_open = executed;
      }
      world.begin_instruction(thread, frame);
      step = execute(frame, frame.code->instructions[frame.pc]);
    } catch (const PythonError&) {
      rethrow_interruption();
      step = raise_native();
    }
    if (interruption_pending()) rethrow_interruption();  // a built-in swallowed it
    if (step == Step::kStop) return stop_;
  }
  if (nested_error) {
    give_exception(std::exchange(nested_error, Ref()));
    throw PythonError();
  }
  return std::nullopt;
}

namespace {

std::string name_of(const Code& code) {
  const std::size_t dot = code.qualname.rfind('.');
  return dot == std::string::npos ? code.qualname : code.qualname.substr(dot + 1);
}

/// Runs what was pushed onto the thread above `base`, to its end.
Ref finish_nested(Interpreter& interpreter, std::size_t base) {
  if (Py_EnterRecursiveCall("") != 0) throw PythonError();
  struct Leave {
    ~Leave() { Py_LeaveRecursiveCall(); }
  } leave;
  const std::optional<Stop> stop = interpreter.loop(base);
  if (stop == Stop::kVisible || stop == Stop::kLong) {
    const Code* code = interpreter.top().code;
    throw Unsupported("a built-in function runs " + code->qualname + ", which " +
                      (stop == Stop::kLong ? "runs for very long" : "touches what other threads use") +
                      "; call it from a loop of the program instead");
  }
  if (stop) throw NestedStop{*stop};
  return std::move(interpreter.result);
}

}  // namespace

Ref call_nested_with(PyObject* function, Arguments arguments) {
  if (current_world() == nullptr || current_thread() == nullptr) {
    raise(PyExc_RuntimeError, "a function of the program can be called only while the machine runs it");
  }
  Interpreter interpreter(*current_world(), *current_thread());
  Thread& thread = interpreter.thread;
  const std::size_t base = thread.frames.size();
  if (!is_function(function)) {
    return checked(
        PyObject_Call(function, arguments.positional_tuple().get(), arguments.keyword_dict().get()));
  }
  std::unique_ptr<Frame> frame = interpreter.bind(reinterpret_cast<Function*>(function), arguments);
  if (frame->code->generator) return new_generator(std::move(frame));
  const Code* const frame_code = frame->code;
  const CallBack call_back(interpreter.world, name_of(*frame_code));
  Site site;
  site.mode = Return::kNested;
  site.advance = false;
  if (interpreter.push_frame(std::move(frame), std::move(site)) == Step::kStop) {
    throw Unsupported("a built-in function calls an operation of a library that other threads use");
  }
  const bool hashes = name_of(*frame_code) == "__hash__";
  Ref value = finish_nested(interpreter, base);
  if (hashes && is_absent(value.get())) refuse_absent(value.get(), "hashes by");
  if (!hashes || !is_identity(value.get())) return value;
  ++interpreter.world.addresses_hashed;  // what `id` gives is a number for C code
  return checked(PyLong_FromVoidPtr(object_of_weak(value.get())));
}

Ref call_nested(World& world, PyObject* function, PyObject* const* arguments, std::size_t count) {
  Arguments given;
  for (std::size_t i = 0; i < count; ++i) given.positional.push_back(Ref::borrow(arguments[i]));
  Thread alone;
  const bool inside = current_world() == &world && current_thread() != nullptr;
  Running running(world, inside ? *current_thread() : alone);
  try {
    return call_nested_with(function, std::move(given));
  } catch (const PythonError&) {
    rethrow_interruption();
    throw;
  }
}

Ref resume_nested(PyObject* generator, PyObject* sent, Ref* value) {
  Interpreter interpreter(*current_world(), *current_thread());
  const std::size_t base = interpreter.thread.frames.size();
  if (reinterpret_cast<Generator*>(generator)->state == GeneratorState::kFinished) {
    *value = Ref::borrow(Py_None);
    return {};
  }
  const CallBack call_back(interpreter.world, "a generator");
  Site site;
  site.mode = Return::kNested;
  site.advance = false;
  if (interpreter.resume(generator, sent, std::move(site)) == Step::kStop) {
    throw Unsupported("a built-in function runs a generator that other threads use");
  }
  Ref result = finish_nested(interpreter, base);
  if (interpreter.yielded) return result;
  *value = std::move(result);
  return {};
}

Ref throw_nested(PyObject* generator, Ref exception) {
  Interpreter interpreter(*current_world(), *current_thread());
  const std::size_t base = interpreter.thread.frames.size();
  if (reinterpret_cast<Generator*>(generator)->state != GeneratorState::kSuspended) {
    generator_finish(generator);
    give_exception(exception);
    throw PythonError();
  }
  const CallBack call_back(interpreter.world, "a generator");
  Site site;
  site.mode = Return::kNested;
  site.advance = false;
  if (interpreter.throw_into(generator, std::move(exception), std::move(site)) == Step::kStop) {
    throw Unsupported("a built-in function runs a generator that other threads use");
  }
  Ref result = finish_nested(interpreter, base);
  if (interpreter.yielded) return result;
  PyErr_SetObject(PyExc_StopIteration, result.get());
  throw PythonError();
}

Thread make_thread(World& world, PyObject* function, PyObject* args, PyObject* kwargs) {
  Thread thread;
  Running running(world, thread);
  Arguments arguments;
  const Ref positional = checked(PySequence_Tuple(args));
  PyObject* bound = function;
  if (PyMethod_Check(function)) {
    arguments.positional.push_back(Ref::borrow(PyMethod_GET_SELF(function)));
    bound = PyMethod_GET_FUNCTION(function);
  }
  if (!is_function(bound)) throw Unsupported("a thread's target is a function or a method of the program");
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(positional.get()); ++i) {
    arguments.positional.push_back(Ref::borrow(PyTuple_GET_ITEM(positional.get(), i)));
  }
  Py_ssize_t position = 0;
  PyObject *name, *value;
  while (kwargs != nullptr && PyDict_Check(kwargs) && PyDict_Next(kwargs, &position, &name, &value) != 0) {
    arguments.keywords.emplace_back(Ref::borrow(name), Ref::borrow(value));
  }
  std::unique_ptr<Frame> frame =
      Interpreter(world, thread).bind(reinterpret_cast<Function*>(bound), arguments);
  if (frame->code->generator || frame->code->atomic) {
    throw Unsupported("a thread's target is a plain function, " + frame->code->qualname + " is none");
  }
  frame->on_return = Return::kFinish;
  thread.frames.push_back(std::move(frame));
  return thread;
}

Thread make_main_thread(World& world) {
  Thread thread;
  std::unique_ptr<Frame> frame = body_frame(world.program->modules[0].code);
  frame->on_return = Return::kFinish;
  world.module_started[0] = true;
  thread.frames.push_back(std::move(frame));
  return thread;
}

// --- instructions

Step Interpreter::execute(Frame& frame, std::uint32_t instruction) {
  const std::uint32_t operand = instruction >> 8;
  const Code& code = *frame.code;
  std::vector<Ref>& stack = frame.stack;
  const auto done = [&] {
    ++frame.pc;
    return Step::kDone;
  };
  const auto push = [&](Ref value) {
    stack.push_back(std::move(value));
    ++frame.pc;
    return Step::kDone;
  };
  switch (static_cast<Operation>(instruction & 0xff)) {
    case Operation::NOP: return done();
    case Operation::LOAD_CONST: return push(code.constants[operand]);
    case Operation::LOAD_FAST:
      if (!frame.locals[operand]) {
        raise(PyExc_UnboundLocalError,
              "cannot access local variable '%U' where it is not associated with a value",
              code.local_names[operand].get());
      }
      return push(frame.locals[operand]);
    case Operation::STORE_FAST: frame.locals[operand] = pop(frame); return done();
    case Operation::DELETE_FAST:
      if (!frame.locals[operand]) {
        raise(PyExc_UnboundLocalError,
              "cannot access local variable '%U' where it is not associated with a value",
              code.local_names[operand].get());
      }
      frame.locals[operand] = Ref();
      return done();
    case Operation::LOAD_DEREF: {
      PyObject* cell = frame.cells[operand].get();
      if (!world.may_read(cell)) return stop(Stop::kVisible);
      if (PyCell_GET(cell) == nullptr) raise_empty_cell(code, operand);
      return push(Ref::borrow(PyCell_GET(cell)));
    }
    case Operation::STORE_DEREF: {
      PyObject* cell = frame.cells[operand].get();
      if (!world.may_write(cell)) return stop(Stop::kVisible);
      PyCell_Set(cell, pop(frame).get());
      return done();
    }
    case Operation::DELETE_DEREF: {
      PyObject* cell = frame.cells[operand].get();
      if (!world.may_write(cell)) return stop(Stop::kVisible);
      if (PyCell_GET(cell) == nullptr) raise_empty_cell(code, operand);
      PyCell_Set(cell, nullptr);
      return done();
    }
    case Operation::LOAD_CLOSURE: return push(frame.cells[operand]);
    case Operation::LOAD_CLASSDEREF: {
      PyObject* cell = frame.cells[operand].get();
      if (!world.may_read(cell)) return stop(Stop::kVisible);
      Ref value = Ref::steal(PyObject_GetItem(frame.names.get(), cell_name(code, operand)));
      if (!value) {
        if (PyErr_ExceptionMatches(PyExc_KeyError) == 0) throw PythonError();
        PyErr_Clear();
        value = Ref::borrow(PyCell_GET(cell));
      }
      if (!value) raise_empty_cell(code, operand);
      return push(std::move(value));
    }
    case Operation::LOAD_GLOBAL: {
      bool allowed = false;
      Ref value = load_global(code.module, operand, &allowed);
      return allowed ? push(std::move(value)) : stop(Stop::kVisible);
    }
    case Operation::STORE_GLOBAL: {
      const std::uint32_t global = world.program->modules[code.module].first_global + operand;
      if (!world.may_write_global(global)) return stop(Stop::kVisible);
      world.store_global(global, pop(frame));
      return done();
    }
    case Operation::DELETE_GLOBAL: {
      const Module& module = world.program->modules[code.module];
      if (!world.may_write_global(module.first_global + operand)) return stop(Stop::kVisible);
      if (!world.globals[module.first_global + operand]) {
        raise(PyExc_NameError, "name '%U' is not defined", module.global_names[operand].get());
      }
      world.globals[module.first_global + operand] = Ref();
      return done();
    }
    case Operation::LOAD_NAME: {
      PyObject* name = code.names[operand].get();
      Ref value = Ref::steal(PyObject_GetItem(frame.names.get(), name));
      if (!value) {
        if (PyErr_ExceptionMatches(PyExc_KeyError) == 0) throw PythonError();
        PyErr_Clear();
        const Module& module = world.program->modules[code.module];
        const auto global = module.global_index.find(utf8(name));
        if (global != module.global_index.end()) {
          bool allowed = false;
          value = load_global(code.module, global->second, &allowed);
          if (!allowed) return stop(Stop::kVisible);
        } else {
          value = built_in(name);
        }
      }
      if (!value) raise(PyExc_NameError, "name '%U' is not defined", name);
      return push(std::move(value));
    }
    case Operation::STORE_NAME:
      if (PyObject_SetItem(frame.names.get(), code.names[operand].get(), peek(frame)) != 0)
        throw PythonError();
      stack.pop_back();
      return done();
    case Operation::DELETE_NAME:
      if (PyObject_DelItem(frame.names.get(), code.names[operand].get()) != 0) {
        if (PyErr_ExceptionMatches(PyExc_KeyError) == 0) throw PythonError();
        PyErr_Clear();
        raise(PyExc_NameError, "name '%U' is not defined", code.names[operand].get());
      }
      return done();
    case Operation::LOAD_BUILTIN: {
      PyObject* name = code.names[operand].get();
      Ref value = built_in(name);
      if (!value) value = helper(name);
      return push(std::move(value));
    }
    case Operation::LOAD_ATTR: return load_attribute(peek(frame), code.names[operand].get(), {.operands = 1});
    case Operation::STORE_ATTR:
      return store_attribute(peek(frame), code.names[operand].get(), peek(frame, 2),
                             {.operands = 2, .mode = Return::kDiscard});
    case Operation::DELETE_ATTR:
      return store_attribute(peek(frame), code.names[operand].get(), nullptr,
                             {.operands = 1, .mode = Return::kDiscard});
    case Operation::LOAD_SPECIAL: return load_special(code.names[operand].get());
    case Operation::LOAD_SUBSCR: return load_item(peek(frame, 2), peek(frame), {.operands = 2});
    case Operation::STORE_SUBSCR:
      return store_item(peek(frame, 2), peek(frame), peek(frame, 3),
                        {.operands = 3, .mode = Return::kDiscard});
    case Operation::DELETE_SUBSCR:
      return store_item(peek(frame, 2), peek(frame), nullptr, {.operands = 2, .mode = Return::kDiscard});
    case Operation::BINARY: return binary(operand, false);
    case Operation::INPLACE: return binary(operand, true);
    case Operation::UNARY: return unary(operand);
    case Operation::COMPARE: return compare(operand);
    case Operation::BUILD_TUPLE: {
      Ref tuple = checked(PyTuple_New(static_cast<Py_ssize_t>(operand)));
      Py_ssize_t i = 0;
      for (const Ref& item : last(frame, operand)) PyTuple_SET_ITEM(tuple.get(), i++, Py_NewRef(item.get()));
      return complete({.operands = operand}, std::move(tuple));
    }
    case Operation::BUILD_LIST: {
      Ref list = checked(PyList_New(static_cast<Py_ssize_t>(operand)));
      Py_ssize_t i = 0;
      for (const Ref& item : last(frame, operand)) PyList_SET_ITEM(list.get(), i++, Py_NewRef(item.get()));
      return complete({.operands = operand}, std::move(list));
    }
    case Operation::BUILD_SET: {
      Ref set = checked(PySet_New(nullptr));
      for (const Ref& item : last(frame, operand)) {
        rank_elements(item.get());
        if (PySet_Add(set.get(), item.get()) != 0) throw PythonError();
      }
      return complete({.operands = operand}, std::move(set));
    }
    case Operation::BUILD_STRING: {
      Ref parts = checked(PyTuple_New(static_cast<Py_ssize_t>(operand)));
      Py_ssize_t i = 0;
      for (const Ref& item : last(frame, operand)) PyTuple_SET_ITEM(parts.get(), i++, Py_NewRef(item.get()));
      return complete({.operands = operand}, checked(PyUnicode_Join(interned(""), parts.get())));
    }
    case Operation::BUILD_SLICE:
      return complete({.operands = operand},
                      checked(operand == 3 ? PySlice_New(peek(frame, 3), peek(frame, 2), peek(frame))
                                           : PySlice_New(peek(frame, 2), peek(frame), nullptr)));
    case Operation::BUILD_MAP: {
      Ref dict = checked(PyDict_New());
      const auto items = last(frame, std::size_t{2} * operand);
      for (std::size_t i = 0; i < items.size(); i += 2) {
        if (PyDict_SetItem(dict.get(), items[i].get(), items[i + 1].get()) != 0) throw PythonError();
      }
      return complete({.operands = items.size()}, std::move(dict));
    }
    case Operation::LIST_APPEND:
      if (PyList_Append(peek(frame, operand + 1), peek(frame)) != 0) throw PythonError();
      stack.pop_back();
      return done();
    case Operation::SET_ADD:
      rank_elements(peek(frame));
      if (PySet_Add(peek(frame, operand + 1), peek(frame)) != 0) throw PythonError();
      stack.pop_back();
      return done();
    case Operation::MAP_ADD:
      if (PyDict_SetItem(peek(frame, operand + 2), peek(frame, 2), peek(frame)) != 0) throw PythonError();
      stack.resize(stack.size() - 2);
      return done();
    case Operation::LIST_EXTEND:
    case Operation::SET_UPDATE:
    case Operation::DICT_UPDATE:
    case Operation::DICT_MERGE: return extend(static_cast<Operation>(instruction & 0xff), operand);
    case Operation::LIST_TO_TUPLE: return complete({.operands = 1}, checked(PyList_AsTuple(peek(frame))));
    case Operation::FORMAT_VALUE: return format_value(operand);
    case Operation::UNPACK_SEQUENCE: return unpack(operand, std::nullopt);
    case Operation::UNPACK_EX: return unpack(operand & 0xff, operand >> 8);
    case Operation::GET_ITER: return get_iterator(peek(frame), {.operands = 1});
    case Operation::FOR_ITER: return for_iter();
    case Operation::JUMP: frame.pc = operand; return Step::kDone;
    case Operation::LOOP:
      frame.pc = operand;
      world.loop();
      loops_ = true;
      return Step::kDone;
    case Operation::POP_JUMP_IF_FALSE:
    case Operation::POP_JUMP_IF_TRUE:
    case Operation::JUMP_IF_FALSE_OR_POP:
    case Operation::JUMP_IF_TRUE_OR_POP: return test(peek(frame));
    case Operation::CALL:
    case Operation::CALL_KW:
    case Operation::CALL_EX: return call_instruction(static_cast<Operation>(instruction & 0xff), operand);
    case Operation::MAKE_FUNCTION: {
      std::size_t depth = 1;
      const Code* inner = code_of(peek(frame, depth));
      Ref closure = (operand & 4) != 0 ? Ref::borrow(peek(frame, ++depth)) : Ref();
      Ref keyword_defaults = (operand & 2) != 0 ? Ref::borrow(peek(frame, ++depth)) : Ref();
      Ref defaults = (operand & 1) != 0 ? Ref::borrow(peek(frame, ++depth)) : Ref();
      return complete({.operands = depth}, new_function(inner, std::move(defaults),
                                                        std::move(keyword_defaults), std::move(closure)));
    }
    case Operation::BUILD_CLASS: return build_class(operand != 0);
    case Operation::RETURN_VALUE:
      if (!may_leave_generators()) return stop(Stop::kVisible);
      return return_value(pop(frame));
    case Operation::YIELD_VALUE: {
      if (!may_leave_generators()) return stop(Stop::kVisible);
      Ref value = pop(frame);
      ++frame.pc;
      return yield_value(std::move(value));
    }
    case Operation::GET_YIELD_FROM_ITER:
      if (is_generator(peek(frame))) return done();
      return get_iterator(peek(frame), {.operands = 1});
    case Operation::YIELD_FROM: return yield_from();
    case Operation::RAISE: return raise_instruction(operand);
    case Operation::PUSH_EXC_INFO: {
      Ref exception = pop(frame);
      stack.push_back(frame.handled ? frame.handled : Ref::borrow(Py_None));
      frame.handled = exception;
      return push(std::move(exception));
    }
    case Operation::POP_EXCEPT: {
      Ref before = pop(frame);
      frame.handled = before.get() == Py_None ? Ref() : std::move(before);
      return done();
    }
    case Operation::RERAISE: return unwind(pop(frame), frame.pc, false);
    case Operation::CHECK_EXC_MATCH: return check_match();
    case Operation::PUSH_EXC_ARGS: {
      PyObject* exception = peek(frame);
      stack.reserve(stack.size() + 3);
      stack.push_back(Ref::borrow(reinterpret_cast<PyObject*>(Py_TYPE(exception))));
      stack.push_back(Ref::borrow(exception));
      return push(Ref::borrow(opaque_traceback()));
    }
    case Operation::POP_TOP: stack.pop_back(); return done();
    case Operation::COPY: return push(Ref::borrow(peek(frame, operand)));
    case Operation::SWAP: std::swap(stack.back(), stack[stack.size() - operand]); return done();
    case Operation::IMPORT: return import_module(operand);
    case Operation::IMPORT_NATIVE: {
      PyObject* name = code.names[operand].get();
      if (name == interned("_assay")) return push(Ref::borrow(assay_module()));
      world.poll();  // the first time it does, and nobody knows which time this is
      return push(checked(PyImport_ImportModule(utf8(name).c_str())));
    }
    case Operation::IMPORT_FROM: {
      PyObject* module = peek(frame);
      PyObject* name = code.names[operand].get();
      Ref value;
      if (is_module(module)) {
        const std::uint32_t number = reinterpret_cast<ModuleObject*>(module)->module;
        const Module& source = world.program->modules[number];
        const auto global = source.global_index.find(utf8(name));
        if (global != source.global_index.end()) {
          if (!world.may_read_global(source.first_global + global->second)) return stop(Stop::kVisible);
          value = world.globals[source.first_global + global->second];
        }
        if (source.file.ends_with("__init__.py"))
          world.poll();  // `from package import ...` calls a function in Python
        if (!value && source.is_library && exists_in_cpython(source.name, "", name)) {
          value = part_of_cpython(source.name, name);
        }
        Ref half_made;  // a module of the package whose body runs just now: CPython looks among its modules
        for (std::uint32_t other = 0; !value && other < world.program->modules.size(); ++other) {
          if (world.program->modules[other].name != source.name + "." + utf8(name)) continue;
          if (!world.may_import(other)) return stop(Stop::kVisible);
          if (world.module_started[other]) half_made = world.module_objects[other];
        }
        if (!value && !utf8(name).starts_with("__")) {
          bool is_asked = true;
          const Ref getter = getter_of_module(number, &is_asked);
          if (!is_asked) return stop(Stop::kVisible);
          if (getter) {
            Arguments arguments;
            arguments.positional = {
                getter, Ref::borrow(name),
                checked(PyUnicode_FromFormat("cannot import name '%U' from '%s' (%s)", name,
                                             source.name.c_str(), source.file.c_str())),
                Ref::borrow(half_made ? half_made.get() : Py_None)};
            Site site;
            if (std::optional<Step> step = delegate("_import_from", nullptr, arguments, site)) return *step;
          }
        }
        if (!value) value = half_made;
        if (!value) {
          raise(PyExc_ImportError, "cannot import name '%U' from '%s' (%s)", name, source.name.c_str(),
                source.file.c_str());
        }
      } else {
        value = Ref::steal(PyObject_GetAttr(module, name));
        if (!value) {
          rethrow_interruption();
          PyErr_Clear();
          raise(PyExc_ImportError, "cannot import name '%U' from '%s'", name,
                PyModule_Check(module) ? PyModule_GetName(module) : "?");
        }
        if (PyObject* const own = type_of_the_machine(value.get())) value = Ref::borrow(own);
      }
      return push(std::move(value));
    }
    case Operation::LOAD_ABSENT: {
      world.poll();  // as an import does
      PyObject* const told = code.constants[operand].get();
      return push(Ref::borrow(absent(utf8(PyTuple_GET_ITEM(told, 0)), utf8(PyTuple_GET_ITEM(told, 1)),
                                     utf8(PyTuple_GET_ITEM(told, 2)))));
    }
    case Operation::FAIL: throw Unsupported(utf8(checked(PyObject_Str(code.constants[operand].get())).get()));
  }
  throw Unsupported("an operation that the machine does not know");
}

}  // namespace assay::languages::python
