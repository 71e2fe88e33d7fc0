#include "storage/disk_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace assay::storage {
namespace {

[[noreturn]] void fail(const std::string& path, const char* what) {
  throw DiskProblem(path + " could not be " + what + ": " + std::strerror(errno));
}

void sync_directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string directory = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const int file = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) fail(directory, "opened");
  fsync(file);
  close(file);
}

}  // namespace

DiskFile::DiskFile(std::string path, Mode mode) : path_(std::move(path)) {
  const int flags = mode == Mode::kCreate ? O_RDWR | O_CREAT | O_TRUNC : O_RDWR;
  // No link is followed: the directory may be writable by others.
  file_ = open(path_.c_str(), flags | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file_ < 0) fail(path_, mode == Mode::kCreate ? "created" : "opened");
}

DiskFile::~DiskFile() {
  if (file_ >= 0) close(file_);
}

void DiskFile::read(void* to, std::size_t bytes, std::uint64_t offset) const {
  char* at = static_cast<char*>(to);
  while (bytes > 0) {
    const ssize_t got = pread(file_, at, bytes, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(path_, "read");
    if (got == 0) throw DiskProblem(path_ + " is shorter than it was written");
    at += got;
    offset += static_cast<std::uint64_t>(got);
    bytes -= static_cast<std::size_t>(got);
  }
}

void DiskFile::write(const void* from, std::size_t bytes, std::uint64_t offset) {
  const char* at = static_cast<const char*>(from);
  dirty_ = true;
  while (bytes > 0) {
    const ssize_t written = pwrite(file_, at, bytes, static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail(path_, "written");
    at += written;
    offset += static_cast<std::uint64_t>(written);
    bytes -= static_cast<std::size_t>(written);
  }
}

void DiskFile::sync() {
  if (!dirty_) return;
  if (fdatasync(file_) != 0) fail(path_, "written");
  dirty_ = false;
}

std::uint64_t DiskFile::size() const {
  struct stat facts;
  if (fstat(file_, &facts) != 0) fail(path_, "examined");
  return static_cast<std::uint64_t>(facts.st_size);
}

void DiskFile::truncate(std::uint64_t bytes) {
  if (ftruncate(file_, static_cast<off_t>(bytes)) != 0) fail(path_, "shortened");
}

void replace_file(const std::string& path, const void* content, std::size_t bytes) {
  const std::string fresh = path + ".new";
  {
    DiskFile file(fresh, DiskFile::Mode::kCreate);
    file.write(content, bytes, 0);
    file.sync();
  }
  if (std::rename(fresh.c_str(), path.c_str()) != 0) fail(path, "replaced");
  sync_directory_of(path);
}

}  // namespace assay::storage
