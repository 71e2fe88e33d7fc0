/// Where a walk through a script stands: the open path and the states to come.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "evidence/coding.hpp"
#include "support/binary_field.hpp"

namespace assay::evidence {

/// A script that does not fit its program, in one sentence.
class Rejected : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A number that a state does not have (yet).
inline constexpr std::uint64_t kNoNumber = ~std::uint64_t{0};

/// The ancestors of the state that is visited next, with what is known of
/// their entries. Entries of all of them stand in one array, and so do the
/// positions of their children that are still to come.
class OpenPath {
 public:
  struct Step {
    std::uint64_t number;  // kNoNumber for a state visited before the walk began
    std::size_t first_entry;
    std::size_t first_child;  // of those to come: where they begin
    std::uint32_t entries;
    std::uint32_t taken = 0;  // position of the child that comes next or that the walk is below of
    std::uint32_t taken_rank = 0;
  };
  static constexpr std::uint32_t kUnvisited = 0xFFFFFFFFu;  // no script has so many states

  /// Where the entries of a state lead if its actions do the same as in its
  /// parent, both in places of the tree that are shifted alike.
  class Prediction {
   public:
    Prediction(std::uint64_t number, std::uint32_t count, const Step* parent, const std::uint32_t* entries)
        : number_(number) {
      if (parent == nullptr) return;
      entries_ = entries;
      parent_entries_ = parent->entries;
      taken_ = parent->taken;
      longer_ = count - parent->entries;
      shift_ = number - parent->number;
    }
    /// Of the entry at position `k`.
    std::uint64_t operator()(std::uint32_t k) const {
      // Below zero, it wraps around and is too large as well.
      const std::uint32_t i = k < taken_ ? k : k - longer_;
      if (i >= parent_entries_) return number_;
      const std::uint32_t target = entries_[i];
      return target == kUnvisited ? number_ : target + shift_;
    }

   private:
    const std::uint64_t number_;
    const std::uint32_t* entries_ =
        nullptr;  // of the parent: where they lead, kUnvisited for a child to come
    std::uint32_t parent_entries_ = 0, taken_ = 0, longer_ = 0;
    std::uint64_t shift_ = 0;
  };

  /// `is_ranked`: children have ranks, and so has the start of a frame.
  explicit OpenPath(bool is_ranked = false) : is_ranked_(is_ranked) {}

  bool empty() const { return steps_.empty(); }
  std::size_t length() const { return steps_.size(); }
  const Step& innermost() const { return steps_.back(); }

  /// A state was visited, a child of the innermost one. The caller fills in where its `entries`
  /// lead, as many as it wants to know of, and then says which are children, the last one first.
  std::uint32_t* enter(std::uint64_t number, std::uint32_t entries) {
    if (used_ + entries > entries_.size()) entries_.resize((used_ + entries) * 2);
    steps_.push_back({number, used_, children_.size(), entries});
    used_ += entries;
    return entries_.data() + steps_.back().first_entry;
  }
  /// The first child of the innermost state comes next: as `add_child` and `advance` behind it, of a walk that
  /// wants to know nothing of entries and where children have no ranks.
  void go_to(std::uint32_t position) { steps_.back().taken = position; }
  void add_child(std::uint32_t position) { children_.push_back(position); }
  void add_children(const std::vector<std::uint32_t>& positions) {
    for (std::size_t i = positions.size(); i-- > 0;) add_child(positions[i]);
  }
  void add_child(std::uint32_t position, std::uint32_t rank) {
    children_.push_back(position);
    child_ranks_.push_back(rank);
  }
  const std::uint32_t* entries_of(const Step& step) const { return entries_.data() + step.first_entry; }

  /// Goes on to the next child, which gets that number. False: none is left.
  bool advance(std::uint64_t number) {
    while (!steps_.empty()) {
      Step& step = steps_.back();
      if (children_.size() > step.first_child) {
        step.taken = children_.back();
        children_.pop_back();
        if (is_ranked_) {
          step.taken_rank = child_ranks_.back();
          child_ranks_.pop_back();
        }
        if (used_ > step.first_entry)
          entries_[step.first_entry + step.taken] = static_cast<std::uint32_t>(number);
        return true;
      }
      used_ = step.first_entry;
      steps_.pop_back();
    }
    return false;
  }
  /// A child that comes later; with its rank, if there are any.
  struct Child {
    std::uint32_t position;
    std::uint32_t rank;
  };
  /// Enters a state on the way to where a frame starts.
  void enter_outside(std::uint32_t entries, const Child& taken, const std::vector<Child>& remaining) {
    std::fill_n(enter(kNoNumber, entries), entries, kUnvisited);
    for (std::size_t i = remaining.size(); i-- > 0;) {
      if (is_ranked_) {
        add_child(remaining[i].position, remaining[i].rank);
      } else {
        add_child(remaining[i].position);
      }
    }
    steps_.back().taken = taken.position;
    steps_.back().taken_rank = taken.rank;
  }

