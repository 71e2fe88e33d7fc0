#include "languages/python/made_classes.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "languages/python/component_reader.hpp"
#include "languages/python/component_writer.hpp"
#include "languages/python/heap.hpp"
#include "languages/python/interpreter.hpp"

namespace assay::languages::python {
namespace {

/// With its length, because it may be any bytes.
void put_name(const std::string& name, std::string& out) {
  out += "," + std::to_string(name.size()) + ":" + name;
}

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

std::string type_text_of(PyTypeObject* type) {
  const Ref home = home_of(type);  // its metaclass may have a property of that name
  auto* const object = reinterpret_cast<PyObject*>(type);
  return (home ? utf8(home.get()) : "?") + "." +
         utf8(checked(PyObject_GetAttrString(object, "__qualname__")).get());
}

}  // namespace

/// A value of an enumeration spelled out: nobody can change it, because whoever could see it changed is refused where he
/// reads it (`refuse_hidden_content`).
void MadeClasses::spell(PyObject* value, std::string& out) {
  if (const std::optional<LeafId> leaf = heap_.leaves.find(value)) {
    put_name(heap_.leaves.name(*leaf), out);
  } else if (Py_TYPE(value) == &PyBaseObject_Type) {
    out += "o";  // `object()`: there is nothing in it that could change
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
    spell(heap_.ordered(value).get(), out);
  } else if (PyList_CheckExact(value) || PyTuple_CheckExact(value)) {
    out += "[";
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(value); ++i)
      spell(PySequence_Fast_GET_ITEM(value, i), out);
    out += "]";
  } else {
    throw Unsupported(std::string("an enumeration has or refers to a value of type ") +
                      Py_TYPE(value)->tp_name +
                      ", which may change; keep it in a dict beside the enumeration");
  }
}

std::string MadeClasses::makeup_of(PyTypeObject* type) {
  std::string makeup = type->tp_name;
  // By their leaves: a base that was made again has the one of the first time.
  const auto put = [&](PyObject* part) { put_name(heap_.leaves.name(*heap_.leaves.find(part)), makeup); };
  put(reinterpret_cast<PyObject*>(Py_TYPE(type)));
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(type->tp_bases); ++i) put(PyTuple_GET_ITEM(type->tp_bases, i));
  for (const auto& [name, entry] : entries_of(type, Entry::kMakeup)) {
    if (Py_TYPE(entry.second) == &PyMemberDescr_Type) makeup += ",." + name;
  }
  if (!heap_.classes.facts(type).is_enumeration) return makeup;
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
      if (heap_.leaves.find(content.get())) {
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

bool MadeClasses::is_made(const Code* body) const {
  const auto found = number_of_name_.find("C#" + std::to_string(body->number));
  return found != number_of_name_.end() && classes_[found->second].is_made;
}

std::string MadeClasses::next_name(const std::string& name) const {
  constexpr int kMost = 1000;
  std::string next = name;
  for (int number = 1; number <= kMost; ++number) {
    const auto found = number_of_name_.find(next);
    if (found == number_of_name_.end() || !classes_[found->second].is_made) return next;
    next = name + "#" + std::to_string(number);
  }
  throw Unsupported("a class statement is executed a thousand times; move the class out of the loop");
}

Ref MadeClasses::known(const Code* body) const {
  const auto found = number_of_name_.find(next_name("C#" + std::to_string(body->number)));
  return found == number_of_name_.end() ? Ref() : classes_[found->second].type;
}

Ref MadeClasses::add(Ref made, const Code* body) {
  auto* const type = reinterpret_cast<PyTypeObject*>(made.get());
  const std::string name =
      next_name(body != nullptr ? "C#" + std::to_string(body->number) : "C@" + type_text_of(type));
  const auto [place, is_new] = number_of_name_.emplace(name, classes_.size());
  if (!is_new) {
    MadeClass& known = classes_[place->second];
    auto* const first = reinterpret_cast<PyTypeObject*>(known.type.get());
    known.is_made = true;
    if (first == type) return made;
    heap_.classes.add_of_program(type);
    if (heap_.leaves.add_twin(made.get(), known.type.get()); makeup_of(type) != known.makeup) {
      throw Unsupported(
          std::string("the class ") + type->tp_name +
          " has other bases, slots or members on another way through the program; write two classes");
    }
    if (heap_.classes.facts(first).is_enumeration) return known.type;
    const Ref old_names = checked(PyDict_Keys(first->tp_dict));
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(old_names.get()); ++i) {
      PyObject* const old = PyList_GET_ITEM(old_names.get(), i);
      const int stays = PyDict_Contains(type->tp_dict, old);
      if (stays < 0) throw PythonError();
      if (stays == 0) Classes::store(first, old, nullptr);
    }
    for (const Entry role : {Entry::kData, Entry::kMethod}) {
      for (const auto& [_, entry] : entries_of(type, role)) {
        Classes::store(first, entry.first, entry.second);
      }
    }
    return known.type;
  }
  const ClassFacts& facts = heap_.classes.add_of_program(type);
  heap_.leaves.add_fixed(made.get(), name);
  number_of_type_.emplace(type, classes_.size());
  classes_.push_back({made, true, {}});
  classes_.back().makeup = makeup_of(type);
  if (facts.is_enumeration) return made;
  // A class of the user may get attributes later, one of a library never does.
  const bool is_library = body != nullptr && heap_.program.modules[body->module].is_library;
  if (is_library && entries_of(type, Entry::kData).empty()) return made;
  data_of_.emplace(type, with_data());
  with_data_.push_back(place->second);
  return made;
}

