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

  /// A number for all states whose components refer to each other as in this one; kNoArrangement: too many are known.
  static constexpr std::uint32_t kNoArrangement = 0xFFFFFFFFu;
  std::uint32_t arrangement(const StateIds& state);
  /// Whether a state in normal form stays so when a thread's step puts components of other shapes (`patch` numbers
  /// them) in place.
  enum class Answer : std::uint8_t { kUnknown, kStays, kChanges };
  Answer stays_normal(std::uint32_t arrangement, std::uint32_t thread, std::uint32_t patch) const;
  void remember(std::uint32_t arrangement, std::uint32_t thread, std::uint32_t patch, bool stays);
  /// Whether the last `apply` left the state as it was.
  bool was_normal() const { return was_normal_; }

 private:
  struct Patched {
    std::uint32_t arrangement = kNoArrangement, thread = 0, patch = 0;
    Answer answer = Answer::kUnknown;
  };
  std::size_t place(std::uint32_t arrangement, std::uint32_t thread, std::uint32_t patch) const {
    return support::mix((std::uint64_t{arrangement} << 32 | patch) + thread * 0x9E3779B97F4A7C15ull) & (patched_.size() - 1);
  }
  std::vector<Patched> patched_ = std::vector<Patched>(1 << 12);
  std::size_t patched_count_ = 0;
  bool was_normal_ = false;

  static constexpr std::int32_t kNobody = -1, kEverybody = -2;
  static constexpr std::uint32_t kUnnumbered = 0xFFFFFFFFu;

  /// What was found out about states whose components have these shapes. Not all are kept.
  struct Arrangement {
    std::uint32_t number_of_it;
    bool is_normal;
    std::vector<std::int32_t> owner;
    std::vector<std::uint32_t> number, found;
  };

  void mark(const StateIds& state, std::span<const std::uint32_t> refs, std::int32_t who);
  void find(std::span<const std::uint32_t> refs);
  void make_key(const StateIds& state);
  const Arrangement* arranged(const StateIds& state);
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
  std::unordered_map<std::vector<std::uint32_t>, Arrangement, KeyHash> arrangements_;
};

}  // namespace assay::python_machine
