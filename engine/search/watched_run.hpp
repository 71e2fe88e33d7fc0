/// A search in a thread of its own, and who looks after it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>

#include "search/control.hpp"
#include "search/options.hpp"
#include "search/search.hpp"

namespace assay::search {

/// Stops the search at its limits and when it is interrupted, and tells of its progress.
class WatchedRun {
 public:
  WatchedRun(const Options& options, const Watcher& watcher, Control& control)
      : options_(options), watcher_(watcher), control_(control) {}

  /// Answers how many seconds the work took; throws what it threw, or what the watcher did.
  double operator()(const std::function<void()>& work);

 private:
  using Clock = std::chrono::steady_clock;

  double elapsed() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  void watch();
  void look(double now);
  void ask_watcher(double now);

  const Options& options_;
  const Watcher& watcher_;
  Control& control_;
  Clock::time_point start_{};
  std::mutex mutex_{};
  std::condition_variable changed_{};
  bool is_finished_ = false;
  double seconds_ = 0;
  std::exception_ptr failure_{}, watcher_failure_{};
  double next_progress_ = 0, next_interrupt_ = 0;
  bool is_refused_ = false;  // who said stop is not asked again
};

}  // namespace assay::search