  /// As the start section of a frame. `rank`: of the initial state, if there are any.
  std::string as_section(std::uint32_t rank = 0) const {
    std::string section;
    put_varint(section, steps_.size());
    std::vector<std::uint32_t> remaining, ranks;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const std::size_t end = i + 1 < steps_.size() ? steps_[i + 1].first_child : children_.size();
      remaining.clear();
      ranks.assign(1, steps_[i].taken_rank);
      for (std::size_t child = end; child-- > steps_[i].first_child;) {
        remaining.push_back(children_[child]);
        if (is_ranked_) ranks.push_back(child_ranks_[child]);
      }
      put_path_step(section, steps_[i].taken, remaining.data(), remaining.size(),
                    is_ranked_ ? ranks.data() : nullptr, rank);
      rank = steps_[i].taken_rank;
    }
    return section;
  }
  /// From the initial state to the state that is visited now.
  std::vector<std::uint32_t> positions() const {
    std::vector<std::uint32_t> result;
    for (const Step& step : steps_) result.push_back(step.taken);
    return result;
  }
  std::size_t bytes() const {
    return steps_.capacity() * sizeof(Step) +
           (entries_.capacity() + children_.capacity() + child_ranks_.capacity()) * sizeof(std::uint32_t);
  }

 private:
  bool is_ranked_;
  std::vector<Step> steps_;
  std::vector<std::uint32_t> entries_;   // where they lead; kUnvisited for a child that was not visited yet
  std::vector<std::uint32_t> children_;  // positions, those of the innermost state last, the next one last
  std::vector<std::uint32_t> child_ranks_;
  std::size_t used_ = 0;  // of the entries
};

/// States are short, so that calling for a copy would take longer than the copy.
inline void copy_words(std::uint64_t* to, const std::uint64_t* from, std::uint32_t count) {
  const auto copy_four = [&](std::uint32_t i) { std::memcpy(to + i, from + i, 4 * sizeof *to); };
  if (count < 4) {
    for (std::uint32_t i = 0; i < count; ++i) to[i] = from[i];
    return;
  }
  for (std::uint32_t i = 0; i + 4 < count; i += 4) copy_four(i);
  copy_four(count - 4);  // some of them perhaps twice
}

/// The states that the walk has computed and not yet visited, the next one
/// last, with their marks if anybody wants these.
template <class Mark, bool kHasMarks>
class PendingStates {
 public:
  void push(const std::uint64_t* words, std::uint32_t length, const Mark& mark) {
    const std::size_t needed = used_ + length + kExtraWords;
    if (needed > words_.size()) words_.resize(needed * 2);
    std::uint64_t* const to = words_.data() + used_;
    copy_words(to, words, length);
    if constexpr (kHasMarks) {
      const support::ElementWords parts = mark.words();
      std::memcpy(to + length, &parts, sizeof parts);
    }
    to[length + kExtraWords - 1] = length;
    used_ = needed;
  }
  bool empty() const { return used_ == 0; }
  /// Takes the next state off. `words` must have room for the longest state.
  std::uint32_t pop(std::uint64_t* words, Mark& mark) {
    const auto length = static_cast<std::uint32_t>(words_[used_ - 1]);
    used_ -= length + kExtraWords;
    const std::uint64_t* const from = words_.data() + used_;
    copy_words(words, from, length);
    if constexpr (kHasMarks) {
      support::ElementWords parts;
      std::memcpy(&parts, from + length, sizeof parts);
      mark = Mark(parts);
    }
    return length;
  }
  std::size_t bytes() const { return words_.capacity() * sizeof(std::uint64_t); }

 private:
  static constexpr std::size_t kExtraWords =
      (kHasMarks ? sizeof(support::ElementWords) / sizeof(std::uint64_t) : 0) + 1;  // and the length

  std::vector<std::uint64_t> words_;
  std::size_t used_ = 0;
};

}  // namespace assay::evidence
