/// An array on disk of which a few blocks are in memory.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "support/scratch_file.hpp"

namespace assay::support {

/// For passes that go along the array, in either direction and in a few places
/// at once: the blocks used last stay in memory. All items are zero at first.
/// Throws as ScratchFile does.
template <class Item>
class DiskArray {
 public:
  DiskArray(const std::string& directory, std::uint64_t items) : file_(directory) {
    const char zero = 0;
    // The file is as long as it will ever be; what was never written takes no room.
    file_.write((items / kItems + 1) * kItems * sizeof(Item) - 1, &zero, 1);
  }

  Item get(std::uint64_t at) { return block(at).items[at % kItems]; }
  void set(std::uint64_t at, Item item) {
    Block& block = this->block(at);
    block.items[at % kItems] = item;
    block.is_changed = true;
  }

 private:
  static constexpr std::uint64_t kItems = (std::uint64_t{1} << 14) / sizeof(Item);
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};

  struct Block {
    std::uint64_t number = kNone;
    bool is_changed = false;
    std::vector<Item> items;
  };

  Block& block(std::uint64_t at) {
    const std::uint64_t number = at / kItems;
    if (blocks_[last_].number == number) return blocks_[last_];
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      if (blocks_[i].number != number) continue;
      last_ = i;
      return blocks_[i];
    }
    // In turn: the one after the last that was loaded has been there longest.
    oldest_ = (oldest_ + 1) % blocks_.size();
    last_ = oldest_;
    Block& block = blocks_[last_];
    if (block.is_changed)
      file_.write(block.number * kItems * sizeof(Item), block.items.data(), kItems * sizeof(Item));
    block.items.resize(kItems);
    file_.read(number * kItems * sizeof(Item), block.items.data(), kItems * sizeof(Item));
    block.number = number;
    block.is_changed = false;
    return block;
  }

  ScratchFile file_;
  std::array<Block, 4> blocks_;
  std::size_t last_ = 0, oldest_ = 0;
};

}  // namespace assay::support
