#include "search/way_back.hpp"

#include <algorithm>
#include <limits>

#include "search/finding_log.hpp"
#include "support/hash.hpp"

namespace assay::search {

using transition_system::Position;
using transition_system::StateView;

std::uint64_t Found::path_length() const { return depth + (position == Finding::kAtState ? 0 : 1); }

WayBack::WayBack(std::vector<Found> found) : found_(std::move(found)) {
  for (const Found& one : found_) {
    violations_.push_back({one.code, {}});
    if (one.position != Finding::kAtState) violations_.back().path.push_back(number_of(one.position));
    deepest_ = std::max(deepest_, one.depth);
  }
}

void WayBack::look_for_level(std::uint64_t depth) {
  targets_.clear();
  by_hash_.clear();
  for (std::size_t i = 0; i < found_.size(); ++i) {
    if (found_[i].depth < depth) continue;
    const auto& words = found_[i].words;
    const std::uint64_t hash = support::hash_words(words.data(), words.size(), 0);
    std::size_t target = targets_.size();
    for (auto [entry, end] = by_hash_.equal_range(hash); entry != end; ++entry) {
      if (targets_[entry->second].words == words) target = entry->second;
    }
    if (target == targets_.size()) {
      targets_.push_back({words, {}});
      by_hash_.emplace(hash, target);
    }
    targets_[target].paths.push_back(i);
  }
  missing_ = targets_.size();
}

void WayBack::show(StateView state, Position position, StateView next) {
  if (targets_.size() == 1) return compare(targets_[0], state, position, next);
  const auto [begin, end] = by_hash_.equal_range(support::hash_words(next.data(), next.size(), 0));
  for (auto entry = begin; entry != end; ++entry) compare(targets_[entry->second], state, position, next);
}

void WayBack::compare(Target& target, StateView state, Position position, StateView next) {
  if (target.is_found || !std::ranges::equal(target.words, next)) return;
  target.is_found = true;
  --missing_;
  for (const std::size_t path : target.paths) {
    violations_[path].path.push_back(number_of(position));
    found_[path].words.assign(state.begin(), state.end());
  }
}

void WayBack::give_up_what_is_missing() {
  if (missing_ == 0) return;
  for (const Target& target : targets_) {
    if (target.is_found) continue;
    for (const std::size_t path : target.paths) {
      violations_[path].path = {std::numeric_limits<std::uint32_t>::max()};
      found_[path].depth = 0;
    }
  }
}

std::vector<Violation> WayBack::paths() {
  for (Violation& violation : violations_) std::reverse(violation.path.begin(), violation.path.end());
  return std::move(violations_);
}

}  // namespace assay::search
