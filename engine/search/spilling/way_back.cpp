#include "search/spilling/way_back.hpp"

#include <algorithm>
#include <stdexcept>
#include <unordered_map>

#include "support/hash.hpp"

namespace assay::search::spilling {

std::vector<Violation> trace_back(SpilledSearch& search) {
  struct Target {
    Words words;
    std::vector<std::size_t> paths;
    bool found = false;
  };
  std::vector<Violation> violations;
  std::vector<Words> states;
  std::uint64_t deepest = 0;
  for (const Found& found : search.found) {
    violations.push_back({found.code, {}});
    if (found.position != Finding::kAtState) violations.back().path.push_back(number_of(found.position));
    states.push_back(found.words);
    deepest = std::max(deepest, found.depth);
  }
  for (std::uint64_t depth = deepest; depth > 0; --depth) {
    std::vector<Target> targets;
    std::unordered_multimap<std::uint64_t, std::size_t> by_hash;
    for (std::size_t i = 0; i < search.found.size(); ++i) {
      if (search.found[i].depth < depth) continue;
      const std::uint64_t hash = support::hash_words(states[i].data(), states[i].size(), 0);
      std::size_t target = targets.size();
      for (auto [entry, end] = by_hash.equal_range(hash); entry != end; ++entry) {
        if (targets[entry->second].words == states[i]) target = entry->second;
      }
      if (target == targets.size()) {
        targets.push_back({states[i], {}});
        by_hash.emplace(hash, target);
      }
      targets[target].paths.push_back(i);
    }
    std::size_t missing = targets.size();
    const Level level = search.read_level(depth - 1);
    storage::LevelReader reader(*search.levels, level,
                                search.layouts[static_cast<std::uint32_t>(level.layout)], search.io_bytes(1));
    for (std::uint64_t n = 0; n < level.records && missing > 0; ++n) {
      const std::uint32_t length = reader.read();
      search.expansion.again({reader.words(), length}, [&](Position position, StateView next) {
        const auto [begin, end] = by_hash.equal_range(support::hash_words(next.data(), next.size(), 0));
        for (auto entry = begin; entry != end; ++entry) {
          Target& target = targets[entry->second];
          if (target.found || !std::ranges::equal(target.words, next)) continue;
          target.found = true;
          --missing;
          for (const std::size_t path : target.paths) {
            violations[path].path.push_back(number_of(position));
            states[path].assign(reader.words(), reader.words() + length);
          }
        }
        return true;
      });
    }
    if (missing > 0) {
      throw std::runtime_error(
          "a state has no predecessor one level up: the model's successors do not depend on "
          "the state alone");
    }
  }
  for (Violation& violation : violations) std::reverse(violation.path.begin(), violation.path.end());
  return violations;
}

}  // namespace assay::search::spilling
