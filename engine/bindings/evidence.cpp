#include "bindings/evidence.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "evidence/script_writer.hpp"
#include "evidence/subgraphs.hpp"
#include "evidence/walk.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace assay::bindings {
namespace {

using transition_system::TransitionSystem;

nb::bytes bytes_of(const std::string& text) { return nb::bytes(text.data(), text.size()); }
std::string string_of(const nb::bytes& bytes) { return std::string(bytes.c_str(), bytes.size()); }

/// Calls `take` for each frame with the lock of the interpreter, and works without it in between.
bool write_script(evidence::ScriptWriter& writer, std::uint32_t frames, nb::object take) {
  nb::gil_scoped_release unlocked;
  return writer.write(frames, [&take](const evidence::FrameSections& frame) {
    nb::gil_scoped_acquire locked;
    nb::object answer = take(frame.states, frame.entries, frame.references, bytes_of(frame.start),
                             bytes_of(frame.bits), bytes_of(frame.ids), bytes_of(frame.counts),
                             bytes_of(frame.subgraphs), bytes_of(frame.excesses), bytes_of(frame.moves));
    return nb::cast<bool>(answer);
  });
}

evidence::Purpose purpose_named(const std::string& name) {
  if (name == "authenticate") return evidence::Purpose::kAuthenticate;
  if (name == "explain") return evidence::Purpose::kExplain;
  if (name == "trust") return evidence::Purpose::kTrust;
  throw std::invalid_argument("unknown purpose '" + name + "'; choose authenticate, explain or trust");
}

using Interval = std::pair<std::uint64_t, std::uint64_t>;  // begin and end

void walk_begin(evidence::Walk& walk, const nb::bytes& start, std::uint64_t first_state,
                const std::vector<Interval>& holes) {
  std::vector<evidence::Interval> intervals;
  for (const auto& [begin, end] : holes) intervals.push_back({begin, end});
  walk.begin(string_of(start), first_state, std::move(intervals));
}

bool walk_frame(evidence::Walk& walk, std::uint32_t states, std::uint32_t entries, std::uint32_t references,
                const nb::bytes& bits, const nb::bytes& ids, const nb::bytes& counts,
                const nb::bytes& supplement) {
  const auto view = [](const nb::bytes& bytes) { return std::string_view(bytes.c_str(), bytes.size()); };
  const evidence::FrameView frame{states,    entries,      references,      view(bits),
                                  view(ids), view(counts), view(supplement)};
  nb::gil_scoped_release unlocked;  // the caller keeps the bytes
  return walk.frame(frame);
}

void read_subgraphs(evidence::Subgraphs& subgraphs, std::uint32_t states, std::uint32_t entries,
                    std::uint32_t references, const nb::bytes& start, const nb::bytes& bits,
                    const nb::bytes& ids, const nb::bytes& counts, const nb::bytes& listed) {
  const evidence::FrameSections sections{states,
                                         entries,
                                         references,
                                         string_of(start),
                                         string_of(bits),
                                         string_of(ids),
                                         string_of(counts),
                                         string_of(listed),
                                         {},
                                         {}};
  nb::gil_scoped_release unlocked;
  subgraphs.read(sections);
}

std::vector<evidence::Region> partition_subgraphs(evidence::Subgraphs& subgraphs, std::uint32_t regions,
                                                  nb::object before_each) {
  nb::gil_scoped_release unlocked;
  return subgraphs.partition(regions, [&before_each] {
    nb::gil_scoped_acquire locked;
    before_each();
  });
}

nb::list script_of_region(const evidence::Subgraphs& subgraphs, std::size_t region) {
  std::vector<evidence::FrameSections> frames;
  {
    nb::gil_scoped_release unlocked;
    frames = subgraphs.script(region);
  }
  nb::list answer;
  for (const evidence::FrameSections& frame : frames) {
    answer.append(nb::make_tuple(frame.states, frame.entries, frame.references, bytes_of(frame.start),
                                 bytes_of(frame.bits), bytes_of(frame.ids), bytes_of(frame.counts)));
  }
  return answer;
}

}  // namespace

