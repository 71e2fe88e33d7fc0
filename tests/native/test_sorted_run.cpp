#include <algorithm>
#include <memory>
#include <set>

#include "check.hpp"
#include "storage/level_reader.hpp"
#include "storage/run_merge.hpp"
#include "storage/sorted_run.hpp"

namespace assay::native_tests {
namespace {

using namespace storage;
using Record = std::vector<std::uint64_t>;

/// Layouts under which a state of `words` words, each with all its bits, is its own record.
Layouts plain_layouts(std::uint32_t words) {
  const Record zeros(words, 0), ones(words, ~std::uint64_t{0});
  const PackedLayout first(zeros.data(), words, words);
  Layouts layouts;
  layouts.add(first.widened(ones.data(), words, false));
  return layouts;
}

std::set<Record> random_records(std::uint32_t words, std::size_t count, std::uint64_t spread,
                                Random& random) {
  std::set<Record> records;
  while (records.size() < count) {
    Record record(words);
    for (std::uint64_t& word : record) word = random.below(spread);
    records.insert(record);
  }
  return records;
}

SortedRun write(const Layouts& layouts, const std::set<Record>& records, std::shared_ptr<DiskFile> file,
                std::uint64_t offset, std::size_t buffer_bytes) {
  RunWriter writer(layouts, std::move(file), offset, buffer_bytes);
  for (const Record& record : records) writer.append(record.data());
  check_equal(writer.records(), records.size());
  return writer.finish();
}

/// What a cursor gives, from where it stands to the end.
std::vector<Record> rest(RunCursor& cursor, std::uint32_t words) {
  std::vector<Record> all;
  if (cursor.at_end()) return all;
  do {
    all.emplace_back(cursor.record(), cursor.record() + words);
  } while (cursor.next());
  check(cursor.at_end());
  return all;
}

TEST("a run gives back what was written, in order, found by seeking and by number") {
  for (const std::uint32_t words : {1u, 3u, 2049u}) {
    const std::uint64_t block = SortedRun::block_records(words);
    for (const std::uint64_t count :
         {std::uint64_t{0}, std::uint64_t{1}, block - 1, block, block + 1, 3 * block, 5 * block + 7}) {
      if (words == 2049 && count > 8) continue;
      Random random(words + count);
      const Layouts layouts = plain_layouts(words);
      const std::set<Record> records = random_records(words, count, 4 * count + 4, random);
      const std::vector<Record> sorted(records.begin(), records.end());
      const Folder folder;
      for (const std::size_t buffer : {std::size_t{1}, std::size_t{1} << 15, std::size_t{1} << 20}) {
        for (const bool in_memory : {false, true}) {
          const std::uint64_t offset = 24;
          const auto file =
              in_memory ? nullptr : std::make_shared<DiskFile>(folder.file("run"), DiskFile::Mode::kCreate);
          const SortedRun run = write(layouts, records, file, offset, buffer);
          check_equal(run.in_memory(), in_memory);
          RunCursor all(layouts, run, buffer);
          check(rest(all, words) == sorted);
          RunCursor seeking(layouts, run, buffer);
          Record target(words, 0);
          for (int i = 0; i < 60 && !seeking.at_end(); ++i) {
            // Forwards, by far and by little, to what is there and what is not.
            const auto from = std::lower_bound(sorted.begin(), sorted.end(), target);
            const auto left = static_cast<std::uint64_t>(sorted.end() - from);
            if (left > 0)
              target = from[static_cast<std::ptrdiff_t>(
                  random.below(random.one_in(3) ? left : std::min<std::uint64_t>(left, 3)))];
            if (random.one_in(3)) target[words - 1] += random.below(3);
            const auto expected = std::lower_bound(sorted.begin(), sorted.end(), target);
            check_equal(seeking.seek(target.data()), expected != sorted.end() && *expected == target);
            check_equal(seeking.at_end(), expected == sorted.end());
            if (!seeking.at_end())
              check(std::equal(target.begin(), target.end(), seeking.record()) ||
                    Record(seeking.record(), seeking.record() + words) == *expected);
          }
          RunCursor numbered(layouts, run, buffer);
          for (int i = 0; i < 20 && count > 0; ++i) {
            const std::uint64_t number = random.below(count + 1);
            numbered.go_to(number);
            check_equal(numbered.at_end(), number == count);
            if (number < count) check(Record(numbered.record(), numbered.record() + words) == sorted[number]);
          }
        }
      }
    }
  }
}

TEST("a run outlives the layout it was written under") {
  Random random(7);
  const Folder folder;
  const std::uint32_t words = 3;
  const Record initial{4, 0, 9};
  Layouts layouts;
  layouts.add(PackedLayout(initial.data(), words, words));
  std::set<Record> states{initial};
  std::vector<SortedRun> runs;
  std::vector<std::set<Record>> states_of_runs;
  for (int i = 0; i < 12; ++i) {
    // Some states that need a wider layout, then a run of all that are new.
    std::set<Record> fresh;
    for (int k = 0; k < 300; ++k) {
      Record state = *std::next(states.begin(), static_cast<std::ptrdiff_t>(random.below(states.size())));
      state[random.below(words)] ^= std::uint64_t{1} << random.below(5 * static_cast<std::uint64_t>(i) + 2);
      Record record(layouts.current().record_words());
      if (!layouts.current().pack(state.data(), words, record.data())) {
        const std::uint32_t before = layouts.current_number();
        layouts.add(layouts.current().widened(state.data(), words, false));
        for (SortedRun& run : runs) relayout(layouts, before, run);
      }
      if (states.insert(state).second) fresh.insert(state);
    }
    std::set<Record> records;
    for (const Record& state : fresh) {
      Record record(layouts.current().record_words());
      check(layouts.current().pack(state.data(), words, record.data()));
      records.insert(record);
    }
    const auto file = i % 3 == 0 ? nullptr
                                 : std::make_shared<DiskFile>(folder.file("run-" + std::to_string(i)),
                                                              DiskFile::Mode::kCreate);
    runs.push_back(write(layouts, records, file, 0, 1));
    states_of_runs.push_back(fresh);
  }
  check(layouts.count() > 8);
  const std::uint32_t record_words = layouts.current().record_words();
  for (std::size_t i = 0; i < runs.size(); ++i) {
    RunCursor cursor(layouts, runs[i], 1);
    std::set<Record> found;
    Record before;
    for (const Record& record : rest(cursor, record_words)) {
      if (!before.empty()) check(compare_records(before.data(), record.data(), record_words) < 0);
      before = record;
      Record state(words);
      check_equal(layouts.current().unpack(record.data(), state.data()), words);
      found.insert(state);
    }
    check(found == states_of_runs[i]);
    if (runs[i].in_memory()) continue;
    // A survey finds the same fences and the same checksum.
    SortedRun again = runs[i];
    again.fences.clear();
    check_equal(survey(layouts, again), runs[i].checksum);
    check(again.fences == runs[i].fences);
  }
  // And all of them merged are all states.
  std::vector<RunCursor> cursors;
  for (const SortedRun& run : runs) cursors.emplace_back(layouts, run, 1);
  RunMerge merge(cursors, nullptr, 0, record_words);
  Record record(record_words);
  std::set<Record> merged;
  while (merge.next(record.data())) {
    Record state(words);
    layouts.current().unpack(record.data(), state.data());
    check(merged.insert(state).second);
  }
  merged.insert(initial);
  check(merged == states);
}

TEST("a damaged run has another checksum, a short one is a problem of the disk") {
  Random random(9);
  const Folder folder;
  const Layouts layouts = plain_layouts(2);
  const std::set<Record> records = random_records(2, 3000, ~std::uint64_t{0}, random);
  const auto file = std::make_shared<DiskFile>(folder.file("run"), DiskFile::Mode::kCreate);
  SortedRun run = write(layouts, records, file, 0, 1 << 16);
  check_equal(file->size(), 3000u * 16);
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t bit = random.below(3000 * 128);
    flip_bit(file->path(), bit);
    check(survey(layouts, run) != run.checksum);
    flip_bit(file->path(), bit);
  }
  check_equal(survey(layouts, run), run.checksum);
  set_length(file->path(), 3000 * 16 - 1);
  check_throws<DiskProblem>([&] { survey(layouts, run); }, "shorter than it was written");
}

TEST("a merge of runs and an array gives each record once") {
  for (const std::uint32_t words : {1u, 2u}) {
    for (const std::size_t run_count : {0u, 1u, 2u, 7u, 30u}) {
      Random random(run_count * 10 + words);
      const Layouts layouts = plain_layouts(words);
      std::set<Record> expected;
      std::vector<SortedRun> runs;
      for (std::size_t i = 0; i < run_count; ++i) {
        const auto records = random_records(words, i == 3 ? 0 : random.below(400), 2000, random);
        expected.insert(records.begin(), records.end());
        runs.push_back(write(layouts, records, nullptr, 0, 1));
      }
      const auto in_array = random_records(words, run_count == 1 ? 0 : 200, 2000, random);
      expected.insert(in_array.begin(), in_array.end());
      Record array;
      for (const Record& record : in_array) array.insert(array.end(), record.begin(), record.end());
      std::vector<RunCursor> cursors;
      for (const SortedRun& run : runs) cursors.emplace_back(layouts, run, 1);
      RunMerge merge(cursors, array.data(), in_array.size(), words);
      std::vector<Record> merged;
      for (Record record(words); merge.next(record.data());) merged.push_back(record);
      check(merged == std::vector<Record>(expected.begin(), expected.end()));
    }
  }
}

TEST("a level is read in the order in which it was written, from any place") {
  Random random(12);
  const Folder folder;
  const Record initial(5, 0);
  PackedLayout layout(initial.data(), 5, 5);
  std::vector<Record> states;
  for (int i = 0; i < 500; ++i) {
    Record state(random.below(6));
    for (std::uint64_t& word : state) word = random.below(1 << 14);
    layout = layout.widened(state.data(), static_cast<std::uint32_t>(state.size()), false);
    states.push_back(state);
  }
  DiskFile file(folder.file("levels"), DiskFile::Mode::kCreate);
  const std::uint32_t record_words = layout.record_words();
  const std::uint64_t offset = 88;
  for (std::size_t i = 0; i < states.size(); ++i) {
    Record record(record_words);
    check(layout.pack(states[i].data(), static_cast<std::uint32_t>(states[i].size()), record.data()));
    file.write(record.data(), record.size() * 8, offset + i * record.size() * 8);
  }
  Level level;
  level.offset = offset;
  level.records = states.size();
  for (const std::size_t buffer : {std::size_t{1}, std::size_t{200}, std::size_t{1} << 20}) {
    LevelReader reader(file, level, layout, buffer);
    for (const std::size_t from : {std::size_t{0}, std::size_t{499}, std::size_t{123}}) {
      reader.go_to(from);
      for (std::size_t i = from; i < states.size(); ++i) {
        const std::uint32_t length = reader.read();
        check(Record(reader.words(), reader.words() + length) == states[i]);
      }
    }
  }
}

}  // namespace
}  // namespace assay::native_tests
