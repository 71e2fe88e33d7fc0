// Checks the two conditions under which matching by a key is sound (Holzmann and Joshi 2004), on the whole graph:
// states with one key agree in all that is checked of them, and each can answer every step of the other by a step
// to a state with the same key. If a search that saw every state met no two that break them, the partition by keys
// is a bisimulation that properties respect.
//
// All states of a key are compared with the first one of it. That covers every pair: what is compared are sets
// (of the keys that steps lead to) and values, and equality of these is transitive.
#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "search/finding_log.hpp"
#include "search/observers/registry.hpp"
#include "support/hash.hpp"

namespace assay::search {
namespace {

using transition_system::StateView;
using Words = std::vector<std::uint64_t>;

struct HashOfWords {
  std::size_t operator()(const Words& words) const {
    return support::hash_words(words.data(), words.size(), 0);
  }
};

/// What the two states disagree in; the numbers are those of `assay.search.abstraction_check`.
enum class Difference : std::uint64_t { kNone, kAtoms, kProperty, kEnd, kStep, kViolation };

class AbstractionCheck final : public Observer {
 public:
  explicit AbstractionCheck(const transition_system::TransitionSystem& system)
      : system_(system), key_(std::size_t{system.max_words()} + 1) {}

  bool looks_at_states() const override { return true; }

  void expanded(const ExpandedState& state) override {
    const std::uint32_t number = class_of(state.words);
    Seen seen = look_at(state.words, *state.successors);
    Class& known = classes_[number];
    ++states_;
    if (known.members++ == 0) {
      known.first = std::move(seen);
      known.words.assign(state.words.begin(), state.words.end());
      return;
    }
    const Difference difference = compared(known.first, seen);
    if (difference == Difference::kNone && !known.is_broken) {
      pairs_ += known.members - 1;
      return;
    }
    broken_ += !std::exchange(known.is_broken, true);
    if (difference == Difference::kNone || difference_ != Difference::kNone) return;
    difference_ = difference;
    note(known, seen, state);
  }

  void ends(Result& result) override {
    result.observations["abstraction: keys"] = classes_.size();
    result.observations["abstraction: states"] = states_;
    result.observations["abstraction: pairs"] = pairs_;
    result.observations["abstraction: broken"] = broken_;
    result.observations["abstraction: difference"] = static_cast<std::uint64_t>(difference_);
    result.observations["abstraction: position"] = position_;
    result.records["abstraction: first"] = first_;
    result.records["abstraction: second"] = second_;
  }

 private:
  struct Step {
    std::uint32_t target;  // the class it leads to
    std::uint32_t position;
  };
  struct Seen {
    std::uint64_t labels = 0;
    std::uint32_t property = 0;             // that the state violates
    std::uint32_t end = 0;                  // 0: there are steps; 1: it may end here; 2: it may not
    std::vector<std::uint32_t> violations;  // of its steps, each once
    std::vector<Step> steps;                // by their targets, each once
  };
  struct Class {
    Seen first;
    Words words;
    std::uint64_t members = 0;
    bool is_broken = false;
  };

  std::uint32_t class_of(StateView state) {
    const std::uint32_t length = system_.match_key(state, key_.data());
    const auto [found, is_new] = numbers_.try_emplace(Words(key_.begin(), key_.begin() + length),
                                                      static_cast<std::uint32_t>(classes_.size()));
    if (is_new) classes_.emplace_back();
    return found->second;
  }

  Seen look_at(StateView state, const transition_system::SuccessorBuffer& successors) {
    Seen seen;
    seen.labels = system_.labels(state);
    seen.property = system_.check_state(state);
    if (successors.count() == 0) seen.end = system_.is_valid_end(state) ? 1 : 2;
    for (std::uint32_t i = 0; i < successors.count(); ++i) {
      const assay_successor& one = successors[i];
      if (one.violation != 0) seen.violations.push_back(one.violation);
      if (one.has_state == 0) continue;
      const StateView next = successors.state(one);
      if (const std::uint32_t code = system_.check_step(state, next)) seen.violations.push_back(code);
      seen.steps.push_back({class_of(next), i});
    }
    std::ranges::sort(seen.violations);
    seen.violations.erase(std::unique(seen.violations.begin(), seen.violations.end()), seen.violations.end());
    std::ranges::stable_sort(seen.steps, {}, &Step::target);
    const auto [begin, end] = std::ranges::unique(seen.steps, {}, &Step::target);
    seen.steps.erase(begin, end);
    return seen;
  }

  static Difference compared(const Seen& one, const Seen& other) {
    if (one.property != other.property) return Difference::kProperty;
    if (one.labels != other.labels) return Difference::kAtoms;
    if (one.violations != other.violations) return Difference::kViolation;
    if (one.end != other.end && one.end != 0 && other.end != 0) return Difference::kEnd;
    if (!std::ranges::equal(one.steps, other.steps, {}, &Step::target, &Step::target))
      return Difference::kStep;
    return Difference::kNone;
  }

  static std::string bytes_of(StateView words) {
    return {reinterpret_cast<const char*>(words.data()), words.size_bytes()};
  }

  /// The pair: of two states of which one has a step that the other cannot answer, that one first.
  void note(const Class& known, const Seen& seen, const ExpandedState& state) {
    first_ = bytes_of({known.words.data(), known.words.size()});
    second_ = bytes_of(state.words);
    if (difference_ != Difference::kStep) return;
    if (const Step* step = not_among(known.first.steps, seen.steps)) {
      position_ = step->position;
    } else {
      position_ = not_among(seen.steps, known.first.steps)->position;
      std::swap(first_, second_);
    }
  }
  static const Step* not_among(const std::vector<Step>& steps, const std::vector<Step>& others) {
    for (const Step& step : steps) {
      if (!std::ranges::binary_search(others, step.target, {}, &Step::target)) return &step;
    }
    return nullptr;
  }

  const transition_system::TransitionSystem& system_;
  Words key_;
  std::unordered_map<Words, std::uint32_t, HashOfWords> numbers_;
  std::vector<Class> classes_;
  std::uint64_t states_ = 0, pairs_ = 0, broken_ = 0, position_ = 0;
  Difference difference_ = Difference::kNone;
  std::string first_, second_;
};

const RegisteredObserver registered("abstraction", [](const transition_system::TransitionSystem& system) {
  return std::unique_ptr<Observer>(new AbstractionCheck(system));
});

}  // namespace
}  // namespace assay::search
