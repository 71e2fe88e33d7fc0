/// The child process that walks compiled programs along scripts.
///
///     assay-walker PARENT TASKS_FD ANSWERS_FD LIBRARY
///
/// What it executes is a stranger's code, hence a process of its own; what it
/// needs is a model and a frame at a time, hence one without an interpreter: it
/// starts in a millisecond and stays within a few megabytes. Messages are those
/// of `assay.certification.walkers`, which is the only one who starts it. The
/// end of the tasks is the end of this process.
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "evidence/walk.hpp"
#include "support/memory.hpp"
#include "transition_system/compiled_model.hpp"
#include "transition_system/product.hpp"

namespace assay::walker {
namespace {

using Clock = std::chrono::steady_clock;

/// Whole messages from and to the parent: a length of 8 bytes, then the body.
class Pipe {
 public:
  Pipe(int tasks, int answers) : tasks_(tasks), answers_(answers) {}

  /// False: the parent has no more.
  bool receive(std::vector<char>& body) const {
    std::uint64_t length = 0;
    if (!fill(&length, sizeof length)) return false;
    body.resize(length);
    return fill(body.data(), body.size());
  }
  void send(const std::string& body) const {
    const std::uint64_t length = body.size();
    std::string message(reinterpret_cast<const char*>(&length), sizeof length);
    message += body;
    for (std::size_t sent = 0; sent < message.size();) {
      const ssize_t n = write(answers_, message.data() + sent, message.size() - sent);
      if (n > 0) sent += static_cast<std::size_t>(n);
      if (n < 0 && errno != EINTR) std::_Exit(1);
    }
  }

 private:
  bool fill(void* to, std::size_t length) const {
    for (std::size_t got = 0; got < length;) {
      const ssize_t n = read(tasks_, static_cast<char*>(to) + got, length - got);
      if (n == 0 || (n < 0 && errno != EINTR)) return false;
      if (n > 0) got += static_cast<std::size_t>(n);
    }
    return true;
  }
  const int tasks_, answers_;
};

/// Takes a message of our own parent apart.
class Reader {
 public:
  explicit Reader(const std::vector<char>& body) : rest_(body.data(), body.size()) {}

  template <class Number>
  Number number() {
    Number value{};
    std::memcpy(&value, bytes(sizeof value).data(), sizeof value);
    return value;
  }
  std::string_view blob() { return bytes(number<std::uint64_t>()); }

 private:
  std::string_view bytes(std::size_t length) {
    if (length > rest_.size()) throw std::runtime_error("a message is shorter than it says");
    const std::string_view taken = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return taken;
  }
  std::string_view rest_;
};

/// Puts an answer together.
class Answer {
 public:
  explicit Answer(char kind) : body_(1, kind) {}

  template <class Number>
  Answer& number(Number value) {
    body_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  Answer& blob(const std::string& bytes) {
    number(std::uint64_t{bytes.size()});
    body_ += bytes;
    return *this;
  }
  const std::string& body() const { return body_; }

 private:
  std::string body_;
};

std::uint64_t peak_memory_bytes() {
  std::uint64_t kilobytes = 0;
  if (std::FILE* const status = std::fopen("/proc/self/status", "r")) {
    char line[256];
    while (std::fgets(line, sizeof line, status) != nullptr) {
      if (std::strncmp(line, "VmHWM:", 6) == 0) kilobytes = std::strtoull(line + 6, nullptr, 10);
    }
    std::fclose(status);
  }
  return kilobytes * 1024;
}

class Walker {
 public:
  Walker(const Pipe& pipe, std::string library) : pipe_(pipe), library_(std::move(library)) {}

  void run() {
    std::vector<char> body;
    while (pipe_.receive(body)) {
      const Clock::time_point began = Clock::now();
      take(body);
      busy_ += Clock::now() - began;
    }
  }

 private:
  void take(const std::vector<char>& body) {
    try {
      Reader reader(body);
      switch (reader.number<char>()) {
        case 'Q': return tell_secret_bytes();
        case 'W': return begin(reader);
        case 'F': return frame(reader);
        case 'E': return end();
        default: throw std::runtime_error("a message of an unknown kind");
      }
    } catch (const evidence::Rejected& problem) {
      fail('X', problem.what());
    } catch (const std::bad_alloc& problem) {
      fail('M', problem.what());
    } catch (const std::exception& problem) {
      fail('B', problem.what());
    }
  }

  const transition_system::CompiledModel& model() {
    if (!model_) {
      transition_system::CompiledModel::confine({});  // if there is C in it; frames come through the pipe
      model_.emplace(library_);
    }
    return *model_;
  }
  void tell_secret_bytes() {
    pipe_.send(Answer('S').number(std::uint64_t{evidence::Walk::secret_bytes(model().max_words())}).body());
  }

