/// Captured states and living objects, and the way between them.
///
/// A state is a list of component numbers:
///
///     fixed ...    the statics, each global that is not final, the data of each class that may have some
///     threads ...  in the order in which they were started
///     objects ...  shared objects, numbered in the order in which they are found from the left
///
/// The living objects of the last state are kept: loading a similar state only refills what differs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "languages/python/class_facts.hpp"
#include "languages/python/components.hpp"
#include "languages/python/leaves.hpp"
#include "languages/python/made_classes.hpp"
#include "languages/python/objects.hpp"
#include "languages/python/world.hpp"

namespace assay::languages::python {

struct StateIds {
  std::uint32_t fixed = 0, threads = 0;
  std::vector<ComponentId>
      ids;  // fixed, threads (ended ones as long as somebody refers to their identity), objects

  std::uint32_t objects() const { return static_cast<std::uint32_t>(ids.size()) - fixed - threads; }
  ComponentId& thread(std::uint32_t i) { return ids[fixed + i]; }
  ComponentId thread(std::uint32_t i) const { return ids[fixed + i]; }
  ComponentId& object(std::uint32_t i) { return ids[fixed + threads + i]; }
  ComponentId object(std::uint32_t i) const { return ids[fixed + threads + i]; }
};

struct Invariant {
  Ref function;
  std::string name;
};

class Heap {
 public:
  Heap(const Program& program, World& world);

  const Program& program;
  Classes classes;
  Leaves leaves;
  Components components;

  // The living program; the first three are the world's.
  std::vector<Ref>& globals;
  std::vector<bool>& module_started;
  std::vector<bool>& module_finished;
  std::vector<Ref>& module_objects;
  World& world() { return world_; }
  std::vector<Invariant> invariants;
  std::uint32_t atoms = 0;  // so many of them, the first ones, are none: they are atoms of formulas

  /// Makes everything but threads what the state says.
  void load(const StateIds& state);
  /// A thread of the loaded state.
  Thread read_thread(ComponentId id);

  /// The slot of a living shared object; kNoSlot: it is private.
  static constexpr std::uint32_t kNoSlot = 0xFFFFFFFFu;
  std::uint32_t slot(PyObject* object) const {
    const auto found = slots_.find(object);
    return found == slots_.end() ? kNoSlot : found->second;
  }
  PyObject* living(std::uint32_t slot) const { return living_[slot].object.get(); }
  std::uint32_t living_count() const { return static_cast<std::uint32_t>(living_.size()); }

  /// Where a fixed component is: 0 is the statics.
  std::uint32_t fixed_of_global(std::uint32_t global) const {
    return fixed_of_global_[global];
  }  // 0 if final
  std::uint32_t fixed_of_class(PyTypeObject* type) const;  // 0 if it has none
  std::uint32_t fixed_count() const {
    return static_cast<std::uint32_t>(1 + variable_globals_.size()) + made_classes_.with_data();
  }

  /// The fixed components of the loaded state as far as one of them is a variable or a class that the state has.
  std::uint32_t fixed_in_loaded_state() const {
    return fixed_of_variables() + made_classes_.with_data_in_loaded_state();
  }
  /// The statics and the variables; those of classes come behind them.
  std::uint32_t fixed_of_variables() const {
    return static_cast<std::uint32_t>(1 + variable_globals_.size());
  }
  PyTypeObject* class_at(std::uint32_t fixed) const {
    return made_classes_.type_with_data(class_of_fixed(fixed));
  }
  /// See `MadeClasses`.
  const std::string* makeup(LeafId leaf) const { return made_classes_.makeup(leaves.name(leaf)); }

  /// Gives an object that has none a slot: it is shared from now on.
  std::uint32_t share(PyObject* object);

  /// Calls the visitor with what a fixed component refers to.
  void visit_fixed(std::uint32_t fixed, visitproc visitor, void* context);

  std::string name_of_fixed(std::uint32_t fixed) const;

  bool is_final_attribute(PyObject* name) const;

  /// See `MadeClasses::known` and `add`.
  Ref class_known(const Code* body) const { return made_classes_.known(body); }
  bool is_class_made(const Code* body) const { return made_classes_.is_made(body); }
  Ref class_made(Ref type, const Code* body);

  /// Writing down. References to objects without a slot give them one (`fresh`), which makes them shared.
  ComponentId write_fixed(std::uint32_t fixed);
  ComponentId write_object(std::uint32_t slot);
  /// A thread whose private objects become shared (it was just started).
  ComponentId write_new_thread(const Thread& thread);
  /// A thread together with what only it reaches.
  ComponentId write_thread(const Thread& thread);
  /// Objects that got a slot since `load`, all written down; in the order of their slots.
  std::vector<ComponentId> write_fresh();
  /// The next load refills this object, or fixed component.
  void forget_object(std::uint32_t slot) { living_[slot].mirrors = kNothing; }
  void forget_fixed(std::uint32_t fixed) { fixed_mirrors_[fixed] = kNothing; }
  std::uint32_t loaded_objects() const { return loaded_objects_; }

  /// Throws where the program can reach something in the loaded state, or from a thread of it, that the state has not.
  void audit(const Thread& thread);
  /// Whether it is one of the objects that only the thread reaches which was read last.
  bool is_private(PyObject* object) const { return ranks_.contains(object); }

  /// Whether a key's hash is one that every process computes, of what the key holds just now.
  bool hashes_content(PyObject* key);

  /// Orders objects inside sets.
  std::uint64_t rank(PyObject* object);
  Ref ordered(PyObject* set);
  std::string order_of(PyObject* value);

  /// What restoring runs of the program (a __hash__) may touch freely.
  bool is_loading = false;

 private:
  class Loading;
  static constexpr std::uint32_t kMaxObjects = 1u << 16;
  static constexpr ComponentId kNothing = 0xFFFFFFFFu;
  struct Living {
    Ref object;
    ComponentId mirrors = kNothing;
  };

  World& world_;
  std::vector<Living> living_;
  std::unordered_map<PyObject*, std::uint32_t> slots_;
  std::vector<ComponentId> fixed_mirrors_;
  std::vector<std::uint32_t> variable_globals_;  // fixed 1 + i -> global
  std::vector<std::uint32_t> fixed_of_global_;
  MadeClasses made_classes_;  // those with data are the next fixed ones
  std::uint32_t class_of_fixed(std::uint32_t fixed) const {
    return fixed - 1 - static_cast<std::uint32_t>(variable_globals_.size());
  }
  void read_fixed(std::uint32_t fixed, ComponentId id);

  std::uint32_t loaded_objects_ = 0;
  std::unordered_map<PyObject*, std::uint64_t> ranks_;
  std::vector<Ref> ranked_;
  std::uint64_t next_rank_ = 0;
};

}  // namespace assay::languages::python
