/// A search on disk, put down and taken up again.
#pragma once

#include "search/spilling/spilled_search.hpp"
#include "storage/checkpoint.hpp"

namespace assay::search::spilling {

/// A search that is stopped while it takes up what another one left; that stays as it is.
struct Interrupted {};

/// Nothing a checkpoint refers to is changed or deleted before the next one is in place: whenever the process
/// dies, the directory holds a search to go on from. And nothing on disk is believed: whatever is read back
/// has to have the length and the checksum that the checkpoint says.
class Checkpoint {
 public:
  explicit Checkpoint(SpilledSearch& search) : search_(search) {}

  /// Replaces the one before. No candidates may be in memory.
  void save();
  /// Goes on from there. Throws CheckpointProblem with a sentence, or Interrupted.
  void load();

 private:
  /// How long the logs were, and what the system had met.
  struct Logs {
    std::uint64_t edge_words = 0, edge_checksum = 0;
    std::uint64_t lesson_words = 0, lesson_checksum = 0, parts = 0, digest_of_parts = 0;
  };

  void write_run(storage::CheckpointWriter& out, const SortedRun& run) const;
  void read_layouts(storage::CheckpointReader& in);
  void read_found(storage::CheckpointReader& in);
  /// Answers which files the search needs; the same is added to by `read_run`.
  std::vector<std::string> open_files(const Logs& logs);
  SortedRun read_run(storage::CheckpointReader& in, std::vector<std::string>& kept);
  /// The system meets its parts in the order in which it met them before.
  void learn_again(std::uint64_t parts, std::uint64_t digest);
  void compare_identity(storage::CheckpointReader& in) const;
  void require_file(const std::string& name) const;
  std::shared_ptr<DiskFile> open_file(const std::string& name) const;
  [[noreturn]] void damaged(const std::string& path) const;
  void require_size(const SortedRun& run) const;
  /// Every level is what it was when it was written.
  void check_levels();

  SpilledSearch& search_;
};

}  // namespace assay::search::spilling
