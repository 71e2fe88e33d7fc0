#include "search/trace.hpp"

#include <new>

#include "search/way_back.hpp"
#include "transition_system/successor_buffer.hpp"

namespace assay::search {

std::vector<Violation> trace_back(const transition_system::TransitionSystem& system,
                                  const storage::ExactStateStore& store,
                                  const std::vector<std::uint32_t>& level_starts,
                                  const std::vector<Finding>& findings) {
  // A violation without a path must not be reported, nor silently dropped.
  if (!findings.empty() && !store.is_readable()) throw std::bad_alloc();
  auto cursor = store.make_cursor();
  std::vector<Found> found;
  for (const Finding& finding : findings) {
    store.read(storage::StateId{finding.state}, cursor);
    const auto words = cursor.view();
    found.push_back({finding.code, finding.position, finding.depth, {words.begin(), words.end()}});
  }
  transition_system::SuccessorBuffer buffer;
  WayBack way(std::move(found));
  return way.follow([&](std::uint64_t depth) {
    for (std::uint32_t id = level_starts[depth]; id < level_starts[depth + 1] && way.wants_more(); ++id) {
      store.read(storage::StateId{id}, cursor);
      system.successors(cursor.view(), buffer.cleared());
      for (std::uint32_t i = 0; i < buffer.count(); ++i) {
        const assay_successor& successor = buffer[i];
        if (successor.has_state == 0) continue;
        way.show(cursor.view(), transition_system::Position{i}, buffer.state(successor));
      }
    }
  });
}

}  // namespace assay::search
