/// A transition system given edge by edge, for tests and for learning.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "transition_system/transition_system.hpp"

namespace assay::transition_system {

class ExplicitGraph final : public TransitionSystem {
 public:
  struct Edge {
    std::int64_t target;  // a node, or -1 for an error that leaves no state
    std::uint32_t violation;
    std::uint16_t process = ASSAY_NO_PROCESS;
  };

  /// `states[i]` is the state of node i; node 0 is initial. Throws
  /// std::invalid_argument with a sentence if the lists do not fit together.
  ExplicitGraph(std::vector<std::vector<std::uint64_t>> states, std::vector<std::vector<Edge>> edges,
                std::vector<bool> valid_ends, std::vector<std::uint32_t> state_violations,
                std::vector<std::uint64_t> labels = {}, std::vector<std::uint64_t> acceptance = {},
                std::uint32_t acceptance_count = 0);

  std::uint32_t max_words() const override { return max_words_; }
  std::uint32_t initial(std::uint64_t* words, std::uint32_t* violation) const override;
  void successors(StateView state, assay_buffer* out) const override;
  bool is_valid_end(StateView state) const override { return valid_ends_[node(state)]; }
  bool has_state_checks() const override { return true; }
  std::uint32_t check_state(StateView state) const override { return state_violations_[node(state)]; }
  std::uint32_t label_count() const override { return labels_.empty() ? 0 : 64; }
  std::uint64_t labels(StateView state) const override { return labels_.empty() ? 0 : labels_[node(state)]; }
  std::uint32_t acceptance_count() const override { return acceptance_count_; }
  std::uint64_t acceptance(StateView state) const override {
    return acceptance_.empty() ? 0 : acceptance_[node(state)];
  }

 private:
  std::size_t node(StateView state) const;

  std::vector<std::vector<std::uint64_t>> states_;
  std::vector<std::vector<Edge>> edges_;
  std::vector<bool> valid_ends_;
  std::vector<std::uint32_t> state_violations_;
  std::vector<std::uint64_t> labels_;
  std::vector<std::uint64_t> acceptance_;
  std::uint32_t acceptance_count_;
  std::unordered_map<std::string, std::size_t> nodes_;
  std::uint32_t max_words_ = 0;
};

}  // namespace assay::transition_system
