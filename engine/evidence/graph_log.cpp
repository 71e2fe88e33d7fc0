#include "evidence/graph_log.hpp"
#include "support/problems.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace assay::evidence {
namespace {

[[noreturn]] void fail(const char* what) {
  throw DiskProblem(std::string("the graph could not be ") + what + " the disk: " + std::strerror(errno));
}

void write_all(int file, const void* data, std::size_t bytes, std::uint64_t offset) {
  const char* from = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t written = pwrite(file, from, bytes, static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail("written to");
    from += written;
    offset += static_cast<std::uint64_t>(written);
    bytes -= static_cast<std::size_t>(written);
  }
}

void read_all(int file, void* data, std::size_t bytes, std::uint64_t offset) {
  char* to = static_cast<char*>(data);
  while (bytes > 0) {
    const ssize_t got = pread(file, to, bytes, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) fail("read back from");
    to += got;
    offset += static_cast<std::uint64_t>(got);
    bytes -= static_cast<std::size_t>(got);
  }
}

}  // namespace

GraphLog::GraphLog(const std::string& directory) : directory_(directory) {
  std::string name = directory + "/assay-graph-XXXXXX";
  file_ = mkostemp(name.data(), O_CLOEXEC);
  if (file_ < 0) {
    throw DiskProblem("no temporary file can be made in " + directory + ": " + std::strerror(errno));
  }
  unlink(name.c_str());
  buffer_ = std::make_unique_for_overwrite<std::uint32_t[]>(kBufferWords);
}

GraphLog::~GraphLog() {
  if (file_ >= 0) close(file_);
}

void GraphLog::flush() {
  write_all(file_, buffer_.get(), used_ * sizeof(std::uint32_t), flushed_ * sizeof(std::uint32_t));
  flushed_ += used_;
  used_ = 0;
}

void GraphLog::set(std::uint64_t at, std::uint32_t target) {
  names_moves_ &= target != tree_word({});
  if (at >= flushed_) {
    buffer_[at - flushed_] = target;
  } else {
    write_all(file_, &target, sizeof target, at * sizeof target);
  }
}

void GraphLog::finish() {
  if (states_ > kFirstTreeWord) throw GraphProblem("the graph has more states than a log can number");
  flush();
  buffer_.reset();
  finished_ = true;
}

void GraphLog::Cursor::refill() {
  const std::uint64_t count = std::min<std::uint64_t>(buffer_words_, end_ - next_);
  if (count == 0) throw DiskProblem("the graph on disk is shorter than its states need");
  buffer_.resize(count);
  read_all(log_->file_, buffer_.data(), count * sizeof(std::uint32_t), next_ * sizeof(std::uint32_t));
  next_ += count;
  at_ = 0;
}

}  // namespace assay::evidence
