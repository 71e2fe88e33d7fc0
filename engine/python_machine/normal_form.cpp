#include "python_machine/normal_form.hpp"

namespace assay::python_machine {

void NormalForm::mark(const StateIds& state, std::uint32_t slot, std::int32_t who) {
  std::vector<std::pair<std::uint32_t, std::int32_t>> pending{{slot, who}};
  while (!pending.empty()) {
    const auto [at, owner] = pending.back();
    pending.pop_back();
    std::int32_t& known = owner_[at];
    if (known == owner || known == kEverybody) continue;
    known = known == kNobody ? owner : kEverybody;
    for (std::uint32_t next : components_.refs(state.object(at))) pending.emplace_back(next, known);
  }
}

/// Depth first, in the order of the references.
void NormalForm::number(const StateIds& state, ComponentId root) {
  std::vector<std::pair<ComponentId, std::size_t>> path{{root, 0}};
  while (!path.empty()) {
    auto& [id, at] = path.back();
    const std::span<const std::uint32_t> refs = components_.refs(id);
    if (at == refs.size()) {
      path.pop_back();
      continue;
    }
    const std::uint32_t slot = refs[at++];
    if (found_[slot]) continue;
    found_[slot] = true;
    if (owner_[slot] == kEverybody) {
      number_[slot] = static_cast<std::uint32_t>(kept_.size());
      kept_.push_back(slot);
    } else {
      absorbs_ = true;
    }
    path.emplace_back(state.object(slot), 0);
  }
}

ComponentId NormalForm::renumbered(ComponentId id) {
  const std::span<const std::uint32_t> refs = components_.refs(id);
  bool changes = false;
  for (std::uint32_t slot : refs) changes |= number_[slot] != slot;
  if (!changes) return id;
  std::vector<std::uint32_t> key{id};
  for (std::uint32_t slot : refs) key.push_back(number_[slot]);
  if (const auto known = renumberings_.find(key); known != renumberings_.end()) return known->second;
  std::vector<Token> out;
  for (Token t : components_.tokens(id)) {
    out.push_back(tag_of(t) == Tag::kShared ? shared(number_[slot_of(t)], type_of(t)) : t);
  }
  const ComponentId finals = components_.finals(id);
  const ComponentId result = components_.intern(out);
  if (finals != 0 && components_.finals(result) == 0) {
    const ComponentId its = renumbered(finals);
    components_.set_finals(result, its);
  }
  renumberings_.emplace(std::move(key), result);
  return result;
}

/// A thread with the objects that only it reaches: theirs become records of its own, numbered as they are found.
ComponentId NormalForm::with_private(const StateIds& state, ComponentId thread) {
  struct Source {
    std::span<const Token> tokens;
    bool is_local;
  };
  const std::span<const Token> whole = components_.tokens(thread);
  std::vector<std::size_t> records;  // where its own private objects begin
  for (std::size_t i = 1; i < whole.size(); ++i) {
    if (tag_of(whole[i]) == Tag::kObject) records.push_back(i);
  }
  const auto local_record = [&](std::size_t k) {
    const std::size_t end = k + 1 < records.size() ? records[k + 1] : whole.size();
    return whole.subspan(records[k], end - records[k]);
  };
  std::vector<std::uint32_t> of_local(records.size(), kUnnumbered);
  std::unordered_map<std::uint32_t, std::uint32_t> of_slot;
  std::vector<std::pair<bool, std::uint32_t>> queue;  // is a local, which one
  std::vector<Token> out;
  const auto rewrite = [&](std::span<const Token> tokens) {
    for (Token t : tokens) {
      if (tag_of(t) == Tag::kLocal) {
        std::uint32_t& name = of_local[payload_of(t)];
        if (name == kUnnumbered) {
          name = static_cast<std::uint32_t>(queue.size());
          queue.emplace_back(true, static_cast<std::uint32_t>(payload_of(t)));
        }
        t = token(Tag::kLocal, name);
      } else if (tag_of(t) == Tag::kShared) {
        const std::uint32_t slot = slot_of(t);
        if (owner_[slot] == kEverybody) {
          t = shared(number_[slot], type_of(t));
        } else {
          const auto [place, is_new] = of_slot.emplace(slot, static_cast<std::uint32_t>(queue.size()));
          if (is_new) queue.emplace_back(false, slot);
          t = token(Tag::kLocal, place->second);
        }
      }
      out.push_back(t);
    }
  };
  rewrite(whole.first(records.empty() ? whole.size() : records[0]));
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const auto [is_local, which] = queue[i];
    rewrite(is_local ? local_record(which) : components_.tokens(state.object(which)));
  }
  return components_.intern(out);
}

void NormalForm::apply(StateIds& state) {
  const std::uint32_t count = state.objects();
  owner_.assign(count, kNobody);
  number_.assign(count, kUnnumbered);
  found_.assign(count, false);
  kept_.clear();
  absorbs_ = false;
  for (std::uint32_t i = 0; i < state.fixed; ++i) {
    for (std::uint32_t slot : components_.refs(state.ids[i])) mark(state, slot, kEverybody);
  }
  for (std::uint32_t t = 0; t < state.threads; ++t) {
    for (std::uint32_t slot : components_.refs(state.thread(t))) mark(state, slot, static_cast<std::int32_t>(t));
  }
  for (std::uint32_t i = 0; i < state.fixed + state.threads; ++i) number(state, state.ids[i]);

  bool is_same = !absorbs_ && kept_.size() == count;
  for (std::uint32_t i = 0; is_same && i < count; ++i) is_same = kept_[i] == i;
  if (is_same) return;

  StateIds result;
  result.fixed = state.fixed;
  result.threads = state.threads;
  result.ids.reserve(state.fixed + state.threads + kept_.size());
  for (std::uint32_t i = 0; i < state.fixed; ++i) result.ids.push_back(renumbered(state.ids[i]));
  for (std::uint32_t t = 0; t < state.threads; ++t) {
    const ComponentId id = state.thread(t);
    bool absorbs = false;
    for (std::uint32_t slot : components_.refs(id)) absorbs |= owner_[slot] != kEverybody;
    result.ids.push_back(absorbs ? with_private(state, id) : renumbered(id));
  }
  for (std::uint32_t slot : kept_) result.ids.push_back(renumbered(state.object(slot)));
  state = std::move(result);
}

}  // namespace assay::python_machine
