/// Expanding states of an exact store: the part that all exact searches share.
#pragma once

#include <vector>

#include "search/expansion.hpp"
#include "storage/exact_state_store.hpp"
#include "transition_system/move.hpp"

namespace assay::search {

using storage::StateId;

/// Collects what the expansion of some states yields, without storing
/// anything: nothing is lost when the layout runs out of room and the states
/// must be expanded again.
template <storage::Sharing sharing>
class ExactExpander {
 public:
  struct Reached {
    storage::KeyTable::Probe probe;
    Position position;
    transition_system::Move move = {};  // if `names_moves`
  };

  ExactExpander(const transition_system::TransitionSystem& system, storage::ExactStateStore& store,
                const Options& options, const Observers* observers = nullptr)
      : expansion_(system, options, observers),
        store_(store),
        cursor_(store.make_cursor()),
        workspace_(store.make_workspace()) {}

  void clear() {
    reached.clear();
    degrees.clear();
    findings.clear();
    cut = false;
  }

  /// Checks a state and appends its successors to `reached`; with `at_limit`
  /// it only notes in `cut` that there are some. False: no room.
  bool expand(StateId id, std::uint32_t depth, bool at_limit) {
    return expand_key(store_.key(id), number_of(id), depth, at_limit);
  }
  /// The same for a state that the store knows by its key only; `number` names it in findings.
  bool expand_key(std::uint64_t key, std::uint32_t number, std::uint32_t depth, bool at_limit) {
    const std::size_t reached_before = reached.size();
    store_.decode(key, cursor_);
    const Expansion::End end = expansion_(
        cursor_.view(), at_limit,
        [&](std::uint32_t code, Position position) { findings.push_back({code, number, position, depth}); },
        [&](Position position, StateView next) {
          std::uint64_t next_key = 0;
          if (!store_.encode<sharing>(cursor_, next.data(), length_of(next), workspace_, next_key))
            return false;
          reached.push_back({store_.keys().start(next_key), position, move_to(position)});
          return true;
        });
    if (end == Expansion::End::kNoRoom) return false;
    cut = cut || end == Expansion::End::kCut;
    degrees.push_back(static_cast<std::uint32_t>(reached.size() - reached_before));
    return true;
  }
  /// One state on its own, with room made for it as often as it takes. `moved` is told when keys have changed.
  template <class Moved>
  void expand_alone(const auto& key_of, std::uint32_t number, bool at_limit, Moved&& moved) {
    clear();
    while (!expand_key(key_of(), number, 0, at_limit)) {
      store_.maintain(workspace_);
      moved();
      clear();
    }
  }

  /// The state expanded last, and its successors as the model gave them.
  StateView state() const { return cursor_.view(); }
  const transition_system::SuccessorBuffer& successors() const { return expansion_.successors(); }

  storage::ExactStateStore::Workspace& workspace() { return workspace_; }

  /// Somebody wants to know whose steps they are.
  void name_moves() { names_moves_ = true; }

  std::vector<Reached> reached;
  std::vector<std::uint32_t> degrees;  // how many of `reached` each expanded state has
  std::vector<Finding> findings;
  bool cut = false;

 private:
  transition_system::Move move_to(Position position) const {
    if (!names_moves_) return {};
    return transition_system::Move::of(expansion_.successors(), number_of(position));
  }

  Expansion expansion_;
  storage::ExactStateStore& store_;
  storage::ExactStateStore::Cursor cursor_;
  storage::ExactStateStore::Workspace workspace_;
  bool names_moves_ = false;
};

}  // namespace assay::search
