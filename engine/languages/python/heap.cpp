#include "languages/python/heap.hpp"

#include <algorithm>
#include <optional>

#include "languages/python/component_reader.hpp"
#include "languages/python/component_writer.hpp"
#include "languages/python/interpreter.hpp"

namespace assay::languages::python {
namespace {

Ref imported_types() {
  // Immutable types whose repr tells any two values apart.
  const char* const names[][2] = {{"decimal", "Decimal"},
                                  {"fractions", "Fraction"},
                                  {"datetime", "date"},
                                  {"datetime", "datetime"},
                                  {"datetime", "time"},
                                  {"datetime", "timedelta"},
                                  {"datetime", "timezone"},
                                  {"re", "Pattern"},
                                  {"types", "GenericAlias"},
                                  {"struct", "Struct"},
                                  {"types", "UnionType"},
                                  {"_collections_abc", "_CallableGenericAlias"},
                                  {"typing", "_GenericAlias"},
                                  {"typing", "_UnionGenericAlias"},
                                  {"typing", "_LiteralGenericAlias"},
                                  {"typing", "_CallableGenericAlias"}};
  Ref types = checked(PyTuple_New(std::size(names)));
  for (std::size_t i = 0; i < std::size(names); ++i) {
    const Ref module = checked(PyImport_ImportModule(names[i][0]));
    PyTuple_SET_ITEM(types.get(), static_cast<Py_ssize_t>(i),
                     checked(PyObject_GetAttrString(module.get(), names[i][1])).release());
  }
  return types;
}

}  // namespace

Heap::Heap(const Program& p, World& world)
    : program(p),
      leaves(classes.enumeration(), imported_types().get()),
      globals(world.globals),
      module_started(world.module_started),
      module_finished(world.module_finished),
      module_objects(world.module_objects),
      world_(world),
      made_classes_(*this) {
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
  if (fixed > variable_globals_.size()) return made_classes_.type_with_data(class_of_fixed(fixed))->tp_name;
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
    PyObject* const names = made_classes_.type_with_data(class_of_fixed(fixed))->tp_dict;
    if (names != nullptr) visitor(names, context);
  }
}

std::uint32_t Heap::fixed_of_class(PyTypeObject* type) const {
  const std::uint32_t number = made_classes_.data_of(type);
  return number == MadeClasses::kNoData ? 0
                                        : static_cast<std::uint32_t>(1 + variable_globals_.size()) + number;
}

Ref Heap::class_made(Ref type, const Code* body) {
  Ref used = made_classes_.add(std::move(type), body);
  fixed_mirrors_.resize(fixed_count(), kNothing);
  return used;
}

std::uint32_t Heap::share(PyObject* object) {
  const auto slot = static_cast<std::uint32_t>(living_.size());
  if (slot >= kMaxObjects) throw Unsupported("more than " + std::to_string(kMaxObjects) + " shared objects");
  living_.push_back({Ref::borrow(object), kNothing});
  slots_.emplace(object, slot);
  return slot;
}

ComponentId Heap::write_fixed(std::uint32_t fixed) {
  ComponentWriter writer(*this, false);
  if (fixed == 0) {
    writer.out.push_back(token(Tag::kObject, static_cast<std::uint64_t>(Kind::kStatics)));
    for (std::size_t i = 0; i < module_started.size(); ++i)
      writer.number(module_started[i] + module_finished[i]);
    made_classes_.write_methods(writer);
    for (const Module& module : program.modules) {
      for (std::uint32_t g = 0; g < module.global_names.size(); ++g) {
        if (module.global_is_final[g]) writer.value(globals[module.first_global + g].get());
      }
    }
    writer.number(invariants.size() | std::uint64_t{atoms} << 32);
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
      made_classes_.write_data(writer, class_of_fixed(fixed));
    }
  }
  return components.intern(writer.out);
}

ComponentId Heap::write_object(std::uint32_t slot) {
  PyObject* const object = living_[slot].object.get();
  ComponentWriter writer(*this, false);
  writer.record(object);
  const ComponentId id = components.intern(writer.out);
  if (components.kind(id) == Kind::kInstance && components.finals(id) == 0) {
    ComponentWriter finals(*this, false);
    finals.final_attributes(object);
    components.set_finals(id, components.intern(finals.out));
  }
  return id;
}

