/// Arithmetic modulo the Mersenne prime p = 2^61 - 1, one number or three at once.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace assay::support {

/// A number modulo p. Any value up to and including p is kept, so zero has two
/// forms; that saves a comparison in every operation, and only `least` looks
/// closer. There are no branches.
class FieldElement {
 public:
  using Wide = unsigned __int128;

  static constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61) - 1;

  FieldElement() = default;
  /// A number up to p.
  explicit FieldElement(std::uint64_t up_to_p) : value_(up_to_p) {}
  /// A sum of fewer than 2^6 products of two such numbers.
  static FieldElement of_sum(Wide sum) {
    const auto low = static_cast<std::uint64_t>(sum) & kPrime, middle = static_cast<std::uint64_t>(sum >> 61) & kPrime;
    // At most 2p + 2^6, then at most p + 1, then at most p.
    return FieldElement(folded(folded(low + middle + static_cast<std::uint64_t>(sum >> 122))));
  }
  /// b - a for numbers below 2^60.
  static std::uint64_t difference(std::uint64_t a, std::uint64_t b) {
    const std::uint64_t wrapped = b - a;
    return wrapped + (kPrime & (std::uint64_t{0} - (wrapped >> 63)));
  }

  std::uint64_t value() const { return value_; }
  /// The one form below p.
  std::uint64_t least() const { return value_ == kPrime ? 0 : value_; }

  // Of two numbers up to p: the sum is at most 2p, which folds to at most p.
  friend FieldElement operator+(FieldElement a, FieldElement b) { return FieldElement(folded(a.value_ + b.value_)); }
  // p - x is x with all 61 bits turned over.
  friend FieldElement operator-(FieldElement a, FieldElement b) {
    return FieldElement(folded(a.value_ + (b.value_ ^ kPrime)));
  }
  friend FieldElement operator*(FieldElement a, FieldElement b) {
    const Wide product = Wide{a.value_} * b.value_;
    return FieldElement(folded((static_cast<std::uint64_t>(product) & kPrime) + static_cast<std::uint64_t>(product >> 61)));
  }
  friend bool operator==(FieldElement a, FieldElement b) { return a.least() == b.least(); }

 private:
  /// 2^61 = 1: what does not fit comes back at the bottom.
  static std::uint64_t folded(std::uint64_t word) { return (word & kPrime) + (word >> 61); }

  std::uint64_t value_ = 0;
};

/// Three numbers modulo p, independent of one another: one prime of 61 bits is
/// quick, three make a coincidence as rare as one of 183 bits would.
struct FieldLanes {
  static constexpr std::size_t kCount = 3;

  std::array<FieldElement, kCount> lane;

  static FieldLanes all(FieldElement element) { return {{element, element, element}}; }

  friend FieldLanes operator-(const FieldLanes& a, FieldElement b) {
    return {{a.lane[0] - b, a.lane[1] - b, a.lane[2] - b}};
  }
  FieldLanes& operator*=(const FieldLanes& other) {
    lane = {lane[0] * other.lane[0], lane[1] * other.lane[1], lane[2] * other.lane[2]};
    return *this;
  }
  friend bool operator==(const FieldLanes& a, const FieldLanes& b) { return a.lane == b.lane; }

  /// By repeated squaring; the exponent is at least 1.
  FieldLanes power(std::uint64_t exponent) const {
    FieldLanes result = *this;
    for (std::uint64_t bit = std::bit_floor(exponent) >> 1; bit != 0; bit >>= 1) {
      result *= result;
      if ((exponent & bit) != 0) result *= *this;
    }
    return result;
  }
};

}  // namespace assay::support
