/// The keyed hash of a state's content: a linear form with secret coefficients.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/prime_field.hpp"

namespace assay::evidence {

/// h(i, w) = b*i + a(0)*n + a(1)*w(1) + ... + a(n)*w(n) modulo p = 2^127 - 1, for
/// a state w of n words with number i. Two different pairs (i, w) collide with
/// probability 1/p over the secrets. Because h is linear, what it gives for a
/// successor follows from its parent by the words that changed; no component
/// has to be interned.
///
/// All that is ever needed is g - h(i, w), so a state is kept as
/// g - h(0, w): its *mark*.
class ContentHash {
 public:
  using Element = support::FieldElement;

  ContentHash(const std::string& secrets, std::uint32_t max_words) {
    const std::size_t count = std::size_t{max_words} + 3;
    if (secrets.size() < count * 16) throw std::invalid_argument("too few secret bytes for the length of the states");
    const auto* bytes = reinterpret_cast<const unsigned char*>(secrets.data());
    point_ = Element::from_bytes(bytes);
    of_number_ = Element::from_bytes(bytes + 16);
    of_length_ = Element::from_bytes(bytes + 32);
    for (std::size_t i = 3; i < count; ++i) of_word_.push_back(Element::from_bytes(bytes + 16 * i));
  }

  Element mark(const std::uint64_t* words, std::uint32_t length) const {
    Element sum = of_length_ * std::uint64_t{length};
    for (std::uint32_t i = 0; i < length; ++i) sum = sum + of_word_[i] * words[i];
    return point_ - sum;
  }

  /// The mark of a state that differs from a known one in few words.
  Element mark_of_similar(Element known, const std::uint64_t* from, std::uint32_t from_length, const std::uint64_t* to,
                          std::uint32_t to_length) const {
    if (from_length != to_length) [[unlikely]] return mark(to, to_length);
    std::uint32_t i = 0;
    for (; i + 4 <= to_length; i += 4) {
      const std::uint64_t d0 = from[i] ^ to[i], d1 = from[i + 1] ^ to[i + 1], d2 = from[i + 2] ^ to[i + 2],
                          d3 = from[i + 3] ^ to[i + 3];
      if ((d0 | d1 | d2 | d3) == 0) continue;
      if (d0 != 0) known = changed(known, i, from[i], to[i]);
      if (d1 != 0) known = changed(known, i + 1, from[i + 1], to[i + 1]);
      if (d2 != 0) known = changed(known, i + 2, from[i + 2], to[i + 2]);
      if (d3 != 0) known = changed(known, i + 3, from[i + 3], to[i + 3]);
    }
    for (; i < to_length; ++i) {
      if (from[i] != to[i]) known = changed(known, i, from[i], to[i]);
    }
    return known;
  }

  /// g - h(number, state), from the mark of the state.
  Element factor(Element mark, std::uint64_t number) const { return mark - of_number_ * number; }

 private:
  Element changed(Element known, std::uint32_t i, std::uint64_t from, std::uint64_t to) const {
    const bool grows = to > from;
    return known + (of_word_[i] * (grows ? to - from : from - to)).negative_if(grows);
  }

  Element point_, of_number_, of_length_;
  std::vector<Element> of_word_;
};

}  // namespace assay::evidence
