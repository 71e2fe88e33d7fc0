#include "python_machine/normal_form.hpp"

#include <algorithm>

namespace assay::python_machine {

void NormalForm::mark(const StateIds& state, std::span<const std::uint32_t> refs, std::int32_t who) {
  for (std::uint32_t slot : refs) pending_.emplace_back(slot, who);
  while (!pending_.empty()) {
    const auto [at, owner] = pending_.back();
    pending_.pop_back();
    std::int32_t& known = owner_[at];
    if (known == owner || known == kEverybody) continue;
    known = known == kNobody ? owner : kEverybody;
    for (std::uint32_t next : components_.refs(state.object(at))) {
      if (owner_[next] != known && owner_[next] != kEverybody) pending_.emplace_back(next, known);
    }
  }
}

void NormalForm::find(std::span<const std::uint32_t> refs) {
  for (std::uint32_t slot : refs) {
    if (is_found_[slot]) continue;
    is_found_[slot] = 1;
    found_.push_back(slot);
    if (owner_[slot] == kEverybody) {
      changes_ |= slot != kept_;
      number_[slot] = kept_++;
    } else {
      absorbs_ = true;
    }
  }
}

ComponentId NormalForm::renumbered(ComponentId id) {
  const std::span<const std::uint32_t> refs = components_.refs(id);
  bool changes = false;
  for (std::uint32_t slot : refs) changes |= number_[slot] != slot;
  if (!changes) return id;
  key_.assign(1, id);
  for (std::uint32_t slot : refs) key_.push_back(number_[slot]);
  if (const auto known = renumberings_.find(key_); known != renumberings_.end()) return known->second;
  const std::vector<std::uint32_t> key = key_;
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
  renumberings_.emplace(key, result);
  return result;
}

/// A thread with the objects that only it reaches: theirs become records of its own, numbered as they are found.
ComponentId NormalForm::with_private(const StateIds& state, ComponentId thread) {
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

/// Who reaches what, and in which order.
void NormalForm::look_around(const StateIds& state) {
  const std::uint32_t count = state.objects();
  owner_.assign(count, kNobody);
  number_.assign(count, kUnnumbered);
  is_found_.assign(count, 0);
  found_.clear();
  kept_ = 0;
  absorbs_ = changes_ = false;
  const std::uint32_t roots = state.fixed + state.threads;
  for (std::uint32_t i = 0; i < roots; ++i) {
    const std::span<const std::uint32_t> refs = components_.refs(state.ids[i]);
    if (!refs.empty()) mark(state, refs, i < state.fixed ? kEverybody : static_cast<std::int32_t>(i - state.fixed));
  }
  std::size_t expanded = 0;
  const auto expand = [&] {
    for (; expanded < found_.size(); ++expanded) find(components_.refs(state.object(found_[expanded])));
  };
  for (std::uint32_t t = 0; t < state.threads; ++t) {
    const Token identity = components_.tokens(state.thread(t))[2];
    if (tag_of(identity) != Tag::kShared) continue;
    const std::uint32_t slot = slot_of(identity);
    find({&slot, 1});
  }
  for (std::uint32_t i = 0; i < state.fixed; ++i) find(components_.refs(state.ids[i]));
  expand();
  for (std::uint32_t t = 0; t < state.threads; ++t) find(components_.refs(state.thread(t)));
  expand();
}

void NormalForm::rewrite(StateIds& state) {
  result_.fixed = state.fixed;
  result_.threads = state.threads;
  result_.ids.clear();
  for (std::uint32_t i = 0; i < state.fixed; ++i) result_.ids.push_back(renumbered(state.ids[i]));
  for (std::uint32_t t = 0; t < state.threads; ++t) {
    const ComponentId id = state.thread(t);
    bool absorbs = false;
    for (std::uint32_t slot : components_.refs(id)) absorbs |= owner_[slot] != kEverybody;
    result_.ids.push_back(absorbs ? with_private(state, id) : renumbered(id));
  }
  for (std::uint32_t slot : found_) {
    if (owner_[slot] == kEverybody) result_.ids.push_back(renumbered(state.object(slot)));
  }
  std::swap(state, result_);
}

void NormalForm::apply(StateIds& state) {
  look_around(state);
  if (absorbs_ || changes_ || kept_ != state.objects()) rewrite(state);
}

void NormalForm::survey(const StateIds& state) {
  const std::uint32_t count = state.objects(), first_object = state.fixed + state.threads;
  time_.assign(state.ids.size(), 0);
  found_at_.assign(count, 0);
  is_from_fixed_.assign(count, 0);
  thread_refs_.assign(count, 0);
  found_.clear();
  std::uint32_t time = 1;
  const auto find_all = [&](std::span<const std::uint32_t> refs, bool from_fixed) {
    for (std::uint32_t slot : refs) {
      if (found_at_[slot] != 0) continue;
      found_at_[slot] = time;
      is_from_fixed_[slot] = from_fixed;
      found_.push_back(slot);
    }
  };
  std::size_t expanded = 0;
  const auto expand = [&] {
    for (; expanded < found_.size(); ++expanded) {
      const std::uint32_t slot = found_[expanded];
      time_[first_object + slot] = ++time;
      find_all(components_.refs(state.object(slot)), is_from_fixed_[slot] != 0);
    }
  };
  // In the order of look_around.
  for (std::uint32_t t = 0; t < state.threads; ++t) {
    const Token identity = components_.tokens(state.thread(t))[2];
    if (tag_of(identity) != Tag::kShared) continue;
    const std::uint32_t slot = slot_of(identity);
    find_all({&slot, 1}, false);
  }
  for (std::uint32_t i = 0; i < state.fixed; ++i) {
    time_[i] = ++time;
    find_all(components_.refs(state.ids[i]), true);
  }
  expand();
  for (std::uint32_t t = 0; t < state.threads; ++t) {
    time_[state.fixed + t] = ++time;
    const std::span<const std::uint32_t> refs = components_.refs(state.thread(t));
    find_all(refs, false);
    for (std::uint32_t slot : refs) ++thread_refs_[slot];
  }
  expand();
}

bool NormalForm::stays_normal(const StateIds& state, std::uint32_t position, ComponentId before,
                              ComponentId after) const {
  if (components_.shape(before) == components_.shape(after)) return true;
  const std::uint32_t time = time_[position];
  const std::span<const std::uint32_t> old_refs = components_.refs(before), new_refs = components_.refs(after);
  const bool is_thread = position >= state.fixed && position < state.fixed + state.threads;
  if (is_thread && components_.tokens(before)[2] != components_.tokens(after)[2]) return false;
  for (std::uint32_t slot : new_refs) {
    if (found_at_[slot] >= time) return false;
  }
  for (std::uint32_t slot : old_refs) {
    if (found_at_[slot] >= time) return false;
    if (std::find(new_refs.begin(), new_refs.end(), slot) != new_refs.end()) continue;
    // No longer referred to. What was found earlier from the fixed parts was found without this component.
    if (!is_from_fixed_[slot] && thread_refs_[slot] < (is_thread ? 3 : 2)) return false;
  }
  return true;
}

}  // namespace assay::python_machine
