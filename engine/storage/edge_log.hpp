/// The transitions of a search on disk, as it comes by them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "storage/disk_file.hpp"

namespace assay::storage {

/// By what a state is recognised while nobody knows its number: 96 bits of
/// hash. Whoever gives the marks of all states numbers notices if two states
/// have the same one; if none have, a mark names one state for certain.
struct StateMark {
  std::uint32_t parts[3];

  static StateMark of(const std::uint64_t* words, std::size_t count);
  /// Its place among `range`.
  std::uint64_t scaled(std::uint64_t range) const {
    const std::uint64_t high = std::uint64_t{parts[0]} << 32 | parts[1];
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(high) * range) >> 64);
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
  void prefetch(const StateMark& mark) const { __builtin_prefetch(&entries_[mark.scaled(capacity_)]); }
  /// The number of a mark, to be read or changed; null if there is none.
  std::uint32_t* find(const StateMark& mark);

 private:
  struct Entry {
    StateMark mark;
    std::uint32_t number;
  };
  Entry& place(const StateMark& mark);

  Entry* entries_;
  std::uint64_t capacity_;
};

/// For each state in the order in which they are expanded: the number of its
/// successors, and their marks. Goes on where a checkpoint says.
class EdgeLog {
 public:
  EdgeLog(const std::string& path, DiskFile::Mode mode) : file_(path, mode) {}

  void add(std::span<const StateMark> successors);
  /// How long it is, in words of 32 bits.
  std::uint64_t words() const { return flushed_ + buffer_.size(); }
  /// Of what was flushed.
  std::uint64_t checksum() const { return checksum_; }
  void flush();
  void sync();
  /// Whether the file still is what it was when it was so long. If so, what came after is forgotten.
  bool go_back_to(std::uint64_t words, std::uint64_t checksum);
  const std::string& path() const { return file_.path(); }

  /// Reads the records of states between two places; flush first.
  class Reader {
   public:
    Reader(const EdgeLog& log, std::uint64_t begin, std::uint64_t end, std::size_t buffer_bytes);

    bool at_end() const { return at_ == buffer_.size() && next_ == end_; }
    /// The successors of the next state.
    std::span<const StateMark> next();

   private:
    void require(std::size_t words);

    const EdgeLog* log_;
    std::uint64_t next_, end_;
    std::size_t buffer_words_;
    std::vector<std::uint32_t> buffer_;
    std::size_t at_ = 0;
    std::vector<StateMark> marks_;
  };

 private:
  DiskFile file_;
  std::vector<std::uint32_t> buffer_;
  std::uint64_t flushed_ = 0;
  std::uint64_t checksum_ = 0;
};

}  // namespace assay::storage
