/// From the candidates of a level to the next level.
#pragma once

#include "search/spilling/candidates.hpp"
#include "search/spilling/spilled_search.hpp"

namespace assay::search::spilling {

/// Merges all batches of candidates, leaves out what earlier levels hold, and makes the rest the next level.
/// Earlier levels are kept in a few sorted runs of geometrically growing size: a merge reads each at most
/// once and skips the blocks that no candidate falls into.
class LevelMerge {
 public:
  LevelMerge(SpilledSearch& search, Candidates& candidates) : search_(search), candidates_(candidates) {}

  /// False: it was stopped, and the level is left as it was. Without new states the search is finished.
  bool operator()();

 private:
  /// The states of a run become the next level in the order of their discovery. False: stopped.
  bool start_level_in_order(const SortedRun& run);
  /// What a stopped merge leaves behind can be merged again.
  bool leave_level(std::uint64_t new_states);
  /// Keeps the runs few: one that is not much larger than all after it joins them.
  void merge_visited();

  SpilledSearch& search_;
  Candidates& candidates_;
};

}  // namespace assay::search::spilling
