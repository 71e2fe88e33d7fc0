// A sketch of all states that a search looked at (HyperLogLog), by a hash of what they are made of: sketches of
// several searches, wherever they ran, can be merged. `assay.evidence.sketch` has the estimate.
#include <algorithm>
#include <bit>
#include <string>

#include "search/observers/registry.hpp"

namespace assay::search {
namespace {

constexpr unsigned kIndexBits = 14;

class StateSketch final : public Observer {
 public:
  explicit StateSketch(const transition_system::TransitionSystem& system)
      : system_(system), registers_(std::size_t{1} << kIndexBits, '\0') {}

  bool sees_visits() const override { return true; }
  void visited(transition_system::StateView state) override {
    const std::uint64_t hash = system_.content_hash(state);
    const std::uint64_t rest = hash << kIndexBits | std::uint64_t{1} << (kIndexBits - 1);
    char& known = registers_[hash >> (64 - kIndexBits)];
    known = std::max(known, static_cast<char>(std::countl_zero(rest) + 1));
  }
  void ends(Result& result) override { result.records["sketch"] = registers_; }

 private:
  const transition_system::TransitionSystem& system_;
  std::string registers_;
};

const RegisteredObserver registered(
    "sketch",
    [](const transition_system::TransitionSystem& system) {
      return std::unique_ptr<Observer>(new StateSketch(system));
    },
    Listens::kToVisits);

}  // namespace
}  // namespace assay::search
