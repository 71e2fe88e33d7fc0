#include "languages/python/machine.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "languages/python/address_texts.hpp"
#include "languages/python/analysis.hpp"
#include "languages/python/interpreter.hpp"
#include "languages/python/weak.hpp"

namespace assay::languages::python {

using transition_system::length_of;
using transition_system::StateView;

namespace {

constexpr std::uint32_t kMaxComponents = 4000;
constexpr std::uint32_t kDigestWords = 3;

/// The bytes, 24 at a time and filled up with zeros, and their number: the constant term is zero, so that the
/// last one counts too.
support::ElementWords polynomial_at(const support::PortableElement& point, const std::string& bytes) {
  support::PortableElement sum;
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(support::ElementWords)) {
    support::ElementWords block{};
    std::memcpy(block.data(), bytes.data() + at, std::min(sizeof block, bytes.size() - at));
    sum = (sum + support::PortableElement(block)) * point;
  }
  return ((sum + support::PortableElement(bytes.size())) * point).words();
}

/// What a property may take that a stranger claims. Where time is up the process ends, with SIGXCPU: a built-in
/// that computes for ever cannot be stopped otherwise. Where memory is, there is a MemoryError.
class CostLimit {
 public:
  CostLimit() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    const auto seconds = static_cast<rlim_t>(used.ru_utime.tv_sec + used.ru_stime.tv_sec);
    lower(RLIMIT_CPU, seconds + kSeconds, cpu_);
    unsigned long pages = 0;
    if (std::FILE* const file = std::fopen("/proc/self/statm", "r")) {
      if (std::fscanf(file, "%lu", &pages) != 1) pages = 0;
      std::fclose(file);
    }
    if (pages != 0) lower(RLIMIT_AS, pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + kBytes, memory_);
  }
  ~CostLimit() {
    if (cpu_) setrlimit(RLIMIT_CPU, &*cpu_);
    if (memory_) setrlimit(RLIMIT_AS, &*memory_);
  }
  CostLimit(const CostLimit&) = delete;
  CostLimit& operator=(const CostLimit&) = delete;

 private:
  static constexpr rlim_t kSeconds = 6, kBytes = rlim_t{512} << 20;

  static void lower(int resource, rlim_t to, std::optional<rlimit>& before) {
    rlimit now{};
    if (getrlimit(resource, &now) != 0) return;
    if (now.rlim_cur != RLIM_INFINITY && now.rlim_cur <= to) return;
    rlimit less = now;
    less.rlim_cur = to;
    if (setrlimit(resource, &less) == 0) before = now;
  }

  std::optional<rlimit> cpu_, memory_;
};

void append(std::string& out, std::uint64_t word) {
  out.append(reinterpret_cast<const char*>(&word), sizeof word);
}

}  // namespace

Machine::Machine(std::unique_ptr<Program> program, Granularity granularity,
                 std::optional<support::ElementWords> key, bool has_invariants, bool distrusts, Watch watch)
    : program_(std::move(program)),
      granularity_(granularity),
      is_canonical_(key.has_value()),
      has_invariants_(has_invariants),
      watch_(std::move(watch)),
      key_(key.value_or(support::ElementWords{})) {
  make_types();
  hide_addresses_in_texts();
  analyse(*program_);
  world_ = std::make_unique<StepWorld>(*program_, granularity_, watch_);
  world_->distrusts = distrusts;
  normal_form_ = std::make_unique<NormalForm>(world_->heap.components);
  if (label_count() > 64) throw std::invalid_argument("at most 64 labels and atoms in all formulas");
}

std::uint32_t Machine::max_words() const { return 1 + kMaxComponents * (is_canonical_ ? kDigestWords : 1); }

std::uint32_t Machine::word_count(const StateIds& state) const {
  if (state.ids.size() > kMaxComponents) {
    throw UnsupportedProgram("a state has more than " + std::to_string(kMaxComponents) + " parts");
  }
  return 1 + static_cast<std::uint32_t>(state.ids.size()) * (is_canonical_ ? kDigestWords : 1);
}

