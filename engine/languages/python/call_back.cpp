#define Py_BUILD_CORE 1  // for the code that a frame executes, which has no public name before 3.12
#include <Python.h>
#if PY_VERSION_HEX < 0x030c0000
#include <internal/pycore_frame.h>
#endif

#include "languages/python/call_back.hpp"
#include "languages/python/interpreter.hpp"

namespace assay::languages::python {
namespace {

Ref code_of(_PyInterpreterFrame* frame) {
#if PY_VERSION_HEX < 0x030c0000
  return Ref::borrow(reinterpret_cast<PyObject*>(frame->f_code));
#else
  return Ref::steal(PyUnstable_InterpreterFrame_GetCode(frame));
#endif
}

/// The machine has functions in Python, too, of which a program knows nothing.
bool is_of_the_machine(PyCodeObject* code) {
  static const std::string folder = [] {
    const Ref module = checked(PyImport_ImportModule("assay.languages.python"));
    const std::string file = utf8(checked(PyObject_GetAttrString(module.get(), "__file__")).get());
    return file.substr(0, file.rfind('/') + 1);
  }();
  return utf8(code->co_filename).starts_with(folder);
}

/// `__new__` of a named tuple, which CPython wrote as a lambda: it keeps what it is given, and looks at nothing.
bool makes_named_tuple(PyCodeObject* code) {
  return utf8(code->co_name) == "<lambda>" && PyTuple_GET_SIZE(code->co_names) == 1 &&
         utf8(PyTuple_GET_ITEM(code->co_names, 0)) == "_tuple_new";
}

PyObject* run_watched(PyThreadState* state, _PyInterpreterFrame* frame, int thrown) {
  World* const world = current_world();
  const Ref code = code_of(frame);
  auto* const function = reinterpret_cast<PyCodeObject*>(code.get());
  if (world == nullptr || !is_running() || is_of_the_machine(function) || makes_named_tuple(function)) {
    return _PyEval_EvalFrameDefault(state, frame, thrown);
  }
  if (utf8(function->co_filename).starts_with("<frozen importlib")) {
    const Unwatched unwatched;  // only the first time in a process; import statements poll every time
    return _PyEval_EvalFrameDefault(state, frame, thrown);
  }
  try {
    world->calls_back(utf8(function->co_name));
  } catch (...) {
    keep_interruption(std::current_exception());  // a frame that was begun has to end by itself
  }
  PyObject* const value = _PyEval_EvalFrameDefault(state, frame, thrown);
  world->called_back();
  return value;
}

}  // namespace

CallBack::CallBack(World& world, const std::string& name) : world_(world) {
  try {
    world.calls_back(name);
  } catch (...) {
    world.called_back();
    throw;
  }
}

CallBack::~CallBack() { world_.called_back(); }

bool watch_python_functions(bool on) {
  PyInterpreterState* const interpreter = PyInterpreterState_Get();
  const bool before = _PyInterpreterState_GetEvalFrameFunc(interpreter) == run_watched;
  if (on != before)
    _PyInterpreterState_SetEvalFrameFunc(interpreter, on ? run_watched : _PyEval_EvalFrameDefault);
  return before;
}

}  // namespace assay::languages::python
