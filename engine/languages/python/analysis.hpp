/// What can be known about code before it runs.
#pragma once

#include "languages/python/code.hpp"

namespace assay::languages::python {

/// Fills `live_at`, `final_cells` and `is_made_once` of all codes.
void analyse(Program& program);

}  // namespace assay::languages::python
