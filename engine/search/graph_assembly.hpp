/// From what a finished search left on disk to the log of its graph.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "evidence/graph_log.hpp"
#include "storage/edge_log.hpp"
#include "storage/level_reader.hpp"
#include "storage/sorted_run.hpp"

namespace assay::search {

/// A finished search: its states level by level in the order of their
/// discovery, and for each of them the marks of its successors.
struct SearchedLevels {
  const storage::DiskFile& file;
  const storage::Layouts& layouts;
  const storage::EdgeLog& edges;
  std::uint64_t levels;
  std::uint64_t states;
  std::function<storage::Level(std::uint64_t)> level;
};

/// Gives the marks the numbers of their states and writes the log that the
/// breadth-first search in memory writes, word for word. Numbers are looked up
/// in `memory`; if not all states fit, marks are first sorted into parts that
/// do, on disk. False: `should_stop` said so.
bool assemble_graph(const SearchedLevels& searched, std::span<std::uint64_t> memory, std::size_t io_bytes,
                    const std::function<bool()>& should_stop, evidence::GraphLog& log);

}  // namespace assay::search
