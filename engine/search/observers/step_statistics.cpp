// Counts what a search meets: steps per state, and how many of them lead to something new.
#include <algorithm>

#include "search/observers/registry.hpp"

namespace assay::search {
namespace {

class StepStatistics final : public Observer {
 public:
  void expanded(const ExpandedState& state) override {
    ++expanded_;
    steps_ += state.degree;
    most_ = std::max(most_, std::uint64_t{state.degree});
    ends_ += state.degree == 0;
  }
  void edge(const Edge& edge) override { discoveries_ += edge.is_new; }
  void ends(Result& result) override {
    result.observations["states expanded"] = expanded_;
    result.observations["steps"] = steps_;
    result.observations["most steps of a state"] = most_;
    result.observations["states without steps"] = ends_;
    result.observations["steps that discovered a state"] = discoveries_;
  }

 private:
  std::uint64_t expanded_ = 0, steps_ = 0, most_ = 0, ends_ = 0, discoveries_ = 0;
};

const RegisteredObserver registered("steps", [](const transition_system::TransitionSystem&) {
  return std::unique_ptr<Observer>(new StepStatistics);
});

}  // namespace
}  // namespace assay::search
