/// The path of a depth-first search, and the successors that wait along it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "support/memory.hpp"
#include "transition_system/transition_system.hpp"

namespace assay::search {

/// Successors that wait as keys of a store: twelve bytes each.
class WaitingKeys {
 public:
  struct Item {
    std::uint64_t key;
    transition_system::Position position;
  };

  void push(std::uint64_t key, transition_system::Position position, const support::MemoryBudget& budget) {
    support::push(keys_, key, budget);
    support::push(positions_, position, budget);
  }
  Item pop() {
    const Item item{keys_.back(), positions_.back()};
    keys_.pop_back();
    positions_.pop_back();
    return item;
  }
  bool empty() const { return keys_.empty(); }
  std::uint64_t next_key() const { return keys_.back(); }
  /// What they are together, in the unit in which they are limited.
  std::size_t volume() const { return keys_.size(); }
  std::size_t volume_of(std::size_t, std::size_t count) const { return count; }
  void drop_oldest(std::size_t count, std::size_t) {
    keys_.erase(keys_.begin(), keys_.begin() + static_cast<std::ptrdiff_t>(count));
    positions_.erase(positions_.begin(), positions_.begin() + static_cast<std::ptrdiff_t>(count));
  }
  std::size_t bytes() const {
    return keys_.capacity() * sizeof(std::uint64_t) +
           positions_.capacity() * sizeof(transition_system::Position);
  }
  /// For the store, which translates them when its layout changes.
  std::vector<std::uint64_t>& keys() { return keys_; }

 private:
  std::vector<std::uint64_t> keys_;
  std::vector<transition_system::Position> positions_;
};

/// Successors that wait as whole states.
class WaitingStates {
 public:
  void push(transition_system::StateView state, transition_system::Position position,
            const support::MemoryBudget& budget) {
    support::push(items_, {transition_system::length_of(state), position}, budget);
    if (words_.capacity() - words_.size() < state.size())
      budget.require(words_.capacity() * sizeof(std::uint64_t) * 2);
    words_.insert(words_.end(), state.data(), state.data() + state.size());
  }
  transition_system::StateView last() const {
    return {words_.data() + words_.size() - items_.back().length, items_.back().length};
  }
  /// The words of `last` stay where they are until the next `push`.
  transition_system::Position pop() {
    const Item item = items_.back();
    items_.pop_back();
    words_.resize(words_.size() - item.length);
    return item.position;
  }
  std::size_t volume() const { return words_.size(); }
  std::size_t volume_of(std::size_t first, std::size_t count) const {
    std::size_t words = 0;
    for (std::size_t i = first; i < first + count; ++i) words += items_[i].length;
    return words;
  }
  void drop_oldest(std::size_t count, std::size_t volume) {
    items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(count));
    words_.erase(words_.begin(), words_.begin() + static_cast<std::ptrdiff_t>(volume));
  }
  std::size_t bytes() const {
    return items_.capacity() * sizeof(Item) + words_.capacity() * sizeof(std::uint64_t);
  }

 private:
  struct Item {
    std::uint32_t length;
    transition_system::Position position;
  };
  std::vector<Item> items_;
  std::vector<std::uint64_t> words_;
};

/// For every state on the path what the search knows it by (`Node`); for those
/// near the end of the path also the successors that were new when it was
/// expanded and have not been tried yet. Further up these are dropped when they
/// become many, and the search generates them again on the way back: so a deep
/// path costs little, however many steps each of its states has.
template <class Node, class Waiting>
class PathStack {
 public:
  struct Frame {
    [[no_unique_address]] Node node;
    transition_system::Position position{0};  // of the successor that the search is below of
    std::uint32_t pending = 0;                // successors still to be tried, the next one last
  };

  explicit PathStack(const support::MemoryBudget& budget) : budget_(budget) {}

  bool empty() const { return frames_.empty(); }
  std::size_t size() const { return frames_.size(); }
  Frame& last() { return frames_.back(); }
  const std::vector<Frame>& frames() const { return frames_; }
  Waiting& waiting() { return waiting_; }

  void enter(const Node& node) { support::push(frames_, Frame{node}, budget_); }
  void leave() { frames_.pop_back(); }

  /// A successor of the last state is to be tried before those that were added earlier.
  template <class Item>
  void add(const Item& item, transition_system::Position position) {
    waiting_.push(item, position, budget_);
    ++frames_.back().pending;
  }
  auto take() {
    --frames_.back().pending;
    return waiting_.pop();
  }

  /// The successors of the last state were dropped: the caller adds them again, after this.
  bool starts_restoring() {
    if (frames_.back().pending != kDropped) return false;
    frames_.back().pending = 0;
    first_with_pending_ = std::min(first_with_pending_, frames_.size() - 1);
    return true;
  }

  /// Drops the older half of what waits if it is more than `limit`; what the last state has stays.
  void keep_within(std::size_t limit) {
    if (waiting_.volume() <= limit) return;
    std::size_t dropped = 0, volume = 0;
    for (; first_with_pending_ + 1 < frames_.size() && volume < waiting_.volume() / 2;
         ++first_with_pending_) {
      Frame& frame = frames_[first_with_pending_];
      if (frame.pending == 0) continue;
      volume += waiting_.volume_of(dropped, frame.pending);
      dropped += frame.pending;
      frame.pending = kDropped;
    }
    waiting_.drop_oldest(dropped, volume);
  }

  std::size_t bytes() const { return frames_.capacity() * sizeof(Frame) + waiting_.bytes(); }

 private:
  static constexpr std::uint32_t kDropped = 0xFFFFFFFFu;

  const support::MemoryBudget& budget_;
  std::vector<Frame> frames_;
  Waiting waiting_;
  std::size_t first_with_pending_ = 0;
};

}  // namespace assay::search
