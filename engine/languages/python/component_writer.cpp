#include "languages/python/component_writer.hpp"

#include "languages/python/interpreter.hpp"
#include "languages/python/weak.hpp"

namespace assay::languages::python {
namespace {

/// What a method of C code that is bound to an object is the method of, and the object; both borrowed. By its name alone
/// one could find another: `super().append` in a class that has an `append` of its own.
std::pair<PyObject*, PyObject*> unbound(PyObject* method) {
  const Ref name = checked(PyObject_GetAttrString(method, "__name__"));
  PyObject* const self = checked(PyObject_GetAttrString(method, "__self__")).get();  // the method keeps it
  PyObject* const bases = Py_TYPE(self)->tp_mro;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(bases); ++i) {
    auto* const base = reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(bases, i));
    PyObject* const found = PyDict_GetItemWithError(base->tp_dict, name.get());
    if (found == nullptr || (Py_TYPE(found) != &PyMethodDescr_Type && Py_TYPE(found) != &PyWrapperDescr_Type))
      continue;
    // With its type: without it, CPython 3.11 crashes for methods like those of patterns.
    const Ref bound = checked(
        PyObject_CallMethod(found, "__get__", "OO", self, reinterpret_cast<PyObject*>(Py_TYPE(self))));
    const int is_equal = PyObject_RichCompareBool(bound.get(), method, Py_EQ);  // compares no content
    if (is_equal < 0) throw PythonError();
    if (is_equal == 1) return {found, self};
  }
  throw Unsupported(std::string("the method ") + PyUnicode_AsUTF8(name.get()) + " of " +
                    Py_TYPE(self)->tp_name + " cannot be part of a state; call it where it is found");
}

/// The number, text or bytes that an instance of a subclass is.
Ref plain_value(PyTypeObject* native, PyObject* object) {
  if (native == &PyUnicode_Type) return checked(PyUnicode_FromObject(object));
  if (native == &PyFloat_Type) return checked(PyFloat_FromDouble(PyFloat_AS_DOUBLE(object)));
  if (native == &PyBytes_Type)
    return checked(PyBytes_FromStringAndSize(PyBytes_AS_STRING(object), PyBytes_GET_SIZE(object)));
  return checked(PyLong_Type.tp_as_number->nb_int(object));
}

}  // namespace

void ComponentWriter::leaf(PyObject* value) {
  const std::optional<LeafId> id = heap_.leaves.find(value);
  if (!id)
    throw Unsupported(std::string("a value of type ") + Py_TYPE(value)->tp_name +
                      " cannot be part of a state");
  out.push_back(token(Tag::kLeaf, *id));
}

