// The work of a partitioned search for Python. Descriptions of files cross as tuples, blocks as bytes.
#include "bindings/partitioned.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstring>

#include "evidence/graph_log.hpp"
#include "search/partitioned/cycle_work.hpp"
#include "search/partitioned/graph_of_partitions.hpp"
#include "search/partitioned/partition_worker.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace assay::bindings {
namespace {

using namespace search::partitioned;
using transition_system::TransitionSystem;

using Run = std::tuple<std::string, std::uint64_t, std::uint64_t, nb::bytes, std::uint64_t>;
using Piece = std::tuple<std::string, std::uint64_t, std::uint64_t>;
using Part = std::tuple<std::uint32_t, Run, std::uint64_t, std::uint64_t, std::vector<Piece>>;
using Merging = std::tuple<std::uint32_t, std::vector<Run>, std::vector<Piece>>;

nb::bytes bytes_of(const Words& words) {
  return nb::bytes(reinterpret_cast<const char*>(words.data()), words.size() * sizeof(std::uint64_t));
}
Words words_of(const nb::bytes& bytes) {
  Words words(bytes.size() / sizeof(std::uint64_t));
  if (!words.empty()) std::memcpy(words.data(), bytes.c_str(), words.size() * sizeof(std::uint64_t));
  return words;
}
StoredRun run_of(const Run& run) {
  const auto& [file, offset, records, masks, checksum] = run;
  return {file, offset, records, words_of(masks), checksum};
}
Run told(const StoredRun& run) {
  return {run.file, run.offset, run.records, bytes_of(run.masks), run.checksum};
}
StoredWords words_at(const Piece& piece) {
  return {std::get<0>(piece), std::get<1>(piece), std::get<2>(piece)};
}
Piece told(const StoredWords& words) { return {words.file, words.offset, words.count}; }

std::vector<StoredWords> pieces_of(const std::vector<Piece>& pieces) {
  std::vector<StoredWords> result;
  for (const Piece& piece : pieces) result.push_back(words_at(piece));
  return result;
}
std::vector<Piece> told(const std::vector<StoredWords>& words) {
  std::vector<Piece> result;
  for (const StoredWords& one : words) result.push_back(told(one));
  return result;
}

std::vector<LevelPart> parts_of(const std::vector<Part>& parts) {
  std::vector<LevelPart> result;
  for (const auto& [partition, run, begin, end, ranks] : parts) {
    result.push_back({partition, run_of(run), begin, end, {}});
    for (const Piece& piece : ranks) result.back().ranks.push_back(words_at(piece));
  }
  return result;
}
std::vector<std::string_view> blocks_of(const std::vector<nb::bytes>& blocks) {
  std::vector<std::string_view> views;
  for (const nb::bytes& block : blocks) views.emplace_back(block.c_str(), block.size());
  return views;
}

nb::tuple told(const FoundHere& found) {
  return nb::make_tuple(found.code, found.position, found.path_length, found.rank, found.sequence,
                        bytes_of(found.state));
}

nb::tuple expand(PartitionWorker& worker, const std::vector<Part>& parts, std::uint64_t depth,
                 const std::vector<std::uint32_t>& group_of, std::uint32_t own_group,
                 const std::string& edges_name) {
  const std::vector<LevelPart> wanted = parts_of(parts);
  Expanded expanded;
  {
    nb::gil_scoped_release unlocked;
    expanded = worker.expand(wanted, depth, group_of, own_group, edges_name);
  }
  nb::dict facts;
  facts["states"] = expanded.states;
  facts["transitions"] = expanded.transitions;
  facts["candidates"] = expanded.candidates;
  facts["violation_count"] = expanded.violation_count;
  facts["cut"] = expanded.cut;
  facts["kept_bytes"] = expanded.kept_bytes;
  nb::list found, edges, blocks;
  for (const FoundHere& one : expanded.found) found.append(told(one));
  for (const StoredWords& one : expanded.edges) edges.append(told(one));
  facts["found"] = found;
  facts["edges"] = edges;
  for (std::string& block : expanded.blocks) {
    blocks.append(nb::bytes(block.data(), block.size()));
    block = {};
  }
  return nb::make_tuple(facts, blocks);
}

nb::list merge(PartitionWorker& worker, const std::vector<Merging>& parts,
               const std::vector<nb::bytes>& blocks, const std::string& name) {
  std::vector<MergePart> wanted;
  for (const auto& [partition, visited, batches] : parts) {
    wanted.push_back({partition, {}, {}});
    for (const Run& run : visited) wanted.back().visited.push_back(run_of(run));
    for (const auto& [file, offset, bytes] : batches) wanted.back().batches.push_back({file, offset, bytes});
  }
  const std::vector<std::string_view> views = blocks_of(blocks);
  std::vector<MergedPart> merged;
  {
    nb::gil_scoped_release unlocked;
    merged = worker.merge(wanted, views, name);
  }
  nb::list result;
  for (const MergedPart& part : merged) {
    nb::list visited;
    for (const StoredRun& run : part.visited) visited.append(told(run));
    result.append(nb::make_tuple(part.partition, told(part.level), told(part.keys), visited));
  }
  return result;
}

// Level, first state, states, file, offset, bytes.
using Block =
    std::tuple<std::uint32_t, std::uint64_t, std::uint64_t, std::string, std::uint64_t, std::uint64_t>;

std::vector<StepBlock> blocks_of(const std::vector<Block>& blocks) {
  std::vector<StepBlock> result;
  for (const auto& [level, first, states, file, offset, bytes] : blocks)
    result.push_back({level, first, states, file, offset, bytes});
  return result;
}
CycleWork::Sets sets_of(const std::optional<std::vector<Piece>>& pieces) {
  if (!pieces) return std::nullopt;
  return pieces_of(*pieces);
}

void bind_cycle_work(nb::module_& m) {
  nb::class_<CycleWork>(m, "CycleWork")
      .def(
          "__init__",
          [](CycleWork* self, PartitionWorker& worker, std::uint32_t processes,
             std::optional<std::uint32_t> progress_label) {
            new (self) CycleWork(worker, {processes, progress_label});
          },
          nb::keep_alive<1, 2>(), "worker"_a, nb::kw_only(), "processes"_a, "progress_label"_a.none())
      .def_prop_ro("all", &CycleWork::all)
      .def(
          "write_steps",
          [](CycleWork& work, const std::vector<std::pair<std::uint64_t, std::vector<Part>>>& levels,
             const std::vector<std::uint64_t>& slices, const std::string& name) {
            std::vector<PartitionWorker::NumberedLevel> wanted;
            for (const auto& [first, parts] : levels) wanted.push_back({first, parts_of(parts)});
            CycleWork::Written written;
            {
              nb::gil_scoped_release unlocked;
              written = work.write_steps(wanted, slices, name);
            }
            return std::make_pair(told(written.marks), told(written.facts));
          },
          "levels"_a, "slices"_a, "name"_a)
      .def(
          "join",
          [](CycleWork& work, std::uint64_t begin, std::uint64_t end, const std::vector<Piece>& marks,
             const std::vector<Piece>& facts, const std::vector<std::vector<Piece>>& numbers,
             const std::vector<std::uint32_t>& stream_of, const std::vector<std::uint64_t>& levels,
             const std::string& name) {
            CycleWork::SliceParts slice{begin,     end,   pieces_of(marks), pieces_of(facts), {},
                                        stream_of, levels};
            for (const std::vector<Piece>& pieces : numbers) slice.numbers.push_back(pieces_of(pieces));
            CycleWork::Joined joined;
            {
              nb::gil_scoped_release unlocked;
              joined = work.join(slice, name);
            }
            std::vector<Block> result;
            for (const StepBlock& one : joined.blocks)
              result.emplace_back(one.level, one.first_state, one.states, one.file, one.offset, one.bytes);
            return std::make_pair(result, joined.of_all_steps);
          },
          "begin"_a, "end"_a, "marks"_a, "facts"_a, "numbers"_a, "stream_of"_a, "levels"_a, "name"_a)
      .def(
          "spread",
          [](CycleWork& work, std::uint64_t states, const std::vector<Block>& blocks,
             const std::optional<std::vector<Piece>>& inside, std::uint64_t set,
             const std::vector<Piece>& reached, const std::string& name) {
            const std::vector<StepBlock> wanted = blocks_of(blocks);
            CycleWork::Changed changed;
            {
              nb::gil_scoped_release unlocked;
              changed = work.spread(states, wanted, sets_of(inside), set, pieces_of(reached), name);
            }
            return nb::make_tuple(changed.is_changed, changed.count, told(changed.set));
          },
          "states"_a, "blocks"_a, "inside"_a.none(), "acceptance_set"_a, "reached"_a, "name"_a)
      .def(
          "eliminate",
          [](CycleWork& work, std::uint64_t states, const std::vector<Block>& blocks,
             const std::optional<std::vector<Piece>>& inside,
             const std::optional<std::vector<Piece>>& elsewhere, const std::string& name) {
            const std::vector<StepBlock> wanted = blocks_of(blocks);
            CycleWork::Changed changed;
            {
              nb::gil_scoped_release unlocked;
              changed = work.eliminate(states, wanted, sets_of(inside), sets_of(elsewhere), name);
            }
            return nb::make_tuple(changed.is_changed, changed.count, told(changed.set),
                                  told(changed.targets));
          },
          "states"_a, "blocks"_a, "inside"_a.none(), "elsewhere"_a.none(), "name"_a)
      .def(
          "find",
          [](CycleWork& work, std::uint64_t states, const std::vector<Block>& blocks,
             const std::optional<std::vector<Piece>>& hull)
              -> std::optional<std::pair<std::vector<std::uint32_t>, std::uint32_t>> {
            const std::vector<StepBlock> wanted = blocks_of(blocks);
            std::optional<search::Violation> found;
            {
              nb::gil_scoped_release unlocked;
              found = work.find(states, wanted, sets_of(hull));
            }
            if (!found) return std::nullopt;
            return std::make_pair(found->path, found->loop_start.value());
          },
          "states"_a, "blocks"_a, "hull"_a.none());
}

}  // namespace

