#include "search/replacement/policy.hpp"

#include "search/replacement/at_random.hpp"
#include "search/replacement/by_age.hpp"
#include "search/replacement/by_component_cost.hpp"
#include "search/replacement/by_cost.hpp"
#include "search/replacement/by_depth.hpp"
#include "search/replacement/by_hits.hpp"
#include "search/replacement/by_rung.hpp"
#include "search/replacement/stratified.hpp"

namespace assay::search::replacement {

std::unique_ptr<Policy> make_policy(const std::string& name, std::uint64_t seed, std::uint32_t strata) {
  if (name == "rungs") return std::make_unique<ByRung>();
  if (name == "cost") return std::make_unique<ByCost>(seed);
  if (name == "cost-exact") return std::make_unique<ByComponentCost>(seed);
  if (name == "random") return std::make_unique<AtRandom>(seed);
  if (name == "age") return std::make_unique<ByAge>();
  if (name == "hits-fewest") return std::make_unique<ByHits>(ByHits::First::kFewest, seed);
  if (name == "hits-most") return std::make_unique<ByHits>(ByHits::First::kMost, seed);
  if (name == "depth") return std::make_unique<ByDepth>(seed);
  if (name == "stratified") return std::make_unique<Stratified>(strata, seed);
  return nullptr;
}

}  // namespace assay::search::replacement
