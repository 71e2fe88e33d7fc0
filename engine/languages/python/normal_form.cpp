#include "languages/python/normal_form.hpp"

#include <algorithm>

namespace assay::languages::python {

void CoreKey::assign(const StateIds& state, const Components& components) {
  fixed_ = state.fixed;
  threads_ = state.threads;
  shapes_.resize(state.ids.size());
  hash_ = 0;
  for (std::size_t i = 0; i < state.ids.size(); ++i) {
    shapes_[i] = components.core_shape(state.ids[i]);
    hash_ += term(i, shapes_[i]);
  }
}

std::size_t NormalForm::PairTable::place(std::uint64_t key) const {
  const std::size_t mask = entries_.size() - 1;
  std::size_t at = support::mix(key) & mask;
  while (entries_[at].key != key && entries_[at].key != ~0ull) at = (at + 1) & mask;
  return at;
}

std::uint32_t* NormalForm::PairTable::find(std::uint32_t a, std::uint32_t b) {
  Entry& entry = entries_[place(std::uint64_t{a} << 32 | b)];
  return entry.key == ~0ull ? nullptr : &entry.value;
}

void NormalForm::PairTable::add(std::uint32_t a, std::uint32_t b, std::uint32_t value) {
  if (2 * count_ >= entries_.size()) {
    std::vector<Entry> old(2 * entries_.size());
    old.swap(entries_);
    for (const Entry& entry : old) {
      if (entry.key != ~0ull) entries_[place(entry.key)] = entry;
    }
  }
  const std::uint64_t key = std::uint64_t{a} << 32 | b;
  entries_[place(key)] = {key, value};
  ++count_;
}

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
  }
}

void NormalForm::expand(const StateIds& state) {
  for (; expanded_ < found_.size(); ++expanded_) find(components_.refs(state.object(found_[expanded_])));
}

const std::uint32_t* NormalForm::known_core(const CoreKey& key) const {
  const std::size_t mask = core_table_.size() - 1;
  for (std::size_t at = key.hash() & mask; core_table_[at] != kUnnumbered; at = (at + 1) & mask) {
    if (cores_[core_table_[at]].key == key) return &core_table_[at];
  }
  return nullptr;
}

std::uint32_t NormalForm::new_core(const CoreKey& key, const StateIds& state) {
  ++looked_around_;
  owner_.assign(state.objects(), kNobody);
  is_found_.assign(state.objects(), 0);
  found_.clear();
  expanded_ = 0;
  for (std::uint32_t i = 0; i < state.fixed; ++i) mark(state, components_.refs(state.ids[i]), kEverybody);
  for (std::uint32_t t = 0; t < state.threads; ++t) {
    const Token identity = components_.tokens(state.thread(t))[2];
    if (tag_of(identity) != Tag::kShared) continue;
    const std::uint32_t slot = slot_of(identity);
    if (!components_.is_ended(state.thread(t))) mark(state, {&slot, 1}, static_cast<std::int32_t>(t));
    find({&slot, 1});
  }
  for (std::uint32_t i = 0; i < state.fixed; ++i) find(components_.refs(state.ids[i]));
  expand(state);
  const std::uint32_t number = static_cast<std::uint32_t>(cores_.size());
  cores_.push_back({key, owner_, found_});
  words_ += key.size() + owner_.size() + found_.size() + 32;
  const auto enter = [&](std::uint32_t core) {
    const std::size_t mask = core_table_.size() - 1;
    std::size_t at = cores_[core].key.hash() & mask;
    while (core_table_[at] != kUnnumbered) at = (at + 1) & mask;
    core_table_[at] = core;
  };
  if (2 * cores_.size() <= core_table_.size()) {
    enter(number);
  } else {
    core_table_.assign(2 * core_table_.size(), kUnnumbered);
    for (std::uint32_t core = 0; core <= number; ++core) enter(core);
  }
  return number;
}

/// The number of the list of objects that a thread refers to and that the core does not settle.
std::uint32_t NormalForm::unsettled(std::uint32_t core, ComponentId thread) {
  const std::uint32_t shape = components_.shape(thread);
  if (const std::uint32_t* known = unsettled_of_.find(core, shape)) return *known;
  key_.clear();
  for (std::uint32_t slot : components_.refs(thread)) {
    if (cores_[core].owner[slot] != kEverybody) key_.push_back(slot);
  }
  const auto [place, is_new] =
      unsettled_numbers_.emplace(key_, static_cast<std::uint32_t>(unsettled_refs_.size()));
  if (is_new) {
    unsettled_refs_.push_back(key_);
    words_ += 2 * key_.size() + 24;
  }
  unsettled_of_.add(core, shape, place->second);
  words_ += 8;
  return place->second;
}

