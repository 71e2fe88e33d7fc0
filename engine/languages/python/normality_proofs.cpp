#include "languages/python/normality_proofs.hpp"

#include <algorithm>

namespace assay::languages::python {
namespace {

using Refs = std::span<const std::uint32_t>;

bool contains(Refs refs, std::uint32_t slot) {
  return std::find(refs.begin(), refs.end(), slot) != refs.end();
}

std::vector<std::uint32_t> common(Refs refs, Refs others) {
  std::vector<std::uint32_t> result;
  std::copy_if(refs.begin(), refs.end(), std::back_inserter(result),
               [&](std::uint32_t slot) { return contains(others, slot); });
  return result;
}

}  // namespace

bool NormalityProofs::holds(const Premise& premise, const StateIds& state, const Components& components) {
  const std::uint32_t number = premise.place & ~(kObject | kIdentity);
  if ((premise.place & kIdentity) != 0) {
    return number < state.threads && components.identity(state.thread(number)) == premise.shape;
  }
  const std::uint32_t position =
      (premise.place & kObject) != 0 ? state.fixed + state.threads + number : number;
  return position < state.ids.size() && components.shape(state.ids[position]) == premise.shape;
}

bool NormalityProofs::hold_in(const StateIds& state, const Components& components) {
  for (std::size_t i = 0; i < proofs_.size(); ++i) {
    const auto holds_here = [&](const Premise& premise) { return holds(premise, state, components); };
    if (!std::all_of(proofs_[i].begin(), proofs_[i].end(), holds_here)) continue;
    if (i > 0) std::swap(proofs_[0], proofs_[i]);
    return true;
  }
  return false;
}

/// Collects the premises of a proof in one state.
class NormalityProofs::Search {
 public:
  Search(const StateIds& state, const Components& components, std::span<const Replacement> replaced)
      : state_(state),
        components_(components),
        replaced_(replaced),
        first_object_(state.fixed + state.threads) {
    found_at_.assign(state.objects(), kNowhere);
    std::vector<std::uint32_t> queue;
    const auto follow = [&](std::uint32_t position) {
      for (std::uint32_t slot : components_.refs(state_.ids[position])) {
        if (found_at_[slot] != kNowhere || !is_left_alone(position, slot)) continue;
        found_at_[slot] = position;
        queue.push_back(first_object_ + slot);
      }
    };
    for (std::uint32_t i = 0; i < state.fixed; ++i) follow(i);
    for (std::size_t i = 0; i < queue.size(); ++i) follow(queue[i]);
  }

  bool succeeds() {
    std::uint32_t ended = kNowhere;  // the identity of the thread that ends and that another one knows
    for (const auto& [position, id] : replaced_) {
      if (!is_thread(position)) continue;
      if (components_.identity(state_.ids[position]) != components_.identity(id)) return false;
      if (!components_.is_ended(id)) continue;
      if (assume_known_to_another(position, components_.identity(id))) {
        ended = components_.identity(id);
      } else if (!assume_anchored(components_.identity(id))) {
        return false;
      }
    }
    for (const auto& [position, id] : replaced_) {
      const Refs before = components_.refs(state_.ids[position]), after = components_.refs(id);
      for (std::uint32_t slot : before) {
        if (contains(after, slot)) continue;
        if (!assume_found_before(slot, position) || (slot != ended && !assume_anchored(slot))) return false;
      }
      const bool is_ordered = common(before, after) == common(after, before);
      for (std::uint32_t slot : after) {
        if ((!contains(before, slot) || !is_ordered) && !assume_found_before(slot, position)) return false;
      }
    }
    return true;
  }

  Proof premises;

 private:
  static constexpr std::uint32_t kNowhere = 0xFFFFFFFFu;

  bool is_thread(std::uint32_t position) const {
    return position >= state_.fixed && position < first_object_;
  }

  bool is_left_alone(std::uint32_t position, std::uint32_t slot) const {
    for (const auto& [at, id] : replaced_) {
      if (at == position) return contains(components_.refs(id), slot);
    }
    return true;
  }

  void assume(Premise premise) {
    if (std::find(premises.begin(), premises.end(), premise) == premises.end()) premises.push_back(premise);
  }
  /// What a step replaces it has read, so that needs no premise; but it does no harm.
  void assume_shape(std::uint32_t position) {
    const std::uint32_t place = position < first_object_ ? position : kObject | (position - first_object_);
    assume({place, components_.shape(state_.ids[position])});
  }

  bool assume_anchored(std::uint32_t slot) {
    if (found_at_[slot] == kNowhere) return false;
    std::uint32_t at = found_at_[slot];
    for (; at >= first_object_; at = found_at_[at - first_object_]) assume_shape(at);
    assume_shape(at);
    return true;
  }

  bool assume_found_before(std::uint32_t slot, std::uint32_t position) {
    for (std::uint32_t t = 0; t < state_.threads; ++t) {
      if (components_.identity(state_.thread(t)) != slot) continue;
      assume({kIdentity | t, slot});
      return true;
    }
    // Positions are in the order in which references are followed, except that threads come last.
    if (found_at_[slot] == kNowhere || (!is_thread(position) && found_at_[slot] >= position)) return false;
    return assume_anchored(slot);
  }

  bool assume_known_to_another(std::uint32_t position, std::uint32_t identity) {
    for (std::uint32_t other = state_.fixed; other < first_object_; ++other) {
      // Only threads with an identity have a shape that no object has.
      const ComponentId thread = state_.ids[other];
      if (other == position || components_.is_ended(thread) ||
          components_.identity(thread) == Components::kNone)
        continue;
      if (!contains(components_.refs(thread), identity)) continue;
      assume_shape(other);
      return true;
    }
    return false;
  }

  const StateIds& state_;
  const Components& components_;
  const std::span<const Replacement> replaced_;
  const std::uint32_t first_object_;
  // Where each object is found first, from the fixed parts, through references that stay.
  std::vector<std::uint32_t> found_at_;
};

void NormalityProofs::look_for(const StateIds& state, const Components& components,
                               std::span<const Replacement> replaced) {
  if (attempts_ == kMostAttempts) return;
  ++attempts_;
  Search search(state, components, replaced);
  if (!search.succeeds()) return;
  if (proofs_.size() == kMostProofs) proofs_.pop_back();
  proofs_.insert(proofs_.begin(), std::move(search.premises));
}

}  // namespace assay::languages::python
