#include "search/options.hpp"

#include <stdexcept>

namespace assay::search {
namespace {

[[noreturn]] void refuse(const std::string& name) {
  throw std::invalid_argument("the option '" + name + "' has a value of another kind");
}

template <class T>
T value_of(const std::string& name, const Options::Value& value) {
  if (const T* held = std::get_if<T>(&value)) return *held;
  // Whole numbers are real numbers, too.
  if constexpr (std::is_same_v<T, double>) {
    if (const auto* whole = std::get_if<std::uint64_t>(&value)) return static_cast<double>(*whole);
  }
  refuse(name);
}

template <class T>
T found_in(const std::map<std::string, Options::Value>& values, const std::string& name, T otherwise) {
  const auto found = values.find(name);
  return found == values.end() ? otherwise : value_of<T>(name, found->second);
}

}  // namespace

void Options::set(const std::string& name, Value value) {
  const auto into = [&](auto& member) {
    member = value_of<std::remove_reference_t<decltype(member)>>(name, value);
  };
  if (name == "strategy") return into(strategy);
  if (name == "storage") return into(storage);
  if (name == "threads") return into(threads);
  if (name == "seed") return into(seed);
  if (name == "memory_limit_bytes") return into(memory_limit_bytes);
  if (name == "time_limit_seconds") return into(time_limit_seconds);
  if (name == "depth_limit") return into(depth_limit);
  if (name == "state_limit") return into(state_limit);
  if (name == "stop_at_first_violation") return into(stop_at_first_violation);
  if (name == "check_deadlock") return into(check_deadlock);
  if (name == "spill_directory") return into(spill_directory);
  if (name == "progress_interval_seconds") return into(progress_interval_seconds);
  others_[name] = std::move(value);
}

std::uint64_t Options::number(const std::string& name, std::uint64_t otherwise) const {
  return found_in(others_, name, otherwise);
}
double Options::real(const std::string& name, double otherwise) const {
  return found_in(others_, name, otherwise);
}
bool Options::flag(const std::string& name) const { return found_in(others_, name, false); }
std::string Options::text(const std::string& name, const std::string& otherwise) const {
  return found_in(others_, name, otherwise);
}

}  // namespace assay::search
