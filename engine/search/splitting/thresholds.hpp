/// The predicates `variable > number` of an abstraction.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace assay::search::splitting {

/// For each variable a sorted list of numbers; which of these its value exceeds says all of these predicates at once.
class Thresholds {
 public:
  explicit Thresholds(std::size_t variables) : numbers_(variables) {}

  /// How many numbers of a variable a value exceeds.
  std::uint64_t interval(std::size_t variable, std::int64_t value) const {
    const std::vector<std::int64_t>& numbers = numbers_[variable];
    return static_cast<std::uint64_t>(std::lower_bound(numbers.begin(), numbers.end(), value) -
                                      numbers.begin());
  }
  /// Whether it is new.
  bool add(std::size_t variable, std::int64_t number) {
    std::vector<std::int64_t>& numbers = numbers_[variable];
    const auto place = std::lower_bound(numbers.begin(), numbers.end(), number);
    if (place != numbers.end() && *place == number) return false;
    numbers.insert(place, number);
    ++count_;
    return true;
  }
  std::uint64_t count() const { return count_; }
  std::size_t variables() const { return numbers_.size(); }
  const std::vector<std::int64_t>& of(std::size_t variable) const { return numbers_[variable]; }

 private:
  std::vector<std::vector<std::int64_t>> numbers_;
  std::uint64_t count_ = 0;
};

}  // namespace assay::search::splitting
