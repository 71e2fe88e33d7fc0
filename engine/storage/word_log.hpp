/// A file that a search on disk only ever appends to.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "storage/disk_file.hpp"

namespace assay::storage {

/// Words of 32 bits and a checksum over them; goes on where a checkpoint says.
class WordLog {
 public:
  WordLog(const std::string& path, DiskFile::Mode mode) : file_(path, mode) {}

  void append(std::span<const std::uint32_t> words);
  std::uint64_t words() const { return flushed_ + buffer_.size(); }
  std::uint64_t bytes() const { return words() * sizeof(std::uint32_t); }
  /// Of what was flushed.
  std::uint64_t checksum() const { return checksum_; }
  void flush();
  void sync();
  /// Whether the file still is what it was when it was so long. If so, what came after is forgotten.
  bool go_back_to(std::uint64_t words, std::uint64_t checksum);
  const std::string& path() const { return file_.path(); }

  /// Reads what stands between two places; flush first.
  class Reader {
   public:
    Reader(const WordLog& log, std::uint64_t begin, std::uint64_t end, std::size_t buffer_bytes);

    bool at_end() const { return at_ == buffer_.size() && next_ == end_; }
    /// The next words; good until the next call.
    std::span<const std::uint32_t> next(std::size_t count);

   private:
    const WordLog* log_;
    std::uint64_t next_, end_;
    std::size_t buffer_words_;
    std::vector<std::uint32_t> buffer_;
    std::size_t at_ = 0;
  };

 private:
  DiskFile file_;
  std::vector<std::uint32_t> buffer_;
  std::uint64_t flushed_ = 0;
  std::uint64_t checksum_ = 0;
};

}  // namespace assay::storage
