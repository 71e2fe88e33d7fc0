// The Python face of the engine: `assay._engine`, typed in `_engine.pyi`.
//
// Everything here converts; nothing decides. States cross as bytes, errors as
// Python exceptions with a sentence.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <stdexcept>

#include "evidence/script_writer.hpp"
#include "evidence/walk.hpp"
#include "search/search.hpp"
#include "transition_system/compiled_model.hpp"
#include "transition_system/explicit_graph.hpp"
#include "transition_system/successor_buffer.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using assay::transition_system::CompiledModel;
using assay::transition_system::ExplicitGraph;
using assay::transition_system::SuccessorBuffer;
using assay::transition_system::TransitionSystem;
namespace search = assay::search;
namespace evidence = assay::evidence;

using Words = std::vector<std::uint64_t>;

Words words_of(const nb::bytes& bytes) {
  if (bytes.size() % sizeof(std::uint64_t) != 0) {
    throw std::invalid_argument("a state is a whole number of 8-byte words, got " + std::to_string(bytes.size()) +
                                " bytes");
  }
  Words words(bytes.size() / sizeof(std::uint64_t));
  if (!words.empty()) std::memcpy(words.data(), bytes.c_str(), bytes.size());
  return words;
}

/// The words of a state given to a model, which may read all it may write.
Words state_for(const TransitionSystem& model, const nb::bytes& bytes) {
  Words words = words_of(bytes);
  if (words.size() > model.max_words()) {
    throw std::invalid_argument("the model has states of at most " + std::to_string(model.max_words()) +
                                " words, got " + std::to_string(words.size()));
  }
  return words;
}

nb::bytes bytes_of(const std::uint64_t* words, std::size_t count) {
  return nb::bytes(reinterpret_cast<const char*>(words), count * sizeof(std::uint64_t));
}

std::uint32_t length_of(const Words& words) { return static_cast<std::uint32_t>(words.size()); }

nb::tuple initial_state(const TransitionSystem& model) {
  Words words(std::size_t{model.max_words()} + 1);
  std::uint32_t violation = 0;
  const std::uint32_t count = model.initial(words.data(), &violation);
  return nb::make_tuple(bytes_of(words.data(), count), violation);
}

nb::list successors(const TransitionSystem& model, const nb::bytes& state) {
  const Words words = state_for(model, state);
  SuccessorBuffer buffer;
  model.successors(words.data(), length_of(words), buffer.cleared());
  nb::list result;
  for (std::uint32_t i = 0; i < buffer.count(); ++i) {
    const assay_successor& successor = buffer[i];
    nb::object next = nb::none();
    if (successor.has_state != 0) next = bytes_of(buffer.words(successor), successor.word_count);
    result.append(nb::make_tuple(next, successor.violation));
  }
  return result;
}

struct PrimitiveStep {
  std::uint32_t successor;
  std::uint32_t process;
  std::uint32_t transition;
  Words after;
};

nb::list explain(const TransitionSystem& model, const nb::bytes& state, std::uint32_t position) {
  const Words words = state_for(model, state);
  std::vector<PrimitiveStep> steps;
  assay_recorder recorder{&steps, [](void* context, std::uint32_t successor, std::uint32_t process,
                                     std::uint32_t transition, const std::uint64_t* after, std::uint32_t count) {
                            static_cast<std::vector<PrimitiveStep>*>(context)->push_back(
                                {successor, process, transition, Words(after, after + count)});
                          }};
  SuccessorBuffer buffer(&recorder);
  model.successors(words.data(), length_of(words), buffer.cleared());
  if (position >= buffer.count()) {
    throw std::out_of_range("the state has " + std::to_string(buffer.count()) + " successors, asked for number " +
                            std::to_string(position));
  }
  nb::list result;
  for (const PrimitiveStep& step : steps) {
    if (step.successor != position) continue;
    result.append(nb::make_tuple(step.process, step.transition, bytes_of(step.after.data(), step.after.size())));
  }
  return result;
}

search::Result run_search(const TransitionSystem& model, const search::Options& options, nb::object on_progress) {
  search::Watcher watcher;
  // Both are called while the lock of the interpreter is not held.
  watcher.interrupted = [] {
    nb::gil_scoped_acquire locked;
    if (PyErr_CheckSignals() == 0) return false;
    // Ctrl-C ends in a partial result; anything else a handler raises is told.
    if (PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) {
      PyErr_Clear();
    } else {
      PyErr_WriteUnraisable(nullptr);
    }
    return true;
  };
  if (!on_progress.is_none()) {
    watcher.progress = [&on_progress](const search::Progress& progress) {
      nb::gil_scoped_acquire locked;
      try {
        nb::object answer = on_progress(nb::cast(progress));
        const int truth = PyObject_IsTrue(answer.ptr());
        if (truth < 0) throw nb::python_error();
        return truth != 0 || answer.is_none();
      } catch (nb::python_error& error) {
        if (!error.matches(PyExc_KeyboardInterrupt)) {
          error.restore();
          PyErr_WriteUnraisable(on_progress.ptr());
        }
        return false;
      }
    };
  }
  nb::gil_scoped_release unlocked;
  return search::search(model, options, watcher);
}

