/// Cutting a script into regions of its tree, as the thesis does (Algorithm 3.2).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "evidence/numbering.hpp"
#include "evidence/open_path.hpp"
#include "evidence/script_writer.hpp"
#include "evidence/varint_reader.hpp"

namespace assay::evidence {

/// A subtree without the regions that were cut out of it before.
struct Region {
  std::uint32_t root = 0;
  std::uint32_t end = 0;            // of the interval of the whole subtree
  std::vector<Interval> cut;        // the subtrees cut out of it, in order
  std::uint64_t transitions = 0;    // entries of its states
  std::vector<std::uint32_t> path;  // positions of the entries that lead from the initial state to the root
};

/// The whole script of a certificate in memory, 28 bytes for each state and 4
/// for each entry, cut into regions by the producer's list Subgraphs. Of the
/// list only what the greedy choice rests on is checked: a wrong one makes the
/// partition fail or be uneven (Theorem 3.2.4), and the regions are disjoint
/// and cover the script in any case.
class Subgraphs {
 public:
  /// For a script of that size. `trusted`: numbers of references and their
  /// counts are neither read nor written. Throws MemoryRefused, here and below,
  /// when the limit (0: none) leaves no room.
  Subgraphs(std::uint64_t states, std::uint64_t entries, bool trusted, std::uint64_t memory_limit_bytes);

  /// Takes the next frame of the certificate. Throws Rejected if it is malformed.
  void read(const FrameSections& frame);

  /// Algorithm 3.2, after the last frame. Of subtrees equally close the one with
  /// the lowest number is taken; the last region has its root in the initial state;
  /// there are fewer regions when no other state is left. `before_each` is called
  /// for every region. Throws Rejected if the frames are no whole tree or the list does not fit.
  const std::vector<Region>& partition(std::uint32_t regions, const std::function<void()>& before_each);

  /// The script of a region: frames to walk through one after another from the
  /// region's root on, with the region's `cut` as holes. An entry that leads to the root
  /// of another region refers to it, and each root counts that reference.
  std::vector<FrameSections> script(std::size_t region) const;

 private:
  void require_memory() const;
  void require_whole() const;
  void find_ends();
  std::uint32_t closest(const std::vector<std::int64_t>& sizes, std::uint64_t left,
                        std::uint32_t shares) const;
  Region region_of(std::uint32_t root, const std::map<std::uint32_t, std::uint32_t>& extracted,
                   std::vector<std::uint32_t>& ancestors) const;
  std::uint64_t read_reference(VarintReader& ids, std::uint64_t number, std::uint32_t k,
                               std::uint64_t predicted) const;

  const std::uint64_t states_;
  const std::uint64_t entries_;
  const bool trusted_;
  const std::uint64_t memory_limit_bytes_;
  OpenPath path_;                               // while frames are read
  bool expects_state_ = true;                   // some entry leads to the next state
  std::uint64_t references_ = 0, counted_ = 0;  // entries that refer, and the sum of all counts
  std::vector<std::uint32_t> first_entry_;      // of each state, and of nobody after the last
  std::vector<std::uint32_t> targets_;          // of each entry; kTree
  std::vector<std::uint32_t> counts_;
  std::vector<std::int64_t> listed_;  // the list Subgraphs
  std::vector<std::uint32_t> ends_;   // the subtree of state i has the numbers from i to ends_[i] - 1
  std::vector<Region> regions_;
};

}  // namespace assay::evidence