void MadeClasses::write_entries(ComponentWriter& writer, PyTypeObject* type, Entry role) {
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

void MadeClasses::read_entries(ComponentReader& reader, PyTypeObject* type, Entry role) {
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
  for (const auto& [_, entry] : stale) Classes::store(type, Ref::borrow(entry.first).get(), nullptr);
  for (const auto& [name, content] : changed) Classes::store(type, name.get(), content.get());
}

std::vector<PyTypeObject*> MadeClasses::in_loaded_state() const {
  std::vector<PyTypeObject*> types;
  for (const MadeClass& made : classes_) {
    if (made.is_made) types.push_back(reinterpret_cast<PyTypeObject*>(made.type.get()));
  }
  return types;
}

std::uint32_t MadeClasses::with_data_in_loaded_state() const {
  std::uint32_t count = with_data();
  while (count > 0 && !classes_[with_data_[count - 1]].is_made) --count;
  return count;
}

void MadeClasses::write_methods(ComponentWriter& writer) {
  writer.number(static_cast<std::uint64_t>(std::ranges::count_if(classes_, &MadeClass::is_made)));
  for (const auto& [_, index] : number_of_name_) {
    if (!classes_[index].is_made) continue;
    auto* const type = reinterpret_cast<PyTypeObject*>(classes_[index].type.get());
    writer.leaf(classes_[index].type.get());
    if (!heap_.classes.facts(type).is_enumeration) write_entries(writer, type, Entry::kMethod);
  }
}

void MadeClasses::read_methods(ComponentReader& reader) {
  for (MadeClass& made : classes_) made.is_made = false;
  for (std::uint64_t count = reader.number(); count > 0; --count) {
    const Ref object = reader.value();
    auto* const type = reinterpret_cast<PyTypeObject*>(object.get());
    classes_[number_of_type_.at(type)].is_made = true;
    if (!heap_.classes.facts(type).is_enumeration) read_entries(reader, type, Entry::kMethod);
  }
}

void MadeClasses::write_data(ComponentWriter& writer, std::uint32_t number) {
  const bool is_made = classes_[with_data_[number]].is_made;
  writer.number(is_made);
  if (is_made) write_entries(writer, type_with_data(number), Entry::kData);
}

void MadeClasses::read_data(ComponentReader& reader, std::uint32_t number) {
  if (reader.number() != 0) read_entries(reader, type_with_data(number), Entry::kData);
}

}  // namespace assay::languages::python
