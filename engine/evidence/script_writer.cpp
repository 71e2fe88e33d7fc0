#include "evidence/script_writer.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "evidence/coding.hpp"
#include "evidence/numbered_log.hpp"
#include "support/wide_integer.hpp"

namespace assay::evidence {
namespace {

constexpr std::uint64_t kFrameEntries = std::uint64_t{1} << 17;
constexpr std::uint64_t kSmallestFrame = 64;
constexpr std::uint64_t kMostFrames = 65'536;  // that the format allows
constexpr std::size_t kScanWords = std::size_t{1} << 16;
constexpr std::size_t kCursorWordsAtLeast = 64;
constexpr std::size_t kCursorWordsTogether = std::size_t{1} << 24;

[[noreturn]] void broken() { throw std::runtime_error("the log of the search is not a whole graph"); }

/// The records of the log in preorder.
class Records {
 public:
  Records(const GraphLog& log, std::size_t words_together) {
    if (log.order() == GraphLog::Order::kDepthFirst) {
      cursors_.emplace_back(log, 0, log.words(), kScanWords);
      return;
    }
    const auto& levels = log.levels();
    const std::size_t room =
        std::clamp(words_together / (levels.size() + 1), kCursorWordsAtLeast, kScanWords);
    for (std::size_t i = 0; i < levels.size(); ++i) {
      const std::uint64_t end = i + 1 < levels.size() ? levels[i + 1].first_word : log.words();
      cursors_.emplace_back(log, levels[i].first_word, end,
                            std::min<std::uint64_t>(room, end - levels[i].first_word));
    }
  }
  GraphLog::Cursor& of_level(std::size_t level) {
    const std::size_t which = cursors_.size() == 1 ? 0 : level;
    if (which >= cursors_.size()) broken();
    return cursors_[which];
  }

