/// Accepting cycles of a graph that lies on disk.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "search/expansion.hpp"
#include "search/control.hpp"
#include "search/result.hpp"
#include "search/strategy.hpp"
#include "support/scratch_file.hpp"
#include "transition_system/acceptance.hpp"

namespace assay::search::spilling {

using transition_system::Acceptance;

/// Whoever asked for the search does not want it any more.
struct Stopped {};

/// States come in the order of a breadth-first search, level by level, each with its steps; then `find` looks
/// for a cycle that meets every acceptance set.
///
/// Steps are read from the file again and again, always from its beginning to its end or level by
/// level from the last to the first; of each state a few bits are kept. What can be on a cycle that counts, or
/// behind one, is the largest set whose states are all reached, inside of it, by a step of each
/// acceptance set (the hull of Emerson and Lei, with the cycles looked for forward: Fisler et al. 2001). It is
/// empty exactly if there is no such cycle. Otherwise a component that nothing else in it leads to is one.
class CycleHull {
 public:
  CycleHull(const Task& task, const Acceptance& acceptance, const std::string& directory)
      : task_(task), all_(acceptance.all()), file_(directory) {}

  void begin_level() { levels_.push_back({states_, file_.bytes()}); }
  /// Then its steps; `marks`: the sets that all of them are in.
  void begin_state(Acceptance::Marks marks, std::uint32_t steps);
  /// `marks`: the sets that this one is in besides.
  void add_step(std::uint32_t target, Position position, Acceptance::Marks marks, bool is_free);

  /// False: there is no such cycle. Else the shortest way to a component with one, and a cycle inside of it.
  /// Throws Stopped.
  bool find(Violation& lasso);

 private:
  using Marks = Acceptance::Marks;
  using Bits = std::vector<bool>;  // of each state

  struct Level {
    std::uint64_t first_state, offset;
  };
  struct Step {
    std::uint32_t target;
    std::uint32_t position;
    Marks marks;  // with those of the state
    bool is_free;
  };

  struct Arrival {  // the step by which a path came to a state
    std::uint32_t source, position;
  };

  Bits bits(bool value);
  /// Calls `take(state, steps)` for the states of a level, of all levels in their order, or from the last
  /// level to the first.
  template <class Take>
  void each_in_level(std::size_t level, Take take);
  template <class Take>
  void each(Take take);
  template <class Take>
  void each_from_the_last_level(Take take);
  /// Whether the step counts and stays inside of a set.
  static bool counts(const Step& step, const Bits& inside) { return !step.is_free && inside[step.target]; }

  /// False: it is empty.
  bool shrink_to_hull();
  bool shrink_to_what_is_reached_from(Marks set);
  void shrink_to_first_component();
  Bits leading_to(std::uint32_t state);
  Bits reached_from(std::uint32_t state, const Bits& within);

  void go_to(std::uint32_t state, Violation& lasso);
  /// Goes on by a shortest path inside whose last step is wanted; answers where it ends.
  template <class Wanted>
  std::uint32_t go_on(std::uint32_t from, Violation& lasso, Marks& missing, Wanted is_wanted);

  const Task& task_;
  const Marks all_;
  support::ScratchFile file_;
  std::vector<Level> levels_;
  std::uint64_t states_ = 0;
  std::vector<Step> steps_;  // of the state that was read last
  Bits inside_;              // what can still be on a cycle that counts
};

}  // namespace assay::search::spilling
