#include "languages/python/weak.hpp"

#include "languages/python/components.hpp"
#include "languages/python/heap.hpp"
#include "languages/python/interpreter.hpp"

namespace assay::languages::python {
namespace {

PyTypeObject* weak_type = nullptr;
PyTypeObject* identity_type = nullptr;

int weak_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(object_of_weak(self));
  return 0;
}

int weak_clear(PyObject* self) {
  Py_CLEAR(reinterpret_cast<Weak*>(self)->object);
  return 0;
}

void weak_dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  weak_clear(self);
  PyTypeObject* const type = Py_TYPE(self);
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

template <typename Answer>
Answer refused(Answer failed) {
  return guarded(
      []() -> Answer {
        throw Unsupported(
            "the number that id() gives is an address, which is different in each run; compare it, or keep "
            "it as a key");
      },
      failed);
}

PyObject* refuse_unary(PyObject*) { return refused<PyObject*>(nullptr); }
PyObject* refuse_binary(PyObject*, PyObject*) { return refused<PyObject*>(nullptr); }
PyObject* refuse_ternary(PyObject*, PyObject*, PyObject*) { return refused<PyObject*>(nullptr); }
int refuse_truth(PyObject*) { return 1; }  // no address is zero

/// As weak references: of what they refer to.
Py_hash_t weak_hash(PyObject* self) { return PyObject_Hash(object_of_weak(self)); }
PyObject* weak_compare(PyObject* left, PyObject* right, int operation) {
  if (!is_weak(right) || (operation != Py_EQ && operation != Py_NE)) return Py_NewRef(Py_NotImplemented);
  return PyObject_RichCompare(object_of_weak(left), object_of_weak(right), operation);
}

Py_hash_t identity_hash(PyObject* self) { return _Py_HashPointer(object_of_weak(self)); }

/// All objects lived when the last `id` was asked for (`World::knows_identities`), so these are the same numbers exactly if
/// they are of the same object.
PyObject* identity_compare(PyObject* left, PyObject* right, int operation) {
  if (operation != Py_EQ && operation != Py_NE) return refused<PyObject*>(nullptr);
  if (!is_identity(right)) {
    if (PyLong_Check(right) || PyFloat_Check(right)) return refused<PyObject*>(nullptr);
    return Py_NewRef(Py_NotImplemented);
  }
  const bool is_same = object_of_weak(left) == object_of_weak(right);
  return Py_NewRef(is_same == (operation == Py_EQ) ? Py_True : Py_False);
}

template <typename Function>
PyType_Slot slot(int number, Function function) {
  return {number, reinterpret_cast<void*>(function)};
}

void make_types_of_weak() {
  static PyType_Slot weak_slots[] = {
      slot(Py_tp_dealloc, weak_dealloc), slot(Py_tp_traverse, weak_traverse),   slot(Py_tp_clear, weak_clear),
      slot(Py_tp_hash, weak_hash),       slot(Py_tp_richcompare, weak_compare), {0, nullptr}};
  static PyType_Slot identity_slots[] = {slot(Py_tp_dealloc, weak_dealloc),
                                         slot(Py_tp_traverse, weak_traverse),
                                         slot(Py_tp_clear, weak_clear),
                                         slot(Py_tp_hash, identity_hash),
                                         slot(Py_tp_richcompare, identity_compare),
                                         slot(Py_tp_repr, refuse_unary),
                                         slot(Py_tp_str, refuse_unary),
                                         slot(Py_nb_bool, refuse_truth),
                                         slot(Py_nb_add, refuse_binary),
                                         slot(Py_nb_subtract, refuse_binary),
                                         slot(Py_nb_multiply, refuse_binary),
                                         slot(Py_nb_remainder, refuse_binary),
                                         slot(Py_nb_divmod, refuse_binary),
                                         slot(Py_nb_power, refuse_ternary),
                                         slot(Py_nb_negative, refuse_unary),
                                         slot(Py_nb_positive, refuse_unary),
                                         slot(Py_nb_absolute, refuse_unary),
                                         slot(Py_nb_invert, refuse_unary),
                                         slot(Py_nb_lshift, refuse_binary),
                                         slot(Py_nb_rshift, refuse_binary),
                                         slot(Py_nb_and, refuse_binary),
                                         slot(Py_nb_or, refuse_binary),
                                         slot(Py_nb_xor, refuse_binary),
                                         slot(Py_nb_int, refuse_unary),
                                         slot(Py_nb_float, refuse_unary),
                                         slot(Py_nb_index, refuse_unary),
                                         slot(Py_nb_floor_divide, refuse_binary),
                                         slot(Py_nb_true_divide, refuse_binary),
                                         {0, nullptr}};
  constexpr unsigned kFlags =
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE;
  static PyType_Spec weak_spec = {"assay.assay!weak", sizeof(Weak), 0, kFlags, weak_slots};
  static PyType_Spec identity_spec = {"assay.assay!identity", sizeof(Weak), 0, kFlags, identity_slots};
  weak_type = reinterpret_cast<PyTypeObject*>(checked(PyType_FromSpec(&weak_spec)).release());
  identity_type = reinterpret_cast<PyTypeObject*>(checked(PyType_FromSpec(&identity_spec)).release());
}

/// Goes through words and tells each reference in them, and whether it is weak.
template <typename Found>
void each_reference(std::span<const Token> tokens, Found found) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Tag tag = tag_of(tokens[i]);
    if (tag != Tag::kShared && tag != Tag::kLocal) continue;
    found(tokens[i], i > 0 && tag_of(tokens[i - 1]) == Tag::kWeak);
  }
}

