/// The breadth-first search on disk, for whoever goes on with the graph that it leaves.
#pragma once

#include <functional>

#include "search/spilling/spilled_search.hpp"

namespace assay::search::spilling {

/// Runs the search. If the task has a log for the graph and the search comes to its end, `when_logged` is told
/// before the states on disk are given up, whatever violations were met.
void breadth_first_on_disk(const Task& task, Result& result,
                           const std::function<void(SpilledSearch&)>& when_logged = {});

}  // namespace assay::search::spilling
