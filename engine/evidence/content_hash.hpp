/// The keyed hash of a state's content: a linear form with secret coefficients.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/prime_field.hpp"

namespace assay::evidence {

/// Three independent times, modulo p = 2^61 - 1, for a state w of n words with
/// number i:
///
///     h(i, w) = i + a(0)*n + sum of a(k)*low(w(k)) + b(k)*high(w(k))
///
/// A word is taken as its low 60 and its high 4 bits, because it may be larger
/// than p. Two different pairs (i, w) collide in one of the three with
/// probability at most 2^-60 over the secrets: either only their numbers
/// differ, then h differs; or h differs by a linear form that is not zero.
/// Because h is linear, what it gives for a successor follows from its parent
/// by the words that changed; no component has to be interned.
///
/// All that is ever needed is g - h(i, w) for a secret point g, so a state is
/// kept as g - h(0, w): its *mark*.
class ContentHash {
 public:
  using Element = support::FieldElement;
  using Mark = support::FieldLanes;

  /// How many secret bytes states of that many words need.
  static std::size_t secret_bytes(std::uint32_t max_words) {
    return (2 + 2 * std::size_t{max_words}) * Mark::kCount * sizeof(std::uint64_t);
  }

  ContentHash(const std::string& secrets, std::uint32_t max_words) {
    if (secrets.size() < secret_bytes(max_words)) {
      throw std::invalid_argument("too few secret bytes for the length of the states");
    }
    const char* next = secrets.data();
    const auto draw = [&next] {
      Mark drawn;
      for (Element& element : drawn.lane) {
        std::uint64_t word = 0;
        std::memcpy(&word, next, sizeof word);
        next += sizeof word;
        element = Element(word >> 3);
      }
      return drawn;
    };
    point_ = draw();
    of_length_ = draw();
    for (std::uint32_t i = 0; i < max_words; ++i) {
      const Mark low = draw(), high = draw();
      of_word_.push_back({low, high});
    }
  }

  Mark mark(const std::uint64_t* words, std::uint32_t length) const {
    Mark result = point_;
    for (std::size_t l = 0; l < Mark::kCount; ++l) {
      Element sum = of_length_.lane[l] * Element(length);
      for (std::uint32_t i = 0; i < length; ++i) {
        sum = sum + of_word_[i].low.lane[l] * Element(words[i] & kLow) +
              of_word_[i].high.lane[l] * Element(words[i] >> kLowBits);
      }
      result.lane[l] = result.lane[l] - sum;
    }
    return result;
  }

  /// The mark of a state that differs from a known one in few words. Inlined
  /// and written out, because this is the innermost loop of certification.
  [[gnu::always_inline]] Mark mark_of_similar(const Mark& known, const std::uint64_t* from, std::uint32_t from_length,
                                              const std::uint64_t* to, std::uint32_t to_length) const {
    if (from_length != to_length) [[unlikely]] return mark(to, to_length);
    Mark result = known;
    Element::Wide sum0 = 0, sum1 = 0, sum2 = 0;
    const auto add = [&](const Mark& coefficients, std::uint64_t factor) {
      sum0 += Element::Wide{coefficients.lane[0].value()} * factor;
      sum1 += Element::Wide{coefficients.lane[1].value()} * factor;
      sum2 += Element::Wide{coefficients.lane[2].value()} * factor;
    };
    for (std::uint32_t base = 0; base < to_length; base += kWordsAtOnce) {
      const std::uint32_t end = to_length - base < kWordsAtOnce ? to_length : base + kWordsAtOnce;
      // Which words differ cannot be predicted, so it is found out without branches.
      std::uint32_t different = 0;
      for (std::uint32_t i = base; i < end; ++i) different |= std::uint32_t{from[i] != to[i]} << (i - base);
      for (; different != 0; different &= different - 1) {
        const std::uint32_t i = base + static_cast<std::uint32_t>(std::countr_zero(different));
        const Coefficients& coefficients = of_word_[i];
        add(coefficients.low, Element::difference(to[i] & kLow, from[i] & kLow));
        if (((from[i] ^ to[i]) >> kLowBits) != 0) [[unlikely]] {
          add(coefficients.high, Element::difference(to[i] >> kLowBits, from[i] >> kLowBits));
        }
      }
      result.lane = {result.lane[0] + Element::of_sum(sum0), result.lane[1] + Element::of_sum(sum1),
                     result.lane[2] + Element::of_sum(sum2)};
      sum0 = sum1 = sum2 = 0;
    }
    return result;
  }

 private:
  static constexpr int kLowBits = 60;
  static constexpr std::uint64_t kLow = (std::uint64_t{1} << kLowBits) - 1;
  static constexpr std::uint32_t kWordsAtOnce = 24;  // two products each: fewer than `of_sum` takes

  struct Coefficients {
    Mark low, high;
  };

  Mark point_, of_length_;
  std::vector<Coefficients> of_word_;
};

}  // namespace assay::evidence
