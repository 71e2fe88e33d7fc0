/// A walk with the processor's own carry-less multiplication.
#pragma once

#include <memory>

#include "evidence/walk.hpp"

namespace assay::evidence {

/// Whether this engine was built with one and runs on a processor that has the instruction.
bool has_native_walk();
std::unique_ptr<Walk> make_native_walk(const transition_system::TransitionSystem& system,
                                       const WalkOptions& options);

}  // namespace assay::evidence
