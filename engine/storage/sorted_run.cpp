#include "storage/sorted_run.hpp"

#include <algorithm>
#include <cstring>

#include "support/hash.hpp"

namespace assay::storage {

const RecordTranslation& Layouts::translation(std::uint32_t from) const {
  return translations_.try_emplace(from, layouts_[from], current()).first->second;
}

std::uint64_t continue_checksum(std::uint64_t checksum, const std::uint64_t* words, std::size_t count) {
  return support::hash_words(words, count, checksum);
}

RunWriter::RunWriter(const Layouts& layouts, std::shared_ptr<DiskFile> file, std::uint64_t offset,
                     std::size_t buffer_bytes)
    : words_(layouts.current().record_words()), block_records_(SortedRun::block_records(words_)) {
  const std::uint64_t block_words = block_records_ * words_;
  buffer_words_ =
      std::max<std::uint64_t>(1, buffer_bytes / sizeof(std::uint64_t) / block_words) * block_words;
  run_.file = std::move(file);
  run_.offset = offset;
  run_.layout = layouts.current_number();
}

void RunWriter::append(const std::uint64_t* record) {
  ++run_.records;
  if (run_.file == nullptr) {
    run_.memory.insert(run_.memory.end(), record, record + words_);
    return;
  }
  if (until_fence_ == 0) {
    run_.fences.insert(run_.fences.end(), record, record + words_);
    until_fence_ = block_records_;
  }
  --until_fence_;
  buffer_.insert(buffer_.end(), record, record + words_);
  if (buffer_.size() >= buffer_words_) flush();
}

void RunWriter::flush() {
  if (buffer_.empty()) return;
  // One step per block, so that a reader with other buffers computes the same.
  const std::uint64_t block_words = block_records_ * words_;
  for (std::size_t i = 0; i < buffer_.size(); i += block_words) {
    run_.checksum = continue_checksum(run_.checksum, buffer_.data() + i,
                                      std::min<std::size_t>(block_words, buffer_.size() - i));
  }
  const std::size_t bytes = buffer_.size() * sizeof(std::uint64_t);
  run_.file->write(buffer_.data(), bytes, run_.offset + written_);
  written_ += bytes;
  buffer_.clear();
}

SortedRun RunWriter::finish() {
  if (run_.file != nullptr) flush();
  run_.fences.shrink_to_fit();
  run_.memory.shrink_to_fit();
  return std::move(run_);
}

RunCursor::RunCursor(const Layouts& layouts, const SortedRun& run, std::size_t buffer_bytes)
    : layouts_(&layouts),
      run_(&run),
      words_(layouts.current().record_words()),
      run_words_(layouts[run.layout].record_words()),
      block_records_(SortedRun::block_records(run_words_)) {
  most_blocks_ = std::max<std::uint64_t>(1, buffer_bytes / SortedRun::kBlockBytes);
  if (run.in_memory()) {
    data_ = run.memory.data();
    loaded_ = next_record_ = run.records;
  } else if (run.records > 0) {
    load(0, std::min(block_records_, run.records));
  }
}

void RunCursor::load(std::uint64_t first, std::uint64_t count) {
  const bool same = run_->layout == layouts_->current_number();
  std::vector<std::uint64_t>& raw = same ? buffer_ : raw_;
  raw.resize(count * run_words_);
  run_->file->read(raw.data(), raw.size() * sizeof(std::uint64_t),
                   run_->offset + first * run_words_ * sizeof(std::uint64_t));
  if (!same) {
    buffer_.resize(count * words_);
    const RecordTranslation& translate = layouts_->translation(run_->layout);
    for (std::uint64_t i = 0; i < count; ++i)
      translate(raw.data() + i * run_words_, buffer_.data() + i * words_);
  }
  data_ = buffer_.data();
  first_ = first;
  at_ = 0;
  loaded_ = count;
  next_record_ = first + count;
}

bool RunCursor::load_next() {
  if (next_record_ >= run_->records) {
    at_ = loaded_;
    return false;
  }
  read_ahead_ = std::min(read_ahead_ * 2, most_blocks_);
  load(next_record_, std::min(read_ahead_ * block_records_, run_->records - next_record_));
  return true;
}

void RunCursor::go_to(std::uint64_t number) {
  if (run_->in_memory()) {
    at_ = std::min(number, loaded_);
    return;
  }
  if (number >= run_->records) {
    at_ = loaded_;
    next_record_ = run_->records;
    return;
  }
  const std::uint64_t block = number / block_records_ * block_records_;
  load(block, std::min(block_records_, run_->records - block));
  at_ = number - block;
}

bool RunCursor::seek(const std::uint64_t* target) {
  const auto below = [&](std::uint64_t i) {
    return words_ == 1 ? data_[i] < target[0] : compare_records(data_ + i * words_, target, words_) < 0;
  };
  if (at_ == loaded_) {
    if (next_record_ >= run_->records) return false;
    load_next();
  }
  if (below(loaded_ - 1)) {
    if (next_record_ >= run_->records) {
      at_ = loaded_;
      return false;
    }
    // The last block that does not start above the target; blocks before the
    // next one need not be looked at.
    const std::uint64_t blocks = run_->fences.size() / words_;
    const auto starts_above = [&](std::uint64_t block) {
      return compare_records(run_->fences.data() + block * words_, target, words_) > 0;
    };
    const std::uint64_t next_block = next_record_ / block_records_;
    std::uint64_t low = next_block, step = 1;
    while (low + step < blocks && !starts_above(low + step)) {
      low += step;
      step *= 2;
    }
    std::uint64_t high = std::min(low + step, blocks);
    while (low + 1 < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      if (starts_above(middle)) {
        high = middle;
      } else {
        low = middle;
      }
    }
    // Read ahead where the targets are dense, not where blocks are skipped.
    read_ahead_ = low == next_block ? std::min(read_ahead_ * 2, most_blocks_) : 1;
    const std::uint64_t first = low * block_records_;
    load(first, std::min(read_ahead_ * block_records_, run_->records - first));
    if (below(loaded_ - 1)) {
      // The target lies between this block and the next.
      if (!load_next()) return false;
    }
  }
  // Within what is loaded there is one that is not below: gallop to it.
  std::uint64_t low = at_;
  if (below(low)) {
    std::uint64_t step = 1;
    while (low + step < loaded_ && below(low + step)) {
      low += step;
      step *= 2;
    }
    std::uint64_t high = std::min(low + step, loaded_ - 1);
    while (low + 1 < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      if (below(middle)) {
        low = middle;
      } else {
        high = middle;
      }
    }
    low = high;
  }
  at_ = low;
  return words_ == 1 ? data_[low] == target[0] : compare_records(data_ + low * words_, target, words_) == 0;
}

std::uint64_t survey(const Layouts& layouts, SortedRun& run) {
  const std::uint32_t run_words = layouts[run.layout].record_words();
  const std::uint32_t words = layouts.current().record_words();
  const std::uint64_t block_records = SortedRun::block_records(run_words);
  std::vector<std::uint64_t> block(block_records * run_words), fence(words);
  run.fences.clear();
  std::uint64_t checksum = 0;
  for (std::uint64_t first = 0; first < run.records; first += block_records) {
    const std::uint64_t count = std::min(block_records, run.records - first) * run_words;
    run.file->read(block.data(), count * sizeof(std::uint64_t),
                   run.offset + first * run_words * sizeof(std::uint64_t));
    checksum = continue_checksum(checksum, block.data(), count);
    layouts.translation(run.layout)(block.data(), fence.data());
    run.fences.insert(run.fences.end(), fence.begin(), fence.end());
  }
  return checksum;
}

void relayout(const Layouts& layouts, std::uint32_t from, SortedRun& run) {
  const std::uint32_t old_words = layouts[from].record_words();
  const std::uint32_t words = layouts.current().record_words();
  const RecordTranslation& translation = layouts.translation(from);
  const auto translate = [&](std::vector<std::uint64_t>& records) {
    const std::size_t count = records.size() / old_words;
    std::vector<std::uint64_t> out(count * words);
    for (std::size_t i = 0; i < count; ++i) {
      translation(records.data() + i * old_words, out.data() + i * words);
    }
    records = std::move(out);
  };
  translate(run.fences);
  if (!run.in_memory()) return;
  translate(run.memory);
  run.layout = layouts.current_number();
}

}  // namespace assay::storage
