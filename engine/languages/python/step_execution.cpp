/// Steps executed and written down.
#include <algorithm>
#include <utility>

#include "languages/python/interpreter.hpp"
#include "languages/python/step_world.hpp"

namespace assay::languages::python {
namespace {

constexpr std::uint32_t kNoLimit = 0xFFFFFFFFu;
const std::string kTextsAssumption = "texts ";  // that the program compiles none but those it is known to
constexpr char kBetweenTexts = '\x1f';

/// Takes the exception that is set in CPython, and shows it.
std::string error_text() {
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  const Ref kept_type = Ref::steal(type), kept_value = Ref::steal(value),
            kept_traceback = Ref::steal(traceback);
  const Ref text = Ref::steal(value == nullptr ? nullptr : PyObject_Repr(value));
  PyErr_Clear();
  return text ? text_if_any(text.get()) : "an unknown error";
}

}  // namespace

std::uint32_t StepWorld::violation_code(Violation violation) {
  for (std::size_t i = 0; i < violations.size(); ++i) {
    const Violation& known = violations[i];
    if (known.kind == violation.kind && known.message == violation.message && known.file == violation.file &&
        known.line == violation.line) {
      return static_cast<std::uint32_t>(i + 1);
    }
  }
  violations.push_back(std::move(violation));
  return static_cast<std::uint32_t>(violations.size());
}

Violation StepWorld::violation_of_failure() const {
  Violation found{failure.kind, failure.message, "", 0, failure.traceback};
  for (auto at = failure.traceback.rbegin(); at != failure.traceback.rend(); ++at) {
    const Module& module = program->modules[at->first->module];
    if (found.file.empty() || !module.is_library) {
      found.file = module.file;
      found.line =
          at->first->positions[std::min<std::size_t>(at->second, at->first->positions.size() - 1)].line;
    }
    if (!module.is_library) break;
  }
  return found;
}

StateIds StepWorld::first_state() {
  StateIds empty;
  begin_step(empty, {});
  thread_count_ = 1;
  const Thread main = make_main_thread(*this);
  StateIds state;
  for (std::uint32_t fixed = 0; fixed < heap.fixed_count(); ++fixed)
    state.ids.push_back(heap.write_fixed(fixed));
  state.fixed = static_cast<std::uint32_t>(state.ids.size());
  state.threads = 1;
  state.ids.push_back(heap.write_thread(main));
  first_ids_ = state.ids;
  return state;
}

Outcome StepWorld::execute(const StateIds& state, std::uint32_t thread,
                           const std::vector<std::uint32_t>& choices) {
  events.clear();
  touched_objects_.assign(state.objects(), 0);
  touched_fixed_.assign(state.fixed, 0);
  synchronisation_limit_ = kNoLimit;
  choices_known_ = 0;
  divided_.clear();
  cut_at = 0;
  World* const outer = std::exchange(current_world(), this);
  struct Restore {
    World* world;
    ~Restore() {
      current_world() = world;
      current_thread() = nullptr;
    }
  } restore{outer};
  const auto start_again = [&] {
    choices_known_ = std::max(choices_known_, choices_made_);
    for (std::uint32_t slot : written_objects_) heap.forget_object(slot);
    for (std::uint32_t fixed : written_fixed_) heap.forget_fixed(fixed);
  };
  for (;;) {
    thread_ = nullptr;
    frame_ = nullptr;
    begin_step(state, choices);
    Thread live;  // outlives the attempt: the place of a problem is found in its frames
    try {
      heap.load(state);
      live = heap.read_thread(state.thread(thread));
      live.label = 0;
      live.goes_on = false;
      if (distrusts) heap.audit(live);
      thread_ = &live;
      frame_ = nullptr;
      current_thread() = &live;
      const std::vector<bool> started_before = module_started, finished_before = module_finished;
      const Stop stop = run(*this, live);
      require_texts();
      frame_ = live.frames.empty() ? nullptr : live.frames.back().get();
      if (module_started != started_before || module_finished != finished_before)
        write_statics();  // an import
      if (stop == Stop::kBlocked && is_single() && synchronisations_ > (begins_by_synchronising_ ? 1u : 0u)) {
        // Alone, much runs in one step; it ends before the operation that has to wait.
        synchronisation_limit_ = synchronisations_ - 1;
        start_again();
        continue;
      }
      if (stop == Stop::kFailed && awaits_ends_ && cut_at == 0 && last_open > 1) {
        // Something whose end somebody waits for may have gone away before: the state in which it fails is looked at.
        cut_at = last_open;
        start_again();
        continue;
      }
      Outcome outcome = written_down(state, thread, live, stop);
      if (keeps_blocked && stop == Stop::kBlocked) blocked = std::move(live);
      thread_ = nullptr;
      frame_ = nullptr;
      return outcome;
    } catch (const Divided&) {
      start_again();
    } catch (const Unsupported& problem) {
      require_texts();
      const std::string where = place();
      thread_ = nullptr;
      frame_ = nullptr;
      throw UnsupportedProgram(where + ": " + problem.what());
    } catch (const PythonError&) {
      const std::string where = place();
      thread_ = nullptr;
      frame_ = nullptr;
      throw std::runtime_error("internal: " + where + ": " + error_text());
    }
  }
}

void StepWorld::require_texts() const {
  if (lacking_texts.empty()) return;
  std::string assumption = kTextsAssumption;
  for (const std::string& text : lacking_texts) {
    if (assumption.size() > kTextsAssumption.size()) assumption += kBetweenTexts;
    assumption += text;
  }
  throw NotFinal(assumption);
}

void StepWorld::check_untouched(const StateIds& state) {
  for (std::uint32_t slot = 0; slot < state.objects(); ++slot) {
    // What its loop goes over was reshaped: that is told to the state as a whole.
    if (is_iterator(heap.living(slot)) && !is_written_object_[slot]) continue;
    if (!is_written_object_[slot] && heap.write_object(slot) != state.object(slot)) {
      throw std::runtime_error(std::string("internal: a step wrote an object without saying so: ") +
                               Py_TYPE(heap.living(slot))->tp_name);
    }
  }
  for (std::uint32_t fixed = 0; fixed < state.fixed; ++fixed) {
    if (!is_written_fixed_[fixed] && heap.write_fixed(fixed) != state.ids[fixed]) {
      throw std::runtime_error("internal: a step wrote a variable without saying so: " +
                               heap.name_of_fixed(fixed));
    }
  }
}

Outcome StepWorld::written_down(const StateIds& state, std::uint32_t thread, Thread& live, Stop stop) {
  Outcome outcome;
  const auto forget = [&] {
    for (std::uint32_t slot : written_objects_) heap.forget_object(slot);
    for (std::uint32_t fixed : written_fixed_) heap.forget_fixed(fixed);
  };
  switch (stop) {
    case Stop::kBlocked: outcome.kind = Outcome::Kind::kBlocked; break;
    case Stop::kCut: outcome.kind = Outcome::Kind::kCut; break;
    case Stop::kFailed:
      outcome.kind = Outcome::Kind::kViolation;
      outcome.violation = violation_code(violation_of_failure());
      break;
    case Stop::kFinished:
    case Stop::kVisible:
    case Stop::kLong: break;
  }
  outcome.accesses = accesses_;
  if (outcome.kind != Outcome::Kind::kState) {
    forget();
    return outcome;
  }
  if (distrusts) check_untouched(state);
  const Components& components = heap.components;
  const auto same_refs = [&](ComponentId a, ComponentId b) {
    const auto x = components.refs(a), y = components.refs(b);
    return std::equal(x.begin(), x.end(), y.begin(), y.end());
  };
  std::sort(written_fixed_.begin(), written_fixed_.end());
  std::sort(written_objects_.begin(), written_objects_.end());
  for (std::uint32_t fixed : written_fixed_) {
    if (fixed >= state.fixed) continue;
    const ComponentId id = heap.write_fixed(fixed);
    outcome.fixed.emplace_back(fixed, id);
    outcome.changes_structure |= !same_refs(state.ids[fixed], id);
  }
  // Classes that only other states have are none of this one's business.
  for (std::uint32_t fixed = state.fixed; fixed < heap.fixed_in_loaded_state(); ++fixed) {
    outcome.new_fixed.push_back(heap.write_fixed(fixed));
  }
  for (std::uint32_t slot : written_objects_) {
    const ComponentId id = heap.write_object(slot);
    outcome.objects.emplace_back(slot, id);
    outcome.changes_structure |= !same_refs(state.object(slot), id);
  }
  for (PyObject* container : mutations.changed()) {
    const std::uint32_t slot = heap.slot(container);
    if (slot < state.objects()) outcome.reshaped.push_back(slot);
  }
  std::sort(outcome.reshaped.begin(), outcome.reshaped.end());
  for (const Started& start : started) outcome.started.push_back(heap.write_new_thread(start.thread));
  outcome.fresh = heap.write_fresh();
  // Objects that become shared are numbered after those that are, so what refers to them depends on how many these are.
  if (!outcome.fresh.empty()) events.push_back({Event::Kind::kObjectCount, 0, state.objects()});
  if (stop == Stop::kFinished) {
    // It stays in its place while others know it, so that nothing else has to move.
    live.frames.clear();
    live.daemon = false;
    live.atomic = 0;
    live.label = 0;
    live.goes_on = false;
    outcome.thread = heap.write_thread(live);
    outcome.is_finished = !components.is_ended(outcome.thread) || components.refs(outcome.thread).empty();
  } else {
    outcome.thread = heap.write_thread(live);
    outcome.changes_structure |= !same_refs(state.thread(thread), outcome.thread);
  }
  outcome.changes_structure |= stop == Stop::kFinished || !outcome.started.empty() ||
                               !outcome.fresh.empty() || !outcome.new_fixed.empty();
  forget();
  started.clear();
  return outcome;
}

namespace {

/// What a property must not do, if it ended in the middle of its work.
Unsupported not_for_properties(Stop stop) {
  switch (stop) {
    case Stop::kBlocked: return Unsupported("a property waits; ask without waiting, or with a timeout of 0");
    case Stop::kCut: return Unsupported("a property assumes something");
    default: return Unsupported("a property ends the program");
  }
}

}  // namespace

/// Of the text that a value is told by; 0 for none, as long as its names are not bound.
std::uint32_t StepWorld::number_of_value(PyObject* text) {
  const char* const words = PyUnicode_AsUTF8(text);
  if (words == nullptr) throw PythonError();
  if (*words == '\0') return 0;
  return values_.try_emplace(words, static_cast<std::uint32_t>(values_.size() + 1)).first->second;
}

Outcome StepWorld::check(const StateIds& state, std::uint32_t number) {
  events.clear();
  touched_objects_.assign(state.objects(), 0);
  touched_fixed_.assign(state.fixed, 0);
  begin_step(state, {});
  struct Checking {
    explicit Checking(StepWorld& checking)
        : world(checking), outer(std::exchange(current_world(), &checking)) {}
    Checking(const Checking&) = delete;
    Checking& operator=(const Checking&) = delete;
    ~Checking() {
      world.is_checking_ = false;
      world.thread_ = nullptr;
      world.frame_ = nullptr;
      current_world() = outer;
      current_thread() = nullptr;
    }
    StepWorld& world;
    World* outer;
  } const checking(*this);
  Outcome outcome;
  try {
    heap.load(state);
  } catch (const Unsupported& problem) {
    throw UnsupportedProgram("property " + std::to_string(number) +
                             " is asked of a state: " + problem.what());
  } catch (const PythonError&) {
    throw std::runtime_error("internal: property " + std::to_string(number) +
                             " is asked of a state: " + error_text());
  }
  is_checking_ = true;
  Thread thread;
  thread_ = &thread;
  current_thread() = &thread;
  const Invariant invariant = heap.invariants.at(number);
  const bool is_atom = number < heap.atoms;
  Violation violation{"invariant", invariant.name, "", 0, {}};
  violation.property = invariant.name;
  if (is_function(invariant.function.get())) {
    const Code& code = *reinterpret_cast<Function*>(invariant.function.get())->code;
    violation.file = program->modules[code.module].file;
    violation.line = code.first_line;
  }
  const auto refused = [&](const Unsupported& problem) {
    return UnsupportedProgram(
        (is_atom ? watch_.atoms.at(number)
                 : violation.file + ":" + std::to_string(violation.line) + ": " + invariant.name) +
        ": " + problem.what());
  };
  try {
    used(invariant.function.get());
    const Ref answer = call_nested(*this, invariant.function.get(), nullptr, 0);
    if (is_atom && watch_.is_match(number)) {
      outcome.violation = number_of_value(answer.get());
      return outcome;
    }
    const int holds = PyObject_IsTrue(answer.get());
    if (holds < 0) throw PythonError();
    if (holds == 0) outcome.kind = Outcome::Kind::kViolation;
  } catch (const PythonError&) {
    const std::string raised = error_text();
    if (is_atom) throw UnsupportedProgram(watch_.atoms.at(number) + " raised " + raised + " in some state");
    violation.message += " does not hold: evaluating it raised " + raised;
    outcome.kind = Outcome::Kind::kViolation;
  } catch (const Unsupported& problem) {
    throw refused(problem);
  } catch (const NestedStop& nested) {
    throw refused(not_for_properties(nested.stop));
  }
  if (outcome.kind == Outcome::Kind::kViolation && !is_atom)
    outcome.violation = violation_code(std::move(violation));
  return outcome;
}

}  // namespace assay::languages::python