nb::bytes bytes_of(const std::string& text) { return nb::bytes(text.data(), text.size()); }
std::string string_of(const nb::bytes& bytes) { return std::string(bytes.c_str(), bytes.size()); }

/// Calls `take` for each frame with the lock of the interpreter, and works without it in between.
bool write_script(evidence::ScriptWriter& writer, std::uint32_t frames, nb::object take) {
  nb::gil_scoped_release unlocked;
  return writer.write(frames, [&take](const evidence::FrameSections& frame) {
    nb::gil_scoped_acquire locked;
    nb::object answer =
        take(frame.states, frame.entries, frame.references, bytes_of(frame.start), bytes_of(frame.bits),
             bytes_of(frame.ids), bytes_of(frame.counts), bytes_of(frame.subgraphs));
    return nb::cast<bool>(answer);
  });
}

evidence::Purpose purpose_named(const std::string& name) {
  if (name == "authenticate") return evidence::Purpose::kAuthenticate;
  if (name == "explain") return evidence::Purpose::kExplain;
  if (name == "trust") return evidence::Purpose::kTrust;
  throw std::invalid_argument("unknown purpose '" + name + "'; choose authenticate, explain or trust");
}

bool walk_frame(evidence::Walk& walk, std::uint32_t states, std::uint32_t entries, std::uint32_t references,
                const nb::bytes& bits, const nb::bytes& ids, const nb::bytes& counts) {
  evidence::FrameSections sections;
  sections.states = states;
  sections.entries = entries;
  sections.references = references;
  sections.bits = string_of(bits);
  sections.ids = string_of(ids);
  sections.counts = string_of(counts);
  nb::gil_scoped_release unlocked;
  return walk.frame(sections);
}

}  // namespace