/// The component, with everything written out that differs from process to process.
std::string Machine::content_of(ComponentId id) const {
  std::string bytes, scratch;
  for (Token t : world_->heap.components.tokens(id)) {
    if (tag_of(t) == Tag::kLeaf) {
      const std::string& name = portable_name(static_cast<LeafId>(payload_of(t)), scratch);
      append(bytes, token(Tag::kLeaf, name.size()));
      bytes += name;
    } else if (tag_of(t) == Tag::kShared) {
      const std::string& name = portable_name(type_of(t), scratch);
      append(bytes, shared(slot_of(t), static_cast<std::uint32_t>(name.size())));
      bytes += name;
    } else {
      append(bytes, t);
    }
  }
  return bytes;
}

/// Of each component once; what a state is made of, in the order of portable states.
std::uint64_t Machine::content_hash(StateView state) const {
  const std::lock_guard guard(mutex_);
  ids_of(state.data(), length_of(state), checked_);
  if (content_hashes_.size() < world_->heap.components.size())
    content_hashes_.resize(world_->heap.components.size() * 2, 0);
  const Layout& layout = layouts_[layout_of(checked_)];
  const std::uint32_t variables = world_->heap.fixed_of_variables();
  std::uint64_t hash = support::mix(kContentSeed ^ layout.content_hash ^ checked_.threads);
  const auto take = [&](ComponentId id) {
    std::uint64_t& known = content_hashes_[id];
    if (known == 0) {
      std::string bytes = content_of(id);
      const std::size_t size = bytes.size();
      bytes.resize((size + 7) / 8 * 8);
      std::vector<std::uint64_t> words(bytes.size() / 8);
      std::memcpy(words.data(), bytes.data(), bytes.size());
      known = support::hash_words(words.data(), words.size(), kContentSeed + size) | 1;
    }
    hash = support::fold_multiply(hash ^ known, 0x8EBC6AF09C88C6E3ull) + known;
  };
  for (std::uint32_t i = 0; i < std::min(variables, checked_.fixed); ++i) take(checked_.ids[i]);
  for (const std::uint32_t fixed : layout.fixed) take(checked_.ids[fixed]);
  for (std::size_t i = checked_.fixed; i < checked_.ids.size(); ++i) take(checked_.ids[i]);
  return support::mix(hash);
}

/// The content of the component as the coefficients of a
/// polynomial over the field of 2^192 elements, at the secret key. Two components of at most n coefficients
/// each have one digest with probability n/2^192 at most, whatever they are, if nobody knew the key who chose
/// them.
void Machine::digest_words(ComponentId id, std::uint64_t* words) const {
  if (digests_.size() <= id) digests_.resize(std::max<std::size_t>(id + 1, digests_.size() * 2), {0, 0, 0});
  support::ElementWords& known = digests_[id];
  if (known[0] == 0 && known[1] == 0 && known[2] == 0) {
    const std::string bytes = content_of(id);
    known = polynomial_at(key_, bytes);
    longest_digested_ = std::max<std::uint64_t>(longest_digested_, 2 + bytes.size() / sizeof known);
    const auto [place, is_new] = by_digest_.emplace(known[0], id);
    if (!is_new && place->second != id) throw std::runtime_error("internal: two components have one digest");
  }
  std::copy(known.begin(), known.end(), words);
}

void Machine::write_words(const StateIds& state, std::uint64_t* words) const {
  words[0] = state.fixed | (std::uint64_t{state.threads} << 32);
  for (std::size_t i = 0; i < state.ids.size(); ++i) {
    if (is_canonical_) {
      digest_words(state.ids[i], words + 1 + i * kDigestWords);
    } else {
      words[1 + i] = state.ids[i];
    }
  }
}

void Machine::ids_of(const std::uint64_t* words, std::uint32_t count, StateIds& state) const {
  state.fixed = static_cast<std::uint32_t>(words[0]);
  state.threads = static_cast<std::uint32_t>(words[0] >> 32);
  const std::uint32_t width = is_canonical_ ? kDigestWords : 1;
  state.ids.resize((count - 1) / width);
  if (std::uint64_t{state.fixed} + state.threads > state.ids.size())
    throw std::runtime_error("internal: no such state");
  if (is_canonical_) {
    for (std::size_t i = 0; i < state.ids.size(); ++i) {
      const auto found = by_digest_.find(words[1 + i * width]);
      if (found == by_digest_.end()) throw std::runtime_error("internal: a state that was never seen");
      state.ids[i] = found->second;
    }
    return;
  }
  std::uint64_t largest = 0;
  for (std::size_t i = 0; i < state.ids.size(); ++i) {
    state.ids[i] = static_cast<ComponentId>(words[1 + i]);
    largest = std::max(largest, words[1 + i]);
  }
  if (largest >= world_->heap.components.size()) throw std::runtime_error("internal: no such state");
}