void ComponentWriter::value(PyObject* v) {
  if (v == nullptr) {
    out.push_back(token(Tag::kNull));
    return;
  }
  PyTypeObject* const type = Py_TYPE(v);
  if (type == &PyLong_Type || type == &PyUnicode_Type || v == Py_None || type == &PyBool_Type) return leaf(v);
  if (type == &PyTuple_Type) {
    if (const std::optional<LeafId> id = heap_.leaves.find(v)) {
      out.push_back(token(Tag::kLeaf, *id));
      return;
    }
    sequence(Tag::kTuple, v);
    return;
  }
  if (const std::optional<Kind> kind = object_kind(v)) return reference(v, *kind);
  if (type == &PyMethod_Type) {
    out.push_back(token(Tag::kMethod));
    value(PyMethod_GET_FUNCTION(v));
    value(PyMethod_GET_SELF(v));
    return;
  }
  if (const std::optional<LeafId> id = heap_.leaves.find(v)) {
    out.push_back(token(Tag::kLeaf, *id));
    return;
  }
  if (is_bound_native(v)) {
    out.push_back(token(Tag::kBuiltinMethod));
    const auto [function, self] = unbound(v);
    leaf(function);
    value(self);
    return;
  }
  if (type == &PyFrozenSet_Type) {
    out.push_back(token(Tag::kFrozenset, static_cast<std::uint64_t>(PySet_GET_SIZE(v))));
    return elements(v);
  }
  if (type == &PySlice_Type) {
    out.push_back(token(Tag::kSlice));
    const auto* slice = reinterpret_cast<PySliceObject*>(v);
    value(slice->start);
    value(slice->stop);
    value(slice->step);
    return;
  }
  if (type == &PySuper_Type) {
    out.push_back(token(Tag::kSuper));
    const Ref of = checked(PyObject_GetAttrString(v, "__thisclass__"));
    const Ref self = checked(PyObject_GetAttrString(v, "__self__"));
    value(of.get());
    value(self.get());
    return;
  }
  if (PyDictViewSet_Check(v) || PyDictValues_Check(v)) {
    out.push_back(token(Tag::kView, PyDictKeys_Check(v) ? 0 : PyDictValues_Check(v) ? 1 : 2));
    // The view's dict is its first field, in every version since views exist.
    value(reinterpret_cast<PyObject*>(reinterpret_cast<_PyDictViewObject*>(v)->dv_dict));
    return;
  }
  if (is_weak(v)) {
    out.push_back(token(Tag::kWeak, is_identity(v) ? 1 : 0));
    return value(object_of_weak(v));
  }
  if (is_wrapper(v)) {
    out.push_back(token(Tag::kWrapper));
    leaf(reinterpret_cast<PyObject*>(type));
    for (const Ref& part : parts_of_wrapper(v)) value(part.get());
    return;
  }
  if (PyFunction_Check(v)) return native_function(v);
  if (is_in_zone(v)) {
    out.push_back(token(Tag::kWrapper));
    leaf(reinterpret_cast<PyObject*>(type));
    const Ref zone = checked(PyObject_GetAttrString(v, "tzinfo"));
    leaf(in_zone(v, Py_None).get());
    return value(zone.get());
  }
  if (is_tuple_value(v)) {
    out.push_back(token(Tag::kNamedTuple, static_cast<std::uint64_t>(PyTuple_GET_SIZE(v))));
    leaf(reinterpret_cast<PyObject*>(type));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(v); ++i) value(PyTuple_GET_ITEM(v, i));
    return;
  }
  throw Unsupported(std::string("a value of type ") + Py_TYPE(v)->tp_name + " cannot be part of a state");
}

void ComponentWriter::frame(const Frame& f, bool is_running) {
  number(f.code->number);
  number(f.pc);
  number(static_cast<std::uint64_t>(f.on_return) | (f.in_atomic ? 256 : 0));
  const auto& live_at = f.code->live_at;
  for (std::size_t i = 0; i < f.locals.size(); ++i) {
    const bool is_live =
        live_at.empty() || live_at[f.pc][i] || (!is_running && f.pc > 0 && live_at[f.pc - 1][i]);
    value(is_live ? f.locals[i].get() : nullptr);
  }
  number(f.cells.size());
  for (const Ref& cell : f.cells) value(cell.get());
  number(f.stack.size());
  for (const Ref& item : f.stack) value(item.get());
  value(f.names.get());
  value(f.handled.get());
  value(f.generator.get());
  value(f.extra.get());
}

