#include "search/spilling/spilled_search.hpp"

#include <algorithm>
#include <stdexcept>

#include "support/memory.hpp"

namespace assay::search::spilling {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr std::size_t kDefaultMemory = std::size_t{1} << 30;
constexpr std::size_t kLeastBuffers = 4 * kMiB;
constexpr std::size_t kMostIo = std::size_t{1} << 19;

}  // namespace

std::size_t memory_limit(const Options& options) {
  return options.memory_limit_bytes == 0 ? kDefaultMemory : options.memory_limit_bytes;
}

Shares Shares::of(const Options& options) {
  std::size_t usable = options.number("spill_buffer_bytes", 0);
  if (usable == 0) {
    const std::size_t limit = memory_limit(options);
    const std::size_t taken = support::resident_bytes() + 2 * kMiB + limit / 32;
    if (limit < taken + kLeastBuffers) {
      throw std::invalid_argument("memory limit: a search on disk needs at least " +
                                  std::to_string((taken + kLeastBuffers) / kMiB + 1) + " MiB here, got " +
                                  std::to_string(limit / kMiB) + " MiB");
    }
    usable = limit - taken;
  }
  return {usable / 4 * 3, usable / 8, usable / 32};
}

SpilledSearch::SpilledSearch(const Task& its_task, Result& its_result)
    : task(its_task),
      system(its_task.system),
      options(its_task.options),
      result(its_result),
      shares(Shares::of(its_task.options)),
      directory(std::make_shared<storage::SearchDirectory>(its_task.options.spill_directory)),
      checkpoint_seconds(its_task.options.real("checkpoint_seconds", 30)),
      expansion(its_task.system, its_task.options) {}

void SpilledSearch::begin() {
  const InitialState initial(system);
  layouts.add(storage::PackedLayout(initial.words.data(), initial.length, system.max_words()));
  levels = std::make_shared<DiskFile>(directory->file("levels"), DiskFile::Mode::kCreate);
  index = std::make_shared<DiskFile>(directory->file("index"), DiskFile::Mode::kCreate);
  if (task.graph != nullptr)
    edges = std::make_unique<storage::EdgeLog>(directory->file("edges"), DiskFile::Mode::kCreate);
  parts_met = system.parts_met();
  if (parts_met != 0)
    lessons = std::make_unique<storage::WordLog>(directory->file("lessons"), DiskFile::Mode::kCreate);
  if (initial.violation != 0) {
    add({initial.violation, Finding::kAtState, 0, Words(initial.view().begin(), initial.view().end())});
  }
  Words record(layouts.current().record_words());
  layouts.current().pack(initial.words.data(), initial.length, record.data());
  storage::RunWriter writer(layouts, levels, 0, kLeastIo);
  writer.append(record.data());
  SortedRun run = writer.finish();
  start_level(run, 0);
  SortedRun in_memory;
  in_memory.records = 1;
  in_memory.memory = record;
  visited.push_back(std::move(in_memory));
  states = 1;
  finished = initial.violation != 0 && options.stop_at_first_violation;
}

void SpilledSearch::add(Found violation) {
  ++violation_count;
  for (Found& known : found) {
    if (known.code != violation.code) continue;
    if (violation.path_length() < known.path_length()) known = std::move(violation);
    return;
  }
  found.push_back(std::move(violation));
}

void SpilledSearch::start_level(const SortedRun& run, std::uint64_t number) {
  level = {run.offset, run.records, run.layout, run.checksum, edges == nullptr ? 0 : edges->words()};
  index->write(&level, sizeof level, number * sizeof level);
  index_checksum = storage::continue_checksum(index_checksum, reinterpret_cast<const std::uint64_t*>(&level),
                                              Level::kWords);
  levels_end = run.offset + run.records * layouts[run.layout].record_words() * sizeof(std::uint64_t);
  depth = number;
  expanded = 0;
  note_disk();
}

Level SpilledSearch::read_level(std::uint64_t number) const {
  Level found_there;
  index->read(&found_there, sizeof found_there, number * sizeof found_there);
  return found_there;
}

std::size_t SpilledSearch::io_bytes(std::size_t readers) const {
  return std::clamp(shares.io / std::max<std::size_t>(readers, 1), std::min(kLeastIo, shares.io), kMostIo);
}

std::shared_ptr<DiskFile> SpilledSearch::new_file() {
  return std::make_shared<DiskFile>(directory->file("run-" + std::to_string(next_file++)),
                                    DiskFile::Mode::kCreate);
}

void SpilledSearch::discard(const SortedRun& run) {
  if (run.in_memory() || run.file == levels) return;
  garbage.push_back(run.file->path());
  garbage_bytes += run.records * layouts[run.layout].record_words() * sizeof(std::uint64_t);
}

void SpilledSearch::note_disk() {
  const std::uint64_t logs =
      (edges == nullptr ? 0 : edges->bytes()) + (lessons == nullptr ? 0 : lessons->bytes());
  result.disk_bytes = std::max(result.disk_bytes, disk_bytes + levels_end + logs);
}

bool SpilledSearch::is_checkpoint_due() const {
  return std::chrono::duration<double>(Clock::now() - last_checkpoint).count() >= checkpoint_seconds;
}

}  // namespace assay::search::spilling
