#include "search/graph_assembly.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "support/bucket_file.hpp"
#include "support/problems.hpp"

namespace assay::search {
namespace {

using evidence::GraphLog;
using storage::EdgeLog;
using storage::MarkTable;
using storage::StateMark;

constexpr std::uint64_t kLookEveryStates = 4096;
constexpr std::size_t kLeastBlock = 4096;  // bytes
constexpr std::size_t kMostBlock = std::size_t{1} << 16;

struct Numbered {
  StateMark mark;
  std::uint32_t number;
};

class Assembly {
 public:
  Assembly(const SearchedLevels& searched, std::span<std::uint64_t> memory, std::size_t io_bytes,
           const std::function<bool()>& should_stop, GraphLog& log)
      : searched_(searched), memory_(memory), io_bytes_(io_bytes), should_stop_(should_stop), log_(log) {}

  bool run() {
    const std::uint64_t at_once = memory_.size_bytes() / MarkTable::kBytesPerState - 2;
    // Parts differ a little in size, the smaller the more.
    if (searched_.states <= at_once) return at_once_in_memory();
    return in_parts(searched_.states / (at_once - std::min(at_once / 4, 8 * root_of(at_once))) + 1);
  }

 private:
  static std::uint64_t root_of(std::uint64_t n) {
    std::uint64_t root = 1;
    while (root * root < n) ++root;
    return root;
  }

  bool at_once_in_memory() {
    MarkTable table(memory_, searched_.states);
    if (!each_state([&](const StateMark& mark, std::uint32_t number) { add(table, mark, number); }))
      return false;
    return write([&](const StateMark& mark) { return number_in(table, mark); },
                 [&](const StateMark& mark) { table.prefetch(mark); });
  }

  bool in_parts(std::size_t parts) {
    const std::size_t block = std::clamp(io_bytes_ / parts, kLeastBlock, kMostBlock);
    support::BucketFile<std::uint32_t> numbers(log_.directory(), parts, block);
    {
      support::BucketFile<Numbered> states(log_.directory(), parts, block);
      const bool done = each_state([&](const StateMark& mark, std::uint32_t number) {
        states.append(mark.scaled(parts), {mark, number});
      });
      if (!done) return false;
      states.finish();
      support::BucketFile<StateMark> marks(log_.directory(), parts, block);
      EdgeLog::Reader edges(searched_.edges, 0, ~std::uint64_t{0}, block);
      for (std::uint64_t i = 0; i < searched_.states; ++i) {
        if (i % kLookEveryStates == 0 && should_stop_()) return false;
        for (const StateMark& mark : edges.next()) marks.append(mark.scaled(parts), mark);
      }
      marks.finish();
      for (std::size_t part = 0; part < parts; ++part) {
        MarkTable table(memory_, states.items(part));
        support::BucketFile<Numbered>::Reader known(states, part);
        for (std::uint64_t i = 0; i < states.items(part); ++i) {
          const Numbered state = known.next();
          add(table, state.mark, state.number);
        }
        support::BucketFile<StateMark>::Reader met(marks, part);
        for (std::uint64_t i = 0; i < marks.items(part); ++i) {
          if (i % (64 * kLookEveryStates) == 0 && should_stop_()) return false;
          numbers.append(part, number_in(table, met.next()));
        }
      }
    }
    numbers.finish();
    std::vector<support::BucketFile<std::uint32_t>::Reader> readers;
    for (std::size_t part = 0; part < parts; ++part) readers.emplace_back(numbers, part);
    return write([&](const StateMark& mark) { return readers[mark.scaled(parts)].next(); },
                 [](const StateMark&) {});
  }

  static void add(MarkTable& table, const StateMark& mark, std::uint32_t number) {
    if (!table.add(mark, number)) {
      throw GraphProblem("the graph cannot be written down: two states have the same hash");
    }
  }
  static std::uint32_t number_in(MarkTable& table, const StateMark& mark) {
    const std::uint32_t* const number = table.find(mark);
    if (number == nullptr) throw GraphProblem("the graph cannot be written down: a step leads to no state");
    return *number;
  }

  /// Marks and numbers of all states, in order.
  template <class Take>
  bool each_state(Take take) {
    std::uint32_t number = 0;
    for (std::uint64_t i = 0; i < searched_.levels; ++i) {
      const storage::Level level = searched_.level(i);
      storage::LevelReader reader(searched_.file, level,
                                  searched_.layouts[static_cast<std::uint32_t>(level.layout)], kMostBlock);
      for (std::uint64_t n = 0; n < level.records; ++n) {
        if (number % kLookEveryStates == 0 && should_stop_()) return false;
        const std::uint32_t length = reader.read();
        take(StateMark::of(reader.words(), length), number++);
      }
    }
    return true;
  }

  /// A successor that has the next number was discovered here.
  template <class NumberOf, class Prefetch>
  bool write(NumberOf number_of, Prefetch prefetch) {
    EdgeLog::Reader edges(searched_.edges, 0, ~std::uint64_t{0}, kMostBlock);
    log_.begin(GraphLog::Order::kBreadthFirst);
    std::uint64_t discovered = 1, state = 0;
    for (std::uint64_t i = 0; i < searched_.levels; ++i) {
      log_.begin_level(state);
      for (std::uint64_t left = searched_.level(i).records; left > 0; --left, ++state) {
        if (state % kLookEveryStates == 0 && should_stop_()) return false;
        const std::span<const StateMark> marks = edges.next();
        for (const StateMark& mark : marks) prefetch(mark);
        log_.begin_state(static_cast<std::uint32_t>(marks.size()));
        for (const StateMark& mark : marks) {
          const std::uint32_t number = number_of(mark);
          if (number > discovered)
            throw GraphProblem("the graph cannot be written down: states are out of order");
          log_.add(number == discovered ? GraphLog::tree_word({}) : number);
          discovered += number == discovered ? 1 : 0;
        }
      }
    }
    if (discovered != searched_.states || state != searched_.states) {
      throw GraphProblem("the graph cannot be written down: it is not whole");
    }
    log_.finish();
    return true;
  }

  const SearchedLevels& searched_;
  const std::span<std::uint64_t> memory_;
  const std::size_t io_bytes_;
  const std::function<bool()>& should_stop_;
  GraphLog& log_;
};

}  // namespace

bool assemble_graph(const SearchedLevels& searched, std::span<std::uint64_t> memory, std::size_t io_bytes,
                    const std::function<bool()>& should_stop, evidence::GraphLog& log) {
  if (searched.states >= GraphLog::kUnknown) {
    throw GraphProblem("the graph cannot be written down: it has more states than a certificate can number");
  }
  return Assembly(searched, memory, io_bytes, should_stop, log).run();
}

}  // namespace assay::search
