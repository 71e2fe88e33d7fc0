/// States and steps in the program's words.
#include <algorithm>

#include "languages/python/helpers.hpp"
#include "languages/python/machine.hpp"

namespace assay::languages::python {
namespace {

constexpr int kDepth = 4;
constexpr Py_ssize_t kItems = 50;
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

std::string short_type(PyTypeObject* type) {
  const std::string name = type->tp_name;
  const std::size_t dot = name.rfind('.');
  return dot == std::string::npos ? name : name.substr(dot + 1);
}

class Speaker {
 public:
  explicit Speaker(Heap& heap) : heap_(heap) {}

  /// Like repr, but without running the program, and without addresses.
  std::string repr(PyObject* o, int depth = kDepth) {
    if (o == nullptr) return "<unset>";
    PyTypeObject* const type = Py_TYPE(o);
    if (is_function(o)) return "<function " + reinterpret_cast<Function*>(o)->code->qualname + ">";
    if (is_generator(o)) return "<generator " + reinterpret_cast<Generator*>(o)->code->qualname + ">";
    if (is_iterator(o)) return "<iterator>";
    if (is_module(o))
      return "<module " + heap_.program.modules[reinterpret_cast<ModuleObject*>(o)->module].name + ">";
    if (PyType_Check(o)) return "<class " + short_type(reinterpret_cast<PyTypeObject*>(o)) + ">";
    if (type == &PyCell_Type) return repr(PyCell_GET(o), depth);
    if (type == &PyMethod_Type) return "<method " + name_of(PyMethod_GET_FUNCTION(o)) + ">";
    const ClassFacts& facts = heap_.classes.facts(type);
    const bool is_container = type == &PyList_Type || type == &PyDict_Type || type == &PySet_Type ||
                              type == &PyTuple_Type || type == heap_.classes.deque_type() ||
                              type == &PyFrozenSet_Type;
    if (depth == 0 && (is_container || facts.is_of_program)) return "...";
    if (type == &PyList_Type || type == &PyTuple_Type || type == &PySet_Type ||
        type == heap_.classes.deque_type() || type == &PyFrozenSet_Type) {
      const Ref items =
          type == &PySet_Type || type == &PyFrozenSet_Type ? heap_.ordered(o) : checked(PySequence_List(o));
      std::string inside;
      for (Py_ssize_t i = 0; i < PyList_GET_SIZE(items.get()) && i < kItems; ++i) {
        inside += (i == 0 ? "" : ", ") + repr(PyList_GET_ITEM(items.get(), i), depth - 1);
      }
      if (PyList_GET_SIZE(items.get()) > kItems) inside += ", ...";
      if (type == &PyTuple_Type) return "(" + inside + (PyTuple_GET_SIZE(o) == 1 ? ",)" : ")");
      if (type == &PyList_Type) return "[" + inside + "]";
      if (type == &PySet_Type) return inside.empty() ? "set()" : "{" + inside + "}";
      return short_type(type) + (type == &PyFrozenSet_Type ? "({" + inside + "})" : "([" + inside + "])");
    }
    if (type == &PyDict_Type) return "{" + pairs(o, depth, ": ", false) + "}";
    if (facts.is_of_program && !facts.is_enumeration) {
      if (facts.base == Base::kException) {
        const Ref args = checked(PyObject_GetAttrString(o, "args"));
        const std::string inside = repr(args.get(), depth - 1);
        return short_type(type) + inside;
      }
      // What a library's object shows is its own business.
      std::string inside;
      if (facts.has_dict) {
        const Ref dict = checked(PyObject_GenericGetDict(o, nullptr));
        inside = pairs(dict.get(), depth, "=", true);
      }
      return short_type(type) + "(" + inside + ")";
    }
    if (heap_.leaves.find(o) || facts.base == Base::kException) {
      const Ref shown = Ref::steal(PyObject_Repr(o));
      if (shown) return text_if_any(shown.get());
      PyErr_Clear();
    }
    return "<" + short_type(type) + ">";
  }

  std::string thread_name(PyObject* identity, std::uint32_t index) {
    if (identity != nullptr && heap_.classes.facts(Py_TYPE(identity)).has_dict) {
      const Ref dict = checked(PyObject_GenericGetDict(identity, nullptr));
      for (const char* key : {"_name", "name"}) {
        PyObject* const name = PyDict_GetItemString(dict.get(), key);
        if (name != nullptr && PyUnicode_Check(name)) return text_if_any(name);
      }
    }
    return index == 0 ? "MainThread" : "Thread " + std::to_string(index);
  }

  static std::string name_of(PyObject* function) {
    return is_function(function) ? reinterpret_cast<Function*>(function)->code->qualname : std::string("?");
  }

 private:
  std::string pairs(PyObject* dict, int depth, const char* between, bool are_names) {
    std::string inside;
    PyObject *key = nullptr, *item = nullptr;
    Py_ssize_t position = 0, shown = 0;
    while (PyDict_Next(dict, &position, &key, &item) && shown++ < kItems) {
      const std::string name = are_names ? text_if_any(key) : repr(key, depth - 1);
      if (are_names && name.starts_with("__")) continue;
      inside += (inside.empty() ? "" : ", ") + name + between + repr(item, depth - 1);
    }
    return inside;
  }

  Heap& heap_;
};

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
        self = operation->locals.empty() ? nullptr : operation->locals[0].get();
        name = operation->code->qualname;
      }
      Ref waiting = checked(PyDict_New());
      put(waiting, "operation", text(name));
      put(waiting, "object", text(self == nullptr ? "" : speaker.repr(self, 2)));
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

PyObject* Machine::explain(const std::uint64_t* words, std::uint32_t count, std::uint32_t position) const {
  const StateIds state = ids_of(words, count);
  std::vector<Step> all;
  steps(state, all);
  keep_who_goes_on(state, all);
  if (all.empty()) throw std::runtime_error("internal: no such step");
  // Past the last one stands the data race, which is no step of its own.
  const Step& step = all[std::min<std::size_t>(position, all.size() - 1)];
  StepWorld& world = *world_;
  world.records_lines = world.keep_output = true;
  struct Quiet {
    StepWorld& world;
    ~Quiet() { world.records_lines = world.keep_output = false; }
  } quiet{world};
  world.execute(state, step.thread, step.choices);
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
