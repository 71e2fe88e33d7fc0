#include "storage/edge_log.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "support/hash.hpp"

namespace assay::storage {
namespace {

constexpr std::size_t kBufferWords = std::size_t{1} << 14;
constexpr std::size_t kMarkWords = sizeof(StateMark) / sizeof(std::uint32_t);

/// One word after another, so that it does not matter where buffers ended.
std::uint64_t continued(std::uint64_t checksum, const std::uint32_t* words, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    checksum = support::fold_multiply(checksum ^ words[i] ^ 0xA0761D6478BD642Full, 0xE7037ED1A0B428DBull);
  }
  return checksum;
}

}  // namespace

StateMark StateMark::of(const std::uint64_t* words, std::size_t count) {
  const std::uint64_t high = support::hash_words(words, count, 0x1F83D9ABFB41BD6Bull);
  const std::uint64_t low = support::hash_words(words, count, 0x9B05688C2B3E6C1Full);
  return {{static_cast<std::uint32_t>(high >> 32), static_cast<std::uint32_t>(high), static_cast<std::uint32_t>(low)}};
}

MarkTable::MarkTable(std::span<std::uint64_t> memory, std::uint64_t states)
    : entries_(reinterpret_cast<Entry*>(memory.data())), capacity_(states + states / 2) {
  if (capacity_ == states) ++capacity_;
  if (capacity_ * sizeof(Entry) > memory.size_bytes() || states >= kNone) throw std::bad_alloc();
  std::memset(static_cast<void*>(entries_), 0xFF, capacity_ * sizeof(Entry));
}

MarkTable::Entry& MarkTable::place(const StateMark& mark) {
  std::uint64_t at = mark.scaled(capacity_);
  while (entries_[at].number != kNone && entries_[at].mark != mark) at = at + 1 == capacity_ ? 0 : at + 1;
  return entries_[at];
}

bool MarkTable::add(const StateMark& mark, std::uint32_t number) {
  Entry& entry = place(mark);
  if (entry.number != kNone) return false;
  entry = {mark, number};
  return true;
}

std::uint32_t* MarkTable::find(const StateMark& mark) {
  Entry& entry = place(mark);
  return entry.number == kNone ? nullptr : &entry.number;
}

void EdgeLog::add(std::span<const StateMark> successors) {
  buffer_.push_back(static_cast<std::uint32_t>(successors.size()));
  const auto* const words = reinterpret_cast<const std::uint32_t*>(successors.data());
  buffer_.insert(buffer_.end(), words, words + successors.size() * kMarkWords);
  if (buffer_.size() >= kBufferWords) flush();
}

void EdgeLog::flush() {
  if (buffer_.empty()) return;
  checksum_ = continued(checksum_, buffer_.data(), buffer_.size());
  file_.write(buffer_.data(), buffer_.size() * sizeof(std::uint32_t), flushed_ * sizeof(std::uint32_t));
  flushed_ += buffer_.size();
  buffer_.clear();
}

void EdgeLog::sync() {
  flush();
  file_.sync();
}

bool EdgeLog::go_back_to(std::uint64_t words, std::uint64_t checksum) {
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

EdgeLog::Reader::Reader(const EdgeLog& log, std::uint64_t begin, std::uint64_t end, std::size_t buffer_bytes)
    : log_(&log),
      next_(begin),
      end_(std::min(end, log.flushed_)),
      buffer_words_(std::max<std::size_t>(64, buffer_bytes / sizeof(std::uint32_t))) {}

/// Makes that many words stand in the buffer.
void EdgeLog::Reader::require(std::size_t words) {
  if (buffer_.size() - at_ >= words) return;
  buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(at_));
  at_ = 0;
  const std::size_t kept = buffer_.size();
  const auto more =
      static_cast<std::size_t>(std::min<std::uint64_t>(std::max(buffer_words_, words - kept), end_ - next_));
  if (kept + more < words) throw CheckpointProblem(log_->path() + " is shorter than its states need");
  buffer_.resize(kept + more);
  log_->file_.read(buffer_.data() + kept, more * sizeof(std::uint32_t), next_ * sizeof(std::uint32_t));
  next_ += more;
}

std::span<const StateMark> EdgeLog::Reader::next() {
  require(1);
  const std::size_t count = buffer_[at_++];
  require(count * kMarkWords);
  marks_.resize(count);
  if (count != 0) std::memcpy(marks_.data(), buffer_.data() + at_, count * sizeof(StateMark));
  at_ += count * kMarkWords;
  return marks_;
}

}  // namespace assay::storage
