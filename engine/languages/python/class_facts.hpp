/// How instances of a class are written down, and which of a class's own attributes are data.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "languages/python/ref.hpp"

namespace assay::languages::python {

/// The built-in type that a class's instances extend.
enum class Base : std::uint8_t {
  kPlain,
  kList,
  kDict,
  kOrderedDict,
  kDefaultDict,
  kSet,
  kDeque,
  kTuple,
  kValue,
  kException,
  kUnknown
};

struct ClassFacts {
  PyTypeObject* type = nullptr;
  Base base = Base::kUnknown;
  bool has_dict = false;
  bool is_of_program = false;  // made by a class statement of the program
  bool is_enumeration = false;
  std::vector<Ref> members;        // descriptors of __slots__, base classes first
  std::vector<Ref> fields;         // descriptors of what a built-in exception keeps beside its arguments
  PyTypeObject* native = nullptr;  // the built-in that allocates instances
  std::uint32_t number = 0;        // among the classes of the program
};

/// What an entry of a class's `__dict__` is.
enum class Entry : std::uint8_t {
  kData,    // may change whenever the program runs
  kMethod,  // functions, properties and special names: changes only while there is one thread
  kMakeup,  // what CPython keeps there for itself: never changes, and is not for programs to look at
};

class Classes {
 public:
  Classes();
  const ClassFacts& facts(PyTypeObject* type);
  /// A class statement made it.
  ClassFacts& add_of_program(PyTypeObject* type);
  const std::vector<ClassFacts*>& of_program() const { return of_program_; }

  PyTypeObject* deque_type() const { return deque_; }
  PyObject* enumeration() const { return enumeration_.get(); }
  static Entry role(PyObject* name, PyObject* value);
  /// Puts an entry into the `__dict__` of a class, or with nullptr takes it out, as making the class does: past what `type`
  /// itself does with some names (a property `__class__` is an entry as any other).
  static void store(PyTypeObject* type, PyObject* name, PyObject* value);

 private:
  PyTypeObject *deque_, *default_dict_, *ordered_dict_;
  Ref deque_ref_, default_dict_ref_, ordered_dict_ref_, enumeration_;
  std::unordered_map<PyTypeObject*, std::unique_ptr<ClassFacts>> facts_;
  std::vector<ClassFacts*> of_program_;
};

}  // namespace assay::languages::python
