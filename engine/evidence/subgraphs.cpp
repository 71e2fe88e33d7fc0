#include "evidence/subgraphs.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "evidence/bits.hpp"
#include "evidence/coding.hpp"
#include "evidence/varint_reader.hpp"
#include "support/memory.hpp"
#include "support/wide_integer.hpp"

namespace assay::evidence {
namespace {

using support::WideInteger;

constexpr std::uint32_t kTree = OpenPath::kUnvisited;  // no script has so many states
constexpr std::uint64_t kBytesPerState = 3 * sizeof(std::uint32_t) + 2 * sizeof(std::int64_t);
constexpr std::uint32_t kFrameEntries = std::uint32_t{1} << 17;
constexpr int kLongestSize = 7;  // bytes of a varint
constexpr std::int64_t kExtracted = std::numeric_limits<std::int64_t>::min();

/// The parent of the state that is visited next, if the numbers of the parent's
/// entries are known in this frame.
bool predicts(const OpenPath& path, std::uint64_t frame_first) {
  return !path.empty() && path.innermost().number != kNoNumber && path.innermost().number >= frame_first;
}

}  // namespace

Subgraphs::Subgraphs(std::uint64_t states, std::uint64_t entries, bool trusted,
                     std::uint64_t memory_limit_bytes)
    : states_(states), entries_(entries), trusted_(trusted), memory_limit_bytes_(memory_limit_bytes) {
  if (states == 0 || states >= kTree || entries >= kTree) {
    throw std::invalid_argument(
        "a script to be cut by subgraphs has 1 to 2^32 - 2 states and at most as many entries");
  }
  require_memory();
  first_entry_.reserve(states + 1);
  first_entry_.push_back(0);
  targets_.reserve(entries);
  counts_.reserve(trusted ? 0 : states);
  listed_.reserve(states);
}

void Subgraphs::read(const FrameSections& frame) {
  if (frame.start != path_.as_section()) throw Rejected("it does not start where the frame before it ends");
  if (frame.states > states_ - listed_.size() || frame.entries > entries_ - targets_.size()) {
    throw Rejected("the frames have more states or entries than the header says");
  }
  Bits bits(frame.bits, frame.entries);
  VarintReader ids(frame.ids.data(), frame.ids.size());
  VarintReader counts(frame.counts.data(), frame.counts.size());
  VarintReader subgraphs(frame.subgraphs.data(), frame.subgraphs.size());
  const std::uint64_t frame_first = listed_.size();
  std::uint32_t references = 0;
  std::vector<std::uint32_t> children;
  for (std::uint32_t i = 0; i < frame.states; ++i) {
    const std::uint64_t number = listed_.size();
    const auto name = [number] { return "state " + std::to_string(number); };
    if (!expects_state_) throw Rejected("no entry leads to " + name());
    std::uint64_t degree = 0, size = 0, count = 0;
    if (!subgraphs.read(degree) || !subgraphs.read(size, kLongestSize)) {
      throw Rejected("Subgraphs does not list " + name());
    }
    if (degree > bits.left()) {
      throw Rejected("Subgraphs lists " + std::to_string(degree) + " entries for " + name() +
                     ", where its frame has " + std::to_string(bits.left()) + " left");
    }
    if (!trusted_) {
      if (!counts.read(count)) throw Rejected("a frame has fewer reference counts than states");
      if (count > entries_) {
        throw Rejected(name() + " is said to be referred to " + std::to_string(count) + " times by " +
                       std::to_string(entries_) + " entries");
      }
      counts_.push_back(static_cast<std::uint32_t>(count));
      counted_ += count;
    }
    const bool has_prediction = !trusted_ && predicts(path_, frame_first);
    const OpenPath::Step parent = has_prediction ? path_.innermost() : OpenPath::Step{};
    const auto entries = static_cast<std::uint32_t>(degree);
    std::uint32_t* const leads_to = path_.enter(number, entries);
    const OpenPath::Prediction predicted(number, entries, has_prediction ? &parent : nullptr,
                                         path_.entries_of(parent));
    children.clear();
    for (std::uint32_t k = 0; k < entries; ++k) {
      std::uint64_t target = kTree;
      if (bits.peek(k, 1) != 0) {
        children.push_back(k);
      } else {
        ++references;
        target = trusted_ ? 0 : read_reference(ids, number, k, predicted(k));
      }
      targets_.push_back(static_cast<std::uint32_t>(target));
      leads_to[k] = static_cast<std::uint32_t>(target);
    }
    bits.skip(entries);
    path_.add_children(children);
    first_entry_.push_back(static_cast<std::uint32_t>(targets_.size()));
    listed_.push_back(static_cast<std::int64_t>(size));
    expects_state_ = path_.advance(number + 1);
  }
  if (bits.left() > 0) {
    throw Rejected("Subgraphs lists " + std::to_string(bits.next()) +
                   " entries for the states of a frame with " + std::to_string(frame.entries));
  }
  if (!subgraphs.at_end()) throw Rejected("Subgraphs lists more states than a frame has");
  if (!trusted_ && (!ids.at_end() || !counts.at_end())) {
    throw Rejected("a frame has more numbers than its entries need");
  }
  if (references != frame.references) {
    throw Rejected("a frame has another number of references than the index says");
  }
  references_ += references;
  require_memory();
}

void Subgraphs::require_memory() const {
  const std::uint64_t bytes = states_ * kBytesPerState + entries_ * sizeof(std::uint32_t) + path_.bytes();
  if (memory_limit_bytes_ != 0 && bytes > memory_limit_bytes_) throw support::MemoryRefused();
}

std::uint64_t Subgraphs::read_reference(VarintReader& ids, std::uint64_t number, std::uint32_t k,
                                        std::uint64_t predicted) const {
  std::uint64_t code = 0;
  if (!ids.read(code)) throw Rejected("a frame has fewer numbers than references");
  const std::int64_t target = static_cast<std::int64_t>(predicted) + unfolded(code);
  if (target < 0 || static_cast<std::uint64_t>(target) >= states_) {
    throw Rejected("entry " + std::to_string(k) + " of state " + std::to_string(number) +
                   " refers to state " + std::to_string(target) + ", which the script does not have");
  }
  return static_cast<std::uint64_t>(target);
}

void Subgraphs::require_whole() const {
  if (expects_state_ || listed_.size() != states_ || targets_.size() != entries_) {
    throw Rejected("the script ends although states are left to visit");
  }
  // The bound on wrong acceptance is about products of at most as many factors as there are entries.
  if (!trusted_ && counted_ != references_) {
    throw Rejected("states are said to be referred to " + std::to_string(counted_) + " times by " +
                   std::to_string(references_) + " references");
  }
}

/// In preorder a child's subtree ends where the next child's begins. Refuses a list that gives one another size.
void Subgraphs::find_ends() {
  ends_.resize(states_);
  for (std::size_t number = states_; number-- > 0;) {
    auto end = static_cast<std::uint32_t>(number + 1);
    for (std::uint32_t at = first_entry_[number]; at < first_entry_[number + 1]; ++at) {
      if (targets_[at] == kTree) end = ends_[end];
    }
    ends_[number] = end;
    const std::int64_t size = std::int64_t{first_entry_[end]} - first_entry_[number];
    if (listed_[number] != size) {
      throw Rejected("Subgraphs lists " + std::to_string(listed_[number]) +
                     " transitions for the subtree of state " + std::to_string(number) + ", which has " +
                     std::to_string(size) + " in the script");
    }
  }
}

const std::vector<Region>& Subgraphs::partition(std::uint32_t regions,
                                                const std::function<void()>& before_each) {
  if (regions == 0) throw std::invalid_argument("a partition has at least 1 region");
  if (ends_.empty()) {
    require_whole();
    find_ends();
  }
  regions_.clear();
  std::vector<std::int64_t> sizes = listed_;
  std::map<std::uint32_t, std::uint32_t> extracted;  // the largest subtrees that are gone: begin and end
  std::vector<std::uint32_t> ancestors;
  std::uint64_t left = entries_;
  for (std::uint32_t shares = regions; shares > 1; --shares) {
    before_each();
    const std::uint32_t root = closest(sizes, left, shares);
    if (root == 0) break;
    Region region = region_of(root, extracted, ancestors);
    const auto transitions = static_cast<std::int64_t>(region.transitions);
    if (sizes[root] != transitions) {
      throw Rejected("Subgraphs lists " + std::to_string(sizes[root]) +
                     " transitions for the region of state " + std::to_string(root) + ", which has " +
                     std::to_string(transitions) + " in the script");
    }
    std::uint64_t begin = root;
    for (const Interval& hole : region.cut) {
      std::fill(sizes.begin() + begin, sizes.begin() + hole.begin, kExtracted);
      begin = hole.end;
    }
    std::fill(sizes.begin() + begin, sizes.begin() + region.end, kExtracted);
    for (const std::uint32_t ancestor : ancestors) sizes[ancestor] -= transitions;
    left -= region.transitions;
    extracted.erase(extracted.lower_bound(root), extracted.lower_bound(region.end));
    extracted.emplace(root, region.end);
    regions_.push_back(std::move(region));
  }
  regions_.push_back(region_of(0, extracted, ancestors));
  return regions_;
}

/// The state whose size is closest to left / shares; 0 if there is none. Each
/// improvement narrows the interval of sizes that would be a further one, so that
/// almost every state costs two comparisons.
std::uint32_t Subgraphs::closest(const std::vector<std::int64_t>& sizes, std::uint64_t left,
                                 std::uint32_t shares) const {
  std::uint32_t best = 0;
  std::int64_t lowest = kExtracted + 1, highest = std::numeric_limits<std::int64_t>::max();
  for (std::uint32_t number = 1; number < sizes.size() && lowest <= highest; ++number) {
    const std::int64_t size = sizes[number];
    if (size < lowest || size > highest) continue;
    best = number;
    const WideInteger excess = WideInteger(size) * shares - left;
    if (excess <= 0) {
      lowest = size + 1;
      highest = static_cast<std::int64_t>((WideInteger(left) - excess + shares - 1) / shares) - 1;
    } else {
      highest = size - 1;
      const WideInteger bound = WideInteger(left) - excess;
      // Division rounds towards zero, this has to round down.
      lowest = static_cast<std::int64_t>(bound >= 0 ? bound / shares : -((-bound + shares - 1) / shares)) + 1;
    }
  }
  return best;
}

Region Subgraphs::region_of(std::uint32_t root, const std::map<std::uint32_t, std::uint32_t>& extracted,
                            std::vector<std::uint32_t>& ancestors) const {
  Region region;
  region.root = root;
  region.end = ends_[root];
  region.transitions = first_entry_[region.end] - first_entry_[root];
  const auto stop = extracted.lower_bound(region.end);
  for (auto hole = extracted.lower_bound(root); hole != stop; ++hole) {
    region.cut.push_back({hole->first, hole->second});
    region.transitions -= first_entry_[hole->second] - first_entry_[hole->first];
  }
  ancestors.clear();
  for (std::uint32_t state = 0; state != root;) {
    ancestors.push_back(state);
    std::uint32_t child = state + 1;
    std::uint32_t at = first_entry_[state];
    while (targets_[at] != kTree || root >= ends_[child]) {
      if (targets_[at] == kTree) child = ends_[child];
      ++at;
    }
    region.path.push_back(at - first_entry_[state]);
    state = child;
  }
  return region;
}

std::vector<FrameSections> Subgraphs::script(std::size_t index) const {
  const Region& region = regions_.at(index);
  const auto is_cut = [&region](std::uint32_t number) {
    const auto hole = std::lower_bound(
        region.cut.begin(), region.cut.end(), number,
        [](const Interval& interval, std::uint32_t begin) { return interval.begin < begin; });
    return hole != region.cut.end() && hole->begin == number;
  };
  OpenPath path;
  for (const std::uint32_t taken : region.path) path.enter_outside(taken + 1, {taken, 0}, {});
  Numbering numbers(region.root, region.cut);
  std::vector<FrameSections> frames;
  std::vector<std::uint32_t> children;
  std::uint64_t frame_first = 0;
  do {
    if (frames.empty() || frames.back().entries >= kFrameEntries) {
      frames.emplace_back().start = path.as_section();
      frame_first = numbers.next();
    }
    FrameSections& frame = frames.back();
    const bool has_prediction = predicts(path, frame_first);
    const OpenPath::Step parent = has_prediction ? path.innermost() : OpenPath::Step{};
    const auto number = static_cast<std::uint32_t>(numbers.take());
    const std::uint32_t first = first_entry_[number], entries = first_entry_[number + 1] - first;
    std::uint32_t* const leads_to = path.enter(number, entries);
    const OpenPath::Prediction predicted(number, entries, has_prediction ? &parent : nullptr,
                                         path.entries_of(parent));
    children.clear();
    std::uint32_t child = number + 1;
    for (std::uint32_t k = 0; k < entries; ++k) {
      std::uint32_t target = targets_[first + k];
      bool is_tree = target == kTree;
      if (is_tree) {
        if (is_cut(child)) {
          is_tree = false;
          target = child;
        }
        child = ends_[child];
      }
      leads_to[k] = target;
      if (frame.entries % 8 == 0) frame.bits.push_back(0);
      if (is_tree) {
        children.push_back(k);
        frame.bits.back() = static_cast<char>(frame.bits.back() | (1 << (frame.entries % 8)));
      } else {
        ++frame.references;
        if (!trusted_) {
          put_varint(frame.ids,
                     folded(static_cast<std::int64_t>(target) - static_cast<std::int64_t>(predicted(k))));
        }
      }
      ++frame.entries;
    }
    path.add_children(children);
    if (!trusted_) {
      const bool has_one_more = number == region.root && number != 0;
      put_varint(frame.counts, std::uint64_t{counts_[number]} + has_one_more);
    }
    ++frame.states;
  } while (path.advance(numbers.next()));
  return frames;
}

}  // namespace assay::evidence
