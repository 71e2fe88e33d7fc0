/// From violations that a search on disk met to the paths that lead to them.
#pragma once

#include <vector>

#include "search/spilling/spilled_search.hpp"

namespace assay::search::spilling {

/// Follows all findings back level by level: a level is expanded at most once.
std::vector<Violation> trace_back(SpilledSearch& search);

}  // namespace assay::search::spilling