void ComponentWriter::record(PyObject* o) {
  const Kind kind = *object_kind(o);
  out.push_back(token(Tag::kObject, static_cast<std::uint64_t>(kind)));
  switch (kind) {
    case Kind::kList: list_items(o); break;
    case Kind::kDict: dict_items(o); break;
    case Kind::kSet: set_items(o); break;
    case Kind::kDeque: deque_items(o); break;
    case Kind::kByteArray: {
      const Ref bytes = checked(PyBytes_FromObject(o));
      leaf(bytes.get());
      break;
    }
    case Kind::kCell: value(PyCell_GET(o)); break;
    case Kind::kFunction: {
      const auto* f = reinterpret_cast<Function*>(o);
      number(f->code->number);
      value(f->defaults);
      optional_dict(f->keyword_defaults);
      value(f->closure);
      optional_dict(f->attributes);
      break;
    }
    case Kind::kGenerator: {
      const auto* g = reinterpret_cast<Generator*>(o);
      number(g->code->number);
      number(static_cast<std::uint64_t>(g->state));
      number(g->frame != nullptr);
      if (g->frame != nullptr) frame(*g->frame, false);
      break;
    }
    case Kind::kIterator: {
      auto* const it = reinterpret_cast<Iterator*>(o);
      number(static_cast<std::uint64_t>(it->kind) | (it->elements != nullptr ? kHasElements : 0) |
             (is_stale(it, heap_.world()) ? kIsStale : 0));
      number(static_cast<std::uint64_t>(it->index) & 0xFFFFFFFFFFFFFFull);
      number(static_cast<std::uint64_t>(it->size) & 0xFFFFFFFFFFFFFFull);
      value(it->container);
      if (it->elements != nullptr) value(it->elements);
      break;
    }
    case Kind::kInstance: instance(o); break;
    case Kind::kNotANumber: out.push_back(token(Tag::kLeaf, heap_.leaves.template_of(o))); break;
    default: throw Unsupported("internal: no such object");
  }
}

void ComponentWriter::final_attributes(PyObject* o) {
  const ClassFacts& facts = heap_.classes.facts(Py_TYPE(o));
  out.push_back(token(Tag::kObject, static_cast<std::uint64_t>(Kind::kInstance)));
  leaf(reinterpret_cast<PyObject*>(Py_TYPE(o)));
  if (!facts.has_dict) return;
  const Ref dict = checked(PyObject_GenericGetDict(o, nullptr));
  PyObject *key = nullptr, *item = nullptr;
  Py_ssize_t position = 0;
  while (PyDict_Next(dict.get(), &position, &key, &item)) {
    if (!PyUnicode_Check(key) || !heap_.is_final_attribute(key)) continue;
    leaf(key);
    value(item);
  }
}

void ComponentWriter::local_records() {
  for (std::size_t i = 0; i < locals_.size(); ++i) record(locals_[i]);
}

std::optional<Kind> ComponentWriter::object_kind(PyObject* v) {
  PyTypeObject* const type = Py_TYPE(v);
  if (type == &PyList_Type) return Kind::kList;
  if (type == &PyDict_Type) return Kind::kDict;
  if (type == &PySet_Type) return Kind::kSet;
  if (type == &PyCell_Type) return Kind::kCell;
  if (type == generator_type) return Kind::kGenerator;
  if (is_iterator(v)) return Kind::kIterator;
  if (type == heap_.classes.deque_type()) return Kind::kDeque;
  if (type == &PyByteArray_Type) return Kind::kByteArray;
  if (is_weak(v)) return std::nullopt;
  const auto unless_leaf = [&](Kind kind) {
    return heap_.leaves.find(v) ? std::nullopt : std::optional(kind);
  };
  if (type == function_type) return unless_leaf(Kind::kFunction);
  if (is_wrapper(v) || PyFunction_Check(v)) return std::nullopt;
  if (is_not_a_number(v)) return unless_leaf(Kind::kNotANumber);
  if (is_getter(v) || is_match(v)) return Kind::kNotANumber;
  if (type == &PyTuple_Type || type == &PyMethod_Type || type == &PyType_Type || type == &PyCFunction_Type ||
      type == &_PyMethodWrapper_Type || type == &PyFrozenSet_Type || type == &PySlice_Type ||
      type == &PyBytes_Type || type == &PyRange_Type || type == &PyFloat_Type) {
    return std::nullopt;
  }
  const ClassFacts& facts = heap_.classes.facts(type);
  if (facts.is_enumeration || facts.base == Base::kUnknown) return std::nullopt;
  if (facts.base == Base::kTuple && is_tuple_value(v)) return std::nullopt;
  if (facts.base == Base::kValue && !facts.is_of_program) return std::nullopt;
  if (!facts.is_of_program && heap_.leaves.find(v)) return std::nullopt;
  return Kind::kInstance;
}

