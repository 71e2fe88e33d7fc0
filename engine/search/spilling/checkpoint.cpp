#include "search/spilling/checkpoint.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace assay::search::spilling {

using storage::CheckpointProblem;
using storage::EdgeLog;
using storage::PackedLayout;
using storage::WordLog;

void Checkpoint::save() {
  storage::CheckpointWriter out;
  storage::write_identity(out, search_.options.identity);
  out.words(search_.layouts[0].base());
  out.number(search_.layouts.count());
  for (std::uint32_t i = 0; i < search_.layouts.count(); ++i) out.words(search_.layouts[i].masks());
  if (search_.edges != nullptr) search_.edges->sync();
  if (search_.lessons != nullptr) search_.lessons->sync();
  for (const std::uint64_t value : {search_.depth,
                                    search_.level.offset,
                                    search_.level.records,
                                    search_.level.layout,
                                    search_.level.checksum,
                                    search_.level.edges,
                                    search_.expanded,
                                    search_.states,
                                    search_.transitions,
                                    std::uint64_t{search_.cut},
                                    search_.levels_end,
                                    search_.index_checksum,
                                    search_.next_file,
                                    search_.violation_count,
                                    search_.edges == nullptr ? 0 : search_.edges->words(),
                                    search_.edges == nullptr ? 0 : search_.edges->checksum(),
                                    search_.lessons == nullptr ? 0 : search_.lessons->words(),
                                    search_.lessons == nullptr ? 0 : search_.lessons->checksum(),
                                    search_.parts_met,
                                    search_.system.digest_of_parts()}) {
    out.number(value);
  }
  out.number(search_.found.size());
  for (const Found& found : search_.found) {
    out.number(found.code);
    out.number(number_of(found.position));
    out.number(found.depth);
    out.words(found.words);
  }
  for (const std::vector<SortedRun>* runs : {&search_.visited, &search_.batches}) {
    out.number(runs->size());
    for (const SortedRun& run : *runs) write_run(out, run);
  }
  search_.levels->sync();
  search_.index->sync();
  out.save(search_.directory->file("checkpoint"));
  search_.last_checkpoint = Clock::now();
  for (const std::string& path : search_.garbage) unlink(path.c_str());
  search_.garbage.clear();
  search_.disk_bytes -= search_.garbage_bytes;
  search_.garbage_bytes = 0;
}

void Checkpoint::write_run(storage::CheckpointWriter& out, const SortedRun& run) const {
  const bool in_levels = run.file == search_.levels;
  out.number(run.in_memory() ? 0 : in_levels ? 1 : 2);
  out.text(run.in_memory() || in_levels ? "" : run.file->path().substr(search_.directory->file("").size()));
  out.number(run.offset);
  out.number(run.records);
  out.number(run.layout);
  out.number(run.checksum);
  if (run.in_memory()) out.words(run.memory);
  if (!run.in_memory()) run.file->sync();
}

void Checkpoint::load() {
  storage::CheckpointReader in(search_.directory->file("checkpoint"));
  compare_identity(in);
  read_layouts(in);
  std::uint64_t cut = 0;
  Logs logs;
  for (std::uint64_t* const value : {&search_.depth,
                                     &search_.level.offset,
                                     &search_.level.records,
                                     &search_.level.layout,
                                     &search_.level.checksum,
                                     &search_.level.edges,
                                     &search_.expanded,
                                     &search_.states,
                                     &search_.transitions,
                                     &cut,
                                     &search_.levels_end,
                                     &search_.index_checksum,
                                     &search_.next_file,
                                     &search_.violation_count,
                                     &logs.edge_words,
                                     &logs.edge_checksum,
                                     &logs.lesson_words,
                                     &logs.lesson_checksum,
                                     &logs.parts,
                                     &logs.digest_of_parts}) {
    *value = in.number();
  }
  search_.cut = cut != 0;
  read_found(in);
  std::vector<std::string> kept = open_files(logs);
  std::uint64_t visited_records = 0;
  for (std::vector<SortedRun>* runs : {&search_.visited, &search_.batches}) {
    const std::uint64_t count = in.number(std::uint64_t{1} << 24);
    for (std::uint64_t i = 0; i < count; ++i) {
      SortedRun run = read_run(in, kept);
      if (runs == &search_.batches && !run.in_memory()) run.fences = {};
      if (runs == &search_.visited) visited_records += run.records;
      runs->push_back(std::move(run));
    }
  }
  in.expect_end();
  if (visited_records != search_.states || search_.level.layout > search_.layouts.current_number() ||
      search_.expanded > search_.level.records) {
    damaged("assay-checkpoint");
  }
  check_levels();
  // What was written after the checkpoint is written again.
  search_.levels->truncate(search_.levels_end);
  search_.directory->sweep(kept);
  search_.last_checkpoint = Clock::now();
  search_.note_disk();
}

