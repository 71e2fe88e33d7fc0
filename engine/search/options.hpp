/// What a search is asked to do, by name.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace assay::search {

/// What a search on disk is about, by name: one with other values is another search.
using Identity = std::vector<std::pair<std::string, std::string>>;

/// Options have the names, ranges and defaults of the one table in
/// `assay.search.options`. What all searches look at has a member here; what
/// only one strategy does is asked for by name, where it is used.
struct Options {
  using Value = std::variant<bool, std::uint64_t, double, std::string>;

  std::string strategy = "bfs";
  std::string storage = "exact";
  std::uint64_t threads = 1;
  std::uint64_t seed = 0;
  std::uint64_t memory_limit_bytes = 0;  // 0 means no limit, here and below
  double time_limit_seconds = 0;
  std::uint64_t depth_limit = 0;
  std::uint64_t state_limit = 0;
  bool stop_at_first_violation = true;
  bool check_deadlock = true;
  std::string spill_directory;  // where states are kept; empty: in memory
  double progress_interval_seconds = 1;
  Identity identity;

  /// Throws std::invalid_argument with a sentence for a value of another kind.
  void set(const std::string& name, Value value);

  std::uint64_t number(const std::string& name, std::uint64_t otherwise) const;
  double real(const std::string& name, double otherwise) const;
  bool flag(const std::string& name) const;
  std::string text(const std::string& name, const std::string& otherwise = "") const;

  /// Options that no member holds.
  const std::map<std::string, Value>& others() const { return others_; }

 private:
  std::map<std::string, Value> others_;
};

}  // namespace assay::search
