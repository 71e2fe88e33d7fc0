#include "transition_system/audit.hpp"

#include <algorithm>
#include <string>

#include "transition_system/successor_buffer.hpp"

namespace assay::transition_system {
namespace {

using Words = std::vector<std::uint64_t>;

constexpr std::size_t kRemembered = 64;      // states that are asked about again later
constexpr std::uint64_t kLookBackEvery = 7;  // states

void require(bool holds, const std::string& sentence) {
  if (!holds) throw BrokenPromise("a promise of the transition system is broken: " + sentence);
}

/// A successor as a list of words: what it violates, whose it is, whether it has a state, and the state.
Words entry(const SuccessorBuffer& buffer, std::uint32_t i) {
  const assay_successor& successor = buffer[i];
  Words words{successor.violation, successor.process, successor.has_state};
  if (successor.has_state != 0) {
    const StateView state = buffer.state(successor);
    words.insert(words.end(), state.begin(), state.end());
  }
  return words;
}

std::vector<Words> entries(const SuccessorBuffer& buffer) {
  std::vector<Words> list;
  for (std::uint32_t i = 0; i < buffer.count(); ++i) list.push_back(entry(buffer, i));
  return list;
}

struct LastSteps {
  std::vector<Words> states;
  static void note(void* context, std::uint32_t successor, std::uint32_t, std::uint32_t,
                   const std::uint64_t* words, std::uint32_t count) {
    LastSteps& self = *static_cast<LastSteps*>(context);
    if (self.states.size() <= successor) self.states.resize(std::size_t{successor} + 1);
    self.states[successor].assign(words, words + count);
  }
};

template <class Ask>
auto twice(const Ask& ask, const char* what) {
  const auto first = ask();
  require(ask() == first, std::string(what) + " is not a function of the state");
  return first;
}

}  // namespace

std::uint32_t Audit::initial(std::uint64_t* words, std::uint32_t* violation) const {
  const std::uint32_t count = system_.initial(words, violation);
  require(count <= max_words(), "the initial state is longer than max_words");
  Words again(std::size_t{max_words()} + 1);
  std::uint32_t other = 0;
  require(system_.initial(again.data(), &other) == count && other == *violation &&
              std::equal(words, words + count, again.begin()),
          "there is more than one initial state");
  return count;
}

void Audit::successors(StateView given, assay_buffer* out) const {
  const std::lock_guard guard(mutex_);
  const Words state(given.begin(), given.end());  // not even where it lies may matter
  SuccessorBuffer plain;
  system_.successors(given, plain.cleared());
  const std::vector<Words> expected = entries(plain);
  for (std::uint32_t i = 0; i < plain.count(); ++i) {
    require(plain[i].word_count <= max_words(), "a state is longer than max_words");
    require(plain[i].has_state != 0 || plain[i].violation != 0, "a step without a state violates nothing");
  }

  SuccessorBuffer again;
  system_.successors(state, again.cleared());
  require(entries(again) == expected, "a state has other successors when it is asked a second time");

  LastSteps steps;
  const assay_recorder recorder{&steps, &LastSteps::note};
  SuccessorBuffer recorded(&recorder);
  system_.successors(state, recorded.cleared());
  require(entries(recorded) == expected, "a state has other successors when they are explained");
  for (std::uint32_t i = 0; i < recorded.count() && i < steps.states.size(); ++i) {
    if (recorded[i].has_state == 0 || steps.states[i].empty()) continue;
    require(std::ranges::equal(steps.states[i], recorded.state(recorded[i])),
            "the last primitive step of a successor ends in another state");
  }

  SuccessorBuffer some;
  std::vector<std::uint8_t> mask((plain.count() + 7) / 8 + 1);
  for (std::uint32_t i = 0; i < plain.count(); i += 2)
    mask[i / 8] |= static_cast<std::uint8_t>(1u << (i % 8));
  assay_buffer* const wanted = some.cleared();
  wanted->wanted = mask.data();
  wanted->wanted_first = 0;
  wanted->wanted_count = plain.count();
  system_.successors(state, wanted);
  require(some.count() == plain.count(), "which successors there are depends on which are wanted");
  for (std::uint32_t i = 0; i < plain.count(); i += 2) {
    require(entry(some, i) == expected[i],
            "a successor that is wanted differs from the one that is not asked for");
  }

  SuccessorBuffer everybody;
  system_.all_successors(state, everybody.cleared());
  const std::vector<Words> all = entries(everybody);
  for (const Words& one : expected) {
    require(std::ranges::find(all, one) != all.end(), "a successor is missing among those of all processes");
  }

  let_travel(state);
  for (std::uint32_t i = 0; i < plain.count(); ++i) {
    if (plain[i].has_state != 0) let_travel(plain.state(plain[i]));
  }

  ++audited_;
  if (audited_ % kLookBackEvery == 0) look_back();
  if (before_.size() == kRemembered) before_.erase(before_.begin());
  before_[state] = expected;
  system_.successors(given, out);
}

void Audit::let_travel(StateView state) const {
  PortableState portable;
  system_.depart(state, portable);
  Words arrived(std::size_t{max_words()} + 1);
  const std::uint32_t count = system_.arrive(portable, arrived.data());
  require(count <= max_words() && std::ranges::equal(state, StateView(arrived.data(), count)),
          "a state that leaves and arrives is another one");
  std::vector<Part> open = portable.parts;
  while (!open.empty()) {
    const Part part = open.back();
    open.pop_back();
    if (!travelled_.insert(part).second) continue;
    const PartContent content = system_.content_of(part), again = system_.content_of(part);
    require(content.bytes == again.bytes && content.refers == again.refers,
            "the content of a part is not a function of it");
    require(system_.meet(content.bytes, content.refers) == part,
            "a part that is met by its content is another one");
    open.insert(open.end(), content.refers.begin(), content.refers.end());
    open.insert(open.end(), content.needs.begin(), content.needs.end());
  }
}

void Audit::look_back() const {
  for (const auto& [state, expected] : before_) {
    SuccessorBuffer buffer;
    system_.successors(state, buffer.cleared());
    require(entries(buffer) == expected, "a state has other successors after others were asked about");
  }
}

bool Audit::is_valid_end(StateView state) const {
  return twice([&] { return system_.is_valid_end(state); }, "whether a state is a valid end");
}
std::uint32_t Audit::check_state(StateView state) const {
  return twice([&] { return system_.check_state(state); }, "what a state violates");
}
std::uint32_t Audit::check_step(StateView before, StateView after) const {
  return twice([&] { return system_.check_step(before, after); }, "what a step violates");
}
std::uint64_t Audit::labels(StateView state) const {
  return twice([&] { return system_.labels(state); }, "what labels a state has");
}
std::uint64_t Audit::acceptance(StateView state) const {
  return twice([&] { return system_.acceptance(state); }, "which acceptance sets a state is in");
}
std::uint32_t Audit::match_key(StateView state, std::uint64_t* key) const {
  Words again(std::size_t{max_words()} + 1);
  const std::uint32_t count = system_.match_key(state, key);
  require(count <= max_words(), "the key of a state is longer than max_words");
  require(system_.match_key(state, again.data()) == count && std::equal(key, key + count, again.begin()),
          "the key of a state is not a function of it");
  return count;
}

}  // namespace assay::transition_system
