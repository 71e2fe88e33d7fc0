/// The new states of a partition in the order of their discovery.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <queue>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "storage/candidate_set.hpp"
#include "storage/disk_file.hpp"
#include "support/bucket_file.hpp"

namespace assay::search::partitioned {

/// Sorts records by their keys in memory that is lent; what does not fit goes to the disk in sorted chunks.
class KeyOrder {
 public:
  KeyOrder(std::span<std::uint64_t> memory, std::uint32_t record_words, std::string scratch_directory)
      : memory_(memory), words_(record_words + 1), scratch_(std::move(scratch_directory)) {
    if (memory_.size() < 4 * words_) throw std::bad_alloc();
  }

  void add(std::uint64_t key, const std::uint64_t* record) {
    if ((count_ + 1) * words_ > memory_.size()) write_chunk();
    std::uint64_t* const at = memory_.data() + count_++ * words_;
    at[0] = key;
    std::copy_n(record, words_ - 1, at + 1);
  }

  template <class Take>
  void finish(Take take) {
    storage::sort_records(memory_.data(), count_, words_);
    if (chunks_.empty()) {
      for (std::uint64_t i = 0; i < count_; ++i) {
        const std::uint64_t* const at = memory_.data() + i * words_;
        take(at[0], at + 1);
      }
      return;
    }
    write_chunk();
    merge(take);
  }

 private:
  using Chunk = support::BucketFile<std::uint64_t>;
  static constexpr std::size_t kBlock = std::size_t{1} << 16;

  void write_chunk() {
    if (count_ == 0) return;
    storage::sort_records(memory_.data(), count_, words_);
    chunks_.push_back(std::make_unique<Chunk>(scratch_, 1, kBlock));
    for (std::uint64_t i = 0; i < count_ * words_; ++i) chunks_.back()->append(0, memory_[i]);
    chunks_.back()->finish();
    count_ = 0;
  }

  template <class Take>
  void merge(Take take) {
    std::vector<Chunk::Reader> readers;
    using Next = std::pair<std::uint64_t, std::size_t>;  // key, chunk
    std::priority_queue<Next, std::vector<Next>, std::greater<>> next;
    std::vector<std::uint64_t> left, record(words_ - 1);
    for (std::size_t i = 0; i < chunks_.size(); ++i) {
      readers.emplace_back(*chunks_[i], 0);
      left.push_back(chunks_[i]->items(0) / words_);
      next.emplace(readers[i].next(), i);
    }
    while (!next.empty()) {
      const auto [key, chunk] = next.top();
      next.pop();
      for (std::uint64_t& word : record) word = readers[chunk].next();
      take(key, record.data());
      if (--left[chunk] > 0) next.emplace(readers[chunk].next(), chunk);
    }
  }

  const std::span<std::uint64_t> memory_;
  const std::uint32_t words_;  // of a key and a record
  const std::string scratch_;
  std::uint64_t count_ = 0;
  std::vector<std::unique_ptr<Chunk>> chunks_;
};

}  // namespace assay::search::partitioned