void bind_partitioned(nb::module_& m) {
  nb::class_<PartitionWorker>(m, "PartitionWorker")
      .def(
          "__init__",
          [](PartitionWorker* self, const TransitionSystem& system, const std::string& directory,
             std::uint32_t partitions, bool in_order, bool logs_edges, std::uint64_t memory_limit_bytes,
             std::uint64_t depth_limit, bool check_deadlock, bool stop_at_first_violation) {
            search::Options options;
            options.memory_limit_bytes = memory_limit_bytes;
            options.depth_limit = depth_limit;
            options.check_deadlock = check_deadlock;
            options.stop_at_first_violation = stop_at_first_violation;
            new (self) PartitionWorker(system, options, directory, partitions, in_order, logs_edges);
          },
          nb::keep_alive<1, 2>(), "system"_a, nb::kw_only(), "directory"_a, "partitions"_a, "in_order"_a,
          "logs_edges"_a, "memory_limit_bytes"_a, "depth_limit"_a, "check_deadlock"_a,
          "stop_at_first_violation"_a)
      .def_prop_ro("states", [](PartitionWorker& worker) { return worker.control().states.load(); })
      .def_prop_ro("transitions", [](PartitionWorker& worker) { return worker.control().transitions.load(); })
      .def("sync", &PartitionWorker::sync, nb::call_guard<nb::gil_scoped_release>())
      .def("leave_unsynced", &PartitionWorker::leave_unsynced)
      .def_prop_ro("has_parts", &PartitionWorker::has_parts)
      .def("take_lessons",
           [](PartitionWorker& worker) {
             const std::string lessons = worker.take_lessons();
             return nb::bytes(lessons.data(), lessons.size());
           })
      .def(
          "learn",
          [](PartitionWorker& worker, const nb::bytes& lessons) {
            const std::string_view bytes(lessons.c_str(), lessons.size());
            nb::gil_scoped_release unlocked;
            worker.learn(bytes);
          },
          "lessons"_a)
      .def_prop_ro("candidate_bytes", &PartitionWorker::candidate_bytes)
      .def(
          "begin",
          [](PartitionWorker& worker, const std::string& name) {
            const PartitionWorker::Begun begun = worker.begin(name);
            return nb::make_tuple(begun.partition, begun.violation, bytes_of(begun.state), told(begun.level),
                                  told(begun.ranks));
          },
          "name"_a)
      .def("expand", &expand, "parts"_a, "depth"_a, "group_of"_a, "own_group"_a, "edges_name"_a)
      .def("merge", &merge, "parts"_a, "blocks"_a, "name"_a)
      .def(
          "put_aside",
          [](PartitionWorker& worker, const std::vector<nb::bytes>& blocks, const std::string& name) {
            const std::vector<std::string_view> views = blocks_of(blocks);
            std::map<std::uint32_t, StoredSection> aside;
            {
              nb::gil_scoped_release unlocked;
              aside = worker.put_aside(views, name);
            }
            nb::dict result;
            for (const auto& [partition, section] : aside)
              result[nb::int_(partition)] = nb::make_tuple(section.file, section.offset, section.bytes);
            return result;
          },
          "blocks"_a, "name"_a)
      .def(
          "predecessors",
          [](PartitionWorker& worker, const std::vector<Part>& parts, const std::vector<nb::bytes>& states) {
            const std::vector<LevelPart> wanted = parts_of(parts);
            std::vector<Words> targets;
            for (const nb::bytes& state : states) targets.push_back(words_of(state));
            std::vector<Predecessor> found;
            {
              nb::gil_scoped_release unlocked;
              found = worker.predecessors(wanted, targets);
            }
            nb::list result;
            for (const Predecessor& one : found) {
              if (one.is_found) {
                result.append(nb::make_tuple(one.position, one.rank, bytes_of(one.state)));
              } else {
                result.append(nb::none());
              }
            }
            return result;
          },
          "parts"_a, "states"_a)
      .def(
          "count_until",
          [](PartitionWorker& worker, const std::vector<Part>& parts, const nb::bytes& state,
             std::uint64_t rank, bool at_limit) {
            const std::vector<LevelPart> wanted = parts_of(parts);
            const Words last = words_of(state);
            Counted counted;
            {
              nb::gil_scoped_release unlocked;
              counted = worker.count_until(wanted, last, rank, at_limit);
            }
            return std::make_pair(counted.states, counted.transitions);
          },
          "parts"_a, "state"_a, "rank"_a, "at_limit"_a)
      .def(
          "rank",
          [](PartitionWorker& worker, const std::vector<Piece>& keys, std::uint64_t parents,
             std::uint64_t slice, std::uint64_t slices, const std::string& name) {
            const std::vector<StoredWords> wanted = pieces_of(keys);
            std::vector<StoredWords> ranks;
            {
              nb::gil_scoped_release unlocked;
              ranks = worker.rank(wanted, parents, slice, slices, name);
            }
            return told(ranks);
          },
          "keys"_a, "parents"_a, "slice_number"_a, "slices"_a, "name"_a)
      .def(
          "number_edges",
          [](PartitionWorker& worker, const std::vector<std::uint32_t>& partitions,
             const std::vector<std::pair<std::uint64_t, std::vector<Part>>>& levels,
             const std::vector<std::vector<Piece>>& edges, const std::string& name) {
            std::vector<PartitionWorker::NumberedLevel> wanted;
            for (const auto& [first, parts] : levels) wanted.push_back({first, parts_of(parts)});
            std::vector<std::vector<StoredWords>> steps;
            for (const std::vector<Piece>& pieces : edges) steps.push_back(pieces_of(pieces));
            std::vector<StoredWords> numbers;
            {
              nb::gil_scoped_release unlocked;
              numbers = worker.number_edges(partitions, wanted, steps, name);
            }
            return told(numbers);
          },
          "partitions"_a, "levels"_a, "edges"_a, "name"_a)
      .def(
          "is_intact",
          [](PartitionWorker& worker, const Run& run) {
            const StoredRun wanted = run_of(run);
            nb::gil_scoped_release unlocked;
            return worker.is_intact(wanted);
          },
          "run"_a);

  bind_cycle_work(m);
  using Pieces = std::vector<std::vector<Piece>>;
  m.def(
      "write_partitioned_graph",
      [](const std::string& directory, std::uint64_t states,
         const std::vector<std::tuple<std::uint64_t, Pieces, Pieces>>& levels,
         const std::vector<std::uint32_t>& stream_of, const Pieces& numbers, evidence::GraphLog& log) {
        PartitionedGraph graph;
        graph.states = states;
        graph.stream_of = stream_of;
        for (const auto& [count, ranks, edges] : levels) {
          graph.levels.push_back({count, {}, {}});
          for (const auto& pieces : ranks) graph.levels.back().ranks.push_back(pieces_of(pieces));
          for (const auto& pieces : edges) graph.levels.back().edges.push_back(pieces_of(pieces));
        }
        for (const auto& pieces : numbers) graph.numbers.push_back(pieces_of(pieces));
        nb::gil_scoped_release unlocked;
        write_graph(graph, directory, log);
      },
      "directory"_a, "states"_a, "levels"_a, "stream_of"_a, "numbers"_a, "log"_a);
}

}  // namespace assay::bindings
