#include "storage/search_directory.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "storage/disk_file.hpp"

namespace assay::storage {

SearchDirectory::SearchDirectory(const std::string& path) : path_(path) {
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
    throw DiskProblem(path + " could not be created: " + std::strerror(errno));
  }
  lock_ = open((path + "/assay-lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (lock_ < 0) throw DiskProblem(path + " cannot be used: " + std::strerror(errno));
  if (flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    close(lock_);
    throw CheckpointProblem("another search is using " + path + "; choose another directory");
  }
}

SearchDirectory::~SearchDirectory() { close(lock_); }

bool SearchDirectory::has_checkpoint() const { return access(file("checkpoint").c_str(), F_OK) == 0; }

void SearchDirectory::sweep(const std::vector<std::string>& kept) const {
  DIR* const directory = opendir(path_.c_str());
  if (directory == nullptr) return;
  while (const dirent* entry = readdir(directory)) {
    const std::string name = entry->d_name;
    const bool is_ours = name == "assay-levels" || name == "assay-index" || name == "assay-edges" ||
                         name == "assay-lessons" || name == "assay-checkpoint.new" ||
                         name.rfind("assay-run-", 0) == 0;
    const std::string whole = path_ + "/" + name;
    if (is_ours && std::find(kept.begin(), kept.end(), whole) == kept.end()) unlink(whole.c_str());
  }
  closedir(directory);
}

void SearchDirectory::clear() const {
  unlink(file("checkpoint").c_str());
  sweep({});
  unlink(file("lock").c_str());
  rmdir(path_.c_str());  // if we were alone in it
}

}  // namespace assay::storage
