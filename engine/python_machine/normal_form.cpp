#include "python_machine/normal_form.hpp"

namespace assay::python_machine {
namespace {

constexpr std::size_t kArrangements = 200'000;  // a few hundred bytes each

}  // namespace

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

/// All that matters is who refers to whom.
void NormalForm::make_key(const StateIds& state) {
  key_.clear();
  key_.push_back(state.fixed);
  key_.push_back(state.threads);
  for (ComponentId id : state.ids) key_.push_back(components_.shape(id));
}

/// Null: it is not known and too many are. The scratch then describes the state.
const NormalForm::Arrangement* NormalForm::arranged(const StateIds& state) {
  make_key(state);
  if (const auto known = arrangements_.find(key_); known != arrangements_.end()) return &known->second;
  look_around(state);
  was_normal_ = !absorbs_ && !changes_ && kept_ == state.objects();
  if (arrangements_.size() >= kArrangements) return nullptr;
  Arrangement& made = arrangements_[key_];
  made.number_of_it = static_cast<std::uint32_t>(arrangements_.size() - 1);
  made.is_normal = was_normal_;
  if (!was_normal_) {
    made.owner = owner_;
    made.number = number_;
    made.found = found_;
  }
  return &made;
}

std::uint32_t NormalForm::arrangement(const StateIds& state) {
  const Arrangement* const known = arranged(state);
  return known == nullptr ? kNoArrangement : known->number_of_it;
}

void NormalForm::apply(StateIds& state) {
  if (const Arrangement* const known = arranged(state)) {
    was_normal_ = known->is_normal;
    if (!was_normal_) {
      owner_ = known->owner;
      number_ = known->number;
      found_ = known->found;
    }
  }
  if (!was_normal_) rewrite(state);
}

NormalForm::Answer NormalForm::stays_normal(std::uint32_t arrangement, std::uint32_t thread,
                                            std::uint32_t patch) const {
  for (std::size_t i = place(arrangement, thread, patch);; i = (i + 1) & (patched_.size() - 1)) {
    const Patched& known = patched_[i];
    if (known.answer == Answer::kUnknown) return Answer::kUnknown;
    if (known.arrangement == arrangement && known.thread == thread && known.patch == patch) return known.answer;
  }
}

void NormalForm::remember(std::uint32_t arrangement, std::uint32_t thread, std::uint32_t patch, bool stays) {
  if (patched_count_ * 2 >= patched_.size()) {
    std::vector<Patched> old(patched_.size() * 2);
    old.swap(patched_);
    patched_count_ = 0;
    for (const Patched& known : old) {
      if (known.answer != Answer::kUnknown) {
        remember(known.arrangement, known.thread, known.patch, known.answer == Answer::kStays);
      }
    }
  }
  std::size_t i = place(arrangement, thread, patch);
  while (patched_[i].answer != Answer::kUnknown) i = (i + 1) & (patched_.size() - 1);
  patched_[i] = {arrangement, thread, patch, stays ? Answer::kStays : Answer::kChanges};
  ++patched_count_;
}

}  // namespace assay::python_machine
