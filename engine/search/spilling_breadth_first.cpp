// Breadth-first search whose states lie on disk, with delayed duplicate
// detection, on one thread. Finished: every reachable state was seen.
// Counterexamples are shortest. Goes on after it was killed.
//
// The states of a level stand sorted in one file. Expanding them fills a set of
// candidates in memory; when the set is full it is sorted and written out as a
// batch. At the end of the level all batches are merged, what earlier levels
// hold is left out, and the rest is the next level. Earlier levels are kept in
// a few sorted runs of geometrically growing size: a merge reads each at most
// once and skips the blocks that no candidate falls into, so that a narrow
// level costs little however much was seen before.
//
//     assay-levels      the records of level 0, 1, 2, ... one after another
//     assay-index       where each level stands, and its checksum
//     assay-edges       the transitions, if the graph is to be written down
//     assay-lessons     states that the system met new parts in, if its states refer to parts
//     assay-run-N       a merged run of seen states, or a batch of candidates
//     assay-checkpoint  everything else; replaced in one step
//
// If the graph is to be written down, the states of a level are put into the
// order in which the search in memory discovers them before they are expanded,
// and every step is logged by what it leads to (discovery_order). When the
// search is over, hashes become numbers (graph_assembly), and the directory
// stays until somebody has made use of the log.
//
// Nothing a checkpoint refers to is changed or deleted before the next one is
// in place: whenever the process dies, the directory holds a search to go on from.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <unordered_map>

#include "search/discovery_order.hpp"
#include "search/expansion.hpp"
#include "search/graph_assembly.hpp"
#include "search/strategies.hpp"
#include "storage/candidate_set.hpp"
#include "storage/checkpoint.hpp"
#include "storage/disk_file.hpp"
#include "storage/edge_log.hpp"
#include "storage/level_reader.hpp"
#include "storage/run_merge.hpp"
#include "storage/search_directory.hpp"
#include "storage/sorted_run.hpp"

namespace assay::search {
namespace {

using storage::CheckpointProblem;
using storage::DiskFile;
using storage::EdgeLog;
using storage::Level;
using storage::LevelReader;
using storage::PackedLayout;
using storage::RunCursor;
using storage::RunMerge;
using storage::RunWriter;
using storage::SortedRun;
using storage::WordLog;

using Words = std::vector<std::uint64_t>;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr std::size_t kDefaultMemory = std::size_t{1} << 30;
constexpr std::size_t kLeastBuffers = 4 * kMiB;
constexpr std::size_t kLeastIo = std::size_t{1} << 16;  // of one reader
constexpr std::size_t kMostIo = std::size_t{1} << 19;
constexpr std::size_t kLeastCandidates = kMiB;
constexpr std::uint64_t kWeighEvery = 1024;  // states
constexpr std::size_t kPending = 256;
constexpr std::uint32_t kLookEvery = 64;           // states, while expanding
constexpr std::uint64_t kLookEveryRecords = 4096;  // while merging
constexpr std::uint64_t kLevelsKept = 100'000;     // in the result

/// A violation together with the state it was met in: states have no numbers here.
struct Found {
  std::uint32_t code;
  Position position;    // of the step, or Finding::kAtState
  std::uint64_t depth;  // of the state
  Words words;

  std::uint64_t path_length() const { return depth + (position == Finding::kAtState ? 0 : 1); }
};

/// A search that is stopped while it takes up what another one left; that stays as it is.
struct Interrupted {};

std::size_t memory_limit(const Options& options) {
  return options.memory_limit_bytes == 0 ? kDefaultMemory : options.memory_limit_bytes;
}

/// How the memory is divided.
struct Shares {
  std::size_t candidates;
  std::size_t io;         // of all readers together
  std::size_t small_run;  // runs up to this size stay in memory

  static Shares of(const Options& options) {
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
};

class Search {
 public:
  Search(const Task& task, Result& result)
      : task_(task),
        system_(task.system),
        options_(task.options),
        result_(result),
        shares_(Shares::of(task.options)),
        directory_(std::make_shared<storage::SearchDirectory>(task.options.spill_directory)),
        candidates_(shares_.candidates),
        expansion_(task.system, task.options) {}

  void run() {
    try {
      if (directory_->has_checkpoint()) {
        if (!options_.flag("resume")) {
          throw CheckpointProblem(
              directory_->path() +
              " holds a search that is not finished; continue it with --resume, or choose "
              "another directory");
        }
        load();
        result_.resumed_from = states_;
      } else {
        directory_->sweep({});
        begin();
      }
      while (!finished_) {
        if (!expand_level() || !merge_level()) break;
      }
    } catch (const std::bad_alloc&) {
      out_of_memory_ = true;
    } catch (const Interrupted&) {
      result_.stop_reason = task_.control.reason();
      result_.states = states_;
      result_.transitions = transitions_;
      return;
    }
    report();
  }

 private:
  // Beginning and going on.

