/// In which order a depth-first search tries the steps of a state.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "search/options.hpp"
#include "support/hash.hpp"
#include "support/random_source.hpp"

namespace assay::search {

/// Which process comes first (`process_order`) and which of its steps (`order`):
///
///     given      as the system lists them
///     reversed   the other way round
///     rotated    from another one on, the same in all states
///     permuted   (processes) in an order of their numbers that is the same in all states
///     random     anew in every state
///
/// What is drawn follows from the seed and the number of the attempt. The search `random-dfs` means steps in
/// random order; where nothing is said of processes, the steps of all of them are mixed.
class SuccessorOrder {
 public:
  SuccessorOrder(const Options& options, std::uint64_t attempt)
      : steps_(named(options.text("order", "given"))),
        processes_(named(options.text("process_order", "given"))),
        seed_(options.seed ^ support::mix(attempt)) {
    if (options.strategy == "random-dfs") {
      steps_ = Kind::kRandom;
      is_mixed_ = processes_ == Kind::kGiven;
    }
  }

  bool is_given() const { return steps_ == Kind::kGiven && processes_ == Kind::kGiven; }
  /// What a search that draws its orders one after the other begins with, and one that draws them for each state
  /// mixes with the number of the state.
  std::uint64_t seed() const { return seed_; }

  /// Numbers from 0 to `count`, in the order in which to try what has these numbers.
  template <class ProcessOf>
  void arrange(std::uint32_t count, support::RandomSource& random, ProcessOf&& process_of,
               std::vector<std::uint32_t>& order) {
    order.resize(count);
    std::iota(order.begin(), order.end(), 0u);
    if (is_given() || count < 2) return;
    if (is_mixed_) {
      for (std::uint32_t i = count; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
      return;
    }
    group(count, process_of);
    const std::uint64_t drawn = random.next();
    ranks_.resize(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      const Place& place = places_[i];
      ranks_[i] = {rank_of_process(place.group, drawn), rank_of_step(place, drawn, i)};
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return ranks_[a] < ranks_[b]; });
  }

 private:
  enum class Kind { kGiven, kReversed, kRotated, kPermuted, kRandom };
  struct Place {
    std::uint32_t group;   // the process, by the order in which processes are met
    std::uint32_t number;  // among its steps
  };
  struct Group {
    std::uint32_t process;
    std::uint32_t size;
  };

  static Kind named(const std::string& name) {
    if (name == "given") return Kind::kGiven;
    if (name == "reversed") return Kind::kReversed;
    if (name == "rotated") return Kind::kRotated;
    if (name == "permuted") return Kind::kPermuted;
    if (name == "random") return Kind::kRandom;
    throw std::invalid_argument("unknown order '" + name + "'");
  }

  template <class ProcessOf>
  void group(std::uint32_t count, ProcessOf&& process_of) {
    groups_.clear();
    places_.resize(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t process = process_of(i);
      auto found = std::ranges::find(groups_, process, &Group::process);
      if (found == groups_.end()) found = groups_.insert(found, Group{process, 0});
      places_[i] = {static_cast<std::uint32_t>(found - groups_.begin()), found->size++};
    }
  }

  std::uint64_t rank_of_process(std::uint32_t group, std::uint64_t drawn) const {
    const std::size_t count = groups_.size();
    switch (processes_) {
      case Kind::kGiven: return group;
      case Kind::kReversed: return count - group;
      case Kind::kRotated: return (group + support::mix(seed_ + 1)) % count;
      case Kind::kPermuted: return support::mix(support::mix(seed_ + 2) ^ groups_[group].process);
      case Kind::kRandom: return support::mix(drawn ^ groups_[group].process);
    }
    return group;
  }

  std::uint64_t rank_of_step(const Place& place, std::uint64_t drawn, std::uint32_t i) const {
    switch (steps_) {
      case Kind::kGiven:
      case Kind::kPermuted: return place.number;
      case Kind::kReversed: return groups_[place.group].size - place.number;
      case Kind::kRotated: return (place.number + support::mix(seed_ + 3)) % groups_[place.group].size;
      case Kind::kRandom: return support::mix(~drawn + i);
    }
    return place.number;
  }

  Kind steps_;
  const Kind processes_;
  const std::uint64_t seed_;
  bool is_mixed_ = false;
  std::vector<Group> groups_;
  std::vector<Place> places_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranks_;
};

}  // namespace assay::search
