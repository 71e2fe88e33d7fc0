/// The cost of exploring a state again: a count of paths, which soon leaves 64 bits.
#pragma once

#include <algorithm>
#include <cstdint>

namespace assay::search::replacement {

/// Exact below 2^40, then rounded down to 40 significant bits, up to
/// 2^(2^24). Packed so that the order of the words is that of the values.
class Cost {
 public:
  constexpr Cost() = default;
  static constexpr Cost one() { return Cost(1); }

  std::uint64_t packed() const { return packed_; }
  friend Cost operator+(Cost a, Cost b) {
    if (a.packed_ < b.packed_) std::swap(a, b);
    const std::uint64_t apart = a.exponent() - b.exponent();
    std::uint64_t mantissa = a.mantissa() + (apart < kBits ? b.mantissa() >> apart : 0);
    std::uint64_t exponent = a.exponent();
    if (mantissa >> kBits != 0) {
      mantissa >>= 1;
      ++exponent;
    }
    return exponent > kMaxExponent ? Cost(~std::uint64_t{0}) : Cost(exponent << kBits | mantissa);
  }
  Cost& operator+=(Cost other) { return *this = *this + other; }

 private:
  static constexpr std::uint64_t kBits = 40;
  static constexpr std::uint64_t kMaxExponent = (std::uint64_t{1} << (64 - kBits)) - 1;

  explicit constexpr Cost(std::uint64_t packed) : packed_(packed) {}
  std::uint64_t exponent() const { return packed_ >> kBits; }
  std::uint64_t mantissa() const { return packed_ & ((std::uint64_t{1} << kBits) - 1); }

  std::uint64_t packed_ = 0;
};

}  // namespace assay::search::replacement
