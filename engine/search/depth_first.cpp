// Depth-first search on one thread, in the order of successors or in a random one.
//
// The stack holds, for every state on the path, its id; for the states near the
// end of the path also the keys of the successors that were new when it was
// expanded and have not yet been tried. Further up these are dropped when they
// become many and generated again on the way back, so a deep stack costs twelve
// bytes a state. The lookups of a state's successors overlap.
#include <algorithm>
#include <numeric>

#include "search/expander.hpp"
#include "search/path_search.hpp"
#include "search/strategies.hpp"
#include "support/hash.hpp"
#include "support/memory.hpp"

namespace assay::search {
namespace {

using storage::KeyTable;
using storage::Sharing;
using support::push;

// Pending successors (twelve bytes each) before old ones are dropped: at least
// this many, and as many as there are states.
constexpr std::size_t kPendingAtLeast = std::size_t{1} << 22;

struct Frame {
  static constexpr std::uint32_t kDropped = 0xFFFFFFFFu;

  std::uint32_t id;
  std::uint32_t position = 0;  // of the successor that the search is below of
  std::uint32_t pending = 0;   // successors still to be tried, the next one last
};

}  // namespace

void depth_first(const Task& task, Result& result) {
  const Options& options = task.options;
  storage::ExactStateStore store(task.system.max_words(), task.budget);
  std::vector<Frame> frames;
  std::vector<std::uint64_t> pending_keys;
  std::vector<std::uint32_t> pending_positions;
  store.add_outside_keys(&pending_keys);
  const bool shuffle = options.strategy == "random-dfs";
  std::vector<std::uint32_t> order;
  std::uint64_t transitions = 0, expanded = 0, max_depth = 0;
  std::size_t first_with_pending = 0;
  std::vector<std::uint64_t> log_places;  // for each frame: where the log has its successors
  PathSearch path(task, result, frames);

  try {
    const InitialState initial(task.system);
    store.add_first(initial.words.data(), initial.length);
    if (initial.violation != 0) path.record(initial.violation, Finding::kAtState);

    Expander<Sharing::kPrivate> expander(task.system, store, options);
    KeyTable& keys = store.keys();

    const auto expand = [&](std::uint32_t id, bool at_limit) {
      expander.clear();
      while (!expander.expand(id, 0, at_limit)) {
        store.maintain(expander.workspace());
        expander.clear();
      }
    };

    // The successors just expanded, in the order in which this search tries
    // them: a function of the seed and the state.
    const auto arrange = [&](std::uint32_t id) {
      const auto count = static_cast<std::uint32_t>(expander.reached.size());
      order.resize(count);
      std::iota(order.begin(), order.end(), 0u);
      if (!shuffle) return;
      support::RandomSource random(support::mix(options.seed) ^ id);
      for (std::uint32_t i = count; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
    };

    const auto write_down = [&](std::uint32_t position, std::uint32_t target) {
      if (options.log != nullptr) options.log->set(log_places[frames.size() - 1] + position, target);
    };

    // Makes the successors from number `first` of that order on pending.
    const auto await = [&](Frame& frame, std::uint32_t first) {
      for (auto& reached : expander.reached) keys.advance(reached.probe);
      frame.pending = 0;
      for (auto i = static_cast<std::uint32_t>(order.size()); i-- > first;) {
        const auto& reached = expander.reached[order[i]];
        // What is known now need not wait: most successors are.
        if (const std::uint32_t known = keys.find(reached.probe); known != KeyTable::kNone) {
          write_down(reached.position, known);
          continue;
        }
        push(pending_keys, reached.probe.key, task.budget);
        push(pending_positions, reached.position, task.budget);
        ++frame.pending;
      }
    };

    const auto drop_old_pending = [&] {
      std::size_t dropped = 0;
      for (; first_with_pending + 1 < frames.size() && dropped < pending_keys.size() / 2; ++first_with_pending) {
        Frame& frame = frames[first_with_pending];
        if (frame.pending == 0) continue;
        dropped += frame.pending;
        frame.pending = Frame::kDropped;
      }
      const auto count = static_cast<std::ptrdiff_t>(dropped);
      pending_keys.erase(pending_keys.begin(), pending_keys.begin() + count);
      pending_positions.erase(pending_positions.begin(), pending_positions.begin() + count);
    };

    const auto restore_pending = [&](Frame& frame) {
      expand(frame.id, false);
      arrange(frame.id);
      std::uint32_t next = 0;
      while (expander.reached[order[next]].position != frame.position) ++next;
      await(frame, next + 1);
      first_with_pending = std::min(first_with_pending, frames.size() - 1);
    };

    const auto enter = [&](std::uint32_t id) {
      const std::size_t depth = frames.size();
      max_depth = std::max<std::uint64_t>(max_depth, depth);
      expand(id, options.depth_limit != 0 && depth >= options.depth_limit);
      ++expanded;
      path.cut = path.cut || expander.cut;
      push(frames, Frame{id}, task.budget);
      for (const Finding& finding : expander.findings) path.record(finding.code, finding.position);
      transitions += expander.reached.size();
      if (options.log != nullptr) {
        // Steps that end in an error reach no state but have positions too.
        const std::uint32_t count = expander.reached.empty() ? 0 : expander.reached.back().position + 1;
        push(log_places, options.log->begin_state(count), task.budget);
        for (std::uint32_t i = 0; i < count; ++i) options.log->add(evidence::GraphLog::kUnknown);
      }
      arrange(id);
      await(frames.back(), 0);
      if (pending_keys.size() > std::max<std::size_t>(kPendingAtLeast, store.size())) drop_old_pending();
    };

    if (options.log != nullptr) options.log->begin(evidence::GraphLog::Order::kDepthFirst);
    if (!path.is_over()) enter(0);
    while (!frames.empty() && !path.should_stop()) {
      Frame& frame = frames.back();
      if (frame.pending == Frame::kDropped) restore_pending(frame);
      if (frame.pending == 0) {
        frames.pop_back();
        if (options.log != nullptr) log_places.pop_back();
        continue;
      }
      --frame.pending;
      const std::uint64_t key = pending_keys.back();
      const std::uint32_t position = pending_positions.back();
      pending_keys.pop_back();
      pending_positions.pop_back();
      if (!pending_keys.empty()) keys.start(pending_keys.back());
      const std::uint32_t known = keys.size();
      if (options.state_limit != 0 && known >= options.state_limit) {
        if (const std::uint32_t id = keys.find(key); id != KeyTable::kNone) {
          write_down(position, id);
          continue;
        }
        task.control.stop(StopReason::kStates);
        break;
      }
      const std::uint32_t id = keys.find_or_add<Sharing::kPrivate>(key);
      write_down(position, id < known ? id : evidence::GraphLog::kTree);
      if (id < known) continue;
      frame.position = position;
      enter(id);
      if ((expanded & 63) == 0) task.control.report(store.size(), transitions, max_depth, frames.size());
    }
  } catch (const std::bad_alloc&) {
    path.out_of_memory = true;
  }

  path.end(store.size(), transitions, max_depth);
  result.table_bytes = store.bytes() + frames.capacity() * sizeof(Frame) +
                       pending_keys.capacity() * sizeof(std::uint64_t) +
                       pending_positions.capacity() * sizeof(std::uint32_t);
  if (options.log != nullptr && result.complete) options.log->finish();
}

}  // namespace assay::search
