#include <algorithm>
#include <map>
#include <new>

#include "check.hpp"
#include "storage/edge_log.hpp"
#include "storage/parent_log.hpp"
#include "storage/word_log.hpp"

namespace assay::native_tests {
namespace {

using namespace storage;
using Words = std::vector<std::uint32_t>;

Words random_words(std::size_t count, Random& random) {
  Words words(count);
  for (std::uint32_t& word : words) word = static_cast<std::uint32_t>(random.word());
  return words;
}

TEST("a log of words is read back in any pieces") {
  Random random(1);
  const Folder folder;
  WordLog log(folder.file("log"), DiskFile::Mode::kCreate);
  Words expected;
  for (const std::size_t length : {0, 1, 5, 16'383, 1, 0, 16'384, 16'385, 40'000, 3}) {
    const Words words = random_words(length, random);
    log.append(words);
    expected.insert(expected.end(), words.begin(), words.end());
    check_equal(log.words(), expected.size());
  }
  log.flush();
  for (const std::size_t buffer : {std::size_t{1}, std::size_t{1000}, std::size_t{1} << 20}) {
    for (const std::size_t begin : {std::size_t{0}, std::size_t{777}, expected.size()}) {
      WordLog::Reader reader(log, begin, ~std::uint64_t{0}, buffer);
      std::size_t at = begin;
      while (!reader.at_end()) {
        const std::size_t count = std::min<std::size_t>(random.below(300), expected.size() - at);
        const auto words = reader.next(count);
        check(std::equal(words.begin(), words.end(), expected.begin() + static_cast<std::ptrdiff_t>(at),
                         expected.begin() + static_cast<std::ptrdiff_t>(at + count)));
        at += count;
      }
      check_equal(at, expected.size());
      check_throws<CheckpointProblem>([&] { reader.next(1); }, "shorter than its states need");
    }
  }
}

TEST("a log goes back to where a checkpoint says, unless that part is damaged") {
  Random random(2);
  const Folder folder;
  const std::string path = folder.file("log");
  const Words first = random_words(20'000, random), second = random_words(5'000, random),
              other = random_words(7, random);
  std::uint64_t checksum = 0;
  {
    WordLog log(path, DiskFile::Mode::kCreate);
    for (std::size_t i = 0; i < first.size(); i += 100) log.append(std::span(first).subspan(i, 100));
    log.sync();
    checksum = log.checksum();
    log.append(second);
    log.flush();
  }
  {
    WordLog log(path, DiskFile::Mode::kOpen);
    check(!log.go_back_to(25'001, checksum));
    check(!log.go_back_to(19'999, checksum));
    for (int i = 0; i < 60; ++i) {
      const std::uint64_t bit = random.below(20'000 * 32);
      flip_bit(path, bit);
      check(!log.go_back_to(20'000, checksum));
      flip_bit(path, bit);
    }
    flip_bit(path, 20'000 * 32);  // what came after does not matter
    check(log.go_back_to(20'000, checksum));
    log.append(other);
    log.flush();
    WordLog::Reader reader(log, 19'999, ~std::uint64_t{0}, 64);
    check_equal(reader.next(1)[0], first.back());
    for (const std::uint32_t word : other) check_equal(reader.next(1)[0], word);
    check(reader.at_end());
  }
  check_equal(DiskFile(path, DiskFile::Mode::kOpen).size(), 20'007u * 4);
}

TEST("the log of edges gives back the successors of each state") {
  Random random(3);
  const Folder folder;
  EdgeLog log(folder.file("edges"), DiskFile::Mode::kCreate);
  std::vector<std::vector<StateMark>> expected;
  std::uint64_t from = 0;
  for (int i = 0; i < 3000; ++i) {
    std::vector<StateMark> marks(i == 1000 ? 9000 : random.below(7));
    for (StateMark& mark : marks) {
      const std::uint64_t word = random.below(100);
      mark = StateMark::of(&word, 1);
    }
    log.add(marks);
    if (i == 1499) from = log.words();
    expected.push_back(marks);
  }
  log.flush();
  for (const std::size_t start : {0, 1500}) {
    EdgeLog::Reader reader(log, start == 0 ? 0 : from, log.words(), 512);
    for (std::size_t i = start; i < expected.size(); ++i) {
      const auto marks = reader.next();
      check(std::equal(marks.begin(), marks.end(), expected[i].begin(), expected[i].end()));
    }
    check(reader.at_end());
  }
}

TEST("a count in the log of edges that was damaged is no reason to read elsewhere") {
  const Folder folder;
  EdgeLog log(folder.file("edges"), DiskFile::Mode::kCreate);
  const std::uint64_t word = 1;
  const StateMark mark = StateMark::of(&word, 1);
  log.add({&mark, 1});
  log.flush();
  flip_bit(log.path(), 31);
  EdgeLog::Reader reader(log, 0, log.words(), 64);
  check_throws<CheckpointProblem>([&] { reader.next(); }, "shorter than its states need");
}

TEST("marks find the numbers they were added with") {
  for (const std::uint64_t states : {1, 2, 3, 1000}) {
    std::vector<std::uint64_t> memory(states * MarkTable::kBytesPerState / 8 + 4);
    MarkTable table(memory, states);
    const auto mark_of = [](std::uint64_t word) { return StateMark::of(&word, 1); };
    for (std::uint32_t i = 0; i < states; ++i) {
      check(table.find(mark_of(i)) == nullptr);
      check(table.add(mark_of(i), i));
      check(!table.add(mark_of(i), i + 1));
    }
    for (std::uint32_t i = 0; i < states; ++i) {
      table.prefetch(mark_of(i));
      check_equal(*table.find(mark_of(i)), i);
    }
    check(table.find(mark_of(states)) == nullptr);
  }
  std::vector<std::uint64_t> memory(2);
  check_throws<std::bad_alloc>([&] { MarkTable(memory, 1000); }, "");
}

TEST("the log of parents gives back every way to a state") {
  Random random(5);
  const support::MemoryBudget budget;
  ParentLog log(budget);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> expected{{0, 0}};
  for (std::uint32_t i = 1; i < 140'000; ++i) {
    const auto parent = static_cast<std::uint32_t>(random.below(i));
    const std::uint32_t position =
        static_cast<std::uint32_t>(random.one_in(50) ? 0xFFFE + random.below(3) : random.below(9));
    log.push(parent, position);
    expected.emplace_back(parent, position);
  }
  check_equal(log.size(), expected.size());
  for (std::uint32_t i = 0; i < expected.size(); ++i) {
    check_equal(log.parent(i), expected[i].first);
    check_equal(log.position(i), expected[i].second);
  }
  for (int i = 0; i < 100; ++i) {
    auto state = static_cast<std::uint32_t>(random.below(expected.size()));
    const std::vector<std::uint32_t> path = log.path_to(state);
    for (std::size_t k = path.size(); k-- > 0; state = expected[state].first)
      check_equal(path[k], expected[state].second);
    check_equal(state, 0u);
  }
}

}  // namespace
}  // namespace assay::native_tests
