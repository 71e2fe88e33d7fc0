/// From the log of a finished search to the frames of a certificate.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "evidence/graph_log.hpp"
#include "evidence/ranked_graph.hpp"
#include "support/memory.hpp"

namespace assay::evidence {

/// The sections of one frame, not yet compressed (docs/formats/certificate.md).
struct FrameSections {
  std::uint32_t states = 0;
  std::uint32_t entries = 0;
  std::uint32_t references = 0;
  std::string start;
  std::string bits;
  std::string ids;
  std::string counts;
  std::string subgraphs;  // of a script without ranks, if asked for
  std::string excesses;   // of a script with ranks
  std::string moves;      // of a script without ranks and subgraphs, if asked for
};

/// What the whole script has; known before the first frame is written.
struct ScriptFacts {
  std::uint64_t states = 0;
  std::uint64_t transitions = 0;
  std::uint64_t depth = 0;  // of the tree
};

/// Numbers the states in preorder and writes frames one after another. Keeps
/// two 32-bit numbers per state (with `subgraphs` 64 bits more) and one frame;
/// the transitions stay on disk. If there is no memory for that, what is known
/// about states is first put beside their transitions (numbered_log).
/// A breadth-first log is read by one cursor per level, each of which only
/// moves forward: within a level, preorder is the order of discovery.
class ScriptWriter {
 public:
  /// Reads the log: throws std::runtime_error if it is not a whole graph.
  /// `memory_bytes` is what the writer may take; 0: as much as it needs.
  ScriptWriter(const GraphLog& log, bool subgraphs, std::size_t memory_bytes = 0, bool moves = false);
  /// With the ranks of the same breadth-first search.
  ScriptWriter(const GraphLog& log, const RankedGraph& ranks);

  const ScriptFacts& facts() const { return facts_; }

  /// Hands over `frames` frames in order; `take` answers whether to go on.
  /// False: it was told to stop.
  bool write(std::uint32_t frames, const std::function<bool(const FrameSections&)>& take);

 private:
  void survey_breadth_first();
  void survey_depth_first();

  const GraphLog& log_;
  const RankedGraph* ranks_ = nullptr;
  const bool with_subgraphs_, with_moves_;
  const std::size_t memory_bytes_;
  std::unique_ptr<GraphLog> numbered_;  // if the arrays below would be too large
  ScriptFacts facts_;
  support::Pages numbers_;     // preorder number of each id; breadth first only
  support::Pages references_;  // how often each id is the target of a reference
  support::Pages regions_;     // entries in the subtree of each id, if asked for
};

/// How many frames a script of that many entries should have: a multiple of
/// 100 unless it is tiny, so that 10, 50 or 100 tasks get equal shares.
std::uint32_t frames_for(std::uint64_t transitions);

}  // namespace assay::evidence
