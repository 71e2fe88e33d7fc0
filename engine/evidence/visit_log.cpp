#include "evidence/visit_log.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

#include "support/hash.hpp"
#include "support/problems.hpp"

namespace assay::evidence {
namespace {

constexpr std::uint64_t kSketchBits = std::uint64_t{1} << 23;
constexpr std::uint64_t kLookEvery = std::uint64_t{1} << 16;

/// Fingerprints and a number for each; grows.
class NumberTable {
 public:
  explicit NumberTable(std::uint64_t expected) : entries_(std::max<std::uint64_t>(16, expected * 2)) {}

  /// The number of a fingerprint, which is this one if it has none yet.
  std::uint64_t add(const VisitMark& fingerprint, std::uint64_t number) {
    if (size_ * 4 >= entries_.size() * 3) grow();
    Entry& entry = place(fingerprint);
    if (entry.number == kNone) {
      entry = {fingerprint, number};
      ++size_;
    }
    return entry.number;
  }
  std::uint64_t find(const VisitMark& fingerprint) { return place(fingerprint).number; }
  void clear() {
    std::fill(entries_.begin(), entries_.end(), Entry{});
    size_ = 0;
  }

  static constexpr std::uint64_t kNone = ~std::uint64_t{0};

 private:
  struct Entry {
    VisitMark fingerprint;
    std::uint64_t number = kNone;
  };

  Entry& place(const VisitMark& fingerprint) {
    std::size_t at = support::scale(fingerprint.low, entries_.size());
    while (entries_[at].number != kNone && entries_[at].fingerprint != fingerprint) {
      if (++at == entries_.size()) at = 0;
    }
    return entries_[at];
  }
  void grow() {
    std::vector<Entry> old(entries_.size() * 2);
    old.swap(entries_);
    for (const Entry& entry : old) {
      if (entry.number != kNone) place(entry.fingerprint) = entry;
    }
  }

  std::vector<Entry> entries_;
  std::uint64_t size_ = 0;
};

/// Which visits are the first of their states, and how many came before each.
class FirstVisits {
 public:
  explicit FirstVisits(std::uint64_t visits) : bits_(visits / 64 + 1), before_(visits / 64 + 1) {}

  void mark(std::uint64_t visit) { bits_[visit / 64] |= std::uint64_t{1} << (visit % 64); }
  bool has(std::uint64_t visit) const { return (bits_[visit / 64] >> (visit % 64) & 1) != 0; }
  std::uint64_t count_all() {
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < bits_.size(); ++i) {
      before_[i] = count;
      count += static_cast<std::uint64_t>(std::popcount(bits_[i]));
    }
    return count;
  }
  std::uint64_t number(std::uint64_t visit) const {
    const std::uint64_t below = bits_[visit / 64] & ((std::uint64_t{1} << (visit % 64)) - 1);
    return before_[visit / 64] + static_cast<std::uint64_t>(std::popcount(below));
  }

 private:
  std::vector<std::uint64_t> bits_;
  std::vector<std::uint64_t> before_;
};

}  // namespace

VisitMark VisitMark::of(const std::uint64_t* words, std::size_t count) {
  return {support::hash_words(words, count, 0x5D1F0A3C96B7E284ull),
          support::hash_words(words, count, 0x7C2E94B1D0583F6Aull)};
}

VisitLog::VisitLog(const std::string& directory)
    : states_(directory), lists_(directory), graph_(directory), sketch_(kSketchBits / 64) {}

void VisitLog::visit(const VisitMark& state, std::span<const VisitMark> successors) {
  states_.append(&state, sizeof state);
  const auto count = static_cast<std::uint32_t>(successors.size());
  lists_.append(&count, sizeof count);
  lists_.append(successors.data(), successors.size_bytes());
  ++visits_;
  const std::uint64_t bit = state.high % kSketchBits;
  std::uint64_t& word = sketch_[bit / 64];
  bits_met_ += ~word >> (bit % 64) & 1;
  word |= std::uint64_t{1} << (bit % 64);
}

/// Linear counting: of m bits, n random ones leave about m e^(-n/m) unmet.
std::uint64_t VisitLog::estimated_states() const {
  const auto all = static_cast<double>(kSketchBits);
  const double unmet = all - static_cast<double>(bits_met_);
  if (unmet < all / 100) return visits_;  // too many to tell
  return std::min(visits_, static_cast<std::uint64_t>(all * std::log(all / unmet)) + 1);
}

