/// A run of memory that is cut into pieces, with a number that stands for all of its content.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "support/binary_field.hpp"
#include "transition_system/foreign/image.hpp"
#include "transition_system/foreign/pieces.hpp"

namespace assay::transition_system::foreign {

/// The pieces of the region are the leaves of a tree whose nodes are pieces too: the numbers of their sixteen
/// children. The number at the root stands for the content; a change costs a leaf and the nodes above it.
///
/// A copy of the region tells what has changed since it was looked at last. Of a large region only the pages that were
/// written are compared: the others are protected, and the first write to each is told to `opens`.
class Region {
 public:
  static constexpr std::size_t kPageBytes = 4096;
  static constexpr std::uint32_t kChildren = kPieceBytes / sizeof(std::uint32_t);

  /// Takes up what it holds; `is_empty`: it holds zeros. With a key its content has a digest.
  Region(Range range, Pieces& pieces, bool is_empty, const std::optional<support::ElementWords>& key);
  ~Region();
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

  /// The number of its content now.
  std::uint32_t number();
  /// Makes its content that of the number. What was written since the last `number` or `discard` must be gone.
  void become(std::uint32_t number);
  /// Takes back what was written since then.
  void discard();
  bool is_changed() const;
  /// Writes all of its content again, into memory that has been mapped anew.
  void reinstate();
  /// Was this address written for the first time? Then it may be written now. Called from a signal handler.
  bool opens(const void* address);

  Range range() const { return range_; }
  /// How far below the root the pieces of the memory itself are.
  std::uint32_t depth() const { return static_cast<std::uint32_t>(levels_.size() - 1); }
  /// A hash of the content that a number stands for, the same in every process.
  std::uint64_t content_hash(std::uint32_t number) const { return hash_at(levels_.size() - 1, number); }
  /// Of the content that has been taken up last: the polynomial over the field of 2^192 elements whose coefficients are
  /// the words of the region, without a constant one, at the key. Because it is a sum over the words, a change costs
  /// as much as it is large. Two contents of n words have one digest with probability n/2^192 at most, if nobody knew
  /// the key who chose them.
  support::ElementWords digest() const { return digest_.words(); }

 private:
  static constexpr std::size_t kMostOpen = 48;  // pages that are compared each time
  bool is_protected() const { return page_count_ > kMostOpen; }
  Range page(std::size_t index) const;  // the part of it that belongs to the region
  void open(std::size_t index);
  void close_all();
  void visit_page(std::size_t index);
  std::uint32_t raise();
  std::uint64_t hash_at(std::size_t level, std::uint32_t number) const;
  void descend(std::size_t level, std::uint32_t index, std::uint32_t number);
  void digest_change(std::uint32_t leaf, const std::uint8_t* before, const std::uint8_t* after);
  support::PortableElement power(std::uint64_t exponent) const;
  void copy_leaf(std::uint32_t index, std::uint32_t number);
  std::size_t leaf_bytes(std::uint32_t index) const;

  const Range range_;
  Pieces& pieces_;
  std::uint8_t* copy_;
  std::uint8_t* first_page_;
  std::size_t page_count_;
  std::vector<std::uint32_t> open_;  // pages
  std::vector<bool> is_open_;
  std::vector<std::vector<std::uint32_t>> levels_;  // numbers; the last has one
  std::vector<std::uint32_t> changed_, above_;
  std::vector<support::PortableElement> powers_;  // of the key: its squares; empty: there is none
  support::PortableElement digest_;
  mutable std::vector<std::unordered_map<std::uint32_t, std::uint64_t>> hashes_;  // by level
};

}  // namespace assay::transition_system::foreign
