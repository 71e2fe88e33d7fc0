/// Functions that run inside of a built-in: of the program, and of CPython where those are written in Python.
///
/// CPython can switch to another thread when such a function begins, so the world is told of each.
#pragma once

#include <string>

#include "languages/python/world.hpp"

namespace assay::languages::python {

/// A built-in calls back as long as this lives.
class CallBack {
 public:
  CallBack(World& world, const std::string& name);
  ~CallBack();
  CallBack(const CallBack&) = delete;
  CallBack& operator=(const CallBack&) = delete;

 private:
  World& world_;
};

/// From now on (or no longer) tells the world that runs of each Python function that CPython executes (PEP 523).
/// Whether it did before.
bool watch_python_functions(bool on);

/// The machine asks CPython for something of which a program knows nothing, as long as this lives.
class Unwatched {
 public:
  Unwatched() : before_(watch_python_functions(false)) {}
  ~Unwatched() { watch_python_functions(before_); }
  Unwatched(const Unwatched&) = delete;
  Unwatched& operator=(const Unwatched&) = delete;

 private:
  const bool before_;
};

}  // namespace assay::languages::python
