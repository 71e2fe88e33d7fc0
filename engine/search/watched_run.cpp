#include "search/watched_run.hpp"

#include <algorithm>
#include <thread>

#include "support/memory.hpp"

namespace assay::search {
namespace {

constexpr double kLook = 0.02, kAskInterrupt = 0.1, kLeastWait = 0.0005, kLeastProgress = 0.001;

}  // namespace

double WatchedRun::operator()(const std::function<void()>& work) {
  start_ = Clock::now();
  next_progress_ = std::max(options_.progress_interval_seconds, kLeastProgress);
  next_interrupt_ = kAskInterrupt;
  std::thread worker([&] {
    try {
      work();
    } catch (...) {
      failure_ = std::current_exception();
    }
    const std::lock_guard<std::mutex> guard(mutex_);
    seconds_ = elapsed();
    is_finished_ = true;
    changed_.notify_all();
  });
  watch();
  worker.join();
  if (failure_) std::rethrow_exception(failure_);
  if (watcher_failure_) std::rethrow_exception(watcher_failure_);
  return seconds_;
}

void WatchedRun::watch() {
  const double limit = options_.time_limit_seconds;
  std::unique_lock<std::mutex> lock(mutex_);
  while (!is_finished_) {
    double wait = std::min(kLook, std::max(next_progress_ - elapsed(), kLeastWait));
    if (limit > 0) wait = std::min(wait, std::max(limit - elapsed(), kLeastWait));
    changed_.wait_for(lock, std::chrono::duration<double>(wait), [&] { return is_finished_; });
    if (is_finished_) break;
    lock.unlock();
    look(elapsed());
    lock.lock();
  }
}

void WatchedRun::look(double now) {
  if (options_.time_limit_seconds > 0 && now >= options_.time_limit_seconds) control_.stop(StopReason::kTime);
  if (options_.memory_limit_bytes > 0 && support::resident_bytes() > options_.memory_limit_bytes) {
    control_.stop(StopReason::kMemory);
  }
  try {
    ask_watcher(now);
  } catch (...) {
    watcher_failure_ = std::current_exception();
    control_.stop(StopReason::kInterrupted);
  }
}

void WatchedRun::ask_watcher(double now) {
  if (watcher_.interrupted && now >= next_interrupt_) {
    next_interrupt_ = now + kAskInterrupt;
    if (watcher_.interrupted()) control_.stop(StopReason::kInterrupted);
  }
  if (!watcher_.progress || is_refused_ || now < next_progress_) return;
  next_progress_ = now + std::max(options_.progress_interval_seconds, kLeastProgress);
  const Progress progress{control_.states.load(),   control_.transitions.load(), control_.depth.load(),
                          control_.frontier.load(), support::resident_bytes(),   now,
                          control_.tracing.load(),  control_.rounds.load(),      control_.predicates.load(),
                          control_.eligible.load()};
  is_refused_ = !watcher_.progress(progress);
  if (is_refused_) control_.stop(StopReason::kInterrupted);
}

}  // namespace assay::search