NormalForm::Plan NormalForm::planned(const Core& core, std::span<const std::uint32_t> unsettled,
                                     const StateIds& state) {
  ++looked_around_;
  owner_ = core.owner;
  found_ = core.found;
  expanded_ = found_.size();
  is_found_.assign(owner_.size(), 0);
  for (std::uint32_t slot : found_) is_found_[slot] = 1;
  Plan plan;
  const auto has_ended = [&](std::uint32_t t) { return components_.is_ended(state.thread(t)); };
  for (std::uint32_t t = 0; t < unsettled.size(); ++t) {
    if (!has_ended(t)) mark(state, unsettled_refs_[unsettled[t]], static_cast<std::int32_t>(t));
  }
  for (std::uint32_t t = 0; t < unsettled.size(); ++t) {
    const std::span<const std::uint32_t> refs = components_.refs(state.thread(t));
    if (has_ended(t) && !refs.empty() && owner_[refs[0]] == kNobody) plan.forgotten.push_back(t);
  }
  if (!plan.forgotten.empty()) return plan;
  for (std::uint32_t t = 0; t < unsettled.size(); ++t) {
    if (has_ended(t)) mark(state, components_.refs(state.thread(t)), static_cast<std::int32_t>(t));
  }
  for (std::uint32_t refs : unsettled) find(unsettled_refs_[refs]);
  expand(state);

  Key number(owner_.size(), kUnnumbered);
  plan.is_normal = true;
  for (std::uint32_t slot : found_) {
    if (owner_[slot] == kEverybody) {
      number[slot] = static_cast<std::uint32_t>(plan.kept.size());
      plan.is_normal &= number[slot] == slot;
      plan.kept.push_back(slot);
    } else {
      plan.absorbed.resize(unsettled.size());
      plan.absorbed[static_cast<std::size_t>(owner_[slot])].push_back(slot);
    }
  }
  plan.is_normal &= plan.kept.size() == owner_.size();
  const auto [place, is_new] =
      numbering_numbers_.emplace(number, static_cast<std::uint32_t>(numberings_.size()));
  if (is_new) {
    words_ += 2 * number.size() + 24;
    numberings_.push_back(std::move(number));
  }
  plan.numbering = place->second;
  words_ += plan.kept.size() + 24;
  for (const Key& slots : plan.absorbed) words_ += slots.size() + 6;
  return plan;
}

std::uint32_t NormalForm::plan_for(std::uint32_t core, std::span<const std::uint32_t> unsettled,
                                   const StateIds& state) {
  const bool is_all_settled =
      std::all_of(unsettled.begin(), unsettled.end(), [](std::uint32_t refs) { return refs == 0; });
  if (is_all_settled && cores_[core].plan != kUnnumbered) return cores_[core].plan;
  const std::uint32_t next = static_cast<std::uint32_t>(plans_.size());
  if (is_all_settled) {
    cores_[core].plan = next;
  } else {
    key_.assign(1, core);
    key_.insert(key_.end(), unsettled.begin(), unsettled.end());
    const auto [place, is_new] = plan_numbers_.emplace(key_, next);
    if (!is_new) return place->second;
    words_ += key_.size() + 16;
  }
  plans_.push_back(planned(cores_[core], unsettled, state));
  return next;
}

void NormalForm::forget_if_too_much() {
  if (renumbered_.size() > kMostRenamed) renumbered_.clear();
  if (words_ > kMostWords) forget();
}

void NormalForm::forget() {
  cores_.clear();
  core_table_.assign(core_table_.size(), kUnnumbered);
  plans_.clear();
  plan_numbers_.clear();
  unsettled_refs_ = {{}};
  unsettled_numbers_ = {{{}, 0}};
  unsettled_of_.clear();
  numberings_.clear();
  numbering_numbers_.clear();
  renumbered_.clear();
  absorbed_.clear();
  words_ = 0;
  ++generation_;
}

ComponentId NormalForm::renumbered(ComponentId id, std::uint32_t numbering) {
  if (components_.shape(id) == 0) return id;
  if (const std::uint32_t* known = renumbered_.find(id, numbering)) return *known;
  const Key& number = numberings_[numbering];
  const auto with_new_numbers = [&](ComponentId old) {
    std::vector<Token> out;
    for (Token t : components_.tokens(old)) {
      out.push_back(tag_of(t) == Tag::kShared ? shared(number[slot_of(t)], type_of(t)) : t);
    }
    return components_.intern(out);
  };
  const ComponentId finals = components_.finals(id);
  const ComponentId result = with_new_numbers(id);
  if (finals != 0 && components_.finals(result) == 0)
    components_.set_finals(result, with_new_numbers(finals));
  renumbered_.add(id, numbering, result);
  return result;
}

