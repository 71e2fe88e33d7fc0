/// Which numbers the states of a task have.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace assay::evidence {

/// The numbers from `begin` to `end` - 1.
struct Interval {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// Counts up from a first number and leaves out the numbers of other tasks:
/// `holes`, in order, none of them empty or at the first number.
class Numbering {
 public:
  Numbering() = default;
  Numbering(std::uint64_t first, std::vector<Interval> holes) : next_(first), holes_(std::move(holes)) {}

  /// The number that `take` answers next.
  std::uint64_t next() const { return next_; }
  std::uint64_t take() {
    const std::uint64_t number = next_++;
    while (hole_ < holes_.size() && holes_[hole_].begin == next_) next_ = holes_[hole_++].end;
    return number;
  }

 private:
  std::uint64_t next_ = 0;
  std::vector<Interval> holes_;
  std::size_t hole_ = 0;
};

}  // namespace assay::evidence
