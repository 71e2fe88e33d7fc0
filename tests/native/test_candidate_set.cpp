#include <algorithm>
#include <new>
#include <set>

#include "check.hpp"
#include "storage/candidate_set.hpp"

namespace assay::native_tests {
namespace {

using storage::CandidateSet;
using Record = std::vector<std::uint64_t>;

TEST("records are sorted word by word, whatever they have in common") {
  for (const std::uint32_t words : {1u, 2u, 5u, 40u}) {
    for (const std::uint64_t count : {0u, 1u, 2u, 24u, 25u, 257u, 5000u}) {
      for (int kind = 0; kind < 4; ++kind) {
        Random random(words * 100 + count + static_cast<std::uint64_t>(kind));
        std::vector<Record> records;
        for (std::uint64_t i = 0; i < count; ++i) {
          Record record(words, 7);  // kind 0: all are equal
          if (kind == 1) record[words - 1] = random.below(1000);
          if (kind == 2) record = random.words(words);
          if (kind == 3) record[random.below(words)] ^= std::uint64_t{1} << random.below(64);
          records.push_back(record);
        }
        Record array;
        for (const Record& record : records) array.insert(array.end(), record.begin(), record.end());
        storage::sort_records(array.data(), count, words);
        std::sort(records.begin(), records.end());
        Record expected;
        for (const Record& record : records) expected.insert(expected.end(), record.begin(), record.end());
        check(array == expected);
      }
    }
  }
}

TEST("records that agree in very many bytes are sorted too") {
  // Deeper than the sort goes byte by byte: each step splits off one record only.
  const std::uint32_t words = 60;
  std::vector<Record> records;
  for (std::uint32_t byte = 0; byte < words * 8; ++byte) {
    Record record(words, 0);
    for (std::uint32_t i = byte; i < words * 8; ++i) record[i / 8] |= std::uint64_t{1} << (56 - 8 * (i % 8));
    records.push_back(record);
  }
  Record array;
  for (const Record& record : records) array.insert(array.end(), record.begin(), record.end());
  storage::sort_records(array.data(), records.size(), words);
  std::sort(records.begin(), records.end());
  for (std::size_t i = 0; i < records.size(); ++i)
    check(std::equal(records[i].begin(), records[i].end(),
                     array.begin() + static_cast<std::ptrdiff_t>(i * words)));
}

TEST("a set of candidates holds each record once, until it says that it is full") {
  for (const std::uint32_t words : {1u, 2u, 7u}) {
    for (const std::size_t bytes :
         {std::size_t{1}, std::size_t{1} << 12, std::size_t{1} << 16, std::size_t{1} << 19}) {
      Random random(words + bytes);
      CandidateSet set(bytes);
      for (const std::uint64_t expected_size :
           {std::uint64_t{0}, std::uint64_t{50}, std::uint64_t{1} << 40}) {
        if (expected_size > set.bytes() && expected_size != std::uint64_t{1} << 40) continue;
        set.start(words, std::min<std::uint64_t>(expected_size, set.bytes()));
        std::set<Record> expected;
        for (int i = 0; i < 30'000; ++i) {
          Record record(words);
          for (std::uint64_t& word : record) word = random.one_in(3) ? ~random.below(2) : random.below(5000);
          if (random.one_in(100)) record.assign(words, ~std::uint64_t{0});  // looks like an empty slot
          const std::uint64_t hash = set.hash(record.data());
          set.prefetch(hash);
          if (!set.add(record.data(), hash)) {
            check(expected.size() >= set.bytes() / 8 / words / 4);  // not for nothing
            break;
          }
          expected.insert(record);
          check_equal(set.size(), expected.size());
        }
        set.sort();
        check_equal(set.size(), expected.size());
        const std::uint64_t* at = set.sorted();
        for (const Record& record : expected) {
          check(std::equal(record.begin(), record.end(), at));
          at += words;
        }
      }
      const std::size_t before = set.bytes();
      set.halve();
      check(set.bytes() <= std::max<std::size_t>(before / 2, 2048));
      check_equal(set.size(), 0u);
      const auto lent = set.lend();
      check_equal(lent.size_bytes(), set.bytes());
      std::fill(lent.begin(), lent.end(), random.word());
      set.start(words, 0);
      const Record record(words, 3);
      check(set.add(record.data(), set.hash(record.data())));
      check_equal(set.size(), 1u);
    }
  }
}

TEST("records that are too wide for the block are refused") {
  CandidateSet set(4096);
  check_throws<std::bad_alloc>([&] { set.start(100, 0); }, "");
}

}  // namespace
}  // namespace assay::native_tests
