#include "storage/word_log.hpp"

#include <algorithm>

#include "support/hash.hpp"

namespace assay::storage {
namespace {

constexpr std::size_t kBufferWords = std::size_t{1} << 14;

/// One word after another, so that it does not matter where buffers ended.
std::uint64_t continued(std::uint64_t checksum, const std::uint32_t* words, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    checksum = support::fold_multiply(checksum ^ words[i] ^ 0xA0761D6478BD642Full, 0xE7037ED1A0B428DBull);
  }
  return checksum;
}

}  // namespace

void WordLog::append(std::span<const std::uint32_t> words) {
  buffer_.insert(buffer_.end(), words.begin(), words.end());
  if (buffer_.size() >= kBufferWords) flush();
}

void WordLog::flush() {
  if (buffer_.empty()) return;
  checksum_ = continued(checksum_, buffer_.data(), buffer_.size());
  file_.write(buffer_.data(), buffer_.size() * sizeof(std::uint32_t), flushed_ * sizeof(std::uint32_t));
  flushed_ += buffer_.size();
  buffer_.clear();
}

void WordLog::sync() {
  flush();
  file_.sync();
}

bool WordLog::go_back_to(std::uint64_t words, std::uint64_t checksum) {
  if (file_.size() / sizeof(std::uint32_t) < words) return false;
  std::vector<std::uint32_t> part;
  std::uint64_t found = 0;
  for (std::uint64_t at = 0; at < words; at += part.size()) {
    part.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kBufferWords, words - at)));
    file_.read(part.data(), part.size() * sizeof(std::uint32_t), at * sizeof(std::uint32_t));
    found = continued(found, part.data(), part.size());
  }
  if (found != checksum) return false;
  file_.truncate(words * sizeof(std::uint32_t));
  buffer_.clear();
  flushed_ = words;
  checksum_ = checksum;
  return true;
}

WordLog::Reader::Reader(const WordLog& log, std::uint64_t begin, std::uint64_t end, std::size_t buffer_bytes)
    : log_(&log),
      next_(begin),
      end_(std::min(end, log.flushed_)),
      buffer_words_(std::max<std::size_t>(64, buffer_bytes / sizeof(std::uint32_t))) {}

std::span<const std::uint32_t> WordLog::Reader::next(std::size_t count) {
  if (buffer_.size() - at_ < count) {
    buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(at_));
    at_ = 0;
    const std::size_t kept = buffer_.size();
    const auto more = static_cast<std::size_t>(
        std::min<std::uint64_t>(std::max(buffer_words_, count - kept), end_ - next_));
    if (kept + more < count) throw CheckpointProblem(log_->path() + " is shorter than its states need");
    buffer_.resize(kept + more);
    log_->file_.read(buffer_.data() + kept, more * sizeof(std::uint32_t), next_ * sizeof(std::uint32_t));
    next_ += more;
  }
  at_ += count;
  return std::span<const std::uint32_t>(buffer_).subspan(at_ - count, count);
}

}  // namespace assay::storage
