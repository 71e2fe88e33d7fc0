#include <stdexcept>
#include "search/strategies.hpp"
namespace assay::search {
void bitstate_depth_first(const Task&, Result&) { throw std::invalid_argument("bitstate_depth_first is being written"); }
}
