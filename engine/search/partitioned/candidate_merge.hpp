/// Candidates from several sections, read as one.
#pragma once

#include <algorithm>
#include <cstdint>
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

  const std::uint64_t* record() const { return record_.data(); }
  std::uint64_t key() const { return key_; }
  /// Goes to the next record, at first to the first. False: there is none.
  bool next() {
    if (heap_.empty()) return false;
    std::copy_n(sections_[heap_[0]].record(), words_, record_.data());
    key_ = sections_[heap_[0]].key();
    do {
      key_ = std::min(key_, sections_[heap_[0]].key());
      step();
    } while (!heap_.empty() &&
             storage::compare_records(sections_[heap_[0]].record(), record_.data(), words_) == 0);
    return true;
  }

 private:
  struct Later {
    const CandidateMerge& merge;
    bool operator()(std::size_t a, std::size_t b) const {
      return storage::compare_records(merge.sections_[a].record(), merge.sections_[b].record(),
                                      merge.words_) > 0;
    }
  };
  void step() {
    if (heap_.size() == 1) {
      if (!sections_[heap_[0]].next()) heap_.clear();
      return;
    }
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
  std::uint64_t key_ = 0;
  std::vector<std::size_t> heap_;  // sections that have more, the one with the least record first
};

}  // namespace assay::search::partitioned
