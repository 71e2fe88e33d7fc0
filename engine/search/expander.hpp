/// Expanding states of an exact store: the part that all exact searches share.
#pragma once

#include <stdexcept>
#include <vector>

#include "search/findings.hpp"
#include "search/outcome.hpp"
#include "storage/exact_state_store.hpp"
#include "transition_system/successor_buffer.hpp"
#include "transition_system/transition_system.hpp"

namespace assay::search {

/// A model that breaks its own promise; never the fault of the checked program.
inline void require_word_count(std::uint32_t count, std::uint32_t max_words) {
  if (count > max_words) {
    throw std::runtime_error("the model wrote a state of " + std::to_string(count) +
                             " words but promised at most " + std::to_string(max_words));
  }
}

/// The initial state as the model writes it.
struct InitialState {
  std::vector<std::uint64_t> words;  // room for any state, of which `length` are used
  std::uint32_t violation = 0;       // what it violates, if anything
  std::uint32_t length;

  explicit InitialState(const transition_system::TransitionSystem& system)
      : words(std::size_t{system.max_words()} + 1), length(system.initial(words.data(), &violation)) {
    require_word_count(length, system.max_words());
  }
};

/// Collects what the expansion of some states yields, without storing
/// anything: nothing is lost when the layout runs out of room and the states
/// must be expanded again.
template <storage::Sharing sharing>
class Expander {
 public:
  struct Reached {
    storage::KeyTable::Probe probe;
    std::uint32_t position;
  };

  Expander(const transition_system::TransitionSystem& system, storage::ExactStateStore& store,
           const Options& options)
      : system_(system),
        store_(store),
        check_deadlock_(options.check_deadlock),
        has_state_checks_(system.has_state_checks()),
        has_step_checks_(system.has_step_checks()),
        max_words_(system.max_words()),
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
  bool expand(storage::StateId id, std::uint32_t depth, bool at_limit) {
    return expand_key(store_.keys().key(id), id, depth, at_limit);
  }
  /// The same for a state that the store knows by its key only; `id` names it in findings.
  bool expand_key(std::uint64_t key, std::uint32_t id, std::uint32_t depth, bool at_limit) {
    const std::size_t reached_before = reached.size();
    store_.decode(key, cursor_);
    if (!expand_into_reached(id, depth, at_limit)) return false;
    degrees.push_back(static_cast<std::uint32_t>(reached.size() - reached_before));
    return true;
  }

  /// The state expanded last, and its successors as the model gave them.
  const storage::ExactStateStore::Cursor& state() const { return cursor_; }
  const transition_system::SuccessorBuffer& successors() const { return buffer_; }

  storage::ExactStateStore::Workspace& workspace() { return workspace_; }

  std::vector<Reached> reached;
  std::vector<std::uint32_t> degrees;  // how many of `reached` each expanded state has
  std::vector<Finding> findings;
  bool cut = false;

 private:
  bool expand_into_reached(storage::StateId id, std::uint32_t depth, bool at_limit) {
    const std::uint64_t* words = cursor_.words.data();
    const std::uint32_t length = cursor_.length;
    if (has_state_checks_) {
      if (const std::uint32_t code = system_.check_state(words, length)) {
        findings.push_back({code, id, Finding::kAtState, depth});
      }
    }
    system_.successors(words, length, buffer_.cleared());
    const std::uint32_t count = buffer_.count();
    if (count == 0) {
      if (check_deadlock_ && !system_.is_valid_end(words, length)) {
        findings.push_back({0, id, Finding::kAtState, depth});
      }
      return true;
    }
    if (at_limit) {
      cut = true;
      return true;
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      const assay_successor& successor = buffer_[i];
      if (successor.violation != 0) findings.push_back({successor.violation, id, i, depth});
      if (successor.has_state == 0) continue;
      require_word_count(successor.word_count, max_words_);
      const std::uint64_t* next = buffer_.words(successor);
      if (has_step_checks_) {
        if (const std::uint32_t code = system_.check_step(words, length, next, successor.word_count)) {
          findings.push_back({code, id, i, depth});
        }
      }
      std::uint64_t key = 0;
      if (!store_.encode<sharing>(cursor_, next, successor.word_count, workspace_, key)) return false;
      reached.push_back({store_.keys().start(key), i});
    }
    return true;
  }

  const transition_system::TransitionSystem& system_;
  storage::ExactStateStore& store_;
  const bool check_deadlock_;
  const bool has_state_checks_;
  const bool has_step_checks_;
  const std::uint32_t max_words_;
  storage::ExactStateStore::Cursor cursor_;
  storage::ExactStateStore::Workspace workspace_;
  transition_system::SuccessorBuffer buffer_;
};

}  // namespace assay::search
