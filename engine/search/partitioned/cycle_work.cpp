// What stands in files, beside sets of states:
//
//     NAME-marks   of each state, how many steps it has, and what each leads to (a StateMark)
//     NAME-facts   of each state, its number and the sets that all its steps are in; of each step its position, and
//                  the set that it is in besides (0: none) with a bit if it is free
//     NAME         (of `join`) blocks of states with their steps, as spilling/cycle_steps has them
#include "search/partitioned/cycle_work.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <queue>

#include "search/spilling/cycle_hull.hpp"
#include "storage/edge_log.hpp"
#include "support/problems.hpp"

namespace assay::search::partitioned {
namespace {

using Marks = CycleWork::Marks;
using storage::StateMark;

constexpr std::uint32_t kFree = 1u << 31;
constexpr std::size_t kAtOnce = 1u << 11;  // words of each reader: there are many

/// The number of the only set, from 1 on; 0: there is none.
std::uint32_t coded(Marks one) {
  return one == 0 ? 0 : static_cast<std::uint32_t>(std::countr_zero(one)) + 1;
}
Marks decoded(std::uint32_t code) {
  const std::uint32_t set = code & ~kFree;
  return set == 0 ? 0 : Marks{1} << (set - 1);
}

/// The numbers that stand behind each other in a part of one partition, and what its steps lead to.
struct PartReader {
  PieceReader<std::uint32_t> marks, facts;
  std::vector<PieceReader<std::uint32_t>> numbers;  // of each stream
};

}  // namespace

CycleWork::CycleWork(PartitionWorker& worker, const transition_system::CycleQuestion& question)
    : worker_(worker),
      acceptance_(worker.system_, question),
      budget_(static_cast<std::size_t>(worker.options_.memory_limit_bytes)) {
  if (!worker.in_order_) throw std::invalid_argument("cycles are looked for in the order of discovery");
}

void CycleWork::write_of(StateView state, std::uint64_t number, PieceWriter<std::uint32_t>& marks,
                         PieceWriter<std::uint32_t>& facts) {
  const Marks of_state = acceptance_.of_state(state);
  const bool progress_here = acceptance_.makes_progress(state);
  worker_.system_.successors(state, successors_.cleared());
  std::uint32_t steps = 0;
  for (std::uint32_t i = 0; i < successors_.count(); ++i) steps += successors_[i].has_state != 0 ? 1 : 0;
  marks.append(steps);
  facts.append(static_cast<std::uint32_t>(number));
  facts.append(static_cast<std::uint32_t>(of_state));
  facts.append(static_cast<std::uint32_t>(of_state >> 32));
  for (std::uint32_t i = 0; i < successors_.count(); ++i) {
    const assay_successor& successor = successors_[i];
    if (successor.has_state == 0) continue;
    const StateView next = successors_.state(successor);
    const StateMark mark = StateMark::of(next.data(), next.size());
    for (const std::uint32_t part : mark.parts) marks.append(part);
    const bool is_free = progress_here || acceptance_.makes_progress(next);
    facts.append(i);
    facts.append(coded(acceptance_.of_process(successor.process)) | (is_free ? kFree : 0));
  }
}

CycleWork::Written CycleWork::write_steps(const std::vector<PartitionWorker::NumberedLevel>& levels,
                                          const std::vector<std::uint64_t>& slices, const std::string& name) {
  if (slices.back() > UINT32_MAX)
    throw GraphProblem("the graph cannot be written down: it has more than 2^32 states");
  const std::string marks_name = name + "-marks", facts_name = name + "-facts";
  PieceWriter<std::uint32_t> marks(worker_.create(marks_name), 0);
  PieceWriter<std::uint32_t> facts(worker_.create(facts_name), 0);
  Written written;
  std::uint64_t marks_begin = 0, facts_begin = 0;
  const auto finish_slice = [&] {
    const std::uint64_t marks_end = marks.flush(), facts_end = facts.flush();
    written.marks.push_back({marks_name, marks_begin, (marks_end - marks_begin) / sizeof(std::uint32_t)});
    written.facts.push_back({facts_name, facts_begin, (facts_end - facts_begin) / sizeof(std::uint32_t)});
    marks_begin = marks_end;
    facts_begin = facts_end;
  };
  std::uint64_t states = 0;
  for (const PartitionWorker::NumberedLevel& level : levels) {
    for (const LevelPart& part : level.parts) {
      worker_.each_numbered(part, [&](StateView state, std::uint64_t rank) {
        const std::uint64_t number = level.first_number + rank;
        while (number >= slices[written.marks.size() + 1]) finish_slice();
        write_of(state, number, marks, facts);
        worker_.control_.report(++states, 0, 0, 0);
      });
    }
  }
  while (written.marks.size() + 1 < slices.size()) finish_slice();
  return written;
}

CycleWork::Joined CycleWork::join(const SliceParts& slice, const std::string& name) {
  std::vector<PartReader> parts;
  using Next = std::pair<std::uint32_t, std::size_t>;  // number, partition
  std::priority_queue<Next, std::vector<Next>, std::greater<>> next;
  for (std::size_t i = 0; i < slice.marks.size(); ++i) {
    parts.push_back({{{slice.marks[i]}, worker_.opener(), 0, kAtOnce},
                     {{slice.facts[i]}, worker_.opener(), 0, kAtOnce},
                     {}});
    for (const std::vector<StoredWords>& stream : slice.numbers)
      parts[i].numbers.emplace_back(std::vector<StoredWords>{stream[i]}, worker_.opener(), 0, kAtOnce);
    if (!parts[i].facts.at_end()) next.emplace(parts[i].facts.next(), i);
  }
  ByteWriter out(worker_.create(name));
  Joined joined{{}, all()};
  std::vector<StepBlock>& blocks = joined.blocks;
  for (std::uint64_t state = slice.begin; state < slice.end; ++state) {
    if (next.empty() || next.top().first != state)
      throw GraphProblem("the graph cannot be written down: a state is missing");
    const auto above = std::ranges::upper_bound(slice.levels, state);
    const auto level = static_cast<std::uint32_t>(above - slice.levels.begin() - 1);
    if (blocks.empty() || blocks.back().level != level)
      blocks.push_back({level, state, 0, name, out.offset(), 0});
    const std::size_t partition = next.top().second;
    next.pop();
    PartReader& part = parts[partition];
    const std::uint32_t steps = part.marks.next();
    const std::uint32_t low = part.facts.next();
    const Marks of_state = Marks{part.facts.next()} << 32 | low;
    spilling::write_state(out, of_state, steps);
    for (std::uint32_t i = 0; i < steps; ++i) {
      StateMark mark;
      for (std::uint32_t& word : mark.parts) word = part.marks.next();
      const std::uint32_t target = part.numbers[slice.stream_of[mark.scaled(slice.stream_of.size())]].next();
      const std::uint32_t position = part.facts.next();
      const std::uint32_t code = part.facts.next();
      const bool is_free = (code & kFree) != 0;
      spilling::write_step(out, target, position, decoded(code), is_free);
      if (!is_free) joined.of_all_steps &= of_state | decoded(code);
    }
    ++blocks.back().states;
    blocks.back().bytes = out.offset() - blocks.back().offset;
    if (!part.facts.at_end()) next.emplace(part.facts.next(), partition);
  }
  out.flush();
  return joined;
}

CycleWork::StateBits CycleWork::read(std::uint64_t states, const Sets& sets) {
  require(states / 8);
  if (!sets) return StateBits(states, true);
  StateBits bits(states);
  for (const StoredWords& set : *sets) {
    if (set.count != bits.words().size())
      throw storage::CheckpointProblem("a set of states is of another graph");
    PieceReader<std::uint64_t> reader({set}, worker_.opener());
    for (std::uint64_t& word : bits.words()) word |= reader.next();
  }
  return bits;
}

StoredWords CycleWork::write(const StateBits& bits, const std::string& name) {
  const auto file = worker_.create(name);
  file->write(bits.words().data(), bits.words().size() * sizeof(std::uint64_t), 0);
  return {name, 0, bits.words().size()};
}

CycleWork::Changed CycleWork::spread(std::uint64_t states, const std::vector<StepBlock>& blocks,
                                     const Sets& inside, Marks set, const Sets& reached,
                                     const std::string& name) {
  StateBits bits = read(states, reached);
  Changed changed;
  changed.is_changed =
      spilling::spread(StoredSteps(blocks, worker_.opener()), read(states, inside), set, bits);
  changed.count = bits.count();
  changed.set = write(bits, name);
  return changed;
}

CycleWork::Changed CycleWork::eliminate(std::uint64_t states, const std::vector<StepBlock>& blocks,
                                        const Sets& inside, const Sets& elsewhere, const std::string& name) {
  StateBits left = read(states, inside);
  const StateBits arrivals = read(states, elsewhere);
  const StoredSteps steps(blocks, worker_.opener());
  const std::uint64_t begin = blocks.front().first_state;
  const std::uint64_t end = blocks.back().first_state + blocks.back().states;
  require(end - begin);
  Changed changed;
  changed.is_changed = spilling::eliminate(steps, begin, end, arrivals, left);
  require(states / 4);
  StateBits own(states), targets(states);
  steps.each([&](std::uint32_t state, std::span<const spilling::CycleStep> of_state) {
    if (!left[state]) return;
    own.set(state);
    for (const spilling::CycleStep& step : of_state) {
      if (!step.is_free) targets.set(step.target);
    }
  });
  changed.count = own.count();
  changed.set = write(own, name);
  changed.targets = write(targets, name + "-targets");
  return changed;
}

std::optional<Violation> CycleWork::find(std::uint64_t states, const std::vector<StepBlock>& blocks,
                                         const Sets& hull) {
  const StoredSteps steps(blocks, worker_.opener());
  spilling::CycleHull cycles(steps, states, all(), [this](std::size_t bytes) { require(bytes); });
  Violation lasso;
  const bool is_found = hull ? cycles.find_in(read(states, hull), lasso) : cycles.find(lasso);
  return is_found ? std::optional(lasso) : std::nullopt;
}

}  // namespace assay::search::partitioned
