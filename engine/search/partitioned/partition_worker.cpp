// What lies where. A call to merge makes two files: NAME, with the new level of each of its partitions one after
// another, and NAME-runs with those runs of states seen before that were merged to keep them few. A level in a file
// is a run of states seen before, too, as long as it has not been merged with others; if the states of a level stand
// in the order of their discovery, it is not, and then NAME-runs has it once more, sorted.
#include "search/partitioned/partition_worker.hpp"

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "search/partitioned/candidate_merge.hpp"
#include "search/partitioned/key_order.hpp"
#include "search/partitioned/level_expansion.hpp"
#include "search/partitioned/ranking.hpp"
#include "storage/level_reader.hpp"
#include "storage/run_merge.hpp"
#include "support/problems.hpp"

namespace assay::search::partitioned {
namespace {

using storage::CheckpointProblem;
using storage::LevelReader;
using storage::PackedLayout;
using storage::RunCursor;
using storage::RunMerge;
using storage::RunWriter;

constexpr std::size_t kMostIo = std::size_t{1} << 19;
constexpr std::size_t kMostInMemory = std::size_t{1} << 22;  // bytes of a run that is not read from its file
constexpr std::uint64_t kForgetAfter = 64;                   // calls

bool has_all_bits(const Words& masks, const Words& of) {
  for (std::size_t i = 0; i < of.size(); ++i) {
    if ((of[i] & ~(i < masks.size() ? masks[i] : 0)) != 0) return false;
  }
  return true;
}

/// A system has met parts, if it has any, when it has given its initial state.
std::unique_ptr<transition_system::Travelling> travelling(const transition_system::TransitionSystem& system,
                                                          const Options& options) {
  const InitialState initial(system);
  if (system.parts_met() == 0) return nullptr;
  return std::make_unique<transition_system::Travelling>(system, spilling::memory_limit(options) / 4);
}

std::uint64_t bytes_of(const SortedRun& run, std::uint32_t record_words) {
  return run.records * record_words * sizeof(std::uint64_t);
}

}  // namespace

PartitionWorker::PartitionWorker(const transition_system::TransitionSystem& system, const Options& options,
                                 std::string directory, std::uint32_t partitions, bool in_order,
                                 bool logs_edges)
    : travelling_(travelling(system, options)),
      system_(travelling_ == nullptr ? system : *travelling_),
      options_(options),
      directory_(std::move(directory)),
      partitions_(partitions),
      in_order_(in_order),
      logs_edges_(logs_edges),
      shares_(spilling::Shares::of(options)),
      expansion_(system_, options_),
      candidates_(shares_.candidates) {
  const InitialState initial(system_);
  layouts_.add(PackedLayout(initial.words.data(), initial.length, system_.max_words()));
  layout_numbers_[layouts_.current().masks()] = 0;
}

/// Where a graph is to be written down, or there may have to be one, states are known by their marks.
std::uint32_t PartitionWorker::owner_of(StateView state) {
  if (in_order_)
    return static_cast<std::uint32_t>(storage::StateMark::place(state.data(), state.size(), partitions_));
  Words record(layouts_.current().record_words());
  layouts_.current().pack(state.data(), static_cast<std::uint32_t>(state.size()), record.data());
  return ownership().of(record.data());
}

Ownership& PartitionWorker::ownership() {
  if (!ownership_ || ownership_layout_ != layouts_.current_number()) {
    ownership_.emplace(layouts_.current(), partitions_);
    ownership_layout_ = layouts_.current_number();
  }
  return *ownership_;
}

std::size_t PartitionWorker::io_bytes(std::size_t readers) const {
  return std::clamp(shares_.io / std::max<std::size_t>(readers, 1), std::min(spilling::kLeastIo, shares_.io),
                    kMostIo);
}

std::shared_ptr<DiskFile> PartitionWorker::open(const std::string& name) {
  std::weak_ptr<DiskFile>& known = files_[name];
  std::shared_ptr<DiskFile> file = known.lock();
  if (file == nullptr) {
    file = std::make_shared<DiskFile>(path_of(name), DiskFile::Mode::kOpen);
    known = file;
  }
  return file;
}

std::shared_ptr<DiskFile> PartitionWorker::create(const std::string& name) {
  auto file = std::make_shared<DiskFile>(path_of(name), DiskFile::Mode::kCreate);
  written_.push_back(file);
  return file;
}

void PartitionWorker::sync() {
  for (const std::shared_ptr<DiskFile>& file : written_) file->sync();
  written_.clear();
}

void PartitionWorker::widen_to(PackedLayout layout) {
  const std::uint32_t old = layouts_.current_number();
  layouts_.add(std::move(layout));
  layout_numbers_[layouts_.current().masks()] = layouts_.current_number();
  for (auto& [name, one] : held_) storage::relayout(layouts_, old, one.run);
}

std::uint32_t PartitionWorker::layout_number(const Words& masks) {
  const auto known = layout_numbers_.find(masks);
  if (known != layout_numbers_.end()) return known->second;
  const PackedLayout theirs(layouts_.current(), masks);
  if (!has_all_bits(layouts_.current().masks(), masks)) {
    Words both = layouts_.current().masks();
    both.resize(std::max(both.size(), masks.size()));
    for (std::size_t i = 0; i < masks.size(); ++i) both[i] |= masks[i];
    widen_to(PackedLayout(layouts_.current(), std::move(both)));
    if (layout_numbers_.contains(masks)) return layout_numbers_[masks];
  }
  return layout_numbers_[masks] = layouts_.add_narrower(theirs);
}

const SortedRun& PartitionWorker::held(const StoredRun& stored) {
  const auto name = std::make_pair(stored.file, stored.offset);
  auto found = held_.find(name);
  if (found == held_.end()) {
    SortedRun run;
    run.file = open(stored.file);
    run.offset = stored.offset;
    run.records = stored.records;
    run.layout = layout_number(stored.masks);
    run.checksum = stored.checksum;
    if (storage::survey(layouts_, run) != stored.checksum)
      throw CheckpointProblem(path_of(stored.file) + " is not what it was when it was written");
    hold(stored, std::move(run));
    found = held_.find(name);
  }
  found->second.used = calls_;
  return found->second.run;
}

void PartitionWorker::hold(const StoredRun& stored, SortedRun run) {
  // Short ones are asked for at every merge.
  const std::uint32_t words = layouts_[run.layout].record_words();
  if (bytes_of(run, words) <= std::min(shares_.small_run / 8, kMostInMemory)) {
    run.memory.resize(run.records * words);
    if (run.records > 0) run.file->read(run.memory.data(), bytes_of(run, words), run.offset);
    run.fences = {};
    run.file = nullptr;
    if (run.layout != layouts_.current_number()) storage::relayout(layouts_, run.layout, run);
  }
  held_[{stored.file, stored.offset}] = {std::move(run), calls_};
}

void PartitionWorker::forget_unused(const std::vector<MergedPart>& merged) {
  for (const MergedPart& part : merged) {
    for (const StoredRun& run : part.visited) {
      const auto found = held_.find({run.file, run.offset});
      if (found != held_.end()) found->second.used = calls_ + 1;
    }
  }
  const bool is_long_ago = calls_ > kForgetAfter;
  std::erase_if(held_, [&](const auto& entry) {
    const std::uint64_t used = entry.second.used;
    return used == calls_ || (is_long_ago && used < calls_ - kForgetAfter);
  });
  std::erase_if(files_, [](const auto& entry) { return entry.second.expired(); });
}

StoredRun PartitionWorker::stored(const SortedRun& run, const std::string& name) const {
  return {name, run.offset, run.records, layouts_[run.layout].masks(), run.checksum};
}

bool PartitionWorker::is_intact(const StoredRun& stored) {
  SortedRun run;
  run.file = open(stored.file);
  run.offset = stored.offset;
  run.records = stored.records;
  run.layout = layout_number(stored.masks);
  return storage::survey(layouts_, run) == stored.checksum;
}

PartitionWorker::Begun PartitionWorker::begin(const std::string& name) {
  const InitialState initial(system_);
  Begun begun;
  begun.violation = initial.violation;
  begun.state.assign(initial.view().begin(), initial.view().end());
  begun.partition = owner_of(initial.view());
  Words record(layouts_.current().record_words());
  layouts_.current().pack(initial.words.data(), initial.length, record.data());
  const auto file = create(name);
  RunWriter writer(layouts_, file, 0, spilling::kLeastIo);
  writer.append(record.data());
  const SortedRun run = writer.finish();
  begun.level = stored(run, name);
  const std::uint32_t rank = 0;
  begun.ranks = {name, bytes_of(run, layouts_.current().record_words()), 1};
  file->write(&rank, sizeof rank, begun.ranks.offset);
  return begun;
}

/// Calls `take(state, its record, its rank)`, which answers whether it wants more.
template <class Take>
void PartitionWorker::each_state(const LevelPart& part, Take take) {
  const std::uint32_t number = layout_number(part.states.masks);
  const std::shared_ptr<DiskFile> file = open(part.states.file);
  const storage::Level level{part.states.offset, part.states.records, number, 0, 0};
  LevelReader reader(*file, level, layouts_[number], io_bytes(2));
  reader.go_to(part.begin);
  PieceReader<std::uint32_t> ranks(part.ranks, opener(), part.begin);
  for (std::uint64_t i = part.begin; i < part.end; ++i) {
    const std::uint32_t length = reader.read();
    if (!take(StateView{reader.words(), length}, reader.record(), in_order_ ? ranks.next() : 0)) return;
  }
}

void PartitionWorker::each_numbered(const LevelPart& part,
                                    const std::function<void(StateView, std::uint64_t)>& take) {
  each_state(part, [&](StateView state, const std::uint64_t*, std::uint64_t rank) {
    take(state, rank);
    return true;
  });
}

Expanded PartitionWorker::expand(const std::vector<LevelPart>& parts, std::uint64_t depth,
                                 const std::vector<std::uint32_t>& group_of, std::uint32_t own_group,
                                 const std::string& edges_name) {
  ++calls_;
  kept_.clear();
  own_block_.clear();
  // Before the first candidate is packed: the present layout changes with what others wrote.
  for (const LevelPart& part : parts) layout_number(part.states.masks);
  std::uint64_t states = 0;
  for (const LevelPart& part : parts) states += part.end - part.begin;
  LevelExpansion level(*this, depth, states, group_of, own_group, edges_name);
  for (const LevelPart& part : parts) {
    const std::uint32_t layout = layout_number(part.states.masks);
    level.start_part();
    each_state(part, [&](StateView state, const std::uint64_t* record, std::uint64_t rank) {
      level.look_around();
      return level.expand(state, record, layout, rank);
    });
    level.finish_part();
  }
  Expanded expanded = level.finish();
  kept_ = std::move(expanded.kept);
  if (own_group < expanded.blocks.size()) own_block_.swap(expanded.blocks[own_group]);
  for (const KeptSection& section : kept_)
    expanded.kept_bytes += section.words.size() * sizeof(std::uint64_t);
  expanded.kept_bytes += own_block_.size();
  return expanded;
}

PartitionWorker::Arrived::Arrived(PartitionWorker& worker, const std::vector<std::string_view>& blocks)
    : worker_(worker),
      kept_(std::exchange(worker.kept_, {})),
      own_block_(std::exchange(worker.own_block_, {})) {
  take(own_block_);
  for (const std::string_view block : blocks) take(block);
}

void PartitionWorker::Arrived::take(std::string_view block) {
  for (SectionView& section : sections_of(block)) {
    worker_.layout_number(section.header.masks);
    sections_[section.header.partition].push_back(std::move(section));
  }
}

std::vector<SectionCursor> PartitionWorker::Arrived::cursors(std::uint32_t partition) const {
  std::vector<SectionCursor> found;
  for (const KeptSection& section : kept_) {
    if (section.partition == partition) found.emplace_back(worker_.layouts_, section);
  }
  const auto sent = sections_.find(partition);
  if (sent == sections_.end()) return found;
  for (const SectionView& view : sent->second)
    found.emplace_back(worker_.layouts_, worker_.layout_number(view.header.masks), view.header,
                       ByteSource(view.data));
  return found;
}

std::map<std::uint32_t, StoredSection> PartitionWorker::put_aside(const std::vector<std::string_view>& blocks,
                                                                  const std::string& name) {
  ++calls_;
  const Arrived candidates(*this, blocks);
  const auto file = create(name);
  std::uint64_t end = 0;
  std::map<std::uint32_t, StoredSection> aside;
  for (std::uint32_t partition = 0; partition < partitions_; ++partition) {
    std::vector<SectionCursor> cursors = candidates.cursors(partition);
    if (cursors.empty()) continue;
    CandidateMerge merge(cursors, layouts_.current().record_words());
    SectionWriter writer(partition, in_order_, layouts_.current());
    while (merge.next()) writer.append(merge.record(), merge.key());
    std::string bytes;
    writer.finish(bytes);
    file->write(bytes.data(), bytes.size(), end);
    aside[partition] = {name, end, bytes.size()};
    end += bytes.size();
  }
  return aside;
}

std::vector<MergedPart> PartitionWorker::merge(const std::vector<MergePart>& parts,
                                               const std::vector<std::string_view>& blocks,
                                               const std::string& name) {
  ++calls_;
  // All layouts are known before the first record is read: the present one must not change any more.
  const Arrived candidates(*this, blocks);
  std::map<std::uint32_t, std::vector<std::pair<SectionHeader, ByteSource>>> aside;
  for (const MergePart& part : parts) {
    for (const StoredRun& run : part.visited) layout_number(run.masks);
    for (const StoredSection& section : part.batches) {
      ByteSource source(open(section.file), section.offset, section.bytes, io_bytes(part.batches.size() + 4));
      SectionHeader header = read_header(source);
      layout_number(header.masks);
      aside[part.partition].emplace_back(std::move(header), std::move(source));
    }
  }
  std::shared_ptr<DiskFile> levels = create(name);
  std::shared_ptr<DiskFile> runs = create(name + "-runs");
  files_[name] = levels;
  files_[name + "-runs"] = runs;
  std::uint64_t levels_end = 0, runs_end = 0;
  std::vector<MergedPart> merged;
  for (const MergePart& part : parts) {
    std::vector<SectionCursor> cursors = candidates.cursors(part.partition);
    for (auto& [header, source] : aside[part.partition])
      cursors.emplace_back(layouts_, layout_number(header.masks), header, std::move(source));
    MergedPart out;
    out.partition = part.partition;
    out.visited = part.visited;
    merge_one(part, cursors, levels, levels_end, runs, runs_end, out);
    merge_visited(out.visited, runs, runs_end);
    merged.push_back(std::move(out));
  }
  if (runs_end == 0) unlink(runs->path().c_str());
  if (levels_end == 0) unlink(levels->path().c_str());
  forget_unused(merged);
  return merged;
}

void PartitionWorker::merge_one(const MergePart& part, std::vector<SectionCursor>& candidates,
                                const std::shared_ptr<DiskFile>& levels, std::uint64_t& levels_end,
                                const std::shared_ptr<DiskFile>& runs, std::uint64_t& runs_end,
                                MergedPart& out) {
  const std::uint32_t record_words = layouts_.current().record_words();
  std::vector<RunCursor> visited;
  // Most duplicates are of recent levels: look there first.
  for (std::size_t i = part.visited.size(); i-- > 0;)
    visited.emplace_back(layouts_, held(part.visited[i]), io_bytes(part.visited.size() + 2));
  CandidateMerge merge(candidates, record_words);
  const std::shared_ptr<DiskFile>& sorted_file = in_order_ ? runs : levels;
  std::uint64_t& sorted_end = in_order_ ? runs_end : levels_end;
  RunWriter fresh(layouts_, sorted_file, sorted_end, io_bytes(part.visited.size() + 2));
  std::optional<KeyOrder> order;
  if (in_order_) order.emplace(candidates_.lend(), record_words, directory_);
  while (merge.next()) {
    if (std::ranges::any_of(visited, [&](RunCursor& run) { return run.seek(merge.record()); })) continue;
    fresh.append(merge.record());
    if (order) order->add(merge.key(), merge.record());
  }
  visited.clear();
  const SortedRun run = fresh.finish();
  const std::uint64_t bytes = bytes_of(run, record_words);
  sorted_end += bytes;
  const StoredRun sorted = stored(run, name_of(*sorted_file));
  if (order) {
    RunWriter by_key(layouts_, levels, levels_end, io_bytes(4));
    Words keys;
    order->finish([&](std::uint64_t key, const std::uint64_t* record) {
      keys.push_back(key);
      by_key.append(record);
    });
    const SortedRun level = by_key.finish();
    out.level = stored(level, name_of(*levels));
    levels_end += bytes_of(level, record_words);
    out.keys = {name_of(*levels), levels_end, keys.size()};
    levels->write(keys.data(), keys.size() * sizeof(std::uint64_t), levels_end);
    levels_end += keys.size() * sizeof(std::uint64_t);
  } else {
    out.level = sorted;
  }
  if (run.records == 0) return;
  hold(sorted, run);
  out.visited.push_back(sorted);
}

void PartitionWorker::merge_visited(std::vector<StoredRun>& visited, const std::shared_ptr<DiskFile>& runs,
                                    std::uint64_t& runs_end) {
  if (visited.empty()) return;
  const std::uint32_t record_words = layouts_.current().record_words();
  std::size_t first = visited.size() - 1;
  std::uint64_t total = visited[first].records;
  while (first > 0 && visited[first - 1].records <= 2 * total) total += visited[--first].records;
  if (first + 1 == visited.size()) return;
  std::vector<RunCursor> cursors;
  const std::size_t readers = visited.size() - first + 1;
  for (std::size_t i = first; i < visited.size(); ++i)
    cursors.emplace_back(layouts_, held(visited[i]), io_bytes(readers));
  RunMerge merge(cursors, nullptr, 0, record_words);
  RunWriter writer(layouts_, runs, runs_end, io_bytes(readers));
  Words record(record_words);
  while (merge.next(record.data())) writer.append(record.data());
  SortedRun merged = writer.finish();
  if (merged.records != total) throw std::runtime_error("two levels of a partition share a state");
  cursors.clear();
  runs_end += bytes_of(merged, record_words);
  visited.resize(first);
  visited.push_back(stored(merged, name_of(*runs)));
  hold(visited.back(), std::move(merged));
}

std::vector<Predecessor> PartitionWorker::predecessors(const std::vector<LevelPart>& parts,
                                                       const std::vector<Words>& states) {
  ++calls_;
  std::multimap<std::uint64_t, std::size_t> by_hash;
  for (std::size_t i = 0; i < states.size(); ++i)
    by_hash.emplace(support::hash_words(states[i].data(), states[i].size(), 0), i);
  std::vector<Predecessor> found(states.size());
  for (const LevelPart& part : parts) {
    std::vector<bool> is_found_here(states.size());
    each_state(part, [&](StateView state, const std::uint64_t*, std::uint64_t rank) {
      expansion_.again(state, [&](Position position, StateView next) {
        const auto [begin, end] = by_hash.equal_range(support::hash_words(next.data(), next.size(), 0));
        for (auto entry = begin; entry != end; ++entry) {
          const std::size_t i = entry->second;
          if (is_found_here[i] || !std::ranges::equal(states[i], next)) continue;
          is_found_here[i] = true;
          Predecessor& first = found[i];
          const bool is_earlier =
              !first.is_found || (in_order_ ? rank < first.rank : comes_before(state, first.state));
          if (is_earlier) first = {true, number_of(position), rank, Words(state.begin(), state.end())};
        }
        return true;
      });
      return true;
    });
  }
  return found;
}

Counted PartitionWorker::count_until(const std::vector<LevelPart>& parts, const Words& last,
                                     std::uint64_t last_rank, bool at_limit) {
  ++calls_;
  Counted counted;
  for (const LevelPart& part : parts) {
    each_state(part, [&](StateView state, const std::uint64_t*, std::uint64_t rank) {
      if (in_order_ ? rank > last_rank : comes_before(last, state)) return false;
      ++counted.states;
      if (at_limit) return true;
      expansion_.again(state, [&](Position, StateView) {
        ++counted.transitions;
        return true;
      });
      return true;
    });
  }
  return counted;
}

std::vector<StoredWords> PartitionWorker::rank(const std::vector<StoredWords>& keys, std::uint64_t parents,
                                               std::uint64_t slice, std::uint64_t slices,
                                               const std::string& name) {
  ++calls_;
  const auto out = create(name);
  return rank_slice(keys, parents, slice, slices, opener(), out, name);
}

std::vector<StoredWords> PartitionWorker::number_edges(const std::vector<std::uint32_t>& partitions,
                                                       const std::vector<NumberedLevel>& levels,
                                                       const std::vector<std::vector<StoredWords>>& edges,
                                                       const std::string& name) {
  ++calls_;
  std::uint64_t states = 0;
  for (const NumberedLevel& level : levels) {
    for (const LevelPart& part : level.parts) states += part.end - part.begin;
  }
  storage::MarkTable table(candidates_.lend(), states);
  for (const NumberedLevel& level : levels) {
    for (const LevelPart& part : level.parts) {
      each_state(part, [&](StateView state, const std::uint64_t*, std::uint64_t rank) {
        const std::uint64_t number = level.first_number + rank;
        if (number > UINT32_MAX)
          throw GraphProblem("the graph cannot be written down: it has more than 2^32 states");
        if (!table.add(storage::StateMark::of(state.data(), state.size()),
                       static_cast<std::uint32_t>(number)))
          throw GraphProblem("the graph cannot be written down: two states have the same hash");
        return true;
      });
    }
  }
  std::vector<bool> is_own(partitions_);
  for (const std::uint32_t partition : partitions) is_own[partition] = true;
  const auto out = create(name);
  std::vector<StoredWords> numbered;
  std::uint64_t end = 0;
  for (const std::vector<StoredWords>& pieces : edges) {
    PieceWriter<std::uint32_t> writer(out, end);
    for (PieceReader<std::uint32_t> reader(pieces, opener()); !reader.at_end();) {
      for (std::uint32_t left = reader.next(); left > 0; --left) {
        storage::StateMark mark;
        for (std::uint32_t& part : mark.parts) part = reader.next();
        if (!is_own[mark.scaled(partitions_)]) continue;
        const std::uint32_t* const number = table.find(mark);
        if (number == nullptr)
          throw GraphProblem("the graph cannot be written down: a step leads to no state");
        writer.append(*number);
      }
    }
    const std::uint64_t begin = end;
    end = writer.flush();
    numbered.push_back({name, begin, (end - begin) / sizeof(std::uint32_t)});
  }
  return numbered;
}

}  // namespace assay::search::partitioned
