/// An owned reference to an object of CPython. Everything in this folder needs the lock of the interpreter, except
/// the lookup of remembered steps.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace assay::languages::python {

class Ref {
 public:
  Ref() = default;
  Ref(const Ref& other) : object_(Py_XNewRef(other.object_)) {}
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() { Py_XDECREF(object_); }

  /// Takes over a reference that the caller owns (what most API functions return); null is allowed.
  static Ref steal(PyObject* owned) {
    Ref ref;
    ref.object_ = owned;
    return ref;
  }
  /// Adds a reference to a borrowed one.
  static Ref borrow(PyObject* borrowed) { return steal(Py_XNewRef(borrowed)); }

  PyObject* get() const { return object_; }
  /// Gives the reference away.
  PyObject* release() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_ = nullptr;
};

/// An exception of CPython is set; the nearest place that knows what to do takes it.
struct PythonError {};

inline Ref checked(PyObject* owned) {
  if (owned == nullptr) throw PythonError();
  return Ref::steal(owned);
}

/// Holds the lock of the interpreter.
class Locked {
 public:
  Locked() : state_(PyGILState_Ensure()) {}
  ~Locked() { PyGILState_Release(state_); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  PyGILState_STATE state_;
};

/// The program does something that the machine does not model. Ends the run; never caught by the program.
class Unsupported : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace assay::languages::python