/// What is reached in a state without following weak references, across shared objects and those that are stored in
/// their threads.
class StrongReach {
 public:
  StrongReach(const StateIds& state, const Components& components)
      : state_(state), components_(components), shared_(state.objects(), 0) {
    for (std::uint32_t i = 0; i < state.fixed; ++i) follow(components.tokens(state.ids[i]), kNoThread);
    for (std::uint32_t t = 0; t < state.threads; ++t) {
      records_.push_back(records_of(components.tokens(state.thread(t))));
      locals_.emplace_back(records_[t].size(), 0);
    }
    for (std::uint32_t t = 0; t < state.threads; ++t) {
      const std::span<const Token> whole = components.tokens(state.thread(t));
      follow(whole.first(records_[t].empty() ? whole.size() : records_[t][0]), t);
    }
    while (!pending_.empty()) {
      const auto [tokens, thread] = pending_.back();
      pending_.pop_back();
      follow(tokens, thread);
    }
  }

  /// A weak reference to something else, anywhere in the state.
  std::optional<Token> beyond() const {
    std::optional<Token> found;
    const auto look = [&](std::span<const Token> tokens, std::uint32_t thread) {
      each_reference(tokens, [&](Token t, bool is_weak) {
        if (!is_weak || found) return;
        const bool is_reached =
            tag_of(t) == Tag::kShared ? shared_[slot_of(t)] != 0 : locals_[thread][payload_of(t)] != 0;
        if (!is_reached) found = t;
      });
    };
    for (std::size_t i = 0; i < state_.ids.size(); ++i) {
      const bool is_thread = i >= state_.fixed && i < state_.fixed + state_.threads;
      look(components_.tokens(state_.ids[i]),
           is_thread ? static_cast<std::uint32_t>(i - state_.fixed) : kNoThread);
    }
    return found;
  }

 private:
  static constexpr std::uint32_t kNoThread = 0xFFFFFFFFu;

  static std::vector<std::size_t> records_of(std::span<const Token> whole) {
    std::vector<std::size_t> records;
    for (std::size_t i = 1; i < whole.size(); ++i) {
      if (tag_of(whole[i]) == Tag::kObject) records.push_back(i);
    }
    return records;
  }

