#include "transition_system/foreign/region.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "support/hash.hpp"

namespace assay::transition_system::foreign {

Region::Region(Range range, Pieces& pieces, bool is_empty, const std::optional<support::ElementWords>& key)
    : range_(range), pieces_(pieces) {
  if (key) {
    powers_.emplace_back(*key);
    for (std::uint64_t reach = 1; reach < range.bytes; reach *= 2)
      powers_.push_back(powers_.back() * powers_.back());
  }
  void* const copy =
      mmap(nullptr, range.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (copy == MAP_FAILED) throw std::bad_alloc();
  copy_ = static_cast<std::uint8_t*>(copy);
  const auto begin = reinterpret_cast<std::uintptr_t>(range.begin) / kPageBytes * kPageBytes;
  const auto end = reinterpret_cast<std::uintptr_t>(range.begin) + range.bytes;
  first_page_ = reinterpret_cast<std::uint8_t*>(begin);
  page_count_ = (end - begin + kPageBytes - 1) / kPageBytes;
  is_open_.resize(page_count_);
  std::size_t count = (range.bytes + kPieceBytes - 1) / kPieceBytes;
  levels_.emplace_back(count);
  while (count > 1) {
    count = (count + kChildren - 1) / kChildren;
    levels_.emplace_back(count);
  }
  open_.reserve(page_count_);  // the signal handler must not allocate
  if (!is_empty) {
    for (std::size_t i = 0; i < page_count_; ++i) visit_page(i);
    raise();
  }
  if (is_protected()) {
    close_all();
  } else {
    for (std::size_t i = 0; i < page_count_; ++i) open(i);
  }
}

Region::~Region() {
  if (is_protected()) mprotect(first_page_, page_count_ * kPageBytes, PROT_READ | PROT_WRITE);
  munmap(copy_, range_.bytes);
}

Range Region::page(std::size_t index) const {
  std::uint8_t* const begin = std::max(first_page_ + index * kPageBytes, range_.begin);
  std::uint8_t* const end = std::min(first_page_ + (index + 1) * kPageBytes, range_.begin + range_.bytes);
  return {begin, static_cast<std::size_t>(end - begin)};
}

void Region::open(std::size_t index) {
  if (is_open_[index]) return;
  is_open_[index] = true;
  open_.push_back(static_cast<std::uint32_t>(index));
  if (is_protected()) mprotect(first_page_ + index * kPageBytes, kPageBytes, PROT_READ | PROT_WRITE);
}

bool Region::opens(const void* address) {
  const auto* const at = static_cast<const std::uint8_t*>(address);
  if (!is_protected() || at < first_page_ || at >= first_page_ + page_count_ * kPageBytes) return false;
  const auto index = static_cast<std::size_t>(at - first_page_) / kPageBytes;
  if (is_open_[index]) return false;
  open(index);
  return true;
}

/// Pages at the ends may be others' too: they stay open.
void Region::close_all() {
  if (!is_protected()) return;
  for (const std::uint32_t index : open_) is_open_[index] = false;
  open_.clear();
  std::size_t begin = 0, end = page_count_;
  if (page(begin).bytes < kPageBytes) is_open_[begin++] = true;
  if (page(end - 1).bytes < kPageBytes) is_open_[--end] = true;
  if (begin > 0) open_.push_back(0);
  if (end < page_count_) open_.push_back(static_cast<std::uint32_t>(end));
  mprotect(first_page_ + begin * kPageBytes, (end - begin) * kPageBytes, PROT_READ);
}

std::size_t Region::leaf_bytes(std::uint32_t index) const {
  return std::min(kPieceBytes, range_.bytes - std::size_t{index} * kPieceBytes);
}

/// Finds the leaves of a page that are not what they were, and takes up what they are.
void Region::visit_page(std::size_t index) {
  const Range part = page(index);
  const auto offset = static_cast<std::size_t>(part.begin - range_.begin);
  if (std::memcmp(part.begin, copy_ + offset, part.bytes) == 0) return;
  const std::size_t last = (offset + part.bytes - 1) / kPieceBytes;
  for (std::size_t leaf = offset / kPieceBytes; leaf <= last; ++leaf) {
    const std::size_t at = leaf * kPieceBytes, bytes = leaf_bytes(static_cast<std::uint32_t>(leaf));
    if (std::memcmp(range_.begin + at, copy_ + at, bytes) == 0) continue;
    std::uint8_t piece[kPieceBytes] = {};
    std::memcpy(piece, range_.begin + at, bytes);
    if (!powers_.empty())
      digest_change(static_cast<std::uint32_t>(leaf), pieces_.at(levels_[0][leaf]), piece);
    std::memcpy(copy_ + at, piece, bytes);
    levels_[0][leaf] = pieces_.number_of(piece);
    changed_.push_back(static_cast<std::uint32_t>(leaf));
  }
}

std::uint32_t Region::number() {
  for (const std::uint32_t index : open_) visit_page(index);
  if (open_.size() > kMostOpen) close_all();
  return raise();
}

/// Numbers the nodes above changed leaves anew.
std::uint32_t Region::raise() {
  for (std::size_t level = 1; level < levels_.size() && !changed_.empty(); ++level) {
    above_.clear();
    for (const std::uint32_t child : changed_) {
      if (above_.empty() || above_.back() != child / kChildren) above_.push_back(child / kChildren);
    }
    std::ranges::sort(above_);
    const auto twice = std::ranges::unique(above_);
    above_.erase(twice.begin(), twice.end());
    const std::vector<std::uint32_t>& below = levels_[level - 1];
    for (const std::uint32_t node : above_) {
      std::uint32_t children[kChildren] = {};
      const std::size_t first = std::size_t{node} * kChildren;
      std::memcpy(children, below.data() + first,
                  std::min<std::size_t>(kChildren, below.size() - first) * sizeof children[0]);
      levels_[level][node] = pieces_.number_of(children);
    }
    changed_.swap(above_);
  }
  changed_.clear();
  return levels_.back()[0];
}

std::uint64_t Region::hash_at(std::size_t level, std::uint32_t number) const {
  if (hashes_.empty()) hashes_.resize(levels_.size());
  if (const auto known = hashes_[level].find(number); known != hashes_[level].end()) return known->second;
  std::uint64_t parts[kChildren] = {};
  std::size_t count = kPieceBytes / sizeof parts[0];
  if (level == 0) {
    std::memcpy(parts, pieces_.at(number), kPieceBytes);
  } else {
    std::uint32_t children[kChildren];
    std::memcpy(children, pieces_.at(number), sizeof children);
    for (count = 0; count < kChildren; ++count) parts[count] = hash_at(level - 1, children[count]);
  }
  return hashes_[level][number] = support::hash_words(parts, count, level);
}

void Region::become(std::uint32_t number) { descend(levels_.size() - 1, 0, number); }

void Region::descend(std::size_t level, std::uint32_t index, std::uint32_t number) {
  if (levels_[level][index] == number) return;
  if (level == 0) return copy_leaf(index, number);
  levels_[level][index] = number;
  std::uint32_t children[kChildren];
  std::memcpy(children, pieces_.at(number), sizeof children);
  const std::uint32_t first = index * kChildren;
  const auto count =
      static_cast<std::uint32_t>(std::min<std::size_t>(kChildren, levels_[level - 1].size() - first));
  for (std::uint32_t i = 0; i < count; ++i) descend(level - 1, first + i, children[i]);
}

support::PortableElement Region::power(std::uint64_t exponent) const {
  support::PortableElement result(1);
  for (std::size_t bit = 0; exponent != 0; ++bit, exponent /= 2) {
    if (exponent % 2 != 0) result = result * powers_[bit];
  }
  return result;
}

void Region::digest_change(std::uint32_t leaf, const std::uint8_t* before, const std::uint8_t* after) {
  constexpr std::size_t kWords = kPieceBytes / sizeof(std::uint64_t);
  support::PortableElement coefficient = power(1 + std::uint64_t{leaf} * kWords);
  support::PortableElement::Sum sum;
  for (std::size_t i = 0; i < kWords; ++i, coefficient = coefficient * powers_[0]) {
    std::uint64_t was, is;
    std::memcpy(&was, before + i * sizeof was, sizeof was);
    std::memcpy(&is, after + i * sizeof is, sizeof is);
    sum.add(coefficient, was ^ is);
  }
  digest_ = digest_ + sum.value();
}

void Region::copy_leaf(std::uint32_t index, std::uint32_t number) {
  if (!powers_.empty()) digest_change(index, pieces_.at(levels_[0][index]), pieces_.at(number));
  levels_[0][index] = number;
  const std::size_t at = std::size_t{index} * kPieceBytes, bytes = leaf_bytes(index);
  if (is_protected()) {
    for (const std::size_t end : {at, at + bytes - 1})
      open(static_cast<std::size_t>(range_.begin + end - first_page_) / kPageBytes);
  }
  std::memcpy(range_.begin + at, pieces_.at(number), bytes);
  std::memcpy(copy_ + at, pieces_.at(number), bytes);
}

void Region::discard() {
  for (const std::uint32_t index : open_) {
    const Range part = page(index);
    const std::uint8_t* const was = copy_ + (part.begin - range_.begin);
    if (std::memcmp(part.begin, was, part.bytes) != 0) std::memcpy(part.begin, was, part.bytes);
  }
}

void Region::reinstate() {
  if (is_protected()) mprotect(first_page_, page_count_ * kPageBytes, PROT_READ | PROT_WRITE);
  std::memcpy(range_.begin, copy_, range_.bytes);
  close_all();
}

bool Region::is_changed() const {
  return std::ranges::any_of(open_, [&](std::uint32_t index) {
    const Range part = page(index);
    return std::memcmp(part.begin, copy_ + (part.begin - range_.begin), part.bytes) != 0;
  });
}

}  // namespace assay::transition_system::foreign