bool VisitLog::write_graph(GraphLog& log, std::uint64_t states_at_once,
                           const std::function<bool()>& should_stop) {
  using support::ScratchFile;
  states_.flush();
  lists_.flush();
  const std::uint64_t expected = estimated_states();
  sketch_ = {};
  const std::uint64_t passes = expected / std::max<std::uint64_t>(states_at_once, 1) + 1;
  const auto pass_of = [&](const VisitMark& fingerprint) { return support::scale(fingerprint.high, passes); };
  NumberTable table(expected / passes + 1);

  // Which visits are first ones.
  FirstVisits first(visits_);
  for (std::uint64_t pass = 0; pass < passes; ++pass) {
    table.clear();
    ScratchFile::Reader states(states_);
    for (std::uint64_t visit = 0; visit < visits_; ++visit) {
      if (visit % kLookEvery == 0 && should_stop()) return false;
      const auto state = states.next<VisitMark>();
      if (pass_of(state) == pass && table.add(state, visit) == visit) first.mark(visit);
    }
  }
  const std::uint64_t distinct = first.count_all();
  if (distinct > GraphLog::kFirstTreeWord)
    throw GraphProblem("the graph has more states than a log can number");

  // Their successors by number. Each pass fills in what its table knows.
  for (std::uint64_t pass = 0; pass < passes; ++pass) {
    table.clear();
    ScratchFile::Reader states(states_);
    for (std::uint64_t visit = 0; visit < visits_; ++visit) {
      if (visit % kLookEvery == 0 && should_stop()) return false;
      const auto state = states.next<VisitMark>();
      if (pass_of(state) == pass && first.has(visit)) table.add(state, first.number(visit));
    }
    ScratchFile::Reader lists(lists_), before(graph_);
    std::vector<std::uint32_t> chunk;
    std::uint64_t chunk_offset = 0;
    const auto put = [&](std::uint32_t word) {
      if (pass == 0) {
        graph_.append(&word, sizeof word);
        return;
      }
      chunk.push_back(word);
      if (chunk.size() < (std::size_t{1} << 18)) return;
      graph_.write(chunk_offset, chunk.data(), chunk.size() * sizeof word);
      chunk_offset += chunk.size() * sizeof word;
      chunk.clear();
    };
    for (std::uint64_t visit = 0; visit < visits_; ++visit) {
      if (visit % kLookEvery == 0 && should_stop()) return false;
      const auto count = lists.next<std::uint32_t>();
      const bool is_first = first.has(visit);
      if (is_first) put(pass == 0 ? count : before.next<std::uint32_t>());
      for (std::uint32_t i = 0; i < count; ++i) {
        const auto successor = lists.next<VisitMark>();
        if (!is_first) continue;
        std::uint32_t number = pass == 0 ? GraphLog::kUnknown : before.next<std::uint32_t>();
        if (pass_of(successor) == pass) {
          const std::uint64_t found = table.find(successor);
          if (found == NumberTable::kNone) throw std::runtime_error("a state of the graph was never visited");
          number = static_cast<std::uint32_t>(found);
        }
        put(number);
      }
    }
    graph_.flush();
    graph_.write(chunk_offset, chunk.data(), chunk.size() * sizeof(std::uint32_t));
  }

  // The tree: numbers follow the walk, so the next one to come is the first
  // successor, from the end of the path back, that has not come yet.
  struct Open {
    std::uint64_t place;  // of its successors in the log
    std::size_t first;    // of them in `pending`
    std::uint32_t next;
  };
  std::vector<Open> path;
  std::vector<std::uint32_t> pending;
  ScratchFile::Reader graph(graph_);
  log.begin(GraphLog::Order::kDepthFirst);
  for (std::uint64_t number = 0; number < distinct; ++number) {
    if (number % kLookEvery == 0 && should_stop()) return false;
    bool is_placed = number == 0;
    while (!is_placed && !path.empty()) {
      Open& last = path.back();
      const auto count = static_cast<std::uint32_t>(pending.size() - last.first);
      while (last.next < count && pending[last.first + last.next] != number) ++last.next;
      if (last.next < count) {
        log.set(last.place + last.next, GraphLog::tree_word({}));
        ++last.next;
        is_placed = true;
      } else {
        pending.resize(last.first);
        path.pop_back();
      }
    }
    if (!is_placed) throw std::runtime_error("a state of the graph hangs nowhere in its tree");
    const auto count = graph.next<std::uint32_t>();
    path.push_back({log.begin_state(count), pending.size(), 0});
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto target = graph.next<std::uint32_t>();
      log.add(target);
      pending.push_back(target);
    }
  }
  log.finish();
  return true;
}

}  // namespace assay::evidence