  void follow(std::span<const Token> tokens, std::uint32_t thread) {
    each_reference(tokens, [&](Token t, bool is_weak) {
      if (is_weak) return;
      if (tag_of(t) == Tag::kShared) {
        if (std::exchange(shared_[slot_of(t)], 1) == 0)
          pending_.emplace_back(components_.tokens(state_.object(slot_of(t))), kNoThread);
        return;
      }
      const std::size_t k = payload_of(t);
      if (std::exchange(locals_[thread][k], 1) != 0) return;
      const std::span<const Token> whole = components_.tokens(state_.thread(thread));
      const std::size_t end = k + 1 < records_[thread].size() ? records_[thread][k + 1] : whole.size();
      pending_.emplace_back(whole.subspan(records_[thread][k], end - records_[thread][k]), thread);
    });
  }

  const StateIds& state_;
  const Components& components_;
  std::vector<std::uint8_t> shared_;
  std::vector<std::vector<std::size_t>> records_;  // of each thread: where its own objects begin
  std::vector<std::vector<std::uint8_t>> locals_;
  std::vector<std::pair<std::span<const Token>, std::uint32_t>> pending_;
};

}  // namespace

bool is_weak(PyObject* value) {
  return weak_type != nullptr && (Py_TYPE(value) == weak_type || Py_TYPE(value) == identity_type);
}

bool has_weak_references() { return weak_type != nullptr; }

bool is_identity(PyObject* value) { return identity_type != nullptr && Py_TYPE(value) == identity_type; }

bool is_shared_reference(PyObject* value) {
  if (weak_type == nullptr || !is_program_type(Py_TYPE(value))) return false;
  if (PyDict_GetItem(Py_TYPE(value)->tp_dict, interned("_is_weak_reference")) == nullptr) return false;
  return checked(PyObject_GenericGetAttr(value, interned("_weak_callback"))).get() == Py_None;
}

Ref new_weak(PyObject* object, bool is_identity) {
  if (weak_type == nullptr) make_types_of_weak();
  if (is_identity && is_shared_reference(object))
    throw Unsupported("id() of a weak reference is not modelled; use the id() of what it leads to");
  PyTypeObject* const type = Py_TYPE(object);
  const bool is_known =
      is_function(object) || is_module(object) || PyType_Check(object) || is_program_type(type) ||
      (is_identity && (object == Py_None || PyList_CheckExact(object) || PyDict_CheckExact(object) ||
                       PySet_CheckExact(object) || type == &PyBaseObject_Type));
  if (!is_known && !is_identity && (is_plain(object) || !PyType_SUPPORTS_WEAKREFS(type)))
    raise(PyExc_TypeError, "cannot create weak reference to '%.100s' object", type->tp_name);
  const bool is_value = PyTuple_Check(object) || PyMethod_Check(object) || PyFrozenSet_Check(object);
  if (!is_known || is_value) {
    throw Unsupported(std::string(is_identity ? "id() of a " : "a weak reference to a ") + type->tp_name +
                      " is not modelled; " +
                      (is_identity ? "compare with `is`" : "refer to an object of a class of the program"));
  }
  if (!is_identity && is_program_type(type) && type->tp_weaklistoffset == 0 && !PyType_Check(object))
    raise(PyExc_TypeError, "cannot create weak reference to '%.100s' object", type->tp_name);
  Weak* const made = PyObject_GC_New(Weak, is_identity ? identity_type : weak_type);
  if (made == nullptr) throw PythonError();
  made->object = Py_NewRef(object);
  PyObject_GC_Track(made);
  return Ref::steal(reinterpret_cast<PyObject*>(made));
}

std::optional<std::uint32_t> only_weakly_reached(const StateIds& state, const Components& components) {
  if (!components.has_weak()) return std::nullopt;
  const std::optional<Token> found = StrongReach(state, components).beyond();
  if (!found) return std::nullopt;
  return tag_of(*found) == Tag::kShared ? type_of(*found) : 0xFFFFFFFFu;
}

}  // namespace assay::languages::python