bool ComponentWriter::is_tuple_value(PyObject* v) {
  if (!PyTuple_Check(v)) return false;
  if (!heap_.classes.facts(Py_TYPE(v)).has_dict) return true;
  return PyDict_GET_SIZE(checked(PyObject_GenericGetDict(v, nullptr)).get()) == 0;
}

void ComponentWriter::native_function(PyObject* o) {
  constexpr int kDeepest = 100;
  if (++depth_ > kDeepest)
    throw Unsupported("a function of CPython that holds itself cannot be part of a state");
  const Parts cells = cells_of_native_function(o);
  out.push_back(token(Tag::kNativeFunction, cells.size()));
  out.push_back(token(Tag::kLeaf, heap_.leaves.template_of(o)));
  value(PyFunction_GET_DEFAULTS(o));
  optional_dict(PyFunction_GET_KW_DEFAULTS(o));
  for (const Ref& content : cells) value(content.get());
  --depth_;
}

void ComponentWriter::sequence(Tag tag, PyObject* tuple) {
  out.push_back(token(tag, static_cast<std::uint64_t>(PyTuple_GET_SIZE(tuple))));
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); ++i) value(PyTuple_GET_ITEM(tuple, i));
}

void ComponentWriter::reference(PyObject* o, Kind kind) {
  std::uint32_t slot = heap_.slot(o);
  if (slot == Heap::kNoSlot) {
    if (keeps_private_) {
      const auto [place, is_new] = local_of_.emplace(o, static_cast<std::uint32_t>(locals_.size()));
      if (is_new) locals_.push_back(o);
      out.push_back(token(Tag::kLocal, place->second));
      return;
    }
    slot = heap_.share(o);
  }
  // What an iterator's type is called depends on its container.
  PyTypeObject* const own_type = is_iterator(o) ? iterator_type : Py_TYPE(o);
  // What is not a number is known with all that it is to whoever holds it: nobody has to ask for it.
  const LeafId type = kind == Kind::kNotANumber ? heap_.leaves.template_of(o)
                                                : *heap_.leaves.find(reinterpret_cast<PyObject*>(own_type));
  out.push_back(shared(slot, type));
}

void ComponentWriter::list_items(PyObject* o) {
  number(static_cast<std::uint64_t>(PyList_GET_SIZE(o)));
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(o); ++i) value(PyList_GET_ITEM(o, i));
}

void ComponentWriter::key(PyObject* v, Py_hash_t hash) {
  const std::size_t at = out.size();
  value(v);
  if (tag_of(out[at]) == Tag::kLeaf) return;
  if (!heap_.hashes_content(v)) {
    out.push_back(token(Tag::kNull));
    return;
  }
  const Ref stored = checked(PyLong_FromSsize_t(hash));
  leaf(stored.get());
}

void ComponentWriter::dict_items(PyObject* o) {
  number(static_cast<std::uint64_t>(PyDict_GET_SIZE(o)));
  PyObject *name = nullptr, *item = nullptr;
  Py_ssize_t position = 0;
  Py_hash_t hash = 0;
  while (_PyDict_Next(o, &position, &name, &item, &hash)) {
    key(name, hash);
    value(item);
  }
}

void ComponentWriter::optional_dict(PyObject* o) {
  if (o == nullptr) {
    out.push_back(token(Tag::kNull));
  } else {
    dict_items(o);
  }
}

void ComponentWriter::elements(PyObject* set) {
  std::unordered_map<PyObject*, Py_hash_t> hashes;
  PyObject* element = nullptr;
  Py_ssize_t position = 0;
  Py_hash_t hash = 0;
  while (_PySet_NextEntry(set, &position, &element, &hash)) hashes.emplace(element, hash);
  const Ref items = heap_.ordered(set);
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(items.get()); ++i) {
    key(PyList_GET_ITEM(items.get(), i), hashes.at(PyList_GET_ITEM(items.get(), i)));
  }
}

