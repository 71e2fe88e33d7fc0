#include "storage/packed_layout.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace assay::storage {
namespace {

std::uint64_t ones(std::uint32_t bits) {
  return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

/// The bits of a word under a mask, moved together; run by run of the mask.
std::uint64_t compress(std::uint64_t word, std::uint64_t mask) {
  std::uint64_t result = 0;
  std::uint32_t at = 0;
  while (mask != 0) {
    const auto low = static_cast<std::uint32_t>(std::countr_zero(mask));
    const auto run = static_cast<std::uint32_t>(std::countr_one(mask >> low));
    result |= ((word >> low) & ones(run)) << at;
    at += run;
    mask &= ~(ones(run) << low);
  }
  return result;
}

/// The opposite.
std::uint64_t expand(std::uint64_t bits, std::uint64_t mask) {
  std::uint64_t result = 0;
  while (mask != 0) {
    const auto low = static_cast<std::uint32_t>(std::countr_zero(mask));
    const auto run = static_cast<std::uint32_t>(std::countr_one(mask >> low));
    result |= (bits & ones(run)) << low;
    bits = run >= 64 ? 0 : bits >> run;
    mask &= ~(ones(run) << low);
  }
  return result;
}

#if defined(__x86_64__)
__attribute__((target("bmi2"))) std::uint64_t compress_fast(std::uint64_t word, std::uint64_t mask) {
  return _pext_u64(word, mask);
}
#else
std::uint64_t compress_fast(std::uint64_t word, std::uint64_t mask) { return compress(word, mask); }
#endif

bool has_fast_bits() {
#if defined(__x86_64__)
  static const bool has = __builtin_cpu_supports("bmi2") != 0;
  return has;
#else
  return false;
#endif
}

}  // namespace

PackedLayout::PackedLayout(const std::uint64_t* initial, std::uint32_t count, std::uint32_t max_words)
    : max_words_(max_words) {
  auto base = std::make_shared<std::vector<std::uint64_t>>(std::size_t{count} + 1);
  (*base)[0] = count;
  std::copy(initial, initial + count, base->begin() + 1);
  base_ = std::move(base);
  finish();
}

PackedLayout::PackedLayout(const PackedLayout& other, std::vector<std::uint64_t> masks)
    : max_words_(other.max_words_), base_(other.base_), masks_(std::move(masks)) {
  if (masks_.size() > std::size_t{max_words_} + 1)
    throw std::invalid_argument("a layout has one mask per word");
  finish();
}

void PackedLayout::finish() {
  // States are often much shorter than they may be, and there can be many layouts.
  while (masks_.size() > 1 && masks_.back() == 0) masks_.pop_back();
  if (masks_.empty()) masks_.push_back(0);
  masks_.shrink_to_fit();
  std::uint64_t bits = 0;
  places_.resize(masks_.size());
  for (std::uint32_t i = 0; i < masks_.size(); ++i) {
    if (masks_[i] == 0) continue;
    places_[i] = {static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(std::popcount(masks_[i]))};
    live_.push_back(
        {i, static_cast<std::uint32_t>(std::popcount(masks_[i])), masks_[i], base_of(i) & ~masks_[i]});
    bits += live_.back().bits;
  }
  for (std::uint32_t i = 1; i < base_->size(); ++i) {
    if ((base_of(i) & ~mask_of(i)) != 0) shortest_ = i;
  }
  record_words_ = std::max<std::uint32_t>(1, static_cast<std::uint32_t>((bits + 63) / 64));
}

template <class Compress>
inline void PackedLayout::pack_with(const std::uint64_t* words, std::uint32_t count, std::uint64_t* record,
                                    Compress compress_bits) const {
  std::uint64_t pending = 0;
  std::uint32_t room = 64;
  std::uint64_t* const end = record + record_words_;
  for (const Live& live : live_) {
    const std::uint64_t word = live.word == 0 ? count : live.word <= count ? words[live.word - 1] : 0;
    const std::uint64_t bits = compress_bits(word, live.mask);
    if (live.bits < room) {
      room -= live.bits;
      pending |= bits << room;
      continue;
    }
    const std::uint32_t rest = live.bits - room;
    *record++ = pending | (bits >> rest);
    room = 64 - rest;
    pending = rest == 0 ? 0 : bits << room;
  }
  if (record != end) *record = pending;
}

template <class Expand>
inline void PackedLayout::unpack_with(const std::uint64_t* record, std::uint64_t* words,
                                      Expand expand_bits) const {
  std::uint32_t used = 0;  // bits of *record
  for (const Live& live : live_) {
    std::uint64_t bits = *record << used;  // the wanted ones stand highest
    if (used + live.bits > 64) bits |= record[1] >> (64 - used);
    used += live.bits;
    if (used >= 64) {
      used -= 64;
      ++record;
    }
    bits >>= 64 - live.bits;
    if (live.word == 0) continue;
    words[live.word - 1] = live.fixed | expand_bits(bits, live.mask);
  }
}

#if defined(__x86_64__)
__attribute__((target("bmi2"))) void PackedLayout::pack_fast(const std::uint64_t* words, std::uint32_t count,
                                                             std::uint64_t* record) const {
  // Written out: a lambda would not be compiled for the same processor.
  std::uint64_t pending = 0;
  std::uint32_t room = 64;
  std::uint64_t* const end = record + record_words_;
  for (const Live& live : live_) {
    const std::uint64_t word = live.word == 0 ? count : live.word <= count ? words[live.word - 1] : 0;
    const std::uint64_t bits = _pext_u64(word, live.mask);
    if (live.bits < room) {
      room -= live.bits;
      pending |= bits << room;
      continue;
    }
    const std::uint32_t rest = live.bits - room;
    *record++ = pending | (bits >> rest);
    room = 64 - rest;
    pending = rest == 0 ? 0 : bits << room;
  }
  if (record != end) *record = pending;
}

__attribute__((target("bmi2"))) void PackedLayout::unpack_fast(const std::uint64_t* record,
                                                               std::uint64_t* words) const {
  std::uint32_t used = 0;
  for (const Live& live : live_) {
    std::uint64_t bits = *record << used;
    if (used + live.bits > 64) bits |= record[1] >> (64 - used);
    used += live.bits;
    if (used >= 64) {
      used -= 64;
      ++record;
    }
    bits >>= 64 - live.bits;
    if (live.word == 0) continue;
    words[live.word - 1] = live.fixed | _pdep_u64(bits, live.mask);
  }
}
#else
void PackedLayout::pack_fast(const std::uint64_t* words, std::uint32_t count, std::uint64_t* record) const {
  pack_with(words, count, record, compress);
}
void PackedLayout::unpack_fast(const std::uint64_t* record, std::uint64_t* words) const {
  unpack_with(record, words, expand);
}
#endif

bool PackedLayout::pack(const std::uint64_t* words, std::uint32_t count, std::uint64_t* record) const {
  std::uint64_t new_bits = (count ^ base_of(0)) & ~masks_[0];
  const std::uint64_t* const base = base_->data() + 1;
  const std::uint64_t* const masks = masks_.data() + 1;
  const auto in_both =
      static_cast<std::uint32_t>(std::min({std::size_t{count}, base_->size() - 1, masks_.size() - 1}));
  for (std::uint32_t i = 0; i < in_both; ++i) new_bits |= (words[i] ^ base[i]) & ~masks[i];
  for (std::uint32_t i = in_both; i < count; ++i) new_bits |= (words[i] ^ base_of(i + 1)) & ~mask_of(i + 1);
  // A word that is missing here is zero: it must not have a fixed bit.
  if (new_bits != 0 || count < shortest_) return false;
  if (has_fast_bits()) {
    pack_fast(words, count, record);
  } else {
    pack_with(words, count, record, compress);
  }
  return true;
}

void PackedLayout::put(std::uint64_t* record, Place place, std::uint64_t bits) {
  record += place.first / 64;
  const std::uint32_t end = place.first % 64 + place.bits;
  if (end <= 64) {
    const std::uint32_t shift = 64 - end;
    *record = (*record & ~(ones(place.bits) << shift)) | bits << shift;
    return;
  }
  const std::uint32_t rest = end - 64;  // bits of the next word
  *record = (*record & ~ones(place.bits - rest)) | bits >> rest;
  record[1] = (record[1] & ones(64 - rest)) | bits << (64 - rest);
}

bool PackedLayout::pack_like(const std::uint64_t* known, const std::uint64_t* known_record,
                             const std::uint64_t* words, std::uint32_t count, std::uint64_t* record) const {
  std::copy_n(known_record, record_words_, record);
  constexpr std::uint32_t kBlock = 8;
  for (std::uint32_t first = 0; first < count; first += kBlock) {
    const std::uint32_t end = std::min(first + kBlock, count);
    std::uint64_t differing = 0;
    for (std::uint32_t i = first; i < end; ++i) differing |= words[i] ^ known[i];
    if (differing == 0) continue;
    for (std::uint32_t i = first; i < end; ++i) {
      if (words[i] == known[i]) continue;
      const std::uint64_t mask = mask_of(i + 1);
      if (((words[i] ^ base_of(i + 1)) & ~mask) != 0) return false;
      // A word that differs where it may has bits in the record.
      put(record, places_[i + 1], has_fast_bits() ? compress_fast(words[i], mask) : compress(words[i], mask));
    }
  }
  return true;
}

std::uint32_t PackedLayout::unpack(const std::uint64_t* record, std::uint64_t* words) const {
  std::uint64_t length = base_of(0);
  if (!live_.empty() && live_[0].word == 0) {
    length = live_[0].fixed | expand(*record >> (64 - live_[0].bits), live_[0].mask);
  }
  // States are often much shorter than they may be: what lies behind them is nobody's business.
  if (length > max_words_) return max_words_ + 1;
  const std::uint64_t known = std::min<std::uint64_t>(length, base_->size() - 1);
  std::memcpy(words, base_->data() + 1, known * sizeof(std::uint64_t));
  std::memset(words + known, 0, (length - known) * sizeof(std::uint64_t));
  if (has_fast_bits()) {
    unpack_fast(record, words);
  } else {
    unpack_with(record, words, expand);
  }
  return static_cast<std::uint32_t>(length);
}

RecordTranslation::RecordTranslation(const PackedLayout& from, const PackedLayout& to)
    : parts_(to.record_words()) {
  const auto of_word = [](const std::vector<std::uint64_t>& words, std::size_t i) {
    return i < words.size() ? words[i] : 0;
  };
  std::uint32_t at = 0, taken = 0;  // bits of the new record, and of the old one
  for (std::size_t i = 0; i < to.masks().size(); ++i) {
    const std::uint64_t mask = to.masks()[i], old = of_word(from.masks(), i), base = of_word(to.base(), i);
    for (std::uint32_t bit = 64; bit-- > 0;) {
      const std::uint64_t here = std::uint64_t{1} << bit;
      if ((mask & here) == 0) continue;
      Part& part = parts_[at / 64];
      const std::uint64_t place = std::uint64_t{1} << (63 - at % 64);
      if ((old & here) != 0) {
        if (part.bits++ == 0) part.first = taken;
        part.taken |= place;
        ++taken;
      } else if ((base & here) != 0) {
        part.fixed |= place;
      }
      ++at;
    }
  }
}

template <class Expand>
inline void RecordTranslation::move_with(const std::uint64_t* record, std::uint64_t* out,
                                         Expand expand_bits) const {
  for (const Part& part : parts_) {
    std::uint64_t word = part.fixed;
    if (part.bits != 0) {
      const std::uint32_t word_number = part.first / 64, used = part.first % 64;
      std::uint64_t bits = record[word_number] << used;
      if (used + part.bits > 64) bits |= record[word_number + 1] >> (64 - used);
      word |= expand_bits(bits >> (64 - part.bits), part.taken);
    }
    *out++ = word;
  }
}

#if defined(__x86_64__)
__attribute__((target("bmi2"))) void RecordTranslation::move_fast(const std::uint64_t* record,
                                                                  std::uint64_t* out) const {
  for (const Part& part : parts_) {
    std::uint64_t word = part.fixed;
    if (part.bits != 0) {
      const std::uint32_t word_number = part.first / 64, used = part.first % 64;
      std::uint64_t bits = record[word_number] << used;
      if (used + part.bits > 64) bits |= record[word_number + 1] >> (64 - used);
      word |= _pdep_u64(bits >> (64 - part.bits), part.taken);
    }
    *out++ = word;
  }
}
#else
void RecordTranslation::move_fast(const std::uint64_t* record, std::uint64_t* out) const {
  move_with(record, out, expand);
}
#endif

void RecordTranslation::operator()(const std::uint64_t* record, std::uint64_t* out) const {
  if (has_fast_bits()) {
    move_fast(record, out);
  } else {
    move_with(record, out, expand);
  }
}

PackedLayout PackedLayout::widened(const std::uint64_t* words, std::uint32_t count, bool has_numbers) const {
  std::vector<std::uint64_t> masks = masks_;
  masks.resize(std::max({masks.size(), base_->size(), std::size_t{count} + 1}));
  masks[0] |= count ^ base_of(0);
  for (std::uint32_t i = 1; i < masks.size(); ++i) {
    const std::uint64_t differing = (i <= count ? words[i - 1] : 0) ^ base_of(i);
    const auto width = static_cast<std::uint32_t>(std::bit_width(differing));
    const bool is_new = (differing & ~masks[i]) != 0;
    // Numbers that are counted up will have these bits soon.
    masks[i] |= has_numbers && is_new ? ones((width + 3) / 4 * 4) : differing;
  }
  return PackedLayout(*this, std::move(masks));
}

}  // namespace assay::storage