/// Values and violations have numbers of their own, which components and reports refer to.
std::uint64_t Machine::parts_met() const {
  return world_->heap.components.size() + world_->heap.leaves.size() + world_->violations.size();
}

/// Steps that were executed can be executed again.
std::size_t Machine::forgettable_bytes() const {
  const std::lock_guard guard(mutex_);
  // Of what an outcome lists nobody keeps count; it is about as much again.
  return memo_.bytes() + 2 * outcomes_.bytes() + normal_form_->forgettable_bytes();
}

void Machine::forget() const {
  const std::lock_guard guard(mutex_);
  memo_.clear();
  outcomes_.clear();
  normal_form_->forget();
}

bool Machine::is_state(StateView words) const {
  const std::uint32_t count = length_of(words);
  const std::uint32_t width = is_canonical_ ? kDigestWords : 1;
  if (count == 0 || (count - 1) % width != 0) return false;
  const std::uint32_t fixed = static_cast<std::uint32_t>(words[0]),
                      threads = static_cast<std::uint32_t>(words[0] >> 32);
  if (std::uint64_t{fixed} + threads > (count - 1) / width) return false;
  for (std::uint32_t i = 1; i < count; i += width) {
    if (is_canonical_ ? !by_digest_.contains(words[i]) : words[i] >= world_->heap.components.size())
      return false;
  }
  return true;
}

std::uint64_t Machine::digest_of_parts() const {
  const std::lock_guard guard(mutex_);
  const Components& components = world_->heap.components;
  const Leaves& leaves = world_->heap.leaves;
  const auto take = [&](std::uint64_t word) {
    digest_of_parts_ =
        support::fold_multiply(digest_of_parts_ ^ word ^ 0xA0761D6478BD642Full, 0x8EBC6AF09C88C6E3ull);
  };
  const auto take_name = [&](LeafId leaf) {
    const std::string& name = leaves.name(leaf);
    take(name.size());
    for (std::size_t i = 0; i < name.size(); i += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, name.data() + i, std::min(sizeof word, name.size() - i));
      take(word);
    }
  };
  for (; parts_digested_ < components.size(); ++parts_digested_) {
    for (const Token t : components.tokens(parts_digested_)) {
      take(t);
      if (tag_of(t) == Tag::kLeaf) take_name(static_cast<LeafId>(payload_of(t)));
      if (tag_of(t) == Tag::kShared) take_name(type_of(t));
    }
  }
  return support::mix(digest_of_parts_ + world_->violations.size());
}

void Machine::make_initial() const {
  if (!initial_.ids.empty()) return;
  const Locked locked;
  try {
    initial_ = world_->first_state();
  } catch (const PythonError&) {
    PyErr_Print();
    throw std::runtime_error("internal: the program cannot be started");
  } catch (const Unsupported& problem) {
    throw UnsupportedProgram(problem.what());
  }
  normal_form_->apply(initial_);
  lesson_of_leaf_.assign(world_->heap.leaves.size(), kNeedsNone);
}

std::uint32_t Machine::initial(std::uint64_t* words, std::uint32_t* violation) const {
  const std::lock_guard guard(mutex_);
  *violation = 0;
  make_initial();
  const std::uint32_t count = word_count(initial_);
  write_words(initial_, words);
  return count;
}

bool Machine::is_daemon(ComponentId thread) const {
  return (payload_of(world_->heap.components.tokens(thread)[1]) & 1) != 0;
}

/// The program ends with its last thread that is no daemon.
bool Machine::is_over(const StateIds& state) const {
  for (std::uint32_t t = 0; t < state.threads; ++t) {
    if (!world_->heap.components.is_ended(state.thread(t)) && !is_daemon(state.thread(t))) return false;
  }
  return true;
}

