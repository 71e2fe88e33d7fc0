/// Where a walk through a script stands: the open path and the states to come.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "evidence/coding.hpp"
#include "evidence/content_hash.hpp"

namespace assay::evidence {

/// A script that does not fit its program, in one sentence.
class Rejected : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A number that a state does not have (yet).
inline constexpr std::uint64_t kNoNumber = ~std::uint64_t{0};

/// The ancestors of the state that is visited next, with what is known of
/// their entries. Entries of all of them stand in one array.
class OpenPath {
 public:
  struct Step {
    std::uint64_t number;  // kNoNumber for a state visited before the walk began
    std::size_t first_entry;
    std::uint32_t entries;
    std::uint32_t taken = 0;  // position of the child that comes next or that the walk is below of
    std::uint32_t next = 0;   // no child before this position is left
  };
  /// What the script says of one entry.
  struct Entry {
    std::uint32_t leads_to;  // kUnvisited for a child that was not visited yet
    std::uint32_t is_tree;
  };
  static constexpr std::uint32_t kUnvisited = 0xFFFFFFFFu;  // no script has so many states

  bool empty() const { return steps_.empty(); }
  std::size_t length() const { return steps_.size(); }
  const Step& innermost() const { return steps_.back(); }
  const Entry& entry(const Step& step, std::uint32_t position) const {
    return entries_[step.first_entry + position];
  }

  /// Where entry `k` of `count` of a state leads if its action does the same as
  /// in the parent, both in places of the tree that are shifted alike.
  std::uint64_t predicted(const Step& parent, std::uint64_t number, std::uint32_t k, std::uint32_t count) const {
    const std::int64_t i = k < parent.taken ? std::int64_t{k} : std::int64_t{k} - std::int64_t{count} + parent.entries;
    if (i < 0 || i >= parent.entries) return number;
    const std::uint32_t target = entry(parent, static_cast<std::uint32_t>(i)).leads_to;
    return target == kUnvisited ? number : target + (number - parent.number);
  }

  /// A state was visited: room for its entries, which the caller fills in.
  Entry* enter(std::uint64_t number, std::uint32_t entries) {
    steps_.push_back({number, used_, entries, 0, 0});
    used_ += entries;
    if (used_ > entries_.size()) entries_.resize(used_ * 2);
    return entries_.data() + steps_.back().first_entry;
  }

  /// Goes on to the next child, which gets that number. False: none is left.
  bool advance(std::uint64_t number) {
    while (!steps_.empty()) {
      Step& step = steps_.back();
      while (step.next < step.entries && !entries_[step.first_entry + step.next].is_tree) ++step.next;
      if (step.next < step.entries) {
        step.taken = step.next++;
        entries_[step.first_entry + step.taken].leads_to = static_cast<std::uint32_t>(number);
        return true;
      }
      used_ = step.first_entry;
      steps_.pop_back();
    }
    return false;
  }
  /// Enters a state on the way to where a frame starts.
  void enter_outside(std::uint32_t entries, std::uint32_t taken, const std::vector<std::uint32_t>& remaining) {
    Entry* const entry = enter(kNoNumber, entries);
    std::fill(entry, entry + entries, Entry{kUnvisited, 0});
    for (const std::uint32_t position : remaining) entry[position].is_tree = 1;
    steps_.back().taken = taken;
    steps_.back().next = taken + 1;
  }

  /// As the start section of a frame.
  std::string as_section() const {
    std::string section;
    put_varint(section, steps_.size());
    std::vector<std::uint32_t> remaining;
    for (const Step& step : steps_) {
      remaining.clear();
      for (std::uint32_t i = step.taken + 1; i < step.entries; ++i) {
        if (entries_[step.first_entry + i].is_tree) remaining.push_back(i);
      }
      put_path_step(section, step.taken, remaining.data(), remaining.size());
    }
    return section;
  }
  /// From the initial state to the state that is visited now.
  std::vector<std::uint32_t> positions() const {
    std::vector<std::uint32_t> result;
    for (const Step& step : steps_) result.push_back(step.taken);
    return result;
  }
  std::size_t bytes() const { return steps_.capacity() * sizeof(Step) + entries_.capacity() * sizeof(Entry); }

 private:
  std::vector<Step> steps_;
  std::vector<Entry> entries_;
  std::size_t used_ = 0;  // of the entries
};

/// The states that the walk has computed and not yet visited, the next one
/// last, with their marks.
class PendingStates {
 public:
  void push(const std::uint64_t* words, std::uint32_t length, const ContentHash::Mark& mark) {
    const std::size_t needed = used_ + length + kExtraWords;
    if (needed > words_.size()) words_.resize(needed * 2);
    std::uint64_t* const to = words_.data() + used_;
    std::memcpy(to, words, length * sizeof *words);
    std::memcpy(to + length, &mark, sizeof mark);
    to[length + kExtraWords - 1] = length;
    used_ = needed;
  }
  bool empty() const { return used_ == 0; }
  /// Takes the next state off. `words` must have room for the longest state.
  std::uint32_t pop(std::uint64_t* words, ContentHash::Mark& mark) {
    const auto length = static_cast<std::uint32_t>(words_[used_ - 1]);
    used_ -= length + kExtraWords;
    const std::uint64_t* const from = words_.data() + used_;
    std::memcpy(words, from, length * sizeof *words);
    std::memcpy(&mark, from + length, sizeof mark);
    return length;
  }
  std::size_t bytes() const { return words_.capacity() * sizeof(std::uint64_t); }

 private:
  static_assert(sizeof(ContentHash::Mark) % sizeof(std::uint64_t) == 0);
  static constexpr std::size_t kExtraWords = sizeof(ContentHash::Mark) / sizeof(std::uint64_t) + 1;  // and the length

  std::vector<std::uint64_t> words_;
  std::size_t used_ = 0;
};

}  // namespace assay::evidence
