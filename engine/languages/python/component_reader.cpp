#include "languages/python/component_reader.hpp"

#include <algorithm>

#include "languages/python/interpreter.hpp"
#include "languages/python/weak.hpp"

namespace assay::languages::python {

Ref ComponentReader::value() {
  const Token t = next();
  const std::uint64_t payload = payload_of(t);
  switch (tag_of(t)) {
    case Tag::kNull: return Ref();
    case Tag::kLeaf: return Ref::borrow(heap_.leaves.object(static_cast<LeafId>(payload)));
    case Tag::kShared: return Ref::borrow(heap_.living(slot_of(t)));
    case Tag::kLocal: return locals_[payload];
    case Tag::kTuple: {
      Ref tuple = checked(PyTuple_New(static_cast<Py_ssize_t>(payload)));
      for (std::uint64_t i = 0; i < payload; ++i) {
        PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), value().release());
      }
      return tuple;
    }
    case Tag::kNamedTuple: {
      const Ref type = value();
      Ref items = checked(PyTuple_New(static_cast<Py_ssize_t>(payload)));
      for (std::uint64_t i = 0; i < payload; ++i) {
        PyTuple_SET_ITEM(items.get(), static_cast<Py_ssize_t>(i), value().release());
      }
      const Ref args = checked(PyTuple_Pack(1, items.get()));
      return checked(PyTuple_Type.tp_new(reinterpret_cast<PyTypeObject*>(type.get()), args.get(), nullptr));
    }
    case Tag::kFrozenset: {
      return checked(PyFrozenSet_New(elements(payload).get()));
    }
    case Tag::kMethod: {
      const Ref function = value();
      const Ref self = value();
      return checked(PyMethod_New(function.get(), self.get()));
    }
    case Tag::kBuiltinMethod: {
      const Ref function = value();
      const Ref self = value();
      return checked(PyObject_CallMethod(function.get(), "__get__", "OO", self.get(),
                                         reinterpret_cast<PyObject*>(Py_TYPE(self.get()))));
    }
    case Tag::kSlice: {
      const Ref start = value(), stop = value(), step = value();
      return checked(PySlice_New(start.get(), stop.get(), step.get()));
    }
    case Tag::kSuper: {
      const Ref of = value(), self = value();
      return checked(PyObject_CallFunctionObjArgs(reinterpret_cast<PyObject*>(&PySuper_Type), of.get(),
                                                  self.get(), nullptr));
    }
    case Tag::kView: {
      const Ref dict = value();
      // A subclass may have methods of its own with these names.
      auto* const type =
          reinterpret_cast<PyObject*>(PyODict_Check(dict.get()) ? &PyODict_Type : &PyDict_Type);
      return checked(PyObject_CallMethod(type,
                                         payload == 0   ? "keys"
                                         : payload == 1 ? "values"
                                                        : "items",
                                         "O", dict.get()));
    }
    case Tag::kWeak: {
      const Ref object = value();
      return new_weak(object.get(), payload == 1);
    }
    case Tag::kWrapper: return wrapper();
    case Tag::kNativeFunction: return native_function(payload);
    default: throw std::runtime_error("internal: a captured value cannot be read");
  }
}

std::unique_ptr<Frame> ComponentReader::frame() {
  auto f = std::make_unique<Frame>();
  f->code = heap_.program.codes[number()].get();
  f->pc = static_cast<std::uint32_t>(number());
  const std::uint64_t role = number();
  f->on_return = static_cast<Return>(role & 255);
  f->in_atomic = (role & 256) != 0;
  f->locals.resize(f->code->local_names.size());
  for (Ref& local : f->locals) local = value();
  f->cells.resize(number());
  for (Ref& cell : f->cells) cell = value();
  f->stack.resize(number());
  for (Ref& item : f->stack) item = value();
  f->names = value();
  f->handled = value();
  f->generator = value();
  f->extra = value();
  return f;
}

