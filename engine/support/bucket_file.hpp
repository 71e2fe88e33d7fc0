/// Items sorted into buckets on disk, each bucket in the order in which its items came.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "support/scratch_file.hpp"
#include "support/problems.hpp"

namespace assay::support {

/// One file without a name, in blocks that belong to one bucket each: however
/// many buckets there are, one file is open. Keeps the last block of each in
/// memory until it is full; throws as ScratchFile does.
template <class Item>
class BucketFile {
 public:
  BucketFile(const std::string& directory, std::size_t buckets, std::size_t block_bytes)
      : file_(directory),
        block_items_(std::max<std::size_t>(1, block_bytes / sizeof(Item))),
        buckets_(buckets) {}

  void append(std::size_t bucket, const Item& item) {
    Bucket& to = buckets_[bucket];
    to.filling.push_back(item);
    ++to.items;
    if (to.filling.size() == block_items_) write(to);
  }
  /// Everything was appended; only now can it be read.
  void finish() {
    for (Bucket& bucket : buckets_) {
      if (!bucket.filling.empty()) write(bucket);
      bucket.filling = {};
    }
  }
  std::uint64_t items(std::size_t bucket) const { return buckets_[bucket].items; }
  std::uint64_t bytes() const { return blocks_ * block_items_ * sizeof(Item); }

  /// The items of a bucket one after another.
  class Reader {
   public:
    Reader(const BucketFile& file, std::size_t bucket) : file_(&file), bucket_(&file.buckets_[bucket]) {}

    Item next() {
      if (at_ == block_.size()) load();
      return block_[at_++];
    }

   private:
    void load() {
      const std::uint64_t left = bucket_->items - read_;
      if (left == 0) throw DiskProblem("the graph on disk is shorter than its states need");
      block_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(left, file_->block_items_)));
      const std::uint64_t number = bucket_->blocks[read_ / file_->block_items_];
      file_->file_.read(number * file_->block_items_ * sizeof(Item), block_.data(),
                        block_.size() * sizeof(Item));
      read_ += block_.size();
      at_ = 0;
    }

    const BucketFile* file_;
    const typename BucketFile::Bucket* bucket_;
    std::vector<Item> block_;
    std::size_t at_ = 0;
    std::uint64_t read_ = 0;
  };

 private:
  struct Bucket {
    std::vector<Item> filling;
    std::vector<std::uint32_t> blocks;
    std::uint64_t items = 0;
  };
  void write(Bucket& bucket) {
    file_.write(std::uint64_t{blocks_} * block_items_ * sizeof(Item), bucket.filling.data(),
                bucket.filling.size() * sizeof(Item));
    bucket.blocks.push_back(blocks_++);
    bucket.filling.clear();
  }

  ScratchFile file_;
  std::size_t block_items_;
  std::vector<Bucket> buckets_;
  std::uint32_t blocks_ = 0;
};

}  // namespace assay::support
