/// Arithmetic in the field of 2^128 elements: polynomials over {0, 1} modulo
/// x^128 + x^7 + x^2 + x + 1. Sums and differences are exclusive ors; products
/// are carry-less ones, for which most processors have an instruction.
///
/// Two classes with the same interface: `PortableElement` for any processor,
/// and, in files compiled for the instruction, `NativeElement`.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#ifdef __PCLMUL__
#include <immintrin.h>
#endif

namespace assay::support {

/// The least significant bit of `low` is the coefficient of 1.
struct ElementBytes {
  std::uint64_t low = 0, high = 0;
};

/// What is left of a polynomial of degree 128 or more: x^128 = x^7 + x^2 + x + 1.
inline constexpr std::uint64_t kFoldedDown = 0x87;

class PortableElement {
 public:
  PortableElement() = default;
  explicit PortableElement(std::uint64_t low) : at_{low, 0} {}
  explicit PortableElement(const ElementBytes& bytes) : at_(bytes) {}
  ElementBytes bytes() const { return at_; }

  friend PortableElement operator+(PortableElement a, PortableElement b) {
    return PortableElement(ElementBytes{a.at_.low ^ b.at_.low, a.at_.high ^ b.at_.high});
  }
  friend PortableElement operator*(PortableElement a, PortableElement b) {
    Sum sum;
    sum.add(a, b.at_.low);
    PortableElement shifted = sum.value();
    Sum upper;
    upper.add(a, b.at_.high);
    return shifted + upper.value().times_x64();
  }

  /// A sum of products of elements and polynomials below x^64.
  class Sum {
   public:
    void add(PortableElement coefficient, std::uint64_t factor) {
      const ElementBytes lower = carryless(coefficient.at_.low, factor), upper = carryless(coefficient.at_.high, factor);
      low_ ^= lower.low;
      middle_ ^= lower.high ^ upper.low;
      high_ ^= upper.high;
    }
    PortableElement value() const {
      const ElementBytes folded = carryless(high_, kFoldedDown);
      return PortableElement(ElementBytes{low_ ^ folded.low, middle_ ^ folded.high});
    }

   private:
    std::uint64_t low_ = 0, middle_ = 0, high_ = 0;
  };

 private:
  PortableElement times_x64() const {
    const ElementBytes folded = carryless(at_.high, kFoldedDown);
    return PortableElement(ElementBytes{folded.low, at_.low ^ folded.high});
  }
  /// Four bits of `b` at a time, from the top.
  static ElementBytes carryless(std::uint64_t a, std::uint64_t b) {
    std::array<ElementBytes, 16> times{};
    for (unsigned i = 1; i < 16; ++i) {
      const unsigned half = i / 2;
      times[i] = {times[half].low << 1, (times[half].high << 1) | (times[half].low >> 63)};
      if (i % 2 != 0) times[i].low ^= a;
    }
    ElementBytes product;
    for (int shift = 60; shift >= 0; shift -= 4) {
      product.high = (product.high << 4) | (product.low >> 60);
      product.low <<= 4;
      const ElementBytes& part = times[(b >> shift) & 15];
      product.low ^= part.low;
      product.high ^= part.high;
    }
    return product;
  }

  ElementBytes at_;
};

#ifdef __PCLMUL__
class NativeElement {
 public:
  NativeElement() : at_(_mm_setzero_si128()) {}
  explicit NativeElement(std::uint64_t low) : at_(_mm_cvtsi64_si128(static_cast<long long>(low))) {}
  explicit NativeElement(const ElementBytes& bytes) : at_(_mm_loadu_si128(reinterpret_cast<const __m128i*>(&bytes))) {}
  ElementBytes bytes() const {
    ElementBytes result;
    _mm_storeu_si128(reinterpret_cast<__m128i*>(&result), at_);
    return result;
  }

  friend NativeElement operator+(NativeElement a, NativeElement b) { return NativeElement(_mm_xor_si128(a.at_, b.at_)); }
  friend NativeElement operator*(NativeElement a, NativeElement b) {
    const __m128i middle =
        _mm_xor_si128(_mm_clmulepi64_si128(a.at_, b.at_, 0x01), _mm_clmulepi64_si128(a.at_, b.at_, 0x10));
    const __m128i low = _mm_xor_si128(_mm_clmulepi64_si128(a.at_, b.at_, 0x00), _mm_slli_si128(middle, 8));
    const __m128i high = _mm_xor_si128(_mm_clmulepi64_si128(a.at_, b.at_, 0x11), _mm_srli_si128(middle, 8));
    // The upper half of `high` first: what is folded down may reach into the lower half.
    const __m128i folded = _mm_clmulepi64_si128(high, folded_down(), 0x01);
    const __m128i rest = _mm_clmulepi64_si128(_mm_xor_si128(high, _mm_srli_si128(folded, 8)), folded_down(), 0x00);
    return NativeElement(_mm_xor_si128(_mm_xor_si128(low, rest), _mm_slli_si128(folded, 8)));
  }

  /// A sum of products of elements and polynomials below x^64.
  class Sum {
   public:
    void add(NativeElement coefficient, std::uint64_t factor) {
      const __m128i by = _mm_cvtsi64_si128(static_cast<long long>(factor));
      lower_ = _mm_xor_si128(lower_, _mm_clmulepi64_si128(coefficient.at_, by, 0x00));
      upper_ = _mm_xor_si128(upper_, _mm_clmulepi64_si128(coefficient.at_, by, 0x01));
    }
    NativeElement value() const {
      const __m128i folded = _mm_clmulepi64_si128(upper_, folded_down(), 0x01);
      return NativeElement(_mm_xor_si128(_mm_xor_si128(lower_, _mm_slli_si128(upper_, 8)), folded));
    }

   private:
    __m128i lower_ = _mm_setzero_si128(), upper_ = _mm_setzero_si128();  // the latter times x^64
  };

 private:
  explicit NativeElement(__m128i at) : at_(at) {}
  static __m128i folded_down() { return _mm_cvtsi64_si128(kFoldedDown); }

  __m128i at_;
};
#endif

}  // namespace assay::support