  void begin() {
    const InitialState initial(system_);
    layouts_.add(PackedLayout(initial.words.data(), initial.length, system_.max_words()));
    levels_ = std::make_shared<DiskFile>(directory_->file("levels"), DiskFile::Mode::kCreate);
    index_ = std::make_shared<DiskFile>(directory_->file("index"), DiskFile::Mode::kCreate);
    if (task_.graph != nullptr)
      edges_ = std::make_unique<EdgeLog>(directory_->file("edges"), DiskFile::Mode::kCreate);
    parts_met_ = system_.parts_met();
    if (parts_met_ != 0)
      lessons_ = std::make_unique<WordLog>(directory_->file("lessons"), DiskFile::Mode::kCreate);
    if (initial.violation != 0) {
      add({initial.violation, Finding::kAtState, 0, Words(initial.view().begin(), initial.view().end())});
    }
    Words record(layouts_.current().record_words());
    layouts_.current().pack(initial.words.data(), initial.length, record.data());
    RunWriter writer(layouts_, levels_, 0, kLeastIo);
    writer.append(record.data());
    SortedRun run = writer.finish();
    start_level(run, 0);
    depth_ = 0;
    SortedRun in_memory;
    in_memory.records = 1;
    in_memory.memory = record;
    visited_.push_back(std::move(in_memory));
    states_ = 1;
    finished_ = initial.violation != 0 && options_.stop_at_first_violation;
    if (!finished_) save();
  }

  /// The level that a run in the file of levels holds becomes the present one.
  void start_level(const SortedRun& run, std::uint64_t number) {
    level_ = {run.offset, run.records, run.layout, run.checksum, edges_ == nullptr ? 0 : edges_->words()};
    index_->write(&level_, sizeof level_, number * sizeof level_);
    index_checksum_ = storage::continue_checksum(
        index_checksum_, reinterpret_cast<const std::uint64_t*>(&level_), Level::kWords);
    levels_end_ = run.offset + run.records * layouts_[run.layout].record_words() * sizeof(std::uint64_t);
    depth_ = number;
    expanded_ = 0;
    note_disk();
  }

  void save() {
    storage::CheckpointWriter out;
    storage::write_identity(out, options_.identity);
    out.words(layouts_[0].base());
    out.number(layouts_.count());
    for (std::uint32_t i = 0; i < layouts_.count(); ++i) out.words(layouts_[i].masks());
    if (edges_ != nullptr) edges_->sync();
    if (lessons_ != nullptr) lessons_->sync();
    for (const std::uint64_t value : {depth_,
                                      level_.offset,
                                      level_.records,
                                      level_.layout,
                                      level_.checksum,
                                      level_.edges,
                                      expanded_,
                                      states_,
                                      transitions_,
                                      std::uint64_t{cut_},
                                      levels_end_,
                                      index_checksum_,
                                      next_file_,
                                      violation_count_,
                                      edges_ == nullptr ? 0 : edges_->words(),
                                      edges_ == nullptr ? 0 : edges_->checksum(),
                                      lessons_ == nullptr ? 0 : lessons_->words(),
                                      lessons_ == nullptr ? 0 : lessons_->checksum(),
                                      parts_met_,
                                      system_.digest_of_parts()}) {
      out.number(value);
    }
    out.number(found_.size());
    for (const Found& found : found_) {
      out.number(found.code);
      out.number(number_of(found.position));
      out.number(found.depth);
      out.words(found.words);
    }
    for (const std::vector<SortedRun>* runs : {&visited_, &batches_}) {
      out.number(runs->size());
      for (const SortedRun& run : *runs) {
        const bool in_levels = run.file == levels_;
        out.number(run.in_memory() ? 0 : in_levels ? 1 : 2);
        out.text(run.in_memory() || in_levels ? "" : run.file->path().substr(directory_->file("").size()));
        out.number(run.offset);
        out.number(run.records);
        out.number(run.layout);
        out.number(run.checksum);
        if (run.in_memory()) out.words(run.memory);
        if (!run.in_memory()) run.file->sync();
      }
    }
    levels_->sync();
    index_->sync();
    out.save(directory_->file("checkpoint"));
    last_checkpoint_ = Clock::now();
    for (const std::string& path : garbage_) unlink(path.c_str());
    garbage_.clear();
    disk_bytes_ -= garbage_bytes_;
    garbage_bytes_ = 0;
  }

