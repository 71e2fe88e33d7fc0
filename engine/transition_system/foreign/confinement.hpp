/// What a process that executes a stranger's code may no longer do.
#pragma once

namespace assay::transition_system::foreign {

/// From now on this process and whatever it starts cannot reach a network, start programs or processes, change files,
/// or look into other processes; with `reads_nothing` it opens no file at all. What it has open stays open. There is
/// no way back. Throws std::runtime_error if the system cannot promise it.
void confine(bool reads_nothing);

}  // namespace assay::transition_system::foreign
