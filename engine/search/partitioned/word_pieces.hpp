/// Words that stand in pieces of files, one after another.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "storage/disk_file.hpp"

namespace assay::search::partitioned {

/// Words of 32 or 64 bits in a file.
struct StoredWords {
  std::string file;
  std::uint64_t offset = 0;  // in bytes
  std::uint64_t count = 0;
};

using OpenFile = std::function<std::shared_ptr<storage::DiskFile>(const std::string&)>;

/// Reads them in order.
template <class Word>
class PieceReader {
 public:
  PieceReader(std::vector<StoredWords> pieces, OpenFile open, std::uint64_t begin = 0,
              std::size_t at_once = 1u << 13)
      : pieces_(std::move(pieces)), open_(std::move(open)), at_once_(at_once) {
    while (piece_ < pieces_.size() && begin >= pieces_[piece_].count) begin -= pieces_[piece_++].count;
    next_ = begin;
  }
  bool at_end() const {
    if (at_ < buffer_.size()) return false;
    std::size_t piece = piece_;
    std::uint64_t next = next_;
    while (piece < pieces_.size() && next == pieces_[piece].count) {
      ++piece;
      next = 0;
    }
    return piece == pieces_.size();
  }
  Word next() {
    if (at_ == buffer_.size()) refill();
    return buffer_[at_++];
  }

 private:
  void refill() {
    while (piece_ < pieces_.size() && next_ == pieces_[piece_].count) {
      ++piece_;
      next_ = 0;
      file_ = nullptr;
    }
    if (piece_ == pieces_.size()) throw storage::CheckpointProblem("a file of the search is too short");
    const StoredWords& piece = pieces_[piece_];
    if (file_ == nullptr) file_ = open_(piece.file);
    buffer_.resize(std::min<std::uint64_t>(at_once_, piece.count - next_));
    file_->read(buffer_.data(), buffer_.size() * sizeof(Word), piece.offset + next_ * sizeof(Word));
    next_ += buffer_.size();
    at_ = 0;
  }

  std::vector<StoredWords> pieces_;
  OpenFile open_;
  std::size_t at_once_;
  std::size_t piece_ = 0, at_ = 0;
  std::uint64_t next_ = 0;
  std::shared_ptr<storage::DiskFile> file_;
  std::vector<Word> buffer_;
};

/// Writes them in order, from some place of a file on.
template <class Word>
class PieceWriter {
 public:
  PieceWriter(std::shared_ptr<storage::DiskFile> file, std::uint64_t offset)
      : file_(std::move(file)), end_(offset) {}

  void append(Word word) {
    buffer_.push_back(word);
    if (buffer_.size() == kAtOnce) flush();
  }
  /// Answers where the next word would stand.
  std::uint64_t flush() {
    file_->write(buffer_.data(), buffer_.size() * sizeof(Word), end_);
    end_ += buffer_.size() * sizeof(Word);
    buffer_.clear();
    return end_;
  }

 private:
  static constexpr std::size_t kAtOnce = std::size_t{1} << 13;

  std::shared_ptr<storage::DiskFile> file_;
  std::uint64_t end_;
  std::vector<Word> buffer_;
};

}  // namespace assay::search::partitioned
