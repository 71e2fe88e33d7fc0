#include "transition_system/travelling.hpp"

#include <algorithm>
#include <stdexcept>

namespace assay::transition_system {
namespace {

// No secret: what has the name of something else is noticed.
constexpr support::ElementWords kKey{0x9E3779B97F4A7C15ull, 0xD6E8FEB86659FD93ull, 0xA0761D6478BD642Full};
constexpr std::uint32_t kMoreWords = 256;  // than a state has here: what it travels with, and its parts

}  // namespace

Travelling::Travelling(const TransitionSystem& system, std::size_t most_bytes)
    : system_(system),
      max_words_(system.max_words() * 3 + kMoreWords),
      exchange_(system, kKey, most_bytes),
      told_(most_bytes),
      lessons_(exchange_, &told_),
      local_(std::size_t{system.max_words()} + 1),
      after_(std::size_t{system.max_words()} + 1) {}

std::string Travelling::take_lessons() { return lessons_.states() == 0 ? std::string() : lessons_.take(); }

void Travelling::learn(std::string_view lessons) {
  is_learning_ = true;
  exchange_.read(lessons, [&](StateView state, std::span<const std::uint64_t>) { everywhere(state); });
  is_learning_ = false;
}

std::uint64_t Travelling::name_of(Part part, bool& is_new) const {
  const auto known = names_.find(static_cast<std::uint64_t>(part));
  if (known != names_.end()) return known->second;
  const PartDigest digest = exchange_.digest_of(part);
  const std::uint64_t name = digest[0];
  const auto [place, is_first] = digests_.try_emplace(name, digest);
  if (!is_first && place->second != digest)
    throw std::runtime_error("two parts of states have the same name; search on one machine");
  names_.emplace(static_cast<std::uint64_t>(part), name);
  parts_.emplace(name, part);
  if (is_learning_) told_.add(digest);
  is_new = true;
  return name;
}

const std::vector<std::uint64_t>& Travelling::everywhere(StateView local_state) const {
  system_.depart(local_state, state_);
  const std::size_t length = 1 + state_.words.size() + state_.parts.size();
  if (length > max_words_) throw UnsupportedProgram("a state is too large to travel");
  everywhere_.clear();
  everywhere_.push_back(state_.words.size());
  everywhere_.insert(everywhere_.end(), state_.words.begin(), state_.words.end());
  bool is_new = false;
  for (const Part part : state_.parts) everywhere_.push_back(name_of(part, is_new));
  if (is_new && !is_learning_) lessons_.add(local_state);
  return everywhere_;
}

void Travelling::read(StateView state, std::vector<std::uint64_t>& words, std::uint32_t& length) const {
  if (state.empty() || state[0] >= state.size()) throw NotPortable("a state of another process is damaged");
  const std::size_t own = state[0];
  state_.words.assign(state.begin() + 1, state.begin() + 1 + static_cast<std::ptrdiff_t>(own));
  state_.parts.clear();
  for (const std::uint64_t name : state.subspan(1 + own)) {
    const auto known = parts_.find(name);
    if (known == parts_.end()) throw NotPortable("a state has a part that this process was never told of");
    state_.parts.push_back(known->second);
  }
  length = system_.arrive(state_, words.data());
}

StateView Travelling::local(StateView state) const {
  if (!std::ranges::equal(state, last_)) {
    last_.clear();  // of what cannot be read nothing is known
    read(state, local_, local_length_);
    last_.assign(state.begin(), state.end());
  }
  return {local_.data(), local_length_};
}

std::uint32_t Travelling::initial(std::uint64_t* words, std::uint32_t* violation) const {
  std::vector<std::uint64_t> here(std::size_t{system_.max_words()} + 1);
  const std::uint32_t length = system_.initial(here.data(), violation);
  const std::vector<std::uint64_t>& there = everywhere({here.data(), length});
  std::ranges::copy(there, words);
  return static_cast<std::uint32_t>(there.size());
}

void Travelling::successors(StateView state, assay_buffer* out) const {
  system_.successors(local(state), buffer_.cleared());
  for (std::uint32_t i = 0; i < buffer_.count(); ++i) {
    const assay_successor& step = buffer_[i];
    const std::vector<std::uint64_t>* words = nullptr;
    if (step.has_state != 0) words = &everywhere(buffer_.state(step));
    const auto length = words == nullptr ? 0 : static_cast<std::uint32_t>(words->size());
    if (out->words_capacity - out->words_used < length || out->count == out->capacity)
      out->grow(out, length, 1);
    if (words != nullptr) std::ranges::copy(*words, out->words + out->words_used);
    out->successors[out->count++] = {out->words_used, length, step.violation, step.has_state, step.process};
    out->words_used += length;
  }
}

std::uint32_t Travelling::check_step(StateView before, StateView after) const {
  std::uint32_t length = 0;
  read(after, after_, length);
  return system_.check_step(local(before), {after_.data(), length});
}

}  // namespace assay::transition_system
