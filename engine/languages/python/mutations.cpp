#include "languages/python/mutations.hpp"

#include <stdexcept>

#include "support/hash.hpp"

namespace assay::languages::python {
namespace {

PyTypeObject* deque_type() {
  static PyTypeObject* const type = [] {
    const Ref module = checked(PyImport_ImportModule("collections"));
    return reinterpret_cast<PyTypeObject*>(checked(PyObject_GetAttrString(module.get(), "deque")).release());
  }();
  return type;
}

/// How a deque of CPython begins.
struct DequeHead {
  PyObject_VAR_HEAD void* left_block;
  void* right_block;
  Py_ssize_t left_index, right_index;
  std::size_t state;  // what its iterators compare
};

/// How an OrderedDict of CPython begins.
struct OrderedDictHead {
  PyDictObject dict;
  void *first, *last, *nodes;
  Py_ssize_t node_count;
  void* sentinel;
  std::size_t state;
};

/// No header tells how these begin: whether it is so is tried once.
bool is_laid_out_so() {
  const Ref deque = checked(PyObject_CallNoArgs(reinterpret_cast<PyObject*>(deque_type())));
  const Ref ordered = checked(PyODict_New());
  const auto* const head = reinterpret_cast<DequeHead*>(deque.get());
  const auto* const ordered_head = reinterpret_cast<OrderedDictHead*>(ordered.get());
  for (std::size_t i = 1; i <= 3; ++i) {
    const std::size_t before = head->state, ordered_before = ordered_head->state;
    const Ref item = checked(PyLong_FromSize_t(i));
    const Ref none = checked(PyObject_CallMethod(deque.get(), "append", "O", item.get()));
    if (PyODict_SetItem(ordered.get(), item.get(), item.get()) != 0) throw PythonError();
    if (head->state != before + 1 || ordered_head->state != ordered_before + 1) return false;
  }
  return true;
}

}  // namespace

bool is_deque(PyObject* object) { return PyObject_TypeCheck(object, deque_type()) != 0; }

PyObject* item_of_deque(PyObject* deque, Py_ssize_t index) {
  return deque_type()->tp_as_sequence->sq_item(deque, index);
}

bool has_shape(PyObject* container) {
  return PyDict_Check(container) || PySet_Check(container) || is_deque(container);
}

Mutations::Shape Mutations::shape_of(PyObject* container) {
  static const bool is_known_layout = is_laid_out_so();
  if (!is_known_layout) throw std::runtime_error("internal: this CPython has other deques than 3.11");
  if (PyODict_Check(container))
    return {0, reinterpret_cast<OrderedDictHead*>(container)->state};  // its iterators look at the size, too
  // No single operation both adds keys to a dict and takes some out.
  if (PyDict_Check(container)) return {PyDict_GET_SIZE(container), 0};
  if (is_deque(container)) return {Py_SIZE(container), reinterpret_cast<DequeHead*>(container)->state};
  Shape shape{PySet_GET_SIZE(container), 0};
  PyObject* element = nullptr;
  Py_ssize_t position = 0;
  Py_hash_t hash = 0;
  while (_PySet_NextEntry(container, &position, &element, &hash) != 0) {
    const auto address = reinterpret_cast<std::uintptr_t>(element);
    shape.layout = support::mix(shape.layout ^ (address + static_cast<std::uint64_t>(position)));
  }
  return shape;
}

std::uint64_t Mutations::look_at(Known& known) {
  const Shape now = shape_of(known.container.get());
  if (now != known.shape) {
    known.shape = now;
    ++known.count;
  }
  return known.count;
}

void Mutations::begin_step() {
  ++step_;
  known_.clear();
}

std::uint64_t Mutations::of(PyObject* container) {
  const auto [found, is_new] = known_.try_emplace(container);
  if (!is_new) return look_at(found->second);
  found->second = {Ref::borrow(container), shape_of(container), 0};
  return 0;
}

std::vector<PyObject*> Mutations::changed() {
  std::vector<PyObject*> found;
  for (auto& [container, known] : known_) {
    if (look_at(known) > 0) found.push_back(container);
  }
  return found;
}

}  // namespace assay::languages::python
