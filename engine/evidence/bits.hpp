/// One bit for each entry of a frame: whether it is a TREE entry.
#pragma once

#include <cstdint>
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
  bool read() {
    const bool bit = (bytes_[next_ / 8] >> (next_ % 8)) & 1;
    ++next_;
    return bit;
  }

 private:
  const std::uint8_t* bytes_;
  std::uint64_t count_;
  std::uint64_t next_ = 0;
};

}  // namespace assay::evidence
