/// Writes values and objects down as words of a component.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "languages/python/heap.hpp"
#include "languages/python/thread.hpp"
#include "languages/python/tokens.hpp"

namespace assay::languages::python {

/// References to objects without a slot give them one, which makes them shared, or keep them private: then they get
/// local numbers, and their records follow in the same component.
class ComponentWriter {
 public:
  explicit ComponentWriter(Heap& heap, bool keeps_private) : heap_(heap), keeps_private_(keeps_private) {}

  std::vector<Token> out;

  void number(std::uint64_t n) { out.push_back(token(Tag::kNumber, n)); }
  void leaf(PyObject* value);

  void value(PyObject* v);

  /// The frame that runs stands on its next instruction; one that waits for a call or a resumption may still be sent
  /// to a handler of the instruction before.
  void frame(const Frame& f, bool is_running);

  void record(PyObject* o);

  /// The final attributes of an instance alone; no tokens if it has none.
  void final_attributes(PyObject* o);

  /// Writes down everything that got a local number, in its order, which grows meanwhile.
  void local_records();

  std::optional<Kind> object_kind(PyObject* v);

 private:
  /// Whether it is a tuple of some class and nothing else. One that may have attributes is, as long as it has none: a state
  /// in which it has any is refused.
  bool is_tuple_value(PyObject* v);
  void native_function(PyObject* o);
  void sequence(Tag tag, PyObject* tuple);

  void reference(PyObject* o, Kind kind);

  void list_items(PyObject* o);
  /// A key, and the hash by which its container has stored it: an object that has changed since then has another.
  void key(PyObject* v, Py_hash_t hash);
  void dict_items(PyObject* o);
  void optional_dict(PyObject* o);
  void elements(PyObject* set);
  void set_items(PyObject* o);
  void deque_items(PyObject* o);

  void instance(PyObject* o);

  Heap& heap_;
  const bool keeps_private_;
  int depth_ = 0;  // of functions of CPython in each other
  std::unordered_map<PyObject*, std::uint32_t> local_of_;
  std::vector<PyObject*> locals_;
};

}  // namespace assay::languages::python