/// A thread with the objects that only it reaches: theirs become records of its own, numbered as they are found.
ComponentId NormalForm::with_private(const StateIds& state, ComponentId thread,
                                     const std::vector<std::uint32_t>& number) {
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
        if (number[slot] != kUnnumbered) {
          t = shared(number[slot], type_of(t));
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

ComponentId NormalForm::absorbing(const StateIds& state, std::uint32_t thread, std::uint32_t plan) {
  const ComponentId id = state.thread(thread);
  key_.assign({plan, id});
  for (std::uint32_t slot : plans_[plan].absorbed[thread]) key_.push_back(state.object(slot));
  const auto [place, is_new] = absorbed_.emplace(key_, 0);
  if (is_new) {
    words_ += key_.size() + 16;
    place->second = with_private(state, id, numberings_[plans_[plan].numbering]);
  }
  return place->second;
}

void NormalForm::apply(StateIds& state) {
  forget_if_too_much();
  applied_key_.assign(state, components_);
  const std::uint32_t* const known = known_core(applied_key_);
  const std::uint32_t core = known != nullptr ? *known : new_core(applied_key_, state);
  other_refs_.clear();
  for (std::uint32_t t = 0; t < state.threads; ++t) other_refs_.push_back(unsettled(core, state.thread(t)));
  const std::uint32_t number = plan_for(core, other_refs_, state);
  const Plan& plan = plans_[number];
  if (plan.is_normal) return;
  if (!plan.forgotten.empty()) {
    for (auto t = plan.forgotten.rbegin(); t != plan.forgotten.rend(); ++t) {
      if (vacant_ && *t + 1 < state.threads) {
        state.thread(*t) = *vacant_;
        continue;
      }
      state.ids.erase(state.ids.begin() + state.fixed + *t);
      --state.threads;
    }
    while (vacant_ && state.threads > 0 && state.thread(state.threads - 1) == *vacant_) {
      state.ids.erase(state.ids.begin() + state.fixed + state.threads - 1);
      --state.threads;
    }
    return apply(state);
  }
  result_.fixed = state.fixed;
  result_.threads = state.threads;
  result_.ids.clear();
  for (std::uint32_t i = 0; i < state.fixed; ++i)
    result_.ids.push_back(renumbered(state.ids[i], plan.numbering));
  for (std::uint32_t t = 0; t < state.threads; ++t) {
    const bool absorbs = !plan.absorbed.empty() && !plan.absorbed[t].empty();
    result_.ids.push_back(absorbs ? absorbing(state, t, number)
                                  : renumbered(state.thread(t), plan.numbering));
  }
  for (std::uint32_t slot : plan.kept) result_.ids.push_back(renumbered(state.object(slot), plan.numbering));
  std::swap(state, result_);
}

void NormalForm::survey(const StateIds& state) {
  forget_if_too_much();
  surveyed_generation_ = generation_;
  core_key_.assign(state, components_);
  const std::uint32_t* const known = known_core(core_key_);
  core_ = known != nullptr ? *known : new_core(core_key_, state);
  thread_refs_.clear();
  for (std::uint32_t t = 0; t < state.threads; ++t) thread_refs_.push_back(unsettled(core_, state.thread(t)));
}

bool NormalForm::stays_normal(const StateIds& state, std::span<const Replacement> replaced) {
  if (surveyed_generation_ != generation_) survey(state);
  const auto with_replacements = [&]() -> const StateIds& {
    result_ = state;
    for (const auto& [position, id] : replaced) result_.ids[position] = id;
    return result_;
  };
  std::uint32_t core = core_;
  bool is_core_same = true;
  for (const auto& [position, id] : replaced)
    is_core_same &= components_.core_shape(id) == core_key_.at(position);
  if (!is_core_same) {
    for (const auto& [position, id] : replaced) core_key_.replace(position, components_.core_shape(id));
    const std::uint32_t* const known = known_core(core_key_);
    core = known != nullptr ? *known : new_core(core_key_, with_replacements());
    for (const auto& [position, id] : replaced) {
      core_key_.replace(position, components_.core_shape(state.ids[position]));
    }
  }
  other_refs_ = thread_refs_;
  for (std::uint32_t t = 0; !is_core_same && t < state.threads; ++t)
    other_refs_[t] = unsettled(core, state.thread(t));
  for (const auto& [position, id] : replaced) {
    if (position < state.fixed || position >= state.fixed + state.threads) continue;
    other_refs_[position - state.fixed] = unsettled(core, id);
  }
  // A plan looks at the state only when it is new.
  const bool is_settled =
      std::all_of(other_refs_.begin(), other_refs_.end(), [](std::uint32_t refs) { return refs == 0; });
  if (is_settled && cores_[core].plan != kUnnumbered) return plans_[cores_[core].plan].is_normal;
  return plans_[plan_for(core, other_refs_, with_replacements())].is_normal;
}

}  // namespace assay::languages::python
