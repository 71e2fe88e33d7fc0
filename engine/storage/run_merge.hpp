/// Several sorted runs read as one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "storage/packed_layout.hpp"
#include "storage/sorted_run.hpp"

namespace assay::storage {

/// Sorted records from several places, in order, equal ones once.
class RunMerge {
 public:
  RunMerge(std::vector<RunCursor>& runs, const std::uint64_t* array, std::uint64_t count, std::uint32_t words)
      : runs_(runs), words_(words), array_(array), array_end_(array + count * words) {
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (!runs[i].at_end()) push({runs[i].record(), i});
    }
    if (count > 0) push({array_, runs.size()});
  }
  /// Copies the next record to `out`. False: there is none.
  bool next(std::uint64_t* out) {
    if (heap_.empty()) return false;
    std::copy_n(heap_[0].record, words_, out);
    do {
      step();
    } while (!heap_.empty() && compare_records(heap_[0].record, out, words_) == 0);
    return true;
  }

 private:
  struct Source {
    const std::uint64_t* record;
    std::size_t number;
  };
  bool is_before(const Source& a, const Source& b) const {
    return words_ == 1 ? a.record[0] < b.record[0] : compare_records(a.record, b.record, words_) < 0;
  }
  void push(Source source) {
    heap_.push_back(source);
    for (std::size_t i = heap_.size() - 1; i > 0 && is_before(heap_[i], heap_[(i - 1) / 2]);
         i = (i - 1) / 2) {
      std::swap(heap_[i], heap_[(i - 1) / 2]);
    }
  }
  void step() {
    Source& top = heap_[0];
    bool more = true;
    if (top.number == runs_.size()) {
      array_ += words_;
      more = array_ != array_end_;
      top.record = array_;
    } else {
      more = runs_[top.number].next();
      if (more) top.record = runs_[top.number].record();
    }
    if (!more) {
      heap_[0] = heap_.back();
      heap_.pop_back();
    }
    for (std::size_t i = 0;;) {
      std::size_t least = i;
      const std::size_t left = 2 * i + 1;
      if (left < heap_.size() && is_before(heap_[left], heap_[least])) least = left;
      if (left + 1 < heap_.size() && is_before(heap_[left + 1], heap_[least])) least = left + 1;
      if (least == i) return;
      std::swap(heap_[i], heap_[least]);
      i = least;
    }
  }

  std::vector<RunCursor>& runs_;
  const std::uint32_t words_;
  const std::uint64_t* array_;
  const std::uint64_t* const array_end_;
  std::vector<Source> heap_;
};

}  // namespace assay::storage