namespace {
void write_thread_head(ComponentWriter& writer, const Thread& thread) {
  writer.out.push_back(token(Tag::kObject, static_cast<std::uint64_t>(Kind::kThread)));
  writer.number(thread_flags(thread));
  writer.value(thread.identity.get());
  writer.number(thread.frames.size());
  for (const auto& frame : thread.frames) writer.frame(*frame, frame == thread.frames.back());
}
}  // namespace

ComponentId Heap::write_new_thread(const Thread& thread) {
  ComponentWriter writer(*this, false);
  write_thread_head(writer, thread);
  return components.intern(writer.out);
}

ComponentId Heap::write_thread(const Thread& thread) {
  ComponentWriter writer(*this, true);
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
    if (living.object && ComponentReader(*this, tokens).fits(living.object.get())) continue;
    if (living.object) slots_.erase(living.object.get());
    living.object = ComponentReader(*this, tokens).shell();
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
      if (ComponentReader(*this, tokens).fits(living.object.get())) continue;
      slots_.erase(living.object.get());
      living.object = ComponentReader(*this, tokens).shell();
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
      if (has_frozen_objects(tokens) == hashes)
        ComponentReader(*this, tokens).fill(living_[slot].object.get());
    }
    for (std::uint32_t fixed : stale_fixed) {
      if (has_frozen_objects(components.tokens(state.ids[fixed])) == hashes)
        read_fixed(fixed, state.ids[fixed]);
    }
  }
  for (std::uint32_t slot : stale) {
    ComponentReader(*this, components.tokens(state.object(slot))).fill_keys(living_[slot].object.get());
  }
}

void Heap::read_fixed(std::uint32_t fixed, ComponentId id) {
  ComponentReader reader(*this, components.tokens(id));
  reader.next();
  if (fixed == 0) {
    for (std::size_t i = 0; i < module_started.size(); ++i) {
      const std::uint64_t progress = reader.number();
      module_started[i] = progress > 0;
      module_finished[i] = progress > 1;
    }
    made_classes_.read_methods(reader);
    for (const Module& module : program.modules) {
      for (std::uint32_t g = 0; g < module.global_names.size(); ++g) {
        if (module.global_is_final[g]) globals[module.first_global + g] = reader.value();
      }
    }
    const std::uint64_t registered = reader.number();
    invariants.resize(static_cast<std::uint32_t>(registered));
    atoms = static_cast<std::uint32_t>(registered >> 32);
    for (Invariant& invariant : invariants) {
      invariant.function = reader.value();
      invariant.name = PyUnicode_AsUTF8(reader.value().get());
    }
  } else if (fixed <= variable_globals_.size()) {
    globals[variable_globals_[fixed - 1]] = reader.value();
  } else {
    made_classes_.read_data(reader, class_of_fixed(fixed));
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
    ComponentReader reader(*this, tokens);
    reader.at = begin;
    locals.push_back(reader.shell());
    ranked_.push_back(locals.back());
    ranks_[locals.back().get()] = next_rank_++;
  }
  const auto read_record = [&](std::size_t i) {
    ComponentReader reader(*this, tokens, locals);
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
  ComponentReader reader(*this, tokens, locals);
  reader.next();
  Thread thread;
  const std::uint64_t flags = reader.number();
  set_thread_flags(thread, flags);
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

/// What values that are no leaves are ordered by: those that have no identity by what they hold.
std::string Heap::order_of(PyObject* value) {
  if (const std::optional<LeafId> leaf = leaves.find(value)) return "0" + leaves.name(*leaf);
  if (!PyTuple_CheckExact(value)) {
    std::uint64_t number = rank(value);
    std::string order = "1";
    for (int shift = 56; shift >= 0; shift -= 8) order += static_cast<char>(number >> shift);
    return order;
  }
  std::string order = "2";
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(value); ++i) {
    const std::string part = order_of(PyTuple_GET_ITEM(value, i));
    order += std::to_string(part.size()) + ":" + part;
  }
  return order;
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
      elements.push_back({false, order_of(item), 0, item});
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
