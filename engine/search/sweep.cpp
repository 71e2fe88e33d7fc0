// Breadth-first search over everything with k hash bits for each state, for an
// estimate of how many there are; with a limit on states it stops after so many
// were expanded. It meets violations and counts them, but has no paths to them.
//
// The queue holds whole states. A level that does not fit its buffer goes to a
// nameless file, written and read from end to end, so that all memory can serve
// the bits: they are what makes the count of states good.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "search/expansion.hpp"
#include "search/strategy.hpp"
#include "search/matching/matching.hpp"
#include "storage/disk_file.hpp"

namespace assay::search {
namespace {

constexpr std::size_t kBufferWords = std::size_t{1} << 18;

/// The states of one level: written, then read, each as its length and its words.
class LevelQueue {
 public:
  explicit LevelQueue(const std::string& directory) : directory_(directory) {}
  ~LevelQueue() {
    if (file_ >= 0) close(file_);
  }
  LevelQueue(const LevelQueue&) = delete;
  LevelQueue& operator=(const LevelQueue&) = delete;

  void clear() {
    buffer_.clear();
    size_ = 0;
    flushed_ = read_from_ = 0;
    at_ = 0;
  }
  void push(const std::uint64_t* words, std::uint32_t count) {
    if (buffer_.size() + count + 1 > kBufferWords && !buffer_.empty()) flush();
    buffer_.push_back(count);
    buffer_.insert(buffer_.end(), words, words + count);
    ++size_;
  }
  std::uint64_t size() const { return size_; }

  /// All was written; `pop` gives the states in order.
  void start_reading() {
    if (flushed_ > 0) {
      flush();
      refill();
    }
    at_ = 0;
  }
  const std::uint64_t* pop(std::uint32_t& count) {
    // A flush ends between states, but a refill does not know where they end.
    if (at_ == buffer_.size() || at_ + 1 + buffer_[at_] > buffer_.size()) refill();
    count = static_cast<std::uint32_t>(buffer_[at_]);
    const std::uint64_t* const words = buffer_.data() + at_ + 1;
    at_ += std::size_t{count} + 1;
    return words;
  }

 private:
  [[noreturn]] static void fail(const char* what) {
    throw DiskProblem(std::string("the queue of a sweep could not be ") + what + ": " + std::strerror(errno));
  }
  void flush() {
    if (file_ < 0) {
      std::string name = directory_ + "/assay-sweep-XXXXXX";
      file_ = mkostemp(name.data(), O_CLOEXEC);
      if (file_ < 0) fail("written");
      unlink(name.c_str());
    }
    const char* from = reinterpret_cast<const char*>(buffer_.data());
    std::size_t bytes = buffer_.size() * sizeof(std::uint64_t);
    while (bytes > 0) {
      const ssize_t written = pwrite(file_, from, bytes, static_cast<off_t>(flushed_));
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) fail("written");
      from += written;
      flushed_ += static_cast<std::uint64_t>(written);
      bytes -= static_cast<std::size_t>(written);
    }
    buffer_.clear();
  }
  void refill() {
    // What is left of the last state moves to the front.
    const std::size_t rest = at_ <= buffer_.size() ? buffer_.size() - at_ : 0;
    std::copy(buffer_.end() - static_cast<std::ptrdiff_t>(rest), buffer_.end(), buffer_.begin());
    const std::size_t state = rest > 0 ? std::size_t{buffer_[0]} + 1 : 0;
    const std::uint64_t bytes =
        std::min<std::uint64_t>(std::max(kBufferWords, state) * sizeof(std::uint64_t), flushed_ - read_from_);
    if (bytes == 0) throw std::runtime_error("the queue of a sweep is shorter than it was written");
    buffer_.resize(rest + bytes / sizeof(std::uint64_t));
    char* to = reinterpret_cast<char*>(buffer_.data() + rest);
    std::uint64_t wanted = bytes;
    while (wanted > 0) {
      const ssize_t got = pread(file_, to, wanted, static_cast<off_t>(read_from_));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) fail("read");
      to += got;
      read_from_ += static_cast<std::uint64_t>(got);
      wanted -= static_cast<std::uint64_t>(got);
    }
    at_ = 0;
  }

