/// A log that is ready to be written as a script, made on disk.
#pragma once

#include <cstddef>
#include <memory>

#include "evidence/graph_log.hpp"

namespace assay::evidence {

/// Rewrites a log for a writer that keeps nothing about states in memory. After
/// the number of its successors a state has how often it is referred to and,
/// with `subgraphs`, the entries of its subtree (low half, high half); its
/// references name preorder numbers. `depth` becomes that of the tree.
///
/// Children of a state have consecutive ids, in the order of their parents: so
/// sizes of subtrees come from one pass backwards over all states and preorder
/// numbers from one forwards. References are sorted into ranges of ids whose
/// numbers fit the memory; within a range they keep their order, so that one
/// more pass over the log puts them back.
std::unique_ptr<GraphLog> number_on_disk(const GraphLog& log, bool subgraphs, std::size_t memory_bytes,
                                         std::uint64_t& depth);

}  // namespace assay::evidence
