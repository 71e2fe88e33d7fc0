#include "storage/candidate_set.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace assay::storage {
namespace {

constexpr std::uint64_t kSmallest = 256;  // slots
constexpr std::uint64_t kInsertionSort = 24;
// Deeper than this only records go that agree in many bytes; a heap needs no stack for them.
constexpr std::uint32_t kDeepest = 32;

void swap_records(std::uint64_t* a, std::uint64_t* b, std::uint32_t words) {
  for (std::uint32_t i = 0; i < words; ++i) std::swap(a[i], b[i]);
}

void insertion_sort(std::uint64_t* records, std::uint64_t count, std::uint32_t words) {
  for (std::uint64_t i = 1; i < count; ++i) {
    for (std::uint64_t j = i; j > 0; --j) {
      std::uint64_t* const here = records + j * words;
      if (compare_records(here - words, here, words) <= 0) break;
      swap_records(here - words, here, words);
    }
  }
}

void heap_sort(std::uint64_t* records, std::uint64_t count, std::uint32_t words) {
  const auto sift = [&](std::uint64_t root, std::uint64_t end) {
    for (std::uint64_t child = 2 * root + 1; child < end; child = 2 * root + 1) {
      if (child + 1 < end &&
          compare_records(records + child * words, records + (child + 1) * words, words) < 0)
        ++child;
      if (compare_records(records + root * words, records + child * words, words) >= 0) return;
      swap_records(records + root * words, records + child * words, words);
      root = child;
    }
  };
  for (std::uint64_t i = count / 2; i-- > 0;) sift(i, count);
  for (std::uint64_t end = count; end-- > 1;) {
    swap_records(records, records + end * words, words);
    sift(0, end);
  }
}

void sort_from_byte(std::uint64_t* records, std::uint64_t count, std::uint32_t words, std::uint32_t byte,
                    std::uint32_t depth) {
  if (count <= kInsertionSort) {
    insertion_sort(records, count, words);
    return;
  }
  if (depth > kDeepest) {
    heap_sort(records, count, words);
    return;
  }
  std::uint64_t counts[256];
  for (;; ++byte) {
    if (byte == words * 8) return;  // all equal
    const std::uint64_t* at = records + byte / 8;
    const std::uint32_t shift = 56 - 8 * (byte % 8);
    std::memset(counts, 0, sizeof counts);
    for (std::uint64_t i = 0; i < count; ++i, at += words) ++counts[(*at >> shift) & 255];
    if (counts[(records[byte / 8] >> shift) & 255] != count) break;
  }
  const std::uint32_t word = byte / 8;
  const std::uint32_t shift = 56 - 8 * (byte % 8);
  std::uint64_t next[256], end[256];
  std::uint64_t total = 0;
  for (int digit = 0; digit < 256; ++digit) {
    next[digit] = total;
    total += counts[digit];
    end[digit] = total;
  }
  for (int digit = 0; digit < 256; ++digit) {
    while (next[digit] < end[digit]) {
      std::uint64_t* const here = records + next[digit] * words;
      const auto wanted = static_cast<int>((here[word] >> shift) & 255);
      if (wanted == digit) {
        ++next[digit];
        continue;
      }
      swap_records(here, records + next[wanted]++ * words, words);
    }
  }
  for (int digit = 0; digit < 256; ++digit) {
    if (counts[digit] > 1) {
      sort_from_byte(records + (end[digit] - counts[digit]) * words, counts[digit], words, byte + 1,
                     depth + 1);
    }
  }
}

}  // namespace

void sort_records(std::uint64_t* records, std::uint64_t count, std::uint32_t words) {
  sort_from_byte(records, count, words, 0, 0);
}

CandidateSet::CandidateSet(std::size_t bytes)
    : pages_(std::max<std::size_t>(bytes, kSmallest * sizeof(std::uint64_t))),
      slots_(pages_.as<std::uint64_t>()),
      words_of_block_(pages_.bytes() / sizeof(std::uint64_t)) {}

void CandidateSet::halve() {
  const std::size_t bytes = std::max<std::size_t>(pages_.bytes() / 2, kSmallest * sizeof(std::uint64_t));
  pages_.release();
  pages_ = support::Pages(bytes);
  slots_ = pages_.as<std::uint64_t>();
  words_of_block_ = pages_.bytes() / sizeof(std::uint64_t);
  start(words_, 0);
}

void CandidateSet::start(std::uint32_t record_words, std::uint64_t expected) {
  words_ = record_words;
  most_ = words_of_block_ / words_;
  if (most_ < 8) throw std::bad_alloc();
  size_ = 0;
  has_empty_record_ = false;
  clear(std::min(most_, std::max(kSmallest, expected * 2)));
}

void CandidateSet::clear(std::uint64_t capacity) {
  capacity_ = capacity;
  limit_ = capacity / 4 * 3;
  std::memset(slots_, 0xFF, capacity * words_ * sizeof(std::uint64_t));
}

bool CandidateSet::add(const std::uint64_t* record, std::uint64_t hash) {
  if (size_ >= limit_ && !grow()) return false;
  std::uint64_t at = support::scale(hash, capacity_);
  if (words_ == 1) {
    const std::uint64_t key = record[0];
    if (key != kEmpty) [[likely]] {
      for (;; at = at + 1 == capacity_ ? 0 : at + 1) {
        if (slots_[at] == key) return true;
        if (slots_[at] == kEmpty) {
          slots_[at] = key;
          ++size_;
          return true;
        }
      }
    }
  }
  if (is_empty(record)) {
    size_ += has_empty_record_ ? 0 : 1;
    has_empty_record_ = true;
    return true;
  }
  for (;; at = at + 1 == capacity_ ? 0 : at + 1) {
    std::uint64_t* const slot = slots_ + at * words_;
    if (compare_records(slot, record, words_) == 0) return true;
    if (is_empty(slot)) {
      std::memcpy(slot, record, std::size_t{words_} * sizeof(std::uint64_t));
      ++size_;
      return true;
    }
  }
}

/// A larger part of the block. The records wait at its end meanwhile.
bool CandidateSet::grow() {
  const std::uint64_t stored = size_ - (has_empty_record_ ? 1 : 0);
  const std::uint64_t capacity = std::min(capacity_ * 2, most_ - std::min(most_, stored));
  if (capacity < capacity_ / 2 * 3) return false;
  compact();
  std::uint64_t* const waiting = slots_ + (most_ - stored) * words_;
  std::memmove(waiting, slots_, stored * words_ * sizeof(std::uint64_t));
  clear(capacity);
  size_ = has_empty_record_ ? 1 : 0;
  for (std::uint64_t i = 0; i < stored; ++i) {
    const std::uint64_t* const record = waiting + i * words_;
    add(record, hash(record));
  }
  return true;
}

/// Moves the records to the front of the block.
void CandidateSet::compact() {
  std::uint64_t* to = slots_;
  for (std::uint64_t i = 0; i < capacity_; ++i) {
    const std::uint64_t* const slot = slots_ + i * words_;
    if (is_empty(slot)) continue;
    if (slot != to) std::memcpy(to, slot, std::size_t{words_} * sizeof(std::uint64_t));
    to += words_;
  }
}

void CandidateSet::sort() {
  compact();
  const std::uint64_t stored = size_ - (has_empty_record_ ? 1 : 0);
  sort_records(slots_, stored, words_);
  // The largest of all records, and there is always a free slot.
  if (has_empty_record_) std::fill_n(slots_ + stored * words_, words_, kEmpty);
}

}  // namespace assay::storage