void Checkpoint::read_layouts(storage::CheckpointReader& in) {
  const Words base = in.words();
  const InitialState initial(search_.system);
  const PackedLayout first(initial.words.data(), initial.length, search_.system.max_words());
  if (first.base() != base) {
    throw CheckpointProblem("the checkpoint in " + search_.directory->path() +
                            " begins in another state than the program");
  }
  const std::uint64_t layouts = in.number(std::uint64_t{1} << 24);
  for (std::uint64_t i = 0; i < layouts; ++i) {
    Words masks = in.words();
    if (masks.size() > std::size_t{search_.system.max_words()} + 1) damaged("assay-checkpoint");
    search_.layouts.add(PackedLayout(first, std::move(masks)));
  }
  if (layouts == 0) damaged("assay-checkpoint");
}

void Checkpoint::read_found(storage::CheckpointReader& in) {
  const std::uint64_t found_count = in.number(std::uint64_t{1} << 32);
  for (std::uint64_t i = 0; i < found_count; ++i) {
    Found found{};
    found.code = static_cast<std::uint32_t>(in.number(0xFFFFFFFFu));
    found.position = Position{static_cast<std::uint32_t>(in.number(0xFFFFFFFFu))};
    found.depth = in.number();
    found.words = in.words();
    if (found.words.size() > search_.system.max_words()) damaged("assay-checkpoint");
    search_.found.push_back(std::move(found));
  }
}

std::vector<std::string> Checkpoint::open_files(const Logs& logs) {
  search_.levels = open_file("levels");
  search_.index = open_file("index");
  std::vector<std::string> kept{search_.levels->path(), search_.index->path()};
  if (search_.task.graph != nullptr) {
    require_file("edges");
    search_.edges = std::make_unique<EdgeLog>(search_.directory->file("edges"), DiskFile::Mode::kOpen);
    if (!search_.edges->go_back_to(logs.edge_words, logs.edge_checksum)) damaged(search_.edges->path());
    kept.push_back(search_.edges->path());
  }
  search_.parts_met = search_.system.parts_met();
  if (search_.parts_met != 0) {
    require_file("lessons");
    search_.lessons = std::make_unique<WordLog>(search_.directory->file("lessons"), DiskFile::Mode::kOpen);
    if (!search_.lessons->go_back_to(logs.lesson_words, logs.lesson_checksum)) {
      damaged(search_.lessons->path());
    }
    kept.push_back(search_.lessons->path());
    learn_again(logs.parts, logs.digest_of_parts);
  }
  return kept;
}

SortedRun Checkpoint::read_run(storage::CheckpointReader& in, std::vector<std::string>& kept) {
  SortedRun run;
  const std::uint64_t kind = in.number(2);
  const std::string name = in.text();
  if (kind == 1) run.file = search_.levels;
  if (kind == 2) {
    if (name.rfind("run-", 0) != 0 || name.find('/') != std::string::npos) damaged("assay-checkpoint");
    run.file = open_file(name);
    kept.push_back(run.file->path());
    search_.disk_bytes += run.file->size();
  }
  run.offset = in.number();
  run.records = in.number();
  run.layout = static_cast<std::uint32_t>(in.number(search_.layouts.current_number()));
  run.checksum = in.number();
  if (kind == 0) {
    run.memory = in.words();
    if (run.layout != search_.layouts.current_number() ||
        run.memory.size() != run.records * search_.layouts.current().record_words()) {
      damaged("assay-checkpoint");
    }
  } else {
    require_size(run);
    if (storage::survey(search_.layouts, run) != run.checksum) damaged(run.file->path());
  }
  return run;
}

