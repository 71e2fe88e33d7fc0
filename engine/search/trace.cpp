#include "search/trace.hpp"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <unordered_map>

#include "support/hash.hpp"
#include "transition_system/successor_buffer.hpp"

namespace assay::search {
namespace {

/// A state on the way back whose predecessor is wanted.
struct Target {
  std::vector<std::uint64_t> words;
  std::vector<std::size_t> violations;  // the paths that lead through it
  bool found = false;
};

}  // namespace

std::vector<Violation> trace_back(const transition_system::TransitionSystem& system,
                                  const storage::ExactStateStore& store,
                                  const std::vector<std::uint32_t>& level_starts,
                                  const std::vector<Finding>& findings) {
  // A violation without a path must not be reported, nor silently dropped.
  if (!findings.empty() && !store.is_readable()) throw std::bad_alloc();
  std::vector<Violation> violations;
  std::vector<std::uint32_t> states;  // where each path, followed backwards, has arrived
  std::uint32_t deepest = 0;
  for (const Finding& finding : findings) {
    violations.push_back({finding.code, {}});
    if (finding.position != Finding::kAtState) violations.back().path.push_back(number_of(finding.position));
    states.push_back(finding.state);
    deepest = std::max(deepest, finding.depth);
  }

  auto cursor = store.make_cursor();
  transition_system::SuccessorBuffer buffer;
  // All paths go back together, so that no level is expanded more than once.
  for (std::uint32_t depth = deepest; depth > 0; --depth) {
    std::vector<Target> targets;
    std::unordered_map<std::uint32_t, std::size_t> target_of_state;
    std::unordered_multimap<std::uint64_t, std::size_t> targets_by_hash;
    for (std::size_t i = 0; i < findings.size(); ++i) {
      if (findings[i].depth < depth) continue;
      const auto [entry, is_new] = target_of_state.emplace(states[i], targets.size());
      if (is_new) {
        store.read(storage::StateId{states[i]}, cursor);
        targets.push_back({{cursor.words.begin(), cursor.words.begin() + cursor.length}, {}});
        targets_by_hash.emplace(support::hash_words(cursor.words.data(), cursor.length, 0), entry->second);
      }
      targets[entry->second].violations.push_back(i);
    }

    std::size_t missing = targets.size();
    const auto check = [&](Target& target, const std::uint64_t* words, std::uint32_t count, std::uint32_t id,
                           std::uint32_t position) {
      if (target.found || count != target.words.size()) return;
      if (!std::equal(target.words.begin(), target.words.end(), words)) return;
      target.found = true;
      --missing;
      for (const std::size_t i : target.violations) {
        violations[i].path.push_back(position);
        states[i] = id;
      }
    };
    for (std::uint32_t id = level_starts[depth - 1]; id < level_starts[depth] && missing > 0; ++id) {
      store.read(storage::StateId{id}, cursor);
      system.successors(cursor.view(), buffer.cleared());
      for (std::uint32_t i = 0; i < buffer.count(); ++i) {
        const assay_successor& successor = buffer[i];
        if (successor.has_state == 0) continue;
        const std::uint64_t* words = buffer.words(successor);
        if (targets.size() == 1) {
          check(targets[0], words, successor.word_count, id, i);
          continue;
        }
        const auto [begin, end] =
            targets_by_hash.equal_range(support::hash_words(words, successor.word_count, 0));
        for (auto entry = begin; entry != end; ++entry) {
          check(targets[entry->second], words, successor.word_count, id, i);
        }
      }
    }
    if (missing > 0) {
      throw std::runtime_error(
          "a state has no predecessor one level up: the model's successors do not depend on "
          "the state alone");
    }
  }
  for (Violation& violation : violations) std::reverse(violation.path.begin(), violation.path.end());
  return violations;
}

}  // namespace assay::search
