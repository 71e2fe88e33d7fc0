#include "transition_system/foreign/memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <stdexcept>

#include "support/hash.hpp"
#include "transition_system/foreign/guard.hpp"

namespace assay::transition_system::foreign {

CopiedMemory::CopiedMemory(Tracked tracked) : ranges_(std::move(tracked.matched)) {
  for (const Range& range : ranges_) matched_bytes_ += range.bytes;
  ranges_.insert(ranges_.end(), tracked.unmatched.begin(), tracked.unmatched.end());
  for (const Range& range : ranges_) bytes_ += range.bytes;
  later_ = std::move(tracked.later);
  for (const Track& track : later_) bytes_ += track.size;
}

template <typename Visit>
void CopiedMemory::visit(const std::vector<Track>& tracks, std::uint8_t* slot, Visit visit) {
  for (const Track& track : tracks) {
    if (auto* const at = static_cast<std::uint8_t*>(guarded_address(track.address)); at != nullptr)
      visit(at, slot, track.size);
    slot += track.size;
  }
}

void CopiedMemory::restore(const std::uint8_t* slot) {
  for (const Range& range : ranges_) {
    std::memcpy(range.begin, slot, range.bytes);
    slot += range.bytes;
  }
  visit(later_, const_cast<std::uint8_t*>(slot),
        [](std::uint8_t* at, const std::uint8_t* from, std::size_t bytes) { std::memcpy(at, from, bytes); });
}

void CopiedMemory::capture(std::uint8_t* slot) {
  for (const Range& range : ranges_) {
    std::memcpy(slot, range.begin, range.bytes);
    slot += range.bytes;
  }
  visit(later_, slot,
        [](const std::uint8_t* at, std::uint8_t* to, std::size_t bytes) { std::memcpy(to, at, bytes); });
}

bool CopiedMemory::is_unchanged(const std::uint8_t* slot) const {
  for (const Range& range : ranges_) {
    if (std::memcmp(slot, range.begin, range.bytes) != 0) return false;
    slot += range.bytes;
  }
  return true;
}

void CopiedMemory::mask(std::uint8_t* slot) const {
  std::size_t fixed = bytes_;
  for (const Track& track : later_) fixed -= track.size;
  std::memset(slot + matched_bytes_, 0, fixed - matched_bytes_);
  slot += fixed;
  for (const Track& track : later_) {
    if (track.is_matched == 0) std::memset(slot, 0, track.size);
    slot += track.size;
  }
}

NumberedMemory::NumberedMemory(const Tracked& tracked, const std::optional<support::ElementWords>& key)
    : is_digested_(key.has_value()) {
  for (const Range& range : tracked.matched) {
    const bool is_heap = tracked.has_heap && &range == &tracked.matched.back();
    regions_.push_back(std::make_unique<Region>(range, pieces_, is_heap, key));
  }
  const auto add_later = [&](bool is_matched) {
    for (const Track& track : tracked.later) {
      if ((track.is_matched != 0) != is_matched || track.size == 0) continue;
      void* const buffer = mmap(nullptr, track.size, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (buffer == MAP_FAILED) throw std::bad_alloc();
      buffers_.emplace_back(static_cast<std::uint8_t*>(buffer), track.size);
      const Range range{static_cast<std::uint8_t*>(buffer), track.size};
      regions_.push_back(std::make_unique<Region>(range, pieces_, true, key));
      later_.push_back({track, regions_.back().get()});
    }
  };
  add_later(true);
  matched_count_ = regions_.size();
  for (const Range& range : tracked.unmatched)
    regions_.push_back(std::make_unique<Region>(range, pieces_, false, key));
  add_later(false);
  numbers_.resize(regions_.size());
}

NumberedMemory::~NumberedMemory() {
  regions_.clear();
  for (const auto& [begin, bytes] : buffers_) munmap(begin, bytes);
}

std::uint8_t* NumberedMemory::Later::at() const {
  return static_cast<std::uint8_t*>(guarded_address(track.address));
}

bool NumberedMemory::Later::is_same() const {
  const std::uint8_t* const found = at();
  return found == nullptr || std::memcmp(found, region->range().begin, track.size) == 0;
}

void NumberedMemory::Later::take_up() const {
  const std::uint8_t* const found = at();
  std::uint8_t* const copy = region->range().begin;
  for (std::size_t begin = 0; begin < track.size; begin += Region::kPageBytes) {
    const std::size_t bytes = std::min(Region::kPageBytes, track.size - begin);
    const bool is_same = found == nullptr ? std::all_of(copy + begin, copy + begin + bytes,
                                                        [](std::uint8_t byte) { return byte == 0; })
                                          : std::memcmp(copy + begin, found + begin, bytes) == 0;
    if (is_same) continue;
    region->opens(copy + begin);
    region->opens(copy + begin + bytes - 1);
    if (found == nullptr) {
      std::memset(copy + begin, 0, bytes);
    } else {
      std::memcpy(copy + begin, found + begin, bytes);
    }
  }
}

void NumberedMemory::Later::put_back() const {
  if (std::uint8_t* const found = at(); found != nullptr)
    std::memcpy(found, region->range().begin, track.size);
}

void NumberedMemory::restore(const std::uint8_t* slot) {
  for (std::size_t i = 0; i < regions_.size(); ++i, slot += width()) {
    std::uint32_t number;
    if (is_digested_) {
      support::ElementWords digest;
      std::memcpy(&digest, slot, sizeof digest);
      const auto found = numbers_[i].find(digest);
      if (found == numbers_[i].end()) throw std::runtime_error("internal: a state that was never seen");
      number = found->second;
    } else {
      std::memcpy(&number, slot, sizeof number);
    }
    regions_[i]->become(number);
  }
  for (const Later& later : later_) later.put_back();
}

void NumberedMemory::capture(std::uint8_t* slot) {
  for (const Later& later : later_) later.take_up();
  for (std::size_t i = 0; i < regions_.size(); ++i, slot += width()) {
    const std::uint32_t number = regions_[i]->number();
    if (is_digested_) {
      const support::ElementWords digest = regions_[i]->digest();
      const auto [known, is_new] = numbers_[i].emplace(digest, number);
      if (known->second != number) throw std::runtime_error("internal: two memories have one digest");
      std::memcpy(slot, &digest, sizeof digest);
    } else {
      std::memcpy(slot, &number, sizeof number);
    }
  }
}

std::uint64_t NumberedMemory::content_hash(const std::uint8_t* slot) const {
  std::uint64_t hash = 0;
  for (const auto& region : regions_) {
    std::uint32_t number;
    std::memcpy(&number, slot, sizeof number);
    const std::uint64_t pair[] = {hash, region->content_hash(number)};
    hash = support::hash_words(pair, 2, 0);
    slot += sizeof number;
  }
  return hash;
}

namespace {

Part piece_at(std::uint32_t level, std::uint32_t number) { return Part{std::uint64_t{level} << 32 | number}; }
std::uint32_t level_of(Part part) {
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(part) >> 32);
}
std::uint32_t number_of(Part part) { return static_cast<std::uint32_t>(part); }

[[noreturn]] void refuse() {
  throw NotPortable("a part of a state that arrived is no memory of this program's embedded C");
}

}  // namespace

void NumberedMemory::depart(std::uint8_t* slot, std::vector<Part>& parts) const {
  if (is_digested_) throw UnsupportedProgram("states whose memory is told by digests do not travel");
  for (const auto& region : regions_) {
    std::uint32_t number = 0;
    std::memcpy(&number, slot, sizeof number);
    std::memset(slot, 0, sizeof number);
    slot += sizeof number;
    parts.push_back(piece_at(region->depth(), number));
  }
}

void NumberedMemory::arrive(std::uint8_t* slot, std::span<const Part> parts) const {
  if (is_digested_ || parts.size() != regions_.size()) refuse();
  for (std::size_t i = 0; i < parts.size(); ++i, slot += sizeof(std::uint32_t)) {
    if (level_of(parts[i]) != regions_[i]->depth() || number_of(parts[i]) >= pieces_.count()) refuse();
    const std::uint32_t number = number_of(parts[i]);
    std::memcpy(slot, &number, sizeof number);
  }
}

/// The level; of memory its bytes, of a node which of its children are no zeros, which are its parts.
PartContent NumberedMemory::content_of(Part part) const {
  const std::uint32_t level = level_of(part);
  const std::uint8_t* const piece = pieces_.at(number_of(part));
  PartContent content;
  content.bytes.assign(1, static_cast<char>(level));
  if (level == 0) {
    content.bytes.append(reinterpret_cast<const char*>(piece), kPieceBytes);
    return content;
  }
  std::uint32_t children[Region::kChildren];
  std::memcpy(children, piece, sizeof children);
  for (const std::uint32_t child : children) {
    content.bytes += child != 0 ? '\1' : '\0';
    if (child != 0) content.refers.push_back(piece_at(level - 1, child));
  }
  return content;
}

Part NumberedMemory::meet(const std::string& bytes, std::span<const Part> refers) {
  if (bytes.empty()) refuse();
  const auto level = static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[0]));
  if (level == 0) {
    if (bytes.size() != 1 + kPieceBytes || !refers.empty()) refuse();
    return piece_at(0, pieces_.number_of(bytes.data() + 1));
  }
  std::uint32_t children[Region::kChildren] = {};
  if (bytes.size() != 1 + Region::kChildren) refuse();
  for (std::uint32_t i = 0; i < Region::kChildren; ++i) {
    if (bytes[1 + i] == '\0') continue;
    if (refers.empty() || level_of(refers[0]) != level - 1 || number_of(refers[0]) == 0) refuse();
    children[i] = number_of(refers[0]);
    refers = refers.subspan(1);
  }
  if (!refers.empty()) refuse();
  return piece_at(level, pieces_.number_of(children));
}

std::uint64_t NumberedMemory::digests() const {
  std::uint64_t count = 0;
  for (const auto& each : numbers_) count += each.size();
  return count;
}

std::uint64_t NumberedMemory::longest_digested() const {
  std::uint64_t longest = 0;
  for (const auto& region : regions_)
    longest = std::max<std::uint64_t>(longest, 2 + region->range().bytes / 8);
  return is_digested_ ? longest : 0;
}

bool NumberedMemory::is_unchanged(const std::uint8_t*) const {
  return std::ranges::none_of(regions_, [](const auto& region) { return region->is_changed(); }) &&
         std::ranges::all_of(later_, &Later::is_same);
}

void NumberedMemory::discard() {
  for (const auto& region : regions_) region->discard();
  for (const Later& later : later_) later.put_back();
}

void NumberedMemory::mask(std::uint8_t* slot) const {
  const std::size_t matched = matched_count_ * width();
  std::memset(slot + matched, 0, slot_bytes() - matched);
}

void NumberedMemory::reinstate() {
  for (const auto& region : regions_) region->reinstate();
}

bool NumberedMemory::opens(const void* address) {
  return std::ranges::any_of(regions_, [&](const auto& region) { return region->opens(address); });
}

}  // namespace assay::transition_system::foreign