bool Machine::is_valid_end(StateView state) const {
  const std::lock_guard guard(mutex_);
  return is_over(ids_of(state.data(), length_of(state)));
}

bool Machine::is_single(const StateIds& state) const {
  std::uint32_t running = 0;
  for (std::uint32_t t = 0; t < state.threads; ++t)
    running += world_->heap.components.is_ended(state.thread(t)) ? 0 : 1;
  return running == 1;
}

std::uint32_t Machine::root_of_steps(const StateIds& state) const {
  return memo_.root(state.ids[0] | (std::uint64_t{state.fixed} << 32), is_single(state) ? 1 : 0);
}

/// Looks for the steps of all threads at once, so that the memory they need arrives together. Steps with choices, and
/// those that were never made, are left for `outcome_of`.
void Machine::look_up(const StateIds& state) const {
  known_.assign(state.threads, {});
  const std::uint32_t root = root_of_steps(state);
  walks_.clear();
  for (std::uint32_t thread = 0; thread < state.threads; ++thread) {
    if (world_->heap.components.is_ended(state.thread(thread))) {
      known_[thread].is_known = true;
      continue;
    }
    walks_.push_back({thread, StepMemo::key(root, state.thread(thread))});
    memo_.prefetch(walks_.back().key);
  }
  looked_up_ += walks_.size();
  for (std::size_t remaining = walks_.size(); remaining > 0;) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < remaining; ++i) {
      const Walk walk = walks_[i];
      const StepMemo::Node* const node = memo_.find(walk.key);
      if (node == nullptr || node->kind() == StepMemo::Node::Kind::kChoice) continue;
      if (!node->is_question()) {
        known_[walk.thread] = {true, node->kind() == StepMemo::Node::Kind::kOutcome, node->number};
        continue;
      }
      const std::uint64_t next = StepMemo::key(node->number, answer(*node, state));
      memo_.prefetch(next);
      walks_[kept++] = {walk.thread, next};
    }
    remaining = kept;
  }
}

/// Follows or makes the step that begins with these choices. `choices` becomes all choices of the step, and
/// `alternatives` says how many there were each time.
std::uint32_t Machine::outcome_of(const StateIds& state, std::uint32_t thread,
                                  std::vector<std::uint32_t>& choices,
                                  std::vector<std::uint32_t>& alternatives) const {
  alternatives.clear();
  const std::uint64_t root = StepMemo::key(root_of_steps(state), state.thread(thread));
  const StepMemo::Node* node = memo_.find(root);
  for (; node != nullptr && node->is_question();) {
    std::uint32_t value = 0;
    if (node->kind() == StepMemo::Node::Kind::kChoice) {
      if (alternatives.size() == choices.size()) choices.push_back(0);
      value = choices[alternatives.size()];
      alternatives.push_back(node->index());
    } else {
      value = answer(*node, state);
    }
    node = memo_.find(StepMemo::key(node->number, value));
  }
  if (node != nullptr) return node->number;
  const Locked locked;
  ++executed_;
  const std::size_t leaves_before = world_->heap.leaves.size();
  Outcome outcome = world_->execute(state, thread, choices);
  note_lesson(leaves_before, state, 0);
  outcome.is_patch =
      !outcome.is_finished && outcome.started.empty() && outcome.fresh.empty() && outcome.new_fixed.empty();
  const std::uint32_t number = static_cast<std::uint32_t>(outcomes_.size());
  memo_.add(root, world_->events, number, outcome.is_step());
  outcomes_.push_back(std::move(outcome));
  choices.clear();
  alternatives.clear();
  for (const Event& event : world_->events) {
    if (event.kind != Event::Kind::kChoice) continue;
    choices.push_back(event.value);
    alternatives.push_back(event.index);
  }
  return number;
}

