/// Immutable values without identity, numbered: what a `kLeaf` token stands for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "python_machine/code.hpp"
#include "python_machine/values.hpp"

namespace assay::python_machine {

using LeafId = std::uint32_t;

/// A leaf is known by its *name*: bytes that are the same in every process exactly for equal values of one type. The
/// object kept for a leaf is the only one that restored states contain.
class Leaves {
 public:
  /// `enumeration` is enum.Enum, `by_text` a tuple of immutable types whose repr tells values apart.
  Leaves(PyObject* enumeration, PyObject* by_text);

  /// The number of a value; nothing if it is no leaf.
  std::optional<LeafId> find(PyObject* value);
  PyObject* object(LeafId id) const { return objects_[id].get(); }
  const std::string& name(LeafId id) const { return names_[id]; }
  std::size_t size() const { return objects_.size(); }

  /// Makes an object a leaf under a name of the caller's (a class of the program, a module). Throws Unsupported if
  /// the name is taken by another object.
  LeafId add_fixed(PyObject* object, const std::string& name);
  bool is_fixed(PyObject* object) const { return by_object_.contains(object); }

 private:
  bool name_of(PyObject* value, std::string& name);
  bool name_of_static(PyObject* value, std::string& name);

  Ref enumeration_, by_text_;
  std::vector<Ref> objects_;
  std::vector<std::string> names_;
  std::unordered_map<PyObject*, LeafId> by_object_;  // the objects kept
  std::unordered_map<std::string, LeafId> by_name_;
};

}  // namespace assay::python_machine