Ref ComponentReader::shell() {
  switch (static_cast<Kind>(payload_of(next()) & 0xFF)) {
    case Kind::kList: return checked(PyList_New(0));
    case Kind::kDict: return checked(PyDict_New());
    case Kind::kSet: return checked(PySet_New(nullptr));
    case Kind::kDeque: return deque_shell(heap_.classes.deque_type());
    case Kind::kByteArray: return checked(PyByteArray_FromStringAndSize("", 0));
    case Kind::kCell: return checked(PyCell_New(nullptr));
    case Kind::kFunction: return new_function(heap_.program.codes[number()].get(), {}, {}, {});
    case Kind::kGenerator: return new_empty_generator(heap_.program.codes[number()].get());
    case Kind::kIterator:
      return new_iterator(static_cast<Iteration>(number() & kIterationMask), Py_None, 0, 0);
    case Kind::kInstance: {
      const Ref type_object = value();
      auto* const type = reinterpret_cast<PyTypeObject*>(type_object.get());
      const ClassFacts& facts = heap_.classes.facts(type);
      if (facts.base == Base::kDeque) return deque_shell(type);
      if (facts.base == Base::kValue) {
        const Ref plain = value();
        const Ref arguments = checked(PyTuple_Pack(1, plain.get()));
        return checked(facts.native->tp_new(type, arguments.get(), nullptr));
      }
      const Ref none = checked(PyTuple_New(0));
      return checked(facts.native->tp_new(type, none.get(), nullptr));
    }
    case Kind::kNotANumber: return another_of_the_same(value().get());
    default: throw std::runtime_error("internal: a captured object cannot be read");
  }
}

bool ComponentReader::fits(PyObject* object) {
  switch (static_cast<Kind>(payload_of(next()) & 0xFF)) {
    case Kind::kList: return Py_TYPE(object) == &PyList_Type;
    case Kind::kDict: return Py_TYPE(object) == &PyDict_Type;
    case Kind::kSet: return Py_TYPE(object) == &PySet_Type;
    case Kind::kCell: return Py_TYPE(object) == &PyCell_Type;
    case Kind::kFunction:
      return is_function(object) && !heap_.leaves.is_fixed(object) &&
             reinterpret_cast<Function*>(object)->code == heap_.program.codes[number()].get();
    case Kind::kInstance: {
      const Ref type = value();
      if (reinterpret_cast<PyObject*>(Py_TYPE(object)) != type.get()) return false;
      // One whose hash depends on its content may be a key somewhere.
      return heap_.classes.facts(Py_TYPE(object)).base == Base::kPlain &&
             Py_TYPE(object)->tp_hash == PyBaseObject_Type.tp_hash;
    }
    default: return false;
  }
}

void ComponentReader::fill_keys(PyObject* o) {
  switch (static_cast<Kind>(payload_of(next()) & 0xFF)) {
    case Kind::kDict: fill_dict(o); break;
    case Kind::kSet: fill_set(o); break;
    case Kind::kInstance: {
      value();
      const ClassFacts& facts = heap_.classes.facts(Py_TYPE(o));
      if (facts.base == Base::kDefaultDict) skip();
      if (facts.base == Base::kOrderedDict) {
        fill_ordered_dict(o, facts.native);
      } else if (facts.base == Base::kSet) {
        fill_set(o);
      } else if (facts.base == Base::kDict || facts.base == Base::kDefaultDict) {
        fill_dict(o);
      }
      break;
    }
    default: break;
  }
}

