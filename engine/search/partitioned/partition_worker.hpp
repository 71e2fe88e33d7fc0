/// What one worker of a partitioned search does: expand a part of a level, merge what it is sent.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "search/control.hpp"
#include "search/expansion.hpp"
#include "search/options.hpp"
#include "search/partitioned/ownership.hpp"
#include "search/partitioned/section.hpp"
#include "search/partitioned/word_pieces.hpp"
#include "search/spilling/spilled_search.hpp"
#include "storage/candidate_set.hpp"
#include "storage/edge_log.hpp"
#include "storage/sorted_run.hpp"
#include "transition_system/travelling.hpp"

namespace assay::search::partitioned {

using storage::DiskFile;
using storage::SortedRun;
using Words = std::vector<std::uint64_t>;

/// Records in a file of the shared directory, as everybody names them.
struct StoredRun {
  std::string file;
  std::uint64_t offset = 0;
  std::uint64_t records = 0;
  Words masks;  // of the layout under which they were written
  std::uint64_t checksum = 0;
};

/// Some states of a level that belong to one partition.
struct LevelPart {
  std::uint32_t partition = 0;
  StoredRun states;
  std::uint64_t begin = 0, end = 0;
  std::vector<StoredWords> ranks;  // of all its states, if there is an order of discovery
};

/// A violation, and where in the level it was met.
struct FoundHere {
  std::uint32_t code = 0;
  std::uint32_t position = 0;
  std::uint64_t path_length = 0;
  std::uint64_t rank = 0;      // of the state, if there is an order of discovery
  std::uint64_t sequence = 0;  // among the violations of the state
  Words state;
};

struct Expanded {
  std::uint64_t states = 0, transitions = 0, candidates = 0;
  std::uint64_t violation_count = 0;
  bool cut = false;
  std::vector<FoundHere> found;     // the first of each code, and a shorter one that came later
  std::vector<std::string> blocks;  // for each group of partitions
  std::vector<KeptSection> kept{};  // for the own group, beside its block
  std::uint64_t kept_bytes = 0;
  std::vector<StoredWords> edges{};  // for each part, if the graph is to be written down
};

/// A partition before a merge.
struct MergePart {
  std::uint32_t partition = 0;
  std::vector<StoredRun> visited;  // disjoint; large ones first
  std::vector<StoredSection> batches;
};

/// And after it.
struct MergedPart {
  std::uint32_t partition = 0;
  StoredRun level;  // the new states, as they are to be expanded
  StoredWords keys;
  std::vector<StoredRun> visited;
};

/// A state whose predecessor is wanted, and the first one that was found.
struct Predecessor {
  bool is_found = false;
  std::uint32_t position = 0;
  std::uint64_t rank = 0;
  Words state;
};

/// The part of a level that comes no later than some state.
struct Counted {
  std::uint64_t states = 0, transitions = 0;
};

/// Every call is a function of files in the shared directory that are never changed once they are named: it may be
/// done again, by any worker. What a worker keeps from call to call (open files, where blocks begin) is only to save
/// time, but for the candidates of its own group, which wait between `expand` and `merge` or `put_aside`. Files that a
/// call makes have the names that it was given.
class PartitionWorker {
 public:
  PartitionWorker(const transition_system::TransitionSystem& system, const Options& options,
                  std::string directory, std::uint32_t partitions, bool in_order, bool logs_edges);

  /// The initial state, its violation, and who owns it, as the first level in a file of this name.
  struct Begun {
    std::uint32_t partition = 0;
    std::uint32_t violation = 0;
    Words state;
    StoredRun level;
    StoredWords ranks;
  };
  Begun begin(const std::string& name);

  /// Expands parts of a level. `group_of` says to which block the candidates of a partition go. Those of the own
  /// group stay here, for the next call that merges candidates or puts them aside.
  Expanded expand(const std::vector<LevelPart>& parts, std::uint64_t depth,
                  const std::vector<std::uint32_t>& group_of, std::uint32_t own_group,
                  const std::string& edges_name);
  /// Puts candidates aside for a later merge.
  std::map<std::uint32_t, StoredSection> put_aside(const std::vector<std::string_view>& blocks,
                                                   const std::string& name);
  /// What is new of the candidates becomes the next level of these partitions.
  std::vector<MergedPart> merge(const std::vector<MergePart>& parts,
                                const std::vector<std::string_view>& blocks, const std::string& name);
  /// The first predecessor of each state among parts of a level.
  std::vector<Predecessor> predecessors(const std::vector<LevelPart>& parts,
                                        const std::vector<Words>& states);
  /// How much of parts of a level comes no later than this state: in order of discovery, or of its words.
  Counted count_until(const std::vector<LevelPart>& parts, const Words& state, std::uint64_t rank,
                      bool at_limit);
  /// The ranks of new states, from their keys (`rank_slice`), in a file of this name.
  std::vector<StoredWords> rank(const std::vector<StoredWords>& keys, std::uint64_t parents,
                                std::uint64_t slice, std::uint64_t slices, const std::string& name);
  /// Of the steps that lead to states of some partitions, the numbers of those states. `levels` has their parts of
  /// each level and the number of its first state, `edges` the steps of each partition of the search, of all levels
  /// one after another. Answers where the numbers stand, for each of these.
  struct NumberedLevel {
    std::uint64_t first_number = 0;
    std::vector<LevelPart> parts;
  };
  std::vector<StoredWords> number_edges(const std::vector<std::uint32_t>& partitions,
                                        const std::vector<NumberedLevel>& levels,
                                        const std::vector<std::vector<StoredWords>>& edges,
                                        const std::string& name);
  /// Others, on other machines, can read what was written here. Files are held open until then, or until nobody asks
  /// for that.
  void sync();
  void leave_unsynced() { written_.clear(); }
  /// Whether a run is what it was when it was written.
  bool is_intact(const StoredRun& run);

