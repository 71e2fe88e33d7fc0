/// Matching by bits of an array.
#pragma once

#include <cstdint>

#include "search/result.hpp"
#include "storage/bit_array.hpp"
#include "support/memory.hpp"
#include "transition_system/transition_system.hpp"

namespace assay::search::matching {

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

  Key key(transition_system::StateView state) {
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

}  // namespace assay::search::matching
