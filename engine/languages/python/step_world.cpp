#include "languages/python/step_world.hpp"

#include <algorithm>
#include <utility>

#include "languages/python/interpreter.hpp"
#include "languages/python/reach.hpp"
#include "languages/python/weak.hpp"

namespace assay::languages::python {
namespace {

constexpr std::uint64_t kLongestStep = 200'000'000;  // instructions; a program that needs more does not end

}  // namespace

StepWorld::StepWorld(const Program& p, Granularity granularity, Watch watch)
    : heap(p, *this), granularity_(granularity), watch_(std::move(watch)) {
  program = &p;
  awaits_ends_ = std::any_of(p.modules.begin(), p.modules.end(), [](const Module& module) {
    return module.is_library && (module.name == "weakref" || module.name == "_finalizers");
  });
  uses_dataclasses_ = std::any_of(p.codes.begin(), p.codes.end(), [](const auto& code) {
    return std::any_of(code->names.begin(), code->names.end(),
                       [](const Ref& name) { return text_if_any(name.get()) == "dataclasses"; });
  });
}

void StepWorld::begin_step(const StateIds& state, const std::vector<std::uint32_t>& choices) {
  lacking_texts.clear();
  mutations.begin_step();
  state_ = &state;
  thread_ = nullptr;
  frame_ = nullptr;
  thread_count_ = 0;
  for (std::uint32_t t = 0; t < state.threads; ++t)
    thread_count_ += heap.components.is_ended(state.thread(t)) ? 0 : 1;
  is_checking_ = has_acted_ = has_synchronised_ = is_allowed_ = has_polled_ = has_shown_ = has_looped_ =
      false;
  instructions_ = 0;
  outer_.clear();
  synchronisations_ = 0;
  begins_by_synchronising_ = false;
  choices_ = choices;
  choices_made_ = 0;
  written_objects_.clear();
  written_fixed_.clear();
  is_written_object_.assign(state.objects(), false);
  is_written_fixed_.assign(heap.fixed_count(), false);
  accesses_.clear();
  accesses_known_.clear();
  escaped_.clear();
  has_written_ = false;
  is_escape_known_ = true;
  started.clear();
  identities_made.clear();
  failure = Failure();
  output.clear();
  lines.clear();
  if (narrator != nullptr) narrator->clear();
  recorded_accesses.clear();
  recorded_values.clear();
}

void StepWorld::begin_instruction(Thread& thread, Frame& frame) {
  if (heap.is_loading) return;  // it is no instruction of the step
  thread_ = &thread;
  frame_ = &frame;
  is_allowed_ = false;
  hashes_first = false;
  if (outer_.empty()) choices_before_ = choices_made_;
  if (std::exchange(has_written_, false)) is_escape_known_ = false;
  if (++instructions_ > kLongestStep) {
    throw Unsupported("more than " + std::to_string(kLongestStep) + " instructions without a visible one");
  }
  if (records_lines) lines.emplace_back(frame.code, frame.pc);
  if (is_narrated()) narrator->instruction(thread, frame);
  if (!program->modules[frame.code->module].is_library) last_place_ = {frame.code, frame.pc};
}

/// Whether what runs stands for C code, in which nobody is interrupted.
bool StepWorld::is_standing_in() const { return frame_ != nullptr && frame_->code->stands_in; }

/// Whether a built-in has called what runs: a step cannot end there.
bool StepWorld::is_nested() const {
  return thread_ != nullptr &&
         std::any_of(thread_->frames.begin(), thread_->frames.end(),
                     [](const auto& frame) { return frame->on_return == Return::kNested; });
}

/// Whether the instruction that runs is inside of something that has no states in between.
bool StepWorld::is_in_one_piece() const {
  return thread_ == nullptr || thread_->atomic > 0 || is_standing_in() || is_nested();
}

/// The instruction that runs changes something that an atom may read.
void StepWorld::shows() {
  if (heap.atoms == 0 || heap.is_loading || is_checking_) return;
  if (has_shown_ && !is_allowed_ && is_nested()) {
    throw Unsupported(
        "a function that a built-in calls changes what formulas may read, more than once; write the loop "
        "yourself, or change it inside `with assay.atomic()`");
  }
  has_shown_ = true;
}

void StepWorld::poll() { has_polled_ |= !is_standing_in(); }

void StepWorld::loop() {
  poll();
  has_looped_ = true;
}

void StepWorld::enters(const Code& function) {
  // With the granularity of bytecode others may come in before C code begins; it never looks whether they want to.
  has_polled_ |= !function.stands_in || (granularity_ == Granularity::kBytecode && !is_standing_in());
}

void StepWorld::comes_back(const Code& function, const Code& caller, bool was_called) {
  if (function.stands_in == caller.stands_in) return;
  has_polled_ |= granularity_ == Granularity::kBytecode || (function.stands_in && was_called);
}

bool StepWorld::knows_identities() const {
  if (instructions_ <= 1 || heap.is_loading) return true;
  if (is_beginning()) return reaches_identities();
  // Where a step can end, it ends, whatever the search has seen before.
  if (thread_ == nullptr || (!is_checking_ && !(thread_->atomic > 0 || is_nested()))) return false;
  if (!is_checking_ && heap.components.has_weak()) return false;
  return std::all_of(identities_made.begin(), identities_made.end(),
                     [&](const Ref& identity) { return is_held(object_of_weak(identity.get())); });
}

/// In the first step everything that the program has lives, and what nothing leads to is gone.
bool StepWorld::reaches_identities() const {
  if (identities_made.empty()) return true;
  Reach reach;
  const auto add = [&](PyObject* object) {
    if (object != nullptr && reach.seen.insert(object).second) reach.pending.push_back(object);
  };
  const auto add_all = [&](const std::vector<Ref>& values) {
    for (const Ref& value : values) add(value.get());
  };
  add_all(globals);
  for (const auto& frame : thread_->frames) {
    add_all(frame->locals);
    add_all(frame->cells);
    add_all(frame->stack);
  }
  for (std::size_t next = 0; next < reach.pending.size(); ++next) {
    PyObject* const object = reach.pending[next];
    const traverseproc traverse = Py_TYPE(object)->tp_traverse;
    if (traverse == nullptr || !PyObject_IS_GC(object) || is_weak(object)) continue;
    // Classes, too, hold objects.
    const auto found = [](PyObject* part, void* context) {
      auto* const known = static_cast<Reach*>(context);
      if (part != nullptr && known->seen.insert(part).second) known->pending.push_back(part);
      return 0;
    };
    traverse(object, found, &reach);
  }
  return std::all_of(identities_made.begin(), identities_made.end(), [&](const Ref& identity) {
    return reach.seen.contains(object_of_weak(identity.get()));
  });
}

bool StepWorld::is_held(PyObject* object) const {
  const auto holds = [object](const std::vector<Ref>& values) {
    return std::any_of(values.begin(), values.end(), [object](const Ref& value) {
      return value.get() == object ||
             (value && PyCell_Check(value.get()) && PyCell_GET(value.get()) == object);
    });
  };
  if (is_beginning() && holds(globals)) return true;  // later, they would have to be asked for
  return thread_ != nullptr &&
         std::any_of(thread_->frames.begin(), thread_->frames.end(), [&](const auto& frame) {
           return holds(frame->locals) || holds(frame->cells) || holds(frame->stack);
         });
}

void StepWorld::refuse_kept_hash() const {
  if (outer_.empty() || addresses_hashed == addresses_before_) return;
  throw Unsupported(
      "a __hash__ keeps something after it has computed a number that depends on an address, which is "
      "different in each run; compute it anew each time");
}

std::string StepWorld::place() const {
  // The innermost frame of the user's own code; where there is none any more, what that did last.
  auto [code, pc] = last_place_;
  if (thread_ != nullptr) {
    for (auto at = thread_->frames.rbegin(); at != thread_->frames.rend(); ++at) {
      if (program->modules[(*at)->code->module].is_library) continue;
      code = (*at)->code;
      pc = (*at)->pc;
      break;
    }
  }
  if (code == nullptr) return "?";
  pc = std::min<std::uint32_t>(pc, static_cast<std::uint32_t>(code->positions.size()) - 1);
  return program->modules[code->module].file + ":" + std::to_string(code->positions[pc].line);
}

bool StepWorld::joins_step(const Code& operation) {
  if (!has_acted_) return false;  // then this is its visible instruction, like any other
  has_synchronised_ = true;
  if (records_lines) {
    // The place in the program where it is called from.
    for (std::size_t i = thread_->frames.size(); i-- > 0;) {
      const Frame& frame = *thread_->frames[i];
      if (program->modules[frame.code->module].is_library) continue;
      const bool is_top = i + 1 == thread_->frames.size();
      Access access{false, Event::Kind::kObject, 0,
                    0,     frame.code,           is_top || frame.pc == 0 ? frame.pc : frame.pc - 1};
      access.is_operation = true;
      recorded_accesses.push_back(access);
      recorded_values.push_back(operation.qualname);
      break;
    }
  }
  return true;
}

void StepWorld::raises(PyObject* exception, const Frame& frame, std::uint32_t at) {
  if (is_narrated()) narrator->raises(exception, frame, at);
}

void StepWorld::observes(const std::string& assumption) { throw NotFinal(assumption); }

std::uint32_t StepWorld::choose(std::uint32_t count) {
  if (is_checking_) throw Unsupported("an invariant makes a choice");
  if (count == 0) throw Unsupported("a choice among nothing");
  const std::uint32_t chosen = choices_made_ < choices_.size() ? choices_[choices_made_] : 0;
  ++choices_made_;
  if (is_narrated()) narrator->chooses(chosen, count, thread_);
  if (choices_made_ > choices_known_) events.push_back({Event::Kind::kChoice, count, chosen});
  return chosen;
}

/// CPython's order depends on hashes, addresses and what the set went through (even that of small numbers, if some
/// were removed); with few elements each is tried.
Ref StepWorld::arranged(PyObject* set) {
  constexpr Py_ssize_t kMostArranged = 4;
  constexpr std::uint32_t kArrangements[] = {1, 1, 2, 6, 24};
  Ref elements = heap.ordered(set);
  const Py_ssize_t count = PyList_GET_SIZE(elements.get());
  if (count < 2) return elements;
  if (count > kMostArranged || is_checking_) {
    remark("a set is gone through in one order only; sort it where the order matters");
    return elements;
  }
  return permutation(elements.get(), choose(kArrangements[count]));
}

void StepWorld::remark(std::string what) { remarks[std::move(what)].insert(place()); }

void StepWorld::add_invariant(Ref function, std::string name) {
  heap.invariants.push_back({std::move(function), std::move(name)});
  write_statics();
}

void StepWorld::set_atoms(const std::vector<Ref>& functions) {
  if (functions.size() != watch_.atoms.size()) throw Unsupported("atoms of formulas that nobody asked for");
  std::vector<Invariant> atoms;
  for (std::size_t i = 0; i < functions.size(); ++i) atoms.push_back({functions[i], watch_.atoms[i]});
  heap.invariants.insert(heap.invariants.begin(), atoms.begin(), atoms.end());
  heap.atoms = static_cast<std::uint32_t>(functions.size());
  write_statics();
}

bool StepWorld::may_pass_label(const std::string& name) {
  if (is_checking_) throw Unsupported("a property passes a label");
  const auto found = std::find(watch_.labels.begin(), watch_.labels.end(), name);
  if (found == watch_.labels.end() || heap.is_loading) return true;
  if (is_in_one_piece()) {
    throw Unsupported("the label '" + name +
                      "' stands where no other thread gets a turn, so no state is there; "
                      "move it out of `with assay.atomic()` or of what a built-in calls");
  }
  if (instructions_ == 1) {  // the state before this step was that of standing here
    has_acted_ = has_synchronised_ = has_shown_ = is_allowed_ = true;
    return true;
  }
  thread_->label = static_cast<std::uint32_t>(found - watch_.labels.begin()) + 1;
  return false;
}

void StepWorld::expect_repeated(const Code* body) {
  const bool is_again = body != nullptr && heap.is_class_made(body);
  if (is_again && !program->has_repeated_classes) observes("class statements that run once");
}

Ref StepWorld::class_known(const Code* body) {
  if (!is_single()) throw Unsupported("a class is made while several threads run; make it before they start");
  expect_repeated(body);
  return heap.class_known(body);
}

Ref StepWorld::class_made(Ref type, const Code* body) {
  if (!is_single()) throw Unsupported("a class is made while several threads run; make it before they start");
  expect_repeated(body);
  write_statics();
  Ref made = heap.class_made(std::move(type), body);
  // Where another state had the class before, this one may have a place for its data already.
  const std::uint32_t fixed = heap.fixed_of_class(reinterpret_cast<PyTypeObject*>(made.get()));
  if (fixed != 0 && fixed < is_written_fixed_.size() && !is_written_fixed_[fixed]) {
    is_written_fixed_[fixed] = true;
    written_fixed_.push_back(fixed);
  }
  return made;
}

Ref StepWorld::announced(Ref value) {
  if (!PyType_Check(value.get()) || heap.is_loading || heap.leaves.is_fixed(value.get()) ||
      heap.leaves.is_of_cpython(reinterpret_cast<PyTypeObject*>(value.get()))) {
    return value;
  }
  return class_made(std::move(value), nullptr);
}

bool StepWorld::is_beginning() const {
  return is_single() && choices_made_ == 0 && state_ != nullptr && state_->ids == first_ids_;
}

bool StepWorld::is_closed(PyObject* object) {
  if (PyType_Check(object) || is_module(object)) return false;
  if (heap.leaves.is_fixed(object)) return true;
  if (is_function(object)) return false;
  PyTypeObject* const type = Py_TYPE(object);
  if (is_program_type(type) && !Leaves::is_of_cpython(type)) {
    // While an enumeration is being made, its members get their attributes.
    return heap.classes.facts(type).is_enumeration && heap.leaves.is_fixed(reinterpret_cast<PyObject*>(type));
  }
  return heap.slot(object) == Heap::kNoSlot && heap.leaves.find(object).has_value();
}

bool StepWorld::is_hidden(PyObject* object) {
  return !is_plain(object) && !PyMethod_Check(object) && !is_function(object) && !is_module(object) &&
         Py_TYPE(object) != &PyDictProxy_Type && heap.slot(object) == Heap::kNoSlot &&
         !heap.leaves.find(object);
}

}  // namespace assay::languages::python
