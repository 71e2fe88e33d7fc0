// The Python face of the engine: `assay._engine`, typed in `_engine.pyi`.
//
// Everything here converts; nothing decides. States cross as bytes, errors as
// Python exceptions with a sentence.
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/set.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <stdexcept>

#include "bindings/evidence.hpp"
#include "bindings/portable.hpp"
#include "bindings/python_machine.hpp"
#include "bindings/python_system.hpp"
#include "bindings/sequential.hpp"
#include "search/finding_log.hpp"
#include "search/search.hpp"
#include "search/strategy.hpp"
#include "storage/checkpoint.hpp"
#include "storage/disk_file.hpp"
#include "storage/search_directory.hpp"
#include "transition_system/audit.hpp"
#include "transition_system/compiled_model.hpp"
#include "transition_system/foreign/confinement.hpp"
#include "transition_system/explicit_graph.hpp"
#include "transition_system/product.hpp"
#include "transition_system/successor_buffer.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using assay::transition_system::Audit;
using assay::transition_system::Automaton;
using assay::transition_system::CompiledModel;
using assay::transition_system::ExplicitGraph;
using assay::transition_system::Product;
using assay::transition_system::SuccessorBuffer;
using assay::transition_system::TransitionSystem;
namespace search = assay::search;
namespace evidence = assay::evidence;

using Words = std::vector<std::uint64_t>;

