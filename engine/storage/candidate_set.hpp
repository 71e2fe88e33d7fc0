/// Records met since the last look at the disk, each once, in memory of fixed size.
#pragma once

#include <cstdint>
#include <span>

#include "storage/packed_layout.hpp"
#include "support/hash.hpp"
#include "support/memory.hpp"

namespace assay::storage {

/// An open-addressing table in one block of memory. It uses only as much of the
/// block as its records need, so that a small level costs little; `sort` turns
/// the table into a sorted array in place.
class CandidateSet {
 public:
  /// Never more than this many bytes.
  explicit CandidateSet(std::size_t bytes);

  /// Empty, for records of this width, with room for about `expected` of them.
  void start(std::uint32_t record_words, std::uint64_t expected);

  std::uint64_t size() const { return size_; }
  std::uint32_t record_words() const { return words_; }

  std::uint64_t hash(const std::uint64_t* record) const {
    if (words_ == 1) return support::fold_multiply(record[0] ^ 0xA0761D6478BD642Full, 0xE7037ED1A0B428DBull);
    return support::hash_words(record, words_, 0);
  }
  void prefetch(std::uint64_t hash) const {
    __builtin_prefetch(slots_ + support::scale(hash, capacity_) * words_, 1);
  }

  /// False: there is no room; sort, take the records out and start again.
  bool add(const std::uint64_t* record, std::uint64_t hash);

  /// The records in ascending order, from `sorted()` on. Until `start` nothing can be added.
  void sort();
  const std::uint64_t* sorted() const { return slots_; }

  /// Gives half of the block back; nothing of the set is left then.
  void halve();
  std::size_t bytes() const { return pages_.bytes(); }

  /// The whole block, for somebody who needs memory for a while; nothing of the set is left then.
  std::span<std::uint64_t> lend() {
    start(words_, 0);
    return {slots_, words_of_block_};
  }

 private:
  // An empty slot holds this in all its words; the one record that looks the
  // same is kept as a flag.
  static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};

  bool is_empty(const std::uint64_t* slot) const {
    for (std::uint32_t i = 0; i < words_; ++i) {
      if (slot[i] != kEmpty) return false;
    }
    return true;
  }
  void clear(std::uint64_t capacity);
  bool grow();
  void compact();

  support::Pages pages_;
  std::uint64_t* slots_ = nullptr;
  std::uint64_t words_of_block_;
  std::uint32_t words_ = 1;
  std::uint64_t most_ = 0;  // slots that fit the block
  std::uint64_t capacity_ = 0;
  std::uint64_t limit_ = 0;
  std::uint64_t size_ = 0;
  bool has_empty_record_ = false;
};

/// Sorts `count` records of `words` words each, in place and without more
/// memory: by one byte after another from the most significant on.
void sort_records(std::uint64_t* records, std::uint64_t count, std::uint32_t words);

}  // namespace assay::storage
