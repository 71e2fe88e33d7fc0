#include "transition_system/product.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>

#include "transition_system/successor_buffer.hpp"

namespace assay::transition_system {
namespace {

/// Appends a successor and answers where its words belong.
std::uint64_t* append(assay_buffer* out, std::uint32_t words, std::uint32_t violation, bool has_state,
                      std::uint16_t process) {
  if (out->words_capacity - out->words_used < words || out->count == out->capacity) out->grow(out, words, 1);
  std::uint64_t* const to = out->words + out->words_used;
  out->successors[out->count++] = {out->words_used, words, violation, has_state, process};
  out->words_used += words;
  return to;
}

/// Puts each successor that a system wrote into an empty buffer there once for each target, with the target in front of its words.
/// From the last one on, so that each finds its words where the system left them. False, with nothing done: they do not stand one
/// behind another.
bool multiply(assay_buffer* out, std::span<const std::uint32_t> targets) {
  const std::uint32_t steps = out->count;
  const auto edges = static_cast<std::uint32_t>(targets.size());
  std::uint32_t words = 0, states = 0;
  for (std::uint32_t i = 0; i < steps; ++i) {
    const assay_successor& step = out->successors[i];
    if (step.has_state == 0) continue;
    if (step.first_word != words) return false;
    words += step.word_count;
    ++states;
  }
  if ((std::uint64_t{words} + states) * edges > 0xFFFFFFFFu) return false;
  const std::uint32_t more_words = (words + states) * edges - words, more_steps = steps * edges - steps;
  if (out->words_capacity - out->words_used < more_words || out->capacity - steps < more_steps) {
    out->grow(out, more_words, more_steps);
  }
  std::uint32_t end = (words + states) * edges;
  out->words_used = end;
  out->count = steps * edges;
  for (std::uint32_t i = steps; i-- > 0;) {
    const assay_successor step = out->successors[i];
    const bool has_state = step.has_state != 0;
    const std::uint32_t length = has_state ? step.word_count : 0;
    const std::uint64_t* const from = out->words + step.first_word;
    for (std::uint32_t edge = edges; edge-- > 0;) {
      if (has_state) {
        end -= length + 1;
        std::uint64_t* const to = out->words + end;
        std::memmove(to + 1, from, length * sizeof *to);
        to[0] = targets[edge];
      }
      out->successors[i * edges + edge] = {end, has_state ? length + 1 : 0, step.violation, step.has_state,
                                           step.process};
    }
  }
  return true;
}

/// Primitive steps of the system, told once for every edge that the automaton takes along.
struct Retelling {
  const assay_recorder* listener;
  std::vector<std::uint64_t> targets;  // of the admitted edges
  std::vector<std::uint64_t> words;

  static void tell(void* context, std::uint32_t successor, std::uint32_t process, std::uint32_t transition,
                   const std::uint64_t* words, std::uint32_t count) {
    Retelling& self = *static_cast<Retelling*>(context);
    const auto edges = static_cast<std::uint32_t>(self.targets.size());
    self.words.assign(words, words + count);
    self.words.insert(self.words.begin(), 0);
    for (std::uint32_t edge = 0; edge < edges; ++edge) {
      self.words[0] = self.targets[edge];
      self.listener->primitive_step(self.listener->context, successor * edges + edge, process, transition,
                                    self.words.data(), count + 1);
    }
  }
};

}  // namespace

Product::Product(const TransitionSystem& system, Automaton automaton)
    : system_(system), automaton_(std::move(automaton)) {
  const std::size_t locations = automaton_.edges.size();
  if (locations == 0 || automaton_.acceptance.size() != locations) {
    throw std::invalid_argument("an automaton needs a location, and acceptance for each");
  }
  if (automaton_.acceptance_count > 64)
    throw std::invalid_argument("an automaton has at most 64 acceptance sets");
  const std::uint64_t known =
      system.label_count() >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << system.label_count()) - 1;
  for (const auto& edges : automaton_.edges) {
    for (const Automaton::Edge& edge : edges) {
      if (edge.target >= locations)
        throw std::invalid_argument("the automaton has an edge to a location it does not have");
      if ((edge.mask & ~known) != 0 || (edge.value & ~edge.mask) != 0) {
        throw std::invalid_argument("the automaton reads labels that the system does not have");
      }
    }
  }
}

