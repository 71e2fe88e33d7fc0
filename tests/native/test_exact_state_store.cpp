#include <map>

#include "check.hpp"
#include "storage/exact_state_store.hpp"

namespace assay::native_tests {
namespace {

using storage::ExactStateStore;
using storage::Sharing;
using storage::StateId;
using State = std::vector<std::uint64_t>;

/// A store beside a map that says what it has to answer.
class Watched {
 public:
  Watched(std::uint32_t max_words, const State& first)
      : store_(max_words, budget_), cursor_(store_.make_cursor()), workspace_(store_.make_workspace()) {
    store_.add_first(first.data(), static_cast<std::uint32_t>(first.size()));
    add_known(first);
  }
  std::uint32_t size() const { return store_.size(); }
  ExactStateStore& store() { return store_; }
  const State& state(std::uint32_t id) const { return states_[id]; }

  /// Stores `next` as a successor of the state with this number.
  template <Sharing sharing = Sharing::kPrivate>
  void add(std::uint32_t parent, const State& next) {
    store_.read(StateId{parent}, cursor_);
    check(State(cursor_.view().begin(), cursor_.view().end()) == states_[parent]);
    std::uint64_t key = 0;
    while (!store_.encode<sharing>(cursor_, next.data(), static_cast<std::uint32_t>(next.size()), workspace_,
                                   key)) {
      store_.maintain(workspace_);
      if (sharing == Sharing::kShared) store_.prepare_sharing();
      store_.read(StateId{parent}, cursor_);
    }
    const std::uint32_t id = store_.keys().find_or_add<Sharing::kPrivate>(key);
    const auto known = ids_.find(next);
    check_equal(id, known == ids_.end() ? states_.size() : known->second);
    if (known == ids_.end()) add_known(next);
  }
  /// Every state is still what it was, whatever happened to the layout since.
  void compare() {
    check_equal(store_.size(), states_.size());
    auto fresh = store_.make_cursor();
    for (std::uint32_t id = 0; id < states_.size(); ++id) {
      store_.read(StateId{id}, fresh);
      check(State(fresh.view().begin(), fresh.view().end()) == states_[id]);
    }
  }

 private:
  void add_known(const State& state) {
    ids_.emplace(state, static_cast<std::uint32_t>(states_.size()));
    states_.push_back(state);
  }

  support::MemoryBudget budget_;
  ExactStateStore store_;
  ExactStateStore::Cursor cursor_;
  ExactStateStore::Workspace workspace_;
  std::vector<State> states_;
  std::map<State, std::uint32_t> ids_;
};

/// A state like another: some words differ, perhaps the length.
State changed(const State& state, std::uint32_t max_words, std::uint64_t values, Random& random) {
  State next = state;
  for (std::uint64_t left = random.below(4); left > 0 && !next.empty(); --left) {
    next[random.below(next.size())] = random.one_in(20) ? random.striking() : random.below(values);
  }
  if (random.one_in(5)) {
    const std::size_t length = random.below(std::uint64_t{max_words} + 1);
    while (next.size() > length) next.pop_back();
    while (next.size() < length) next.push_back(random.below(values));
  }
  return next;
}

TEST("two states share a number in the exact store exactly when they are equal") {
  struct Shape {
    std::uint32_t max_words, first_length;
    std::uint64_t values;
    int steps;
  };
  // One word; a block of eight and its neighbours; many groups; words that take nearly all values.
  for (const Shape shape : {Shape{1, 1, 1000, 3000}, Shape{1, 0, 2, 50}, Shape{2, 2, 70'000, 4000},
                            Shape{7, 7, 9, 4000}, Shape{8, 8, 100, 4000}, Shape{9, 3, 300, 4000},
                            Shape{40, 20, 50, 6000}, Shape{150, 150, 4000, 4000}}) {
    Random random(shape.max_words * 31 + shape.values);
    Watched watched(shape.max_words, State(shape.first_length, 5));
    for (int i = 0; i < shape.steps; ++i) {
      const auto parent = static_cast<std::uint32_t>(random.below(watched.size()));
      watched.add(parent, changed(watched.state(parent), shape.max_words, shape.values, random));
    }
    watched.compare();
  }
}

TEST("a shared exact store answers as a private one does") {
  Random random(17);
  Watched watched(12, State(6, 0));
  watched.store().prepare_sharing();
  for (int i = 0; i < 5000; ++i) {
    const auto parent = static_cast<std::uint32_t>(random.below(watched.size()));
    watched.add<Sharing::kShared>(parent, changed(watched.state(parent), 12, 200, random));
  }
  watched.compare();
}

TEST("keys held outside of the exact store are translated with it") {
  Random random(23);
  std::vector<std::uint64_t> outside;
  std::vector<std::uint32_t> numbers;
  Watched watched(30, State(30, 1));
  watched.store().add_outside_keys(&outside);
  for (int i = 0; i < 5000; ++i) {
    const auto parent = static_cast<std::uint32_t>(random.below(watched.size()));
    watched.add(parent, changed(watched.state(parent), 30, 90, random));
    if (random.one_in(10)) {
      numbers.push_back(static_cast<std::uint32_t>(random.below(watched.size())));
      outside.push_back(watched.store().key(StateId{numbers.back()}));
    }
    if (!outside.empty() && random.one_in(50)) {
      const std::size_t at = random.below(outside.size());
      check_equal(outside[at], watched.store().key(StateId{numbers[at]}));
    }
  }
  for (std::size_t i = 0; i < outside.size(); ++i)
    check_equal(outside[i], watched.store().key(StateId{numbers[i]}));
  check(watched.store().levels() > 1);  // or the test has not seen a group split
}

}  // namespace
}  // namespace assay::native_tests
