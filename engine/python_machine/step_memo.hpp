/// Steps that were executed once and are remembered by what they read.
///
/// A step is deterministic given the contents it reads and the choices it makes. So the steps of a thread form a tree:
/// an inner node says what is read next (or how many ways there are to choose), its branches are the values found
/// there, a leaf is the outcome. Walking down the tree costs a few lookups; only what was never seen is executed.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "python_machine/components.hpp"
#include "support/chunked_vector.hpp"
#include "support/hash.hpp"

namespace assay::python_machine {

/// What a step looks at. Objects and fixed components by number.
struct Event {
  enum class Kind : std::uint8_t { kObject, kFinals, kFixed, kChoice };
  Kind kind;
  std::uint32_t index;  // kChoice: how many alternatives
  std::uint32_t value;  // the component found there, or the alternative taken

  bool same_question(const Event& other) const { return kind == other.kind && index == other.index; }
};

class StepMemo {
 public:
  using NodeId = std::uint32_t;
  static constexpr NodeId kNone = 0xFFFFFFFFu;

  struct Node {
    enum class Kind : std::uint8_t { kUnknown, kRead, kOutcome };
    Kind kind = Kind::kUnknown;
    Event question{};
    std::uint32_t outcome = 0;
    std::uint64_t from = 0, value = 0;  // how one comes here
  };

  StepMemo() { clear(); }

  /// Nothing was ever executed.
  void clear() {
    nodes_.clear();
    slots_.assign(1 << 12, kNone);
    slots_.shrink_to_fit();
  }

  const Node& node(NodeId id) const { return nodes_[id]; }

  /// The branch of a node (or of a root key) for a value; kNone if it was never taken.
  NodeId find(std::uint64_t from, std::uint64_t value) const {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t i = place(from, value) & mask;; i = (i + 1) & mask) {
      const NodeId to = slots_[i];
      if (to == kNone) return kNone;
      if (nodes_[to].from == from && nodes_[to].value == value) return to;
    }
  }

  /// Remembers what happened after these events, starting at a root.
  void add(std::uint64_t root, std::uint64_t root_value, const std::vector<Event>& events, std::uint32_t outcome) {
    NodeId at = branch(root, root_value);
    for (const Event& event : events) {
      Node& node = nodes_[at];
      if (node.kind == Node::Kind::kUnknown) {
        node.kind = Node::Kind::kRead;
        node.question = event;
      } else if (node.kind != Node::Kind::kRead || !node.question.same_question(event)) {
        throw std::runtime_error("internal: a step did not repeat itself");
      }
      at = branch(at, event.value);
    }
    Node& node = nodes_[at];
    if (node.kind != Node::Kind::kUnknown) throw std::runtime_error("internal: a step ended in two ways");
    node.kind = Node::Kind::kOutcome;
    node.outcome = outcome;
  }

  std::size_t size() const { return nodes_.size(); }
  std::size_t bytes() const { return nodes_.bytes() + slots_.size() * sizeof(NodeId); }

  /// Roots share the table with nodes: their keys lie above all node numbers.
  static std::uint64_t root_key(std::uint32_t a, bool flag) { return (1ull << 40) | (std::uint64_t{flag} << 39) | a; }

 private:
  static std::uint64_t place(std::uint64_t from, std::uint64_t value) {
    return support::mix(from * 0x9E3779B97F4A7C15ull + value);
  }
  NodeId branch(std::uint64_t from, std::uint64_t value) {
    std::size_t mask = slots_.size() - 1;
    std::size_t i = place(from, value) & mask;
    for (; slots_[i] != kNone; i = (i + 1) & mask) {
      const Node& node = nodes_[slots_[i]];
      if (node.from == from && node.value == value) return slots_[i];
    }
    const auto added = static_cast<NodeId>(nodes_.size());
    nodes_.push_back({Node::Kind::kUnknown, {}, 0, from, value});
    slots_[i] = added;
    if (nodes_.size() * 2 > slots_.size()) grow();
    return added;
  }
  void grow() {
    std::vector<NodeId> larger(slots_.size() * 2, kNone);
    const std::size_t mask = larger.size() - 1;
    for (NodeId id = 0; id < nodes_.size(); ++id) {
      std::size_t i = place(nodes_[id].from, nodes_[id].value) & mask;
      while (larger[i] != kNone) i = (i + 1) & mask;
      larger[i] = id;
    }
    slots_.swap(larger);
  }

  support::ChunkedVector<Node> nodes_;
  std::vector<NodeId> slots_;
};

}  // namespace assay::python_machine
