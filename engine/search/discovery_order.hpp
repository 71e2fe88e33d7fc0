/// The states of a level in the order in which a search in memory comes by them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "storage/edge_log.hpp"
#include "storage/sorted_run.hpp"

namespace assay::search {

/// A level that was found by merging, and what led to it.
struct NewLevel {
  const storage::Layouts& layouts;
  const storage::SortedRun& states;  // of the present layout
  const storage::EdgeLog& edges;
  std::uint64_t first_edge;  // of the level before; the log ends with its last
};

/// Copies the states to `out` by their first occurrence in the log. What does
/// not fit `memory` at once takes one pass over the log for each part that
/// does; `io_bytes` is for reading. False: `should_stop` said so.
bool write_in_order_of_discovery(const NewLevel& level, std::span<std::uint64_t> memory, std::size_t io_bytes,
                                 const std::string& scratch_directory,
                                 const std::function<bool()>& should_stop, storage::RunWriter& out);

}  // namespace assay::search
