/// Makes processes harmless that have to do with a stranger's code: those that execute it, and compilers of it.
#pragma once

#include <string>
#include <vector>

namespace assay::transition_system::foreign {

/// For good. What this process does afterwards are calls of the system that computing needs, and no others; it opens
/// nothing for writing, and nothing at all but files under `readable` (landlock); it starts no program and no process, and
/// takes no more memory than the machine has. Throws std::runtime_error with a sentence if the system cannot promise that.
void confine(const std::vector<std::string>& readable);

/// For good, between fork and exec: the program may read and execute files under `readable`, read and write those under
/// `writable`, and starts others that may do as much; there is no network, and limits on time, memory and files.
/// False: the system cannot promise that, and errno tells why.
bool confine_compiler(const std::vector<std::string>& readable, const std::vector<std::string>& writable);

}  // namespace assay::transition_system::foreign
