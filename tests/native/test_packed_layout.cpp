#include <algorithm>
#include <stdexcept>

#include "check.hpp"
#include "storage/packed_layout.hpp"

namespace assay::native_tests {
namespace {

using storage::compare_records;
using storage::PackedLayout;
using storage::RecordTranslation;
using State = std::vector<std::uint64_t>;

constexpr std::uint64_t kGuard = 0xFEEDFACECAFEBEEF;

std::uint32_t length_of(const State& state) { return static_cast<std::uint32_t>(state.size()); }

bool pack(const PackedLayout& layout, const State& state, State& record) {
  record.assign(layout.record_words() + 1, kGuard);
  const bool fits = layout.pack(state.data(), length_of(state), record.data());
  check_equal(record.back(), kGuard);
  record.pop_back();
  return fits;
}

State unpack(const PackedLayout& layout, const State& record) {
  State words(layout.max_words() + 1, kGuard);
  const std::uint32_t length = layout.unpack(record.data(), words.data());
  check_equal(words.back(), kGuard);
  check(length <= layout.max_words());
  words.resize(length);
  return words;
}

/// By length, then word by word: the order of records, whatever the layout.
bool is_before(const State& a, const State& b) {
  if (a.size() != b.size()) return a.size() < b.size();
  return a < b;
}

TEST("a layout packs what fits, says what does not, and gives every state back") {
  for (const std::uint32_t max_words : {1u, 2u, 3u, 8u, 9u, 33u}) {
    for (const bool has_numbers : {false, true}) {
      Random random(max_words * 2 + has_numbers);
      const State initial = random.words(random.below(max_words) + 1);
      PackedLayout layout(initial.data(), length_of(initial), max_words);
      State record;
      check(pack(layout, initial, record));
      check(unpack(layout, record) == initial);
      std::vector<State> states{initial};
      for (int i = 0; i < 300; ++i) {
        State next = states[random.below(states.size())];
        if (random.one_in(4)) next.resize(random.below(max_words + std::uint64_t{1}));
        for (std::uint64_t left = random.below(3); left > 0 && !next.empty(); --left)
          next[random.below(next.size())] ^= std::uint64_t{1} << random.below(64);
        if (!pack(layout, next, record)) {
          layout = layout.widened(next.data(), length_of(next), has_numbers);
          check(pack(layout, next, record));
        }
        check(unpack(layout, record) == next);
        states.push_back(next);
      }
      // What was packed under narrower layouts fits the widest, and each pair keeps its order.
      std::vector<State> records;
      for (const State& state : states) {
        check(pack(layout, state, record));
        records.push_back(record);
      }
      for (std::size_t i = 0; i + 1 < states.size(); ++i) {
        const int order = compare_records(records[i].data(), records[i + 1].data(), layout.record_words());
        check_equal(order == 0, states[i] == states[i + 1]);
        if (order != 0) check_equal(order < 0, is_before(states[i], states[i + 1]));
      }
    }
  }
}

TEST("packing by the difference to a known state gives the same record") {
  Random random(5);
  for (const std::uint32_t words : {1u, 7u, 8u, 9u, 20u}) {
    const State initial = random.words(words);
    PackedLayout layout(initial.data(), words, words);
    State known = initial, known_record, record, alike;
    for (int i = 0; i < 600; ++i) {
      State next = known;
      next[random.below(words)] ^= random.one_in(3) ? random.word() : std::uint64_t{1} << random.below(64);
      const bool fits = pack(layout, next, record);
      check(pack(layout, known, known_record));
      alike.assign(layout.record_words(), 0);
      check_equal(layout.pack_like(known.data(), known_record.data(), next.data(), words, alike.data()),
                  fits);
      if (fits) check(alike == record);
      if (!fits) layout = layout.widened(next.data(), words, random.one_in(2));
      known = next;
    }
  }
}

TEST("records of an old layout are translated into those of a new one") {
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    Random random(seed);
    const std::uint32_t max_words = 6;
    const State initial = random.words(4);
    std::vector<PackedLayout> layouts{PackedLayout(initial.data(), 4, max_words)};
    std::vector<State> states{initial};
    std::vector<std::size_t> packed_under{0};
    for (int i = 0; i < 120; ++i) {
      State next = states[random.below(states.size())];
      if (random.one_in(6)) next.resize(random.below(max_words + std::uint64_t{1}));
      if (!next.empty()) next[random.below(next.size())] ^= std::uint64_t{1} << random.below(64);
      State record;
      if (!pack(layouts.back(), next, record))
        layouts.push_back(layouts.back().widened(next.data(), length_of(next), false));
      states.push_back(next);
      packed_under.push_back(layouts.size() - 1);
    }
    check(layouts.size() > 20);
    for (std::size_t i = 0; i < states.size(); ++i) {
      const PackedLayout& from = layouts[packed_under[i]];
      State old_record, expected;
      check(pack(from, states[i], old_record));
      check(pack(layouts.back(), states[i], expected));
      State translated(layouts.back().record_words());
      RecordTranslation(from, layouts.back())(old_record.data(), translated.data());
      check(translated == expected);
    }
    // A layout is its masks: one made of them is the same.
    const PackedLayout again(layouts[0], layouts.back().masks());
    State a, b;
    check(pack(again, states.back(), a) && pack(layouts.back(), states.back(), b));
    check(a == b);
  }
}

TEST("a record that no state has is noticed by its length") {
  const State initial{1, 2, 3};
  PackedLayout layout(initial.data(), 3, 3);
  const State shorter{1, 2};
  layout = layout.widened(shorter.data(), 2, false);
  const State none{0};
  layout = layout.widened(none.data(), 0, false);  // lengths 0 to 3: now two bits
  // All lengths that two bits can say are possible here; with a third bit they are not.
  const PackedLayout wider(layout, [&] {
    State masks = layout.masks();
    masks[0] |= 4;
    return masks;
  }());
  State record(wider.record_words(), ~std::uint64_t{0}), words(4, kGuard);
  check(wider.unpack(record.data(), words.data()) > wider.max_words());
  check_throws<std::invalid_argument>([&] { PackedLayout(layout, State(5, 1)); }, "one mask per word");
}

TEST("wide states with every bit in use survive packing") {
  Random random(8);
  const std::uint32_t words = 70;
  const State initial(words, 0);
  PackedLayout layout(initial.data(), words, words);
  const State ones(words, ~std::uint64_t{0});
  layout = layout.widened(ones.data(), words, false);
  check_equal(layout.record_words(), words);
  for (int i = 0; i < 50; ++i) {
    const State state = random.words(words);
    State record;
    check(pack(layout, state, record));
    check(record == state);
    check(unpack(layout, record) == state);
  }
}

}  // namespace
}  // namespace assay::native_tests
