/// The transitions of a search on disk, as it comes by them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "storage/word_log.hpp"
#include "support/hash.hpp"

namespace assay::storage {

/// By what a state is recognised while nobody knows its number: 96 bits of
/// hash. Whoever gives the marks of all states numbers notices if two states
/// have the same one; if none have, a mark names one state for certain.
struct StateMark {
  std::uint32_t parts[3];

  static StateMark of(const std::uint64_t* words, std::size_t count);
  /// What `of(words, count).scaled(range)` is, at half the price.
  static std::uint64_t place(const std::uint64_t* words, std::size_t count, std::uint64_t range);
  /// Its place among `range`.
  std::uint64_t scaled(std::uint64_t range) const {
    const std::uint64_t high = std::uint64_t{parts[0]} << 32 | parts[1];
    return support::scale(high, range);
  }
  friend bool operator==(const StateMark&, const StateMark&) = default;
};

/// Marks and a number for each, in memory that somebody else owns.
class MarkTable {
 public:
  static constexpr std::size_t kBytesPerState = 24;
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;

  /// Empty; room for `states`, whose numbers are below kNone.
  MarkTable(std::span<std::uint64_t> memory, std::uint64_t states);

  /// False: there is one already.
  bool add(const StateMark& mark, std::uint32_t number);
  void prefetch(const StateMark& mark) const { __builtin_prefetch(&entries_[home(mark)]); }
  /// The number of a mark, to be read or changed; null if there is none.
  std::uint32_t* find(const StateMark& mark);

 private:
  struct Entry {
    StateMark mark;
    std::uint32_t number;
  };
  /// Marks of some partitions alone (`scaled`) begin alike: the table goes by how they end.
  std::uint64_t home(const StateMark& mark) const {
    return support::scale(std::uint64_t{mark.parts[2]} << 32 | mark.parts[1], capacity_);
  }
  Entry& place(const StateMark& mark);

  Entry* entries_;
  std::uint64_t capacity_;
};

/// For each state in the order in which they are expanded: the number of its
/// successors, and their marks.
class EdgeLog : public WordLog {
 public:
  using WordLog::WordLog;

  void add(std::span<const StateMark> successors);

  /// Reads the records of states between two places; flush first.
  class Reader {
   public:
    Reader(const EdgeLog& log, std::uint64_t begin, std::uint64_t end, std::size_t buffer_bytes)
        : words_(log, begin, end, buffer_bytes) {}

    bool at_end() const { return words_.at_end(); }
    /// The successors of the next state.
    std::span<const StateMark> next();

   private:
    WordLog::Reader words_;
    std::vector<StateMark> marks_;
  };
};

}  // namespace assay::storage