/// Whether the state that a step leads to, which only replaces components, is in normal form as it is.
bool Machine::stays_normal(const StateIds& state, const Step& step) const {
  const Outcome& outcome = outcomes_[step.outcome];
  const Components& components = world_->heap.components;
  const bool is_proved = outcome.stays_normal.hold_in(state, components);
  if (is_proved && !world_->distrusts) return true;
  if (!std::exchange(is_surveyed_, true)) normal_form_->survey(state);
  replaced_.assign(1, {state.fixed + step.thread, outcome.thread});
  replaced_.insert(replaced_.end(), outcome.fixed.begin(), outcome.fixed.end());
  for (const auto& [slot, id] : outcome.objects)
    replaced_.emplace_back(state.fixed + state.threads + slot, id);
  const bool is_normal = normal_form_->stays_normal(state, replaced_);
  if (is_proved && !is_normal) throw std::runtime_error("internal: a wrong proof of normality");
  if (is_normal && !is_proved) outcome.stays_normal.look_for(state, components, replaced_);
  return is_normal;
}

/// All steps of a state in their order: by thread, then by what is chosen.
void Machine::steps(const StateIds& state, std::vector<Step>& out) const {
  out.clear();
  cut_.clear();
  if (is_over(state)) return;
  look_up(state);
  std::vector<std::uint32_t> choices, alternatives;
  for (std::uint32_t thread = 0; thread < state.threads; ++thread) {
    if (const Known known = known_[thread]; known.is_known) {
      if (known.is_step) {
        out.push_back({thread, {}, known.outcome});
      } else if (!world_->heap.components.is_ended(state.thread(thread)) &&
                 outcomes_[known.outcome].kind == Outcome::Kind::kCut) {
        cut_.push_back(thread);
      }
      continue;
    }
    choices.clear();
    for (;;) {
      const std::uint32_t outcome = outcome_of(state, thread, choices, alternatives);
      if (outcomes_[outcome].is_step()) out.push_back({thread, choices, outcome});
      if (outcomes_[outcome].kind == Outcome::Kind::kCut) cut_.push_back(thread);
      while (!choices.empty() && choices.back() + 1 == alternatives[choices.size() - 1]) choices.pop_back();
      if (choices.empty()) break;
      ++choices.back();
    }
  }
}

/// Every thread keeps its place as long as it lives, so that a place on a cycle is one thread: those that end leave a
/// vacant one, and those that start take the first.
void Machine::put_threads(const StateIds& state, std::uint32_t thread, const Outcome& outcome,
                          StateIds& next) const {
  const ComponentId vacant = vacant_place();
  std::vector<ComponentId> places;
  for (std::uint32_t t = 0; t < state.threads; ++t) {
    places.push_back(t != thread ? state.thread(t) : outcome.is_finished ? vacant : outcome.thread);
  }
  for (const ComponentId started : outcome.started) {
    const auto place = std::find(places.begin(), places.end(), vacant);
    if (place == places.end()) {
      places.push_back(started);
    } else {
      *place = started;
    }
  }
  while (!places.empty() && places.back() == vacant) places.pop_back();
  next.threads = static_cast<std::uint32_t>(places.size());
  next.ids.insert(next.ids.end(), places.begin(), places.end());
}

ComponentId Machine::vacant_place() const {
  if (!vacant_) {
    const Locked locked;
    vacant_ = world_->vacant_place();
    normal_form_->keep_places(*vacant_);
  }
  return *vacant_;
}

void Machine::apply(const StateIds& state, std::uint32_t thread, const Outcome& outcome,
                    StateIds& next) const {
  next.fixed = state.fixed + static_cast<std::uint32_t>(outcome.new_fixed.size());
  next.threads =
      state.threads + static_cast<std::uint32_t>(outcome.started.size()) - (outcome.is_finished ? 1 : 0);
  next.ids.assign(state.ids.begin(), state.ids.begin() + state.fixed);
  for (const auto& [fixed, id] : outcome.fixed) next.ids[fixed] = id;
  next.ids.insert(next.ids.end(), outcome.new_fixed.begin(), outcome.new_fixed.end());
  if (watch_.is_on) {
    put_threads(state, thread, outcome, next);
  } else {
    for (std::uint32_t t = 0; t < state.threads; ++t) {
      if (t != thread) {
        next.ids.push_back(state.thread(t));
      } else if (!outcome.is_finished) {
        next.ids.push_back(outcome.thread);
      }
    }
    next.ids.insert(next.ids.end(), outcome.started.begin(), outcome.started.end());
  }
  next.ids.insert(next.ids.end(), state.ids.begin() + state.fixed + state.threads, state.ids.end());
  for (const auto& [slot, id] : outcome.objects) next.object(slot) = id;
  next.ids.insert(next.ids.end(), outcome.fresh.begin(), outcome.fresh.end());
  ++normalised_;
  normal_form_->apply(next);
}

