#include "bindings/python_machine.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "languages/python/machine.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace assay::bindings {
namespace {

using languages::python::Granularity;
using languages::python::Machine;

Granularity granularity_of(const std::string& name) {
  if (name == "bytecode") return Granularity::kBytecode;
  if (name == "gil") return Granularity::kGil;
  if (name == "sync") return Granularity::kSync;
  throw std::invalid_argument("expected the granularity bytecode, gil or sync, got " + name);
}

std::vector<std::uint64_t> words_of(const Machine& machine, const nb::bytes& state) {
  const std::size_t size = state.size();
  if (size == 0 || size % 8 != 0 || size / 8 > machine.max_words())
    throw std::invalid_argument("no state of this program");
  std::vector<std::uint64_t> words(size / 8);
  std::memcpy(words.data(), state.c_str(), size);
  return words;
}

/// The machine reports errors of CPython's by an exception of its own.
template <class Function>
auto translated(Function&& function) {
  try {
    return function();
  } catch (const languages::python::PythonError&) {
    throw nb::python_error();
  }
}

}  // namespace

void bind_python_machine(nb::module_& m) {
  nb::class_<Machine, transition_system::TransitionSystem>(m, "PythonMachine")
      .def(
          "__init__",
          [](Machine* self, nb::handle program, const std::string& granularity, const nb::bytes& key,
             bool invariants, bool distrustful, bool watching, std::vector<std::string> labels,
             std::vector<std::string> atoms, std::uint32_t matches, bool matches_anywhere) {
            std::optional<support::ElementWords> secret;
            if (key.size() != 0) {
              if (key.size() != sizeof(support::ElementWords))
                throw std::invalid_argument("expected a key of 24 bytes");
              secret.emplace();
              std::memcpy(secret->data(), key.data(), sizeof *secret);
            }
            translated([&] {
              new (self) Machine(languages::python::read_program(program.ptr()), granularity_of(granularity),
                                 secret, invariants, distrustful,
                                 {std::move(labels), std::move(atoms), watching, matches, matches_anywhere});
              return 0;
            });
          },
          "program"_a, "granularity"_a, "key"_a = nb::bytes("", 0), "invariants"_a = true,
          "distrustful"_a = false, "watching"_a = false, "labels"_a = std::vector<std::string>{},
          "atoms"_a = std::vector<std::string>{}, "matches"_a = 0, "matches_anywhere"_a = false)
      .def("describe",
           [](const Machine& machine, const nb::bytes& state) {
             const std::vector<std::uint64_t> words = words_of(machine, state);
             return translated([&] {
               return nb::steal<nb::dict>(
                   machine.describe(words.data(), static_cast<std::uint32_t>(words.size())));
             });
           })
      .def("explain",
           [](const Machine& machine, const nb::bytes& state, std::uint32_t position) {
             const std::vector<std::uint64_t> words = words_of(machine, state);
             return translated([&] {
               return nb::steal<nb::dict>(
                   machine.explain(words.data(), static_cast<std::uint32_t>(words.size()), position));
             });
           })
      .def("violation",
           [](const Machine& machine, std::uint32_t code) {
             return translated([&] { return nb::steal<nb::dict>(machine.violation(code)); });
           })
      .def("statistics",
           [](const Machine& machine) {
             return translated([&] { return nb::steal<nb::dict>(machine.statistics()); });
           })
      .def("remarks", [](const Machine& machine) {
        return translated([&] { return nb::steal<nb::list>(machine.remarks()); });
      });
}

}  // namespace assay::bindings