  /// Where states are made of parts: what others have to learn before they can read what was made here since the last
  /// time, and the same from others. A state of the program's own words, for whoever executes it.
  std::string take_lessons() { return travelling_ == nullptr ? std::string() : travelling_->take_lessons(); }
  void learn(std::string_view lessons) {
    if (travelling_ != nullptr) travelling_->learn(lessons);
  }
  bool has_parts() const { return travelling_ != nullptr; }

  std::uint32_t owner_of(StateView state);
  Control& control() { return control_; }
  std::size_t candidate_bytes() const { return shares_.candidates; }

 private:
  friend class LevelExpansion;
  friend class CycleWork;

  struct Held {
    SortedRun run;
    std::uint64_t used = 0;
  };

  std::string path_of(const std::string& name) const { return directory_ + "/" + name; }
  std::string name_of(const DiskFile& file) const { return file.path().substr(directory_.size() + 1); }
  std::shared_ptr<DiskFile> open(const std::string& name);
  std::shared_ptr<DiskFile> create(const std::string& name);
  OpenFile opener() {
    return [this](const std::string& name) { return open(name); };
  }
  Ownership& ownership();  // under the present layout
  /// What stayed here and what others sent, by partition. All layouts are known afterwards.
  class Arrived {
   public:
    Arrived(PartitionWorker& worker, const std::vector<std::string_view>& blocks);
    std::vector<SectionCursor> cursors(std::uint32_t partition) const;

   private:
    void take(std::string_view block);

    PartitionWorker& worker_;
    const std::vector<KeptSection> kept_;
    const std::string own_block_;
    std::map<std::uint32_t, std::vector<SectionView>> sections_;
  };
  /// The number of a layout here; the present one has all its bits from now on.
  std::uint32_t layout_number(const Words& masks);
  void widen_to(storage::PackedLayout layout);
  const SortedRun& held(const StoredRun& stored);
  void hold(const StoredRun& stored, SortedRun run);
  void forget_unused(const std::vector<MergedPart>& merged);
  StoredRun stored(const SortedRun& run, const std::string& name) const;
  std::size_t io_bytes(std::size_t readers) const;
  template <class Take>
  void each_state(const LevelPart& part, Take take);
  void each_numbered(const LevelPart& part,
                     const std::function<void(StateView state, std::uint64_t rank)>& take);
  void merge_one(const MergePart& part, std::vector<SectionCursor>& candidates,
                 const std::shared_ptr<DiskFile>& levels, std::uint64_t& levels_end,
                 const std::shared_ptr<DiskFile>& runs, std::uint64_t& runs_end, MergedPart& out);
  void merge_visited(std::vector<StoredRun>& visited, const std::shared_ptr<DiskFile>& runs,
                     std::uint64_t& runs_end);

  const std::unique_ptr<transition_system::Travelling>
      travelling_;  // null: states are the same words everywhere
  const transition_system::TransitionSystem& system_;
  const Options options_;
  const std::string directory_;
  const std::uint32_t partitions_;
  const bool in_order_;  // of discovery
  const bool logs_edges_;
  const spilling::Shares shares_;
  Control control_;
  Expansion expansion_;
  storage::Layouts layouts_;
  std::map<Words, std::uint32_t> layout_numbers_;
  storage::CandidateSet candidates_;
  std::vector<KeptSection> kept_;  // of the last expansion, and the block of its own group
  std::string own_block_;
  std::optional<Ownership> ownership_;
  std::uint32_t ownership_layout_ = 0;
  std::map<std::pair<std::string, std::uint64_t>, Held> held_;
  std::map<std::string, std::weak_ptr<DiskFile>> files_;
  std::vector<std::shared_ptr<DiskFile>> written_;  // and not yet for others
  std::uint64_t calls_ = 0;
};

}  // namespace assay::search::partitioned
