/// A run that never ends, out of a component that accepts it.
#pragma once

#include <functional>

#include "search/result.hpp"
#include "storage/exact_state_store.hpp"
#include "transition_system/acceptance.hpp"

namespace assay::search {

using transition_system::Acceptance;

/// A shortest path from the initial state into the component, and from there a
/// cycle inside of it that meets every acceptance set: again and again a
/// shortest path to a step of a set that is still missing, and then back. The
/// store holds the component and a path to it; states that it does not hold are not looked at.
/// `should_stop` is asked now and then; empty if it said so.
Violation make_lasso(const transition_system::TransitionSystem& system, storage::ExactStateStore& store,
                     Acceptance& acceptance, const std::function<bool(storage::StateId)>& is_in_component,
                     const std::function<bool()>& should_stop);

}  // namespace assay::search
