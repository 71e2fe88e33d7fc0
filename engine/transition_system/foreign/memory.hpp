/// The memory of foreign code as a part of states: how it stands in them, how it gets there and back.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "transition_system/foreign/image.hpp"
#include "transition_system/foreign/pieces.hpp"
#include "transition_system/foreign/region.hpp"
#include "transition_system/transition_system.hpp"

namespace assay::transition_system::foreign {

/// The runs of memory that states hold. What is not matched is put back but not compared: it stands last.
struct Tracked {
  std::vector<Range> matched, unmatched;
  bool has_heap = false;     // the last matched run is the heap, which begins empty
  std::vector<Track> later;  // whose address is not known yet
};

/// A *slot* is the room that a state has for it. What states hold and what the memory holds agree between calls.
class Memory {
 public:
  virtual ~Memory() = default;
  virtual std::size_t slot_bytes() const = 0;
  virtual void restore(const std::uint8_t* slot) = 0;
  virtual void capture(std::uint8_t* slot) = 0;
  /// Is the memory what `restore` made it?
  virtual bool is_unchanged(const std::uint8_t* slot) const = 0;
  /// After a call that did not come to its end.
  virtual void discard() {}
  /// Leaves in a slot only what is compared.
  virtual void mask(std::uint8_t* slot) const = 0;
  /// Memory has been mapped anew.
  virtual void reinstate() {}
  /// May a write that was forbidden go on? From a signal handler.
  virtual bool opens(const void*) { return false; }
  virtual std::size_t bytes() const { return 0; }
};

/// Small memories stand in states as they are: a state means the same in every process.
class CopiedMemory final : public Memory {
 public:
  explicit CopiedMemory(Tracked tracked);
  std::size_t slot_bytes() const override { return bytes_; }
  void restore(const std::uint8_t* slot) override;
  void capture(std::uint8_t* slot) override;
  bool is_unchanged(const std::uint8_t* slot) const override;
  void mask(std::uint8_t* slot) const override;

 private:
  template <typename Visit>
  static void visit(const std::vector<Track>& tracks, std::uint8_t* slot, Visit visit);

  std::vector<Range> ranges_;
  std::vector<Track> later_;  // stand last in a slot, as zeros while nobody knows where they are
  std::size_t bytes_ = 0, matched_bytes_ = 0;
};

/// Of large memories states hold the numbers of their content (`Region`), which mean something in this process only;
/// or, with a key, digests of it, the same in every process that has the key.
class NumberedMemory final : public Memory {
 public:
  NumberedMemory(const Tracked& tracked, const std::optional<support::ElementWords>& key);
  ~NumberedMemory() override;
  std::size_t slot_bytes() const override { return regions_.size() * width(); }
  void restore(const std::uint8_t* slot) override;
  void capture(std::uint8_t* slot) override;
  bool is_unchanged(const std::uint8_t* slot) const override;
  void discard() override;
  void mask(std::uint8_t* slot) const override;
  void reinstate() override;
  bool opens(const void* address) override;
  std::size_t bytes() const override { return pieces_.bytes(); }
  std::uint64_t parts_met() const { return pieces_.count(); }
  /// A hash of what a slot stands for, the same in every process; only without a key.
  std::uint64_t content_hash(const std::uint8_t* slot) const;
  /// States that travel: a part is a piece, and how far above the memory itself it is; it refers to those below.
  void depart(std::uint8_t* slot, std::vector<Part>& parts) const;
  void arrive(std::uint8_t* slot, std::span<const Part> parts) const;
  PartContent content_of(Part part) const;
  Part meet(const std::string& bytes, std::span<const Part> refers);
  /// How many contents have a digest, and of how many words the longest is.
  std::uint64_t digests() const;
  std::uint64_t longest_digested() const;

 private:
  /// Data whose address is not known at the start, and a copy of it that is numbered in its place.
  struct Later {
    Track track;
    Region* region;
    std::uint8_t* at() const;
    bool is_same() const;
    void take_up() const;
    void put_back() const;
  };

  std::size_t width() const { return is_digested_ ? sizeof(support::ElementWords) : sizeof(std::uint32_t); }

  const bool is_digested_;
  Pieces pieces_;
  std::vector<std::pair<std::uint8_t*, std::size_t>> buffers_;  // of later_
  std::vector<std::unique_ptr<Region>> regions_;
  std::vector<Later> later_;
  std::size_t matched_count_ = 0;
  std::vector<std::map<support::ElementWords, std::uint32_t>> numbers_;  // by digest, of each region
};

}  // namespace assay::transition_system::foreign
