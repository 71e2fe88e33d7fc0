// Depth-first search that keeps k bits of each state.
//
// The stack holds whole states: for every state on the path, the successors
// not yet tried that were new when they were generated.
#include <algorithm>
#include <numeric>

#include "search/expander.hpp"
#include "search/path_search.hpp"
#include "search/strategies.hpp"
#include "storage/bit_array.hpp"

namespace assay::search {
namespace {

struct Frame {
  std::size_t first_pending;
  std::uint32_t position;  // of the successor that the search is below of
};

struct Pending {
  std::size_t first_word;
  std::uint32_t word_count;
  std::uint32_t position;
};

}  // namespace

void bitstate_depth_first(const Task& task, Result& result) {
  using storage::BitArray;
  const Options& options = task.options;
  const transition_system::TransitionSystem& system = task.system;
  std::vector<Frame> frames;
  std::vector<Pending> pending;
  std::vector<std::uint64_t> pending_words;
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
    InitialState initial(system);
    std::vector<std::uint64_t>& state = initial.words;
    std::uint32_t length = initial.length;
    bits.add(BitArray::hash(state.data(), length, options.seed));
    states = 1;
    if (initial.violation != 0) path.record(initial.violation, Finding::kAtState);

    // Expands the state in `state`, which the caller has just added.
    const auto enter = [&] {
      const std::size_t depth = frames.size();
      max_depth = std::max<std::uint64_t>(max_depth, depth);
      const std::size_t needed = pending_words.size() + buffer.bytes() / sizeof(std::uint64_t);
      if (needed > pending_words.capacity()) task.budget.require(needed * sizeof(std::uint64_t) * 2);
      frames.push_back({pending.size(), 0});
      ++expanded;
      if (const std::uint32_t code = system.check_state(state.data(), length)) path.record(code, Finding::kAtState);
      system.successors(state.data(), length, buffer.cleared());
      const std::uint32_t count = buffer.count();
      if (count == 0) {
        if (options.check_deadlock && !system.is_valid_end(state.data(), length)) path.record(0, Finding::kAtState);
        return;
      }
      if (options.depth_limit != 0 && depth >= options.depth_limit) {
        path.cut = true;
        return;
      }
      order.resize(count);
      std::iota(order.begin(), order.end(), 0u);
      if (shuffle) {
        for (std::uint32_t i = count; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
      }
      for (std::uint32_t i = 0; i < count; ++i) {
        const assay_successor& successor = buffer[i];
        if (successor.violation != 0) path.record(successor.violation, i);
        if (successor.has_state == 0) continue;
        require_word_count(successor.word_count, system.max_words());
        if (const std::uint32_t code = system.check_step(state.data(), length, buffer.words(successor),
                                                         successor.word_count)) {
          path.record(code, i);
        }
        ++transitions;
      }
      for (std::uint32_t i = count; i-- > 0;) {
        const assay_successor& successor = buffer[order[i]];
        if (successor.has_state == 0) continue;
        const std::uint64_t* next = buffer.words(successor);
        if (bits.contains(BitArray::hash(next, successor.word_count, options.seed))) continue;
        pending.push_back({pending_words.size(), successor.word_count, order[i]});
        pending_words.insert(pending_words.end(), next, next + successor.word_count);
      }
    };

    if (!path.is_over()) enter();
    while (!frames.empty() && !path.should_stop()) {
      bits_set = bits.bits_set();
      if (pending.size() == frames.back().first_pending) {
        frames.pop_back();
        continue;
      }
      const Pending next = pending.back();
      const std::uint64_t* words = pending_words.data() + next.first_word;
      const auto hashes = BitArray::hash(words, next.word_count, options.seed);
      if (options.state_limit != 0 && states >= options.state_limit && !bits.contains(hashes)) {
        task.control.stop(StopReason::kStates);
        break;
      }
      length = next.word_count;
      std::copy(words, words + length, state.data());
      pending.pop_back();
      pending_words.resize(next.first_word);
      if (!bits.add(hashes)) continue;
      ++states;
      frames.back().position = next.position;
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
  result.table_bytes = bit_bytes + frames.capacity() * sizeof(Frame) + pending.capacity() * sizeof(Pending) +
                       pending_words.capacity() * sizeof(std::uint64_t);
}

}  // namespace assay::search
