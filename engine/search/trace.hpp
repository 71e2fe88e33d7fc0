/// Paths out of a breadth-first store that kept no parents.
#pragma once

#include <vector>

#include "search/finding_log.hpp"
#include "search/result.hpp"
#include "storage/exact_state_store.hpp"
#include "transition_system/transition_system.hpp"

namespace assay::search {

/// Turns findings into violations. `level_starts[d]` is the id of the first
/// state at depth d; each step back expands the level before anew until a
/// predecessor turns up, so counterexamples cost no memory during the search.
std::vector<Violation> trace_back(const transition_system::TransitionSystem& system,
                                  const storage::ExactStateStore& store,
                                  const std::vector<std::uint32_t>& level_starts,
                                  const std::vector<Finding>& findings);

}  // namespace assay::search
