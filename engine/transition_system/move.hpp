/// A step, named by whose it is: for somebody who wants to take it again without asking everybody.
#pragma once

#include <cstdint>

#include "transition_system/successor_buffer.hpp"

namespace assay::transition_system {

/// Which process, and which of its successors in that state, from 0. Two bytes: few processes have so many.
struct Move {
  static constexpr std::uint16_t kNobody = 0xFFFF;
  static constexpr std::uint32_t kProcesses = 254, kSuccessors = 255;  // that can be named

  std::uint16_t code = kNobody;

  constexpr bool is_known() const { return code != kNobody; }
  constexpr std::uint32_t process() const { return code & 0xFFu; }
  constexpr std::uint32_t successor() const { return code >> 8; }

  /// Of a successor in a buffer that has those of all processes, each process's side by side.
  static Move of(const SuccessorBuffer& all, std::uint32_t position) {
    const std::uint16_t process = all[position].process;
    std::uint32_t first = position;
    while (first > 0 && all[first - 1].process == process) --first;
    const std::uint32_t successor = position - first;
    if (process >= kProcesses || successor >= kSuccessors) return {};
    return {static_cast<std::uint16_t>(successor << 8 | process)};
  }
};

}  // namespace assay::transition_system
