/// Immutable values, and things that exist once, numbered: what a `kLeaf` token stands for.
///
/// Nothing that can be reached from a leaf is part of a state by that, so whoever makes something a leaf answers for
/// all of it: a function is one only if its defaults, closure and attributes are; a class only if it was announced
/// (`add_fixed`, by the heap, which has its entries in the state) or is CPython's own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "languages/python/code.hpp"
#include "languages/python/ref.hpp"

namespace assay::languages::python {

using LeafId = std::uint32_t;

/// A leaf is known by its *name*: bytes that are the same in every process exactly for equal values of one type. The
/// object kept for a leaf is the only one that restored states contain. Things that exist once are found by what they
/// are; a second one of the same name is refused.
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
  /// Lets another object stand for one that is a leaf, for good.
  void add_twin(PyObject* object, PyObject* leaf);
  bool is_fixed(PyObject* object) const { return by_object_.contains(object); }

  /// The leaf with a name that another process gave; made of the name, where that is possible. Nothing: it was never met
  /// here, and only the program makes it.
  std::optional<LeafId> meet(const std::string& name);
  /// Adds those, among a leaf and its parts, that only the program makes: `meet` finds the leaf where these were met.
  void add_made_by_program(LeafId id, std::vector<LeafId>& found) const;

  /// Whether a class is built in or one of CPython's modules has it.
  static bool is_of_cpython(PyTypeObject* type);
  /// A leaf to make an object of that has an identity: for a function of CPython one with the same code, whatever its
  /// defaults and its closure are; for what is not a number the same value.
  LeafId template_of(PyObject* value);

 private:
  LeafId add_template(PyObject* object, const std::string& name);
  bool name_of(PyObject* value, std::string& name);
  bool name_of_static(PyObject* value, std::string& name);
  bool name_of_scanner(PyObject* value, std::string& name);
  bool name_of_view(PyObject* value, std::string& name);
  bool name_of_function(PyObject* value, std::string& name);
  bool name_of_native_function(PyObject* value, std::string& name);
  bool name_of_type(PyTypeObject* type, std::string& name);
  bool name_by_text(PyObject* value, std::string& name);
  bool name_of_exported(PyObject* value, std::string& name);
  /// Appends the whole name of a part, which must be a leaf: numbers of leaves differ from process to process.
  bool append_part(PyObject* part, std::string& name);
  bool append_items(PyObject* dict, std::string& name);
  Ref made_of(const std::string& name, int depth);

  Ref enumeration_, by_text_;
  std::unordered_map<PyTypeObject*, std::vector<std::pair<PyObject*, std::string>>>
      exported_;  // by their type
  std::vector<Ref> objects_;
  std::vector<Ref> twins_;  // kept, so that their addresses mean nothing else
  std::vector<std::string> names_;
  std::unordered_map<PyObject*, LeafId> by_object_;  // the objects kept
  std::unordered_map<std::string, LeafId> by_name_;
};

}  // namespace assay::languages::python
