/// Observers that can be asked for by name (the option `observe`), one file each.
#pragma once

#include <memory>

#include "search/observer.hpp"

namespace assay::search {

using MakeObserver = std::unique_ptr<Observer> (*)();

struct RegisteredObserver {
  RegisteredObserver(const char* name, MakeObserver make);
};

}  // namespace assay::search
