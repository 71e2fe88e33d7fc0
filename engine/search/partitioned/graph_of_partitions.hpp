/// From what a finished search in partitions left to the log of its graph.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "evidence/graph_log.hpp"
#include "search/partitioned/word_pieces.hpp"

namespace assay::search::partitioned {

/// What each partition has of each level, and its steps.
struct PartitionedGraph {
  struct Level {
    std::uint64_t states = 0;                     // of all partitions
    std::vector<std::vector<StoredWords>> ranks;  // of each partition
    std::vector<std::vector<StoredWords>> edges;  // of each partition
  };
  std::vector<Level> levels;
  std::vector<std::uint32_t> stream_of;           // of each partition, who gave its states numbers
  std::vector<std::vector<StoredWords>> numbers;  // of each stream: for each partition, of the steps
                                                  // that lead from it to states of the stream
  std::uint64_t states = 0;
};

/// Writes the log that the breadth-first search in memory writes, word for word. Numbers of states follow from their
/// ranks; those that steps lead to were looked up before, by whoever has the states (`PartitionWorker::number_edges`).
void write_graph(const PartitionedGraph& graph, const std::string& directory, evidence::GraphLog& log);

}  // namespace assay::search::partitioned
