/// Sees what foreign code changes that is no part of the state.
#pragma once

#include <cstdint>
#include <set>
#include <tuple>
#include <vector>

#include "transition_system/foreign/image.hpp"

namespace assay::transition_system::foreign {

/// Compares memory with what it was before. With tracking of all memory there is nothing to see.
class Untracked {
 public:
  struct Finding {
    std::uint64_t address;  // of the first byte that changed
    std::uint32_t function;
    std::uint32_t is_question;
  };

  void watch(std::vector<Range> ranges);
  /// As they were when it began to watch. Nobody is told.
  void forget();
  /// After a call of a function. What changed is told once for each function.
  void look(std::uint32_t function, bool is_question);
  const std::vector<Finding>& findings() const { return findings_; }

 private:
  std::vector<Range> ranges_;
  std::vector<std::vector<std::uint8_t>> beginning_, before_;
  std::set<std::tuple<std::uint64_t, std::uint32_t>> told_;
  std::vector<Finding> findings_;
};

}  // namespace assay::transition_system::foreign
