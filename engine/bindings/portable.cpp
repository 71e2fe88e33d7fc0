#include "transition_system/portable.hpp"

#include <nanobind/stl/vector.h>

#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "bindings/portable.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace assay::bindings {
namespace {

using transition_system::Exchange;
using transition_system::KnownParts;
using transition_system::StateView;
using transition_system::TransitionSystem;

std::vector<std::uint64_t> words_of(const nb::bytes& bytes) {
  if (bytes.size() % sizeof(std::uint64_t) != 0)
    throw std::invalid_argument("expected a whole number of 8-byte words");
  std::vector<std::uint64_t> words(bytes.size() / sizeof(std::uint64_t));
  if (!words.empty()) std::memcpy(words.data(), bytes.c_str(), bytes.size());
  return words;
}

nb::bytes bytes_of(std::span<const std::uint64_t> words) {
  return nb::bytes(reinterpret_cast<const char*>(words.data()), words.size_bytes());
}

nb::bytes block(Exchange& exchange, const std::vector<nb::bytes>& states, KnownParts* known,
                const std::vector<nb::bytes>& notes) {
  if (!notes.empty() && notes.size() != states.size())
    throw std::invalid_argument("expected one note for each state, or none at all");
  Exchange::Block block(exchange, known);
  for (std::size_t i = 0; i < states.size(); ++i) {
    const std::vector<std::uint64_t> note = notes.empty() ? std::vector<std::uint64_t>() : words_of(notes[i]);
    block.add(words_of(states[i]), note);
  }
  const std::string bytes = block.take();
  return nb::bytes(bytes.data(), bytes.size());
}

nb::list read(Exchange& exchange, const nb::bytes& bytes) {
  nb::list found;
  exchange.read({bytes.c_str(), bytes.size()}, [&](StateView state, std::span<const std::uint64_t> note) {
    found.append(nb::make_tuple(bytes_of(state), bytes_of(note)));
  });
  return found;
}

}  // namespace

void bind_portable(nb::module_& m) {
  nb::exception<NotPortable>(m, "NotPortable", PyExc_RuntimeError);
  nb::class_<KnownParts>(m, "KnownParts")
      .def(nb::init<std::size_t>(), "most_bytes"_a)
      .def("clear", &KnownParts::clear)
      .def("__len__", &KnownParts::size)
      .def_prop_ro("bytes", &KnownParts::bytes);
  nb::class_<Exchange>(m, "Exchange")
      .def(
          "__init__",
          [](Exchange* self, const TransitionSystem& model, const nb::bytes& key, std::size_t most_bytes) {
            support::ElementWords secret;
            if (key.size() != sizeof secret) throw std::invalid_argument("expected a key of 24 bytes");
            std::memcpy(secret.data(), key.c_str(), sizeof secret);
            new (self) Exchange(model, secret, most_bytes);
          },
          nb::keep_alive<1, 2>(), "model"_a, "key"_a, "most_bytes"_a = std::size_t{1} << 30)
      .def("block", &block, "states"_a, "known"_a = nb::none(), "notes"_a = std::vector<nb::bytes>{})
      .def("read", &read, "block"_a)
      .def_static(
          "whole", [](const nb::bytes& bytes) { return Exchange::whole({bytes.c_str(), bytes.size()}); },
          "blocks"_a)
      .def_prop_ro("parts", &Exchange::parts)
      .def_prop_ro("bytes", &Exchange::bytes);
}

}  // namespace assay::bindings
