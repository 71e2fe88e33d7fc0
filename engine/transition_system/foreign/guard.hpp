/// Calls code that may crash, never end or ask for the end of the process, and comes back.
#pragma once

#include <cstdint>

namespace assay::transition_system::foreign {

/// How long one call may take, of the processor's time.
inline constexpr std::uint32_t kMostSeconds = 10;

/// No fault of model_abi.h: the code has changed how the processor rounds numbers, which is no part of the state.
inline constexpr std::uint32_t kFaultOfRounding = 0xFFFFFFFF;

struct Called {
  std::uint32_t fault;  // of assay_fault
  std::int32_t answer;
};

/// Calls the function on a stack of its own, always at the same address. A signal of the processor, a call of
/// `leave` and a call that takes too long end it. What it holds of its memory is to be put back by the caller.
/// `leaves_nothing`: what it left on the stack is gone afterwards.
Called guarded(int (*function)(), bool leaves_nothing);

/// Asks it for an address in the same way; nullptr if that fails, or if it is that of a part of what is not there.
void* guarded_address(void* (*function)());

/// Who is asked whether a write to protected memory may be tried again.
void allow_writes(bool (*may_write)(const void* address));

/// Ends the call that is under way, from inside.
[[noreturn]] void leave(std::uint32_t fault);

}  // namespace assay::transition_system::foreign
