#include "search/spilling/level_merge.hpp"

#include <unistd.h>

#include <optional>
#include <stdexcept>

#include "search/discovery_order.hpp"
#include "storage/run_merge.hpp"

namespace assay::search::spilling {
namespace {

using storage::RunCursor;
using storage::RunMerge;
using storage::RunWriter;

/// The new states of a merge: a run of their own while they are few or if the
/// level is to stand in another order, else a part of the file of levels.
class NewStates {
 public:
  NewStates(SpilledSearch& search, std::size_t io_bytes)
      : search_(search), io_bytes_(io_bytes), most_small_(search.shares.small_run / sizeof(std::uint64_t)) {
    if (search.edges == nullptr) writer_.emplace(search.layouts, search.levels, search.levels_end, io_bytes);
  }
  std::uint64_t count() const { return count_; }
  void append(const std::uint64_t* record) {
    ++count_;
    if (is_small_) {
      if (small_.size() < most_small_) {
        small_.insert(small_.end(), record, record + search_.record_words());
      } else {
        leave_memory();
      }
    }
    if (writer_) writer_->append(record);
  }
  SortedRun finish() {
    if (writer_) written_ = writer_->finish();
    if (!is_small_) return written_;
    SortedRun run;
    run.records = count_;
    run.layout = search_.layouts.current_number();
    small_.shrink_to_fit();
    run.memory = std::move(small_);
    return run;
  }
  const SortedRun& in_levels() const { return written_; }

 private:
  void leave_memory() {
    is_small_ = false;
    if (!writer_) {
      writer_.emplace(search_.layouts, search_.new_file(), 0, io_bytes_);
      for (std::size_t i = 0; i < small_.size(); i += search_.record_words())
        writer_->append(small_.data() + i);
    }
    small_ = {};
  }

  SpilledSearch& search_;
  const std::size_t io_bytes_;
  const std::size_t most_small_;
  std::optional<RunWriter> writer_;
  Words small_;
  bool is_small_ = true;
  std::uint64_t count_ = 0;
  SortedRun written_;
};

}  // namespace

bool LevelMerge::operator()() {
  const std::uint32_t record_words = search_.record_words();
  candidates_.sort();
  const std::size_t readers = search_.batches.size() + search_.visited.size() + 2;
  std::vector<RunCursor> batches, visited;
  for (const SortedRun& batch : search_.batches)
    batches.emplace_back(search_.layouts, batch, search_.io_bytes(readers));
  // Most duplicates are of recent levels: look there first.
  for (std::size_t i = search_.visited.size(); i-- > 0;)
    visited.emplace_back(search_.layouts, search_.visited[i], search_.io_bytes(readers));
  RunMerge merge(batches, candidates_.sorted(), candidates_.size(), record_words);
  NewStates fresh(search_, search_.io_bytes(readers));
  Words record(record_words);
  std::uint64_t looked = 0;
  while (merge.next(record.data())) {
    if (++looked % kLookEveryRecords == 0) {
      search_.task.control.report(search_.states + fresh.count(), search_.transitions, search_.depth,
                                  fresh.count());
      if (search_.task.control.should_stop()) return leave_level(0);
    }
    if (std::ranges::any_of(visited, [&](RunCursor& run) { return run.seek(record.data()); })) continue;
    if (search_.options.state_limit != 0 && search_.states + fresh.count() >= search_.options.state_limit) {
      search_.task.control.stop(StopReason::kStates);
      return leave_level(fresh.count());
    }
    fresh.append(record.data());
  }
  batches.clear();
  visited.clear();
  SortedRun run = fresh.finish();
  for (const SortedRun& batch : search_.batches) search_.discard(batch);
  search_.batches.clear();
  if (run.records == 0) {
    search_.finished = true;
    return true;
  }
  if (search_.edges == nullptr) {
    search_.start_level(fresh.in_levels(), search_.depth + 1);
    candidates_.clear();
  } else if (!start_level_in_order(run)) {
    // What was merged can be merged again.
    search_.unmerged = run.records;
    run.fences = {};
    search_.batches.push_back(std::move(run));
    return false;
  }
  search_.states += run.records;
  if (!run.in_memory() && run.file != search_.levels) {
    search_.disk_bytes += run.records * record_words * sizeof(std::uint64_t);
    search_.note_disk();
  }
  search_.visited.push_back(std::move(run));
  merge_visited();
  return true;
}

bool LevelMerge::start_level_in_order(const SortedRun& run) {
  search_.edges->flush();
  RunWriter writer(search_.layouts, search_.levels, search_.levels_end, search_.io_bytes(4));
  const NewLevel level{search_.layouts, run, *search_.edges, search_.level.edges};
  if (!write_in_order_of_discovery(
          level, candidates_.lend(), search_.io_bytes(4), search_.directory->path(),
          [&] { return search_.task.control.should_stop(); }, writer)) {
    return false;
  }
  search_.start_level(writer.finish(), search_.depth + 1);
  candidates_.clear();
  return true;
}

bool LevelMerge::leave_level(std::uint64_t new_states) {
  if (candidates_.size() > 0) candidates_.write_sorted();
  candidates_.clear();
  search_.unmerged = new_states;
  return false;
}

void LevelMerge::merge_visited() {
  const std::uint32_t record_words = search_.record_words();
  std::size_t first = search_.visited.size() - 1;
  std::uint64_t total = search_.visited[first].records;
  while (first > 0 && search_.visited[first - 1].records <= 2 * total)
    total += search_.visited[--first].records;
  if (first + 1 == search_.visited.size()) return;
  const std::uint64_t bytes = total * record_words * sizeof(std::uint64_t);
  std::vector<RunCursor> cursors;
  const std::size_t readers = search_.visited.size() - first + 1;
  for (std::size_t i = first; i < search_.visited.size(); ++i) {
    cursors.emplace_back(search_.layouts, search_.visited[i], search_.io_bytes(readers));
  }
  RunMerge merge(cursors, nullptr, 0, record_words);
  RunWriter writer(search_.layouts, bytes <= search_.shares.small_run ? nullptr : search_.new_file(), 0,
                   search_.io_bytes(readers));
  Words record(record_words);
  while (merge.next(record.data())) {
    writer.append(record.data());
    // It is worth its time to a search that goes on, and is not needed by one that stops.
    if (writer.records() % kLookEveryRecords == 0 && search_.task.control.should_stop()) {
      const SortedRun abandoned = writer.finish();
      if (!abandoned.in_memory()) unlink(abandoned.file->path().c_str());
      return;
    }
  }
  SortedRun merged = writer.finish();
  if (merged.records != total) throw std::runtime_error("two levels of the search on disk share a state");
  if (!merged.in_memory()) search_.disk_bytes += bytes;
  search_.note_disk();
  cursors.clear();
  for (std::size_t i = first; i < search_.visited.size(); ++i) search_.discard(search_.visited[i]);
  search_.visited.resize(first);
  search_.visited.push_back(std::move(merged));
}

}  // namespace assay::search::spilling
