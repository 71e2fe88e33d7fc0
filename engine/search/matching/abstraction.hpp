/// Matching by what the system says of a state.
#pragma once

#include <cstdint>
#include <vector>

#include "search/result.hpp"
#include "storage/word_set.hpp"
#include "support/memory.hpp"
#include "transition_system/transition_system.hpp"

namespace assay::search::matching {

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

  Key key(transition_system::StateView state) {
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
