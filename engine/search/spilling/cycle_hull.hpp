/// Accepting cycles of a graph that lies on disk.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "search/result.hpp"
#include "search/spilling/cycle_steps.hpp"
#include "search/spilling/state_bits.hpp"

namespace assay::search::spilling {

/// The sets that all of these steps are in which are not free.
Acceptance::Marks common_to(std::span<const CycleStep> steps);

/// Adds to `reached` what is reached from it, or by a step of the set, by steps that stay `inside` and are not
/// free; of those steps that are here. 0 is the set of all steps. True: something was added.
bool spread(const CycleSteps& steps, const StateBits& inside, Acceptance::Marks set, StateBits& reached);

/// Takes states out of `inside`, again and again, that no step from inside leads to which is not free. The steps here
/// are those of the states from `begin` to `end`, and these are looked at; `elsewhere` has those that other states may
/// lead to. Some may stay that could go: it only saves rounds. True: something is gone.
bool eliminate(const CycleSteps& steps, std::uint64_t begin, std::uint64_t end, const StateBits& elsewhere,
               StateBits& inside);

/// States come in the order of a breadth-first search, level by level, each with its steps; `find` looks for a cycle that
/// meets every acceptance set.
///
/// Steps are read again and again, always from the first to the last or level by level from the last to the first; of
/// each state a few bits are kept. What can be on a cycle that counts, or behind one, is the largest set whose states are
/// all reached, inside of it, by a step of each acceptance set (the hull of Emerson and Lei, with the cycles looked for
/// forward: Fisler et al. 2001; with eliminations in between it is called one way catch them young). It is empty
/// exactly if there is no such cycle. Otherwise a component that nothing else in it leads to is one.
class CycleHull {
 public:
  /// `require(bytes)` throws std::bad_alloc where there is no such memory.
  CycleHull(const CycleSteps& steps, std::uint64_t states, Acceptance::Marks all,
            std::function<void(std::size_t)> require)
      : steps_(steps), states_(states), all_(all), require_(std::move(require)) {}

  /// False: there is no such cycle. Else the shortest way to a component with one, and a cycle inside of it.
  /// Throws Stopped.
  bool find(Violation& lasso);
  /// The same where the hull is known.
  bool find_in(StateBits hull, Violation& lasso);

 private:
  using Marks = Acceptance::Marks;

  struct Arrival {  // the step by which a path came to a state
    std::uint32_t source, position;
  };

  StateBits bits(bool value) const;
  bool shrink_to_what_is_reached_from(Marks set);
  bool shrink_by_elimination();
  void shrink_to_hull();
  void shrink_to_first_component();
  StateBits leading_to(std::uint32_t state);
  StateBits reached_from(std::uint32_t state, const StateBits& within);

  void go_to(std::uint32_t state, Violation& lasso);
  /// Goes on by a shortest path inside whose last step is wanted; answers where it ends.
  template <class Wanted>
  std::uint32_t go_on(std::uint32_t from, Violation& lasso, Marks& missing, Wanted is_wanted);

  const CycleSteps& steps_;
  const std::uint64_t states_;
  const Marks all_;
  const std::function<void(std::size_t)> require_;
  StateBits inside_;  // what can still be on a cycle that counts
};

}  // namespace assay::search::spilling