  void load() {
    storage::CheckpointReader in(directory_->file("checkpoint"));
    compare_identity(in);
    const Words base = in.words();
    const InitialState initial(system_);
    const PackedLayout first(initial.words.data(), initial.length, system_.max_words());
    if (first.base() != base) {
      throw CheckpointProblem("the checkpoint in " + directory_->path() +
                              " begins in another state than the program");
    }
    const std::uint64_t layouts = in.number(std::uint64_t{1} << 24);
    for (std::uint64_t i = 0; i < layouts; ++i) {
      Words masks = in.words();
      if (masks.size() > std::size_t{system_.max_words()} + 1) damaged("assay-checkpoint");
      layouts_.add(PackedLayout(first, std::move(masks)));
    }
    if (layouts == 0) damaged("assay-checkpoint");
    std::uint64_t cut = 0, edge_words = 0, edge_checksum = 0;
    std::uint64_t lesson_words = 0, lesson_checksum = 0, parts = 0, digest_of_parts = 0;
    for (std::uint64_t* const value :
         {&depth_,     &level_.offset,    &level_.records, &level_.layout, &level_.checksum, &level_.edges,
          &expanded_,  &states_,          &transitions_,   &cut,           &levels_end_,     &index_checksum_,
          &next_file_, &violation_count_, &edge_words,     &edge_checksum, &lesson_words,    &lesson_checksum,
          &parts,      &digest_of_parts}) {
      *value = in.number();
    }
    cut_ = cut != 0;
    const std::uint64_t found_count = in.number(std::uint64_t{1} << 32);
    for (std::uint64_t i = 0; i < found_count; ++i) {
      Found found{};
      found.code = static_cast<std::uint32_t>(in.number(0xFFFFFFFFu));
      found.position = Position{static_cast<std::uint32_t>(in.number(0xFFFFFFFFu))};
      found.depth = in.number();
      found.words = in.words();
      if (found.words.size() > system_.max_words()) damaged("assay-checkpoint");
      found_.push_back(std::move(found));
    }
    levels_ = open_file("levels");
    index_ = open_file("index");
    std::vector<std::string> kept{levels_->path(), index_->path()};
    if (task_.graph != nullptr) {
      require_file("edges");
      edges_ = std::make_unique<EdgeLog>(directory_->file("edges"), DiskFile::Mode::kOpen);
      if (!edges_->go_back_to(edge_words, edge_checksum)) damaged(edges_->path());
      kept.push_back(edges_->path());
    }
    parts_met_ = system_.parts_met();
    if (parts_met_ != 0) {
      require_file("lessons");
      lessons_ = std::make_unique<WordLog>(directory_->file("lessons"), DiskFile::Mode::kOpen);
      if (!lessons_->go_back_to(lesson_words, lesson_checksum)) damaged(lessons_->path());
      kept.push_back(lessons_->path());
      learn_again(parts, digest_of_parts);
    }
    std::uint64_t visited_records = 0;
    for (std::vector<SortedRun>* runs : {&visited_, &batches_}) {
      const std::uint64_t count = in.number(std::uint64_t{1} << 24);
      for (std::uint64_t i = 0; i < count; ++i) {
        SortedRun run;
        const std::uint64_t kind = in.number(2);
        const std::string name = in.text();
        if (kind == 1) run.file = levels_;
        if (kind == 2) {
          if (name.rfind("run-", 0) != 0 || name.find('/') != std::string::npos) damaged("assay-checkpoint");
          run.file = open_file(name);
          kept.push_back(run.file->path());
          disk_bytes_ += run.file->size();
        }
        run.offset = in.number();
        run.records = in.number();
        run.layout = static_cast<std::uint32_t>(in.number(layouts_.current_number()));
        run.checksum = in.number();
        if (kind == 0) {
          run.memory = in.words();
          if (run.layout != layouts_.current_number() ||
              run.memory.size() != run.records * layouts_.current().record_words()) {
            damaged("assay-checkpoint");
          }
        } else {
          require_size(run);
          if (storage::survey(layouts_, run) != run.checksum) damaged(run.file->path());
          if (runs == &batches_) run.fences = {};
        }
        if (runs == &visited_) visited_records += run.records;
        runs->push_back(std::move(run));
      }
    }
    in.expect_end();
    if (visited_records != states_ || level_.layout > layouts_.current_number() ||
        expanded_ > level_.records) {
      damaged("assay-checkpoint");
    }
    check_levels();
    // What was written after the checkpoint is written again.
    levels_->truncate(levels_end_);
    directory_->sweep(kept);
    last_checkpoint_ = Clock::now();
    note_disk();
    start_candidates();
  }

  /// The system meets its parts in the order in which it met them before.
  void learn_again(std::uint64_t parts, std::uint64_t digest) {
    WordLog::Reader reader(*lessons_, 0, lessons_->words(), kLeastIo);
    Words words;
    while (!reader.at_end() && system_.parts_met() < parts) {
      if (task_.control.should_stop()) throw Interrupted();
      const std::uint32_t length = reader.next(1)[0];
      if (length > system_.max_words()) damaged(lessons_->path());
      words.resize(length);
      const std::span<const std::uint32_t> halves = reader.next(std::size_t{length} * 2);
      std::memcpy(words.data(), halves.data(), halves.size_bytes());
      if (!system_.is_state(words)) break;
      if (system_.has_state_checks()) system_.check_state(words);
      expansion_.again(words, [](Position, StateView) { return true; });
    }
    parts_met_ = system_.parts_met();
    if (parts_met_ != parts || system_.digest_of_parts() != digest) {
      throw CheckpointProblem("the program does not repeat what it did when the search in " +
                              directory_->path() + " was begun; the search has to begin again");
    }
  }
  /// What the system has met stays in memory, and there is more and more of it, beside what it only remembers to
  /// save time. The larger of what can be done without gives way.
  void make_room() {
    if (options_.number("spill_buffer_bytes", 0) != 0) return;
    const std::size_t limit = memory_limit(options_);
    if (support::resident_bytes() <= limit - limit / 32) return;
    const bool can_halve = candidates_.bytes() / 2 >= kLeastCandidates;
    if (can_halve && candidates_.bytes() >= system_.forgettable_bytes()) {
      flush_candidates();
      candidates_.halve();
    } else if (system_.forgettable_bytes() >= kLeastCandidates) {
      system_.forget();
      support::return_free_memory();
    } else {
      task_.control.stop(StopReason::kMemory);
    }
  }
  void note_lesson(const std::uint64_t* words, std::uint32_t length) {
    parts_met_ = system_.parts_met();
    lessons_->append({&length, 1});
    lessons_->append({reinterpret_cast<const std::uint32_t*>(words), std::size_t{length} * 2});
  }

