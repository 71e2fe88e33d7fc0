/// Values in words: like repr, but without running the program, and without addresses.
#pragma once

#include <optional>
#include <string>

#include "languages/python/heap.hpp"

namespace assay::languages::python {

/// The attributes of an instance, those in slots among them; null if it can have none.
Ref attributes_of(PyObject* object);

class Speaker {
 public:
  explicit Speaker(Heap& heap) : heap_(heap) {}

  static constexpr int kDepth = 4;
  std::string repr(PyObject* object, int depth = kDepth);
  std::string thread_name(PyObject* identity, std::uint32_t index);
  /// "ValueError: sold out", or the class and its arguments.
  std::string exception(PyObject* raised);
  static std::string name_of(PyObject* function);
  /// The class without the module that it is in.
  static std::string short_type(PyTypeObject* type);
  /// Whether it is a class of threading, queue, concurrent.futures or multiprocessing, or extends one.
  bool is_of_library(PyTypeObject* type);
  /// A list, a dict, a set, a deque, a tuple, or an instance of a class that extends one.
  bool is_container(PyObject* object);

 private:
  static std::string member_of_enumeration(PyObject* object);
  std::string unknown(PyObject* attributes);
  std::optional<std::string> content_of(PyObject* object, int depth);
  std::string items(PyObject* list, int depth);
  std::string tuple(PyObject* tuple, int depth);
  std::string ordered_pairs(PyObject* dict, int depth);
  std::string pairs(PyObject* dict, int depth, const char* between, bool are_names);
  /// Objects of threading and queue, by what a program can know of them: who holds a lock, what is in a queue.
  std::string synchroniser(PyObject* object, PyObject* attributes, int depth);

  Heap& heap_;
};

}  // namespace assay::languages::python
