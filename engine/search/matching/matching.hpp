/// When two states count as one: a policy apart from where states are kept.
///
/// A policy makes a key of a state, answers whether a state with that key was
/// met, and says in one sentence what a finished search may have missed because
/// of it. The exact searches match by the keys of their store, which stand for
/// states one to one; the searches in `matched_*` keep whole states only as long
/// as they need them and take any of these policies:
///
///     policy        key                        a finished search that found nothing
///     fingerprint   a 64-bit hash              may have missed states, with a small probability
///     bits          k places in a bit array    may have missed states, with a larger one
///     abstraction   what the system's          has seen one state of each key, and what follows from it:
///                   `match_key` writes         an under-approximation
#pragma once

#include <cstdint>
#include <vector>

#include "search/outcome.hpp"
#include "storage/bit_array.hpp"
#include "storage/fingerprint_table.hpp"
#include "storage/word_set.hpp"
#include "support/hash.hpp"
#include "support/memory.hpp"
#include "transition_system/transition_system.hpp"

namespace assay::search::matching {

using transition_system::StateView;

/// Two states with one 64-bit hash count as one.
class Fingerprints {
 public:
  static constexpr Guarantee kGuarantee = Guarantee::kMayLose;
  using Key = std::uint64_t;

  Fingerprints(const transition_system::TransitionSystem&, const Options& options,
               const support::MemoryBudget& budget)
      : seed_(options.seed), table_(budget) {}

  Key key(StateView state) {
    const Key key = support::hash_words(state.data(), state.size(), seed_);
    table_.prefetch(key);
    return key;
  }
  bool contains(Key key) const { return table_.contains(key); }
  bool add(Key key) { return table_.add(key); }
  std::size_t bytes() const { return table_.bytes(); }
  void report(Result&) const {}

 private:
  const std::uint64_t seed_;
  storage::FingerprintTable table_;
};

/// Two states count as one if all bits of the second are set (Holzmann's bitstate hashing).
class Bits {
 public:
  static constexpr Guarantee kGuarantee = Guarantee::kMayLose;
  using Key = storage::BitArray::Hashes;

  Bits(const transition_system::TransitionSystem&, const Options& options,
       const support::MemoryBudget& budget)
      : seed_(options.seed),
        bits_(allowed(options.number("bitstate_bytes", 0), budget),
              static_cast<std::uint32_t>(options.number("hash_functions", 3))) {}

  Key key(StateView state) {
    return storage::BitArray::hash(state.data(), transition_system::length_of(state), seed_);
  }
  void prefetch(const Key& key) const { bits_.prefetch(key); }
  bool contains(const Key& key) const { return bits_.contains(key); }
  bool add(const Key& key) { return bits_.add(key); }
  std::size_t bytes() const { return bits_.bytes(); }
  void report(Result& result) const {
    result.bits_set = bits_.bits_set();
    result.bits_total = bits_.bits_total();
  }

 private:
  static std::uint64_t allowed(std::uint64_t bytes, const support::MemoryBudget& budget) {
    budget.require(bytes);
    return bytes;
  }
  const std::uint64_t seed_;
  storage::BitArray bits_;
};

/// Two states count as one if the system writes the same key for them. Keys are compared in full.
class Abstraction {
 public:
  static constexpr Guarantee kGuarantee = Guarantee::kUnderApproximates;
  struct Key {
    std::vector<std::uint64_t> words;
    std::uint64_t hash;
  };

  Abstraction(const transition_system::TransitionSystem& system, const Options&,
              const support::MemoryBudget& budget)
      : system_(system), scratch_(std::size_t{system.max_words()} + 1), set_(budget) {}

  Key key(StateView state) {
    const std::uint32_t length = system_.match_key(state, scratch_.data());
    return {{scratch_.begin(), scratch_.begin() + length}, storage::WordSet::hash(scratch_.data(), length)};
  }
  bool contains(const Key& key) const { return set_.contains(key.words.data(), key.words.size(), key.hash); }
  bool add(const Key& key) { return set_.add(key.words.data(), key.words.size(), key.hash); }
  std::size_t bytes() const { return set_.bytes(); }
  void report(Result&) const {}

 private:
  const transition_system::TransitionSystem& system_;
  std::vector<std::uint64_t> scratch_;
  storage::WordSet set_;
};

}  // namespace assay::search::matching
