/// What gains, loses or moves entries while loops go over it.
///
/// The iterators of CPython notice some of that and depend on all of it, and not on the content alone: a deque that was
/// rotated is another one, even if all of its items are equal, and one with another item in a place is not. So the machine
/// counts, for each container, the operations of a step that change its shape.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "languages/python/ref.hpp"

namespace assay::languages::python {

/// Whether loops over it depend on its shape: a dict, a set or a deque.
bool has_shape(PyObject* container);
bool is_deque(PyObject* object);
/// Without asking methods that a subclass may have; a new reference, or null with an exception set.
PyObject* item_of_deque(PyObject* deque, Py_ssize_t index);

class Mutations {
 public:
  /// From now on nothing has changed.
  void begin_step();
  /// Which step it is: a number of its own for each.
  std::uint64_t step() const { return step_; }
  /// How often the shape of a container has changed in this step. Has to be asked before each operation that may change
  /// it: several between two questions count as one, and the last may undo the first.
  std::uint64_t of(PyObject* container);
  /// All containers of which the shape has changed.
  std::vector<PyObject*> changed();

 private:
  /// Two shapes with one operation between them are equal exactly if it changed none.
  struct Shape {
    Py_ssize_t size = 0;
    std::uint64_t layout = 0;
    bool operator==(const Shape&) const = default;
  };
  struct Known {
    Ref container;  // an address means one object
    Shape shape;
    std::uint64_t count = 0;
  };
  static Shape shape_of(PyObject* container);
  static std::uint64_t look_at(Known& known);

  std::uint64_t step_ = 1;
  std::unordered_map<PyObject*, Known> known_;
};

}  // namespace assay::languages::python
