#include "search/spilling/candidates.hpp"

#include <algorithm>

#include "storage/run_merge.hpp"

namespace assay::search::spilling {
namespace {

using storage::RunCursor;
using storage::RunMerge;
using storage::RunWriter;

std::size_t most_batches(const Shares& shares) {
  return std::clamp<std::size_t>(shares.io / kLeastIo / 2, 4, 256);
}

}  // namespace

void Candidates::insert_pending() {
  for (std::size_t i = 0; i < pending_count_; ++i) {
    const std::uint64_t* const record = pending_.data() + i * record_words_;
    while (!candidates_.add(record, hashes_[i])) {
      write_batch();
      candidates_.start(record_words_, ~std::uint64_t{0} / 4);
    }
  }
  pending_count_ = 0;
}

void Candidates::start() {
  record_words_ = search_.layouts.current().record_words();
  pending_.resize(kPending * record_words_);
  pending_count_ = 0;
  candidates_.start(record_words_, search_.level.records);
}

void Candidates::flush() {
  insert_pending();
  if (candidates_.size() == 0) return;
  write_batch();
  candidates_.start(record_words_, search_.level.records);
}

void Candidates::write_batch() {
  candidates_.sort();
  write_sorted();
  if (search_.batches.size() >= most_batches(search_.shares)) join_batches();
}

void Candidates::write_sorted() {
  RunWriter writer(search_.layouts, search_.new_file(), 0, search_.io_bytes(2));
  const std::uint64_t* record = candidates_.sorted();
  for (std::uint64_t i = 0; i < candidates_.size(); ++i, record += record_words_) writer.append(record);
  keep_batch(writer.finish());
}

void Candidates::keep_batch(SortedRun run) {
  run.fences = {};  // batches are only read from end to end
  search_.disk_bytes += run.records * record_words_ * sizeof(std::uint64_t);
  search_.note_disk();
  search_.batches.push_back(std::move(run));
}

void Candidates::join_batches() {
  std::vector<RunCursor> cursors;
  for (const SortedRun& batch : search_.batches)
    cursors.emplace_back(search_.layouts, batch, search_.io_bytes(search_.batches.size() + 1));
  RunMerge merge(cursors, nullptr, 0, record_words_);
  RunWriter writer(search_.layouts, search_.new_file(), 0, search_.io_bytes(search_.batches.size() + 1));
  Words record(record_words_);
  while (merge.next(record.data())) writer.append(record.data());
  SortedRun joined = writer.finish();
  for (const SortedRun& batch : search_.batches) search_.discard(batch);
  search_.batches.clear();
  keep_batch(std::move(joined));
}

void Candidates::widen(const std::uint64_t* words, std::uint32_t count) {
  const std::uint32_t old = search_.layouts.current_number();
  const std::uint32_t old_words = record_words_;
  const bool in_place = candidates_.size() * old_words * sizeof(std::uint64_t) <= search_.shares.small_run;
  Words kept;
  if (in_place) {
    candidates_.sort();
    kept.assign(candidates_.sorted(), candidates_.sorted() + candidates_.size() * old_words);
  } else {
    write_batch();
  }
  const std::uint64_t expected = std::max(candidates_.size(), search_.level.records);
  search_.layouts.add(search_.layouts.current().widened(words, count, search_.lessons != nullptr));
  for (SortedRun& run : search_.visited) storage::relayout(search_.layouts, old, run);
  record_words_ = search_.layouts.current().record_words();
  pending_.resize(kPending * record_words_);
  candidates_.start(record_words_, expected);
  Words record(record_words_);
  for (std::size_t i = 0; i < kept.size(); i += old_words) {
    search_.layouts.translation(old)(kept.data() + i, record.data());
    while (!candidates_.add(record.data(), candidates_.hash(record.data()))) {
      write_batch();
      candidates_.start(record_words_, ~std::uint64_t{0} / 4);
    }
  }
}

}  // namespace assay::search::spilling
