/// Who listens to a search: what is written down, counted or drawn besides its verdict.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "search/result.hpp"
#include "transition_system/move.hpp"
#include "transition_system/successor_buffer.hpp"
#include "transition_system/transition_system.hpp"

namespace assay::search {

/// A state that was expanded, after its successors are known and before where they lead is.
struct ExpandedState {
  std::uint32_t state;   // as the search numbers its states
  std::uint32_t degree;  // steps that reach a state
  std::uint32_t steps;   // positions up to the last of these: steps that end in an error have positions too
  // Searches that expand states one by one show them; those that work in batches leave both empty,
  // unless somebody asks to see them.
  transition_system::StateView words{};
  const transition_system::SuccessorBuffer* successors = nullptr;
};

/// A step whose target is known. Its source is the state expanded last, or,
/// depth first, the last state that was entered and not left.
struct Edge {
  transition_system::Position position;
  std::uint32_t target;
  bool is_new;  // this step discovered the target, or came to it again after it was forgotten
  transition_system::Move move = {};  // whose it is, if the search knows
};

/// Told by the searching thread, in the order in which it happens. All events may be ignored.
class Observer {
 public:
  virtual ~Observer() = default;

  /// Whether it needs the words of states and their successors.
  virtual bool looks_at_states() const { return false; }
  /// Whether it is to be told of `visited`.
  virtual bool sees_visits() const { return false; }
  /// A state is looked at. Any search on one thread in memory tells this, some of one state several times, and in an order of
  /// its own.
  virtual void visited(transition_system::StateView) {}
  virtual void begins(TraversalOrder) {}
  /// Breadth first: the states from this one on are one step further away.
  virtual void level(std::uint64_t /*first_state*/) {}
  /// Depth first: the path goes on to this state.
  virtual void entered(std::uint32_t /*state*/) {}
  virtual void expanded(const ExpandedState&) {}
  virtual void edge(const Edge&) {}
  /// Depth first: the path goes back from the state entered last.
  virtual void left() {}
  /// The search is over. What an observer has to say goes into the result.
  virtual void ends(Result&) {}
};

/// All observers of one search. Without any, an event costs a comparison.
class Observers {
 public:
  void add(std::shared_ptr<Observer> observer) { list_.push_back(std::move(observer)); }
  bool none() const { return list_.empty(); }
  bool look_at_states() const {
    return std::ranges::any_of(list_, [](const auto& observer) { return observer->looks_at_states(); });
  }

  bool see_visits() const {
    return std::ranges::any_of(list_, [](const auto& observer) { return observer->sees_visits(); });
  }

  void visited(transition_system::StateView state) const {
    tell([&](Observer& o) { o.visited(state); });
  }
  void begins(TraversalOrder order) const {
    tell([&](Observer& o) { o.begins(order); });
  }
  void level(std::uint64_t first_state) const {
    tell([&](Observer& o) { o.level(first_state); });
  }
  void entered(std::uint32_t state) const {
    tell([&](Observer& o) { o.entered(state); });
  }
  void expanded(const ExpandedState& state) const {
    tell([&](Observer& o) { o.expanded(state); });
  }
  void edge(const Edge& edge) const {
    tell([&](Observer& o) { o.edge(edge); });
  }
  void left() const {
    tell([](Observer& o) { o.left(); });
  }
  void ends(Result& result) const {
    tell([&](Observer& o) { o.ends(result); });
  }

 private:
  template <class Event>
  [[gnu::always_inline]] void tell(Event&& event) const {
    for (const auto& observer : list_) event(*observer);
  }

  std::vector<std::shared_ptr<Observer>> list_;
};

}  // namespace assay::search