  void compare_identity(storage::CheckpointReader& in) const {
    const auto& ours = options_.identity;
    const storage::Identity theirs = storage::read_identity(in);
    for (std::size_t i = 0; i < std::max(ours.size(), theirs.size()); ++i) {
      if (i < ours.size() && i < theirs.size() && ours[i] == theirs[i]) continue;
      const auto& other = i < theirs.size() ? theirs[i] : ours[i];
      const std::string here = i < ours.size() ? ours[i].second : "";
      throw CheckpointProblem(
          "the search in " + directory_->path() + " was begun with another " + other.first +
          (other.second.size() + here.size() < 200 ? " (" + other.second + ", now " + here + ")" : "") +
          "; continue it as it was, or choose another directory");
    }
  }

  void require_file(const std::string& name) const {
    if (access(directory_->file(name).c_str(), R_OK | W_OK) == 0) return;
    throw CheckpointProblem(directory_->file(name) +
                            " is missing; the search cannot go on and has to begin again");
  }
  std::shared_ptr<DiskFile> open_file(const std::string& name) const {
    require_file(name);
    return std::make_shared<DiskFile>(directory_->file(name), DiskFile::Mode::kOpen);
  }
  [[noreturn]] void damaged(const std::string& path) const {
    throw CheckpointProblem(path + " is damaged; the search cannot go on from it and has to begin again");
  }
  void require_size(const SortedRun& run) const {
    const std::uint64_t size = run.file->size();
    const std::uint64_t record = layouts_[run.layout].record_words() * sizeof(std::uint64_t);
    if (run.offset > size || run.records > (size - run.offset) / record) damaged(run.file->path());
  }
  /// Every level is what it was when it was written.
  void check_levels() {
    std::uint64_t checksum = 0, records = 0;
    if (index_->size() / sizeof(Level) < depth_ + 1) damaged(index_->path());
    for (std::uint64_t i = 0; i <= depth_; ++i) {
      const Level level = read_level(i);
      checksum =
          storage::continue_checksum(checksum, reinterpret_cast<const std::uint64_t*>(&level), Level::kWords);
      if (level.layout > layouts_.current_number()) damaged(index_->path());
      SortedRun run;
      run.file = levels_;
      run.offset = level.offset;
      run.records = level.records;
      run.layout = static_cast<std::uint32_t>(level.layout);
      require_size(run);
      if (storage::survey(layouts_, run) != level.checksum) damaged(levels_->path());
      records += level.records;
      if (i == depth_ && std::memcmp(&level, &level_, sizeof level) != 0) damaged(index_->path());
    }
    if (checksum != index_checksum_ || records != states_) damaged(index_->path());
  }
  Level read_level(std::uint64_t number) const {
    Level level;
    index_->read(&level, sizeof level, number * sizeof level);
    return level;
  }

  // One level.

  bool expand_level() {
    const PackedLayout& level_layout = layouts_[static_cast<std::uint32_t>(level_.layout)];
    LevelReader reader(*levels_, level_, level_layout, io_bytes(1));
    reader.go_to(expanded_);
    if (expanded_ == 0) start_candidates();
    const bool at_limit = options_.depth_limit != 0 && depth_ >= options_.depth_limit;
    result_.depth = depth_;
    while (expanded_ < level_.records) {
      if (expanded_ % kLookEvery == 0) {
        if (task_.control.should_stop()) return false;
        task_.control.report(states_, transitions_, depth_, level_.records - expanded_ + candidates_.size());
        if (is_checkpoint_due()) {
          flush_candidates();
          save();
        }
        if (lessons_ != nullptr && expanded_ % kWeighEvery == 0) make_room();
      }
      const std::uint32_t length = reader.read();
      const std::uint64_t* const words = reader.words();
      expanding_ = {words, length, reader.record(), static_cast<std::uint32_t>(level_.layout)};
      marks_.clear();
      const Expansion::End end = expansion_(
          {words, length}, at_limit,
          [&](std::uint32_t code, Position position) {
            add({code, position, depth_, Words(words, words + length)});
          },
          [&](Position, StateView next) {
            reach(next.data(), length_of(next));
            if (edges_ != nullptr) marks_.push_back(storage::StateMark::of(next.data(), next.size()));
            ++transitions_;
            return true;
          });
      cut_ = cut_ || end == Expansion::End::kCut;
      if (edges_ != nullptr) edges_->add(marks_);
      if (lessons_ != nullptr && system_.parts_met() != parts_met_) note_lesson(words, length);
      ++expanded_;
      if (!found_.empty() && options_.stop_at_first_violation) {
        // A step that violates ends one level further down than a state that
        // does: look at the rest of this level for a shorter path.
        for (const Found& found : found_) {
          if (found.path_length() == depth_) {
            finished_ = true;
            return true;
          }
        }
      }
    }
    insert_pending();
    if (!found_.empty() && options_.stop_at_first_violation) finished_ = true;
    return true;
  }

