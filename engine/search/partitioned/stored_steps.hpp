/// The steps of a graph for whoever looks for cycles in it, in files of the shared directory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "search/partitioned/word_pieces.hpp"
#include "search/spilling/cycle_steps.hpp"
#include "storage/disk_file.hpp"

namespace assay::search::partitioned {

/// States of one level, one after another, with their steps.
struct StepBlock {
  std::uint32_t level = 0;
  std::uint64_t first_state = 0;
  std::uint64_t states = 0;
  std::string file;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

/// Values of all sizes, one after another, from the beginning of a file on.
class ByteWriter {
 public:
  explicit ByteWriter(std::shared_ptr<storage::DiskFile> file) : file_(std::move(file)) {}

  void append(const void* data, std::size_t bytes) {
    const auto* const from = static_cast<const char*>(data);
    buffer_.insert(buffer_.end(), from, from + bytes);
    if (buffer_.size() >= kAtOnce) flush();
  }
  std::uint64_t offset() const { return written_ + buffer_.size(); }
  void flush() {
    file_->write(buffer_.data(), buffer_.size(), written_);
    written_ += buffer_.size();
    buffer_.clear();
  }

 private:
  static constexpr std::size_t kAtOnce = std::size_t{1} << 18;

  std::shared_ptr<storage::DiskFile> file_;
  std::vector<char> buffer_;
  std::uint64_t written_ = 0;
};

/// And read again.
class ByteReader {
 public:
  ByteReader(const storage::DiskFile& file, std::uint64_t offset, std::uint64_t bytes)
      : file_(file), next_(offset), end_(offset + bytes) {}

  template <class Value>
  Value next() {
    if (buffer_.size() - at_ < sizeof(Value)) refill(sizeof(Value));
    Value value;
    std::memcpy(&value, buffer_.data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }

 private:
  static constexpr std::size_t kAtOnce = std::size_t{1} << 18;

  void refill(std::size_t needed) {
    buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(at_));
    at_ = 0;
    const std::size_t left = buffer_.size();
    const std::size_t more = std::min<std::uint64_t>(kAtOnce, end_ - next_);
    if (left + more < needed) throw storage::CheckpointProblem("a file of the search is too short");
    buffer_.resize(left + more);
    file_.read(buffer_.data() + left, more, next_);
    next_ += more;
  }

  const storage::DiskFile& file_;
  std::uint64_t next_, end_;
  std::vector<char> buffer_;
  std::size_t at_ = 0;
};

/// All blocks of a graph, or those of a slice, in the order of their states.
class StoredSteps final : public spilling::CycleSteps {
 public:
  StoredSteps(std::vector<StepBlock> blocks, OpenFile open)
      : CycleSteps([] { return false; }), blocks_(std::move(blocks)), open_(std::move(open)) {
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      if (i == 0 || blocks_[i].level != blocks_[i - 1].level) levels_.push_back(i);
    }
    levels_.push_back(blocks_.size());
  }

  std::size_t levels() const override { return levels_.size() - 1; }
  std::uint64_t first_of(std::size_t level) const override { return blocks_[levels_[level]].first_state; }
  void each_in_level(std::size_t level, const Take& take) const override {
    std::vector<spilling::CycleStep> steps;
    for (std::size_t i = levels_[level]; i < levels_[level + 1]; ++i) {
      const StepBlock& block = blocks_[i];
      const std::shared_ptr<storage::DiskFile> file = open_(block.file);
      ByteReader reader(*file, block.offset, block.bytes);
      for (std::uint64_t state = block.first_state; state < block.first_state + block.states; ++state) {
        spilling::read_steps(reader, steps);
        take(static_cast<std::uint32_t>(state), steps);
      }
    }
  }

 private:
  const std::vector<StepBlock> blocks_;
  const OpenFile open_;
  std::vector<std::size_t> levels_;  // where in `blocks_` each begins, and where the last one ends
};

}  // namespace assay::search::partitioned
