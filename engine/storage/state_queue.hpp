/// A queue of whole states that gives memory back as it is read.
#pragma once

#include <cstdint>
#include <cstring>
#include <deque>

#include "support/memory.hpp"

namespace assay::storage {

/// States go in at one end and come out at the other, each as its length
/// followed by its words.
class StateQueue {
 public:
  void push(const std::uint64_t* words, std::uint32_t count) {
    const std::size_t needed = std::size_t{count} + 1;
    if (segments_.empty() || segments_.back().capacity - segments_.back().used < needed) {
      const std::size_t capacity = needed > kSegmentWords ? needed : kSegmentWords;
      segments_.push_back({support::Pages(capacity * sizeof(std::uint64_t)), 0, capacity});
    }
    Segment& segment = segments_.back();
    std::uint64_t* to = segment.pages.as<std::uint64_t>() + segment.used;
    to[0] = count;
    if (count != 0) std::memcpy(to + 1, words, std::size_t{count} * sizeof(std::uint64_t));
    segment.used += needed;
    ++size_;
  }

  std::uint64_t size() const { return size_; }

  /// The oldest state; its words stay valid until the next call of `pop`.
  const std::uint64_t* pop(std::uint32_t& count) {
    if (read_ == segments_.front().used) {
      segments_.pop_front();
      read_ = 0;
    }
    const std::uint64_t* from = segments_.front().pages.as<std::uint64_t>() + read_;
    count = static_cast<std::uint32_t>(from[0]);
    read_ += std::size_t{count} + 1;
    --size_;
    return from + 1;
  }

  std::size_t bytes() const {
    std::size_t total = 0;
    for (const Segment& segment : segments_) total += segment.pages.bytes();
    return total;
  }

 private:
  static constexpr std::size_t kSegmentWords = std::size_t{1} << 16;
  struct Segment {
    support::Pages pages;
    std::size_t used;
    std::size_t capacity;
  };
  std::deque<Segment> segments_;
  std::size_t read_ = 0;
  std::uint64_t size_ = 0;
};

}  // namespace assay::storage
