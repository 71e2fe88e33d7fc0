/// A call of a built-in, as far as tables and rules need to know it.
#pragma once

#include <cstddef>
#include <string>

#include "languages/python/interpreter.hpp"

namespace assay::languages::python {

struct NativeCall {
  PyObject* callable;
  Arguments& arguments;
  Site& site;
  PyObject* receiver = nullptr;  // of a method; borrowed from the callable or from the arguments
  std::string name = {};
  std::string module = {};  // of a function
  std::size_t skipped = 0;  // 1: the receiver is the first argument

  bool has_receiver() const { return receiver != nullptr; }
  /// The receiver is what the method is bound to.
  bool is_bound() const { return receiver != nullptr && skipped == 0; }
  /// The first one besides the receiver; null if there is none.
  PyObject* first_argument() const {
    return arguments.positional.size() > skipped ? arguments.positional[skipped].get() : nullptr;
  }
};

/// What is known of a call by looking at the callable.
NativeCall native_call(PyObject* callable, Arguments& arguments, Site& site);

}  // namespace assay::languages::python
