/// Arithmetic in the field of 2^192 elements: polynomials over {0, 1} modulo
/// x^192 + x^7 + x^2 + x + 1. Sums and differences are exclusive ors; products
/// are carry-less ones, for which most processors have an instruction.
///
/// Two classes with the same interface: `PortableElement` for any processor,
/// and, in files compiled for the instruction, `NativeElement`.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#ifdef __PCLMUL__
#include <immintrin.h>
#endif

namespace assay::support {

/// The least significant bit of the first word is the coefficient of 1.
using ElementWords = std::array<std::uint64_t, 3>;

/// What is left of a polynomial of degree 192 or more: x^192 = x^7 + x^2 + x + 1.
inline constexpr std::uint64_t kFoldedDown = 0x87;

class PortableElement {
 public:
  PortableElement() = default;
  explicit PortableElement(std::uint64_t lowest) : at_{lowest, 0, 0} {}
  explicit PortableElement(const ElementWords& words) : at_(words) {}
  ElementWords words() const { return at_; }

  friend PortableElement operator+(PortableElement a, const PortableElement& b) {
    for (std::size_t i = 0; i < a.at_.size(); ++i) a.at_[i] ^= b.at_[i];
    return a;
  }
  friend PortableElement operator*(const PortableElement& a, const PortableElement& b) {
    PortableElement result;
    for (std::size_t i = b.at_.size(); i-- > 0;) {
      Sum sum;
      sum.add(a, b.at_[i]);
      result = result.times_x64() + sum.value();
    }
    return result;
  }

  /// A sum of products of elements and polynomials below x^64.
  class Sum {
   public:
    void add(const PortableElement& coefficient, std::uint64_t factor) {
      for (std::size_t i = 0; i < coefficient.at_.size(); ++i) {
        const Pair product = carryless(coefficient.at_[i], factor);
        at_[i] ^= product.low;
        at_[i + 1] ^= product.high;
      }
    }
    PortableElement value() const {
      const Pair folded = carryless(at_[3], kFoldedDown);
      return PortableElement(ElementWords{at_[0] ^ folded.low, at_[1] ^ folded.high, at_[2]});
    }

   private:
    std::array<std::uint64_t, 4> at_{};
  };

 private:
  struct Pair {
    std::uint64_t low = 0, high = 0;
  };

  PortableElement times_x64() const {
    const Pair folded = carryless(at_[2], kFoldedDown);
    return PortableElement(ElementWords{folded.low, at_[0] ^ folded.high, at_[1]});
  }
  /// Four bits of `b` at a time, from the top.
  static Pair carryless(std::uint64_t a, std::uint64_t b) {
    std::array<Pair, 16> times{};
    for (unsigned i = 1; i < 16; ++i) {
      const Pair& half = times[i / 2];
      times[i] = {half.low << 1, (half.high << 1) | (half.low >> 63)};
      if (i % 2 != 0) times[i].low ^= a;
    }
    Pair product;
    for (int shift = 60; shift >= 0; shift -= 4) {
      const Pair& part = times[(b >> shift) & 15];
      product = {(product.low << 4) ^ part.low, ((product.high << 4) | (product.low >> 60)) ^ part.high};
    }
    return product;
  }

  ElementWords at_{};
};

#ifdef __PCLMUL__
class NativeElement {
 public:
  NativeElement() : lower_(_mm_setzero_si128()), upper_(_mm_setzero_si128()) {}
  explicit NativeElement(std::uint64_t lowest)
      : lower_(_mm_cvtsi64_si128(static_cast<long long>(lowest))), upper_(_mm_setzero_si128()) {}
  explicit NativeElement(const ElementWords& words)
      : lower_(_mm_loadu_si128(reinterpret_cast<const __m128i*>(words.data()))),
        upper_(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(words.data() + 2))) {}
  ElementWords words() const {
    ElementWords result;
    _mm_storeu_si128(reinterpret_cast<__m128i*>(result.data()), lower_);
    _mm_storel_epi64(reinterpret_cast<__m128i*>(result.data() + 2), upper_);
    return result;
  }