  const std::string directory_;
  int file_ = -1;
  std::vector<std::uint64_t> buffer_;
  std::uint64_t size_ = 0, flushed_ = 0, read_from_ = 0;
  std::size_t at_ = 0;
};

class Sweep {
 public:
  Sweep(const Task& task, Result& result)
      : task_(task),
        result_(result),
        bits_(task.system, task.options, task.budget),
        queues_{LevelQueue(task.options.text("scratch_directory")),
                LevelQueue(task.options.text("scratch_directory"))},
        expansion_(task.system, task.options, &task.observers) {}

  void run() {
    const InitialState initial(task_.system);
    result_.violation_count += initial.violation != 0;
    bits_.add(bits_.key(initial.view()));
    queues_[0].push(initial.words.data(), initial.length);
    bool is_over = false;
    for (std::uint32_t depth = 0; !is_over && queues_[depth % 2].size() > 0; ++depth) {
      result_.depth = depth;
      result_.seen.levels.push_back(queues_[depth % 2].size());
      is_over = !explore_level(queues_[depth % 2], queues_[1 - depth % 2]);
    }
    bits_.report(result_);
    result_.states = states_;
    result_.transitions = transitions_;
    result_.frontier = states_ - expanded_;
    result_.complete = !is_over;
    if (is_over) result_.stop_reason = task_.control.reason();
  }

 private:
  struct Reached {
    matching::Bits::Key key;
    StateView state;
  };

  /// False: the search was stopped.
  bool explore_level(LevelQueue& level, LevelQueue& next_level) {
    const std::uint64_t limit = task_.options.state_limit;
    next_level.clear();
    level.start_reading();
    for (std::uint64_t n = level.size(); n > 0; --n) {
      if (limit != 0 && expanded_ >= limit) task_.control.stop(StopReason::kStates);
      if (task_.control.should_stop()) return false;
      std::uint32_t count = 0;
      const std::uint64_t* const words = level.pop(count);
      expand({words, count}, next_level);
      if (expanded_ % 64 == 0) {
        task_.control.report(states_, transitions_, result_.depth, n - 1 + next_level.size());
        bits_.report(result_);
      }
    }
    return true;
  }

  void expand(StateView state, LevelQueue& next_level) {
    reached_.clear();
    expansion_(
        state, false, [&](std::uint32_t, Position) { ++result_.violation_count; },
        [&](Position, StateView next) {
          reached_.push_back({bits_.key(next), next});
          bits_.prefetch(reached_.back().key);
          return true;
        });
    transitions_ += reached_.size();
    for (const Reached& next : reached_) {
      if (!bits_.add(next.key)) continue;
      ++states_;
      next_level.push(next.state.data(), length_of(next.state));
    }
    ++expanded_;
  }

  const Task& task_;
  Result& result_;
  matching::Bits bits_;
  LevelQueue queues_[2];
  Expansion expansion_;
  std::vector<Reached> reached_;  // of one state, so that the bits of all arrive together
  std::uint64_t expanded_ = 0, transitions_ = 0, states_ = 1;
};

void run(const Task& task, Result& result) {
  result.guarantee = Guarantee::kMayLose;
  try {
    Sweep(task, result).run();
  } catch (const std::bad_alloc&) {
    result.stop_reason = StopReason::kMemory;
  }
}

void check(const Options& options) {
  if (options.number("hash_functions", 3) == 0) throw std::invalid_argument("a sweep needs a hash function");
  if (options.number("bitstate_bytes", 0) == 0)
    throw std::invalid_argument("a sweep needs bitstate_bytes above 0");
}

const Registered registered({.name = "sweep",
                             .run = run,
                             .options = {"hash_functions", "bitstate_bytes", "scratch_directory"},
                             .check = check});

}  // namespace
}  // namespace assay::search
