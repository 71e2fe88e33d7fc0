/// The one form of all states that differ only in garbage, in the numbering of objects, or in who was noted to reach
/// an object.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "python_machine/heap.hpp"

namespace assay::python_machine {

class NormalForm {
 public:
  explicit NormalForm(Components& components) : components_(components) {}

  /// Drops objects that nothing reaches, moves those that only one thread reaches into that thread, and numbers the
  /// others in the order in which they are found, breadth first: what the fixed parts and the threads refer to
  /// themselves has the lowest numbers, so that they change seldom.
  void apply(StateIds& state);

 private:
  static constexpr std::int32_t kNobody = -1, kEverybody = -2;
  static constexpr std::uint32_t kUnnumbered = 0xFFFFFFFFu;

  void mark(const StateIds& state, std::span<const std::uint32_t> refs, std::int32_t who);
  void find(const StateIds& state, std::span<const std::uint32_t> refs);
  ComponentId renumbered(ComponentId id);
  ComponentId with_private(const StateIds& state, ComponentId thread);

  Components& components_;
  // Scratch, kept because this is done for nearly every new state.
  std::vector<std::int32_t> owner_;
  std::vector<std::uint32_t> number_;  // of shared objects
  std::vector<std::uint32_t> found_;   // slots in the order in which they were found
  std::vector<std::uint8_t> is_found_;
  std::vector<std::pair<std::uint32_t, std::int32_t>> pending_;
  std::uint32_t kept_ = 0;
  bool absorbs_ = false, changes_ = false;
  std::vector<std::uint32_t> key_;
  StateIds result_;
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