 private:
  std::vector<GraphLog::Cursor> cursors_;
};

/// A state on the open path; its entries stand in one array for the whole path.
struct Open {
  std::size_t first_entry;
  std::uint32_t number;
  std::uint32_t entries;
  std::uint32_t taken = 0;  // the position of the child that the walk is below
  std::uint32_t next = 0;   // where to look for the next child
};

}  // namespace

std::uint32_t frames_for(std::uint64_t transitions) {
  if (transitions < 100 * kSmallestFrame) {
    return static_cast<std::uint32_t>(std::max<std::uint64_t>(1, transitions / kSmallestFrame));
  }
  const std::uint64_t hundreds = (transitions + 100 * kFrameEntries - 1) / (100 * kFrameEntries);
  return static_cast<std::uint32_t>(100 * std::min<std::uint64_t>(hundreds, kMostFrames / 100));
}

ScriptWriter::ScriptWriter(const GraphLog& log, bool subgraphs, std::size_t memory_bytes, bool moves)
    : log_(log), with_subgraphs_(subgraphs), with_moves_(moves), memory_bytes_(memory_bytes) {
  if (!log.is_finished() || log.states() == 0) broken();
  facts_.states = log.states();
  facts_.transitions = log.transitions();
  const std::uint64_t bytes_per_state = subgraphs ? 16 : 8;
  if (memory_bytes != 0 && facts_.states * bytes_per_state > memory_bytes / 2) {
    numbered_ = number_on_disk(log, subgraphs, memory_bytes, facts_.depth);
    return;
  }
  references_ = support::Pages(facts_.states * sizeof(std::uint32_t));
  if (subgraphs) regions_ = support::Pages(facts_.states * sizeof(std::uint64_t));
  if (log.order() == GraphLog::Order::kBreadthFirst) {
    survey_breadth_first();
  } else {
    survey_depth_first();
  }
}

ScriptWriter::ScriptWriter(const GraphLog& log, const RankedGraph& ranks) : ScriptWriter(log, false) {
  if (log.order() != GraphLog::Order::kBreadthFirst || ranks.states() != log.states()) broken();
  ranks_ = &ranks;
}

/// Children of a state have consecutive ids, those of later states higher ones. So one
/// array can hold in turn, by id: the number of children, the size of the subtree, and
/// the preorder number.
void ScriptWriter::survey_breadth_first() {
  const std::uint64_t states = facts_.states;
  numbers_ = support::Pages(states * sizeof(std::uint32_t));
  auto* const numbers = numbers_.as<std::uint32_t>();
  auto* const references = references_.as<std::uint32_t>();
  auto* const regions = regions_.as<std::uint64_t>();
  GraphLog::Cursor log(log_, 0, log_.words(), kScanWords);
  std::uint64_t discovered = 1;
  for (std::uint64_t id = 0; id < states; ++id) {
    const std::uint32_t degree = log.read();
    std::uint32_t children = 0;
    for (std::uint32_t i = 0; i < degree; ++i) {
      const std::uint32_t target = log.read();
      if (GraphLog::is_tree(target)) {
        ++children;
      } else if (target >= states) {
        broken();
      } else {
        ++references[target];
      }
    }
    numbers[id] = children;
    if (regions != nullptr) regions[id] = degree;
    discovered += children;
  }
  if (discovered != states || log_.levels().empty()) broken();
  facts_.depth = log_.levels().size() - 1;

  std::uint64_t end = states;
  for (std::uint64_t id = states; id-- > 0;) {
    const std::uint64_t begin = end - numbers[id];
    std::uint32_t size = 1;
    for (std::uint64_t child = begin; child < end; ++child) {
      size += numbers[child];
      if (regions != nullptr) regions[id] += regions[child];
    }
    numbers[id] = size;
    end = begin;
  }
  std::uint64_t child = 1;
  std::uint32_t size = numbers[0];
  numbers[0] = 0;
  // The subtree sizes of the states of a level are needed until all of them have numbers.
  std::vector<std::uint32_t> sizes{size}, next_sizes;
  std::uint64_t id = 0;
  while (!sizes.empty()) {
    next_sizes.clear();
    for (const std::uint32_t whole : sizes) {
      std::uint64_t next = std::uint64_t{numbers[id]} + 1;
      for (std::uint32_t left = whole - 1; left > 0; ++child) {
        const std::uint32_t part = numbers[child];
        next_sizes.push_back(part);
        numbers[child] = static_cast<std::uint32_t>(next);
        next += part;
        left -= part;
      }
      ++id;
    }
    sizes.swap(next_sizes);
  }
}

void ScriptWriter::survey_depth_first() {
  auto* const references = references_.as<std::uint32_t>();
  auto* const regions = regions_.as<std::uint64_t>();
  GraphLog::Cursor log(log_, 0, log_.words(), kScanWords);
  std::vector<std::uint32_t> children_left;
  std::vector<std::uint64_t> path;
  for (std::uint64_t id = 0; id < facts_.states; ++id) {
    if (id > 0 && children_left.empty()) broken();
    const std::uint32_t degree = log.read();
    std::uint32_t children = 0;
    for (std::uint32_t i = 0; i < degree; ++i) {
      const std::uint32_t target = log.read();
      if (GraphLog::is_tree(target)) {
        ++children;
      } else if (target >= facts_.states) {
        broken();
      } else {
        ++references[target];
      }
    }
    children_left.push_back(children);
    facts_.depth = std::max<std::uint64_t>(facts_.depth, children_left.size() - 1);
    if (regions != nullptr) {
      regions[id] = degree;
      path.push_back(id);
    }
    while (!children_left.empty() && children_left.back() == 0) {
      children_left.pop_back();
      if (regions != nullptr) {
        const std::uint64_t done = path.back();
        path.pop_back();
        if (!path.empty()) regions[path.back()] += regions[done];
      }
      if (!children_left.empty()) --children_left.back();
    }
  }
  if (!children_left.empty()) broken();
}

bool ScriptWriter::write(std::uint32_t frames, const std::function<bool(const FrameSections&)>& take) {
  const auto* const numbers = numbers_.as<std::uint32_t>();
  const auto* const references = references_.as<std::uint32_t>();
  const auto* const regions = regions_.as<std::uint64_t>();
  const bool is_numbered = numbered_ != nullptr;
  const bool breadth_first = log_.order() == GraphLog::Order::kBreadthFirst && !is_numbered;
  const GraphLog& source = is_numbered ? *numbered_ : log_;
  Records records(source, memory_bytes_ == 0
                              ? kCursorWordsTogether
                              : std::min(kCursorWordsTogether, memory_bytes_ / 4 / sizeof(std::uint32_t)));
  // Breadth first, a discovered state has the next id of its level.
  std::vector<std::uint64_t> next_id;
  if (breadth_first) {
    for (const GraphLog::Level& level : log_.levels()) next_id.push_back(level.first_state);
  }

  std::vector<Open> path;
  // Paths of depth-first searches are long: this is most of what is kept in memory.
  std::vector<std::uint32_t> numbers_on_path;  // of the entries, kNobody for a child not yet visited
  std::vector<bool> is_tree;
  std::vector<std::uint32_t> ranks_on_path;  // where the entries lead, if there are ranks
  constexpr std::uint32_t kNobody = 0xFFFFFFFFu;
  std::vector<std::uint32_t> targets;
  FrameSections frame;
  std::uint32_t frame_number = 0;
  std::uint64_t frame_first_state = 0, entries_written = 0;
  unsigned bit_count = 0;

  const auto put_start = [&] {
    put_varint(frame.start, path.size());
    std::vector<std::uint32_t> remaining, ranks;
    std::uint32_t rank = ranks_ == nullptr ? 0 : ranks_->rank(0);
    for (const Open& open : path) {
      remaining.clear();
      ranks.clear();
      if (ranks_ != nullptr) ranks.push_back(ranks_on_path[open.first_entry + open.taken]);
      for (std::uint32_t i = open.taken + 1; i < open.entries; ++i) {
        if (!is_tree[open.first_entry + i]) continue;
        remaining.push_back(i);
        if (ranks_ != nullptr) ranks.push_back(ranks_on_path[open.first_entry + i]);
      }
      put_path_step(frame.start, open.taken, remaining.data(), remaining.size(),
                    ranks_ == nullptr ? nullptr : ranks.data(), rank);
      if (ranks_ != nullptr) rank = ranks.front();
    }
  };
  const auto next_frame = [&](std::uint64_t first_state) {
    if (!take(frame)) return false;
    ++frame_number;
    frame = FrameSections{};
    bit_count = 0;
    frame_first_state = first_state;
    put_start();
    return true;
  };

  put_start();
  for (std::uint64_t number = 0; number < facts_.states; ++number) {
    // Whoever is next is the child of the innermost open state that has one left.
    if (number > 0) {
      for (;;) {
        if (path.empty()) broken();
        Open& open = path.back();
        while (open.next < open.entries && !is_tree[open.first_entry + open.next]) ++open.next;
        if (open.next < open.entries) break;
        numbers_on_path.resize(open.first_entry);
        is_tree.resize(open.first_entry);
        if (ranks_ != nullptr) ranks_on_path.resize(open.first_entry);
        path.pop_back();
      }
      Open& parent = path.back();
      parent.taken = parent.next++;
      numbers_on_path[parent.first_entry + parent.taken] = static_cast<std::uint32_t>(number);
    }
    while (frame_number + 1 < frames &&
           entries_written >=
               static_cast<std::uint64_t>(static_cast<support::WideUnsigned>(frame_number + 1) *
                                          facts_.transitions / frames)) {
      if (!next_frame(number)) return false;
    }

    const std::size_t level = path.size();
    GraphLog::Cursor& log = records.of_level(level);
    const std::uint64_t id = breadth_first ? next_id[level]++ : number;
    if (breadth_first && numbers[id] != number) broken();
    const std::uint32_t degree = log.read();
    const std::uint32_t referred = is_numbered ? log.read() : references[id];
    std::uint64_t region = 0;
    if (with_subgraphs_) {
      region = is_numbered ? log.read() : regions[id];
      if (is_numbered) region |= std::uint64_t{log.read()} << 32;
    }
    targets.resize(degree);
    for (std::uint32_t& target : targets) {
      target = log.read();
      if (breadth_first && !GraphLog::is_tree(target)) __builtin_prefetch(&numbers[target]);
    }
    const Open* const parent = path.empty() ? nullptr : &path.back();
    const bool predicts = ranks_ == nullptr && parent != nullptr && parent->number >= frame_first_state;
    const std::size_t first_entry = numbers_on_path.size();
    if (with_moves_) put_varint(frame.moves, degree);
    for (std::uint32_t k = 0; k < degree; ++k) {
      const bool tree = GraphLog::is_tree(targets[k]);
      if (bit_count % 8 == 0) frame.bits.push_back(0);
      if (tree) frame.bits.back() = static_cast<char>(frame.bits.back() | (1 << (bit_count % 8)));
      if (tree && with_moves_) put_varint(frame.moves, number_of_move(GraphLog::move_of(targets[k])));
      ++bit_count;
      std::uint32_t leads_to = kNobody;
      if (!tree) {
        leads_to = breadth_first ? numbers[targets[k]] : targets[k];
        ++frame.references;
      }
      // With ranks, the products alone say which states are meant.
      if (!tree && ranks_ == nullptr) {
        std::uint64_t predicted = number;
        if (predicts) {
          const std::int64_t i =
              k < parent->taken ? std::int64_t{k} : std::int64_t{k} - std::int64_t{degree} + parent->entries;
          if (i >= 0 && i < parent->entries) {
            const std::uint32_t x = numbers_on_path[parent->first_entry + static_cast<std::size_t>(i)];
            if (x != kNobody) predicted = std::uint64_t{x} + (number - parent->number);
          }
        }
        put_varint(frame.ids,
                   folded(static_cast<std::int64_t>(leads_to) - static_cast<std::int64_t>(predicted)));
      }
      numbers_on_path.push_back(leads_to);
      is_tree.push_back(tree);
      if (ranks_ != nullptr) {
        put_varint(frame.excesses, ranks_->number_beside(id, k));
        ranks_on_path.push_back(ranks_->rank_after(id, k));
      }
    }
    put_varint(frame.counts, referred);
    if (with_subgraphs_) {
      put_varint(frame.subgraphs, degree);
      put_varint(frame.subgraphs, region);
    }
    ++frame.states;
    frame.entries += degree;
    entries_written += degree;
    path.push_back({first_entry, static_cast<std::uint32_t>(number), degree, 0, 0});
  }
  // What is left must have no children; frames after the last state are empty.
  for (const Open& open : path) {
    for (std::uint32_t i = open.next; i < open.entries; ++i) {
      if (is_tree[open.first_entry + i]) broken();
    }
  }
  path.clear();
  while (frame_number + 1 < frames) {
    if (!next_frame(facts_.states)) return false;
  }
  return take(frame);
}

}  // namespace assay::evidence
