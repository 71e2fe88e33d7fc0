// Depth-first search that keeps k bits of each state.
//
// Of the states on the path the stack holds what each step changed, and for
// those near the end of the path the successors not yet tried that were new
// when they were generated, as whole states. Further up these are dropped when
// they become many and generated again on the way back: what was tried by then
// has its bits set.
#include <algorithm>
#include <numeric>

#include "search/expander.hpp"
#include "search/path_search.hpp"
#include "search/strategies.hpp"
#include "storage/bit_array.hpp"
#include "storage/state_path.hpp"
#include "support/memory.hpp"

namespace assay::search {
namespace {

using support::push;

// Words of pending successors before old ones are dropped: half a megabyte, or
// a sixteenth of what the bits take.
constexpr std::size_t kPendingWordsAtLeast = std::size_t{1} << 16;
constexpr std::size_t kShareOfPending = 16;

struct Frame {
  static constexpr std::uint32_t kDropped = 0xFFFFFFFFu;

  std::uint32_t position = 0;  // of the successor that the search is below of
  std::uint32_t pending = 0;   // successors still to be tried, the next one last
};

struct Pending {
  std::uint32_t word_count;
  std::uint32_t position;
};

}  // namespace

void bitstate_depth_first(const Task& task, Result& result) {
  using storage::BitArray;
  const Options& options = task.options;
  const transition_system::TransitionSystem& system = task.system;
  std::vector<Frame> frames;
  storage::StatePath states_of_path(system.max_words(), task.budget);
  std::vector<Pending> pending;
  std::vector<std::uint64_t> pending_words;
  std::size_t first_with_pending = 0;
  const std::size_t most_pending_words =
      std::max<std::size_t>(kPendingWordsAtLeast, options.bitstate_bytes / sizeof(std::uint64_t) / kShareOfPending);
  std::uint64_t states = 0, expanded = 0, transitions = 0, max_depth = 0;
  std::uint64_t bits_set = 0, bits_total = 0, bit_bytes = 0;
  PathSearch path(task, result, frames);

  try {
    task.budget.require(options.bitstate_bytes);
    BitArray bits(options.bitstate_bytes, options.hash_functions);
    bits_total = bits.bits_total();
    bit_bytes = bits.bytes();
    support::RandomSource random(options.seed);
    const bool shuffle = options.strategy == "random-dfs";
    transition_system::SuccessorBuffer buffer;
    std::vector<std::uint32_t> order;

    // Generates the successors of the last state of the path.
    const auto expand = [&] {
      system.successors(states_of_path.words(), states_of_path.word_count(), buffer.cleared());
    };

    // Makes those of them pending that are new as far as the bits can tell.
    const auto await = [&](Frame& frame) {
      order.resize(buffer.count());
      std::iota(order.begin(), order.end(), 0u);
      if (shuffle) {
        for (std::uint32_t i = buffer.count(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
      }
      frame.pending = 0;
      for (auto i = order.size(); i-- > 0;) {
        const assay_successor& successor = buffer[order[i]];
        if (successor.has_state == 0) continue;
        const std::uint64_t* next = buffer.words(successor);
        if (bits.contains(BitArray::hash(next, successor.word_count, options.seed))) continue;
        push(pending, {successor.word_count, order[i]}, task.budget);
        for (std::uint32_t word = 0; word < successor.word_count; ++word) push(pending_words, next[word], task.budget);
        ++frame.pending;
      }
    };

    const auto drop_old_pending = [&] {
      std::size_t dropped = 0, words = 0;
      for (; first_with_pending + 1 < frames.size() && words < pending_words.size() / 2; ++first_with_pending) {
        Frame& frame = frames[first_with_pending];
        if (frame.pending == 0) continue;
        for (; frame.pending > 0; --frame.pending) words += pending[dropped++].word_count;
        frame.pending = Frame::kDropped;
      }
      pending.erase(pending.begin(), pending.begin() + static_cast<std::ptrdiff_t>(dropped));
      pending_words.erase(pending_words.begin(), pending_words.begin() + static_cast<std::ptrdiff_t>(words));
    };

    const auto restore_pending = [&](Frame& frame) {
      expand();
      await(frame);
      first_with_pending = std::min(first_with_pending, frames.size() - 1);
    };

    // Expands the last state of the path, which the caller has just added.
    const auto enter = [&] {
      const std::size_t depth = frames.size();
      max_depth = std::max<std::uint64_t>(max_depth, depth);
      push(frames, {}, task.budget);
      ++expanded;
      const std::uint64_t* state = states_of_path.words();
      const std::uint32_t length = states_of_path.word_count();
      if (const std::uint32_t code = system.check_state(state, length)) path.record(code, Finding::kAtState);
      expand();
      const std::uint32_t count = buffer.count();
      if (count == 0) {
        if (options.check_deadlock && !system.is_valid_end(state, length)) path.record(0, Finding::kAtState);
        return;
      }
      if (options.depth_limit != 0 && depth >= options.depth_limit) {
        path.cut = true;
        return;
      }
      for (std::uint32_t i = 0; i < count; ++i) {
        const assay_successor& successor = buffer[i];
        if (successor.violation != 0) path.record(successor.violation, i);
        if (successor.has_state == 0) continue;
        require_word_count(successor.word_count, system.max_words());
        if (const std::uint32_t code =
                system.check_step(state, length, buffer.words(successor), successor.word_count)) {
          path.record(code, i);
        }
        ++transitions;
      }
      await(frames.back());
      if (pending_words.size() > most_pending_words) drop_old_pending();
    };

    const InitialState initial(system);
    bits.add(BitArray::hash(initial.words.data(), initial.length, options.seed));
    states = 1;
    if (initial.violation != 0) path.record(initial.violation, Finding::kAtState);
    states_of_path.push(initial.words.data(), initial.length);
    if (!path.is_over()) enter();
    while (!frames.empty() && !path.should_stop()) {
      bits_set = bits.bits_set();
      Frame& frame = frames.back();
      if (frame.pending == Frame::kDropped) restore_pending(frame);
      if (frame.pending == 0) {
        frames.pop_back();
        states_of_path.pop();
        continue;
      }
      const Pending next = pending.back();
      const std::uint64_t* words = pending_words.data() + pending_words.size() - next.word_count;
      const auto hashes = BitArray::hash(words, next.word_count, options.seed);
      if (options.state_limit != 0 && states >= options.state_limit && !bits.contains(hashes)) {
        task.control.stop(StopReason::kStates);
        break;
      }
      --frame.pending;
      pending.pop_back();
      const bool is_new = bits.add(hashes);
      if (is_new) states_of_path.push(words, next.word_count);
      pending_words.resize(pending_words.size() - next.word_count);
      if (!is_new) continue;
      ++states;
      frame.position = next.position;
      enter();
      if ((expanded & 63) == 0) task.control.report(states, transitions, max_depth, frames.size());
    }
    bits_set = bits.bits_set();
  } catch (const std::bad_alloc&) {
    path.out_of_memory = true;
  }

  path.end(states, transitions, max_depth);
  result.bits_set = bits_set;
  result.bits_total = bits_total;
  result.table_bytes = bit_bytes + frames.capacity() * sizeof(Frame) + states_of_path.bytes() +
                       pending.capacity() * sizeof(Pending) + pending_words.capacity() * sizeof(std::uint64_t);
}

}  // namespace assay::search
