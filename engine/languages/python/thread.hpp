/// A thread of the program while it runs: plain data, which the heap writes down and reads back.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "languages/python/code.hpp"
#include "languages/python/ref.hpp"

namespace assay::languages::python {

/// What becomes of the value that a frame returns.
enum class Return : std::uint8_t {
  kPush,      // onto the caller's stack
  kDiscard,   // nothing is pushed (the body of an imported module)
  kInstance,  // `extra` is pushed instead (the instance whose __init__ this was); it must return None
  kClass,  // make the class from `names` and `extra` = (name, bases, keywords or None, metaclass, bases as written)
  kTruth,      // of a __bool__ (`extra` null) or __len__: the caller's test at its pc is decided by it
  kNext,       // a __next__ called by FOR_ITER; StopIteration, or `extra`, ends the loop
  kFinish,     // the bottom frame: the thread ends
  kNested,     // returns to C++ (a built-in called the program)
  kConvert,    // `extra` is the number of a Conversion (interpreter.hpp) that the value goes through
  kOperator,   // `extra` = (operator, left, right, attempt): NotImplemented leads to the next attempt
  kYieldFrom,  // what it yields is yielded by the caller too, whose YIELD_FROM its end completes
  kCatch,      // `extra` = (exception class, value instead[, value if none was raised])
  kClose,      // a generator being closed; then `extra` is raised in the caller, or None pushed
};

/// Below the top frame, `pc` is behind the instruction that called, except where a kTruth or kYieldFrom comes back to
/// that instruction.
struct Frame {
  const Code* code = nullptr;
  std::uint32_t pc = 0;  // of the instruction to run next
  Return on_return = Return::kPush;
  bool in_atomic = false;   // this frame's code is atomic, and it holds one count of Thread::atomic
  std::vector<Ref> locals;  // null: unbound
  std::vector<Ref> cells;   // PyCell, own cells then free ones
  std::vector<Ref> stack;
  Ref names;      // dict, of a class body
  Ref handled;    // the exception that this frame is handling, null: none
  Ref generator;  // the Generator that this frame belongs to, null: none
  Ref extra;      // see Return
};

struct Thread {
  std::vector<std::unique_ptr<Frame>> frames;  // the last one runs
  Ref identity;                                // what `_assay.current()` answers; may be null
  std::uint32_t atomic = 0;                    // nesting of atomic stretches
  bool daemon = false;
  std::uint32_t label = 0;  // it stands at the watched label of this number, less one; 0: at none
  bool goes_on = false;     // the step ended for a formula to look; nobody else moves before this thread
};

/// All of a thread but its frames and its identity, as one number below 2^56.
constexpr int kLabelShift = 33, kGoesOnShift = 52;
constexpr std::uint32_t kMostLabels = (1u << (kGoesOnShift - kLabelShift)) - 1;
inline std::uint64_t thread_flags(const Thread& thread) {
  return (thread.daemon ? 1u : 0u) | (std::uint64_t{thread.atomic} << 1) |
         (std::uint64_t{thread.label} << kLabelShift) | (std::uint64_t{thread.goes_on} << kGoesOnShift);
}
inline void set_thread_flags(Thread& thread, std::uint64_t flags) {
  thread.daemon = (flags & 1) != 0;
  thread.atomic = static_cast<std::uint32_t>(flags >> 1);
  thread.label = static_cast<std::uint32_t>(flags >> kLabelShift) & kMostLabels;
  thread.goes_on = (flags >> kGoesOnShift & 1) != 0;
}

}  // namespace assay::languages::python
