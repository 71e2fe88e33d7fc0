/// Observers that can be asked for by name (the option `observe`), one file each.
#pragma once

#include <memory>

#include "search/observer.hpp"

namespace assay::search {

using MakeObserver = std::unique_ptr<Observer> (*)(const transition_system::TransitionSystem&);

/// What an observer has to be told.
enum class Listens {
  kToEvents,  // by a search that `tells`
  kToVisits,  // which states are looked at: by any search on one thread in memory
};

struct RegisteredObserver {
  RegisteredObserver(const char* name, MakeObserver make, Listens listens = Listens::kToEvents);
};

}  // namespace assay::search
