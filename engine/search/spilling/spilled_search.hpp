/// A search on disk: what it consists of, and what its parts share.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "search/expansion.hpp"
#include "search/strategy.hpp"
#include "search/way_back.hpp"
#include "storage/disk_file.hpp"
#include "storage/edge_log.hpp"
#include "storage/level_reader.hpp"
#include "storage/search_directory.hpp"
#include "storage/sorted_run.hpp"

namespace assay::search::spilling {

using storage::DiskFile;
using storage::Level;
using storage::SortedRun;

using Words = std::vector<std::uint64_t>;
using Clock = std::chrono::steady_clock;

inline constexpr std::size_t kLeastIo = std::size_t{1} << 16;  // of one reader
inline constexpr std::uint64_t kLookEveryRecords = 4096;       // while merging: whether to stop

std::size_t memory_limit(const Options& options);

/// How the memory is divided.
struct Shares {
  std::size_t candidates;
  std::size_t io;         // of all readers together
  std::size_t small_run;  // runs up to this size stay in memory

  static Shares of(const Options& options);
};

/// Most of it is what a checkpoint holds; who changes what is said in the files beside this one.
struct SpilledSearch {
  SpilledSearch(const Task& task, Result& result);

  const Task& task;
  const transition_system::TransitionSystem& system;
  const Options& options;
  Result& result;
  const Shares shares;
  const std::shared_ptr<storage::SearchDirectory> directory;  // the log may outlive us and keep it
  const double checkpoint_seconds;
  Expansion expansion;
  storage::Layouts layouts;

  // The levels, of which one is being expanded.
  std::shared_ptr<DiskFile> levels, index;
  Level level;                 // the one being expanded
  std::uint64_t depth = 0;     // its number
  std::uint64_t expanded = 0;  // states of it
  std::uint64_t levels_end = 0;
  std::uint64_t index_checksum = 0;

  // What else is written down on the way.
  std::unique_ptr<storage::EdgeLog> edges;    // if the graph is to be written down
  std::unique_ptr<storage::WordLog> lessons;  // if states refer to parts that the system has met
  std::uint64_t parts_met = 0;

  // Sorted states.
  std::vector<SortedRun> visited;  // disjoint; large ones first
  std::vector<SortedRun> batches;  // candidates of this level
  std::uint64_t next_file = 1;
  std::vector<std::string> garbage;
  std::uint64_t garbage_bytes = 0;
  std::uint64_t disk_bytes = 0;  // of runs
  Clock::time_point last_checkpoint = Clock::now();

  // What has been seen so far.
  std::uint64_t states = 0, transitions = 0;
  std::uint64_t unmerged = 0;  // new states of a merge that the limit on states stopped
  std::vector<Found> found;    // the first of each code, or a shorter one
  std::uint64_t violation_count = 0;
  bool cut = false, finished = false, out_of_memory = false;

  /// The initial state, as the first level.
  void begin();
  void add(Found violation);
  /// The level that a run in the file of levels holds becomes the present one.
  void start_level(const SortedRun& run, std::uint64_t number);
  Level read_level(std::uint64_t number) const;

  std::uint32_t record_words() const { return layouts.current().record_words(); }
  /// Of each, when so many runs are read or written at once.
  std::size_t io_bytes(std::size_t readers) const;
  std::shared_ptr<DiskFile> new_file();
  /// The file goes when no checkpoint refers to it any more.
  void discard(const SortedRun& run);
  void note_disk();
  bool is_checkpoint_due() const;
};

}  // namespace assay::search::spilling
