/// How a search is told to stop, and tells how far it is.
#pragma once

#include <atomic>
#include <cstdint>

#include "search/result.hpp"

namespace assay::search {

/// What the searching threads and the thread that watches them share. The
/// watcher sees limits on time and memory, and people who lose patience; the
/// search sees only that it shall stop.
class Control {
 public:
  bool should_stop() const { return reason_.load(std::memory_order_relaxed) != 0; }
  /// The first reason counts.
  void stop(StopReason reason) {
    int none = 0;
    reason_.compare_exchange_strong(none, static_cast<int>(reason));
  }
  StopReason reason() const { return static_cast<StopReason>(reason_.load()); }

  /// Figures for the progress display; approximate while the search runs.
  void report(std::uint64_t states_now, std::uint64_t transitions_now, std::uint64_t depth_now,
              std::uint64_t frontier_now) {
    states.store(states_now, std::memory_order_relaxed);
    transitions.store(transitions_now, std::memory_order_relaxed);
    depth.store(depth_now, std::memory_order_relaxed);
    frontier.store(frontier_now, std::memory_order_relaxed);
  }
  std::atomic<std::uint64_t> states{0}, transitions{0}, depth{0}, frontier{0};
  /// Of a search that refines an abstraction.
  std::atomic<std::uint64_t> rounds{0}, predicates{0}, eligible{0};
  /// The search is over and something was found: now the paths to it are made.
  std::atomic<bool> tracing{false};

 private:
  std::atomic<int> reason_{0};
};

}  // namespace assay::search
