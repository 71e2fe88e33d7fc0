/// The one form of all states that differ only in garbage, in the numbering of objects, or in who was noted to reach
/// an object.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "python_machine/heap.hpp"
#include "support/hash.hpp"

namespace assay::python_machine {

class NormalForm {
 public:
  explicit NormalForm(Components& components) : components_(components) {}

  /// Drops objects that nothing reaches, moves those that only one thread reaches into that thread, and numbers the
  /// others in the order in which they are found, breadth first: from the identities of the threads, then from the
  /// fixed parts, then from the threads. What changes often comes late, so that numbers change seldom.
  void apply(StateIds& state);

  /// Looks at a state in normal form, for the questions that follow.
  void survey(const StateIds& state);
  /// Whether the surveyed state stays in normal form when `after` is put in the place of `before`, at `position` in the
  /// list of components. A component that finds nothing first changes no numbers by referring to what was found before
  /// it; and what it no longer refers to must be reached by everybody without it.
  bool stays_normal(const StateIds& state, std::uint32_t position, ComponentId before, ComponentId after) const;

  /// What is remembered only to save time: about how much, and no longer.
  std::size_t forgettable_bytes() const { return renumberings_.size() * kBytesPerRenumbering; }
  void forget() { renumberings_ = {}; }

 private:
  static constexpr std::size_t kBytesPerRenumbering = 128;
  static constexpr std::int32_t kNobody = -1, kEverybody = -2;
  static constexpr std::uint32_t kUnnumbered = 0xFFFFFFFFu;

  void mark(const StateIds& state, std::span<const std::uint32_t> refs, std::int32_t who);
  void find(std::span<const std::uint32_t> refs);
  void look_around(const StateIds& state);
  void rewrite(StateIds& state);
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
  // Of the survey. Every component has its time, at which it finds what nobody found before.
  std::vector<std::uint32_t> time_;           // of components, by position
  std::vector<std::uint32_t> found_at_;       // of objects
  std::vector<std::uint8_t> is_from_fixed_;   // objects found from the fixed parts
  std::vector<std::uint16_t> thread_refs_;    // how many threads refer to an object themselves
  struct KeyHash {
    std::size_t operator()(const std::vector<std::uint32_t>& key) const {
      // A sum, so that the multiplications do not wait for each other.
      std::uint64_t h = key.size(), place = 0x9E3779B97F4A7C15ull;
      for (std::uint32_t word : key) {
        h += (word + place) * (word + (place << 1 | 1));
        place += 0xBF58476D1CE4E5B9ull;
      }
      return support::mix(h);
    }
  };
  std::unordered_map<std::vector<std::uint32_t>, ComponentId, KeyHash> renumberings_;
};

}  // namespace assay::python_machine
