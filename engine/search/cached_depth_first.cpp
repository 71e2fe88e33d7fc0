// Depth-first search that keeps a bounded set of visited states (thesis ch. 4).
//
// What is on the stack stays in the cache, so a path never comes back to itself
// and the search ends; everything else may be replaced, and is explored again
// when it is met again. Every state that was entered is left only after each of
// its successors was entered or found in the cache, where only entered states
// are: so a search that ends has entered all reachable states (Theorem 4.2.2).
//
// States are kept as keys of an exact store, whose tables of parts are not
// bounded by the cache: they grow with the variety of parts, not of states.
//
// The stack is that of `depth_first.cpp`: successors that wait are dropped far
// from its top when they become many, and generated again on the way back.
#include <algorithm>

#include "evidence/visit_log.hpp"
#include "search/expander.hpp"
#include "search/path_search.hpp"
#include "search/replacement/policy.hpp"
#include "search/strategies.hpp"
#include "storage/state_cache.hpp"

namespace assay::search {
namespace {

using replacement::Slot;
using storage::Sharing;
using storage::StateCache;

// Successors that wait (twelve bytes each) before old ones are dropped: at
// least this many, and as many as the cache has room for.
constexpr std::uint64_t kPendingAtLeast = std::uint64_t{1} << 16;

struct Frame {
  static constexpr std::uint32_t kDropped = 0xFFFFFFFFu;

  Slot slot;
  std::uint32_t position = 0;  // of the successor that the search is below of
  std::uint32_t pending = 0;   // successors still to be tried, the next one last
};

struct Pending {
  std::vector<std::uint64_t> keys;
  std::vector<std::uint32_t> positions;

