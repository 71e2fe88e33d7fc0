/// States as short records whose order survives every change of their layout.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace assay::storage {

/// Packs a state into the bits that were ever seen to differ from the initial
/// state, first word first, high bits first; one more word in front holds the
/// length of the state. Equal records mean equal states.
///
/// A bit that starts to differ makes the layout wider (`widened`). Records made
/// before agree with the initial state in that bit, so translating them keeps
/// their order: what was sorted under an old layout is sorted under a new one.
/// That is what lets sorted files outlive the layout they were written under,
/// and why nothing but masks has to be remembered: no table of values grows.
class PackedLayout {
 public:
  /// Only the initial state fits.
  PackedLayout(const std::uint64_t* initial, std::uint32_t count, std::uint32_t max_words);
  /// A layout with these masks, as `masks` gives them.
  PackedLayout(const PackedLayout& other, std::vector<std::uint64_t> masks);

  /// Words of a record, at least one.
  std::uint32_t record_words() const { return record_words_; }
  std::uint32_t max_words() const { return max_words_; }

  /// Writes the record of a state. False: it differs in a bit that has no place.
  bool pack(const std::uint64_t* words, std::uint32_t count, std::uint64_t* record) const;
  /// The same for a state that resembles another of the same length, whose record is known: only what differs is
  /// packed.
  bool pack_like(const std::uint64_t* known, const std::uint64_t* known_record, const std::uint64_t* words,
                 std::uint32_t count, std::uint64_t* record) const;
  /// Writes the state into room for `max_words()` words and answers its length;
  /// more than `max_words()` if this is no record of any state.
  std::uint32_t unpack(const std::uint64_t* record, std::uint64_t* words) const;
  /// The layout in which this state has a place too. `has_numbers`: words are
  /// numbers that are given out one after another, and others like them will follow.
  PackedLayout widened(const std::uint64_t* words, std::uint32_t count, bool has_numbers) const;

  /// What a layout consists of: the initial state, its length first, and a mask
  /// for each of these words and those that longer states have.
  const std::vector<std::uint64_t>& base() const { return *base_; }
  const std::vector<std::uint64_t>& masks() const { return masks_; }

 private:
  struct Live {
    std::uint32_t word;  // of base_
    std::uint32_t bits;
    std::uint64_t mask;
    std::uint64_t fixed;  // the other bits
  };
  /// Where the bits of a word stand in a record, counted from its highest bit.
  struct Place {
    std::uint32_t first = 0;
    std::uint32_t bits = 0;
  };
  void finish();
  static void put(std::uint64_t* record, Place place, std::uint64_t bits);
  template <class Compress>
  void pack_with(const std::uint64_t* words, std::uint32_t count, std::uint64_t* record,
                 Compress compress) const;
  template <class Expand>
  void unpack_with(const std::uint64_t* record, std::uint64_t* words, Expand expand) const;
  void pack_fast(const std::uint64_t* words, std::uint32_t count, std::uint64_t* record) const;
  void unpack_fast(const std::uint64_t* record, std::uint64_t* words) const;

  std::uint32_t max_words_;
  std::uint32_t record_words_ = 1;
  std::uint32_t shortest_ = 0;  // no state that fits has fewer words
  std::uint64_t base_of(std::size_t word) const { return word < base_->size() ? (*base_)[word] : 0; }
  std::uint64_t mask_of(std::size_t word) const { return word < masks_.size() ? masks_[word] : 0; }

  std::shared_ptr<const std::vector<std::uint64_t>>
      base_;                          // the length, then the words; all layouts share it
  std::vector<std::uint64_t> masks_;  // bits that differ somewhere
  std::vector<Live> live_;            // words with such bits
  std::vector<Place> places_;         // of each word that has a mask
};

/// From records of one layout to those of a wider one. What the wider one has more are bits in which all older
/// states agree with the initial one, and the others keep their order: so bits are only moved apart.
class RecordTranslation {
 public:
  RecordTranslation(const PackedLayout& from, const PackedLayout& to);

  void operator()(const std::uint64_t* record, std::uint64_t* out) const;

 private:
  struct Part {
    std::uint64_t taken;  // bits of this word that come from the old record
    std::uint64_t fixed;  // what the others are
    std::uint32_t first;  // of those taken, in the old record
    std::uint32_t bits;   // how many
  };
  template <class Expand>
  void move_with(const std::uint64_t* record, std::uint64_t* out, Expand expand) const;
  void move_fast(const std::uint64_t* record, std::uint64_t* out) const;

  std::vector<Part> parts_;  // one for each word of the new record
};

/// Lexicographic: negative, zero or positive.
inline int compare_records(const std::uint64_t* a, const std::uint64_t* b, std::uint32_t words) {
  for (std::uint32_t i = 0; i < words; ++i) {
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  }
  return 0;
}

}  // namespace assay::storage
