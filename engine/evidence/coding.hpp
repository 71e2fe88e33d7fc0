/// The numbers of a certificate as bytes: LEB128, and signed ones folded.
#pragma once

#include <cstdint>
#include <string>

#include "transition_system/move.hpp"

namespace assay::evidence {

inline void put_varint(std::string& out, std::uint64_t value) {
  while (value >= 0x80) {
    out.push_back(static_cast<char>(static_cast<unsigned char>(value) | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<char>(value));
}

inline std::uint64_t folded(std::int64_t value) {
  return value >= 0 ? static_cast<std::uint64_t>(value) << 1
                    : (static_cast<std::uint64_t>(-(value + 1)) << 1) | 1;
}
inline std::int64_t unfolded(std::uint64_t value) {
  return (value & 1) != 0 ? -static_cast<std::int64_t>(value >> 1) - 1
                          : static_cast<std::int64_t>(value >> 1);
}

/// A move in the section Moves: 0 where nobody is named.
inline std::uint64_t number_of_move(transition_system::Move move) {
  return move.is_known() ? std::uint64_t{move.code} + 1 : 0;
}

/// The open path: where a walk in preorder stands, as positions of entries.
/// Each step of the path has the position it took and those of the TREE
/// entries after it, in order. With `ranks`, each position is followed by how
/// far the rank of the state that its entry leads to (the one taken first) is
/// below `rank`, the one of the state that has the entry.
inline void put_path_step(std::string& out, std::uint32_t taken, const std::uint32_t* remaining,
                          std::size_t count, const std::uint32_t* ranks = nullptr, std::uint32_t rank = 0) {
  const auto put_rank = [&](std::size_t i) {
    if (ranks != nullptr) put_varint(out, folded(std::int64_t{rank} - std::int64_t{ranks[i]}));
  };
  put_varint(out, taken);
  put_rank(0);
  put_varint(out, count);
  std::uint32_t previous = taken;
  for (std::size_t i = 0; i < count; ++i) {
    put_varint(out, remaining[i] - previous - 1);
    put_rank(i + 1);
    previous = remaining[i];
  }
}

}  // namespace assay::evidence
