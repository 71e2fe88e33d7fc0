/// The levels of a breadth-first search on disk.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "storage/disk_file.hpp"
#include "storage/packed_layout.hpp"

namespace assay::storage {

/// Where the states of a level stand in the file of levels.
struct Level {
  std::uint64_t offset = 0;  // in bytes
  std::uint64_t records = 0;
  std::uint64_t layout = 0;
  std::uint64_t checksum = 0;
  std::uint64_t edges =
      0;  // where the transitions that leave them begin in the log of edges, if there is one

  static constexpr std::size_t kWords = 5;
};

/// The states of a level in the order in which they are expanded, each decoded.
class LevelReader {
 public:
  LevelReader(const DiskFile& file, const Level& level, const PackedLayout& layout, std::size_t buffer_bytes)
      : file_(file), level_(level), layout_(layout), record_words_(layout.record_words()) {
    most_ = std::max<std::uint64_t>(1, buffer_bytes / sizeof(std::uint64_t) / record_words_);
    words_.resize(std::size_t{layout.max_words()} + 1);
  }

  void go_to(std::uint64_t number) {
    next_ = number;
    at_ = loaded_ = 0;
  }
  /// Decodes the next state into `words()`, answers its length.
  std::uint32_t read() {
    if (at_ == loaded_) {
      loaded_ = std::min(most_, level_.records - next_);
      at_ = 0;
      buffer_.resize(loaded_ * record_words_);
      file_.read(buffer_.data(), buffer_.size() * sizeof(std::uint64_t),
                 level_.offset + next_ * record_words_ * sizeof(std::uint64_t));
      next_ += loaded_;
    }
    const std::uint32_t length = layout_.unpack(buffer_.data() + at_++ * record_words_, words_.data());
    if (length > layout_.max_words()) throw CheckpointProblem(file_.path() + " holds a state that cannot be");
    return length;
  }
  const std::uint64_t* words() const { return words_.data(); }
  /// The record of that state, in the layout of the level.
  const std::uint64_t* record() const { return buffer_.data() + (at_ - 1) * record_words_; }

 private:
  const DiskFile& file_;
  const Level level_;
  const PackedLayout& layout_;
  std::uint32_t record_words_;
  std::uint64_t most_, next_ = 0, at_ = 0, loaded_ = 0;
  std::vector<std::uint64_t> buffer_, words_;
};

}  // namespace assay::storage
