/// The searches, one file each.
#pragma once

#include "search/outcome.hpp"
#include "support/memory.hpp"
#include "transition_system/transition_system.hpp"

namespace assay::search {

/// What every strategy is given. A strategy fills in the result as far as it
/// got, also when memory runs out.
struct Task {
  const transition_system::TransitionSystem& system;
  const Options& options;
  const support::MemoryBudget& budget;
  Control& control;
};

/// Breadth first, exact, one thread. Finished: every reachable state was seen.
/// Counterexamples are shortest.
void breadth_first(const Task& task, Result& result);

/// The same with several threads on one store.
void parallel_breadth_first(const Task& task, Result& result);

/// Breadth first, exact, one thread, the states on disk: duplicates are found
/// when a level is complete, by merging sorted files. Finished: every reachable
/// state was seen. Counterexamples are shortest. Goes on after it was killed.
void spilling_breadth_first(const Task& task, Result& result);

/// The searches below look around in a state space that is too large, for an
/// estimate of its size. They meet violations and count them, but have no paths
/// to them, and never are complete in the sense of a verdict.

/// Breadth first up to a number of states, then depth first from unexplored
/// transitions drawn at random (Taleghani 2010, ch. 5).
void two_phases(const Task& task, Result& result);

/// Two random depth-first searches, and how many states they share.
void two_overlapping(const Task& task, Result& result);

/// Breadth first over everything, remembering k bits of each state; with a limit
/// on states it stops after so many were expanded.
void sweep(const Task& task, Result& result);

/// Depth first, exact, successors in order or (`random-dfs`) in an order drawn
/// from the seed. Finished: every reachable state was seen.
void depth_first(const Task& task, Result& result);

/// Depth first, exact, keeping a bounded set of visited states: explored ones
/// are replaced by a policy and explored again when they are met again.
/// Finished: every reachable state was seen, some more than once.
void cached_depth_first(const Task& task, Result& result);

/// Breadth first, storing 64-bit fingerprints. Two states with one fingerprint
/// count as one: every counterexample is real, a finished search is no proof.
void fingerprint_breadth_first(const Task& task, Result& result);

/// Depth first, storing k bits per state (Holzmann's bitstate hashing). Every
/// counterexample is real, a finished search is no proof.
void bitstate_depth_first(const Task& task, Result& result);

}  // namespace assay::search
