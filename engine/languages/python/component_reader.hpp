/// Makes values and objects of what a component says.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "languages/python/heap.hpp"
#include "languages/python/thread.hpp"
#include "languages/python/tokens.hpp"

namespace assay::languages::python {

/// An object is made in three turns, because objects refer to each other in circles and keys are hashed by methods
/// of the program: its `shell`, what it holds (`fill`), and its keys (`fill_keys`).
class ComponentReader {
 public:
  ComponentReader(Heap& heap, std::span<const Token> tokens, std::span<const Ref> locals = {})
      : heap_(heap), tokens_(tokens), locals_(locals) {}

  std::size_t at = 0;

  Token next() { return tokens_[at++]; }
  std::uint64_t number() { return payload_of(next()); }

  Ref value();

  std::unique_ptr<Frame> frame();

  /// A new object of the right type, still empty. `at` stands on the record's first word and is left anywhere.
  Ref shell();

  /// Whether a living object can be refilled with the record instead of making a new one.
  bool fits(PyObject* object);

  /// Puts the keys of a dict or set into their places, for which methods of the program may run: when everything else
  /// is there. `at` stands on the record's first word.
  void fill_keys(PyObject* o);

  /// Everything but what `fill_keys` does. `at` stands on the record's first word.
  void fill(PyObject* o);

 private:
  Py_ssize_t signed_number();
  Ref wrapper();
  Ref native_function(std::uint64_t cells);
  Ref deque_shell(PyTypeObject* type);
  void fill_list(PyObject* o);
  /// What is said when a method of the program could not do what it did before.
  [[noreturn]] static void refuse_keys(const std::string& problem);
  struct Key {
    Ref object;
    Py_hash_t hash;
  };
  Key key();
  void fill_pairs(PyObject* dict, std::uint64_t count);
  /// That many elements of a set, as the keys of a dict: whoever makes a set of that takes their hashes over.
  Ref elements(std::uint64_t count);
  void fill_ordered_dict(PyObject* o, PyTypeObject* native);
  /// Goes past a value without making it.
  void skip();
  void skip_key();
  void skip_pairs();
  static Py_ssize_t parts_of(PyObject* wrapper_type);
  void fill_dict(PyObject* o);
  PyObject* optional_dict();
  void fill_set(PyObject* o);
  void fill_deque(PyObject* o);
  void fill_instance(PyObject* o);

  Heap& heap_;
  std::span<const Token> tokens_;
  std::span<const Ref> locals_;
};

}  // namespace assay::languages::python