  void begin(Reader& reader) {
    busy_ = {};
    frames_ = 0;
    walk_.reset();
    evidence::WalkOptions options;
    options.purpose =
        reader.number<std::uint8_t>() != 0 ? evidence::Purpose::kTrust : evidence::Purpose::kAuthenticate;
    options.check_deadlock = reader.number<std::uint8_t>() != 0;
    options.moves = reader.number<std::uint8_t>() != 0;
    options.total_states = reader.number<std::uint64_t>();
    options.memory_limit_bytes = reader.number<std::uint64_t>();
    first_state_ = reader.number<std::uint64_t>();
    holes_.resize(reader.number<std::uint64_t>());
    for (evidence::Interval& hole : holes_) {
      hole.begin = reader.number<std::uint64_t>();
      hole.end = reader.number<std::uint64_t>();
    }
    options.secrets = reader.blob();
    product_.reset();
    if (reader.number<std::uint8_t>() != 0) options.ranking = read_ranking(reader);
    if (product_) {
      walk_ = evidence::Walk::make(*product_, options);
    } else {
      walk_ = evidence::Walk::make(model(), options);
    }
  }
  /// The automaton and what else is asked of cycles: the script is one with ranks, over the product.
  evidence::Ranking read_ranking(Reader& reader) {
    evidence::Ranking ranking;
    ranking.initial_rank = reader.number<std::uint32_t>();
    ranking.question.processes = reader.number<std::uint32_t>();
    const auto progress_label = reader.number<std::uint32_t>();
    if (progress_label != kNoLabel) ranking.question.progress_label = progress_label;
    transition_system::Automaton automaton;
    automaton.acceptance_count = reader.number<std::uint32_t>();
    const auto locations = reader.number<std::uint32_t>();
    for (std::uint32_t location = 0; location < locations; ++location) {
      automaton.acceptance.push_back(reader.number<std::uint64_t>());
      automaton.edges.emplace_back();
      for (auto edges = reader.number<std::uint32_t>(); edges > 0; --edges) {
        const auto mask = reader.number<std::uint64_t>(), value = reader.number<std::uint64_t>();
        automaton.edges.back().push_back({mask, value, reader.number<std::uint32_t>()});
      }
    }
    product_.emplace(model(), std::move(automaton));
    return ranking;
  }

  void frame(Reader& reader) {
    if (!walk_) return;  // it has been answered
    evidence::FrameView frame;
    frame.states = reader.number<std::uint32_t>();
    frame.entries = reader.number<std::uint32_t>();
    frame.references = reader.number<std::uint32_t>();
    const std::string_view start = reader.blob();
    frame.bits = reader.blob();
    frame.ids = reader.blob();
    frame.counts = reader.blob();
    frame.supplement = reader.blob();
    if (frames_ == 0) {
      walk_->begin(start, first_state_, holes_);
    } else if (walk_->position() != start) {
      throw evidence::Rejected("it does not start where the frame before it ends");
    }
    if (!walk_->frame(frame)) return report();
    ++frames_;
    const auto [states, entries] = walk_->progress();
    pipe_.send(Answer('P').number(states).number(entries).body());
  }

  void end() {
    if (walk_) report();
    pipe_.send(
        Answer('E').number(std::chrono::duration<double>(busy_).count()).number(peak_memory_bytes()).body());
  }

  void report() {
    const evidence::WalkFacts facts = walk_->facts();
    Answer answer('R');
    for (const std::uint64_t number : {facts.states, facts.entries, facts.depth, facts.path_length,
                                       facts.counted, std::uint64_t{walk_->is_finished()}}) {
      answer.number(number);
    }
    answer.blob(facts.referred).blob(facts.visited).blob(walk_->position());
    if (const auto& violation = walk_->violation()) {
      answer.number(violation->code);
      for (const std::uint32_t step : violation->path) answer.number(step);
    }
    walk_.reset();
    pipe_.send(answer.body());
  }

  void fail(char kind, const char* words) {
    walk_.reset();
    pipe_.send(Answer(kind).number(frames_).blob(words).body());
  }

  const Pipe& pipe_;
  const std::string library_;
  static constexpr std::uint32_t kNoLabel = 0xFFFFFFFFu;

  std::optional<transition_system::CompiledModel> model_;
  std::optional<transition_system::Product> product_;  // of the task, if it has ranks
  std::unique_ptr<evidence::Walk> walk_;               // none before the first frame and after the answer
  std::uint64_t first_state_ = 0;
  std::vector<evidence::Interval> holes_;
  std::uint64_t frames_ = 0;  // that were walked through
  Clock::duration busy_{};    // since the task began, without waiting for frames
};

/// The end of the tasks says it too, but only to a process that waits for one.
void die_with_the_parent(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) std::_Exit(1);  // it died before we asked
}

void be_the_first_to_go_when_memory_runs_out() {
  if (std::FILE* const score = std::fopen("/proc/self/oom_score_adj", "w")) {
    std::fputs("900", score);
    std::fclose(score);
  }
}

}  // namespace
}  // namespace assay::walker

int main(int count, char** arguments) {
  using namespace assay::walker;
  if (count != 5) {
    std::fputs("started by assay certify; nothing to see here for people\n", stderr);
    return 2;
  }
  signal(SIGINT, SIG_IGN);  // the parent decides
  signal(SIGPIPE, SIG_IGN);
  die_with_the_parent(static_cast<pid_t>(std::atol(arguments[1])));
  be_the_first_to_go_when_memory_runs_out();
  const int tasks = std::atoi(arguments[2]), answers = std::atoi(arguments[3]);
  // What a model starts must not keep our pipes open.
  fcntl(tasks, F_SETFD, FD_CLOEXEC);
  fcntl(answers, F_SETFD, FD_CLOEXEC);
  const Pipe pipe(tasks, answers);
  Walker(pipe, arguments[4]).run();
  std::_Exit(0);  // skips tearing down what the model left behind
}
