/// The one form of all states that differ only in garbage, in the numbering of objects, or in who was noted to reach
/// an object.
///
/// What has to be done to a state depends only on who refers to whom. Two parts of that are remembered:
///
/// - The core: the identities of the threads, the fixed parts, the objects, and what they refer to. It settles most
///   objects: they are reached by everybody whatever the threads have in their frames.
/// - The plan: what becomes of the objects of a core, given what the threads refer to that is not settled (mostly
///   nothing). It tells where the components of the result come from and the new numbers.
///
/// Cores and plans are few, so most states are put into normal form without looking at references at all.
#pragma once

#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "languages/python/heap.hpp"
#include "support/hash.hpp"

namespace assay::languages::python {

/// What a state's core is known by, and a hash that follows single changes.
class CoreKey {
 public:
  void assign(const StateIds& state, const Components& components);
  void replace(std::size_t position, std::uint32_t shape) {
    std::uint32_t& known = shapes_[position];
    hash_ += term(position, shape) - term(position, known);
    known = shape;
  }
  std::uint32_t at(std::size_t position) const { return shapes_[position]; }
  std::size_t size() const { return shapes_.size(); }
  std::uint64_t hash() const { return hash_; }
  bool operator==(const CoreKey&) const = default;

 private:
  static std::uint64_t term(std::size_t position, std::uint32_t shape) {
    return support::mix((std::uint64_t{shape} << 32 | position) + 0x9E3779B97F4A7C15ull);
  }
  std::uint64_t hash_ = 0;
  std::uint32_t fixed_ = 0, threads_ = 0;
  std::vector<std::uint32_t> shapes_;
};

class NormalForm {
 public:
  using Replacement =
      std::pair<std::uint32_t, ComponentId>;  // position in the list of components, and what comes there

  explicit NormalForm(Components& components) : components_(components) {}

  /// Drops objects that nothing reaches and ended threads that no other thread knows, moves objects that only one thread
  /// reaches into that thread, and numbers the others in the order in which they are found, breadth first: from the
  /// identities of the threads, then from the fixed parts, then from the threads. What changes often comes late, so that
  /// numbers change seldom.
  void apply(StateIds& state);
  /// From now on a thread that is forgotten leaves this in its place, unless it is the last one.
  void keep_places(ComponentId vacant) { vacant_ = vacant; }

  /// Looks at a state in normal form, for the questions that follow.
  void survey(const StateIds& state);
  /// Whether the surveyed state stays in normal form when these components are replaced.
  bool stays_normal(const StateIds& state, std::span<const Replacement> replaced);

  /// How often references were looked at, because a core or a plan was new.
  std::uint64_t looked_around() const { return looked_around_; }

  /// What is remembered only to save time: about how much, and no longer.
  std::size_t forgettable_bytes() const { return words_ * sizeof(std::uint32_t) + renumbered_.bytes(); }
  void forget();

 private:
  static constexpr std::int32_t kNobody = -1, kEverybody = -2;
  static constexpr std::uint32_t kUnnumbered = 0xFFFFFFFFu;
  static constexpr std::size_t kMostWords = 1 << 21, kMostRenamed = 1 << 18;

  using Key = std::vector<std::uint32_t>;
  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      std::uint64_t h = key.size();
      for (std::uint32_t word : key) {
        h = support::fold_multiply(h ^ word ^ 0xE7037ED1A0B428DBull, 0x8EBC6AF09C88C6E3ull) + word;
      }
      return support::mix(h);
    }
  };
  using Numbers = std::unordered_map<Key, std::uint32_t, KeyHash>;

  struct Core {
    CoreKey key;
    std::vector<std::int32_t>
        owner;  // of objects, as far as it is settled without the threads' frames or ended threads
    std::vector<std::uint32_t> found;  // objects in the order in which they are found
    std::uint32_t plan = kUnnumbered;  // when the threads refer to settled objects only
  };
  struct Plan {
    bool is_normal = false;
    std::vector<std::uint32_t> forgotten;  // ended threads; if there are any, the rest is left out
    std::uint32_t numbering = 0;           // in numberings_
    std::vector<std::uint32_t> kept;       // objects, in their new order
    std::vector<Key> absorbed;  // by thread: objects that only it reaches; empty if there are none at all
  };
  /// Pairs of numbers to a number; forgets everything when it becomes too large.
  class PairTable {
   public:
    std::uint32_t* find(std::uint32_t a, std::uint32_t b);
    void add(std::uint32_t a, std::uint32_t b, std::uint32_t value);
    void clear() { *this = PairTable(); }
    std::size_t size() const { return count_; }
    std::size_t bytes() const { return entries_.capacity() * sizeof(Entry); }

   private:
    struct Entry {
      std::uint64_t key = ~0ull;
      std::uint32_t value = 0;
    };
    std::size_t place(std::uint64_t key) const;
    std::vector<Entry> entries_ = std::vector<Entry>(1 << 10);
    std::size_t count_ = 0;
  };

  std::optional<ComponentId> vacant_;

  void mark(const StateIds& state, std::span<const std::uint32_t> refs, std::int32_t who);
  void find(std::span<const std::uint32_t> refs);
  void expand(const StateIds& state);
  const std::uint32_t* known_core(const CoreKey& key) const;
  std::uint32_t new_core(const CoreKey& key, const StateIds& state);
  std::uint32_t unsettled(std::uint32_t core, ComponentId thread);
  std::uint32_t plan_for(std::uint32_t core, std::span<const std::uint32_t> unsettled, const StateIds& state);
  Plan planned(const Core& core, std::span<const std::uint32_t> unsettled, const StateIds& state);
  void forget_if_too_much();
  ComponentId renumbered(ComponentId id, std::uint32_t numbering);
  ComponentId absorbing(const StateIds& state, std::uint32_t thread, std::uint32_t plan);
  ComponentId with_private(const StateIds& state, ComponentId thread,
                           const std::vector<std::uint32_t>& number);

  Components& components_;
  std::vector<Core> cores_;
  std::vector<std::uint32_t> core_table_ = std::vector<std::uint32_t>(1 << 8, kUnnumbered);
  std::vector<Plan> plans_;
  Numbers plan_numbers_;  // by core and what the threads refer to
  std::vector<Key> unsettled_refs_ = {{}};
  Numbers unsettled_numbers_ = {{{}, 0}};
  PairTable unsettled_of_;       // core and shape of a thread
  std::vector<Key> numberings_;  // new numbers of objects
  Numbers numbering_numbers_;
  PairTable renumbered_;          // component and numbering
  Numbers absorbed_;              // by plan, thread and objects
  std::size_t words_ = 0;         // kept by all of these
  std::uint64_t generation_ = 0;  // counts how often they were forgotten
  std::uint64_t looked_around_ = 0;
  // Scratch.
  std::vector<std::int32_t> owner_;
  std::vector<std::uint32_t> found_;
  std::vector<std::uint8_t> is_found_;
  std::size_t expanded_ = 0;
  std::vector<std::pair<std::uint32_t, std::int32_t>> pending_;
  Key key_;
  StateIds result_;
  // Of the survey, and of a state like it.
  CoreKey core_key_;
  std::uint32_t core_ = 0;
  std::vector<std::uint32_t> thread_refs_, other_refs_;  // by thread, in unsettled_refs_
  std::uint64_t surveyed_generation_ = ~0ull;
  CoreKey applied_key_;
};

}  // namespace assay::languages::python
