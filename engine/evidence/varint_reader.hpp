/// The other direction of `put_varint` (coding.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

namespace assay::evidence {

/// Reads varints from bytes that a stranger wrote.
class VarintReader {
 public:
  VarintReader(const char* begin, std::size_t length)
      : next_(reinterpret_cast<const unsigned char*>(begin)), end_(next_ + length) {}

  bool at_end() const { return next_ == end_; }

  /// False if there is none, or not in its shortest form of at most `limit` bytes.
  bool read(std::uint64_t& value, int limit = 5) {
    if (next_ != end_ && *next_ < 0x80) [[likely]] {
      value = *next_++;
      return true;
    }
    return read_long(value, limit);
  }

 private:
  [[gnu::noinline]] bool read_long(std::uint64_t& value, int limit) {
    value = 0;
    for (int i = 0; i < limit && next_ != end_; ++i) {
      const std::uint64_t byte = *next_++;
      value |= (byte & 0x7F) << (7 * i);
      if (byte < 0x80) return byte != 0 || i == 0;
    }
    return false;
  }

  const unsigned char* next_;
  const unsigned char* end_;
};

}  // namespace assay::evidence