std::uint32_t Product::initial(std::uint64_t* words, std::uint32_t* violation) const {
  words[0] = 0;
  return system_.initial(words + 1, violation) + 1;
}

std::uint32_t Product::arrive(const PortableState& state, std::uint64_t* words) const {
  if (state.words.empty() || state.words[0] >= automaton_.edges.size())
    throw NotPortable("a state that arrived is none of this program: its claim has no such location");
  PortableState inner{{state.words.begin() + 1, state.words.end()}, state.parts};
  words[0] = state.words[0];
  return system_.arrive(inner, words + 1) + 1;
}

void Product::successors(StateView state, assay_buffer* out) const { follow(state, out, false); }
void Product::all_successors(StateView state, assay_buffer* out) const { follow(state, out, true); }

void Product::follow(StateView state, assay_buffer* out, bool all) const {
  if (!follow_in_place(state, out, all)) follow_by_copying(state, out, all);
}

/// In the caller's own buffer, as nearly every step is taken: no memory is asked for.
bool Product::follow_in_place(StateView state, assay_buffer* out, bool all) const {
  const auto& edges = automaton_.edges[state[0]];
  std::array<std::uint32_t, 32> targets;
  if (edges.size() > targets.size() || out->count != 0 || out->words_used != 0 || out->recorder != nullptr ||
      out->wanted != nullptr) {
    return false;
  }
  const StateView inner = of_system(state);
  const std::uint64_t labels = system_.labels(inner);
  std::uint32_t admitted = 0;
  for (const Automaton::Edge& edge : edges) {
    targets[admitted] = edge.target;
    admitted += edge.admits(labels) ? 1 : 0;
  }
  if (admitted == 0) return true;
  if (all) {
    system_.all_successors(inner, out);
  } else {
    system_.successors(inner, out);
  }
  if (out->count != 0 && multiply(out, {targets.data(), admitted})) return true;
  out->count = out->words_used = 0;
  return false;
}

void Product::follow_by_copying(StateView state, assay_buffer* out, bool all) const {
  const StateView inner = of_system(state);
  const std::uint64_t labels = system_.labels(inner);
  Retelling retelling{out->recorder, {}, {}};
  for (const Automaton::Edge& edge : automaton_.edges[state[0]]) {
    if (edge.admits(labels)) retelling.targets.push_back(edge.target);
  }
  if (retelling.targets.empty()) return;

  const assay_recorder recorder{&retelling, &Retelling::tell};
  SuccessorBuffer steps(out->recorder == nullptr ? nullptr : &recorder);
  if (all) {
    system_.all_successors(inner, steps.cleared());
  } else {
    system_.successors(inner, steps.cleared());
  }
  for (std::uint32_t i = 0; i < steps.count(); ++i) {
    const assay_successor& step = steps[i];
    for (const std::uint64_t target : retelling.targets) {
      const bool has_state = step.has_state != 0;
      std::uint64_t* const to =
          append(out, has_state ? step.word_count + 1 : 0, step.violation, has_state, step.process);
      if (!has_state) continue;
      to[0] = target;
      std::ranges::copy(steps.state(step), to + 1);
    }
  }
  if (steps.count() != 0) return;
  system_.all_successors(inner, steps.cleared());
  if (steps.count() != 0)
    return;  // it could move, and where that leads is of no interest: no run goes on here
  for (const std::uint64_t target : retelling.targets) {
    std::uint64_t* const to = append(out, length_of(state), 0, true, ASSAY_NO_PROCESS);
    to[0] = target;
    std::ranges::copy(inner, to + 1);
    if (out->recorder != nullptr) {
      out->recorder->primitive_step(out->recorder->context, out->count - 1, ASSAY_NO_PROCESS, 0, to,
                                    length_of(state));
    }
  }
}

}  // namespace assay::transition_system