void ComponentReader::fill(PyObject* o) {
  switch (static_cast<Kind>(payload_of(next()) & 0xFF)) {
    case Kind::kList: fill_list(o); break;
    case Kind::kDict:
    case Kind::kSet: break;
    case Kind::kDeque: fill_deque(o); break;
    case Kind::kByteArray: {
      const Ref bytes = value();
      if (PyByteArray_Resize(o, PyBytes_GET_SIZE(bytes.get())) < 0) throw PythonError();
      std::copy_n(PyBytes_AS_STRING(bytes.get()), PyBytes_GET_SIZE(bytes.get()), PyByteArray_AS_STRING(o));
      break;
    }
    case Kind::kCell: {
      const Ref content = value();
      PyCell_Set(o, content.get());
      break;
    }
    case Kind::kFunction: {
      auto* const f = reinterpret_cast<Function*>(o);
      number();
      Py_XSETREF(f->defaults, value().release());
      Py_XSETREF(f->keyword_defaults, optional_dict());
      Py_XSETREF(f->closure, value().release());
      Py_XSETREF(f->attributes, optional_dict());
      break;
    }
    case Kind::kGenerator: {
      auto* const g = reinterpret_cast<Generator*>(o);
      number();
      g->state = static_cast<GeneratorState>(number());
      if (number() != 0) g->frame = frame().release();
      break;
    }
    case Kind::kIterator: {
      auto* const it = reinterpret_cast<Iterator*>(o);
      const std::uint64_t kind = number();
      it->kind = static_cast<Iteration>(kind & kIterationMask);
      it->is_stale = (kind & kIsStale) != 0;
      it->made_in = 0;
      it->index = signed_number();
      it->size = signed_number();
      Ref container = value();
      Py_XDECREF(std::exchange(it->container, container.release()));
      Ref elements = (kind & kHasElements) != 0 ? value() : Ref();
      Py_XDECREF(std::exchange(it->elements, elements.release()));
      name_iterator(o);
      break;
    }
    case Kind::kInstance: fill_instance(o); break;
    case Kind::kNotANumber: break;  // it was made with its value
    default: throw std::runtime_error("internal: a captured object cannot be filled");
  }
}

Py_ssize_t ComponentReader::signed_number() {
  const std::uint64_t n = number();
  return static_cast<Py_ssize_t>(static_cast<std::int64_t>(n << 8) >> 8);
}

Ref ComponentReader::wrapper() {
  const Ref type = value();
  const Ref args = checked(PyTuple_New(parts_of(type.get())));
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args.get()); ++i)
    PyTuple_SET_ITEM(args.get(), i, value().release());
  if (is_moment_type(type.get()))
    return in_zone(PyTuple_GET_ITEM(args.get(), 0), PyTuple_GET_ITEM(args.get(), 1));
  return checked(PyObject_CallObject(type.get(), args.get()));
}

Ref ComponentReader::native_function(std::uint64_t cells) {
  const Ref model = value();
  const Ref defaults = value();
  const Ref keyword_defaults = Ref::steal(optional_dict());
  PyObject* const code = PyFunction_GET_CODE(model.get());
  const Ref names = checked(PyObject_GetAttrString(code, "co_freevars"));
  const Ref closure = checked(PyTuple_New(static_cast<Py_ssize_t>(cells)));
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(closure.get()); ++i) {
    Ref content = value();
    if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names.get(), i), kGuardOfRepr) == 0) {
      content = checked(PySet_New(nullptr));
    }
    PyTuple_SET_ITEM(closure.get(), i, checked(PyCell_New(content.get())).release());
  }
  const Ref qualname = checked(PyObject_GetAttrString(model.get(), "__qualname__"));
  const Ref module = checked(PyObject_GetAttrString(model.get(), "__module__"));
  const Ref attributes = checked(PyObject_GetAttrString(model.get(), "__dict__"));
  Ref made = checked(PyFunction_NewWithQualName(code, PyFunction_GET_GLOBALS(model.get()), qualname.get()));
  const Ref own_attributes = checked(PyObject_GetAttrString(made.get(), "__dict__"));
  if (PyFunction_SetDefaults(made.get(), defaults ? defaults.get() : Py_None) < 0 ||
      PyFunction_SetKwDefaults(made.get(), keyword_defaults ? keyword_defaults.get() : Py_None) < 0 ||
      PyFunction_SetClosure(made.get(), cells > 0 ? closure.get() : Py_None) < 0 ||
      PyDict_Update(own_attributes.get(), attributes.get()) < 0 ||
      PyObject_SetAttrString(made.get(), "__module__", module.get()) < 0) {
    throw PythonError();
  }
  return made;
}

