/// One bit for each entry of a frame: whether it is a TREE entry.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "evidence/open_path.hpp"

namespace assay::evidence {

/// Reads the bits of a frame, lowest of a byte first.
class Bits {
 public:
  Bits(std::string_view bytes, std::uint64_t count) : count_(count) {
    if (bytes.size() != (count + 7) / 8) throw Rejected("a frame has more or fewer bits than entries");
    // With some zeros behind them, so that a whole word can be read wherever a bit is.
    bytes_.resize(bytes.size() + sizeof(std::uint64_t) + 1);
    std::copy(bytes.begin(), bytes.end(), bytes_.begin());
    if (count % 8 != 0 && (bytes_[count / 8] >> (count % 8)) != 0)
      throw Rejected("unused bits of a frame are set");
  }
  const std::uint8_t* bytes() const { return bytes_.data(); }
  std::uint64_t next() const { return next_; }
  std::uint64_t left() const { return count_ - next_; }
  /// `count` bits, at most 64, after the next `skipped` ones; the first is the lowest. There must be so many.
  std::uint64_t peek(std::uint32_t skipped, std::uint32_t count) const {
    const std::uint64_t first = next_ + skipped;
    const std::uint8_t* const from = bytes_.data() + first / 8;
    std::uint64_t word = 0;
    std::memcpy(&word, from, sizeof word);
    word >>= first % 8;
    if (first % 8 + count > 64) word |= std::uint64_t{from[sizeof word]} << (64 - first % 8);
    return count == 64 ? word : word & ((std::uint64_t{1} << count) - 1);
  }
  void skip(std::uint32_t count) { next_ += count; }

 private:
  std::vector<std::uint8_t> bytes_;
  std::uint64_t count_;
  std::uint64_t next_ = 0;
};

}  // namespace assay::evidence
