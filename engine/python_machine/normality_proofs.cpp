#include "python_machine/normality_proofs.hpp"

#include <algorithm>

namespace assay::python_machine {
namespace {

using Refs = std::span<const std::uint32_t>;

bool contains(Refs refs, std::uint32_t slot) { return std::find(refs.begin(), refs.end(), slot) != refs.end(); }

/// The references that only one of two components has; nothing if those that they share change their order.
std::optional<std::vector<std::uint32_t>> difference(Refs before, Refs after) {
  std::vector<std::uint32_t> changed, kept_before, kept_after;
  for (std::uint32_t slot : before) (contains(after, slot) ? kept_before : changed).push_back(slot);
  for (std::uint32_t slot : after) (contains(before, slot) ? kept_after : changed).push_back(slot);
  if (kept_before != kept_after) return std::nullopt;
  return changed;
}

}  // namespace

bool NormalityProofs::hold_in(const StateIds& state, const Components& components) {
  const std::uint32_t first_object = state.fixed + state.threads;
  const auto holds = [&](const Proof& proof) {
    for (const Premise& premise : proof) {
      const bool is_object = (premise.place & kObject) != 0;
      const std::uint32_t position = is_object ? first_object + (premise.place & ~kObject) : premise.place;
      if (components.shape(state.ids[position]) != premise.shape) return false;
    }
    return true;
  };
  for (std::size_t i = 0; i < proofs_.size(); ++i) {
    if (!holds(proofs_[i])) continue;
    if (i > 0) std::swap(proofs_[0], proofs_[i]);
    return true;
  }
  return false;
}

void NormalityProofs::look_for(const StateIds& state, const Components& components,
                               std::span<const Replacement> replaced) {
  if (attempts_ == kMostAttempts) return;
  ++attempts_;
  std::optional<Proof> found = proof(state, components, replaced);
  if (!found) return;
  if (proofs_.size() == kMostProofs) proofs_.pop_back();
  proofs_.insert(proofs_.begin(), std::move(*found));
}

std::optional<NormalityProofs::Proof> NormalityProofs::proof(const StateIds& state, const Components& components,
                                                             std::span<const Replacement> replaced) {
  const std::uint32_t first_object = state.fixed + state.threads;
  const auto is_replaced = [&](std::uint32_t position) {
    return std::any_of(replaced.begin(), replaced.end(), [&](const Replacement& one) { return one.first == position; });
  };

  // Where each object is found first, from the fixed parts, through what stays as it is.
  constexpr std::uint32_t kNowhere = 0xFFFFFFFFu;
  std::vector<std::uint32_t> found_at(state.objects(), kNowhere), queue;
  const auto follow = [&](std::uint32_t position) {
    if (is_replaced(position)) return;
    for (std::uint32_t slot : components.refs(state.ids[position])) {
      if (found_at[slot] != kNowhere) continue;
      found_at[slot] = position;
      queue.push_back(first_object + slot);
    }
  };
  for (std::uint32_t i = 0; i < state.fixed; ++i) follow(i);
  for (std::size_t i = 0; i < queue.size(); ++i) follow(queue[i]);

  Proof proof;
  const auto assume = [&](std::uint32_t position) {
    const std::uint32_t place = position < first_object ? position : kObject | (position - first_object);
    const bool is_known = std::any_of(proof.begin(), proof.end(), [&](const Premise& one) { return one.place == place; });
    if (!is_known) proof.push_back({place, components.shape(state.ids[position])});
  };
  for (const auto& [position, id] : replaced) {
    auto changed = difference(components.refs(state.ids[position]), components.refs(id));
    if (!changed) return std::nullopt;
    const bool is_thread = position >= state.fixed && position < first_object;
    if (is_thread && components.tokens(state.ids[position])[2] != components.tokens(id)[2]) return std::nullopt;
    if (is_thread && components.is_ended(id)) changed->push_back(components.refs(id)[0]);
    for (std::uint32_t slot : *changed) {
      std::uint32_t at = found_at[slot];
      // Fixed parts come before objects and objects before threads, as in the list, except that threads stand between.
      if (at == kNowhere || (!is_thread && at >= position)) return std::nullopt;
      for (; at >= first_object; at = found_at[at - first_object]) assume(at);
      assume(at);
    }
  }
  return proof;
}

}  // namespace assay::python_machine
