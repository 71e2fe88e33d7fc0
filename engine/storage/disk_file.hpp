/// A file of a search that keeps its states on disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "support/problems.hpp"

namespace assay::storage {

/// What lies in the directory cannot be continued from: damaged, or of another
/// program. What it says is a sentence.
class CheckpointProblem : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Reads and writes at given places and nothing else: pages of a file that is
/// read this way belong to the system, not to the resident memory of the search.
class DiskFile {
 public:
  enum class Mode { kCreate, kOpen };

  DiskFile(std::string path, Mode mode);
  ~DiskFile();
  DiskFile(const DiskFile&) = delete;
  DiskFile& operator=(const DiskFile&) = delete;

  void read(void* to, std::size_t bytes, std::uint64_t offset) const;
  void write(const void* from, std::size_t bytes, std::uint64_t offset);
  /// What was written survives a loss of power.
  void sync();
  std::uint64_t size() const;
  void truncate(std::uint64_t bytes);
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  int file_ = -1;
  bool dirty_ = false;
};

/// Replaces a file by another content, so that at every moment either the old
/// or the new one is there in full.
void replace_file(const std::string& path, const void* content, std::size_t bytes);

}  // namespace assay::storage
