#include "languages/python/narrator.hpp"

#include <algorithm>

#include "languages/python/helpers.hpp"
#include "languages/python/opcodes.hpp"

namespace assay::languages::python {
namespace {

constexpr std::size_t kMostNames = 20'000;
constexpr std::size_t kMostHappenings = 5'000;
constexpr Py_ssize_t kMostItems = 100;
constexpr const char* kMissing = "missing";

Operation operation_at(const Code& code, std::uint32_t pc) {
  if (code.instructions.empty()) return Operation::NOP;
  return static_cast<Operation>(code.instructions[std::min<std::size_t>(pc, code.instructions.size() - 1)] &
                                0xFF);
}

/// Below the top a frame's pc is behind the instruction that called.
std::uint32_t calling(const Frame& frame) { return frame.pc == 0 ? 0 : frame.pc - 1; }

bool has_attributes(const ClassFacts& facts) { return facts.has_dict || !facts.members.empty(); }

/// Borrowed; null if there is none.
PyObject* found_in(PyObject* dict, PyObject* key) {
  PyObject* const found = PyDict_GetItemWithError(dict, key);
  if (found == nullptr) PyErr_Clear();
  return found;
}

/// Of a method that is about to be called, its object; of anything else, itself.
PyObject* called_on(PyObject* value) {
  if (value == nullptr) return nullptr;
  if (PyMethod_Check(value)) return PyMethod_GET_SELF(value);
  if (PyCFunction_Check(value) && PyCFunction_GET_SELF(value) != nullptr) return PyCFunction_GET_SELF(value);
  return value;
}

/// Which item a loop asks its container for; empty: what runs is no loop over it.
std::string item_of_loop(const Frame& frame, PyObject* container) {
  if (operation_at(*frame.code, frame.pc) != Operation::FOR_ITER || frame.stack.empty()) return {};
  PyObject* const top = frame.stack.back().get();
  if (!is_iterator(top) || reinterpret_cast<Iterator*>(top)->container != container) return {};
  return "item " + std::to_string(reinterpret_cast<Iterator*>(top)->index);
}

}  // namespace

void Narrator::begin(const StateIds& state) {
  names_.clear();
  named_.clear();
  threads_.clear();
  looked_into_ = 0;
  clear();
  // What is bound once names its objects best: a loop's variable is soon another's.
  for (const bool is_final : {true, false}) {
    for (const Module& module : heap_.program.modules) {
      if (module.is_library) continue;
      for (std::size_t i = 0; i < module.global_names.size(); ++i) {
        const auto number = module.first_global + static_cast<std::uint32_t>(i);
        PyObject* const value = heap_.globals[number].get();
        // A class is called what it calls itself, wherever it was imported to.
        const std::string name = value != nullptr && PyType_Check(value)
                                     ? Speaker::short_type(reinterpret_cast<PyTypeObject*>(value))
                                     : global_name(number);
        if (name.starts_with("__") || (heap_.fixed_of_global(number) == 0) != is_final) continue;
        add_name(value, {name, ""});
      }
    }
    name_what_is_reached();
  }
  for (std::uint32_t t = 0; t < state.threads; ++t) {
    if (heap_.components.is_ended(state.thread(t))) continue;
    threads_.push_back(heap_.read_thread(state.thread(t)));
    name_locals(threads_.back(), speaker_.thread_name(threads_.back().identity.get(), t));
  }
}

void Narrator::name_locals(const Thread& thread, const std::string& root) {
  for (const auto& frame : thread.frames) {
    if (!is_own(*frame->code)) continue;
    // Cells before the functions that have them too.
    for (std::size_t i = 0; i < frame->cells.size(); ++i) {
      const std::size_t own = frame->code->cell_names.size();
      const Ref& name = i < own ? frame->code->cell_names[i] : frame->code->free_names[i - own];
      add_name(frame->cells[i].get(), {text_if_any(name.get()), root});
      name_what_is_reached();
    }
    for (std::size_t i = 0; i < frame->locals.size(); ++i) {
      add_name(frame->locals[i].get(), {text_if_any(frame->code->local_names[i].get()), root});
      name_what_is_reached();  // a list before the variable of a loop over it
    }
  }
}

void Narrator::name_what_is_reached() {
  for (; looked_into_ < named_.size() && named_.size() < kMostNames; ++looked_into_) {
    const Name name = names_.at(named_[looked_into_]);
    name_what_is_inside(named_[looked_into_], name);
  }
}

/// The first name that is found stays: the shortest, because they are found breadth first.
void Narrator::add_name(PyObject* object, Name name) {
  if (object == nullptr || is_module(object)) return;
  if (is_function(object) && reinterpret_cast<Function*>(object)->closure == nullptr) return;
  if (PyType_Check(object) ? !is_program_type(reinterpret_cast<PyTypeObject*>(object)) : is_plain(object))
    return;
  if (names_.emplace(object, std::move(name)).second) named_.push_back(object);
}

void Narrator::name_what_is_inside(PyObject* object, const Name& name) {
  PyTypeObject* const type = Py_TYPE(object);
  PyObject *key = nullptr, *item = nullptr;
  Py_ssize_t position = 0;
  if (type == &PyCell_Type) {
    add_name(PyCell_GET(object), name);
  } else if (is_function(object)) {
    // Its cells are called what the function calls them; whose they are tells two functions of one `def` apart.
    const auto* const function = reinterpret_cast<Function*>(object);
    const auto& names = function->code->free_names;
    const std::string owner = name.root.empty() ? name.path : name.root + "." + name.path;
    for (std::size_t i = 0; i < names.size(); ++i)
      add_name(PyTuple_GET_ITEM(function->closure, static_cast<Py_ssize_t>(i)),
               {text_if_any(names[i].get()), owner});
  } else if (PyDict_Check(object) && speaker_.is_container(object)) {
    for (Py_ssize_t i = 0; i < kMostItems && PyDict_Next(object, &position, &key, &item) != 0; ++i)
      add_name(item, {name.path + "[" + speaker_.repr(key, 1) + "]", name.root});
  } else if (type == &PyList_Type || type == &PyTuple_Type) {
    for (Py_ssize_t i = 0; i < kMostItems && i < PySequence_Fast_GET_SIZE(object); ++i)
      add_name(PySequence_Fast_GET_ITEM(object, i), {name.path + "[" + std::to_string(i) + "]", name.root});
  } else if (PyType_Check(object)) {
    auto* const made = reinterpret_cast<PyTypeObject*>(object);
    for (; made->tp_dict != nullptr && PyDict_Next(made->tp_dict, &position, &key, &item) != 0;) {
      if (Classes::role(key, item) == Entry::kData)
        add_name(item, {name.path + "." + text_if_any(key), name.root});
    }
  } else if (heap_.classes.facts(type).is_of_program && has_attributes(heap_.classes.facts(type))) {
    const Ref dict = attributes_of(object);
    const bool is_library = speaker_.is_of_library(type);
    while (dict && PyDict_Next(dict.get(), &position, &key, &item) != 0) {
      const std::string attribute = text_if_any(key);
      if (is_library && attribute.starts_with("_")) continue;
      add_name(item, {name.path + "." + attribute, name.root});
    }
  }
}

std::string Narrator::name_of(PyObject* object) const {
  const auto found = names_.find(object);
  return found == names_.end() ? std::string() : found->second.path;
}

std::string Narrator::global_name(std::uint32_t number) const {
  const auto& modules = heap_.program.modules;
  for (std::size_t i = 0; i < modules.size(); ++i) {
    const Module& module = modules[i];
    if (number < module.first_global || number >= module.first_global + module.global_names.size()) continue;
    const std::string name = text_if_any(module.global_names[number - module.first_global].get());
    return i == 0 ? name : module.name + "." + name;
  }
  return "?";
}

void Narrator::clear() {
  happenings_.clear();
  pending_.clear();
  evaluations_.clear();
  instructions_ = 0;
  last_raised_ = nullptr;
  operation_ = nullptr;
  operated_on_ = Ref();
  held_.clear();
}

std::pair<const Code*, std::uint32_t> Narrator::place_of(const Thread* thread) const {
  if (thread == nullptr) return {nullptr, 0};
  for (std::size_t i = thread->frames.size(); i-- > 0;) {
    const Frame& frame = *thread->frames[i];
    const bool is_top = i + 1 == thread->frames.size();
    if (is_own(*frame.code)) return {frame.code, is_top ? frame.pc : calling(frame)};
    if (!frame.code->stands_in) break;
  }
  return {nullptr, 0};
}

void Narrator::instruction(const Thread& thread, const Frame& frame) {
  settle();
  is_in_closure_ = false;
  if (instructions_++ == 0) {  // objects of this thread alone are others than when the state was looked at
    name_locals(thread, speaker_.thread_name(thread.identity.get(), 0));
    for (const auto& one : thread.frames) {
      if (!is_own(*one->code)) continue;
      for (const Ref& value : one->stack) held_.push_back(Ref::borrow(called_on(value.get())));
    }
  }
  std::size_t own = thread.frames.size();
  while (own > 0 && !is_own(*thread.frames[own - 1]->code)) --own;
  if (own == thread.frames.size()) {
    close_operation(&thread);
    const Operation operation = operation_at(*frame.code, frame.pc);
    const bool compares = operation == Operation::COMPARE && frame.stack.size() >= 2;
    const bool tests =
        (operation == Operation::POP_JUMP_IF_FALSE || operation == Operation::POP_JUMP_IF_TRUE ||
         operation == Operation::JUMP_IF_FALSE_OR_POP || operation == Operation::JUMP_IF_TRUE_OR_POP) &&
        !frame.stack.empty();
    if (compares || tests) {
      Evaluation& told = evaluations_[{frame.code, frame.pc}];
      const std::size_t top = frame.stack.size() - 1;
      told = {frame.code, frame.pc, frame.stack[compares ? top - 1 : top],
              compares ? frame.stack[top] : Ref(), instructions_};
    }
    return;
  }
  if (own == 0) return;
  const Frame& operation = *thread.frames[own];
  if (operation.code->stands_in || operation_ == &operation) return;
  close_operation(nullptr);
  const Frame& caller = *thread.frames[own - 1];
  operated_on_ = operation.locals.empty() ? Ref() : operation.locals[0];
  Happening told(Happening::Kind::kOperation, caller.code, calling(caller));
  told.name = operation_name(*operation.code);
  told.has_begun = instructions_ == 1;
  if (operated_on_ && (is_program_type(Py_TYPE(operated_on_.get())) || names_.contains(operated_on_.get()))) {
    if (const auto found = names_.find(operated_on_.get()); found != names_.end()) {
      told.place = found->second.path;
      told.root = found->second.root;
    }
    told.before = speaker_.repr(operated_on_.get());
  } else {
    operated_on_ = Ref();
  }
  operation_ = &operation;
  operation_told_ = happenings_.size();
  returns_to_ = caller.pc;
  pushes_result_ = operation.on_return == Return::kPush;
  if (happenings_.size() < kMostHappenings) happenings_.push_back(std::move(told));
}

/// What is written in Python for the machine in place of a method stands outside of its class, as `TYPE_METHOD`.
std::string Narrator::operation_name(const Code& code) const {
  const std::string& module = heap_.program.modules[code.module].name;
  const std::size_t gap = code.qualname.find('_', 1);
  if ((module != "_library_functions" && module != "_builtins") || gap == std::string::npos)
    return code.qualname;
  return code.qualname.substr(0, gap) + "." + code.qualname.substr(gap + 1);
}

/// `thread`: the program's code goes on; null: something else does.
void Narrator::close_operation(const Thread* thread) {
  if (operation_ == nullptr) return;
  operation_ = nullptr;
  const Ref object = std::move(operated_on_);
  operated_on_ = Ref();
  if (operation_told_ >= happenings_.size()) return;
  Happening& told = happenings_[operation_told_];
  if (object) told.after = speaker_.repr(object.get());
  if (thread == nullptr || !pushes_result_) return;
  const Frame& frame = *thread->frames.back();
  if (frame.pc == returns_to_ && !frame.stack.empty()) told.result = speaker_.repr(frame.stack.back().get());
}

std::string Narrator::value_of(const Target& target) {
  if (target.global != kNoGlobal) {
    PyObject* const value = heap_.globals[target.global].get();
    return value == nullptr ? kMissing : speaker_.repr(value);
  }
  PyObject* const object = target.object.get();
  PyObject* const detail = target.detail.get();
  PyTypeObject* const type = Py_TYPE(object);
  if (type == &PyCell_Type)
    return PyCell_GET(object) == nullptr ? kMissing : speaker_.repr(PyCell_GET(object));
  if (PyType_Check(object)) {
    PyObject* const value =
        detail == nullptr ? nullptr : found_in(reinterpret_cast<PyTypeObject*>(object)->tp_dict, detail);
    return value == nullptr ? "" : speaker_.repr(value);
  }
  const bool is_container = speaker_.is_container(object) && target.part == Part::kItem;
  if (detail == nullptr) return is_container ? speaker_.repr(object) : "";
  if (is_container && PyDict_Check(object)) {
    if (!is_plain(detail)) return "";
    PyObject* const value = found_in(object, detail);
    return value == nullptr ? kMissing : speaker_.repr(value);
  }
  if (is_container && !PyAnySet_Check(object)) {
    if (!PyLong_Check(detail)) return speaker_.repr(object);
    // What the built-in type holds: a class that extends it may have its own idea of its items.
    const Base base = heap_.classes.facts(type).base;
    PyTypeObject* const native = base == Base::kList    ? &PyList_Type
                                 : base == Base::kTuple ? &PyTuple_Type
                                                        : heap_.classes.deque_type();
    Py_ssize_t index = PyLong_AsSsize_t(detail);
    const Py_ssize_t size = native->tp_as_sequence->sq_length(object);
    if (index < 0) index += size;
    PyErr_Clear();
    const Ref value =
        index < 0 || index >= size ? Ref() : Ref::steal(native->tp_as_sequence->sq_item(object, index));
    if (!value) PyErr_Clear();
    return value ? speaker_.repr(value.get()) : kMissing;
  }
  if (is_container) return speaker_.repr(object);
  const Ref dict = attributes_of(object);
  PyObject* const value = dict ? found_in(dict.get(), detail) : nullptr;
  return value == nullptr ? (dict ? kMissing : "") : speaker_.repr(value);
}

void Narrator::tell(Happening told, Target target) {
  if (happenings_.size() >= kMostHappenings) return;
  told.before = value_of(target);
  if (told.kind == Happening::Kind::kWrite || told.kind == Happening::Kind::kChange)
    pending_.emplace_back(happenings_.size(), std::move(target));
  happenings_.push_back(std::move(told));
}

void Narrator::access(bool is_write, PyObject* object, PyObject* detail, Part part, const Thread* thread) {
  if (is_iterator(object) || is_generator(object) || is_function(object)) return;
  const auto [code, pc] = place_of(thread);
  if (code == nullptr) return;
  const bool is_attribute = part == Part::kAttribute && detail != nullptr && !PyType_Check(object);
  if (is_attribute && !is_write && _PyType_Lookup(Py_TYPE(object), detail) != nullptr) {
    const Ref own = attributes_of(object);
    if (!own || found_in(own.get(), detail) == nullptr) return;  // a method of its class
  }
  Happening told(is_write ? Happening::Kind::kWrite : Happening::Kind::kRead, code, pc);
  if (detail == nullptr && PyDict_Check(object) && is_own(*thread->frames.back()->code)) {
    // A key that is new, or goes, changes all of the dict; the reader wants to know which.
    const Operation operation = operation_at(*code, pc);
    const auto& stack = thread->frames.back()->stack;
    if ((operation == Operation::STORE_SUBSCR || operation == Operation::DELETE_SUBSCR) && !stack.empty() &&
        is_plain(stack.back().get())) {
      detail = stack.back().get();
    }
  }
  if (!is_write && detail == nullptr) told.result = item_of_loop(*thread->frames.back(), object);
  const auto found = names_.find(object);
  std::string name = found != names_.end() ? found->second.path : Speaker::short_type(Py_TYPE(object));
  if (PyType_Check(object)) name = Speaker::short_type(reinterpret_cast<PyTypeObject*>(object));
  const bool is_cell = Py_TYPE(object) == &PyCell_Type;
  const Operation at = operation_at(*code, pc);
  const bool names_cell =
      at == Operation::LOAD_DEREF || at == Operation::STORE_DEREF || at == Operation::DELETE_DEREF;
  // A built-in that was given a function could call it, so all that the function has counts as read. It does not
  // look into it itself, and what it finds is told last.
  is_in_closure_ |= is_cell && !names_cell;
  if (is_in_closure_ && !is_write) return;
  if (is_cell) {  // as the function that runs calls it
    const std::uint32_t number = code->instructions.empty() ? 0 : code->instructions[pc] >> 8;
    const std::size_t own = code->cell_names.size();
    if (names_cell && number < own + code->free_names.size())
      name = text_if_any((number < own ? code->cell_names[number] : code->free_names[number - own]).get());
  } else if (detail != nullptr) {
    const bool is_item = !is_attribute && speaker_.is_container(object);
    if (is_item && (PySlice_Check(detail) || PyAnySet_Check(object)))
      detail = nullptr;
    else if (is_item)
      name += "[" + speaker_.repr(detail, 1) + "]";
    else
      name += "." + text_if_any(detail);
  }
  if (is_write && detail == nullptr && !is_cell) told.kind = Happening::Kind::kChange;
  told.name = name;
  if (found != names_.end() || PyType_Check(object)) {
    told.place = name;
    if (found != names_.end()) told.root = found->second.root;
  }
  tell(std::move(told), {Ref::borrow(object), detail == nullptr ? Ref() : Ref::borrow(detail),
                         is_attribute ? Part::kAttribute : Part::kItem});
}

void Narrator::private_access(bool is_write, PyObject* object, PyObject* detail, Part part,
                              const Thread* thread) {
  const bool is_held =
      std::any_of(held_.begin(), held_.end(), [&](const Ref& one) { return one.get() == object; });
  if (!is_held && !names_.contains(object)) return;
  const std::size_t before = happenings_.size();
  access(is_write, object, detail, part, thread);
  if (happenings_.size() > before) happenings_.back().is_private = true;
}

void Narrator::global(bool is_write, std::uint32_t number, const Thread* thread) {
  const auto [code, pc] = place_of(thread);
  const auto& modules = heap_.program.modules;
  const bool is_of_program = std::any_of(modules.begin(), modules.end(), [&](const Module& module) {
    return !module.is_library && number >= module.first_global &&
           number < module.first_global + module.global_names.size();
  });
  if (code == nullptr || !is_of_program) return;
  Happening told(is_write ? Happening::Kind::kWrite : Happening::Kind::kRead, code, pc);
  told.name = told.place = global_name(number);
  Target target;
  target.global = number;
  tell(std::move(told), std::move(target));
}

void Narrator::raises(PyObject* exception, const Frame& frame, std::uint32_t at) {
  if (!is_own(*frame.code) || exception == last_raised_) return;
  if (PyErr_GivenExceptionMatches(exception, PyExc_StopIteration) != 0 ||
      PyErr_GivenExceptionMatches(exception, PyExc_GeneratorExit) != 0) {
    return;
  }
  settle();
  last_raised_ = exception;
  Happening told(Happening::Kind::kRaise, frame.code, at);
  told.name = speaker_.exception(exception);
  if (happenings_.size() < kMostHappenings) happenings_.push_back(std::move(told));
}

void Narrator::chooses(std::uint32_t chosen, std::uint32_t count, const Thread* thread) {
  if (thread == nullptr) return;
  for (std::size_t i = thread->frames.size(); i-- > 0;) {
    const Frame& frame = *thread->frames[i];
    if (!is_own(*frame.code)) continue;
    const bool is_top = i + 1 == thread->frames.size();
    Happening told(Happening::Kind::kChoice, frame.code, is_top ? frame.pc : calling(frame));
    told.name = std::to_string(chosen + 1) + " of " + std::to_string(count);
    if (happenings_.size() < kMostHappenings) happenings_.push_back(std::move(told));
    return;
  }
}

void Narrator::settle() {
  for (auto& [index, target] : pending_) happenings_[index].after = value_of(target);
  pending_.clear();
}

void Narrator::end() {
  settle();
  close_operation(nullptr);
}

std::vector<Evaluation> Narrator::evaluations() const {
  std::vector<Evaluation> all;
  for (const auto& [where, told] : evaluations_) all.push_back(told);
  std::sort(all.begin(), all.end(),
            [](const Evaluation& a, const Evaluation& b) { return a.order < b.order; });
  return all;
}

}  // namespace assay::languages::python
