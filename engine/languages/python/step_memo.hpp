/// Steps that were executed once and are remembered by what they read.
///
/// A step is deterministic given the contents it reads and the choices it makes. So the steps of a thread form a tree:
/// an inner node says what is read next (or how many ways there are to choose), its branches are the values found
/// there, a leaf is the outcome. Walking down the tree costs a few lookups; only what was never seen is executed.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <unordered_map>
#include <vector>

#include "support/hash.hpp"
#include "support/problems.hpp"

namespace assay::languages::python {

/// What a step looks at. Objects and fixed components by number.
struct Event {
  enum class Kind : std::uint8_t { kObject, kFinals, kFixed, kObjectCount, kChoice };
  Kind kind;
  std::uint32_t index;  // kChoice: how many alternatives
  std::uint32_t value;  // the component found there, how many objects there are, or the alternative taken
};

/// All trees in one table: a node lies where its parent and the value that leads to it say, so that a lookup is
/// one line of memory.
class StepMemo {
 public:
  struct Node {
    /// The first five are those of events: questions.
    enum class Kind : std::uint8_t {
      kObject,
      kFinals,
      kFixed,
      kObjectCount,
      kChoice,
      kUnknown,
      kOutcome,
      kNoStep
    };

    Kind kind() const { return Kind(what >> kIndexBits); }
    bool is_question() const { return kind() <= Kind::kChoice; }
    std::uint32_t index() const { return what & kLargestIndex; }

    std::uint64_t key = kNoKey;
    std::uint32_t what = 0;    // kind and, of a question, the index
    std::uint32_t number = 0;  // of the node, or of the outcome
  };

  StepMemo() { clear(); }

  /// Nothing was ever executed.
  void clear() {
    std::vector<Node>(1 << 12).swap(nodes_);
    shift_ = 64 - 12;
    roots_.clear();
    recent_roots_.fill({});
    count_ = 0;
  }

  /// Where the trees of one situation begin; both numbers together tell it.
  std::uint32_t root(std::uint64_t a, std::uint64_t b) {
    Root& recent = recent_roots_[support::mix(a + b) % recent_roots_.size()];
    if (recent.a == a && recent.b == b) return recent.number;
    const auto found =
        roots_.try_emplace({a, b}, kFirstRoot + static_cast<std::uint32_t>(roots_.size())).first;
    recent = {a, b, found->second};
    return found->second;
  }

  static std::uint64_t key(std::uint32_t from, std::uint32_t value) {
    return std::uint64_t{from} << 32 | value;
  }
  void prefetch(std::uint64_t key) const { __builtin_prefetch(&nodes_[home(key)]); }

  /// The node to which a value leads from a root or a question; null if nothing is known of it. Good until `add`.
  const Node* find(std::uint64_t key) const {
    const Node& node = nodes_[place(key)];
    return node.key == key && node.kind() != Node::Kind::kUnknown ? &node : nullptr;
  }

  /// Remembers what happened after these events, starting at a root.
  void add(std::uint64_t root_key, const std::vector<Event>& events, std::uint32_t outcome, bool is_step) {
    std::size_t at = branch(root_key);
    for (const Event& event : events) {
      if (event.index > kLargestIndex) throw UnsupportedProgram("a step looks at too many parts");
      const std::uint32_t question = static_cast<std::uint32_t>(event.kind) << kIndexBits | event.index;
      if (nodes_[at].kind() == Node::Kind::kUnknown) {
        nodes_[at].what = question;
      } else if (nodes_[at].what != question) {
        throw std::runtime_error("internal: a step did not repeat itself");
      }
      at = branch(key(nodes_[at].number, event.value));
    }
    if (nodes_[at].kind() != Node::Kind::kUnknown)
      throw std::runtime_error("internal: a step ended in two ways");
    nodes_[at].what = static_cast<std::uint32_t>(is_step ? Node::Kind::kOutcome : Node::Kind::kNoStep)
                      << kIndexBits;
    nodes_[at].number = outcome;
  }

  std::size_t size() const { return count_; }
  std::size_t bytes() const { return nodes_.size() * sizeof(Node); }

 private:
  static constexpr std::uint32_t kIndexBits = 29, kLargestIndex = (1u << kIndexBits) - 1;
  static constexpr std::uint32_t kFirstRoot = 1u << 31;  // above the numbers of all nodes
  static constexpr std::uint64_t kNoKey = std::numeric_limits<std::uint64_t>::max();

  struct Root {
    std::uint64_t a = kNoKey, b = kNoKey;
    std::uint32_t number = 0;
  };
  struct PairHash {
    std::size_t operator()(const std::pair<std::uint64_t, std::uint64_t>& pair) const {
      return support::mix(support::mix(pair.first) + pair.second);
    }
  };

  std::size_t home(std::uint64_t key) const { return ((key ^ key >> 32) * 0x9E3779B97F4A7C15ull) >> shift_; }
  std::size_t place(std::uint64_t key) const {
    std::size_t at = home(key);
    while (nodes_[at].key != key && nodes_[at].key != kNoKey) at = (at + 1) & (nodes_.size() - 1);
    return at;
  }
  std::size_t branch(std::uint64_t key) {
    const std::size_t known = place(key);
    if (nodes_[known].key == key) return known;
    if (count_ + 1 == kFirstRoot) throw UnsupportedProgram("too many steps to remember");
    if (2 * (std::size_t{count_} + 1) > nodes_.size()) grow();
    const std::size_t added = place(key);
    nodes_[added] = {key, static_cast<std::uint32_t>(Node::Kind::kUnknown) << kIndexBits, count_++};
    return added;
  }
  void grow() {
    std::vector<Node> old(nodes_.size() * 2);
    old.swap(nodes_);
    --shift_;
    for (const Node& node : old) {
      if (node.key != kNoKey) nodes_[place(node.key)] = node;
    }
  }

  std::vector<Node> nodes_;
  std::uint32_t count_ = 0;
  std::uint32_t shift_ = 0;  // from a hash to a place
  std::unordered_map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t, PairHash> roots_;
  std::array<Root, 64> recent_roots_;
};

}  // namespace assay::languages::python