/// Tells the loops of all components that a step leaves as they are that it has changed the shape of what they go over.
/// False: there are none.
bool Machine::mark_stale_loops(const StateIds& state, const Step& step, const Outcome& outcome,
                               StateIds& marked) const {
  Components& components = world_->heap.components;
  marked.fixed = state.fixed;
  marked.threads = state.threads;
  marked.ids = state.ids;
  for (const std::uint32_t slot : outcome.reshaped) {
    for (std::size_t i = state.fixed; i < marked.ids.size(); ++i) {
      if (i != state.fixed + step.thread) marked.ids[i] = components.with_stale_loops(marked.ids[i], slot);
    }
  }
  for (const auto& [slot, id] : outcome.objects) marked.object(slot) = state.object(slot);
  return marked.ids != state.ids;
}

/// Two threads that could both go on without synchronising, one of them writing what the other touches.
std::uint32_t Machine::race_in(const StateIds& state, const std::vector<Step>& all) const {
  (void)state;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::vector<Access>& ours = outcomes_[all[i].outcome].accesses;
    if (ours.empty()) continue;
    for (std::size_t j = i + 1; j < all.size(); ++j) {
      if (all[j].thread == all[i].thread) continue;
      const std::vector<Access>& theirs = outcomes_[all[j].outcome].accesses;
      for (const Access& a : ours) {
        for (const Access& b : theirs) {
          if (!a.conflicts_with(b)) continue;
          const auto line_of = [](const Access& access) {
            return access.code->positions[std::min<std::size_t>(access.pc, access.code->positions.size() - 1)]
                .line;
          };
          const Access& first = a.is_write ? a : b;
          const Access& second = a.is_write ? b : a;
          const std::string& file = program_->modules[first.code->module].file;
          const std::string& other = program_->modules[second.code->module].file;
          Violation violation{"data-race", "", file, line_of(first), {}};
          violation.message = "data race: " + file + ":" + std::to_string(line_of(first)) + " writes what " +
                              other + ":" + std::to_string(line_of(second)) +
                              (second.is_write ? " writes" : " reads") + " at the same time";
          return world_->violation_code(std::move(violation));
        }
      }
    }
  }
  return 0;
}

/// Where a step ended for formulas to look and threads cannot switch, only the thread that took it goes on.
void Machine::keep_who_goes_on(const StateIds& state, std::vector<Step>& all) const {
  if (!watch_.is_on || granularity_ == Granularity::kBytecode) return;
  for (std::uint32_t t = 0; t < state.threads; ++t) {
    if ((payload_of(world_->heap.components.tokens(state.thread(t))[1]) >> kGoesOnShift & 1) == 0) continue;
    std::erase_if(all, [&](const Step& step) { return step.thread != t; });
    return;
  }
}

void Machine::successors(StateView given, assay_buffer* out) const { write_successors(given, out, false); }
void Machine::all_successors(StateView given, assay_buffer* out) const { write_successors(given, out, true); }

static std::string name_of_type(PyObject* type) {
  return PyType_Check(type) ? reinterpret_cast<PyTypeObject*>(type)->tp_name : "a class";
}