  /// Packs a successor of the state that is being expanded. False: there is no room for one of its bits.
  bool pack(const std::uint64_t* words, std::uint32_t count, std::uint64_t* record) {
    const PackedLayout& layout = layouts_.current();
    if (count != expanding_.length) return layout.pack(words, count, record);
    if (expanding_.layout != layouts_.current_number()) {
      packed_again_.resize(record_words_);
      layout.pack(expanding_.words, expanding_.length, packed_again_.data());
      expanding_.record = packed_again_.data();
      expanding_.layout = layouts_.current_number();
    }
    return layout.pack_like(expanding_.words, expanding_.record, words, count, record);
  }

  void reach(const std::uint64_t* words, std::uint32_t count) {
    if (!pack(words, count, pending_.data() + pending_count_ * record_words_)) {
      insert_pending();
      widen(words, count);
      layouts_.current().pack(words, count, pending_.data());
    }
    const std::uint64_t hash = candidates_.hash(pending_.data() + pending_count_ * record_words_);
    candidates_.prefetch(hash);
    hashes_[pending_count_] = hash;
    if (++pending_count_ == kPending) insert_pending();
  }

  void insert_pending() {
    for (std::size_t i = 0; i < pending_count_; ++i) {
      const std::uint64_t* const record = pending_.data() + i * record_words_;
      while (!candidates_.add(record, hashes_[i])) {
        write_batch();
        candidates_.start(record_words_, ~std::uint64_t{0} / 4);
      }
    }
    pending_count_ = 0;
  }

  void start_candidates() {
    record_words_ = layouts_.current().record_words();
    pending_.resize(kPending * record_words_);
    pending_count_ = 0;
    candidates_.start(record_words_, level_.records);
  }

  void flush_candidates() {
    insert_pending();
    if (candidates_.size() == 0) return;
    write_batch();
    candidates_.start(record_words_, level_.records);
  }

  /// The candidates in memory become a sorted file.
  void write_batch() {
    candidates_.sort();
    write_sorted_candidates();
    if (batches_.size() >= most_batches()) join_batches();
  }

  void write_sorted_candidates() {
    RunWriter writer(layouts_, new_file(), 0, io_bytes(2));
    const std::uint64_t* record = candidates_.sorted();
    for (std::uint64_t i = 0; i < candidates_.size(); ++i, record += record_words_) writer.append(record);
    keep_batch(writer.finish());
  }

  void keep_batch(SortedRun run) {
    run.fences = {};  // batches are only read from end to end
    disk_bytes_ += run.records * record_words_ * sizeof(std::uint64_t);
    note_disk();
    batches_.push_back(std::move(run));
  }

  /// More batches than can be read side by side become one.
  void join_batches() {
    std::vector<RunCursor> cursors;
    for (const SortedRun& batch : batches_)
      cursors.emplace_back(layouts_, batch, io_bytes(batches_.size() + 1));
    RunMerge merge(cursors, nullptr, 0, record_words_);
    RunWriter writer(layouts_, new_file(), 0, io_bytes(batches_.size() + 1));
    Words record(record_words_);
    while (merge.next(record.data())) writer.append(record.data());
    SortedRun joined = writer.finish();
    for (const SortedRun& batch : batches_) discard(batch);
    batches_.clear();
    keep_batch(std::move(joined));
  }

  /// A state has bits that no record had room for yet.
  void widen(const std::uint64_t* words, std::uint32_t count) {
    const std::uint32_t old = layouts_.current_number();
    const std::uint32_t old_words = record_words_;
    const bool in_place = candidates_.size() * old_words * sizeof(std::uint64_t) <= shares_.small_run;
    Words kept;
    if (in_place) {
      candidates_.sort();
      kept.assign(candidates_.sorted(), candidates_.sorted() + candidates_.size() * old_words);
    } else {
      write_batch();
    }
    const std::uint64_t expected = std::max(candidates_.size(), level_.records);
    layouts_.add(layouts_.current().widened(words, count, lessons_ != nullptr));
    for (SortedRun& run : visited_) storage::relayout(layouts_, old, run);
    record_words_ = layouts_.current().record_words();
    pending_.resize(kPending * record_words_);
    candidates_.start(record_words_, expected);
    Words record(record_words_);
    for (std::size_t i = 0; i < kept.size(); i += old_words) {
      layouts_.translation(old)(kept.data() + i, record.data());
      while (!candidates_.add(record.data(), candidates_.hash(record.data()))) {
        write_batch();
        candidates_.start(record_words_, ~std::uint64_t{0} / 4);
      }
    }
  }

