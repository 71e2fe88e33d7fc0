#include "support/scratch_file.hpp"
#include "support/problems.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace assay::support {
namespace {

[[noreturn]] void fail(const char* what) {
  throw DiskProblem(std::string("the graph could not be ") + what + " the disk: " + std::strerror(errno));
}

}  // namespace

ScratchFile::ScratchFile(const std::string& directory, std::size_t buffer_bytes)
    : buffer_bytes_(buffer_bytes) {
  std::string name = directory + "/assay-scratch-XXXXXX";
  file_ = mkostemp(name.data(), O_CLOEXEC);
  if (file_ < 0) {
    throw DiskProblem("no temporary file can be made in " + directory + ": " + std::strerror(errno));
  }
  unlink(name.c_str());
}

ScratchFile::~ScratchFile() { close(file_); }

void ScratchFile::flush() {
  write(flushed_, buffer_.data(), buffer_.size());
  flushed_ += buffer_.size();
  buffer_.clear();
}

void ScratchFile::write(std::uint64_t offset, const void* data, std::size_t bytes) {
  const auto* from = static_cast<const std::byte*>(data);
  while (bytes > 0) {
    const ssize_t written = pwrite(file_, from, bytes, static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail("written to");
    from += written;
    offset += static_cast<std::uint64_t>(written);
    bytes -= static_cast<std::size_t>(written);
  }
}

void ScratchFile::read(std::uint64_t offset, void* data, std::size_t bytes) const {
  auto* to = static_cast<std::byte*>(data);
  while (bytes > 0) {
    const ssize_t got = pread(file_, to, bytes, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) fail("read back from");
    to += got;
    offset += static_cast<std::uint64_t>(got);
    bytes -= static_cast<std::size_t>(got);
  }
}

void ScratchFile::Reader::refill(std::size_t needed) {
  buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(at_));
  at_ = 0;
  const std::size_t kept = buffer_.size();
  const std::uint64_t left = file_->flushed_ - next_;
  const auto more = static_cast<std::size_t>(std::min<std::uint64_t>(std::max(buffer_bytes_, needed), left));
  if (kept + more < needed) throw DiskProblem("the graph on disk is shorter than its states need");
  buffer_.resize(kept + more);
  file_->read(next_, buffer_.data() + kept, more);
  next_ += more;
}

}  // namespace assay::support
