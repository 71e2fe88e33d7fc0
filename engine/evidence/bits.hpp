/// One bit for each entry of a frame: whether it is a TREE entry.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "evidence/open_path.hpp"

namespace assay::evidence {

/// Reads the bits of a frame, lowest of a byte first. The bytes must outlive it.
class Bits {
 public:
  Bits(std::string_view bytes, std::uint64_t count)
      : bytes_(reinterpret_cast<const std::uint8_t*>(bytes.data())), count_(count) {
    if (bytes.size() != (count + 7) / 8) throw Rejected("a frame has more or fewer bits than entries");
    if (count % 8 != 0 && (bytes_[count / 8] >> (count % 8)) != 0) throw Rejected("unused bits of a frame are set");
  }
  const std::uint8_t* bytes() const { return bytes_; }
  std::uint64_t next() const { return next_; }
  std::uint64_t left() const { return count_ - next_; }
  /// The next bits, at most 64 of those that are left; the first is the lowest.
  std::uint64_t take(std::uint32_t count) {
    const std::size_t first = next_ / 8, last = (next_ + count + 7) / 8;
    const unsigned shift = next_ % 8;
    next_ += count;
    std::uint64_t word = 0;
    std::memcpy(&word, bytes_ + first, std::min<std::size_t>(last - first, sizeof word));
    word >>= shift;
    if (last - first > sizeof word) word |= std::uint64_t{bytes_[first + sizeof word]} << (64 - shift);
    return count == 64 ? word : word & ((std::uint64_t{1} << count) - 1);
  }

 private:
  const std::uint8_t* bytes_;
  std::uint64_t count_;
  std::uint64_t next_ = 0;
};

}  // namespace assay::evidence