void bind_graph_log(nb::module_& m) {
  nb::class_<evidence::GraphLog>(m, "GraphLog")
      .def(nb::init<const std::string&>(), "directory"_a)
      .def_prop_ro("is_finished", &evidence::GraphLog::is_finished)
      .def_prop_ro("names_moves", &evidence::GraphLog::names_moves)
      .def("has_served", &evidence::GraphLog::has_served)
      .def_prop_ro("bytes", &evidence::GraphLog::bytes);
  nb::class_<evidence::RankedGraph>(m, "RankedGraph")
      .def(
          "__init__",
          [](evidence::RankedGraph* self, std::uint32_t processes,
             std::optional<std::uint32_t> progress_label) {
            new (self) evidence::RankedGraph({processes, progress_label});
          },
          nb::kw_only(), "processes"_a = 0, "progress_label"_a = nb::none())
      .def("assign", &evidence::RankedGraph::assign, nb::kw_only(), "highest"_a = true,
           nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("states", &evidence::RankedGraph::states)
      .def("rank", &evidence::RankedGraph::rank, "state"_a);
}

void bind_evidence(nb::module_& m) {
  nb::class_<evidence::ScriptWriter>(m, "ScriptWriter")
      .def(nb::init<const evidence::GraphLog&, bool, std::size_t, bool>(), "log"_a, nb::kw_only(),
           "subgraphs"_a, "memory_bytes"_a = 0, "moves"_a = false, nb::keep_alive<1, 2>(),
           nb::call_guard<nb::gil_scoped_release>())
      .def(nb::init<const evidence::GraphLog&, const evidence::RankedGraph&>(), "log"_a, "ranks"_a,
           nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(), nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("states", [](const evidence::ScriptWriter& writer) { return writer.facts().states; })
      .def_prop_ro("transitions",
                   [](const evidence::ScriptWriter& writer) { return writer.facts().transitions; })
      .def_prop_ro("depth", [](const evidence::ScriptWriter& writer) { return writer.facts().depth; })
      .def("write", &write_script, "frames"_a, "take"_a);
  m.def("frames_for", &evidence::frames_for, "transitions"_a);

  nb::exception<evidence::Rejected>(m, "Rejected");

  nb::class_<evidence::Region>(m, "Region")
      .def_ro("root", &evidence::Region::root)
      .def_ro("end", &evidence::Region::end)
      .def_prop_ro("cut",
                   [](const evidence::Region& region) {
                     std::vector<Interval> cut;
                     for (const evidence::Interval& hole : region.cut) cut.emplace_back(hole.begin, hole.end);
                     return cut;
                   })
      .def_ro("transitions", &evidence::Region::transitions)
      .def_ro("path", &evidence::Region::path);
  nb::class_<evidence::Subgraphs>(m, "Subgraphs")
      .def(nb::init<std::uint64_t, std::uint64_t, bool, std::uint64_t>(), "states"_a, "entries"_a,
           nb::kw_only(), "trusted"_a, "memory_limit_bytes"_a)
      .def("read", &read_subgraphs, "states"_a, "entries"_a, "references"_a, "start"_a, "bits"_a, "ids"_a,
           "counts"_a, "subgraphs"_a)
      .def("partition", &partition_subgraphs, "regions"_a, "before_each"_a)
      .def("script", &script_of_region, "region"_a);

  nb::class_<evidence::WalkFacts>(m, "WalkFacts")
      .def_ro("states", &evidence::WalkFacts::states)
      .def_ro("entries", &evidence::WalkFacts::entries)
      .def_ro("references", &evidence::WalkFacts::references)
      .def_ro("counted", &evidence::WalkFacts::counted)
      .def_ro("depth", &evidence::WalkFacts::depth)
      .def_ro("path_length", &evidence::WalkFacts::path_length)
      .def_ro("duplicates", &evidence::WalkFacts::duplicates)
      .def_ro("map_entries", &evidence::WalkFacts::map_entries)
      .def_prop_ro("referred", [](const evidence::WalkFacts& facts) { return bytes_of(facts.referred); })
      .def_prop_ro("visited", [](const evidence::WalkFacts& facts) { return bytes_of(facts.visited); });

  nb::class_<evidence::Discrepancy>(m, "Discrepancy")
      .def_ro("state", &evidence::Discrepancy::state)
      .def_ro("position", &evidence::Discrepancy::position)
      .def_ro("claimed", &evidence::Discrepancy::claimed)
      .def_prop_ro("actual",
                   [](const evidence::Discrepancy& found) -> std::optional<std::uint64_t> {
                     if (found.actual == evidence::kNoNumber) return std::nullopt;
                     return found.actual;
                   })
      .def_ro("path", &evidence::Discrepancy::path)
      .def_ro("claimed_rank", &evidence::Discrepancy::claimed_rank)
      .def_ro("actual_rank", &evidence::Discrepancy::actual_rank);

  nb::class_<evidence::Walk>(m, "Walk")
      .def_static(
          "secret_bytes",
          [](const TransitionSystem& model) { return evidence::Walk::secret_bytes(model.max_words()); },
          "model"_a)
      .def("begin", &walk_begin, "start"_a, "first_state"_a, "holes"_a = std::vector<Interval>())
      .def("frame", &walk_frame, "states"_a, "entries"_a, "references"_a, "bits"_a, "ids"_a, "counts"_a,
           "supplement"_a = nb::bytes("", 0))
      .def("position", [](const evidence::Walk& walk) { return bytes_of(walk.position()); })
      .def_prop_ro("is_finished", &evidence::Walk::is_finished)
      .def("facts", &evidence::Walk::facts)
      .def_prop_ro("violation",
                   [](const evidence::Walk& walk)
                       -> std::optional<std::pair<std::uint32_t, std::vector<std::uint32_t>>> {
                     if (!walk.violation()) return std::nullopt;
                     return std::pair(walk.violation()->code, walk.violation()->path);
                   })
      .def_prop_ro("discrepancy", &evidence::Walk::discrepancy)
      .def("wrong_count", [](const evidence::Walk& walk) {
        std::optional<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>> answer;
        if (const auto wrong = walk.wrong_count()) answer.emplace(wrong->state, wrong->claimed, wrong->found);
        return answer;
      });
  m.def(
      "walk",
      [](const TransitionSystem& model, const std::string& purpose, bool check_deadlock,
         std::uint64_t total_states, std::uint64_t memory_limit_bytes, const nb::bytes& secrets,
         bool drop_after_last, std::optional<std::uint32_t> initial_rank, std::uint32_t processes,
         std::optional<std::uint32_t> progress_label, bool moves, bool portable) {
        std::optional<evidence::Ranking> ranking;
        if (initial_rank) ranking = evidence::Ranking{{processes, progress_label}, *initial_rank};
        return evidence::Walk::make(model,
                                    {purpose_named(purpose), check_deadlock, total_states, memory_limit_bytes,
                                     string_of(secrets), drop_after_last, ranking, moves, portable});
      },
      "model"_a, nb::kw_only(), "purpose"_a, "check_deadlock"_a, "total_states"_a, "memory_limit_bytes"_a,
      "secrets"_a, "drop_after_last"_a, "initial_rank"_a = nb::none(), "processes"_a = 0,
      "progress_label"_a = nb::none(), "moves"_a = false, "portable"_a = false, nb::keep_alive<0, 1>());
}

}  // namespace assay::bindings
