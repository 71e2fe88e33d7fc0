#include "evidence/walk.hpp"

#include "evidence/native_walk.hpp"
#include "evidence/walk_for.hpp"

namespace assay::evidence {

std::unique_ptr<Walk> Walk::make(const TransitionSystem& system, const WalkOptions& options) {
  if (!options.portable && has_native_walk()) return make_native_walk(system, options);
  return make_walk<support::PortableElement>(system, options);
}

}  // namespace assay::evidence
