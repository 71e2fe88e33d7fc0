// Sets that hold states, or what stands for states: caches, fingerprints, bits, word strings; paths and
// queues.
#include <deque>
#include <map>
#include <set>
#include <unordered_set>

#include "check.hpp"
#include "storage/bit_array.hpp"
#include "storage/fixed_state_store.hpp"
#include "storage/fingerprint_table.hpp"
#include "storage/state_cache.hpp"
#include "storage/state_path.hpp"
#include "storage/state_queue.hpp"
#include "storage/word_set.hpp"
#include "support/chunked_vector.hpp"

namespace assay::native_tests {
namespace {

using namespace storage;
using State = std::vector<std::uint64_t>;

TEST("states of one length have a number each, in the order in which they came") {
  for (const std::size_t length : {1, 2, 5, 41}) {
    Random random(length);
    const support::MemoryBudget budget;
    FixedStateStore store(length, budget);
    std::map<State, std::uint32_t> expected;
    // Beyond the first table and several segments for the longest, with few values, so that many come again.
    for (int i = 0; i < 300'000; ++i) {
      State state(length);
      for (std::uint64_t& word : state) word = random.one_in(50) ? random.striking() : random.below(3);
      state[0] = random.one_in(100) ? random.striking() : random.below(400'000);
      const std::uint32_t mark = store.start(state.data());
      store.advance(mark);
      const auto [known, is_new] = expected.try_emplace(state, store.size());
      check_equal(store.find(state.data(), mark), is_new ? FixedStateStore::kNone : known->second);
      check_equal(store.add(state.data(), mark), is_new);
    }
    check_equal(store.size(), expected.size());
    for (const auto& [state, number] : expected) {
      const auto found = store.state(number);
      check_equal(State(found.begin(), found.end()) == state, true);
    }
  }
}

TEST("a cache finds exactly the keys that were added and not removed") {
  for (const std::uint64_t capacity : {1, 2, 3, 1023, 1024, 1025, 5000}) {
    Random random(capacity);
    StateCache cache(capacity);
    std::map<std::uint64_t, StateCache::Slot> expected;
    check_equal(cache.find(0), StateCache::kNone);
    for (int i = 0; i < 40'000; ++i) {
      const std::uint64_t key = random.one_in(50) ? random.striking() : random.below(capacity * 2);
      const auto known = expected.find(key);
      check_equal(cache.find(key), known == expected.end() ? StateCache::kNone : known->second);
      if (known != expected.end()) {
        check_equal(cache.key(known->second), key);
        if (random.one_in(3)) {
          cache.remove(known->second);
          expected.erase(known);
        }
        continue;
      }
      if (cache.is_full()) {
        const auto gone = std::next(
            expected.begin(),
            static_cast<std::ptrdiff_t>(random.below(std::min<std::uint64_t>(expected.size(), 50))));
        cache.remove(gone->second);
        expected.erase(gone);
      }
      if (cache.needs_room()) {
        const std::uint64_t next = cache.next_room();
        cache.make_room();
        check_equal(cache.room(), next);
      }
      expected[key] = cache.add(key);
      check_equal(cache.size(), expected.size());
    }
    // A new layout of the store gives every key a new value.
    for (std::uint64_t& key : cache.keys()) key = key * 3 + 1;
    cache.rebuild();
    for (const auto& [key, slot] : expected) check_equal(cache.find(key * 3 + 1), slot);
    check_equal(cache.size(), expected.size());
  }
}

TEST("a cache that stopped growing is full where it stands") {
  StateCache cache(100'000);
  cache.make_room();
  cache.stop_growing();
  check_equal(cache.capacity(), 1024u);
  for (std::uint64_t key = 0; key < 1024; ++key) cache.add(key);
  check(cache.is_full());
}

TEST("a table of fingerprints is a set of them, but for zero and one") {
  Random random(3);
  const support::MemoryBudget budget;
  FingerprintTable table(budget);
  std::unordered_set<std::uint64_t> expected;
  for (int i = 0; i < 300'000; ++i) {
    std::uint64_t fingerprint =
        random.one_in(2) ? random.below(200'000) * 0x9E3779B97F4A7C15ull : random.striking();
    if (fingerprint == 0) fingerprint = 1;  // these two count as one
    table.prefetch(fingerprint);
    check_equal(table.contains(fingerprint), expected.contains(fingerprint));
    check_equal(table.add(fingerprint), expected.insert(fingerprint).second);
  }
  check_equal(table.size(), expected.size());
  check(table.contains(0) == table.contains(1));
  for (const std::uint64_t fingerprint : expected) check(table.contains(fingerprint));
}

TEST("a table of fingerprints that wraps around its end loses nothing") {
  const support::MemoryBudget budget;
  FingerprintTable table(budget);
  for (std::uint64_t i = 0; i < 20'000; ++i) check(table.add(~i));
  for (std::uint64_t i = 0; i < 20'000; ++i) check(table.contains(~i) && !table.add(~i));
  check(!table.contains(~std::uint64_t{20'000}));
}

TEST("an array of bits never forgets a state") {
  for (const std::uint64_t bytes : {1, 8, 9, 1000, 1 << 16}) {
    for (const std::uint32_t functions : {1u, 3u, 8u}) {
      Random random(bytes + functions);
      BitArray bits(bytes, functions);
      check_equal(bits.bits_total(), (bytes + 7) / 8 * 64);
      std::uint64_t new_ones = 0;
      for (int i = 0; i < 500; ++i) {
        const State state = random.words(random.below(5));
        const auto hashes = BitArray::hash(state.data(), static_cast<std::uint32_t>(state.size()), 9);
        bits.prefetch(hashes);
        const bool was_there = bits.contains(hashes);
        const std::uint64_t before = bits.bits_set();
        check_equal(bits.add(hashes), !was_there);
        check(bits.contains(hashes));
        check(bits.bits_set() >= before && bits.bits_set() - before <= functions);
        check_equal(bits.bits_set() == before, was_there);
        new_ones += bits.bits_set() - before;
      }
      check_equal(bits.bits_set(), new_ones);
      check(bits.bits_set() <= bits.bits_total());
    }
  }
}

TEST("a set of word strings tells strings apart that begin alike, or that share a hash") {
  for (const bool hashes_collide : {false, true}) {
    Random random(4);
    const support::MemoryBudget budget;
    WordSet set(budget);
    std::set<State> expected;
    for (int i = 0; i < 5000; ++i) {
      State state(random.one_in(500) ? 70'000 : random.below(6));
      for (std::size_t k = 0; k < std::min<std::size_t>(state.size(), 6); ++k) state[k] = random.below(4);
      const std::uint64_t hash = hashes_collide ? state.size() : WordSet::hash(state.data(), state.size());
      check_equal(set.contains(state.data(), state.size(), hash), expected.contains(state));
      check_equal(set.add(state.data(), state.size(), hash), expected.insert(state).second);
      check(set.contains(state.data(), state.size(), hash));
      check_equal(set.size(), expected.size());
    }
  }
}

TEST("a path of states goes back the way it came") {
  for (const std::uint32_t max_words : {1u, 3u, 300u}) {
    Random random(max_words);
    const support::MemoryBudget budget;
    StatePath path(max_words, budget);
    std::vector<State> expected{{}};
    for (int i = 0; i < 5000; ++i) {
      if (expected.size() > 1 && random.one_in(3)) {
        path.pop();
        expected.pop_back();
      } else {
        State next = expected.back();
        if (random.one_in(4)) next.resize(random.below(max_words + std::uint64_t{1}));
        for (std::uint64_t left = random.one_in(40) ? max_words : random.below(3); left > 0 && !next.empty();
             --left)
          next[random.below(next.size())] = random.striking();
        path.push(next.data(), static_cast<std::uint32_t>(next.size()));
        expected.push_back(next);
      }
      check(State(path.words(), path.words() + path.word_count()) == expected.back());
    }
    for (; expected.size() > 1; expected.pop_back()) {
      check(State(path.words(), path.words() + path.word_count()) == expected.back());
      path.pop();
    }
    check_equal(path.word_count(), 0u);
  }
}

TEST("a queue gives states back in the order in which they came") {
  Random random(6);
  StateQueue queue;
  std::deque<State> expected;
  for (int i = 0; i < 20'000; ++i) {
    if (!expected.empty() && random.one_in(2)) {
      std::uint32_t count = 0;
      const std::uint64_t* const words = queue.pop(count);
      check(State(words, words + count) == expected.front());
      expected.pop_front();
    } else {
      const State state = random.words(random.one_in(2000) ? 70'000 : random.below(9));
      queue.push(state.data(), static_cast<std::uint32_t>(state.size()));
      expected.push_back(state);
    }
    check_equal(queue.size(), expected.size());
  }
}

TEST("what stands in a chunked vector does not move") {
  support::ChunkedVector<State, 3> vector;
  std::vector<const State*> places;
  for (std::uint64_t i = 0; i < 1000; ++i) places.push_back(&vector.push_back(State(3, i)));
  for (std::uint64_t i = 0; i < 1000; ++i) {
    check(&vector[i] == places[i]);
    check(vector[i] == State(3, i));
  }
  vector.clear();
  check(vector.empty());
}

}  // namespace
}  // namespace assay::native_tests
