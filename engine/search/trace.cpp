#include "search/trace.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "transition_system/successor_buffer.hpp"

namespace assay::search {

std::vector<Violation> trace_back(const transition_system::TransitionSystem& system,
                                  const storage::ExactStateStore& store,
                                  const std::vector<std::uint32_t>& level_starts,
                                  const std::vector<Finding>& findings) {
  std::vector<Violation> violations;
  auto target = store.make_cursor();
  auto candidate = store.make_cursor();
  transition_system::SuccessorBuffer buffer;
  for (const Finding& finding : findings) {
    Violation violation{finding.code, {}};
    if (finding.position != Finding::kAtState) violation.path.push_back(finding.position);
    std::uint32_t state = finding.state;
    for (std::uint32_t depth = finding.depth; depth > 0; --depth) {
      store.read(state, target);
      const std::uint32_t begin = level_starts[depth - 1], end = level_starts[depth];
      bool found = false;
      for (std::uint32_t id = begin; id < end && !found; ++id) {
        store.read(id, candidate);
        system.successors(candidate.words.data(), candidate.length, buffer.cleared());
        for (std::uint32_t i = 0; i < buffer.count() && !found; ++i) {
          const assay_successor& successor = buffer[i];
          if (successor.has_state == 0 || successor.word_count != target.length) continue;
          if (!std::equal(target.words.data(), target.words.data() + target.length, buffer.words(successor))) continue;
          violation.path.push_back(i);
          state = id;
          found = true;
        }
      }
      if (!found) {
        throw std::runtime_error("a state has no predecessor one level up: the model's successors do not depend "
                                 "on the state alone");
      }
    }
    std::reverse(violation.path.begin(), violation.path.end());
    violations.push_back(std::move(violation));
  }
  return violations;
}

}  // namespace assay::search
