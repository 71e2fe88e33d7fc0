#include <thread>
#include <unordered_map>

#include "check.hpp"
#include "storage/key_table.hpp"

namespace assay::native_tests {
namespace {

using storage::KeyTable;
using storage::Sharing;

void compare(const KeyTable& table, const std::unordered_map<std::uint64_t, std::uint32_t>& expected) {
  check_equal(table.size(), expected.size());
  for (const auto& [key, id] : expected) {
    check_equal(table.find(key), id);
    check_equal(table.key(id), key);
  }
}

TEST("a key table gives each key the next number, whatever the key") {
  for (const std::uint64_t seed : {1, 2, 3}) {
    Random random(seed);
    KeyTable table;
    std::unordered_map<std::uint64_t, std::uint32_t> expected;
    check_equal(table.find(0), KeyTable::kNone);
    for (int i = 0; i < 60'000; ++i) {
      const std::uint64_t key = random.striking() & (random.one_in(2) ? 0xFFF : ~std::uint64_t{0});
      const auto next = static_cast<std::uint32_t>(expected.size());
      const bool is_known = expected.contains(key);
      check_equal(table.find(key), is_known ? expected[key] : KeyTable::kNone);
      const std::uint32_t id = table.find_or_add<Sharing::kPrivate>(key);
      check_equal(id, expected.try_emplace(key, next).first->second);
    }
    compare(table, expected);
    KeyTable moved = std::move(table);
    compare(moved, expected);
    moved.drop_index();
    moved.rebuild_index();
    compare(moved, expected);
  }
}

TEST("a key table finds in three steps what it finds in one") {
  Random random(4);
  KeyTable table;
  std::unordered_map<std::uint64_t, std::uint32_t> expected;
  for (int round = 0; round < 200; ++round) {
    table.make_room(64);  // so that no probe outlives its index
    std::vector<KeyTable::Probe> probes;
    for (int i = 0; i < 64; ++i) probes.push_back(table.start(random.below(3000)));
    for (KeyTable::Probe& probe : probes) table.advance(probe);
    for (const KeyTable::Probe& probe : probes) {
      const auto known = expected.find(probe.key);
      check_equal(table.find(probe), known == expected.end() ? KeyTable::kNone : known->second);
      const auto next = static_cast<std::uint32_t>(expected.size());
      check_equal(table.find_or_add(probe), expected.try_emplace(probe.key, next).first->second);
    }
  }
  compare(table, expected);
}

TEST("a key table has room for as many keys as it was told, at every size") {
  for (const std::uint64_t count :
       {1, 4, 5, 8, 9, 63, 64, 65, 32'767, 32'768, 32'769, 52'428, 52'429, 70'000}) {
    KeyTable table;
    table.make_room(count);
    const std::uint64_t index = table.index_number();
    for (std::uint64_t key = 0; key < count; ++key)
      check_equal(table.find_or_add<Sharing::kPrivate>(~key), key);
    check_equal(table.index_number(), index);
    for (std::uint64_t key = 0; key < count; ++key) check_equal(table.find(~key), key);
    check_equal(table.find(~count), KeyTable::kNone);
  }
}

TEST("no key finds the number that was added without one") {
  KeyTable table;
  table.find_or_add<Sharing::kPrivate>(7);
  check_equal(table.add_unindexed(), 1u);
  check_equal(table.find(0), KeyTable::kNone);
  check_equal(table.find_or_add<Sharing::kPrivate>(0), 2u);
  for (std::uint64_t key = 100; key < 2000; ++key) table.find_or_add<Sharing::kPrivate>(key);
  check_equal(table.find(0), 2u);
  check_equal(table.key(1), 0u);
}

TEST("a moved key is found under its new number") {
  KeyTable table;
  for (std::uint64_t key = 0; key < 1000; ++key) table.find_or_add<Sharing::kPrivate>(key * key);
  // As after threads that reserved numbers they did not use: the last ones fill the holes.
  table.make_room(10);
  table.set_size(1005);
  const auto probe = table.start(5'000'000);
  check_equal(table.find_or_publish(probe, 1004), 1004u);
  table.move_key(1004, 1000);
  table.set_size(1001);
  check_equal(table.find(5'000'000), 1000u);
  check_equal(table.key(1000), 5'000'000u);
  table.make_room(100'000);
  check_equal(table.find(5'000'000), 1000u);
}

TEST("threads that share a key table agree on every number") {
  constexpr int kThreads = 4;
  constexpr std::uint64_t kKeys = 20'000;
  KeyTable table;
  table.make_room(kKeys);
  std::vector<std::vector<std::uint32_t>> seen(kThreads, std::vector<std::uint32_t>(kKeys));
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (std::uint64_t i = 0; i < kKeys; ++i) {
        const std::uint64_t key = t % 2 == 0 ? i : kKeys - 1 - i;
        seen[t][key] = table.find_or_add<Sharing::kShared>(key);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  check_equal(table.size(), kKeys);
  for (std::uint64_t key = 0; key < kKeys; ++key) {
    for (const auto& of_thread : seen) check_equal(of_thread[key], table.find(key));
    check_equal(table.key(table.find(key)), key);
  }
}

TEST("threads that publish reserved numbers agree on every number") {
  constexpr int kThreads = 4;
  constexpr std::uint32_t kKeys = 5'000;
  KeyTable table;
  table.make_room(std::uint64_t{kThreads} * kKeys);
  std::vector<std::vector<std::uint32_t>> seen(kThreads, std::vector<std::uint32_t>(kKeys));
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      std::uint32_t reserved = static_cast<std::uint32_t>(t) * kKeys;
      for (std::uint32_t i = 0; i < kKeys; ++i) {
        const std::uint32_t key = t % 2 == 0 ? i : kKeys - 1 - i;
        auto probe = table.start(key);
        table.advance(probe);
        seen[t][key] = table.find_or_publish(probe, reserved);
        if (seen[t][key] == reserved) ++reserved;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  table.set_size(kThreads * kKeys);
  for (std::uint32_t key = 0; key < kKeys; ++key) {
    for (const auto& of_thread : seen) check_equal(of_thread[key], table.find(key));
    check_equal(table.key(table.find(key)), key);
  }
}

TEST("a full shared key table says so and goes on after a pause") {
  KeyTable table;
  check_equal(table.find_or_add<Sharing::kShared>(1), KeyTable::kFull);
  table.make_room(4);
  std::uint64_t key = 0;
  while (table.find_or_add<Sharing::kShared>(key) != KeyTable::kFull) ++key;
  check_equal(key, table.limit());
  check_equal(table.find(key), KeyTable::kNone);
  table.make_room(1);
  check_equal(table.find_or_add<Sharing::kShared>(key), key);
}

}  // namespace
}  // namespace assay::native_tests