Ref ComponentReader::deque_shell(PyTypeObject* type) {
  const Ref limit = value();
  const Ref items = checked(PyTuple_New(0));
  const Ref args = checked(PyTuple_Pack(2, items.get(), limit.get()));
  Ref made = checked(heap_.classes.deque_type()->tp_new(type, args.get(), nullptr));
  if (heap_.classes.deque_type()->tp_init(made.get(), args.get(), nullptr) < 0) throw PythonError();
  return made;
}

void ComponentReader::fill_list(PyObject* o) {
  const std::uint64_t count = number();
  if (PyList_SetSlice(o, 0, PyList_GET_SIZE(o), nullptr) < 0) throw PythonError();
  for (std::uint64_t i = 0; i < count; ++i) {
    const Ref item = value();
    if (PyList_Append(o, item.get()) < 0) throw PythonError();
  }
}

void ComponentReader::refuse_keys(const std::string& problem) {
  rethrow_interruption();
  PyErr_Clear();
  throw Unsupported("the keys of a dict or set " + problem +
                    "; let their __hash__ and __eq__ depend on what never changes");
}

ComponentReader::Key ComponentReader::key() {
  const bool is_leaf = tag_of(tokens_[at]) == Tag::kLeaf;
  Ref object = value();
  const Ref stored = is_leaf ? Ref() : value();
  const Py_hash_t hash = stored ? PyLong_AsSsize_t(stored.get()) : PyObject_Hash(object.get());
  if (PyErr_Occurred() != nullptr) refuse_keys("can no longer be hashed");
  return {std::move(object), hash};
}

void ComponentReader::fill_pairs(PyObject* dict, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) {
    const Key name = key();
    const Ref item = value();
    if (_PyDict_SetItem_KnownHash(dict, name.object.get(), item.get(), name.hash) < 0)
      refuse_keys("can no longer be compared");
  }
  if (static_cast<std::uint64_t>(PyDict_GET_SIZE(dict)) != count)
    refuse_keys("have become equal since they were stored");
}

Ref ComponentReader::elements(std::uint64_t count) {
  Ref keys = checked(PyDict_New());
  for (std::uint64_t i = 0; i < count; ++i) {
    const Key element = key();
    if (_PyDict_SetItem_KnownHash(keys.get(), element.object.get(), Py_None, element.hash) < 0)
      refuse_keys("can no longer be compared");
  }
  if (static_cast<std::uint64_t>(PyDict_GET_SIZE(keys.get())) != count)
    refuse_keys("have become equal since they were stored");
  return keys;
}

void ComponentReader::fill_ordered_dict(PyObject* o, PyTypeObject* native) {
  const std::uint64_t count = number();
  for (std::uint64_t i = 0; i < count; ++i) {
    const Key name = key();
    const Ref item = value();
    const Ref done = Ref::steal(PyObject_CallMethod(reinterpret_cast<PyObject*>(native), "__setitem__", "OOO",
                                                    o, name.object.get(), item.get()));
    // There is no way to give it a hash.
    if (!done || _PyDict_GetItem_KnownHash(o, name.object.get(), name.hash) == nullptr)
      refuse_keys("of an OrderedDict have changed since they were stored");
  }
  if (static_cast<std::uint64_t>(PyDict_GET_SIZE(o)) != count)
    refuse_keys("have become equal since they were stored");
}

void ComponentReader::skip() {
  const Token t = next();
  const auto skip_some = [&](std::uint64_t count) {
    for (; count > 0; --count) skip();
  };
  switch (tag_of(t)) {
    case Tag::kTuple: return skip_some(payload_of(t));
    case Tag::kNamedTuple: return skip_some(1 + payload_of(t));
    case Tag::kFrozenset:
      for (std::uint64_t i = 0; i < payload_of(t); ++i) skip_key();
      return;
    case Tag::kMethod:
    case Tag::kBuiltinMethod:
    case Tag::kSuper: return skip_some(2);
    case Tag::kSlice: return skip_some(3);
    case Tag::kWeak:
    case Tag::kView: return skip();
    case Tag::kWrapper: {
      const Ref type = value();
      return skip_some(parts_of(type.get()));
    }
    case Tag::kNativeFunction:
      skip_some(2);  // what it is made like, and its defaults
      if (tag_of(tokens_[at]) == Tag::kNull) {
        ++at;
      } else {
        skip_pairs();
      }
      return skip_some(payload_of(t));
    default: return;
  }
}