void ComponentWriter::set_items(PyObject* o) {
  number(static_cast<std::uint64_t>(PySet_GET_SIZE(o)));
  elements(o);
}

void ComponentWriter::deque_items(PyObject* o) {
  // A subclass may have methods of its own, which show something else.
  PyTypeObject* const deque = heap_.classes.deque_type();
  const Ref limit = checked(PyObject_CallMethod(lookup(deque, interned("maxlen")), "__get__", "(O)", o));
  leaf(limit.get());
  const Ref iterator = checked(deque->tp_iter(o));
  const Ref items = checked(PySequence_List(iterator.get()));
  list_items(items.get());
}

void ComponentWriter::instance(PyObject* o) {
  const ClassFacts& facts = heap_.classes.facts(Py_TYPE(o));
  leaf(reinterpret_cast<PyObject*>(Py_TYPE(o)));
  switch (facts.base) {
    case Base::kPlain: break;
    case Base::kList: list_items(o); break;
    case Base::kDefaultDict: {
      const Ref factory = checked(PyObject_GetAttrString(o, "default_factory"));
      value(factory.get());
      dict_items(o);
      break;
    }
    case Base::kOrderedDict: {
      const Ref items =
          checked(PyObject_CallMethod(reinterpret_cast<PyObject*>(facts.native), "items", "(O)", o));
      const Ref pairs = checked(PySequence_List(items.get()));
      std::unordered_map<PyObject*, Py_hash_t> hashes;
      PyObject *name = nullptr, *item = nullptr;
      Py_ssize_t position = 0;
      Py_hash_t hash = 0;
      while (_PyDict_Next(o, &position, &name, &item, &hash)) hashes.emplace(name, hash);
      number(static_cast<std::uint64_t>(PyList_GET_SIZE(pairs.get())));
      for (Py_ssize_t i = 0; i < PyList_GET_SIZE(pairs.get()); ++i) {
        PyObject* const pair = PyList_GET_ITEM(pairs.get(), i);
        key(PyTuple_GET_ITEM(pair, 0), hashes.at(PyTuple_GET_ITEM(pair, 0)));
        value(PyTuple_GET_ITEM(pair, 1));
      }
      break;
    }
    case Base::kDict: dict_items(o); break;
    case Base::kSet: set_items(o); break;
    case Base::kDeque: deque_items(o); break;
    case Base::kException: {
      const Ref args = checked(PyObject_GetAttrString(o, "args"));
      value(args.get());
      const Ref cause = Ref::steal(PyException_GetCause(o));
      const Ref context = Ref::steal(PyException_GetContext(o));
      value(cause.get());
      value(context.get());
      number(reinterpret_cast<PyBaseExceptionObject*>(o)->suppress_context != 0);
      if (PyObject_TypeCheck(o, reinterpret_cast<PyTypeObject*>(PyExc_BaseExceptionGroup)) != 0) {
        throw Unsupported("a group of exceptions cannot be part of a state; keep its exceptions in a list");
      }
      for (const Ref& field : facts.fields) {
        const Ref item = checked(Py_TYPE(field.get())->tp_descr_get(field.get(), o, nullptr));
        value(item.get());
      }
      break;
    }
    case Base::
        kValue: {  // a number or text of a class of the program: the plain one, and then its attributes
      const Ref plain = plain_value(facts.native, o);
      leaf(plain.get());
      break;
    }
    default:
      throw Unsupported(std::string("an instance of ") + Py_TYPE(o)->tp_name + " cannot be part of a state");
  }
  if (facts.has_dict) {
    const Ref dict = checked(PyObject_GenericGetDict(o, nullptr));
    dict_items(dict.get());
  } else {
    number(0);
  }
  for (const Ref& member : facts.members) {
    const Ref item = Ref::steal(Py_TYPE(member.get())->tp_descr_get(member.get(), o, nullptr));
    if (!item) PyErr_Clear();
    value(item.get());
  }
}

}  // namespace assay::languages::python
