#include "transition_system/foreign/untracked.hpp"

#include <cstring>

namespace assay::transition_system::foreign {

void Untracked::watch(std::vector<Range> ranges) {
  ranges_ = std::move(ranges);
  before_.clear();
  for (const Range& range : ranges_) before_.emplace_back(range.begin, range.begin + range.bytes);
  beginning_ = before_;
}

void Untracked::forget() {
  before_ = beginning_;
  for (std::size_t i = 0; i < ranges_.size(); ++i)
    std::memcpy(ranges_[i].begin, beginning_[i].data(), ranges_[i].bytes);
}

void Untracked::look(std::uint32_t function, bool is_question) {
  constexpr std::size_t kMostFindings = 4096;
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    const Range& range = ranges_[i];
    if (std::memcmp(range.begin, before_[i].data(), range.bytes) == 0) continue;
    for (std::size_t at = 0; at < range.bytes; ++at) {
      if (range.begin[at] == before_[i][at]) continue;
      const auto address = reinterpret_cast<std::uint64_t>(range.begin + at);
      before_[i][at] = range.begin[at];
      if (findings_.size() < kMostFindings && told_.insert({address, function}).second)
        findings_.push_back({address, function, is_question});
    }
  }
}

}  // namespace assay::transition_system::foreign
