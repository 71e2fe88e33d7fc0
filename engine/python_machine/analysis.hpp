/// What can be known about code before it runs.
#pragma once

#include "python_machine/code.hpp"

namespace assay::python_machine {

/// Fills `live_at`, `final_cells` and `is_made_once` of all codes.
void analyse(Program& program);

}  // namespace assay::python_machine