Words words_of(const nb::bytes& bytes) {
  if (bytes.size() % sizeof(std::uint64_t) != 0) {
    throw std::invalid_argument("a state is a whole number of 8-byte words, got " +
                                std::to_string(bytes.size()) + " bytes");
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

nb::tuple initial_state(const TransitionSystem& model) {
  Words words(std::size_t{model.max_words()} + 1);
  std::uint32_t violation = 0;
  const std::uint32_t count = model.initial(words.data(), &violation);
  return nb::make_tuple(bytes_of(words.data(), count), violation);
}

nb::list successors(const TransitionSystem& model, const nb::bytes& state) {
  const Words words = state_for(model, state);
  SuccessorBuffer buffer;
  model.successors(words, buffer.cleared());
  nb::list result;
  for (std::uint32_t i = 0; i < buffer.count(); ++i) {
    const assay_successor& successor = buffer[i];
    nb::object next = nb::none();
    if (successor.has_state != 0) next = bytes_of(buffer.words(successor), successor.word_count);
    result.append(nb::make_tuple(next, successor.violation));
  }
  return result;
}

nb::list processes(const TransitionSystem& model, const nb::bytes& state) {
  SuccessorBuffer buffer;
  model.successors(state_for(model, state), buffer.cleared());
  nb::list result;
  for (std::uint32_t i = 0; i < buffer.count(); ++i) {
    const std::uint16_t process = buffer[i].process;
    result.append(process == ASSAY_NO_PROCESS ? nb::none() : nb::object(nb::int_(process)));
  }
  return result;
}

std::set<std::uint32_t> enabled(const TransitionSystem& model, const nb::bytes& state) {
  SuccessorBuffer buffer;
  model.all_successors(state_for(model, state), buffer.cleared());
  std::set<std::uint32_t> result;
  for (std::uint32_t i = 0; i < buffer.count(); ++i) {
    if (buffer[i].process != ASSAY_NO_PROCESS) result.insert(buffer[i].process);
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
  assay_recorder recorder{
      &steps, [](void* context, std::uint32_t successor, std::uint32_t process, std::uint32_t transition,
                 const std::uint64_t* after, std::uint32_t count) {
        static_cast<std::vector<PrimitiveStep>*>(context)->push_back(
            {successor, process, transition, Words(after, after + count)});
      }};
  SuccessorBuffer buffer(&recorder);
  // What other successors do and say does not matter, where they can be left out.
  constexpr std::uint64_t kMostOthers = 1u << 16;
  std::vector<std::uint8_t> wanted((position + kMostOthers) / 8 + 1);
  wanted[position / 8] = static_cast<std::uint8_t>(1u << position % 8);
  assay_buffer* const out = buffer.cleared();
  out->wanted = wanted.data();
  out->wanted_first = 0;
  out->wanted_count = position + kMostOthers;
  model.successors(words, out);
  if (position >= buffer.count()) {
    throw std::out_of_range("the state has " + std::to_string(buffer.count()) +
                            " successors, asked for number " + std::to_string(position));
  }
  nb::list result;
  for (const PrimitiveStep& step : steps) {
    if (step.successor != position) continue;
    result.append(
        nb::make_tuple(step.process, step.transition, bytes_of(step.after.data(), step.after.size())));
  }
  return result;
}

search::Result run_search(const TransitionSystem& model, const search::Options& options,
                          nb::object on_progress, evidence::GraphLog* log, evidence::RankedGraph* ranked) {
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
  return search::search(model, options, watcher, log, ranked);
}

/// Options by name: everything but these four is a plain value.
search::Result search_by_name(const TransitionSystem& model, const nb::kwargs& given) {
  search::Options options;
  nb::object on_progress = nb::none();
  evidence::GraphLog* log = nullptr;
  evidence::RankedGraph* ranked = nullptr;
  for (const auto& [key, value] : given) {
    const auto name = nb::cast<std::string>(key);
    if (name == "on_progress") {
      on_progress = nb::borrow(value);
    } else if (name == "log") {
      log = value.is_none() ? nullptr : nb::cast<evidence::GraphLog*>(value);
    } else if (name == "ranked") {
      ranked = value.is_none() ? nullptr : nb::cast<evidence::RankedGraph*>(value);
    } else if (name == "identity") {
      options.identity = nb::cast<search::Identity>(value);
    } else {
      options.set(name, nb::cast<search::Options::Value>(value));
    }
  }
  return run_search(model, options, std::move(on_progress), log, ranked);
}

}  // namespace

NB_MODULE(_engine, m) {
  m.attr("ABI_VERSION") = ASSAY_MODEL_ABI;
  m.def("confine_compiler", &assay::transition_system::foreign::confine_compiler, "readable"_a, "writable"_a);
  m.attr("ACCEPTING_CYCLE") = search::Finding::kAcceptingCycle;
  nb::exception<assay::DiskProblem>(m, "DiskProblem", PyExc_RuntimeError);
  nb::exception<assay::GraphProblem>(m, "GraphProblem", PyExc_RuntimeError);
  nb::exception<assay::UnsupportedProgram>(m, "UnsupportedProgram", PyExc_RuntimeError);
  nb::exception<assay::AssumptionFailed>(m, "AssumptionFailed", PyExc_RuntimeError);
  nb::exception<assay::storage::CheckpointProblem>(m, "CheckpointProblem");
  nb::exception<assay::transition_system::BrokenPromise>(m, "BrokenPromise");
  assay::bindings::bind_graph_log(m);

  nb::class_<TransitionSystem>(m, "Model")
      .def("initial_state", &initial_state)
      .def("successors", &successors, "state"_a)
      .def("explain", &explain, "state"_a, "position"_a)
      .def(
          "is_valid_end",
          [](const TransitionSystem& model, const nb::bytes& state) {
            const Words words = state_for(model, state);
            return model.is_valid_end(words);
          },
          "state"_a)
      .def(
          "check_state",
          [](const TransitionSystem& model, const nb::bytes& state) {
            const Words words = state_for(model, state);
            return model.check_state(words);
          },
          "state"_a)
      .def(
          "check_step",
          [](const TransitionSystem& model, const nb::bytes& before, const nb::bytes& after) {
            const Words first = state_for(model, before), second = state_for(model, after);
            return model.check_step(first, second);
          },
          "before"_a, "after"_a)
      .def("processes", &processes, "state"_a)
      .def("enabled", &enabled, "state"_a)
      .def_prop_ro("flags", &TransitionSystem::flags)
      .def_prop_ro("label_count", &TransitionSystem::label_count)
      .def(
          "labels",
          [](const TransitionSystem& model, const nb::bytes& state) {
            return model.labels(state_for(model, state));
          },
          "state"_a)
      .def(
          "content_hash",
          [](const TransitionSystem& model, const nb::bytes& state) {
            return model.content_hash(state_for(model, state));
          },
          "state"_a)
      .def_prop_ro("acceptance_count", &TransitionSystem::acceptance_count)
      .def(
          "acceptance",
          [](const TransitionSystem& model, const nb::bytes& state) {
            return model.acceptance(state_for(model, state));
          },
          "state"_a)
      .def(
          "match_key",
          [](const TransitionSystem& model, const nb::bytes& state) {
            Words key(std::size_t{model.max_words()} + 1);
            const std::uint32_t count = model.match_key(state_for(model, state), key.data());
            return bytes_of(key.data(), count);
          },
          "state"_a);

  nb::class_<CompiledModel, TransitionSystem>(m, "CompiledModel")
      .def("untracked",
           [](const CompiledModel& model) {
             nb::list found;
             for (const auto& each : model.untracked())
               found.append(nb::make_tuple(each.address, each.function, each.is_question));
             return found;
           })
      .def(
          "memory_of",
          [](const CompiledModel& model, const nb::bytes& state) {
            const std::string memory = model.memory_of(state_for(model, state));
            return nb::bytes(memory.data(), memory.size());
          },
          "state"_a)
      .def("take_output",
           [](const CompiledModel& model) {
             const std::string text = model.take_output();
             return nb::bytes(text.data(), text.size());
           })
      .def_static("confine", &CompiledModel::confine, "readable"_a)
      .def("digests", &CompiledModel::digests)
      .def("longest_digested", &CompiledModel::longest_digested)
      .def(
          "__init__",
          [](CompiledModel* self, const std::string& library, const nb::bytes& key) {
            std::optional<assay::support::ElementWords> secret;
            if (key.size() != 0) {
              if (key.size() != sizeof(assay::support::ElementWords))
                throw std::invalid_argument("expected a key of 24 bytes");
              secret.emplace();
              std::memcpy(secret->data(), key.c_str(), sizeof *secret);
            }
            new (self) CompiledModel(library, secret);
          },
          "library"_a, "key"_a = nb::bytes("", 0));

  nb::class_<ExplicitGraph, TransitionSystem>(m, "ExplicitGraph")
      .def(
          "__init__",
          [](ExplicitGraph* self, const std::vector<nb::bytes>& states,
             const std::vector<std::vector<std::pair<std::int64_t, std::uint32_t>>>& edges,
             const std::vector<bool>& valid_ends, const std::vector<std::uint32_t>& state_violations,
             const std::vector<std::uint64_t>& labels,
             const std::vector<std::vector<std::uint16_t>>& processes,
             const std::vector<std::uint64_t>& acceptance, std::uint32_t acceptance_count) {
            std::vector<Words> nodes;
            for (const nb::bytes& state : states) nodes.push_back(words_of(state));
            std::vector<std::vector<ExplicitGraph::Edge>> lists;
            for (const auto& list : edges) {
              lists.emplace_back();
              for (const auto& [target, violation] : list) lists.back().push_back({target, violation});
            }
            for (std::size_t i = 0; i < processes.size(); ++i) {
              for (std::size_t j = 0; j < processes[i].size(); ++j)
                lists.at(i).at(j).process = processes[i][j];
            }
            new (self) ExplicitGraph(std::move(nodes), std::move(lists), valid_ends, state_violations, labels,
                                     acceptance, acceptance_count);
          },
          "states"_a, "edges"_a, "valid_ends"_a, "state_violations"_a,
          "labels"_a = std::vector<std::uint64_t>{},
          "processes"_a = std::vector<std::vector<std::uint16_t>>{},
          "acceptance"_a = std::vector<std::uint64_t>{}, "acceptance_count"_a = 0);

  // A wrapper lives no longer than what it wraps.
  nb::class_<Product, TransitionSystem>(m, "Product")
      .def(
          "__init__",
          [](Product* self, const TransitionSystem& system,
             const std::vector<std::vector<std::tuple<std::uint64_t, std::uint64_t, std::uint32_t>>>& edges,
             const std::vector<std::uint64_t>& acceptance, std::uint32_t acceptance_count) {
            Automaton automaton{{}, acceptance, acceptance_count};
            for (const auto& list : edges) {
              automaton.edges.emplace_back();
              for (const auto& [mask, value, target] : list)
                automaton.edges.back().push_back({mask, value, target});
            }
            new (self) Product(system, std::move(automaton));
          },
          nb::keep_alive<1, 2>(), "system"_a, "edges"_a, "acceptance"_a, "acceptance_count"_a);
  nb::class_<Audit, TransitionSystem>(m, "Audit")
      .def(nb::init<const TransitionSystem&>(), nb::keep_alive<1, 2>(), "system"_a)
      .def_prop_ro("audited", &Audit::audited);

  assay::bindings::bind_portable(m);
  assay::bindings::bind_python_system(m);
  assay::bindings::bind_python_machine(m);

  nb::class_<search::Progress>(m, "Progress")
      .def_ro("states", &search::Progress::states)
      .def_ro("transitions", &search::Progress::transitions)
      .def_ro("depth", &search::Progress::depth)
      .def_ro("frontier", &search::Progress::frontier)
      .def_ro("memory_bytes", &search::Progress::memory_bytes)
      .def_ro("seconds", &search::Progress::seconds)
      .def_ro("tracing", &search::Progress::tracing)
      .def_ro("rounds", &search::Progress::rounds)
      .def_ro("predicates", &search::Progress::predicates)
      .def_ro("eligible", &search::Progress::eligible);

  nb::class_<search::Violation>(m, "Violation")
      .def_ro("code", &search::Violation::code)
      .def_ro("path", &search::Violation::path)
      .def_ro("loop_start", &search::Violation::loop_start);

  nb::class_<search::Seen>(m, "Seen")
      .def_ro("exhaustive", &search::Seen::exhaustive)
      .def_ro("sizes", &search::Seen::sizes)
      .def_ro("unfinished", &search::Seen::unfinished)
      .def_ro("tried", &search::Seen::tried)
      .def_ro("left", &search::Seen::left)
      .def_ro("productive_left", &search::Seen::productive_left)
      .def_ro("first", &search::Seen::first)
      .def_ro("second", &search::Seen::second)
      .def_ro("both", &search::Seen::both)
      .def_ro("levels", &search::Seen::levels);

  nb::class_<search::Result>(m, "SearchResult")
      .def_ro("states", &search::Result::states)
      .def_ro("transitions", &search::Result::transitions)
      .def_ro("depth", &search::Result::depth)
      .def_ro("complete", &search::Result::complete)
      .def_prop_ro(
          "stop_reason",
          [](const search::Result& result) { return std::string(search::name_of(result.stop_reason)); })
      .def_prop_ro(
          "guarantee",
          [](const search::Result& result) { return std::string(search::name_of(result.guarantee)); })
      .def_ro("observations", &search::Result::observations)
      .def_ro("restarts", &search::Result::restarts)
      .def_prop_ro("records",
                   [](const search::Result& result) {
                     nb::dict records;
                     for (const auto& [name, bytes] : result.records)
                       records[name.c_str()] = nb::bytes(bytes.data(), bytes.size());
                     return records;
                   })
      .def_ro("violations", &search::Result::violations)
      .def_ro("violation_count", &search::Result::violation_count)
      .def_ro("seconds", &search::Result::seconds)
      .def_ro("table_bytes", &search::Result::table_bytes)
      .def_ro("bits_set", &search::Result::bits_set)
      .def_ro("bits_total", &search::Result::bits_total)
      .def_ro("frontier", &search::Result::frontier)
      .def_ro("cache", &search::Result::cache)
      .def_ro("disk_bytes", &search::Result::disk_bytes)
      .def_ro("resumed_from", &search::Result::resumed_from)
      .def_ro("seen", &search::Result::seen);

  nb::class_<search::CacheFacts>(m, "CacheFacts")
      .def_ro("capacity", &search::CacheFacts::capacity)
      .def_ro("held", &search::CacheFacts::held)
      .def_ro("replaced", &search::CacheFacts::replaced)
      .def_ro("hits", &search::CacheFacts::hits)
      .def_ro("states_of_graph", &search::CacheFacts::states_of_graph)
      .def_ro("transitions_of_graph", &search::CacheFacts::transitions_of_graph)
      .def_prop_ro("contents", [](const search::CacheFacts& facts) {
        nb::list contents;
        for (const auto& held : facts.contents) {
          contents.append(nb::make_tuple(bytes_of(held.state.data(), held.state.size()), held.worth));
        }
        return contents;
      });

  m.def("search", &search_by_name, "model"_a, "options"_a);
  m.def("strategies", [] {
    nb::list all;
    for (const search::Strategy& strategy : search::strategies()) {
      all.append(nb::make_tuple(strategy.name, strategy.storage, strategy.has_threads, strategy.is_on_disk,
                                strategy.recording != search::Recording::kNone, strategy.is_offered));
    }
    return all;
  });
  m.def(
      "identity_of_search",
      [](const std::string& directory) {
        const assay::storage::SearchDirectory held(directory);
        if (!held.has_checkpoint()) return assay::storage::Identity{};
        assay::storage::CheckpointReader in(held.file("checkpoint"));
        return assay::storage::read_identity(in);
      },
      "directory"_a);
  m.def(
      "discard_search",
      [](const std::string& directory) { assay::storage::SearchDirectory(directory).clear(); },
      "directory"_a);
  assay::bindings::bind_evidence(m);
  assay::bindings::bind_sequential(m);
}