  void push(std::uint64_t key, std::uint32_t position, const support::MemoryBudget& budget) {
    support::push(keys, key, budget);
    support::push(positions, position, budget);
  }
};

/// The search itself; everything it kept in memory is gone when it returns.
void explore(const Task& task, Result& result, evidence::VisitLog* visit_log) {
  const Options& options = task.options;
  storage::ExactStateStore store(task.system.max_words(), task.budget);
  StateCache cache(options.cache.size);
  const auto policy = replacement::make_policy(options.cache.policy, options.seed, options.cache.strata);
  std::vector<Frame> frames;
  Pending pending;
  store.add_outside_keys(&cache.keys());
  store.add_outside_keys(&pending.keys);
  std::vector<Slot> victims;
  std::uint64_t visits = 0, transitions = 0, max_depth = 0, hits = 0, replaced = 0;
  std::size_t first_with_pending = 0;
  PathSearch path(task, result, frames);

  try {
    const InitialState initial(task.system);
    store.add_first(initial.words.data(), initial.length);
    if (initial.violation != 0) path.record(initial.violation, Finding::kAtState);

    Expander<Sharing::kPrivate> expander(task.system, store, options);

    const auto expand = [&](Slot slot, bool at_limit) {
      expander.clear();
      while (!expander.expand_key(cache.key(slot), slot, 0, at_limit)) {
        store.maintain(expander.workspace());
        cache.rebuild();
        expander.clear();
      }
    };

    // Makes the successors just expanded pending, from number `first` on. What is
    // in the cache now was or is being explored, whatever becomes of it until its
    // turn: Algorithm 4.1 looks only then, and explores more again.
    const auto await = [&](Frame& frame, std::uint32_t first) {
      for (const auto& reached : expander.reached) cache.prefetch(reached.probe.key);
      frame.pending = 0;
      for (auto i = static_cast<std::uint32_t>(expander.reached.size()); i-- > first;) {
        const std::uint64_t key = expander.reached[i].probe.key;
        if (const Slot known = cache.find(key); known != StateCache::kNone) {
          ++hits;
          policy->hit(known, frame.slot);
          continue;
        }
        pending.push(key, expander.reached[i].position, task.budget);
        ++frame.pending;
      }
    };

    const auto drop_old_pending = [&] {
      std::size_t dropped = 0;
      for (; first_with_pending + 1 < frames.size() && dropped < pending.keys.size() / 2; ++first_with_pending) {
        Frame& frame = frames[first_with_pending];
        if (frame.pending == 0) continue;
        dropped += frame.pending;
        frame.pending = Frame::kDropped;
      }
      const auto count = static_cast<std::ptrdiff_t>(dropped);
      pending.keys.erase(pending.keys.begin(), pending.keys.begin() + count);
      pending.positions.erase(pending.positions.begin(), pending.positions.begin() + count);
    };

    const auto restore_pending = [&](Frame& frame) {
      expand(frame.slot, false);
      std::uint32_t next = 0;
      while (expander.reached[next].position != frame.position) ++next;
      await(frame, next + 1);
      first_with_pending = std::min(first_with_pending, frames.size() - 1);
    };

    // False: everything in the cache is on the stack or belongs to what is.
    const auto make_place = [&] {
      if (!cache.is_full() && cache.needs_room()) {
        const std::uint64_t more = cache.next_room() - cache.room();
        const std::size_t bytes = more * (StateCache::kBytesPerSlot + policy->bytes_per_slot());
        // The tables of parts have to find room too, for as much again as they have.
        if (cache.room() == 0 || task.budget.allows(bytes + store.bytes())) {
          cache.make_room();
          policy->make_room(cache.room(), cache.capacity());
        } else {
          cache.stop_growing();
        }
      }
      if (!cache.is_full()) return true;
      victims.clear();
      policy->replace(victims);
      for (const Slot slot : victims) cache.remove(slot);
      replaced += victims.size();
      return !victims.empty();
    };

    std::vector<evidence::Fingerprint> fingerprints;
    const auto write_down = [&] {
      fingerprints.clear();
      const auto& successors = expander.successors();
      for (const auto& reached : expander.reached) {
        const assay_successor& successor = successors[reached.position];
        fingerprints.push_back(evidence::Fingerprint::of(successors.words(successor), successor.word_count));
      }
      const auto& state = expander.state();
      visit_log->visit(evidence::Fingerprint::of(state.words.data(), state.length), fingerprints);
    };

    const auto enter = [&](std::uint64_t key) {
      const std::size_t depth = frames.size();
      max_depth = std::max<std::uint64_t>(max_depth, depth);
      const Slot slot = cache.add(key);
      policy->entered(slot, depth);
      expand(slot, options.depth_limit != 0 && depth >= options.depth_limit);
      ++visits;
      path.cut = path.cut || expander.cut;
      support::push(frames, {slot}, task.budget);
      for (const Finding& finding : expander.findings) path.record(finding.code, finding.position);
      transitions += expander.reached.size();
      policy->expanded(slot, expander.reached.size());
      if (visit_log != nullptr) write_down();
      await(frames.back(), 0);
      const std::uint64_t limit =
          options.cache.pending_limit != 0 ? options.cache.pending_limit : std::max(kPendingAtLeast, cache.room());
      if (pending.keys.size() > limit) drop_old_pending();
    };

    if (!path.is_over()) {
      make_place();
      enter(store.keys().key(0));
    }
    while (!frames.empty() && !path.should_stop()) {
      Frame& frame = frames.back();
      if (frame.pending == Frame::kDropped) restore_pending(frame);
      if (frame.pending == 0) {
        const Slot slot = frame.slot;
        frames.pop_back();
        policy->left(slot, frames.empty() ? replacement::kNoSlot : frames.back().slot);
        continue;
      }
      --frame.pending;
      const std::uint64_t key = pending.keys.back();
      const std::uint32_t position = pending.positions.back();
      pending.keys.pop_back();
      pending.positions.pop_back();
      if (!pending.keys.empty()) cache.prefetch(pending.keys.back());
      if (const Slot known = cache.find(key); known != StateCache::kNone) {
        ++hits;
        policy->hit(known, frame.slot);
        continue;
      }
      frame.position = position;
      if (!make_place()) {
        task.control.stop(StopReason::kCache);
        break;
      }
      if (options.state_limit != 0 && visits >= options.state_limit) {
        task.control.stop(StopReason::kStates);
        break;
      }
      enter(key);
      if ((visits & 63) == 0) task.control.report(visits, transitions, max_depth, frames.size());
    }
    if (options.cache.keep_contents) {
      auto cursor = store.make_cursor();
      for (Slot slot = 0; slot < cache.keys().size(); ++slot) {
        if (cache.find(cache.key(slot)) != slot) continue;  // an empty slot
        store.decode(cache.key(slot), cursor);
        result.cache.contents.push_back(
            {{cursor.words.begin(), cursor.words.begin() + cursor.length}, policy->worth(slot)});
      }
    }
  } catch (const std::bad_alloc&) {
    path.out_of_memory = true;
  }

  path.end(visits, transitions, max_depth);
  result.cache.capacity = cache.capacity();
  result.cache.held = cache.size();
  result.cache.replaced = replaced;
  result.cache.hits = hits;
  result.table_bytes = store.bytes() + cache.bytes() + cache.room() * policy->bytes_per_slot() +
                       frames.capacity() * sizeof(Frame) + pending.keys.capacity() * 12;
}

}  // namespace

void cached_depth_first(const Task& task, Result& result) {
  evidence::GraphLog* log = task.options.log;
  if (log == nullptr) {
    explore(task, result, nullptr);
    return;
  }
  evidence::VisitLog visits(log->directory());
  explore(task, result, &visits);
  if (!result.complete || result.violation_count != 0) return;
  // Now there is as much memory as the cache had.
  const std::uint64_t states_at_once = std::max<std::uint64_t>(result.cache.capacity, 1024);
  try {
    if (!visits.write_graph(*log, states_at_once, [&] { return task.control.should_stop(); })) {
      result.stop_reason = task.control.reason();
    }
  } catch (const std::bad_alloc&) {
    result.stop_reason = StopReason::kMemory;
  }
  result.complete = result.stop_reason == StopReason::kNone;
  if (!result.complete) return;
  result.cache.states_of_graph = log->states();
  result.cache.transitions_of_graph = log->transitions();
}

}  // namespace assay::search
