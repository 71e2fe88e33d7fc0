/// The steps of a graph whose states are numbered in the order of a breadth-first search, as cycles are looked for in it.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "search/expansion.hpp"
#include "support/scratch_file.hpp"
#include "transition_system/acceptance.hpp"

namespace assay::search::spilling {

using transition_system::Acceptance;

struct CycleStep {
  std::uint32_t target;
  std::uint32_t position;
  Acceptance::Marks marks;  // with those of the state
  bool is_free;
};

/// How the steps of a state stand in a file: how many, the sets that all of them are in, and of each its target, its
/// position, the sets that it is in besides, and whether it is free. `Out` has `append(data, bytes)`, `In` has `next<T>()`.
template <class Out>
void write_state(Out& out, Acceptance::Marks marks, std::uint32_t steps) {
  out.append(&steps, sizeof steps);
  out.append(&marks, sizeof marks);
}
template <class Out>
void write_step(Out& out, std::uint32_t target, std::uint32_t position, Acceptance::Marks marks,
                bool is_free) {
  const std::uint8_t free = is_free ? 1 : 0;
  out.append(&target, sizeof target);
  out.append(&position, sizeof position);
  out.append(&marks, sizeof marks);
  out.append(&free, sizeof free);
}
template <class In>
void read_steps(In& in, std::vector<CycleStep>& steps) {
  steps.resize(in.template next<std::uint32_t>());
  const auto shared = in.template next<Acceptance::Marks>();
  for (CycleStep& step : steps) {
    step.target = in.template next<std::uint32_t>();
    step.position = in.template next<std::uint32_t>();
    step.marks = in.template next<Acceptance::Marks>() | shared;
    step.is_free = in.template next<std::uint8_t>() != 0;
  }
}

/// Whoever asked for the search does not want it any more.
struct Stopped {};

/// All states of a graph, or some of them, level by level.
class CycleSteps {
 public:
  using Take = std::function<void(std::uint32_t state, std::span<const CycleStep> steps)>;

  /// Reading throws Stopped when it is answered true.
  explicit CycleSteps(std::function<bool()> should_stop) : should_stop_(std::move(should_stop)) {}
  virtual ~CycleSteps() = default;
  virtual std::size_t levels() const = 0;
  /// The number of the first state of a level that is here.
  virtual std::uint64_t first_of(std::size_t level) const = 0;
  virtual void each_in_level(std::size_t level, const Take& take) const = 0;

  void each(const Take& take) const {
    for (std::size_t level = 0; level < levels(); ++level) each_in_level(level, take);
  }
  void each_from_the_last_level(const Take& take) const {
    for (std::size_t level = levels(); level-- > 0;) each_in_level(level, take);
  }

 protected:
  void look_around(std::uint64_t state) const {
    if (state % kAskEvery == 0 && should_stop_()) throw Stopped();
  }

 private:
  static constexpr std::uint64_t kAskEvery = 4096;  // states

  const std::function<bool()> should_stop_;
};

/// In a file without a name.
class StepFile final : public CycleSteps {
 public:
  StepFile(const std::string& directory, std::function<bool()> should_stop)
      : CycleSteps(std::move(should_stop)), file_(directory) {}

  void begin_level() { levels_.push_back({states_, file_.bytes()}); }
  /// Then its steps; `marks`: the sets that all of them are in.
  void begin_state(Acceptance::Marks marks, std::uint32_t steps) {
    write_state(file_, marks, steps);
    ++states_;
  }
  /// `marks`: the sets that this one is in besides.
  void add_step(std::uint32_t target, Position position, Acceptance::Marks marks, bool is_free) {
    write_step(file_, target, number_of(position), marks, is_free);
  }
  /// Before the first one is read.
  void finish() { file_.flush(); }
  std::uint64_t states() const { return states_; }

  std::size_t levels() const override { return levels_.size(); }
  std::uint64_t first_of(std::size_t level) const override { return levels_[level].first_state; }
  void each_in_level(std::size_t level, const Take& take) const override {
    const std::uint64_t end = level + 1 < levels_.size() ? levels_[level + 1].first_state : states_;
    support::ScratchFile::Reader reader(file_, kReadAtOnce, levels_[level].offset);
    std::vector<CycleStep> steps;
    for (std::uint64_t state = levels_[level].first_state; state < end; ++state) {
      look_around(state);
      read_steps(reader, steps);
      take(static_cast<std::uint32_t>(state), steps);
    }
  }

 private:
  static constexpr std::size_t kReadAtOnce = std::size_t{1} << 18;

  struct Level {
    std::uint64_t first_state, offset;
  };
  support::ScratchFile file_;
  std::vector<Level> levels_;
  std::uint64_t states_ = 0;
};

}  // namespace assay::search::spilling