  /// Candidates that no earlier level holds become the next level. False: it
  /// was stopped, and the level is left as it was.
  bool merge_level() {
    if (finished_) return true;
    candidates_.sort();
    const std::size_t readers = batches_.size() + visited_.size() + 2;
    std::vector<RunCursor> batches, visited;
    for (const SortedRun& batch : batches_) batches.emplace_back(layouts_, batch, io_bytes(readers));
    // Most duplicates are of recent levels: look there first.
    for (std::size_t i = visited_.size(); i-- > 0;)
      visited.emplace_back(layouts_, visited_[i], io_bytes(readers));
    RunMerge merge(batches, candidates_.sorted(), candidates_.size(), record_words_);
    NewStates fresh(*this, io_bytes(readers));
    Words record(record_words_);
    std::uint64_t looked = 0;
    while (merge.next(record.data())) {
      if (++looked % kLookEveryRecords == 0) {
        task_.control.report(states_ + fresh.count(), transitions_, depth_, fresh.count());
        if (task_.control.should_stop()) return leave_level(0);
      }
      bool is_new = true;
      for (RunCursor& run : visited) {
        if (run.seek(record.data())) {
          is_new = false;
          break;
        }
      }
      if (!is_new) continue;
      if (options_.state_limit != 0 && states_ + fresh.count() >= options_.state_limit) {
        task_.control.stop(StopReason::kStates);
        return leave_level(fresh.count());
      }
      fresh.append(record.data());
    }
    batches.clear();
    visited.clear();
    SortedRun run = fresh.finish();
    for (const SortedRun& batch : batches_) discard(batch);
    batches_.clear();
    if (run.records == 0) {
      finished_ = true;
      return true;
    }
    if (edges_ == nullptr) {
      start_level(fresh.in_levels(), depth_ + 1);
      candidates_.start(record_words_, 0);
    } else if (!start_level_in_order(run)) {
      // What was merged can be merged again.
      unmerged_ = run.records;
      run.fences = {};
      batches_.push_back(std::move(run));
      return false;
    }
    states_ += run.records;
    if (!run.in_memory() && run.file != levels_) {
      disk_bytes_ += run.records * record_words_ * sizeof(std::uint64_t);
      note_disk();
    }
    visited_.push_back(std::move(run));
    merge_visited();
    if (is_checkpoint_due()) {
      start_candidates();
      save();
    }
    return true;
  }

