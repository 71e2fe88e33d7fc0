/// The keyed hash of a state's content: a linear form with secret coefficients.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "support/binary_field.hpp"

namespace assay::evidence {

/// How many secret bytes states of that many words need. A rank counts as one more word.
inline std::size_t secret_bytes(std::uint32_t max_words) {
  return (2 + std::size_t{max_words}) * sizeof(support::ElementWords);
}

/// In the field of 2^192 elements, for a state w of n words with number i:
///
///     h(i, w) = i + a(0)*n + a(1)*w(1) + ... + a(n)*w(n)
///
/// A number or word of 64 bits is the element with these bits. Two different
/// pairs (i, w) collide with probability at most 2^-192 over the secrets: either
/// only their numbers differ, then h differs; or h differs by a linear form that
/// is not zero. Because h is linear, what it gives for a successor follows from
/// its parent by the words that changed; no component has to be interned.
///
/// A rank r adds a(m+1)*r, where m is the length of the longest state: as a word that every state has there. In scripts with
/// ranks every number is 0, because references have none.
///
/// All that is ever needed is g - h(i, w) for a secret point g, so a state is
/// kept as g - h(0, w): its *mark*.
template <class Element>
class ContentHash {
 public:
  ContentHash(const std::string& secrets, std::uint32_t max_words, bool is_ranked = false) {
    if (secrets.size() < secret_bytes(max_words + (is_ranked ? 1 : 0))) {
      throw std::invalid_argument("too few secret bytes for the length of the states");
    }
    const char* next = secrets.data();
    const auto draw = [&next] {
      support::ElementWords drawn;
      std::memcpy(&drawn, next, sizeof drawn);
      next += sizeof drawn;
      return Element(drawn);
    };
    point_ = draw();
    of_length_ = draw();
    for (std::uint32_t i = 0; i < max_words; ++i) of_word_.push_back(draw());
    if (is_ranked) of_rank_ = draw();
  }

  Element mark(const std::uint64_t* words, std::uint32_t length) const {
    typename Element::Sum sum;
    sum.add(of_length_, length);
    for (std::uint32_t i = 0; i < length; ++i) sum.add(of_word_[i], words[i]);
    return point_ + sum.value();
  }

  Element with_rank(const Element& known, std::uint32_t rank) const {
    typename Element::Sum sum;
    sum.add(of_rank_, rank);
    return known + sum.value();
  }

  /// The mark of a state that differs from a known one in few words. Inlined
  /// and written out, because this is the innermost loop of certification.
  [[gnu::always_inline]] Element mark_of_similar(Element known, const std::uint64_t* from,
                                                 std::uint32_t from_length, const std::uint64_t* to,
                                                 std::uint32_t to_length) const {
    if (from_length != to_length) [[unlikely]]
      return mark(to, to_length);
    typename Element::Sum sum;
    for (std::uint32_t base = 0; base < to_length; base += kWordsAtOnce) {
      const std::uint32_t end = to_length - base < kWordsAtOnce ? to_length : base + kWordsAtOnce;
      std::uint64_t different = different_words(from + base, to + base, end - base);
      for (; different != 0; different &= different - 1) {
        const std::uint32_t i = base + static_cast<std::uint32_t>(std::countr_zero(different));
        sum.add(of_word_[i], from[i] ^ to[i]);
      }
    }
    return known + sum.value();
  }

 private:
  static constexpr std::uint32_t kWordsAtOnce = 64;

  /// A bit for each of at most 64 words. Which of them differ cannot be predicted, so there are no
  /// branches; several at once, where every processor can do that.
  [[gnu::always_inline]] static std::uint64_t different_words(const std::uint64_t* a, const std::uint64_t* b,
                                                              std::uint32_t count) {
    std::uint64_t different = 0;
#ifdef __SSE2__
    const auto look_at_four = [&](std::uint32_t i) __attribute__((always_inline)) {
      const auto equal = [&](std::uint32_t at) {
        return _mm_castsi128_ps(_mm_cmpeq_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(a + at)),
                                                _mm_loadu_si128(reinterpret_cast<const __m128i*>(b + at))));
      };
      const __m128 first = equal(i), second = equal(i + 2);
      const __m128 lower_halves = _mm_shuffle_ps(first, second, _MM_SHUFFLE(2, 0, 2, 0));
      const __m128 upper_halves = _mm_shuffle_ps(first, second, _MM_SHUFFLE(3, 1, 3, 1));
      const int same = _mm_movemask_ps(_mm_and_ps(lower_halves, upper_halves));
      different |= static_cast<std::uint64_t>(same ^ 0xF) << i;
    };
    if (count >= 4) {
      for (std::uint32_t i = 0; i + 4 < count; i += 4) look_at_four(i);
      look_at_four(count - 4);  // some of them perhaps twice
      return different;
    }
#endif
    for (std::uint32_t i = 0; i < count; ++i) different |= std::uint64_t{a[i] != b[i]} << i;
    return different;
  }

  Element point_, of_length_, of_rank_;
  std::vector<Element> of_word_;
};

}  // namespace assay::evidence