  friend NativeElement operator+(const NativeElement& a, const NativeElement& b) {
    return {_mm_xor_si128(a.lower_, b.lower_), _mm_xor_si128(a.upper_, b.upper_)};
  }
  /// Inlined, whatever the compiler thinks of its size: a walk does it twice for each transition.
  [[gnu::always_inline]] friend NativeElement operator*(const NativeElement& a, const NativeElement& b) {
    // Two words each; the number is the power of x^64 that they are the factor of.
    const __m128i at0 = times<0x00>(a.lower_, b.lower_);
    const __m128i at1 = sum(times<0x01>(a.lower_, b.lower_), times<0x10>(a.lower_, b.lower_));
    const __m128i at2 = sum(sum(times<0x11>(a.lower_, b.lower_), times<0x00>(a.lower_, b.upper_)),
                            times<0x00>(a.upper_, b.lower_));
    const __m128i at3 = sum(times<0x01>(a.lower_, b.upper_), times<0x10>(a.upper_, b.lower_));
    const __m128i at4 = times<0x00>(a.upper_, b.upper_);
    const __m128i lower = sum(at0, _mm_slli_si128(at1, 8));  // two words
    const __m128i upper = sum(at2, _mm_srli_si128(at1, 8));  // one, in the lower half
    // Three stand above x^192, each in a lower half.
    const __m128i word3 = sum(_mm_srli_si128(upper, 8), at3);
    const __m128i word4 = sum(_mm_srli_si128(at3, 8), at4);
    const __m128i word5 = _mm_srli_si128(at4, 8);
    // The highest first: what is folded down from it may reach above x^192 again.
    const __m128i from5 = times<0x00>(word5, folded_down());
    const __m128i from4 = times<0x00>(word4, folded_down());
    const __m128i from3 = times<0x00>(sum(word3, _mm_srli_si128(from5, 8)), folded_down());
    return {sum(sum(lower, from3), _mm_slli_si128(from4, 8)),
            sum(sum(_mm_move_epi64(upper), _mm_srli_si128(from4, 8)), _mm_move_epi64(from5))};
  }

  /// A sum of products of elements and polynomials below x^64.
  class Sum {
   public:
    void add(const NativeElement& coefficient, std::uint64_t factor) {
      const __m128i by = _mm_cvtsi64_si128(static_cast<long long>(factor));
      at0_ = sum(at0_, times<0x00>(coefficient.lower_, by));
      at1_ = sum(at1_, times<0x01>(coefficient.lower_, by));
      at2_ = sum(at2_, times<0x00>(coefficient.upper_, by));
    }
    NativeElement value() const {
      const __m128i upper = sum(at2_, _mm_srli_si128(at1_, 8));
      const __m128i folded = times<0x01>(upper, folded_down());
      return {sum(sum(at0_, _mm_slli_si128(at1_, 8)), folded), _mm_move_epi64(upper)};
    }

   private:
    __m128i at0_ = _mm_setzero_si128(), at1_ = _mm_setzero_si128(), at2_ = _mm_setzero_si128();
  };

 private:
  NativeElement(__m128i lower, __m128i upper) : lower_(lower), upper_(upper) {}
  static __m128i folded_down() { return _mm_cvtsi64_si128(kFoldedDown); }
  static __m128i sum(__m128i a, __m128i b) { return _mm_xor_si128(a, b); }
  /// Of one half of each: 0x01 means the upper of `a` and the lower of `b`, 0x10 the other way round.
  template <int halves>
  static __m128i times(__m128i a, __m128i b) {
    return _mm_clmulepi64_si128(a, b, halves);
  }

  __m128i lower_, upper_;  // two words and one; the other half of the latter is zero
};
#endif

}  // namespace assay::support