NB_MODULE(_engine, m) {
  m.attr("ABI_VERSION") = ASSAY_MODEL_ABI;

  nb::class_<TransitionSystem>(m, "Model")
      .def("initial_state", &initial_state)
      .def("successors", &successors, "state"_a)
      .def("explain", &explain, "state"_a, "position"_a)
      .def("is_valid_end",
           [](const TransitionSystem& model, const nb::bytes& state) {
             const Words words = state_for(model, state);
             return model.is_valid_end(words.data(), length_of(words));
           },
           "state"_a)
      .def("check_state",
           [](const TransitionSystem& model, const nb::bytes& state) {
             const Words words = state_for(model, state);
             return model.check_state(words.data(), length_of(words));
           },
           "state"_a)
      .def("check_step",
           [](const TransitionSystem& model, const nb::bytes& before, const nb::bytes& after) {
             const Words first = state_for(model, before), second = state_for(model, after);
             return model.check_step(first.data(), length_of(first), second.data(), length_of(second));
           },
           "before"_a, "after"_a);

  nb::class_<CompiledModel, TransitionSystem>(m, "CompiledModel").def(nb::init<const std::string&>(), "library"_a);

  nb::class_<ExplicitGraph, TransitionSystem>(m, "ExplicitGraph")
      .def("__init__",
           [](ExplicitGraph* self, const std::vector<nb::bytes>& states,
              const std::vector<std::vector<std::pair<std::int64_t, std::uint32_t>>>& edges,
              const std::vector<bool>& valid_ends, const std::vector<std::uint32_t>& state_violations) {
             std::vector<Words> nodes;
             for (const nb::bytes& state : states) nodes.push_back(words_of(state));
             std::vector<std::vector<ExplicitGraph::Edge>> lists;
             for (const auto& list : edges) {
               lists.emplace_back();
               for (const auto& [target, violation] : list) lists.back().push_back({target, violation});
             }
             new (self) ExplicitGraph(std::move(nodes), std::move(lists), valid_ends, state_violations);
           },
           "states"_a, "edges"_a, "valid_ends"_a, "state_violations"_a);

  nb::class_<search::Progress>(m, "Progress")
      .def_ro("states", &search::Progress::states)
      .def_ro("transitions", &search::Progress::transitions)
      .def_ro("depth", &search::Progress::depth)
      .def_ro("frontier", &search::Progress::frontier)
      .def_ro("memory_bytes", &search::Progress::memory_bytes)
      .def_ro("seconds", &search::Progress::seconds)
      .def_ro("tracing", &search::Progress::tracing);

  nb::class_<search::Violation>(m, "Violation")
      .def_ro("code", &search::Violation::code)
      .def_ro("path", &search::Violation::path);

  nb::class_<search::Result>(m, "SearchResult")
      .def_ro("states", &search::Result::states)
      .def_ro("transitions", &search::Result::transitions)
      .def_ro("depth", &search::Result::depth)
      .def_ro("complete", &search::Result::complete)
      .def_prop_ro("stop_reason",
                   [](const search::Result& result) { return std::string(search::name_of(result.stop_reason)); })
      .def_ro("violations", &search::Result::violations)
      .def_ro("violation_count", &search::Result::violation_count)
      .def_ro("seconds", &search::Result::seconds)
      .def_ro("table_bytes", &search::Result::table_bytes)
      .def_ro("bits_set", &search::Result::bits_set)
      .def_ro("bits_total", &search::Result::bits_total)
      .def_ro("frontier", &search::Result::frontier);

  m.def(
      "search",
      [](const TransitionSystem& model, const std::string& strategy, const std::string& storage,
         std::uint32_t threads, std::uint64_t seed, std::uint32_t hash_functions, std::uint64_t bitstate_bytes,
         std::uint64_t memory_limit_bytes, double time_limit_seconds, std::uint64_t depth_limit,
         std::uint64_t state_limit, bool stop_at_first_violation, bool check_deadlock, nb::object on_progress,
         double progress_interval_seconds, evidence::GraphLog* log) {
        const search::Options options{strategy,           storage,     threads,     seed,
                                      hash_functions,     bitstate_bytes, memory_limit_bytes, time_limit_seconds,
                                      depth_limit,        state_limit, stop_at_first_violation, check_deadlock,
                                      progress_interval_seconds, log};
        return run_search(model, options, std::move(on_progress));
      },
      "model"_a, nb::kw_only(), "strategy"_a, "storage"_a, "threads"_a, "seed"_a, "hash_functions"_a,
      "bitstate_bytes"_a, "memory_limit_bytes"_a, "time_limit_seconds"_a, "depth_limit"_a, "state_limit"_a,
      "stop_at_first_violation"_a, "check_deadlock"_a, "on_progress"_a.none(), "progress_interval_seconds"_a,
      "log"_a.none() = nb::none());

  nb::class_<evidence::GraphLog>(m, "GraphLog")
      .def(nb::init<const std::string&>(), "directory"_a)
      .def_prop_ro("is_finished", &evidence::GraphLog::is_finished)
      .def_prop_ro("bytes", &evidence::GraphLog::bytes);

  nb::class_<evidence::ScriptWriter>(m, "ScriptWriter")
      .def(nb::init<const evidence::GraphLog&, bool>(), "log"_a, nb::kw_only(), "subgraphs"_a, nb::keep_alive<1, 2>(),
           nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("states", [](const evidence::ScriptWriter& writer) { return writer.facts().states; })
      .def_prop_ro("transitions", [](const evidence::ScriptWriter& writer) { return writer.facts().transitions; })
      .def_prop_ro("depth", [](const evidence::ScriptWriter& writer) { return writer.facts().depth; })
      .def("write", &write_script, "frames"_a, "take"_a);
  m.def("frames_for", &evidence::frames_for, "transitions"_a);

  nb::exception<evidence::Rejected>(m, "Rejected");

  nb::class_<evidence::WalkFacts>(m, "WalkFacts")
      .def_ro("states", &evidence::WalkFacts::states)
      .def_ro("entries", &evidence::WalkFacts::entries)
      .def_ro("references", &evidence::WalkFacts::references)
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
      .def_ro("path", &evidence::Discrepancy::path);

  nb::class_<evidence::Walk>(m, "Walk")
      .def_static(
          "secret_bytes",
          [](const TransitionSystem& model) { return evidence::Walk::secret_bytes(model.max_words()); }, "model"_a)
      .def("begin", [](evidence::Walk& walk, const nb::bytes& start,
                       std::uint64_t first_state) { walk.begin(string_of(start), first_state); },
           "start"_a, "first_state"_a)
      .def("frame", &walk_frame, "states"_a, "entries"_a, "references"_a, "bits"_a, "ids"_a, "counts"_a)
      .def("position", [](const evidence::Walk& walk) { return bytes_of(walk.position()); })
      .def_prop_ro("is_finished", &evidence::Walk::is_finished)
      .def("facts", &evidence::Walk::facts)
      .def_prop_ro("violation",
                   [](const evidence::Walk& walk) -> std::optional<std::pair<std::uint32_t, std::vector<std::uint32_t>>> {
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
      [](const TransitionSystem& model, const std::string& purpose, bool check_deadlock, std::uint64_t total_states,
         std::uint64_t memory_limit_bytes, const nb::bytes& secrets, bool drop_after_last) {
        return evidence::Walk::make(model, {purpose_named(purpose), check_deadlock, total_states, memory_limit_bytes,
                                            string_of(secrets), drop_after_last});
      },
      "model"_a, nb::kw_only(), "purpose"_a, "check_deadlock"_a, "total_states"_a, "memory_limit_bytes"_a, "secrets"_a,
      "drop_after_last"_a, nb::keep_alive<0, 1>());
}
