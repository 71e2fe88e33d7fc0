#include "languages/python/heap.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "languages/python/machine.hpp"

namespace assay::languages::python {
namespace {

constexpr std::uint32_t kMaxObjects = 1u << 16;
constexpr std::uint64_t kHasElements = 0x100;  // beside the kind of an iterator

Ref imported_types() {
  // Immutable types whose repr tells any two values apart.
  const char* const names[][2] = {
      {"decimal", "Decimal"},   {"fractions", "Fraction"}, {"datetime", "date"},
      {"datetime", "datetime"}, {"datetime", "time"},      {"datetime", "timedelta"},
      {"datetime", "timezone"}, {"re", "Pattern"},         {"types", "GenericAlias"}};
  Ref types = checked(PyTuple_New(std::size(names)));
  for (std::size_t i = 0; i < std::size(names); ++i) {
    const Ref module = checked(PyImport_ImportModule(names[i][0]));
    PyTuple_SET_ITEM(types.get(), static_cast<Py_ssize_t>(i),
                     checked(PyObject_GetAttrString(module.get(), names[i][1])).release());
  }
  return types;
}

Ref instance_dict(PyObject* object) { return checked(PyObject_GenericGetDict(object, nullptr)); }

/// The number, text or bytes that an instance of a subclass is.
Ref plain_value(PyTypeObject* native, PyObject* object) {
  if (native == &PyUnicode_Type) return checked(PyUnicode_FromObject(object));
  if (native == &PyFloat_Type) return checked(PyFloat_FromDouble(PyFloat_AS_DOUBLE(object)));
  if (native == &PyBytes_Type)
    return checked(PyBytes_FromStringAndSize(PyBytes_AS_STRING(object), PyBytes_GET_SIZE(object)));
  return checked(PyLong_Type.tp_as_number->nb_int(object));
}

std::string type_text_of(PyTypeObject* type) {
  auto* const object = reinterpret_cast<PyObject*>(type);
  return utf8(checked(PyObject_Str(checked(PyObject_GetAttrString(object, "__module__")).get())).get()) +
         "." + utf8(checked(PyObject_GetAttrString(object, "__qualname__")).get());
}

std::string type_text(PyObject* value) { return Py_TYPE(value)->tp_name; }

}  // namespace

// ---------------------------------------------------------------------------------------------------------------
// Writing

class Writer {
 public:
  explicit Writer(Heap& heap, bool keeps_private) : heap_(heap), keeps_private_(keeps_private) {}

  std::vector<Token> out;

  void number(std::uint64_t n) { out.push_back(token(Tag::kNumber, n)); }
  void leaf(PyObject* value) {
    const std::optional<LeafId> id = heap_.leaves.find(value);
    if (!id) throw Unsupported("a value of type " + type_text(value) + " cannot be part of a state");
    out.push_back(token(Tag::kLeaf, *id));
  }

  void value(PyObject* v) {
    if (v == nullptr) {
      out.push_back(token(Tag::kNull));
      return;
    }
    PyTypeObject* const type = Py_TYPE(v);
    if (type == &PyLong_Type || type == &PyUnicode_Type || v == Py_None || type == &PyBool_Type)
      return leaf(v);
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
    if (PyCFunction_Check(v) && PyCFunction_GET_SELF(v) != nullptr) {
      out.push_back(token(Tag::kBuiltinMethod));
      const Ref name = checked(PyObject_GetAttrString(v, "__name__"));
      leaf(name.get());
      value(PyCFunction_GET_SELF(v));
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
    if (is_wrapper(v)) {
      out.push_back(token(Tag::kWrapper));
      leaf(reinterpret_cast<PyObject*>(type));
      for (const Ref& part : parts_of_wrapper(v)) value(part.get());
      return;
    }
    if (PyFunction_Check(v)) return native_function(v);
    if (PyTuple_Check(v) && !heap_.classes.facts(type).has_dict) {
      out.push_back(token(Tag::kNamedTuple, static_cast<std::uint64_t>(PyTuple_GET_SIZE(v))));
      leaf(reinterpret_cast<PyObject*>(type));
      for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(v); ++i) value(PyTuple_GET_ITEM(v, i));
      return;
    }
    throw Unsupported("a value of type " + type_text(v) + " cannot be part of a state");
  }

