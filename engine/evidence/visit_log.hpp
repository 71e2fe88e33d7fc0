/// What a search that forgets states walked through, and the graph in it.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "evidence/graph_log.hpp"
#include "support/scratch_file.hpp"

namespace assay::evidence {

/// A state as whoever forgets states can still recognise it. Two states with
/// one fingerprint would make a certificate that is refused, never one that
/// proves too much: the certifier does not know fingerprints.
struct VisitMark {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  static VisitMark of(const std::uint64_t* words, std::size_t count);
  friend bool operator==(const VisitMark&, const VisitMark&) = default;
};

/// Takes down each visit of a depth-first search: the state and its successors,
/// on disk. A state that is visited again is written again; `write_graph` takes
/// the repetitions out (Algorithm 4.2 of the thesis) and gives the states
/// numbers (thesis 4.2.5).
///
/// A state is explored again only after it was fully explored, and then all
/// that lies below it has been visited too. So the visits that are the first of
/// their states are those of a search without a cache, in its order, and what
/// comes between them can be left out.
class VisitLog {
 public:
  explicit VisitLog(const std::string& directory);

  void visit(const VisitMark& state, std::span<const VisitMark> successors);

  /// Writes the graph of a finished search and finishes the log. Looks states
  /// up in a table of about `states_at_once`, in as many passes over the files
  /// as that takes; keeps two bits for each visit besides, and the successors
  /// of the path. False: `should_stop` said so.
  bool write_graph(GraphLog& log, std::uint64_t states_at_once, const std::function<bool()>& should_stop);

  std::uint64_t bytes() const { return states_.bytes() + lists_.bytes(); }

 private:
  std::uint64_t estimated_states() const;

  support::ScratchFile states_;  // the fingerprint of each visit
  support::ScratchFile lists_;   // for each visit the number of its successors, and their fingerprints
  support::ScratchFile graph_;   // for each first visit that number, and theirs
  std::uint64_t visits_ = 0;
  std::vector<std::uint64_t> sketch_;  // bits that fingerprints have met, for an estimate
  std::uint64_t bits_met_ = 0;
};

}  // namespace assay::evidence
