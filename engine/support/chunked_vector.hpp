/// A vector that grows without moving what is in it.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace assay::support {

/// Items stand in chunks of 2^kShift: growing takes one more chunk, never the
/// memory of all items once more, and references stay good.
template <class Item, unsigned kShift = 10>
class ChunkedVector {
 public:
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Item& operator[](std::size_t i) { return chunks_[i >> kShift][i & kMask]; }
  const Item& operator[](std::size_t i) const { return chunks_[i >> kShift][i & kMask]; }
  Item& push_back(Item item) {
    if (size_ >> kShift == chunks_.size()) chunks_.push_back(std::make_unique<Item[]>(kMask + 1));
    Item& place = (*this)[size_++];
    place = std::move(item);
    return place;
  }
  void clear() {
    chunks_.clear();
    size_ = 0;
  }
  std::size_t bytes() const { return chunks_.size() * (kMask + 1) * sizeof(Item); }

 private:
  static constexpr std::size_t kMask = (std::size_t{1} << kShift) - 1;

  std::vector<std::unique_ptr<Item[]>> chunks_;
  std::size_t size_ = 0;
};

}  // namespace assay::support
