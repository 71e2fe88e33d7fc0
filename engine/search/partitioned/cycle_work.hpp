/// What one worker does when accepting cycles are looked for in a graph that was explored in partitions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "search/partitioned/partition_worker.hpp"
#include "search/partitioned/stored_steps.hpp"
#include "search/result.hpp"
#include "search/spilling/state_bits.hpp"
#include "support/memory.hpp"
#include "transition_system/acceptance.hpp"

namespace assay::search::partitioned {

/// States are numbered in the order of their discovery, and cut into slices of consecutive numbers: nearly all steps of
/// a state lead to states of its slice or of the next one. The search is one way catch them young (Černá and Pelánek
/// 2003) for several acceptance sets, over sets of states that everybody reads whole, a bit for each state; whoever has
/// a slice goes on in it as far as its steps lead, and the sets of all are joined before the next round.
///
/// Like all work of a partition, every call is a function of files.
class CycleWork {
 public:
  using Marks = transition_system::Acceptance::Marks;
  using StateBits = spilling::StateBits;

  /// The worker must outlive it, and know the order of discovery.
  CycleWork(PartitionWorker& worker, const transition_system::CycleQuestion& question);

  Marks all() const { return acceptance_.all(); }

  /// The steps of all states of a partition, for each slice: what they lead to (as `number_edges` reads it), and what
  /// is to be known of them. `slices`: the number of the first state of each, and how many there are in all.
  struct Written {
    std::vector<StoredWords> marks, facts;
  };
  Written write_steps(const std::vector<PartitionWorker::NumberedLevel>& levels,
                      const std::vector<std::uint64_t>& slices, const std::string& name);

  /// The steps of a slice in the order of its states. Of each partition its part, and of each stream the numbers of what
  /// those steps lead to that lead there.
  struct SliceParts {
    std::uint64_t begin = 0, end = 0;
    std::vector<StoredWords> marks, facts;
    std::vector<std::vector<StoredWords>> numbers;  // of each stream, for each partition
    std::vector<std::uint32_t> stream_of;           // of each partition
    std::vector<std::uint64_t> levels;              // the number of the first state of each
  };
  struct Joined {
    std::vector<StepBlock> blocks;
    Marks of_all_steps = 0;  // the sets that all of them are in which are not free
  };
  Joined join(const SliceParts& slice, const std::string& name);

  /// A set of states: the union of some that stand in files, or all states.
  using Sets = std::optional<std::vector<StoredWords>>;

  struct Changed {
    bool is_changed = false;
    std::uint64_t count = 0;
    StoredWords set;
    StoredWords targets;  // what the steps of the set lead to; only of an elimination
  };
  /// `reached`, with what else steps of these blocks lead to from there, or from a step of `set`, `inside`.
  Changed spread(std::uint64_t states, const std::vector<StepBlock>& blocks, const Sets& inside, Marks set,
                 const Sets& reached, const std::string& name);
  /// What is left of those states of `inside` whose steps these are: some step has to lead to each, of its own slice or
  /// from `elsewhere`.
  Changed eliminate(std::uint64_t states, const std::vector<StepBlock>& blocks, const Sets& inside,
                    const Sets& elsewhere, const std::string& name);
  /// The run, if there is one. All states: the hull is not known, and one worker does the work of all.
  std::optional<Violation> find(std::uint64_t states, const std::vector<StepBlock>& blocks, const Sets& hull);

 private:
  void write_of(StateView state, std::uint64_t number, PieceWriter<std::uint32_t>& marks,
                PieceWriter<std::uint32_t>& facts);
  StateBits read(std::uint64_t states, const Sets& sets);
  StoredWords write(const StateBits& bits, const std::string& name);
  void require(std::size_t bytes) const { budget_.require(bytes); }

  PartitionWorker& worker_;
  transition_system::Acceptance acceptance_;
  const support::MemoryBudget budget_;
  transition_system::SuccessorBuffer successors_;
};

}  // namespace assay::search::partitioned