void Machine::write_successors(StateView given, assay_buffer* out, bool everybodys) const {
  const std::lock_guard guard(mutex_);
  const std::uint64_t* const words = given.data();
  const std::uint32_t count = length_of(given);
  ids_of(words, count, before_);
  const StateIds& state = before_;
  if (const std::optional<std::uint32_t> lost = only_weakly_reached(state, world_->heap.components)) {
    const Leaves& leaves = world_->heap.leaves;
    throw UnsupportedProgram("nothing but weak references, or its id(), leads to " +
                             (*lost < leaves.size() ? "an object of " + name_of_type(leaves.object(*lost))
                                                    : std::string("an object")) +
                             " any more; when CPython forgets it, and calls its __del__, is not modelled: "
                             "let something refer to it as "
                             "long as the program runs");
  }
  std::vector<Step>& all = steps_;
  steps(state, all);
  const std::uint32_t race = granularity_ == Granularity::kSync ? race_in(state, all) : 0;
  if (!everybodys) keep_who_goes_on(state, all);
  const auto room_for = [out](std::uint32_t length) {
    if (out->words_capacity - out->words_used < length || out->count == out->capacity)
      out->grow(out, length, 1);
    return out->words + out->words_used;
  };
  const auto record = [&](const Step& step, const std::uint64_t* after, std::uint32_t length) {
    if (out->recorder == nullptr) return;
    out->recorder->primitive_step(out->recorder->context, out->count, step.thread, out->count, after, length);
  };
  const auto is_wanted = [out] {
    const std::uint64_t bit = out->wanted_first + out->count;
    return out->wanted == nullptr || out->count >= out->wanted_count ||
           ((out->wanted[bit / 8] >> (bit % 8)) & 1) != 0;
  };
  const auto process_of = [](const Step& step) { return static_cast<std::uint16_t>(step.thread); };
  is_surveyed_ = false;
  for (const Step& step : all) {
    if (!is_wanted()) {
      room_for(0);
      out->successors[out->count++] = {out->words_used, 0, 0, 0, process_of(step)};
      continue;
    }
    const Outcome& outcome = outcomes_[step.outcome];
    if (outcome.kind == Outcome::Kind::kViolation) {
      room_for(0);
      record(step, words, count);
      out->successors[out->count++] = {out->words_used, 0, outcome.violation, 0, process_of(step)};
      continue;
    }
    std::uint32_t length = count;
    bool needs_normal_form = outcome.changes_structure;
    if (needs_normal_form && outcome.is_patch) needs_normal_form = !stays_normal(state, step);
    // Iterators refer to the same objects as before, so the normal form is not touched.
    const bool has_stale_loops = !outcome.reshaped.empty() && mark_stale_loops(state, step, outcome, marked_);
    if (needs_normal_form) {
      apply(has_stale_loops ? marked_ : state, step.thread, outcome, after_);
      length = word_count(after_);
      write_words(after_, room_for(length));
    } else {
      std::uint64_t* const after = room_for(count);
      std::memcpy(after, words, std::size_t{count} * sizeof *words);
      const auto put = [&](std::size_t index, ComponentId id) {
        if (is_canonical_) {
          digest_words(id, after + 1 + index * kDigestWords);
        } else {
          after[1 + index] = id;
        }
      };
      for (std::size_t i = 0; has_stale_loops && i < state.ids.size(); ++i) {
        if (marked_.ids[i] != state.ids[i]) put(i, marked_.ids[i]);
      }
      put(state.fixed + step.thread, outcome.thread);
      for (const auto& [fixed, id] : outcome.fixed) put(fixed, id);
      for (const auto& [slot, id] : outcome.objects) put(state.fixed + state.threads + slot, id);
    }
    record(step, out->words + out->words_used, length);
    out->successors[out->count++] = {out->words_used, length, 0, 1, process_of(step)};
    out->words_used += length;
  }
  if (everybodys) {
    // A thread before an assumption that fails can move; where that leads is of no interest.
    for (const std::uint32_t thread : cut_) {
      room_for(0);
      out->successors[out->count++] = {out->words_used, 0, 0, 0, static_cast<std::uint16_t>(thread)};
    }
  }
  if (race != 0) {
    room_for(0);
    record(all.front(), words, count);
    out->successors[out->count++] = {out->words_used, 0, race, 0, process_of(all.front())};
  }
}

/// The statics end with the invariants: how many there are stands before the pairs of function and name.
std::pair<std::uint32_t, std::uint32_t> Machine::registered_in(ComponentId statics) const {
  if (registered_statics_ == statics) return registered_;
  const std::span<const Token> tokens = world_->heap.components.tokens(statics);
  std::size_t i = tokens.size();
  while (i > 0 && tag_of(tokens[i - 1]) != Tag::kNumber) --i;
  const std::uint64_t told = i == 0 ? 0 : payload_of(tokens[i - 1]);
  registered_statics_ = statics;
  registered_ = {static_cast<std::uint32_t>(told), static_cast<std::uint32_t>(told >> 32)};
  return registered_;
}

