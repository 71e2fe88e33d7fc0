#include "search/discovery_order.hpp"

#include <algorithm>
#include <functional>
#include <new>
#include <queue>
#include <stdexcept>
#include <utility>
#include <vector>

#include "support/bucket_file.hpp"
#include "support/problems.hpp"

namespace assay::search {
namespace {

using storage::EdgeLog;
using storage::MarkTable;
using storage::StateMark;
using Words = std::vector<std::uint64_t>;

constexpr std::uint32_t kWasMet = std::uint32_t{1} << 31;
constexpr std::uint64_t kLookEveryStates = 4096;
constexpr std::size_t kLeastBlock = 4096;  // bytes
constexpr std::size_t kMostBlock = std::size_t{1} << 18;

/// Meets `count` states of the run, whose records it keeps in `memory`, in the order of the log.
class Part {
 public:
  Part(const NewLevel& level, storage::RunCursor& states, std::uint64_t count,
       std::span<std::uint64_t> memory)
      : level_(level),
        words_(level.layouts.current().record_words()),
        count_(count),
        records_(memory.data()),
        table_(memory.subspan(count * words_), count) {
    const storage::PackedLayout& layout = level.layouts.current();
    Words state(std::size_t{layout.max_words()} + 1);
    for (std::uint64_t i = 0; i < count; ++i) {
      std::copy_n(states.record(), words_, records_ + i * words_);
      const std::uint32_t length = layout.unpack(states.record(), state.data());
      if (!table_.add(StateMark::of(state.data(), length), static_cast<std::uint32_t>(i))) {
        throw GraphProblem("the graph cannot be written down: two states have the same hash");
      }
      states.next();
    }
  }

  /// Calls `meet` with the number of the edge and the record. False: stopped.
  template <class Meet>
  bool follow(std::size_t io_bytes, const std::function<bool()>& should_stop, Meet meet) {
    EdgeLog::Reader log(level_.edges, level_.first_edge, ~std::uint64_t{0}, io_bytes);
    std::uint64_t edge = 0, met = 0, states = 0;
    while (!log.at_end() && met < count_) {
      if (++states % kLookEveryStates == 0 && should_stop()) return false;
      const std::span<const StateMark> marks = log.next();
      for (const StateMark& mark : marks) table_.prefetch(mark);
      for (const StateMark& mark : marks) {
        std::uint32_t* const number = table_.find(mark);
        if (number != nullptr && (*number & kWasMet) == 0) {
          meet(edge, records_ + *number * std::uint64_t{words_});
          *number |= kWasMet;
          ++met;
        }
        ++edge;
      }
    }
    if (met != count_) throw std::runtime_error("a state of the search on disk was reached by no step");
    return true;
  }

 private:
  const NewLevel& level_;
  const std::uint32_t words_;
  const std::uint64_t count_;
  std::uint64_t* const records_;
  MarkTable table_;
};

}  // namespace

bool write_in_order_of_discovery(const NewLevel& level, std::span<std::uint64_t> memory, std::size_t io_bytes,
                                 const std::string& scratch_directory,
                                 const std::function<bool()>& should_stop, storage::RunWriter& out) {
  const std::uint32_t words = level.layouts.current().record_words();
  const std::uint64_t all = level.states.records;
  const std::size_t bytes_per_state = MarkTable::kBytesPerState + words * sizeof(std::uint64_t);
  if (memory.size_bytes() < 4 * bytes_per_state) throw std::bad_alloc();
  const std::uint64_t at_once =
      std::min<std::uint64_t>(memory.size_bytes() / bytes_per_state - 2, std::uint64_t{kWasMet} - 1);
  storage::RunCursor states(level.layouts, level.states, io_bytes);
  if (all <= at_once) {
    return Part(level, states, all, memory)
        .follow(io_bytes, should_stop,
                [&](std::uint64_t, const std::uint64_t* record) { out.append(record); });
  }

  const std::size_t parts = (all + at_once - 1) / at_once;
  support::BucketFile<std::uint64_t> met(scratch_directory, parts,
                                         std::clamp(io_bytes / parts, kLeastBlock, kMostBlock));
  for (std::size_t i = 0; i < parts; ++i) {
    Part part(level, states, std::min(at_once, all - i * at_once), memory);
    const bool done =
        part.follow(io_bytes, should_stop, [&](std::uint64_t edge, const std::uint64_t* record) {
          met.append(i, edge);
          for (std::uint32_t word = 0; word < words; ++word) met.append(i, record[word]);
        });
    if (!done) return false;
  }
  met.finish();

  // Each part is in order; the edges tell how they mesh.
  std::vector<support::BucketFile<std::uint64_t>::Reader> readers;
  using Next = std::pair<std::uint64_t, std::size_t>;  // edge, part
  std::priority_queue<Next, std::vector<Next>, std::greater<>> next;
  std::vector<std::uint64_t> left;
  for (std::size_t i = 0; i < parts; ++i) {
    readers.emplace_back(met, i);
    left.push_back(met.items(i) / (words + 1));
    next.emplace(readers[i].next(), i);
  }
  Words record(words);
  while (!next.empty()) {
    const std::size_t part = next.top().second;
    next.pop();
    for (std::uint64_t& word : record) word = readers[part].next();
    out.append(record.data());
    if (out.records() % kLookEveryStates == 0 && should_stop()) return false;
    if (--left[part] > 0) next.emplace(readers[part].next(), part);
  }
  return true;
}

}  // namespace assay::search
