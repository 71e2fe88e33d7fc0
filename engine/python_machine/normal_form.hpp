/// The one form of all states that differ only in garbage, in the numbering of objects, or in who was noted to reach
/// an object.
#pragma once

#include <unordered_map>
#include <vector>

#include "python_machine/heap.hpp"

namespace assay::python_machine {

class NormalForm {
 public:
  explicit NormalForm(Components& components) : components_(components) {}

  /// Drops objects that nothing reaches, moves those that only one thread reaches into that thread, and numbers the
  /// others in the order in which they are found from the left.
  void apply(StateIds& state);

 private:
  static constexpr std::int32_t kNobody = -1, kEverybody = -2;
  static constexpr std::uint32_t kUnnumbered = 0xFFFFFFFFu;

  void mark(const StateIds& state, std::uint32_t slot, std::int32_t who);
  void number(const StateIds& state, ComponentId id);
  ComponentId renumbered(ComponentId id);
  ComponentId with_private(const StateIds& state, ComponentId thread);

  Components& components_;
  std::vector<std::int32_t> owner_;
  std::vector<std::uint32_t> number_;
  std::vector<bool> found_;
  std::vector<std::uint32_t> kept_;  // old slots in their new order
  bool absorbs_ = false;
  std::vector<Token> out_;
  struct KeyHash {
    std::size_t operator()(const std::vector<std::uint32_t>& key) const {
      std::uint64_t h = key.size();
      for (std::uint32_t word : key) h = (h ^ word) * 0xFF51AFD7ED558CCDull, h ^= h >> 31;
      return h;
    }
  };
  std::unordered_map<std::vector<std::uint32_t>, ComponentId, KeyHash> renumberings_;
};

}  // namespace assay::python_machine
