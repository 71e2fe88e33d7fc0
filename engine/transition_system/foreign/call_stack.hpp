/// The stack on which foreign code runs, always at the same address.
///
/// What a call leaves below the stack pointer is a place where a value can live on: a function that reads a variable
/// before it has set it, or through a pointer to one that is gone, finds what an earlier call has left there, and
/// which call was the earlier one is up to the search. So a call finds nothing but zeros: its part next to the
/// top is cleared after each call; pages below that are out of reach until they are touched, and are cleared then.
#pragma once

namespace assay::transition_system::foreign::call_stack {

/// Before anything else is asked. Throws if the addresses are in use.
void map();

/// Where the first call of all pushes its return address.
void* top();

/// Before a call. Without it what earlier calls have left is there, and the operating system may write everywhere.
void prepare(bool is_empty);

/// A page of the stack that is out of reach was touched: puts it within reach. From a signal handler.
bool reach(const void* address);

/// The call went deeper than there is room.
bool is_below(const void* address);

/// After a call, however it ended: what it has left is gone.
void clear();

}  // namespace assay::transition_system::foreign::call_stack