  /// The frame that runs stands on its next instruction; one that waits for a call or a resumption may still be sent
  /// to a handler of the instruction before.
  void frame(const Frame& f, bool is_running) {
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

  void record(PyObject* o) {
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
        const auto* it = reinterpret_cast<Iterator*>(o);
        number(static_cast<std::uint64_t>(it->kind) | (it->elements != nullptr ? kHasElements : 0));
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

  /// The final attributes of an instance alone; no tokens if it has none.
  void final_attributes(PyObject* o) {
    const ClassFacts& facts = heap_.classes.facts(Py_TYPE(o));
    out.push_back(token(Tag::kObject, static_cast<std::uint64_t>(Kind::kInstance)));
    leaf(reinterpret_cast<PyObject*>(Py_TYPE(o)));
    if (!facts.has_dict) return;
    const Ref dict = instance_dict(o);
    PyObject *key = nullptr, *item = nullptr;
    Py_ssize_t position = 0;
    while (PyDict_Next(dict.get(), &position, &key, &item)) {
      if (!PyUnicode_Check(key) || !heap_.is_final_attribute(key)) continue;
      leaf(key);
      value(item);
    }
  }

  /// Writes down everything that got a local number, in its order, which grows meanwhile.
  void local_records() {
    for (std::size_t i = 0; i < locals_.size(); ++i) record(locals_[i]);
  }

  std::optional<Kind> object_kind(PyObject* v) {
    PyTypeObject* const type = Py_TYPE(v);
    if (type == &PyList_Type) return Kind::kList;
    if (type == &PyDict_Type) return Kind::kDict;
    if (type == &PySet_Type) return Kind::kSet;
    if (type == &PyCell_Type) return Kind::kCell;
    if (type == generator_type) return Kind::kGenerator;
    if (is_iterator(v)) return Kind::kIterator;
    if (type == heap_.classes.deque_type()) return Kind::kDeque;
    if (type == &PyByteArray_Type) return Kind::kByteArray;
    const auto unless_leaf = [&](Kind kind) {
      return heap_.leaves.find(v) ? std::nullopt : std::optional(kind);
    };
    if (type == function_type) return unless_leaf(Kind::kFunction);
    if (is_wrapper(v) || PyFunction_Check(v)) return std::nullopt;
    if (is_not_a_number(v)) return unless_leaf(Kind::kNotANumber);
    if (is_getter(v)) return Kind::kNotANumber;
    if (type == &PyTuple_Type || type == &PyMethod_Type || type == &PyType_Type ||
        type == &PyCFunction_Type || type == &PyFrozenSet_Type || type == &PySlice_Type ||
        type == &PyBytes_Type || type == &PyRange_Type || type == &PyFloat_Type) {
      return std::nullopt;
    }
    const ClassFacts& facts = heap_.classes.facts(type);
    if (facts.is_enumeration || facts.base == Base::kUnknown) return std::nullopt;
    if (facts.base == Base::kTuple && !facts.has_dict) return std::nullopt;
    if (facts.base == Base::kValue && !facts.is_of_program) return std::nullopt;
    if (!facts.is_of_program && heap_.leaves.find(v)) return std::nullopt;
    return Kind::kInstance;
  }

 private:
  void native_function(PyObject* o) {
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
  void sequence(Tag tag, PyObject* tuple) {
    out.push_back(token(tag, static_cast<std::uint64_t>(PyTuple_GET_SIZE(tuple))));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); ++i) value(PyTuple_GET_ITEM(tuple, i));
  }

  void reference(PyObject* o, Kind kind) {
    std::uint32_t slot = heap_.slot(o);
    if (slot == Heap::kNoSlot) {
      if (keeps_private_) {
        const auto [place, is_new] = local_of_.emplace(o, static_cast<std::uint32_t>(locals_.size()));
        if (is_new) locals_.push_back(o);
        out.push_back(token(Tag::kLocal, place->second));
        return;
      }
      slot = static_cast<std::uint32_t>(heap_.living_.size());
      if (slot >= kMaxObjects)
        throw Unsupported("more than " + std::to_string(kMaxObjects) + " shared objects");
      heap_.living_.push_back({Ref::borrow(o), Heap::kNothing});
      heap_.slots_.emplace(o, slot);
    }
    // What an iterator's type is called depends on its container.
    PyTypeObject* const own_type = is_iterator(o) ? iterator_type : Py_TYPE(o);
    // What is not a number is known with all that it is to whoever holds it: nobody has to ask for it.
    const LeafId type = kind == Kind::kNotANumber ? heap_.leaves.template_of(o)
                                                  : *heap_.leaves.find(reinterpret_cast<PyObject*>(own_type));
    out.push_back(shared(slot, type));
  }

  void list_items(PyObject* o) {
    number(static_cast<std::uint64_t>(PyList_GET_SIZE(o)));
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(o); ++i) value(PyList_GET_ITEM(o, i));
  }
  /// A key, and the hash by which its container has stored it: an object that has changed since then has another.
  void key(PyObject* v, Py_hash_t hash) {
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
  void dict_items(PyObject* o) {
    number(static_cast<std::uint64_t>(PyDict_GET_SIZE(o)));
    PyObject *name = nullptr, *item = nullptr;
    Py_ssize_t position = 0;
    Py_hash_t hash = 0;
    while (_PyDict_Next(o, &position, &name, &item, &hash)) {
      key(name, hash);
      value(item);
    }
  }
  void optional_dict(PyObject* o) {
    if (o == nullptr) {
      out.push_back(token(Tag::kNull));
    } else {
      dict_items(o);
    }
  }
  void elements(PyObject* set) {
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
  void set_items(PyObject* o) {
    number(static_cast<std::uint64_t>(PySet_GET_SIZE(o)));
    elements(o);
  }
  void deque_items(PyObject* o) {
    // A subclass may have methods of its own, which show something else.
    PyTypeObject* const deque = heap_.classes.deque_type();
    const Ref limit = checked(PyObject_CallMethod(lookup(deque, interned("maxlen")), "__get__", "(O)", o));
    leaf(limit.get());
    const Ref iterator = checked(deque->tp_iter(o));
    const Ref items = checked(PySequence_List(iterator.get()));
    list_items(items.get());
  }

  void instance(PyObject* o) {
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
      default: throw Unsupported("an instance of " + type_text(o) + " cannot be part of a state");
    }
    if (facts.has_dict) {
      const Ref dict = instance_dict(o);
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

  Heap& heap_;
  const bool keeps_private_;
  int depth_ = 0;  // of functions of CPython in each other
  std::unordered_map<PyObject*, std::uint32_t> local_of_;
  std::vector<PyObject*> locals_;
};

// ---------------------------------------------------------------------------------------------------------------
// Reading

class Reader {
 public:
  Reader(Heap& heap, std::span<const Token> tokens, std::span<const Ref> locals = {})
      : heap_(heap), tokens_(tokens), locals_(locals) {}

  std::size_t at = 0;

  Token next() { return tokens_[at++]; }
  std::uint64_t number() { return payload_of(next()); }

  Ref value() {
    const Token t = next();
    const std::uint64_t payload = payload_of(t);
    switch (tag_of(t)) {
      case Tag::kNull: return Ref();
      case Tag::kLeaf: return Ref::borrow(heap_.leaves.object(static_cast<LeafId>(payload)));
      case Tag::kShared: return Ref::borrow(heap_.living_[slot_of(t)].object.get());
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
        const Ref name = value();
        const Ref self = value();
        return checked(PyObject_GetAttr(self.get(), name.get()));
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
      case Tag::kWrapper: return wrapper();
      case Tag::kNativeFunction: return native_function(payload);
      default: throw std::runtime_error("internal: a captured value cannot be read");
    }
  }

  std::unique_ptr<Frame> frame() {
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

  /// A new object of the right type, still empty. `at` stands on the record's first word and is left anywhere.
  Ref shell() {
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
        return new_iterator(static_cast<Iteration>(number() & ~kHasElements), Py_None, 0, 0);
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

  /// Whether a living object can be refilled with the record instead of making a new one.
  bool fits(PyObject* object) {
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

  /// Puts the keys of a dict or set into their places, for which methods of the program may run: when everything else
  /// is there. `at` stands on the record's first word.
  void fill_keys(PyObject* o) {
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

  /// Everything but what `fill_keys` does. `at` stands on the record's first word.
  void fill(PyObject* o) {
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
        it->kind = static_cast<Iteration>(kind & ~kHasElements);
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

 private:
  Py_ssize_t signed_number() {
    const std::uint64_t n = number();
    return static_cast<Py_ssize_t>(static_cast<std::int64_t>(n << 8) >> 8);
  }
  Ref wrapper() {
    const Ref type = value();
    const Ref args = checked(PyTuple_New(parts_of(type.get())));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args.get()); ++i)
      PyTuple_SET_ITEM(args.get(), i, value().release());
    return checked(PyObject_CallObject(type.get(), args.get()));
  }
  Ref native_function(std::uint64_t cells) {
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
  Ref deque_shell(PyTypeObject* type) {
    const Ref limit = value();
    const Ref items = checked(PyTuple_New(0));
    const Ref args = checked(PyTuple_Pack(2, items.get(), limit.get()));
    Ref made = checked(heap_.classes.deque_type()->tp_new(type, args.get(), nullptr));
    if (heap_.classes.deque_type()->tp_init(made.get(), args.get(), nullptr) < 0) throw PythonError();
    return made;
  }
  void fill_list(PyObject* o) {
    const std::uint64_t count = number();
    if (PyList_SetSlice(o, 0, PyList_GET_SIZE(o), nullptr) < 0) throw PythonError();
    for (std::uint64_t i = 0; i < count; ++i) {
      const Ref item = value();
      if (PyList_Append(o, item.get()) < 0) throw PythonError();
    }
  }
  /// What is said when a method of the program could not do what it did before.
  [[noreturn]] static void refuse_keys(const std::string& problem) {
    rethrow_interruption();
    PyErr_Clear();
    throw Unsupported("the keys of a dict or set " + problem +
                      "; let their __hash__ and __eq__ depend on what never changes");
  }
  struct Key {
    Ref object;
    Py_hash_t hash;
  };
  Key key() {
    const bool is_leaf = tag_of(tokens_[at]) == Tag::kLeaf;
    Ref object = value();
    const Ref stored = is_leaf ? Ref() : value();
    const Py_hash_t hash = stored ? PyLong_AsSsize_t(stored.get()) : PyObject_Hash(object.get());
    if (PyErr_Occurred() != nullptr) refuse_keys("can no longer be hashed");
    return {std::move(object), hash};
  }
  void fill_pairs(PyObject* dict, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
      const Key name = key();
      const Ref item = value();
      if (_PyDict_SetItem_KnownHash(dict, name.object.get(), item.get(), name.hash) < 0)
        refuse_keys("can no longer be compared");
    }
    if (static_cast<std::uint64_t>(PyDict_GET_SIZE(dict)) != count)
      refuse_keys("have become equal since they were stored");
  }
  /// That many elements of a set, as the keys of a dict: whoever makes a set of that takes their hashes over.
  Ref elements(std::uint64_t count) {
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
  void fill_ordered_dict(PyObject* o, PyTypeObject* native) {
    const std::uint64_t count = number();
    for (std::uint64_t i = 0; i < count; ++i) {
      const Key name = key();
      const Ref item = value();
      const Ref done = Ref::steal(PyObject_CallMethod(reinterpret_cast<PyObject*>(native), "__setitem__",
                                                      "OOO", o, name.object.get(), item.get()));
      // There is no way to give it a hash.
      if (!done || _PyDict_GetItem_KnownHash(o, name.object.get(), name.hash) == nullptr)
        refuse_keys("of an OrderedDict have changed since they were stored");
    }
    if (static_cast<std::uint64_t>(PyDict_GET_SIZE(o)) != count)
      refuse_keys("have become equal since they were stored");
  }
  /// Goes past a value without making it.
  void skip() {
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
  void skip_key() {
    const bool is_leaf = tag_of(tokens_[at]) == Tag::kLeaf;
    skip();
    if (!is_leaf) skip();
  }
  void skip_pairs() {
    for (std::uint64_t count = number(); count > 0; --count) {
      skip_key();
      skip();
    }
  }
  static Py_ssize_t parts_of(PyObject* wrapper_type) {
    return wrapper_type == reinterpret_cast<PyObject*>(&PyProperty_Type) ? 4 : 1;
  }
  void fill_dict(PyObject* o) {
    PyDict_Clear(o);
    fill_pairs(o, number());
  }
  PyObject* optional_dict() {
    if (tag_of(tokens_[at]) == Tag::kNull) {
      ++at;
      return nullptr;
    }
    Ref dict = checked(PyDict_New());
    fill_dict(dict.get());
    return dict.release();
  }
  void fill_set(PyObject* o) {
    if (PySet_Clear(o) < 0) throw PythonError();
    const Ref content = elements(number());
    if (_PySet_Update(o, content.get()) < 0) refuse_keys("can no longer be compared");
  }
  void fill_deque(PyObject* o) {
    value();  // maxlen was given when it was made
    const std::uint64_t count = number();
    // A subclass may have an `append` of its own.
    PyObject* const append = lookup(heap_.classes.deque_type(), interned("append"));
    for (std::uint64_t i = 0; i < count; ++i) {
      const Ref item = value();
      const Ref done = checked(PyObject_CallFunctionObjArgs(append, o, item.get(), nullptr));
    }
  }
  void fill_instance(PyObject* o) {
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
      const Ref dict = instance_dict(o);
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

  Heap& heap_;
  std::span<const Token> tokens_;
  std::span<const Ref> locals_;
};

// ---------------------------------------------------------------------------------------------------------------
// The heap

Heap::Heap(const Program& p, World& world)
    : program(p),
      leaves(classes.enumeration(), imported_types().get()),
      globals(world.globals),
      module_started(world.module_started),
      module_finished(world.module_finished),
      module_objects(world.module_objects),
      world_(world) {
  components.intern(std::vector<Token>{token(Tag::kNull)});  // number 0 means "none"
  globals.assign(p.global_count, Ref());
  leaves.add_fixed(reinterpret_cast<PyObject*>(iterator_type), "C@iterator");
  fixed_of_global_.assign(p.global_count, 0);
  for (std::uint32_t m = 0; m < p.modules.size(); ++m) {
    const Module& module = p.modules[m];
    for (std::uint32_t g = 0; g < module.global_names.size(); ++g) {
      if (module.global_is_final[g]) continue;
      variable_globals_.push_back(module.first_global + g);
      fixed_of_global_[module.first_global + g] = static_cast<std::uint32_t>(variable_globals_.size());
    }
    module_objects.push_back(new_module(m));
    leaves.add_fixed(module_objects.back().get(), "M" + std::to_string(m));
  }
  module_started.assign(p.modules.size(), false);
  module_finished.assign(p.modules.size(), false);
  fixed_mirrors_.assign(fixed_count(), kNothing);
}

bool Heap::is_final_attribute(PyObject* name) const {
  const int is_final = PySet_Contains(program.final_attributes.get(), name);
  if (is_final < 0) throw PythonError();
  return is_final == 1;
}

std::string Heap::name_of_fixed(std::uint32_t fixed) const {
  if (fixed == 0) return "a final name";
  if (fixed > variable_globals_.size()) return type_of_fixed(fixed)->tp_name;
  const std::uint32_t global = variable_globals_[fixed - 1];
  for (const Module& module : program.modules) {
    if (global >= module.first_global && global < module.first_global + module.global_names.size()) {
      return PyUnicode_AsUTF8(module.global_names[global - module.first_global].get());
    }
  }
  return "?";
}

void Heap::visit_fixed(std::uint32_t fixed, visitproc visitor, void* context) {
  if (fixed == 0) {
    for (std::size_t g = 0; g < globals.size(); ++g) {
      if (fixed_of_global_[g] == 0 && globals[g]) visitor(globals[g].get(), context);
    }
  } else if (fixed <= variable_globals_.size()) {
    if (const Ref& value = globals[variable_globals_[fixed - 1]]) visitor(value.get(), context);
  } else {
    PyObject* const names = type_of_fixed(fixed)->tp_dict;
    if (names != nullptr) visitor(names, context);
  }
}

std::uint32_t Heap::fixed_of_class(PyTypeObject* type) {
  const auto found = fixed_of_class_.find(type);
  return found == fixed_of_class_.end() ? 0 : found->second;
}

namespace {

/// The entries of a class in one role, by name.
std::map<std::string, std::pair<PyObject*, PyObject*>> entries_of(PyTypeObject* type, Entry role) {
  std::map<std::string, std::pair<PyObject*, PyObject*>> found;
  PyObject *key = nullptr, *item = nullptr;
  Py_ssize_t position = 0;
  while (PyDict_Next(type->tp_dict, &position, &key, &item)) {
    if (Classes::role(key, item) == role) found.emplace(utf8(key), std::pair(key, item));
  }
  return found;
}

/// What EnumMeta keeps in the class for itself.
bool is_of_enumerations(const std::string& name) {
  static const std::set<std::string> names = {
      "_member_map_",      "_value2member_map_",      "_unhashable_values_", "_member_names_",
      "_hashable_values_", "_unhashable_values_map_", "_iter_member_"};
  return names.contains(name);
}

}  // namespace

/// A value of an enumeration spelled out: nobody can change it, because whoever could see it changed is refused where he
/// reads it (`refuse_hidden_content`).
void Heap::spell(PyObject* value, std::string& out) {
  if (const std::optional<LeafId> leaf = leaves.find(value)) {
    out += std::to_string(*leaf) + ",";
  } else if (PyDict_CheckExact(value)) {
    out += "{";
    PyObject *key = nullptr, *item = nullptr;
    Py_ssize_t position = 0;
    while (PyDict_Next(value, &position, &key, &item)) {
      spell(key, out);
      spell(item, out);
    }
    out += "}";
  } else if (PyAnySet_CheckExact(value)) {
    out += "<";
    spell(ordered(value).get(), out);
  } else if (PyList_CheckExact(value) || PyTuple_CheckExact(value)) {
    out += "[";
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(value); ++i)
      spell(PySequence_Fast_GET_ITEM(value, i), out);
    out += "]";
  } else {
    throw Unsupported("an enumeration has or refers to a value of type " + type_text(value) +
                      ", which may change; keep it in a dict beside the enumeration");
  }
}

std::string Heap::makeup_of(PyTypeObject* type) {
  std::string makeup = type->tp_name;
  // By their leaves: a base that was made again has the one of the first time.
  const auto put = [&](PyObject* part) { makeup += "," + std::to_string(*leaves.find(part)); };
  put(reinterpret_cast<PyObject*>(Py_TYPE(type)));
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(type->tp_bases); ++i) put(PyTuple_GET_ITEM(type->tp_bases, i));
  for (const auto& [name, entry] : entries_of(type, Entry::kMakeup)) {
    if (Py_TYPE(entry.second) == &PyMemberDescr_Type) makeup += ",." + name;
  }
  if (!classes.facts(type).is_enumeration) return makeup;
  for (const Entry role : {Entry::kData, Entry::kMethod}) {
    for (const auto& [name, entry] : entries_of(type, role)) {
      makeup += ";" + name + "=";
      if (PyObject_TypeCheck(entry.second, type)) continue;
      if (is_of_enumerations(name)) continue;
      Ref content = Ref::borrow(entry.second);
      if (std::string_view(Py_TYPE(entry.second)->tp_name) == "property" &&
          !is_wrapper(entry.second)) {  // enum.property
        content = checked(PyObject_GetAttrString(entry.second, "fget"));
      }
      if (leaves.find(content.get())) {
        spell(content.get(), makeup);
      } else {
        throw Unsupported("the entry " + name + " of the enumeration " + type->tp_name +
                          " may change while the program runs; move it out of the enumeration");
      }
    }
  }
  const Ref members = checked(PyObject_GetAttrString(reinterpret_cast<PyObject*>(type), "_member_map_"));
  PyObject *key = nullptr, *member = nullptr;
  Py_ssize_t position = 0;
  while (PyDict_Next(members.get(), &position, &key, &member)) {
    makeup += ";" + utf8(key) + ":";
    const Ref dict = Ref::steal(PyObject_GenericGetDict(member, nullptr));
    if (!dict) PyErr_Clear();
    PyObject *name = nullptr, *item = nullptr;
    Py_ssize_t at = 0;
    while (dict && PyDict_Next(dict.get(), &at, &name, &item)) {
      makeup += utf8(name) + "=";
      if (item != reinterpret_cast<PyObject*>(type)) spell(item, makeup);
    }
  }
  return makeup;
}

Ref Heap::class_known(const Code* body) const {
  const auto found = class_of_name_.find("C#" + std::to_string(body->number));
  if (found == class_of_name_.end()) return {};
  const MadeClass& known = made_classes_[found->second];
  if (known.is_made)
    throw Unsupported("a class statement is executed twice; move the class out of the function");
  return known.type;
}

Ref Heap::class_made(Ref made, const Code* body) {
  auto* const type = reinterpret_cast<PyTypeObject*>(made.get());
  const std::string name = body != nullptr ? "C#" + std::to_string(body->number) : "C@" + type_text_of(type);
  const auto [place, is_new] = class_of_name_.emplace(name, made_classes_.size());
  if (!is_new) {
    MadeClass& known = made_classes_[place->second];
    auto* const first = reinterpret_cast<PyTypeObject*>(known.type.get());
    if (known.is_made) {
      throw Unsupported(std::string("a second class is made that is called ") + type->tp_name +
                        "; move what makes it out of functions and loops");
    }
    known.is_made = true;
    if (first == type) return made;
    classes.add_of_program(type);
    if (leaves.add_twin(made.get(), known.type.get()); makeup_of(type) != known.makeup) {
      throw Unsupported(
          std::string("the class ") + type->tp_name +
          " has other bases, slots or members on another way through the program; write two classes");
    }
    if (classes.facts(first).is_enumeration) return known.type;
    const Ref old_names = checked(PyDict_Keys(first->tp_dict));
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(old_names.get()); ++i) {
      PyObject* const old = PyList_GET_ITEM(old_names.get(), i);
      const int stays = PyDict_Contains(type->tp_dict, old);
      if (stays < 0 || (stays == 0 && PyType_Type.tp_setattro(known.type.get(), old, nullptr) < 0))
        throw PythonError();
    }
    for (const Entry role : {Entry::kData, Entry::kMethod}) {
      for (const auto& [_, entry] : entries_of(type, role)) {
        if (PyType_Type.tp_setattro(known.type.get(), entry.first, entry.second) < 0) throw PythonError();
      }
    }
    return known.type;
  }
  const ClassFacts& facts = classes.add_of_program(type);
  leaves.add_fixed(made.get(), name);
  class_number_.emplace(type, made_classes_.size());
  made_classes_.push_back({made, 0, true, {}});
  made_classes_.back().makeup = makeup_of(type);
  if (facts.is_enumeration) return made;
  // A class of the user may get attributes later, one of a library never does.
  const bool is_library = body != nullptr && program.modules[body->module].is_library;
  if (is_library && entries_of(type, Entry::kData).empty()) return made;
  variable_classes_.push_back(place->second);
  made_classes_.back().fixed = fixed_of_class_[type] = fixed_count() - 1;
  fixed_mirrors_.push_back(kNothing);
  return made;
}

void Heap::write_entries(Writer& writer, PyTypeObject* type, Entry role) {
  const auto entries = entries_of(type, role);
  writer.number(entries.size());
  for (const auto& [name, entry] : entries) {
    writer.leaf(entry.first);
    try {
      writer.value(entry.second);
    } catch (const Unsupported& problem) {
      throw Unsupported("the entry " + name + " of the class " + type->tp_name + ": " + problem.what());
    }
  }
}

void Heap::read_entries(Reader& reader, PyTypeObject* type, Entry role) {
  auto stale = entries_of(type, role);
  std::vector<std::pair<Ref, Ref>> changed;
  for (std::uint64_t count = reader.number(); count > 0; --count) {
    Ref name = reader.value();
    Ref content = reader.value();
    const auto living = stale.find(utf8(name.get()));
    const bool is_there = living != stale.end() && living->second.second == content.get();
    if (living != stale.end()) stale.erase(living);
    if (!is_there) changed.emplace_back(std::move(name), std::move(content));
  }
  auto* const object = reinterpret_cast<PyObject*>(type);
  for (const auto& [_, entry] : stale) {
    if (PyType_Type.tp_setattro(object, Ref::borrow(entry.first).get(), nullptr) < 0) throw PythonError();
  }
  for (const auto& [name, content] : changed) {
    if (PyType_Type.tp_setattro(object, name.get(), content.get()) < 0) throw PythonError();
  }
}

ComponentId Heap::write_fixed(std::uint32_t fixed) {
  Writer writer(*this, false);
  if (fixed == 0) {
    writer.out.push_back(token(Tag::kObject, static_cast<std::uint64_t>(Kind::kStatics)));
    for (std::size_t i = 0; i < module_started.size(); ++i)
      writer.number(module_started[i] + module_finished[i]);
    writer.number(static_cast<std::uint64_t>(std::ranges::count_if(made_classes_, &MadeClass::is_made)));
    for (const auto& [_, index] : class_of_name_) {
      if (!made_classes_[index].is_made) continue;
      auto* const type = reinterpret_cast<PyTypeObject*>(made_classes_[index].type.get());
      writer.leaf(made_classes_[index].type.get());
      if (!classes.facts(type).is_enumeration) write_entries(writer, type, Entry::kMethod);
    }
    for (const Module& module : program.modules) {
      for (std::uint32_t g = 0; g < module.global_names.size(); ++g) {
        if (module.global_is_final[g]) writer.value(globals[module.first_global + g].get());
      }
    }
    writer.number(invariants.size());
    for (const Invariant& invariant : invariants) {
      writer.value(invariant.function.get());
      const Ref name = checked(
          PyUnicode_FromStringAndSize(invariant.name.data(), static_cast<Py_ssize_t>(invariant.name.size())));
      writer.leaf(name.get());
    }
  } else {
    writer.out.push_back(token(Tag::kObject, static_cast<std::uint64_t>(Kind::kGlobal)));
    if (fixed <= variable_globals_.size()) {
      writer.value(globals[variable_globals_[fixed - 1]].get());
    } else {
      const bool is_made = made_classes_[variable_classes_[fixed - 1 - variable_globals_.size()]].is_made;
      writer.number(is_made);
      if (is_made) write_entries(writer, type_of_fixed(fixed), Entry::kData);
    }
  }
  return components.intern(writer.out);
}

ComponentId Heap::write_object(std::uint32_t slot) {
  PyObject* const object = living_[slot].object.get();
  Writer writer(*this, false);
  writer.record(object);
  const ComponentId id = components.intern(writer.out);
  if (components.kind(id) == Kind::kInstance && components.finals(id) == 0) {
    Writer finals(*this, false);
    finals.final_attributes(object);
    components.set_finals(id, components.intern(finals.out));
  }
  return id;
}

namespace {
void write_thread_head(Writer& writer, const Thread& thread) {
  writer.out.push_back(token(Tag::kObject, static_cast<std::uint64_t>(Kind::kThread)));
  writer.number((thread.daemon ? 1u : 0u) | (std::uint64_t{thread.atomic} << 1));
  writer.value(thread.identity.get());
  writer.number(thread.frames.size());
  for (const auto& frame : thread.frames) writer.frame(*frame, frame == thread.frames.back());
}
}  // namespace

ComponentId Heap::write_new_thread(const Thread& thread) {
  Writer writer(*this, false);
  write_thread_head(writer, thread);
  return components.intern(writer.out);
}

ComponentId Heap::write_thread(const Thread& thread) {
  Writer writer(*this, true);
  write_thread_head(writer, thread);
  writer.local_records();
  return components.intern(writer.out);
}

std::vector<ComponentId> Heap::write_fresh() {
  std::vector<ComponentId> written;
  for (std::uint32_t slot = loaded_objects_; slot < living_.size(); ++slot)
    written.push_back(write_object(slot));
  return written;
}

/// While it lives, methods of the program may run that put keys into their places: they see everything.
class Heap::Loading {
 public:
  explicit Loading(Heap& heap)
      : heap_(heap),
        outer_is_loading_(std::exchange(heap.is_loading, true)),
        outer_world_(std::exchange(current_world(), &heap.world_)),
        outer_thread_(std::exchange(current_thread(), &nobody_)) {
    nobody_.atomic = 1;  // nobody comes in between
  }
  ~Loading() {
    heap_.is_loading = outer_is_loading_;
    current_world() = outer_world_;
    current_thread() = outer_thread_;
  }
  Loading(const Loading&) = delete;
  Loading& operator=(const Loading&) = delete;

 private:
  Heap& heap_;
  Thread nobody_;
  bool outer_is_loading_;
  World* outer_world_;
  Thread* outer_thread_;
};

namespace {

/// Whether a frozenset among it has elements that are no leaves, and which have to be hashed or compared.
bool has_frozen_objects(std::span<const Token> tokens) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tag_of(tokens[i]) != Tag::kFrozenset) continue;
    const std::span<const Token> elements = tokens.subspan(i + 1, payload_of(tokens[i]));
    if (!std::ranges::all_of(elements, [](Token t) { return tag_of(t) == Tag::kLeaf; })) return true;
  }
  return false;
}

}  // namespace

bool Heap::hashes_content(PyObject* key) {
  if (hashes_address(key)) return false;
  const Loading loading(*this);
  const std::uint64_t before = world_.addresses_hashed;
  if (PyObject_Hash(key) == -1 && PyErr_Occurred() != nullptr) {
    rethrow_interruption();
    PyErr_Clear();
    return false;
  }
  return world_.addresses_hashed == before;
}

void Heap::load(const StateIds& state) {
  const Loading loading(*this);
  const std::uint32_t count = state.objects();
  // Objects that got a slot after the last load belong to no state that is known here.
  for (std::uint32_t slot = loaded_objects_; slot < living_.size(); ++slot)
    slots_.erase(living_[slot].object.get());
  living_.resize(loaded_objects_);
  for (std::uint32_t slot = count; slot < living_.size(); ++slot) slots_.erase(living_[slot].object.get());
  living_.resize(count);
  loaded_objects_ = count;
  ranks_.clear();
  ranked_.clear();
  next_rank_ = kMaxObjects;

  std::vector<bool> is_new(count, false);
  bool any_new = false;
  for (std::uint32_t slot = 0; slot < count; ++slot) {
    Living& living = living_[slot];
    if (living.object && living.mirrors == state.object(slot)) continue;
    const std::span<const Token> tokens = components.tokens(state.object(slot));
    if (living.object && Reader(*this, tokens).fits(living.object.get())) continue;
    if (living.object) slots_.erase(living.object.get());
    living.object = Reader(*this, tokens).shell();
    living.mirrors = kNothing;
    slots_[living.object.get()] = slot;
    is_new[slot] = any_new = true;
  }
  const auto refers_to_new = [&](ComponentId id) {
    if (!any_new) return false;
    for (std::uint32_t slot : components.refs(id)) {
      if (is_new[slot]) return true;
    }
    return false;
  };
  // What cannot be refilled is made anew when it refers to something new, and then so is what refers to it.
  for (bool goes_on = any_new; goes_on;) {
    goes_on = false;
    for (std::uint32_t slot = 0; slot < count; ++slot) {
      Living& living = living_[slot];
      const ComponentId id = state.object(slot);
      if (is_new[slot] || !refers_to_new(id)) continue;
      const std::span<const Token> tokens = components.tokens(id);
      if (Reader(*this, tokens).fits(living.object.get())) continue;
      slots_.erase(living.object.get());
      living.object = Reader(*this, tokens).shell();
      living.mirrors = kNothing;
      slots_[living.object.get()] = slot;
      is_new[slot] = goes_on = true;
    }
  }
  for (std::uint32_t fixed = state.fixed; fixed < fixed_count(); ++fixed) fixed_mirrors_[fixed] = kNothing;
  std::vector<std::uint32_t> stale, stale_fixed;
  for (std::uint32_t slot = 0; slot < count; ++slot) {
    const ComponentId id = state.object(slot);
    if (living_[slot].mirrors == id && !refers_to_new(id)) continue;
    living_[slot].mirrors = id;
    stale.push_back(slot);
  }
  for (std::uint32_t fixed = 0; fixed < state.fixed; ++fixed) {
    const ComponentId id = state.ids[fixed];
    if (fixed_mirrors_[fixed] == id && !refers_to_new(id)) continue;
    fixed_mirrors_[fixed] = id;
    stale_fixed.push_back(fixed);
  }
  // What is put into its place by methods of the program comes last: those may need attributes, and globals.
  for (const bool hashes : {false, true}) {
    for (std::uint32_t slot : stale) {
      const std::span<const Token> tokens = components.tokens(state.object(slot));
      if (has_frozen_objects(tokens) == hashes) Reader(*this, tokens).fill(living_[slot].object.get());
    }
    for (std::uint32_t fixed : stale_fixed) {
      if (has_frozen_objects(components.tokens(state.ids[fixed])) == hashes)
        read_fixed(fixed, state.ids[fixed]);
    }
  }
  for (std::uint32_t slot : stale) {
    Reader(*this, components.tokens(state.object(slot))).fill_keys(living_[slot].object.get());
  }
}

void Heap::read_fixed(std::uint32_t fixed, ComponentId id) {
  Reader reader(*this, components.tokens(id));
  reader.next();
  if (fixed == 0) {
    for (std::size_t i = 0; i < module_started.size(); ++i) {
      const std::uint64_t progress = reader.number();
      module_started[i] = progress > 0;
      module_finished[i] = progress > 1;
    }
    for (MadeClass& made : made_classes_) made.is_made = false;
    for (std::uint64_t count = reader.number(); count > 0; --count) {
      const Ref object = reader.value();
      auto* const type = reinterpret_cast<PyTypeObject*>(object.get());
      made_classes_[class_number_.at(type)].is_made = true;
      if (!classes.facts(type).is_enumeration) read_entries(reader, type, Entry::kMethod);
    }
    for (const Module& module : program.modules) {
      for (std::uint32_t g = 0; g < module.global_names.size(); ++g) {
        if (module.global_is_final[g]) globals[module.first_global + g] = reader.value();
      }
    }
    invariants.resize(reader.number());
    for (Invariant& invariant : invariants) {
      invariant.function = reader.value();
      invariant.name = PyUnicode_AsUTF8(reader.value().get());
    }
  } else if (fixed <= variable_globals_.size()) {
    globals[variable_globals_[fixed - 1]] = reader.value();
  } else {
    if (reader.number() != 0) read_entries(reader, type_of_fixed(fixed), Entry::kData);
  }
}

Thread Heap::read_thread(ComponentId id) {
  const Loading loading(*this);
  const std::span<const Token> tokens = components.tokens(id);
  std::vector<std::size_t> records;
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    if (tag_of(tokens[i]) == Tag::kObject) records.push_back(i);
  }
  std::vector<Ref> locals;
  locals.reserve(records.size());
  for (std::size_t begin : records) {
    Reader reader(*this, tokens);
    reader.at = begin;
    locals.push_back(reader.shell());
    ranked_.push_back(locals.back());
    ranks_[locals.back().get()] = next_rank_++;
  }
  const auto read_record = [&](std::size_t i) {
    Reader reader(*this, tokens, locals);
    reader.at = records[i];
    return reader;
  };
  for (const bool hashes : {false, true}) {
    for (std::size_t i = 0; i < records.size(); ++i) {
      const std::size_t end = i + 1 < records.size() ? records[i + 1] : tokens.size();
      if (has_frozen_objects(tokens.subspan(records[i], end - records[i])) == hashes)
        read_record(i).fill(locals[i].get());
    }
  }
  for (std::size_t i = 0; i < records.size(); ++i) read_record(i).fill_keys(locals[i].get());
  Reader reader(*this, tokens, locals);
  reader.next();
  Thread thread;
  const std::uint64_t flags = reader.number();
  thread.daemon = (flags & 1) != 0;
  thread.atomic = static_cast<std::uint32_t>(flags >> 1);
  thread.identity = reader.value();
  const std::uint64_t count = reader.number();
  for (std::uint64_t i = 0; i < count; ++i) thread.frames.push_back(reader.frame());
  return thread;
}

std::uint64_t Heap::rank(PyObject* object) {
  const std::uint32_t slot_number = slot(object);
  if (slot_number < loaded_objects_) return slot_number;
  const auto [place, is_new] = ranks_.emplace(object, next_rank_);
  if (is_new) {
    ++next_rank_;
    ranked_.push_back(Ref::borrow(object));  // its address must not be used again meanwhile
  }
  return place->second;
}

Ref Heap::ordered(PyObject* set) {
  struct Element {
    bool is_leaf;
    std::string name;
    std::uint64_t rank;
    PyObject* object;
  };
  std::vector<Element> elements;
  Ref list;
  if (PyAnySet_Check(set)) {  // a subclass may have an `__iter__` of its own
    list = checked(PyList_New(0));
    PyObject* element = nullptr;
    Py_ssize_t position = 0;
    Py_hash_t hash = 0;
    while (_PySet_NextEntry(set, &position, &element, &hash)) {
      if (PyList_Append(list.get(), element) < 0) throw PythonError();
    }
  } else {
    list = checked(PySequence_List(set));
  }
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list.get()); ++i) {
    PyObject* const item = PyList_GET_ITEM(list.get(), i);
    if (PyLong_CheckExact(item) && !PyBool_Check(item)) {
      int overflow = 0;
      const long long number = PyLong_AsLongLongAndOverflow(item, &overflow);
      if (overflow == 0) {  // small numbers in their own order, as people expect
        elements.push_back({true, "", static_cast<std::uint64_t>(number) ^ (1ull << 63), item});
        continue;
      }
    }
    if (const std::optional<LeafId> leaf = leaves.find(item)) {
      elements.push_back({true, leaves.name(*leaf), 0, item});
    } else {
      elements.push_back({false, "", rank(item), item});
    }
  }
  std::sort(elements.begin(), elements.end(), [](const Element& a, const Element& b) {
    if (a.is_leaf != b.is_leaf) return a.is_leaf;
    if (a.name != b.name) return a.name < b.name;
    return a.rank < b.rank;
  });
  Ref result = checked(PyList_New(0));
  for (const Element& element : elements) {
    if (PyList_Append(result.get(), element.object) < 0) throw PythonError();
  }
  return result;
}

}  // namespace assay::languages::python
