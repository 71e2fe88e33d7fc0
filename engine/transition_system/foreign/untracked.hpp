/// Sees what foreign code changes that is no part of the state.
#pragma once

#include <cstdint>
#include <set>
#include <tuple>
#include <vector>

#include "transition_system/foreign/image.hpp"

namespace assay::transition_system::foreign {

/// Compares memory with what it was before. With tracking of all memory there is nothing to see.
///
/// The heap is large and mostly empty: it is out of reach but for the part below the highest page that was
/// touched, and `opens` moves that up.
class Untracked {
 public:
  struct Finding {
    std::uint64_t address;  // of the first byte that changed
    std::uint32_t function;
    std::uint32_t is_question;
  };

  Untracked() = default;
  ~Untracked();
  Untracked(const Untracked&) = delete;
  Untracked& operator=(const Untracked&) = delete;

  void watch(std::vector<Range> ranges, Range heap);
  /// As they were when it began to watch. Nobody is told.
  void forget();
  /// Was this address of the heap touched for the first time? Then it may be used now. From a signal handler.
  bool opens(const void* address);
  /// After a call of a function. What changed is told once for each function, unless it lies in one of these.
  void look(std::uint32_t function, bool is_question, const std::vector<Range>& known);
  const std::vector<Finding>& findings() const { return findings_; }

 private:
  void compare(const Range& range, std::uint8_t* before, std::uint32_t function, bool is_question,
               const std::vector<Range>& known);

  std::vector<Range> ranges_;
  std::vector<std::vector<std::uint8_t>> beginning_, before_;
  Range heap_{nullptr, 0};
  std::size_t touched_ = 0;                                 // bytes of the heap that are within reach
  std::vector<std::uint8_t> heap_beginning_, heap_before_;  // zeros behind their ends
  std::set<std::tuple<std::uint64_t, std::uint32_t>> told_;
  std::vector<Finding> findings_;
};

}  // namespace assay::transition_system::foreign
