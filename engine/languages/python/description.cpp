/// States and steps in the program's words.
#include <algorithm>

#include "languages/python/helpers.hpp"
#include "languages/python/machine.hpp"
#include "languages/python/narrator.hpp"
#include "languages/python/speaker.hpp"

namespace assay::languages::python {
namespace {

constexpr std::size_t kLines = 5000;

Ref text(const std::string& s) {
  return checked(PyUnicode_DecodeUTF8(s.data(), static_cast<Py_ssize_t>(s.size()), "replace"));
}
void put(const Ref& dict, const char* key, const Ref& value) {
  if (PyDict_SetItemString(dict.get(), key, value.get()) < 0) throw PythonError();
}
void push(const Ref& list, const Ref& value) {
  if (PyList_Append(list.get(), value.get()) < 0) throw PythonError();
}
Ref number(std::uint64_t n) { return checked(PyLong_FromUnsignedLongLong(n)); }

/// The method that a thread which waits is about to call; null if it stands before something else.
PyObject* awaited_method(const Frame& frame) {
  for (auto at = frame.stack.rbegin(); at != frame.stack.rend(); ++at) {
    if (*at && PyMethod_Check(at->get()) && is_function(PyMethod_GET_FUNCTION(at->get()))) return at->get();
  }
  return nullptr;
}

std::uint32_t line_at(const Code& code, std::uint32_t pc) {
  return code.positions.empty() ? code.first_line
                                : code.positions[std::min<std::size_t>(pc, code.positions.size() - 1)].line;
}

}  // namespace

PyObject* Machine::violation(std::uint32_t code) const {
  Ref facts = checked(PyDict_New());
  if (code == 0 || code > world_->violations.size()) {
    put(facts, "kind", text("unknown"));
    put(facts, "message", text("an unknown violation"));
    return facts.release();
  }
  const Violation& found = world_->violations[code - 1];
  put(facts, "kind", text(found.kind));
  put(facts, "message", text(found.message));
  put(facts, "property", text(found.property));
  const bool says_more = found.message != found.property;
  const std::string failing = "the invariant " + found.message + (says_more ? "" : " does not hold");
  put(facts, "last_line", text(found.property.empty() ? found.message : failing));
  put(facts, "file", found.file.empty() ? Ref::borrow(Py_None) : text(found.file));
  put(facts, "line", found.file.empty() ? Ref::borrow(Py_None) : number(found.line));
  Ref traceback = checked(PyList_New(0));
  for (const auto& [of, pc] : found.traceback) {
    push(traceback, Ref::steal(Py_BuildValue("(sIs)", program_->modules[of->module].file.c_str(),
                                             line_at(*of, pc), of->name.c_str())));
  }
  put(facts, "traceback", traceback);
  return facts.release();
}

/// A thread that waits stands where it did something last; what it waits for may come later, in the same step.
Thread Machine::where_it_waits(const StateIds& state, std::uint32_t thread) const {
  StepWorld& world = *world_;
  world.keeps_blocked = true;
  world.execute(state, thread, {});
  world.keeps_blocked = false;
  world.heap.load(state);
  if (world.blocked.frames.empty()) return world.heap.read_thread(state.thread(thread));
  return std::exchange(world.blocked, Thread());
}

PyObject* Machine::describe(const std::uint64_t* words, std::uint32_t count) const {
  const StateIds state = ids_of(words, count);
  StepWorld& world = *world_;
  const auto has_ended = [&](std::uint32_t t) { return world.heap.components.is_ended(state.thread(t)); };
  std::vector<std::uint32_t> choices, alternatives;
  std::vector<bool> waits;
  for (std::uint32_t t = 0; t < state.threads; ++t) {
    choices.clear();
    waits.push_back(!has_ended(t) &&
                    outcomes_[outcome_of(state, t, choices, alternatives)].kind == Outcome::Kind::kBlocked);
  }
  world.heap.load(state);
  Speaker speaker(world.heap);
  Narrator narrator(world.heap);
  narrator.begin(state);
  Ref threads = checked(PyList_New(0));
  for (std::uint32_t t = 0; t < state.threads; ++t) {
    if (has_ended(t)) continue;
    const Thread thread = waits[t] ? where_it_waits(state, t) : world.heap.read_thread(state.thread(t));
    Ref facts = checked(PyDict_New());
    put(facts, "name", text(speaker.thread_name(thread.identity.get(), t)));
    put(facts, "number", number(t));
    put(facts, "status", text(waits[t] ? "waiting" : "running"));
    put(facts, "daemon", Ref::borrow(thread.daemon ? Py_True : Py_False));
    Ref frames = checked(PyList_New(0));
    for (const auto& frame : thread.frames) {
      const Module& module = program_->modules[frame->code->module];
      Ref shown = checked(PyDict_New());
      put(shown, "function", text(frame->code->qualname));
      put(shown, "file", text(module.file));
      put(shown, "line", number(line_at(*frame->code, frame->pc)));
      put(shown, "library", Ref::borrow(module.is_library ? Py_True : Py_False));
      Ref locals = checked(PyDict_New());
      for (std::size_t i = 0; i < frame->locals.size(); ++i) {
        if (!frame->locals[i]) continue;
        put(locals, text_if_any(frame->code->local_names[i].get()).c_str(),
            text(speaker.repr(frame->locals[i].get())));
      }
      for (std::size_t i = 0; i < frame->cells.size() && i < frame->code->cell_names.size(); ++i) {
        put(locals, text_if_any(frame->code->cell_names[i].get()).c_str(),
            text(speaker.repr(frame->cells[i].get())));
      }
      put(shown, "locals", locals);
      push(frames, shown);
    }
    put(facts, "frames", frames);
    if (waits[t] && !thread.frames.empty()) {
      // The operation that waits is the outermost frame of the library above the user's code.
      const Frame* operation = nullptr;
      for (auto at = thread.frames.rbegin(); at != thread.frames.rend(); ++at) {
        if (!program_->modules[(*at)->code->module].is_library) break;
        operation = at->get();
      }
      // Where the user's code calls atomic code itself, there is no such frame, only the method on the stack.
      PyObject* const method = awaited_method(*thread.frames.back());
      PyObject* locked = method == nullptr ? nullptr : PyMethod_GET_SELF(method);
      PyObject* self = locked;
      std::string name = method == nullptr ? "" : Speaker::name_of(PyMethod_GET_FUNCTION(method));
      if (operation != nullptr) {
        // What a frame will not need any more is gone: the next one inside may still have it.
        for (auto at = thread.frames.rbegin(); at != thread.frames.rend(); ++at) {
          if (!(*at)->locals.empty() && (*at)->locals[0]) self = (*at)->locals[0].get();
          if (at->get() == operation) break;
        }
        name = operation->code->qualname;
      }
      Ref waiting = checked(PyDict_New());
      put(waiting, "operation", text(name));
      put(waiting, "object", text(self == nullptr ? "" : speaker.repr(self, 2)));
      put(waiting, "name", text(self == nullptr ? "" : narrator.name_of(self)));
      std::string holder;
      if (locked == nullptr) locked = self;
      if (locked != nullptr && world.heap.classes.facts(Py_TYPE(locked)).is_of_program) {
        const Ref dict = Ref::steal(PyObject_GenericGetDict(locked, nullptr));
        if (!dict) PyErr_Clear();
        PyObject* owner = dict ? PyDict_GetItemString(dict.get(), "_lock_owner") : nullptr;
        if (owner != nullptr && owner != Py_None) holder = speaker.thread_name(owner, 0);
      }
      put(waiting, "held_by", holder.empty() ? Ref::borrow(Py_None) : text(holder));
      put(facts, "waits_for", waiting);
    } else {
      put(facts, "waits_for", Ref::borrow(Py_None));
    }
    push(threads, facts);
  }
  Ref modules = checked(PyDict_New());
  for (const Module& module : program_->modules) {
    if (module.is_library) continue;
    Ref shown = checked(PyDict_New());
    for (std::size_t g = 0; g < module.global_names.size(); ++g) {
      PyObject* const value = world.globals[module.first_global + g].get();
      const std::string name = text_if_any(module.global_names[g].get());
      if (value == nullptr || is_function(value) || PyType_Check(value) || is_module(value) ||
          PyModule_Check(value) || name.starts_with("__") || PyCFunction_Check(value)) {
        continue;
      }
      put(shown, name.c_str(), text(speaker.repr(value)));
    }
    put(modules, module.name.c_str(), shown);
  }
  Ref result = checked(PyDict_New());
  put(result, "threads", threads);
  put(result, "globals", modules);
  return result.release();
}

/// What happened, in order; of each its place in the source, and texts.
Ref Machine::told(const Narrator& narrator) const {
  constexpr const char* kKinds[] = {"read", "write", "change", "does", "raises", "chooses"};
  Ref all = checked(PyList_New(0));
  for (const Happening& one : narrator.happenings()) {
    Ref facts = checked(PyDict_New());
    put(facts, "kind", text(kKinds[static_cast<std::size_t>(one.kind)]));
    put(facts, "file", text(program_->modules[one.code->module].file));
    put(facts, "line", number(line_at(*one.code, one.pc)));
    put(facts, "function", text(one.code->name));
    put(facts, "name", text(one.name));
    put(facts, "place", text(one.place));
    put(facts, "root", text(one.root));
    put(facts, "before", text(one.before));
    put(facts, "after", text(one.after));
    put(facts, "result", text(one.result));
    put(facts, "has_begun", Ref::borrow(one.has_begun ? Py_True : Py_False));
    put(facts, "is_private", Ref::borrow(one.is_private ? Py_True : Py_False));
    push(all, facts);
  }
  return all;
}

/// Comparisons and tests for truth, each as it came out last: place, left, right (None: only a test).
Ref Machine::evaluated(Narrator& narrator) const {
  Ref all = checked(PyList_New(0));
  for (const Evaluation& one : narrator.evaluations()) {
    if (one.code->positions.empty()) continue;
    const Position& at = one.code->positions[std::min<std::size_t>(one.pc, one.code->positions.size() - 1)];
    Ref left = text(narrator.speaker().repr(one.left.get()));
    Ref right = one.right ? text(narrator.speaker().repr(one.right.get())) : Ref::borrow(Py_None);
    push(all, Ref::steal(Py_BuildValue("(sIIIIOO)", program_->modules[one.code->module].file.c_str(), at.line,
                                       at.column, at.end_line, at.end_column, left.get(), right.get())));
  }
  return all;
}

PyObject* Machine::explain(const std::uint64_t* words, std::uint32_t count, std::uint32_t position) const {
  const StateIds state = ids_of(words, count);
  std::vector<Step> all;
  steps(state, all);
  keep_who_goes_on(state, all);
  if (all.empty()) throw std::runtime_error("internal: no such step");
  // Past the last one stands the data race, which is no step of its own.
  const Step& step = all[std::min<std::size_t>(position, all.size() - 1)];
  StepWorld& world = *world_;
  world.heap.load(state);
  Narrator narrator(world.heap);
  narrator.begin(state);
  world.records_lines = world.keep_output = true;
  world.narrator = &narrator;
  struct Quiet {
    StepWorld& world;
    ~Quiet() {
      world.records_lines = world.keep_output = false;
      world.narrator = nullptr;
    }
  } quiet{world};
  world.execute(state, step.thread, step.choices);
  narrator.end();
  const auto lines = world.lines;
  const auto accesses = world.recorded_accesses;
  const auto values = world.recorded_values;
  const std::string output = world.output;

  Ref result = checked(PyDict_New());
  Ref shown_lines = checked(PyList_New(0));
  std::pair<const Code*, std::uint32_t> last{nullptr, 0};
  std::size_t shown = 0;
  for (const auto& [code, pc] : lines) {
    const Module& module = program_->modules[code->module];
    const std::pair<const Code*, std::uint32_t> here{code, line_at(*code, pc)};
    if (module.is_library || here == last) continue;
    last = here;
    if (shown++ >= kLines) break;
    push(shown_lines,
         Ref::steal(Py_BuildValue("(sIs)", module.file.c_str(), here.second, code->name.c_str())));
  }
  put(result, "lines", shown_lines);

  Speaker speaker(world.heap);
  Ref shown_accesses = checked(PyList_New(0));
  for (std::size_t i = 0; i < accesses.size() && i < kLines; ++i) {
    const Access& access = accesses[i];
    if (access.code == nullptr || program_->modules[access.code->module].is_library) continue;
    push(shown_accesses,
         Ref::steal(Py_BuildValue("(sIsss)", program_->modules[access.code->module].file.c_str(),
                                  line_at(*access.code, access.pc),
                                  access.is_operation ? "does"
                                  : access.is_write   ? "write"
                                                      : "read",
                                  values[i].c_str(), "")));
  }
  put(result, "accesses", shown_accesses);
  put(result, "happenings", told(narrator));
  put(result, "evaluations", evaluated(narrator));
  put(result, "output", text(output));
  world.heap.load(state);
  const Thread thread = world.heap.read_thread(state.thread(step.thread));
  put(result, "thread", text(speaker.thread_name(thread.identity.get(), step.thread)));
  put(result, "thread_number", number(step.thread));
  Ref choices = checked(PyList_New(0));
  for (std::uint32_t choice : step.choices) push(choices, number(choice));
  put(result, "choices", choices);
  const Outcome& outcome = outcomes_[step.outcome];
  put(result, "violation",
      position < all.size() && outcome.kind == Outcome::Kind::kViolation
          ? Ref::steal(violation(outcome.violation))
          : Ref::borrow(Py_None));
  return result.release();
}

PyObject* Machine::statistics() const {
  Ref facts = checked(PyDict_New());
  put(facts, "components", number(world_->heap.components.size()));
  put(facts, "longest_digested", number(longest_digested_));
  put(facts, "leaves", number(world_->heap.leaves.size()));
  put(facts, "executed_steps", number(executed_));
  put(facts, "looked_up_steps", number(looked_up_));
  put(facts, "normalised_states", number(normalised_));
  put(facts, "memo_nodes", number(memo_.size()));
  put(facts, "looked_around", number(normal_form_->looked_around()));
  return facts.release();
}

PyObject* Machine::remarks() const {
  Ref sentences = checked(PyList_New(0));
  for (const auto& [what, places] : world_->remarks) {
    std::string where;
    for (const std::string& place : places) where += (where.empty() ? "" : ", ") + place;
    push(sentences, text(where + ": " + what));
  }
  return sentences.release();
}

}  // namespace assay::languages::python
