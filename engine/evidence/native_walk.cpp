#include "evidence/native_walk.hpp"

#include <stdexcept>

// Compiled with -mpclmul where the compiler knows it. That allows an instruction
// which the compiler never uses by itself, so that what this file shares with
// others runs on processors without it.
#ifdef __PCLMUL__
#include "evidence/walk_for.hpp"

namespace assay::evidence {

bool has_native_walk() {
  __builtin_cpu_init();
  return __builtin_cpu_supports("pclmul");
}

std::unique_ptr<Walk> make_native_walk(const TransitionSystem& system, const WalkOptions& options) {
  return make_walk<support::NativeElement>(system, options);
}

}  // namespace assay::evidence
#else
namespace assay::evidence {

bool has_native_walk() { return false; }

std::unique_ptr<Walk> make_native_walk(const transition_system::TransitionSystem&, const WalkOptions&) {
  throw std::logic_error("this engine has no native walk");
}

}  // namespace assay::evidence
#endif
