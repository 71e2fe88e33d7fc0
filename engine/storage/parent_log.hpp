/// How each state of a search was first reached, in six bytes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "support/memory.hpp"

namespace assay::storage {

/// Entry n belongs to the n-th state found: the number of its parent and the
/// position of the step that led from there. Entry 0 is the initial state.
class ParentLog {
 public:
  explicit ParentLog(const support::MemoryBudget& budget) : budget_(budget) { push(0, 0); }

  void push(std::uint32_t parent, std::uint32_t position) {
    if (size_ % kSegment == 0) {
      budget_.require(kSegment * 6);
      segments_.emplace_back(kSegment * 6);
    }
    auto* parents = segments_.back().as<std::uint32_t>();
    auto* positions = reinterpret_cast<std::uint16_t*>(parents + kSegment);
    parents[size_ % kSegment] = parent;
    positions[size_ % kSegment] = static_cast<std::uint16_t>(std::min<std::uint32_t>(position, kFar));
    if (position >= kFar) far_positions_[size_] = position;
    ++size_;
  }

  std::uint32_t parent(std::uint32_t state) const {
    return segments_[state / kSegment].as<std::uint32_t>()[state % kSegment];
  }
  std::uint32_t position(std::uint32_t state) const {
    const auto* positions =
        reinterpret_cast<const std::uint16_t*>(segments_[state / kSegment].as<std::uint32_t>() + kSegment);
    const std::uint16_t position = positions[state % kSegment];
    return position == kFar ? far_positions_.at(state) : position;
  }
  /// The positions from the initial state to this one.
  std::vector<std::uint32_t> path_to(std::uint32_t state) const {
    std::vector<std::uint32_t> path;
    for (; state != 0; state = parent(state)) path.push_back(position(state));
    std::reverse(path.begin(), path.end());
    return path;
  }
  std::uint64_t size() const { return size_; }
  std::size_t bytes() const { return segments_.size() * kSegment * 6; }

 private:
  static constexpr std::size_t kSegment = std::size_t{1} << 16;
  static constexpr std::uint32_t kFar = 0xFFFF;

  const support::MemoryBudget& budget_;
  std::vector<support::Pages> segments_;
  std::unordered_map<std::uint64_t, std::uint32_t> far_positions_;
  std::uint64_t size_ = 0;
};

}  // namespace assay::storage
