/// From violations to the paths that lead to them, out of a breadth-first search that kept no parents.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "search/result.hpp"
#include "transition_system/transition_system.hpp"

namespace assay::search {

/// A violation together with the state it was met in.
struct Found {
  std::uint32_t code;
  transition_system::Position position;  // of the step, or Finding::kAtState
  std::uint64_t depth;                   // of the state
  std::vector<std::uint64_t> words;

  std::uint64_t path_length() const;
};

/// Each step back expands the level before anew until a predecessor turns up, so counterexamples cost no
/// memory during the search. All paths go back together: no level is expanded more than once.
class WayBack {
 public:
  explicit WayBack(std::vector<Found> found);

  /// `expand_level(depth)` shows the steps of all states at that depth, until no more is wanted. If a state has
  /// no predecessor there (steps of embedded C that depend on more than the state), the path to it is
  /// one position that no state has: whoever executes it again finds that it leads nowhere.
  template <class ExpandLevel>
  std::vector<Violation> follow(ExpandLevel&& expand_level) {
    for (std::uint64_t depth = deepest_; depth > 0; --depth) {
      look_for_level(depth);
      expand_level(depth - 1);
      give_up_what_is_missing();
    }
    return paths();
  }
  bool wants_more() const { return missing_ > 0; }
  void show(transition_system::StateView state, transition_system::Position position,
            transition_system::StateView next);

 private:
  /// A state whose predecessor is wanted.
  struct Target {
    std::vector<std::uint64_t> words;
    std::vector<std::size_t> paths;  // that lead through it
    bool is_found = false;
  };

  void look_for_level(std::uint64_t depth);
  void compare(Target& target, transition_system::StateView state, transition_system::Position position,
               transition_system::StateView next);
  void give_up_what_is_missing();
  std::vector<Violation> paths();

  std::vector<Found> found_;  // with the states to which each path, followed backwards, has arrived
  std::vector<Violation> violations_;
  std::uint64_t deepest_ = 0;
  std::vector<Target> targets_;
  std::unordered_multimap<std::uint64_t, std::size_t> by_hash_;
  std::size_t missing_ = 0;
};

}  // namespace assay::search
