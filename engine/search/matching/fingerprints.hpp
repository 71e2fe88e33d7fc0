/// Matching by a hash.
#pragma once

#include <cstdint>

#include "search/result.hpp"
#include "storage/fingerprint_table.hpp"
#include "support/hash.hpp"
#include "support/memory.hpp"
#include "transition_system/transition_system.hpp"

namespace assay::search::matching {

/// Two states with one 64-bit hash count as one.
class Fingerprints {
 public:
  static constexpr Guarantee kGuarantee = Guarantee::kMayLose;
  using Key = std::uint64_t;

  Fingerprints(const transition_system::TransitionSystem&, const Options& options,
               const support::MemoryBudget& budget)
      : seed_(options.seed), table_(budget) {}

  Key key(transition_system::StateView state) {
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

}  // namespace assay::search::matching
