// Every strategy, and certificates, over random graphs, without Python: what the sanitizers look at as a
// whole.
#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "check.hpp"
#include "evidence/script_writer.hpp"
#include "evidence/walk.hpp"
#include "search/search.hpp"
#include "search/strategy.hpp"
#include "transition_system/explicit_graph.hpp"

namespace assay::native_tests {
namespace {

using search::Options;
using search::Result;
using search::Strategy;
using transition_system::ExplicitGraph;
using State = std::vector<std::uint64_t>;

/// A random graph, and what can be said of it without any search of ours.
struct Graph {
  std::vector<State> states;
  std::vector<std::vector<ExplicitGraph::Edge>> edges;
  std::vector<bool> valid_ends;
  std::vector<std::uint32_t> state_violations;
  std::uint64_t reachable = 0, transitions = 0;
  std::set<std::uint32_t> codes;  // that a search without reductions meets; 0: a deadlock

  ExplicitGraph system() const { return {states, edges, valid_ends, state_violations}; }
};

Graph random_graph(std::size_t nodes, std::uint64_t max_words, bool has_violations, Random& random) {
  Graph graph;
  std::set<State> used;
  while (graph.states.size() < nodes) {
    State state(random.below(max_words) + 1);
    for (std::uint64_t& word : state) word = random.one_in(4) ? random.striking() : random.below(5);
    if (used.insert(state).second) graph.states.push_back(state);
  }
  for (std::size_t i = 0; i < nodes; ++i) {
    std::vector<ExplicitGraph::Edge> edges;
    // A way forward for most, so that much is reachable; some with very many successors.
    if (i + 1 < nodes) edges.push_back({static_cast<std::int64_t>(i + 1), 0});
    for (std::uint64_t left = random.one_in(50) ? 200 : random.below(4); left > 0; --left) {
      const auto target = static_cast<std::int64_t>(random.below(nodes));
      const bool fails = has_violations && random.one_in(60);
      edges.push_back({fails && random.one_in(2) ? -1 : target, fails ? 7u : 0u});
    }
    graph.valid_ends.push_back(!has_violations || random.one_in(2));
    graph.state_violations.push_back(has_violations && random.one_in(80) ? 9 : 0);
    graph.edges.push_back(edges);
  }
  std::vector<bool> seen(nodes);
  std::deque<std::size_t> queue{0};
  seen[0] = true;
  while (!queue.empty()) {
    const std::size_t node = queue.front();
    queue.pop_front();
    ++graph.reachable;
    if (graph.state_violations[node] != 0) graph.codes.insert(graph.state_violations[node]);
    if (graph.edges[node].empty() && !graph.valid_ends[node]) graph.codes.insert(0);
    for (const auto& edge : graph.edges[node]) {
      if (edge.violation != 0) graph.codes.insert(edge.violation);
      if (edge.target < 0) continue;
      ++graph.transitions;
      const auto target = static_cast<std::size_t>(edge.target);
      if (!seen[target]) queue.push_back(target);
      seen[target] = true;
    }
  }
  return graph;
}

/// Follows the path by the graph alone: it has to end in what it claims.
void check_violation(const Graph& graph, const search::Violation& violation) {
  std::size_t node = 0;
  for (std::size_t i = 0; i < violation.path.size(); ++i) {
    check(violation.path[i] < graph.edges[node].size());
    const auto& edge = graph.edges[node][violation.path[i]];
    if (i + 1 == violation.path.size() && edge.violation != 0 && edge.violation == violation.code) return;
    check(edge.target >= 0);
    node = static_cast<std::size_t>(edge.target);
  }
  if (violation.code == 0) {
    check(graph.edges[node].empty() && !graph.valid_ends[node]);
  } else {
    check_equal(violation.code, graph.state_violations[node]);
  }
}

Options options_for(const Strategy& strategy, const std::string& scratch) {
  Options options;
  options.strategy = strategy.name;
  if (!strategy.storage.empty()) options.storage = strategy.storage;
  options.threads = strategy.has_threads ? 3 : 1;
  options.seed = 5;
  if (strategy.is_on_disk) {
    options.spill_directory = scratch + "/states";
    options.set("spill_buffer_bytes", std::uint64_t{1} << 20);
  }
  const auto reads = [&](const char* name) { return std::ranges::count(strategy.options, name) != 0; };
  if (reads("bitstate_bytes")) options.set("bitstate_bytes", std::uint64_t{1} << 16);
  if (reads("hash_functions")) options.set("hash_functions", std::uint64_t{3});
  if (reads("cache_size")) options.set("cache_size", std::uint64_t{40});
  if (reads("scratch_directory")) options.set("scratch_directory", scratch);
  if (reads("exhaustive_states")) options.set("exhaustive_states", std::uint64_t{50});
  if (reads("samplers")) options.set("samplers", std::uint64_t{3});
  // Searches that look around do so for as long as they are let; a small cache visits states again and again.
  if (strategy.storage.empty() || strategy.name == "cached") options.time_limit_seconds = 0.3;
  return options;
}

bool sees_each_state_once(const Strategy& strategy) {
  return !strategy.storage.empty() && strategy.name != "cached";
}

/// All but the one that looks for cycles instead of states, which tests/conformance has beside the definition,
/// and those over states of a symbolic form, which tests/unit/search/test_abstraction.py has.
std::vector<Strategy> strategies_for_states() {
  std::vector<Strategy> found;
  for (const Strategy& strategy : search::strategies()) {
    const bool is_of_a_form = std::ranges::count(strategy.options, "overflow_code") != 0;
    if (strategy.name != "accepting-cycle" && !is_of_a_form) found.push_back(strategy);
  }
  return found;
}

TEST("every strategy agrees with the graph about what is in it") {
  check(strategies_for_states().size() >= 10);
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    Random random(seed);
    const Graph graph =
        random_graph(random.one_in(3) ? 1 + random.below(5) : 700, seed % 2 == 0 ? 3 : 20, false, random);
    const ExplicitGraph system = graph.system();
    for (const Strategy& strategy : strategies_for_states()) {
      const Folder folder;
      const Result result = search::search(system, options_for(strategy, folder.path()), {});
      check_equal(result.violations.size(), 0u);
      if (!sees_each_state_once(strategy)) continue;
      check(result.complete);
      check_equal(result.states, graph.reachable);
      check_equal(result.transitions, graph.transitions);
      check_equal(result.frontier, 0u);
    }
  }
}

TEST("every violation that a strategy reports is one of the graph, and none is passed over") {
  for (std::uint64_t seed = 10; seed < 16; ++seed) {
    Random random(seed);
    const Graph graph = random_graph(seed % 3 == 0 ? 20 : 400, 4, true, random);
    const ExplicitGraph system = graph.system();
    for (const Strategy& strategy : strategies_for_states()) {
      for (const bool stops : {true, false}) {
        const Folder folder;
        Options options = options_for(strategy, folder.path());
        options.stop_at_first_violation = stops;
        const Result result = search::search(system, options, {});
        std::set<std::uint32_t> found;
        for (const search::Violation& violation : result.violations) {
          check_violation(graph, violation);
          found.insert(violation.code);
        }
        if (!sees_each_state_once(strategy)) continue;
        if (stops) check_equal(found.empty(), graph.codes.empty());
        if (!stops) check(found == graph.codes);
      }
    }
  }
}

TEST("limits on states and depth stop every strategy where they say") {
  Random random(31);
  const Graph graph = random_graph(500, 5, false, random);
  const ExplicitGraph system = graph.system();
  for (const Strategy& strategy : strategies_for_states()) {
    if (!sees_each_state_once(strategy)) continue;
    for (const std::uint64_t limit : {1, 2, 63, 64, 65, 200}) {
      const Folder folder;
      Options options = options_for(strategy, folder.path());
      options.state_limit = limit;
      const Result stopped = search::search(system, options, {});
      check(!stopped.complete);
      // Threads reserve numbers: several of them may be a little late.
      check(strategy.has_threads ? stopped.states >= limit : stopped.states == limit);
      options = options_for(strategy, folder.file("deep"));
      options.depth_limit = 3;
      if (strategy.is_on_disk) std::filesystem::create_directories(folder.file("deep"));
      const Result shallow = search::search(system, options, {});
      check(!shallow.complete && shallow.stop_reason == search::StopReason::kDepth);
    }
  }
}

TEST("a search on disk that was stopped again and again ends where one in memory does") {
  Random random(41);
  const Graph graph = random_graph(900, 12, true, random);
  const ExplicitGraph system = graph.system();
  const Folder folder;
  Options options;
  options.stop_at_first_violation = false;
  const Result expected = search::search(system, options, {});
  options.spill_directory = folder.file("states");
  options.set("spill_buffer_bytes", std::uint64_t{1} << 20);
  options.set("checkpoint_seconds", 0.0);
  Result result;
  for (std::uint64_t limit = 40;; limit += 90) {
    options.state_limit = limit;
    result = search::search(system, options, {});
    if (result.stop_reason != search::StopReason::kStates) break;
    options.set("resume", true);
  }
  check(result.resumed_from > 0);
  check_equal(result.states, expected.states);
  check_equal(result.transitions, expected.transitions);
  check_equal(result.violation_count, expected.violation_count);
  for (const search::Violation& violation : result.violations) check_violation(graph, violation);
}

TEST("what a search wrote down can be walked, and not when an entry was changed") {
  for (std::uint64_t seed = 20; seed < 26; ++seed) {
    Random random(seed);
    const Graph graph = random_graph(seed == 20 ? 1 : 600, 6, false, random);
    const ExplicitGraph system = graph.system();
    std::string secrets(evidence::Walk::secret_bytes(system.max_words()), '\0');
    for (char& byte : secrets) byte = static_cast<char>(random.below(256));
    for (const Strategy& strategy : search::strategies()) {
      if (strategy.recording == search::Recording::kNone || strategy.name == "cached") continue;
      const Folder folder;
      evidence::GraphLog log(folder.path());
      check(search::search(system, options_for(strategy, folder.path()), {}, &log).complete);
      for (const std::size_t memory : {std::size_t{0}, std::size_t{1} << 12}) {
        evidence::ScriptWriter writer(log, true, memory);
        check_equal(writer.facts().states, graph.reachable);
        check_equal(writer.facts().transitions, graph.transitions);
        std::vector<evidence::FrameSections> frames;
        check(writer.write(7, [&](const evidence::FrameSections& frame) {
          frames.push_back(frame);
          return true;
        }));
        for (const bool portable : {false, true}) {
          for (const auto purpose :
               {evidence::Purpose::kAuthenticate, evidence::Purpose::kExplain, evidence::Purpose::kTrust}) {
            evidence::WalkOptions options;
            options.purpose = purpose;
            options.total_states = graph.reachable;
            options.secrets = secrets;
            options.portable = portable;
            const auto walk = evidence::Walk::make(system, options);
            walk->begin(frames[0].start, 0, {});
            for (const auto& frame : frames)
              check(walk->frame({frame.states, frame.entries, frame.references, frame.bits, frame.ids,
                                 frame.counts, frame.subgraphs}));
            check(walk->is_finished());
            check_equal(walk->facts().states, graph.reachable);
            if (purpose == evidence::Purpose::kAuthenticate)
              check(walk->facts().referred == walk->facts().visited);
            if (purpose == evidence::Purpose::kExplain) check(!walk->discrepancy() && !walk->wrong_count());
          }
        }
        // Whatever bit is turned, the walk ends within the frames: rejected, or with products that differ.
        for (int i = 0; i < 60; ++i) {
          evidence::FrameSections damaged = frames[0];
          std::string* const sections[] = {&damaged.bits, &damaged.ids, &damaged.counts, &damaged.start};
          std::string& section = *sections[random.below(4)];
          if (section.empty()) continue;
          section[random.below(section.size())] ^= static_cast<char>(1 << random.below(8));
          evidence::WalkOptions options;
          options.total_states = graph.reachable;
          options.secrets = secrets;
          const auto walk = evidence::Walk::make(system, options);
          bool is_accepted = false;
          try {
            walk->begin(damaged.start, 0, {});
            bool goes_on = walk->frame({damaged.states, damaged.entries, damaged.references, damaged.bits,
                                        damaged.ids, damaged.counts, damaged.subgraphs});
            for (std::size_t k = 1; goes_on && k < frames.size(); ++k) {
              const auto& frame = frames[k];
              goes_on = walk->frame({frame.states, frame.entries, frame.references, frame.bits, frame.ids,
                                     frame.counts, frame.subgraphs});
            }
            const evidence::WalkFacts facts = walk->facts();
            is_accepted = goes_on && walk->is_finished() && facts.states == graph.reachable &&
                          facts.entries == graph.transitions && facts.path_length == 0 &&
                          facts.referred == facts.visited;
          } catch (const evidence::Rejected&) {
            continue;
          }
          check(!is_accepted);
        }
      }
      log.has_served();
    }
  }
}

}  // namespace
}  // namespace assay::native_tests
