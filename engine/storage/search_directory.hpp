/// The directory of a search that keeps its states on disk.
#pragma once

#include <string>
#include <vector>

namespace assay::storage {

/// Locked for one search at a time. Its files have names of their own; whatever
/// else lies there is not touched.
class SearchDirectory {
 public:
  /// Makes it if need be. Throws DiskProblem, or CheckpointProblem if another
  /// search is using it.
  explicit SearchDirectory(const std::string& path);
  ~SearchDirectory();
  SearchDirectory(const SearchDirectory&) = delete;
  SearchDirectory& operator=(const SearchDirectory&) = delete;

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/assay-" + name; }
  bool has_checkpoint() const;
  /// Removes the files of searches, ours and those that were killed, but for `kept`.
  void sweep(const std::vector<std::string>& kept) const;
  /// The search is over: nothing of it stays.
  void clear() const;

 private:
  std::string path_;
  int lock_ = -1;
};

}  // namespace assay::storage
