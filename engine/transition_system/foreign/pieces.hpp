/// Runs of 64 bytes, each distinct one kept once and named by a number.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

namespace assay::transition_system::foreign {

inline constexpr std::size_t kPieceBytes = 64;

/// Two pieces have the same number exactly when they are equal byte by byte. Number 0 is all zeros, so memory that
/// nobody uses costs nothing, however much there is.
class Pieces {
 public:
  Pieces();

  std::uint32_t number_of(const void* piece);
  const std::uint8_t* at(std::uint32_t number) const {
    return chunks_[number / kPerChunk].get() + std::size_t{number % kPerChunk} * kPieceBytes;
  }
  std::uint32_t count() const { return count_; }
  std::size_t bytes() const {
    return chunks_.size() * kPerChunk * kPieceBytes + slots_.size() * sizeof(Slot);
  }

 private:
  static constexpr std::uint32_t kPerChunk = 1u << 14;
  struct Slot {
    std::uint32_t number = 0;  // plus one; 0: free
    std::uint32_t hash = 0;
  };

  std::uint32_t add(const void* piece);
  void grow();

  std::vector<std::unique_ptr<std::uint8_t[]>> chunks_;
  std::vector<Slot> slots_;
  std::uint32_t count_ = 0;
};

}  // namespace assay::transition_system::foreign
