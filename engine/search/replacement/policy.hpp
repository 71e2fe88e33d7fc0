/// Which visited states a bounded cache gives up first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "support/memory.hpp"

namespace assay::search::replacement {

/// A place in the cache; it names the state in it until that is replaced.
using Slot = std::uint32_t;
inline constexpr Slot kNoSlot = 0xFFFFFFFFu;

/// Told of everything that a depth-first search does with its cache, and asked
/// what to replace when that is full. A policy is never asked for a state on
/// the search stack: only what was left and not entered again since. That is
/// what makes the search end; everything else here decides only how soon.
class Policy {
 public:
  virtual ~Policy() = default;

  /// Slots below `slots` will be used, later on up to `most`.
  virtual void make_room(std::size_t slots, std::size_t most) = 0;
  virtual std::size_t bytes_per_slot() const = 0;

  /// A state was put into the slot and onto the stack, `depth` steps from the
  /// initial one.
  virtual void entered(Slot slot, std::uint64_t depth) = 0;
  /// So many steps lead on from the state that was entered last.
  virtual void expanded(Slot, std::size_t /*steps*/) {}
  /// A step from the state on top of the stack met a state in the cache.
  virtual void hit(Slot slot, Slot from) = 0;
  /// The state on top of the stack is fully explored and leaves it; the state
  /// below it is `parent`, or kNoSlot below the initial state.
  virtual void left(Slot slot, Slot parent) = 0;
  /// Appends the slots to empty now, at least one if any can be.
  virtual void replace(std::vector<Slot>& victims) = 0;
  /// What the policy thinks the state is worth; for tests.
  virtual std::uint64_t worth(Slot slot) const = 0;
};

/// Without copying, where the system lets us.
template <class T>
void grow(std::vector<T>& items, std::size_t slots, std::size_t most) {
  support::reserve_if_possible(items, most);
  items.resize(slots);
}

/// By name, or nullptr. `seed` decides where chance does.
std::unique_ptr<Policy> make_policy(const std::string& name, std::uint64_t seed, std::uint32_t strata);

}  // namespace assay::search::replacement
