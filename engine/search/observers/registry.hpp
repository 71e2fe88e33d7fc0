/// Observers that can be asked for by name (the option `observe`), one file each.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "search/observer.hpp"

namespace assay::search {

using MakeObserver = std::unique_ptr<Observer> (*)();

struct RegisteredObserver {
  RegisteredObserver(const char* name, MakeObserver make);
};
const std::vector<std::pair<std::string, MakeObserver>>& observers_by_name();

}  // namespace assay::search
