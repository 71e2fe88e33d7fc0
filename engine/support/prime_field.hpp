/// Arithmetic modulo the Mersenne prime p = 2^127 - 1.
#pragma once

#include <cstdint>
#include <cstring>

namespace assay::support {

/// A number modulo p. Any value up to and including p is kept, so zero has two
/// forms; that saves a comparison in every operation, and only `==` and
/// `to_bytes` look closer. There are no branches.
class FieldElement {
 public:
  using Wide = unsigned __int128;

  static constexpr Wide kPrime = (Wide{1} << 127) - 1;

  FieldElement() = default;
  explicit FieldElement(std::uint64_t small) : value_(small) {}

  /// From 16 bytes, lowest first; what is above p wraps round.
  static FieldElement from_bytes(const unsigned char* bytes) {
    Wide wide;
    std::memcpy(&wide, bytes, sizeof wide);
    return FieldElement(wide == ~Wide{0} ? 1 : folded(wide), Form{});
  }
  void to_bytes(unsigned char* bytes) const {
    const Wide least = value_ == kPrime ? 0 : value_;
    std::memcpy(bytes, &least, sizeof least);
  }
  /// The value in two words, for keeping it among others.
  std::uint64_t low() const { return static_cast<std::uint64_t>(value_); }
  std::uint64_t high() const { return static_cast<std::uint64_t>(value_ >> 64); }
  static FieldElement from_words(std::uint64_t low, std::uint64_t high) {
    return FieldElement((Wide{high} << 64) | low, Form{});
  }

  // Of two values up to p: the sum is at most 2p, which folds to at most p.
  friend FieldElement operator+(FieldElement a, FieldElement b) {
    return FieldElement(folded(a.value_ + b.value_), Form{});
  }
  friend FieldElement operator-(FieldElement a, FieldElement b) { return a + b.negative_if(true); }
  friend bool operator==(FieldElement a, FieldElement b) {
    return (a.value_ == kPrime ? 0 : a.value_) == (b.value_ == kPrime ? 0 : b.value_);
  }

  /// -x or x: p - x is x with all 127 bits turned over.
  FieldElement negative_if(bool negative) const {
    return FieldElement(value_ ^ (kPrime & (Wide{0} - Wide{negative})), Form{});
  }

  friend FieldElement operator*(FieldElement a, std::uint64_t factor) {
    const Wide low = Wide{a.low()} * factor;
    const Wide high = Wide{a.high()} * factor;  // < 2^127
    // a * factor = high * 2^64 + low, and 2^127 = 1: what of `high` is at bit 63
    // and above comes back at the bottom.
    const Wide sum = folded(folded(low) + ((high << 64) & kPrime));
    return FieldElement(folded(sum + (high >> 63)), Form{});
  }
  friend FieldElement operator*(FieldElement a, FieldElement b) {
    const Wide low = Wide{a.low()} * b.low();
    const Wide middle = Wide{a.low()} * b.high() + Wide{a.high()} * b.low();  // < 2^128: the high words are < 2^63
    const Wide high = Wide{a.high()} * b.high();                              // < 2^126
    // The product is high * 2^128 + middle * 2^64 + low; 2^128 = 2 and 2^127 = 1.
    const Wide first = folded(folded(low) + ((middle << 64) & kPrime));
    const Wide second = folded((middle >> 63) + (high << 1));
    return FieldElement(folded(first + second), Form{});
  }
  FieldElement& operator*=(FieldElement other) { return *this = *this * other; }

  /// By repeated squaring.
  FieldElement power(std::uint64_t exponent) const {
    FieldElement result(1), base = *this;
    for (; exponent != 0; exponent >>= 1) {
      if (exponent & 1) result *= base;
      if (exponent > 1) base *= base;
    }
    return result;
  }

 private:
  struct Form {};
  FieldElement(Wide value, Form) : value_(value) {}

  /// The same number below 2^127, for anything below 2^128 - 1.
  static Wide folded(Wide wide) { return (wide & kPrime) + (wide >> 127); }

  Wide value_ = 0;
};

}  // namespace assay::support
