/// Sorted records on disk: written once, read in order or searched.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "storage/disk_file.hpp"
#include "storage/packed_layout.hpp"

namespace assay::storage {

/// All layouts of one search. Numbers stay good.
class Layouts {
 public:
  /// It is the present one from now on.
  void add(PackedLayout layout) {
    layouts_.push_back(std::move(layout));
    current_ = count() - 1;
    translations_.clear();
  }
  /// Somebody else wrote under it; it has no bit that the present one lacks. Answers its number.
  std::uint32_t add_narrower(PackedLayout layout) {
    layouts_.push_back(std::move(layout));
    return count() - 1;
  }
  const PackedLayout& operator[](std::uint32_t number) const { return layouts_[number]; }
  const PackedLayout& current() const { return layouts_[current_]; }
  std::uint32_t current_number() const { return current_; }
  std::uint32_t count() const { return static_cast<std::uint32_t>(layouts_.size()); }
  /// Rewrites records of layout `from` for the present one.
  const RecordTranslation& translation(std::uint32_t from) const;

 private:
  std::deque<PackedLayout> layouts_;  // references stay good
  std::uint32_t current_ = 0;
  mutable std::map<std::uint32_t, RecordTranslation> translations_;  // to the present layout
};

/// Different records in ascending order, in a part of a file or in memory.
/// The first record of each block stands in `fences` too, in the present
/// layout: a reader skips blocks that cannot hold what it looks for.
struct SortedRun {
  static constexpr std::size_t kBlockBytes = std::size_t{1} << 14;

  static std::uint64_t block_records(std::uint32_t record_words) {
    const std::uint64_t records = kBlockBytes / (std::size_t{record_words} * sizeof(std::uint64_t));
    return records == 0 ? 1 : records;
  }

  std::shared_ptr<DiskFile> file;  // null: the records are in `memory`
  std::uint64_t offset = 0;        // in bytes
  std::uint64_t records = 0;
  std::uint32_t layout = 0;  // under which it was written
  std::uint64_t checksum = 0;
  std::vector<std::uint64_t> fences;
  std::vector<std::uint64_t> memory;

  bool in_memory() const { return file == nullptr; }
  std::size_t resident_bytes() const {
    return (fences.capacity() + memory.capacity()) * sizeof(std::uint64_t);
  }
};

/// Part of a checksum: order matters.
std::uint64_t continue_checksum(std::uint64_t checksum, const std::uint64_t* words, std::size_t count);

/// Writes one run of records of the present layout.
class RunWriter {
 public:
  /// From `offset` of the file on. With `in_memory` (and no file) it keeps them.
  RunWriter(const Layouts& layouts, std::shared_ptr<DiskFile> file, std::uint64_t offset,
            std::size_t buffer_bytes);

  void append(const std::uint64_t* record);
  std::uint64_t records() const { return run_.records; }
  SortedRun finish();

 private:
  void flush();

  const std::uint32_t words_;
  const std::uint64_t block_records_;
  std::uint64_t until_fence_ = 0;
  std::size_t buffer_words_;
  std::vector<std::uint64_t> buffer_;
  std::uint64_t written_ = 0;  // bytes
  SortedRun run_;
};

/// Reads a run in order, in records of the present layout. The layout must not
/// change while a cursor is in use.
class RunCursor {
 public:
  RunCursor(const Layouts& layouts, const SortedRun& run, std::size_t buffer_bytes);

  bool at_end() const { return at_ == loaded_ && next_record_ >= run_->records; }
  /// The record it stands at; not at the end.
  const std::uint64_t* record() const { return data_ + at_ * words_; }
  /// Goes to the next record. False: there is none.
  bool next() {
    ++at_;
    return at_ < loaded_ || load_next();
  }
  /// Goes on to the first record that is not below `target`; answers whether it is equal.
  bool seek(const std::uint64_t* target);
  /// Goes to the record of this number.
  void go_to(std::uint64_t number);

 private:
  bool load_next();
  void load(std::uint64_t first, std::uint64_t count);

  const Layouts* layouts_;
  const SortedRun* run_;
  std::uint32_t words_;      // of the present layout
  std::uint32_t run_words_;  // of the run's
  std::uint64_t block_records_;
  std::uint64_t most_blocks_;  // at once
  std::uint64_t read_ahead_ = 1;
  std::vector<std::uint64_t> buffer_, raw_;
  const std::uint64_t* data_ = nullptr;
  std::uint64_t first_ = 0;  // number of the record data_ starts with
  std::uint64_t at_ = 0;
  std::uint64_t loaded_ = 0;
  std::uint64_t next_record_ = 0;  // first one after those loaded
};

/// Reads a run from end to end, computes its fences, and answers its checksum.
std::uint64_t survey(const Layouts& layouts, SortedRun& run);

/// Brings fences and records in memory from layout `from` to the present one.
void relayout(const Layouts& layouts, std::uint32_t from, SortedRun& run);

}  // namespace assay::storage
