#include "transition_system/foreign/untracked.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

namespace assay::transition_system::foreign {

namespace {

constexpr std::size_t kPage = 4096;

}  // namespace

Untracked::~Untracked() {
  if (heap_.bytes != 0) mprotect(heap_.begin, heap_.bytes, PROT_READ | PROT_WRITE);
}

/// What constructors have allocated already is found by looking once at all of it.
void Untracked::watch(std::vector<Range> ranges, Range heap) {
  ranges_ = std::move(ranges);
  before_.clear();
  for (const Range& range : ranges_) before_.emplace_back(range.begin, range.begin + range.bytes);
  beginning_ = before_;
  heap_ = heap;
  touched_ = heap.bytes;
  while (touched_ != 0 && std::all_of(heap.begin + touched_ - kPage, heap.begin + touched_,
                                      [](std::uint8_t byte) { return byte == 0; })) {
    touched_ -= kPage;
  }
  heap_before_.assign(heap.begin, heap.begin + touched_);
  heap_beginning_ = heap_before_;
  if (heap.bytes > touched_) {
    madvise(heap.begin + touched_, heap.bytes - touched_, MADV_DONTNEED);
    mprotect(heap.begin + touched_, heap.bytes - touched_, PROT_NONE);
  }
}

void Untracked::forget() {
  before_ = beginning_;
  for (std::size_t i = 0; i < ranges_.size(); ++i)
    std::memcpy(ranges_[i].begin, beginning_[i].data(), ranges_[i].bytes);
  if (heap_.bytes == 0) return;
  if (touched_ != 0) std::memset(heap_.begin, 0, touched_);
  std::copy(heap_beginning_.begin(), heap_beginning_.end(), heap_.begin);
  heap_before_ = heap_beginning_;
}

bool Untracked::opens(const void* address) {
  const auto* const at = static_cast<const std::uint8_t*>(address);
  if (at < heap_.begin + touched_ || at >= heap_.begin + heap_.bytes) return false;
  const std::size_t end = (static_cast<std::size_t>(at - heap_.begin) / kPage + 1) * kPage;
  if (mprotect(heap_.begin, end, PROT_READ | PROT_WRITE) != 0) return false;
  touched_ = end;
  return true;
}

void Untracked::look(std::uint32_t function, bool is_question, const std::vector<Range>& known) {
  for (std::size_t i = 0; i < ranges_.size(); ++i)
    compare(ranges_[i], before_[i].data(), function, is_question, known);
  if (touched_ == 0) return;
  heap_before_.resize(std::max(heap_before_.size(), touched_));
  compare({heap_.begin, touched_}, heap_before_.data(), function, is_question, known);
}

void Untracked::compare(const Range& range, std::uint8_t* before, std::uint32_t function, bool is_question,
                        const std::vector<Range>& known) {
  constexpr std::size_t kMostFindings = 4096;
  if (std::memcmp(range.begin, before, range.bytes) == 0) return;
  for (std::size_t at = 0; at < range.bytes; ++at) {
    if (range.begin[at] == before[at]) continue;
    before[at] = range.begin[at];
    std::uint8_t* const byte = range.begin + at;
    const bool is_known = std::ranges::any_of(
        known, [&](const Range& other) { return byte >= other.begin && byte < other.begin + other.bytes; });
    const auto address = reinterpret_cast<std::uint64_t>(byte);
    if (!is_known && findings_.size() < kMostFindings && told_.insert({address, function}).second)
      findings_.push_back({address, function, is_question});
  }
}

}  // namespace assay::transition_system::foreign
