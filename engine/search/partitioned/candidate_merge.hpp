/// Candidates from several sections, read as one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "search/partitioned/section.hpp"
#include "storage/packed_layout.hpp"

namespace assay::search::partitioned {

/// Records in ascending order, equal ones once, with the least of their keys.
class CandidateMerge {
 public:
  CandidateMerge(std::vector<SectionCursor>& sections, std::uint32_t words)
      : sections_(sections), words_(words), record_(words) {
    for (std::size_t i = 0; i < sections.size(); ++i) {
      if (sections[i].next()) heap_.push_back(i);
    }
    std::ranges::make_heap(heap_, Later{*this});
  }

  const std::uint64_t* record() const { return shown_; }
  std::uint64_t key() const { return key_; }
  /// Goes to the next record, at first to the first. False: there is none.
  bool next() {
    advance();
    switch (heap_.size()) {
      case 0: return false;
      case 1: show(0, 1); return true;
      case 2: choose(); return true;
      default: take_least(); return true;
    }
  }

 private:
  struct Later {
    const CandidateMerge& merge;
    bool operator()(std::size_t a, std::size_t b) const {
      return storage::compare_records(merge.sections_[a].record(), merge.sections_[b].record(),
                                      merge.words_) > 0;
    }
  };
  /// One or two sections show their records where they are, and go on when the next one is asked for.
  void advance() {
    const std::uint32_t shown = std::exchange(shown_by_, 0);
    if ((shown & 2) != 0 && !sections_[heap_[1]].next()) heap_.pop_back();
    if ((shown & 1) != 0 && !sections_[heap_[0]].next()) heap_.erase(heap_.begin());
  }
  void show(std::size_t which, std::uint32_t by) {
    shown_ = sections_[heap_[which]].record();
    key_ = sections_[heap_[which]].key();
    shown_by_ = by;
  }
  void choose() {
    const int order =
        storage::compare_records(sections_[heap_[0]].record(), sections_[heap_[1]].record(), words_);
    show(order <= 0 ? 0 : 1, order < 0 ? 1 : order > 0 ? 2 : 3);
    if (order == 0) key_ = std::min(key_, sections_[heap_[1]].key());
  }
  void take_least() {
    std::copy_n(sections_[heap_[0]].record(), words_, record_.data());
    shown_ = record_.data();
    key_ = sections_[heap_[0]].key();
    do {
      key_ = std::min(key_, sections_[heap_[0]].key());
      step();
    } while (!heap_.empty() &&
             storage::compare_records(sections_[heap_[0]].record(), record_.data(), words_) == 0);
  }
  void step() {
    std::ranges::pop_heap(heap_, Later{*this});
    if (sections_[heap_.back()].next()) {
      std::ranges::push_heap(heap_, Later{*this});
    } else {
      heap_.pop_back();
    }
  }

  std::vector<SectionCursor>& sections_;
  const std::uint32_t words_;
  std::vector<std::uint64_t> record_;
  const std::uint64_t* shown_ = nullptr;
  std::uint64_t key_ = 0;
  std::uint32_t shown_by_ = 0;     // the first (1) and the second (2) of two sections or one
  std::vector<std::size_t> heap_;  // sections that have more, the one with the least record first
};

}  // namespace assay::search::partitioned