void Checkpoint::learn_again(std::uint64_t parts, std::uint64_t digest) {
  WordLog::Reader reader(*search_.lessons, 0, search_.lessons->words(), kLeastIo);
  Words words;
  while (!reader.at_end() && search_.system.parts_met() < parts) {
    if (search_.task.control.should_stop()) throw Interrupted();
    const std::uint32_t length = reader.next(1)[0];
    if (length > search_.system.max_words()) damaged(search_.lessons->path());
    words.resize(length);
    const std::span<const std::uint32_t> halves = reader.next(std::size_t{length} * 2);
    std::memcpy(words.data(), halves.data(), halves.size_bytes());
    if (!search_.system.is_state(words)) break;
    if (search_.system.has_state_checks()) search_.system.check_state(words);
    search_.expansion.again(words, [](Position, StateView) { return true; });
  }
  search_.parts_met = search_.system.parts_met();
  if (search_.parts_met != parts || search_.system.digest_of_parts() != digest) {
    throw CheckpointProblem("the program does not repeat what it did when the search in " +
                            search_.directory->path() + " was begun; the search has to begin again");
  }
}

void Checkpoint::compare_identity(storage::CheckpointReader& in) const {
  const auto& ours = search_.options.identity;
  const storage::Identity theirs = storage::read_identity(in);
  for (std::size_t i = 0; i < std::max(ours.size(), theirs.size()); ++i) {
    if (i < ours.size() && i < theirs.size() && ours[i] == theirs[i]) continue;
    const auto& other = i < theirs.size() ? theirs[i] : ours[i];
    const std::string here = i < ours.size() ? ours[i].second : "";
    throw CheckpointProblem(
        "the search in " + search_.directory->path() + " was begun with another " + other.first +
        (other.second.size() + here.size() < 200 ? " (" + other.second + ", now " + here + ")" : "") +
        "; continue it as it was, or choose another directory");
  }
}

void Checkpoint::require_file(const std::string& name) const {
  if (access(search_.directory->file(name).c_str(), R_OK | W_OK) == 0) return;
  throw CheckpointProblem(search_.directory->file(name) +
                          " is missing; the search cannot go on and has to begin again");
}

std::shared_ptr<DiskFile> Checkpoint::open_file(const std::string& name) const {
  require_file(name);
  return std::make_shared<DiskFile>(search_.directory->file(name), DiskFile::Mode::kOpen);
}

void Checkpoint::damaged(const std::string& path) const {
  throw CheckpointProblem(path + " is damaged; the search cannot go on from it and has to begin again");
}

void Checkpoint::require_size(const SortedRun& run) const {
  const std::uint64_t size = run.file->size();
  const std::uint64_t record = search_.layouts[run.layout].record_words() * sizeof(std::uint64_t);
  if (run.offset > size || run.records > (size - run.offset) / record) damaged(run.file->path());
}

void Checkpoint::check_levels() {
  std::uint64_t checksum = 0, records = 0;
  if (search_.index->size() / sizeof(Level) < search_.depth + 1) damaged(search_.index->path());
  for (std::uint64_t i = 0; i <= search_.depth; ++i) {
    const Level level = search_.read_level(i);
    checksum =
        storage::continue_checksum(checksum, reinterpret_cast<const std::uint64_t*>(&level), Level::kWords);
    if (level.layout > search_.layouts.current_number()) damaged(search_.index->path());
    SortedRun run;
    run.file = search_.levels;
    run.offset = level.offset;
    run.records = level.records;
    run.layout = static_cast<std::uint32_t>(level.layout);
    require_size(run);
    if (storage::survey(search_.layouts, run) != level.checksum) damaged(search_.levels->path());
    records += level.records;
    if (i == search_.depth && std::memcmp(&level, &search_.level, sizeof level) != 0)
      damaged(search_.index->path());
  }
  if (checksum != search_.index_checksum || records != search_.states) damaged(search_.index->path());
}

}  // namespace assay::search::spilling