  /// The new states of a merge: a run of their own while they are few or if the
  /// level is to stand in another order, else a part of the file of levels.
  class NewStates {
   public:
    NewStates(Search& search, std::size_t io_bytes)
        : search_(search),
          io_bytes_(io_bytes),
          most_small_(search.shares_.small_run / sizeof(std::uint64_t)) {
      if (search.edges_ == nullptr)
        writer_.emplace(search.layouts_, search.levels_, search.levels_end_, io_bytes);
    }
    std::uint64_t count() const { return count_; }
    void append(const std::uint64_t* record) {
      ++count_;
      if (is_small_) {
        if (small_.size() < most_small_) {
          small_.insert(small_.end(), record, record + search_.record_words_);
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
      run.layout = search_.layouts_.current_number();
      small_.shrink_to_fit();
      run.memory = std::move(small_);
      return run;
    }
    const SortedRun& in_levels() const { return written_; }

   private:
    void leave_memory() {
      is_small_ = false;
      if (!writer_) {
        writer_.emplace(search_.layouts_, search_.new_file(), 0, io_bytes_);
        for (std::size_t i = 0; i < small_.size(); i += search_.record_words_)
          writer_->append(small_.data() + i);
      }
      small_ = {};
    }

    Search& search_;
    const std::size_t io_bytes_;
    const std::size_t most_small_;
    std::optional<RunWriter> writer_;
    Words small_;
    bool is_small_ = true;
    std::uint64_t count_ = 0;
    SortedRun written_;
  };

  /// The states of a run become the next level in the order of their discovery. False: stopped.
  bool start_level_in_order(const SortedRun& run) {
    edges_->flush();
    RunWriter writer(layouts_, levels_, levels_end_, io_bytes(4));
    const NewLevel level{layouts_, run, *edges_, level_.edges};
    if (!write_in_order_of_discovery(
            level, candidates_.lend(), io_bytes(4), directory_->path(),
            [&] { return task_.control.should_stop(); }, writer)) {
      return false;
    }
    start_level(writer.finish(), depth_ + 1);
    candidates_.start(record_words_, 0);
    return true;
  }

  /// What a stopped merge leaves behind can be merged again.
  bool leave_level(std::uint64_t new_states) {
    if (candidates_.size() > 0) write_sorted_candidates();
    candidates_.start(record_words_, 0);
    unmerged_ = new_states;
    return false;
  }

  /// Keeps the runs few: one that is not much larger than all after it joins them.
  void merge_visited() {
    std::size_t first = visited_.size() - 1;
    std::uint64_t total = visited_[first].records;
    while (first > 0 && visited_[first - 1].records <= 2 * total) total += visited_[--first].records;
    if (first + 1 == visited_.size()) return;
    const std::uint64_t bytes = total * record_words_ * sizeof(std::uint64_t);
    std::vector<RunCursor> cursors;
    const std::size_t readers = visited_.size() - first + 1;
    for (std::size_t i = first; i < visited_.size(); ++i) {
      cursors.emplace_back(layouts_, visited_[i], io_bytes(readers));
    }
    RunMerge merge(cursors, nullptr, 0, record_words_);
    RunWriter writer(layouts_, bytes <= shares_.small_run ? nullptr : new_file(), 0, io_bytes(readers));
    Words record(record_words_);
    while (merge.next(record.data())) {
      writer.append(record.data());
      // It is worth its time to a search that goes on, and is not needed by one that stops.
      if (writer.records() % kLookEveryRecords == 0 && task_.control.should_stop()) {
        const SortedRun abandoned = writer.finish();
        if (!abandoned.in_memory()) unlink(abandoned.file->path().c_str());
        return;
      }
    }
    SortedRun merged = writer.finish();
    if (merged.records != total) throw std::runtime_error("two levels of the search on disk share a state");
    if (!merged.in_memory()) disk_bytes_ += bytes;
    note_disk();
    cursors.clear();
    for (std::size_t i = first; i < visited_.size(); ++i) discard(visited_[i]);
    visited_.resize(first);
    visited_.push_back(std::move(merged));
  }

  // Small things.

  std::size_t io_bytes(std::size_t readers) const {
    return std::clamp(shares_.io / std::max<std::size_t>(readers, 1), std::min(kLeastIo, shares_.io),
                      kMostIo);
  }
  std::size_t most_batches() const { return std::clamp<std::size_t>(shares_.io / kLeastIo / 2, 4, 256); }

  std::shared_ptr<DiskFile> new_file() {
    return std::make_shared<DiskFile>(directory_->file("run-" + std::to_string(next_file_++)),
                                      DiskFile::Mode::kCreate);
  }
  /// The file goes when no checkpoint refers to it any more.
  void discard(const SortedRun& run) {
    if (run.in_memory() || run.file == levels_) return;
    garbage_.push_back(run.file->path());
    garbage_bytes_ += run.records * layouts_[run.layout].record_words() * sizeof(std::uint64_t);
  }
  void note_disk() {
    const std::uint64_t logs =
        (edges_ == nullptr ? 0 : edges_->bytes()) + (lessons_ == nullptr ? 0 : lessons_->bytes());
    result_.disk_bytes = std::max(result_.disk_bytes, disk_bytes_ + levels_end_ + logs);
  }
  bool is_checkpoint_due() const {
    return std::chrono::duration<double>(Clock::now() - last_checkpoint_).count() >= checkpoint_seconds_;
  }

  void add(Found found) {
    ++violation_count_;
    for (Found& known : found_) {
      if (known.code != found.code) continue;
      if (found.path_length() < known.path_length()) known = std::move(found);
      return;
    }
    found_.push_back(std::move(found));
  }

  // The end.

  void report() {
    // A violation is real, also when the rest of its level could not be looked at.
    const bool violated = !found_.empty() && options_.stop_at_first_violation;
    finished_ = finished_ || violated;
    result_.states = states_ + unmerged_;
    result_.transitions = transitions_;
    result_.frontier = finished_ && !violated ? 0 : level_.records - expanded_ + unmerged_;
    if (violated) {
      const Found shortest =
          *std::min_element(found_.begin(), found_.end(),
                            [](const Found& a, const Found& b) { return a.path_length() < b.path_length(); });
      found_.assign(1, shortest);
      violation_count_ = 1;
      result_.stop_reason = StopReason::kViolation;
    } else if (out_of_memory_) {
      result_.stop_reason = StopReason::kMemory;
    } else if (!finished_) {
      result_.stop_reason = task_.control.reason();
    } else if (cut_) {
      result_.stop_reason = StopReason::kDepth;
    }
    result_.complete = result_.stop_reason == StopReason::kNone;
    const bool is_logged = task_.graph != nullptr && result_.complete && violation_count_ == 0;
    if ((!finished_ || is_logged) && !out_of_memory_) {
      flush_candidates();
      save();
    }
    if (is_logged) write_graph();
    for (std::uint64_t i = 0; i <= depth_ && i < kLevelsKept && index_ != nullptr; ++i) {
      result_.seen.levels.push_back(read_level(i).records);
    }
    result_.violation_count = violation_count_;
    task_.control.tracing = !found_.empty();
    result_.violations = trace_back();
    if (is_logged) {
      task_.graph->keep([directory = directory_] { directory->clear(); });
    } else if (finished_) {
      directory_->clear();
    }
  }

  void write_graph() {
    const SearchedLevels searched{*levels_, layouts_,
                                  *edges_,  depth_ + 1,
                                  states_,  [&](std::uint64_t number) { return read_level(number); }};
    const auto should_stop = [&] { return task_.control.should_stop(); };
    try {
      if (assemble_graph(searched, candidates_.lend(), shares_.io, should_stop, *task_.graph)) return;
      result_.stop_reason = task_.control.reason();
    } catch (const std::bad_alloc&) {
      result_.stop_reason = StopReason::kMemory;
    }
    result_.complete = false;
  }

  /// Follows all findings back level by level: a level is expanded at most once.
  std::vector<Violation> trace_back() {
    struct Target {
      Words words;
      std::vector<std::size_t> paths;
      bool found = false;
    };
    std::vector<Violation> violations;
    std::vector<Words> states;
    std::uint64_t deepest = 0;
    for (const Found& found : found_) {
      violations.push_back({found.code, {}});
      if (found.position != Finding::kAtState) violations.back().path.push_back(number_of(found.position));
      states.push_back(found.words);
      deepest = std::max(deepest, found.depth);
    }
    for (std::uint64_t depth = deepest; depth > 0; --depth) {
      std::vector<Target> targets;
      std::unordered_multimap<std::uint64_t, std::size_t> by_hash;
      for (std::size_t i = 0; i < found_.size(); ++i) {
        if (found_[i].depth < depth) continue;
        const std::uint64_t hash = support::hash_words(states[i].data(), states[i].size(), 0);
        std::size_t target = targets.size();
        for (auto [entry, end] = by_hash.equal_range(hash); entry != end; ++entry) {
          if (targets[entry->second].words == states[i]) target = entry->second;
        }
        if (target == targets.size()) {
          targets.push_back({states[i], {}});
          by_hash.emplace(hash, target);
        }
        targets[target].paths.push_back(i);
      }
      std::size_t missing = targets.size();
      const Level level = read_level(depth - 1);
      LevelReader reader(*levels_, level, layouts_[static_cast<std::uint32_t>(level.layout)], io_bytes(1));
      for (std::uint64_t n = 0; n < level.records && missing > 0; ++n) {
        const std::uint32_t length = reader.read();
        expansion_.again({reader.words(), length}, [&](Position position, StateView next) {
          const auto [begin, end] = by_hash.equal_range(support::hash_words(next.data(), next.size(), 0));
          for (auto entry = begin; entry != end; ++entry) {
            Target& target = targets[entry->second];
            if (target.found || !std::ranges::equal(target.words, next)) continue;
            target.found = true;
            --missing;
            for (const std::size_t path : target.paths) {
              violations[path].path.push_back(number_of(position));
              states[path].assign(reader.words(), reader.words() + length);
            }
          }
          return true;
        });
      }
      if (missing > 0) {
        throw std::runtime_error(
            "a state has no predecessor one level up: the model's successors do not depend on "
            "the state alone");
      }
    }
    for (Violation& violation : violations) std::reverse(violation.path.begin(), violation.path.end());
    return violations;
  }

  const Task& task_;
  const transition_system::TransitionSystem& system_;
  const Options& options_;
  Result& result_;
  const Shares shares_;
  const std::shared_ptr<storage::SearchDirectory> directory_;  // the log may outlive us and keep it
  storage::Layouts layouts_;
  storage::CandidateSet candidates_;
  Expansion expansion_;
  const double checkpoint_seconds_ = options_.real("checkpoint_seconds", 30);
  std::uint32_t record_words_ = 1;
  Words pending_;  // records on their way into the set, whose memory is being fetched
  std::uint64_t hashes_[kPending] = {};
  std::size_t pending_count_ = 0;

  struct Expanding {
    const std::uint64_t* words = nullptr;
    std::uint32_t length = 0;
    const std::uint64_t* record = nullptr;
    std::uint32_t layout = 0;  // of the record
  };
  Expanding expanding_;  // the state whose successors are being reached
  Words packed_again_;   // its record, when the layout has changed since

  std::shared_ptr<DiskFile> levels_, index_;
  std::unique_ptr<EdgeLog> edges_;         // if the graph is to be written down
  std::vector<storage::StateMark> marks_;  // of the successors of a state
  std::unique_ptr<WordLog> lessons_;       // if states refer to parts that the system has met
  std::uint64_t parts_met_ = 0;
  Level level_;                 // the one being expanded
  std::uint64_t depth_ = 0;     // its number
  std::uint64_t expanded_ = 0;  // states of it
  std::uint64_t levels_end_ = 0;
  std::uint64_t index_checksum_ = 0;
  std::vector<SortedRun> visited_;  // disjoint; large ones first
  std::vector<SortedRun> batches_;  // candidates of this level
  std::uint64_t next_file_ = 1;
  std::vector<std::string> garbage_;
  std::uint64_t garbage_bytes_ = 0;
  std::uint64_t disk_bytes_ = 0;  // of runs
  Clock::time_point last_checkpoint_ = Clock::now();

  std::uint64_t states_ = 0, transitions_ = 0;
  std::uint64_t unmerged_ = 0;  // new states of a merge that the limit on states stopped
  std::vector<Found> found_;    // the first of each code, or a shorter one
  std::uint64_t violation_count_ = 0;
  bool cut_ = false, finished_ = false, out_of_memory_ = false;
};

const Registered registered({.name = "bfs",
                             .storage = "exact",
                             .is_on_disk = true,
                             .recording = Recording::kByItself,
                             .run = [](const Task& task, Result& result) { Search(task, result).run(); },
                             .options = {"resume", "checkpoint_seconds", "spill_buffer_bytes"}});

}  // namespace
}  // namespace assay::search
