#include <stdexcept>
#include "search/strategies.hpp"
namespace assay::search {
void fingerprint_breadth_first(const Task&, Result&) { throw std::invalid_argument("fingerprint_breadth_first is being written"); }
}