/// The outcome of looking at an invariant or an atom in a state; it is no violation where that holds.
std::uint32_t Machine::outcome_of_check(const StateIds& state, std::uint32_t number) const {
  const std::uint32_t root = memo_.root(state.ids[0] | (std::uint64_t{state.fixed} << 32), 2);  // no step's
  const std::uint64_t key = StepMemo::key(root, number);
  const StepMemo::Node* node = memo_.find(key);
  while (node != nullptr && node->is_question())
    node = memo_.find(StepMemo::key(node->number, answer(*node, state)));
  if (node != nullptr) return node->number;
  const Locked locked;
  std::optional<CostLimit> limit;
  if (is_canonical_) limit.emplace();
  const std::size_t leaves_before = world_->heap.leaves.size();
  Outcome outcome = world_->check(state, number);
  limit.reset();
  note_lesson(leaves_before, state, 1 + number);
  const std::uint32_t found = static_cast<std::uint32_t>(outcomes_.size());
  memo_.add(key, world_->events, found, outcome.kind == Outcome::Kind::kViolation);
  outcomes_.push_back(std::move(outcome));
  return found;
}

std::uint32_t Machine::check_state(StateView given) const {
  const std::lock_guard guard(mutex_);
  ids_of(given.data(), length_of(given), checked_);
  const auto [registered, atoms] = registered_in(checked_.ids[0]);
  for (std::uint32_t number = atoms; number < registered; ++number) {
    const Outcome& outcome = outcomes_[outcome_of_check(checked_, number)];
    if (outcome.kind == Outcome::Kind::kViolation) return outcome.violation;
  }
  return 0;
}

std::uint32_t Machine::label_count() const {
  return watch_.is_on ? static_cast<std::uint32_t>(watch_.labels.size() + watch_.atoms.size()) + 1 : 0;
}

std::uint64_t Machine::labels(StateView given) const {
  if (!watch_.is_on) return 0;
  const std::lock_guard guard(mutex_);
  ids_of(given.data(), length_of(given), checked_);
  const StateIds& state = checked_;
  std::uint64_t found = 0;
  for (std::uint32_t t = 0; t < state.threads; ++t) {
    const std::uint64_t flags = payload_of(world_->heap.components.tokens(state.thread(t))[1]);
    const std::uint32_t label = static_cast<std::uint32_t>(flags >> kLabelShift) & kMostLabels;
    if (label != 0) found |= std::uint64_t{1} << (label - 1);
  }
  const std::uint32_t atoms = registered_in(state.ids[0]).second;  // none before the program has them
  for (std::uint32_t number = 0; number < atoms; ++number) {
    if (outcomes_[outcome_of_check(state, number)].kind != Outcome::Kind::kViolation)
      found |= std::uint64_t{1} << (watch_.labels.size() + number);
  }
  if (is_over(state)) found |= std::uint64_t{1} << (watch_.labels.size() + watch_.atoms.size());
  return found;
}

/// The values of what states are compared by, and the threads with all that only they reach. As long as the
/// program has not come to where these have values, states are compared whole.
std::uint32_t Machine::match_key(StateView given, std::uint64_t* key) const {
  if (watch_.matches == 0) return TransitionSystem::match_key(given, key);
  const std::lock_guard guard(mutex_);
  ids_of(given.data(), length_of(given), checked_);
  const StateIds& state = checked_;
  std::uint32_t length = 0;
  key[length++] = ~std::uint64_t{0};  // no state begins so
  const std::uint32_t atoms = registered_in(state.ids[0]).second;
  bool is_known = atoms != 0;
  for (std::uint32_t number = atoms - (is_known ? watch_.matches : 0); is_known && number < atoms; ++number) {
    key[length] = outcomes_[outcome_of_check(state, number)].violation;
    is_known = key[length++] != 0;
  }
  if (!is_known) return TransitionSystem::match_key(given, key);
  for (std::uint32_t t = 0; t < state.threads && !watch_.matches_anywhere; ++t)
    key[length++] = state.thread(t);
  return length;
}

}  // namespace assay::languages::python
