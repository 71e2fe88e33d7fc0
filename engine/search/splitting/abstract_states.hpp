/// Abstract states: one concrete state of each, and what was matched with it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "search/splitting/thresholds.hpp"
#include "support/hash.hpp"
#include "support/memory.hpp"
#include "transition_system/transition_system.hpp"

namespace assay::search::splitting {

/// A step that led to a state which was matched with another one.
struct MergedStep {
  std::uint32_t from, position;
  friend auto operator<=>(const MergedStep&, const MergedStep&) = default;
};

/// States have a fixed length: `controls` words that are compared as they are, then one word for each variable, a
/// signed number. The key of a state is its controls, its labels (the predicates that were given) and
/// the interval of each variable. Whichever state of a key is met first stands for all.
///
///     number   0          1          ...
///     words    state 0    state 1            the concrete states
///     keys     key 0      key 1              rewritten when thresholds are added
///     low/high of the variables of all states matched with it
///     merged   the steps to such states, other than the first, as a list
class AbstractStates {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;

  AbstractStates(const transition_system::TransitionSystem& system, std::size_t controls, std::size_t length,
                 const support::MemoryBudget& budget)
      : system_(system),
        budget_(budget),
        controls_(controls),
        length_(length),
        key_length_(length + 1),
        thresholds_(length - controls),
        key_(key_length_) {
    slots_.assign(1024, kNone);
  }

  Thresholds& thresholds() { return thresholds_; }
  std::size_t variables() const { return length_ - controls_; }
  std::uint32_t size() const { return size_; }
  transition_system::StateView state(std::uint32_t number) const {
    return {words_.data() + std::size_t{number} * length_, length_};
  }
  bool is_eligible(std::uint32_t number) const { return merged_[number] != kNone; }
  std::int64_t low(std::uint32_t number, std::size_t variable) const {
    return low_[number * variables() + variable];
  }
  std::int64_t high(std::uint32_t number, std::size_t variable) const {
    return high_[number * variables() + variable];
  }

  /// Whether it is the first with its key; otherwise the step is noted, unless the state is that very one.
  bool meet(transition_system::StateView state, MergedStep step) {
    if (state.size() != length_) throw std::runtime_error("states of a symbolic form have one length");
    write_key(state.data());
    const std::uint64_t slot = find();
    if (slots_[slot] == kNone) {
      add(state.data(), slot);
      return true;
    }
    const std::uint32_t known = slots_[slot];
    if (!std::equal(state.begin(), state.end(), words_.begin() + std::size_t{known} * length_)) {
      note(known, state.data(), step);
    }
    return false;
  }

  /// Thresholds were added: gives states their new keys, forgets what was matched with them, and answers the steps
  /// that led there, by the state where they begin.
  std::vector<MergedStep> split() {
    std::vector<MergedStep> steps;
    budget_.require(entries_.size() * sizeof(MergedStep));
    steps.reserve(entries_.size());
    for (const Entry& entry : entries_) steps.push_back(entry.step);
    std::sort(steps.begin(), steps.end());
    entries_.clear();
    std::fill(slots_.begin(), slots_.end(), kNone);
    for (std::uint32_t number = 0; number < size_; ++number) {
      if (merged_[number] != kNone) {
        merged_[number] = kNone;
        std::copy_n(variables_of(number), variables(), low_.begin() + number * variables());
        std::copy_n(variables_of(number), variables(), high_.begin() + number * variables());
      }
      write_key(words_.data() + std::size_t{number} * length_);
      const std::uint64_t slot = find();
      if (slots_[slot] != kNone) throw std::logic_error("two abstract states became one");
      slots_[slot] = number;
      std::copy(key_.begin(), key_.end(), keys_.begin() + std::size_t{number} * key_length_);
    }
    return steps;
  }

  std::uint64_t merged_steps() const { return entries_.size(); }
  std::size_t bytes() const {
    return (words_.capacity() + keys_.capacity() + low_.capacity() + high_.capacity()) * 8 +
           (slots_.capacity() + merged_.capacity()) * 4 + entries_.capacity() * sizeof(Entry);
  }

 private:
  struct Entry {
    MergedStep step;
    std::uint32_t next;
  };

  const std::int64_t* variables_of(std::uint32_t number) const {
    return reinterpret_cast<const std::int64_t*>(words_.data() + std::size_t{number} * length_ + controls_);
  }
  void write_key(const std::uint64_t* state) {
    std::copy_n(state, controls_, key_.begin());
    key_[controls_] = system_.labels({state, length_});
    for (std::size_t variable = 0; variable < variables(); ++variable) {
      key_[controls_ + 1 + variable] =
          thresholds_.interval(variable, static_cast<std::int64_t>(state[controls_ + variable]));
    }
  }
  /// The slot of the key that was written last, or the free one where it belongs.
  std::uint64_t find() const {
    const std::uint64_t mask = slots_.size() - 1;
    std::uint64_t slot = support::hash_words(key_.data(), key_length_, 0) & mask;
    while (slots_[slot] != kNone &&
           !std::equal(key_.begin(), key_.end(), keys_.begin() + std::size_t{slots_[slot]} * key_length_)) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }
  void add(const std::uint64_t* state, std::uint64_t slot) {
    append(words_, state, length_);
    append(keys_, key_.data(), key_length_);
    append(low_, reinterpret_cast<const std::int64_t*>(state + controls_), variables());
    append(high_, reinterpret_cast<const std::int64_t*>(state + controls_), variables());
    support::push(merged_, kNone, budget_);
    slots_[slot] = size_++;
    if (std::uint64_t{size_} * 2 > slots_.size()) grow();
  }
  template <class Item>
  void append(std::vector<Item>& items, const Item* first, std::size_t count) {
    if (items.capacity() - items.size() < count) {
      const std::size_t wanted = std::max(items.capacity() * 2, items.size() + count);
      budget_.require(wanted * sizeof(Item));
      items.reserve(wanted);
    }
    items.insert(items.end(), first, first + count);
  }
  void grow() {
    budget_.require(slots_.size() * 2 * sizeof(std::uint32_t));
    slots_.assign(slots_.size() * 2, kNone);
    const std::uint64_t mask = slots_.size() - 1;
    for (std::uint32_t number = 0; number < size_; ++number) {
      std::uint64_t slot =
          support::hash_words(keys_.data() + std::size_t{number} * key_length_, key_length_, 0) & mask;
      while (slots_[slot] != kNone) slot = (slot + 1) & mask;
      slots_[slot] = number;
    }
  }
  void note(std::uint32_t known, const std::uint64_t* state, MergedStep step) {
    const auto* values = reinterpret_cast<const std::int64_t*>(state + controls_);
    for (std::size_t variable = 0; variable < variables(); ++variable) {
      std::int64_t& low = low_[known * variables() + variable];
      std::int64_t& high = high_[known * variables() + variable];
      low = std::min(low, values[variable]);
      high = std::max(high, values[variable]);
    }
    support::push(entries_, Entry{step, merged_[known]}, budget_);
    merged_[known] = static_cast<std::uint32_t>(entries_.size() - 1);
  }

  const transition_system::TransitionSystem& system_;
  const support::MemoryBudget& budget_;
  const std::size_t controls_, length_, key_length_;
  Thresholds thresholds_;
  std::vector<std::uint64_t> key_;
  std::vector<std::uint64_t> words_, keys_;
  std::vector<std::int64_t> low_, high_;
  std::vector<std::uint32_t> slots_, merged_;
  std::vector<Entry> entries_;
  std::uint32_t size_ = 0;
};

}  // namespace assay::search::splitting