void ComponentReader::skip_key() {
  const bool is_leaf = tag_of(tokens_[at]) == Tag::kLeaf;
  skip();
  if (!is_leaf) skip();
}

void ComponentReader::skip_pairs() {
  for (std::uint64_t count = number(); count > 0; --count) {
    skip_key();
    skip();
  }
}

Py_ssize_t ComponentReader::parts_of(PyObject* wrapper_type) {
  if (wrapper_type == reinterpret_cast<PyObject*>(&PyProperty_Type)) return 4;
  return is_moment_type(wrapper_type) ? 2 : 1;
}

void ComponentReader::fill_dict(PyObject* o) {
  PyDict_Clear(o);
  fill_pairs(o, number());
}

PyObject* ComponentReader::optional_dict() {
  if (tag_of(tokens_[at]) == Tag::kNull) {
    ++at;
    return nullptr;
  }
  Ref dict = checked(PyDict_New());
  fill_dict(dict.get());
  return dict.release();
}

void ComponentReader::fill_set(PyObject* o) {
  if (PySet_Clear(o) < 0) throw PythonError();
  const Ref content = elements(number());
  if (_PySet_Update(o, content.get()) < 0) refuse_keys("can no longer be compared");
}

void ComponentReader::fill_deque(PyObject* o) {
  value();  // maxlen was given when it was made
  const std::uint64_t count = number();
  // A subclass may have an `append` of its own.
  PyObject* const append = lookup(heap_.classes.deque_type(), interned("append"));
  for (std::uint64_t i = 0; i < count; ++i) {
    const Ref item = value();
    const Ref done = checked(PyObject_CallFunctionObjArgs(append, o, item.get(), nullptr));
  }
}

void ComponentReader::fill_instance(PyObject* o) {
  value();
  const ClassFacts& facts = heap_.classes.facts(Py_TYPE(o));
  switch (facts.base) {
    case Base::kPlain: break;
    case Base::kList: fill_list(o); break;
    case Base::kDefaultDict: {
      const Ref factory = value();
      if (PyObject_SetAttrString(o, "default_factory", factory.get()) < 0) throw PythonError();
      skip_pairs();
      break;
    }
    case Base::kOrderedDict:
    case Base::kDict: skip_pairs(); break;
    case Base::kSet:
      for (std::uint64_t count = number(); count > 0; --count) skip_key();
      break;
    case Base::kDeque: fill_deque(o); break;
    case Base::kException: {
      const Ref args = value();
      if (PyObject_SetAttrString(o, "args", args.get()) < 0) throw PythonError();
      if (facts.native->tp_init(o, args.get(), nullptr) < 0) PyErr_Clear();
      Ref cause = value();
      Ref context = value();
      PyException_SetCause(o, cause.release());
      PyException_SetContext(o, context.release());
      reinterpret_cast<PyBaseExceptionObject*>(o)->suppress_context = number() != 0;
      for (const Ref& field : facts.fields) {
        const Ref item = value();
        if (item.get() == Py_None) continue;  // as it was made
        if (Py_TYPE(field.get())->tp_descr_set(field.get(), o, item.get()) < 0) throw PythonError();
      }
      break;
    }
    case Base::kValue: value(); break;  // it was made with its value
    default: throw std::runtime_error("internal: an instance cannot be filled");
  }
  const std::uint64_t count = number();
  if (facts.has_dict) {
    const Ref dict = checked(PyObject_GenericGetDict(o, nullptr));
    PyDict_Clear(dict.get());
    fill_pairs(dict.get(), count);
  }
  for (const Ref& member : facts.members) {
    const Ref item = value();
    if (Py_TYPE(member.get())->tp_descr_set(member.get(), o, item.get()) < 0) {
      if (item) throw PythonError();
      PyErr_Clear();  // deleting what is not there
    }
  }
}

}  // namespace assay::languages::python
