/// The classes that a program makes while it runs.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "languages/python/class_facts.hpp"
#include "languages/python/code.hpp"

namespace assay::languages::python {

class ComponentReader;
class ComponentWriter;
class Heap;

/// The methods of a class are part of the statics. Its data, if it may have some, is a component of its own. What can
/// be given to no class later, its makeup, is the same in all states: so one living class serves all of them.
class MadeClasses {
 public:
  explicit MadeClasses(Heap& heap) : heap_(heap) {}

  /// Whether the loaded state has a class of this class statement.
  bool is_made(const Code* body) const;
  /// The class that this class statement made in another state as the next after those that the loaded state has.
  Ref known(const Code* body) const;
  /// The class to use for one that a class statement made, or (without a body) a call such as `type(name, bases, {})`.
  Ref add(Ref made, const Code* body);

  std::vector<PyTypeObject*> in_loaded_state() const;

  /// Classes whose data is a component; they are numbered from 0.
  std::uint32_t with_data() const { return static_cast<std::uint32_t>(with_data_.size()); }
  PyTypeObject* type_with_data(std::uint32_t number) const {
    return reinterpret_cast<PyTypeObject*>(classes_[with_data_[number]].type.get());
  }
  static constexpr std::uint32_t kNoData = 0xFFFFFFFFu;
  std::uint32_t data_of(PyTypeObject* type) const {
    const auto found = data_of_.find(type);
    return found == data_of_.end() ? kNoData : found->second;
  }

  /// What can be given to a class only when it is made, the same in every process; of the leaf with this name. Null: that is
  /// no class that the program makes.
  const std::string* makeup(const std::string& name) const {
    const auto found = number_of_name_.find(name);
    return found == number_of_name_.end() ? nullptr : &classes_[found->second].makeup;
  }
  /// So many of those with data, from the first on, that all which the loaded state has are among them. Which others this
  /// process knows is no part of a state.
  std::uint32_t with_data_in_loaded_state() const;

  /// Which classes the state has, with their methods.
  void write_methods(ComponentWriter& writer);
  void read_methods(ComponentReader& reader);
  /// The data of one of them.
  void write_data(ComponentWriter& writer, std::uint32_t number);
  void read_data(ComponentReader& reader, std::uint32_t number);

 private:
  struct MadeClass {
    Ref type;
    bool is_made = false;  // in the loaded state
    std::string makeup;
  };
  /// The name of the next class that has this one, the first is called: those that a statement makes, one after the other,
  /// are numbered.
  std::string next_name(const std::string& name) const;
  std::string makeup_of(PyTypeObject* type);
  void spell(PyObject* value, std::string& out);
  static void write_entries(ComponentWriter& writer, PyTypeObject* type, Entry role);
  static void read_entries(ComponentReader& reader, PyTypeObject* type, Entry role);

  Heap& heap_;
  std::vector<MadeClass> classes_;
  std::map<std::string, std::size_t>
      number_of_name_;  // its leaf's name; in an order that all processes share
  std::unordered_map<PyTypeObject*, std::size_t> number_of_type_;
  std::vector<std::size_t> with_data_;
  std::unordered_map<PyTypeObject*, std::uint32_t> data_of_;
};

}  // namespace assay::languages::python
