#include "languages/python/objects.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>

#include "languages/python/ref.hpp"  // Python.h comes before structmember.h
#include <structmember.h>

#include "languages/python/address_texts.hpp"
#include "languages/python/interpreter.hpp"

namespace assay::languages::python {

PyTypeObject* function_type = nullptr;
PyTypeObject* generator_type = nullptr;
PyTypeObject* iterator_type = nullptr;
PyTypeObject* module_type = nullptr;

namespace {

// --- functions

Function* as_function(PyObject* self) { return reinterpret_cast<Function*>(self); }

int function_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Function* function = as_function(self);
  Py_VISIT(function->defaults);
  Py_VISIT(function->keyword_defaults);
  Py_VISIT(function->closure);
  Py_VISIT(function->attributes);
  return 0;
}

int function_clear(PyObject* self) {
  Function* function = as_function(self);
  Py_CLEAR(function->defaults);
  Py_CLEAR(function->keyword_defaults);
  Py_CLEAR(function->closure);
  Py_CLEAR(function->attributes);
  return 0;
}

void function_dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  if (as_function(self)->weak_references != nullptr) PyObject_ClearWeakRefs(self);
  function_clear(self);
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

PyObject* function_get(PyObject* self, PyObject* object, PyObject*) {
  if (object == nullptr || object == Py_None) return Py_NewRef(self);
  return PyMethod_New(self, object);
}

PyObject* function_call(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded(
      [&]() -> PyObject* {
        Arguments arguments;
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i) {
          arguments.positional.push_back(Ref::borrow(PyTuple_GET_ITEM(args, i)));
        }
        Py_ssize_t position = 0;
        PyObject *name, *value;
        while (kwargs != nullptr && PyDict_Next(kwargs, &position, &name, &value) != 0) {
          arguments.keywords.emplace_back(Ref::borrow(name), Ref::borrow(value));
        }
        return call_nested_with(self, std::move(arguments)).release();
      },
      static_cast<PyObject*>(nullptr));
}

PyObject* function_repr(PyObject* self) {
  return PyUnicode_FromFormat("<function %s at 0x%s>", as_function(self)->code->qualname.c_str(),
                              kUnknownDigits);
}

/// An attribute that can be overwritten, kept in `attributes` then.
PyObject* overwritten(PyObject* self, const char* name) {
  PyObject* attributes = as_function(self)->attributes;
  return attributes == nullptr ? nullptr : PyDict_GetItemWithError(attributes, interned(name));
}

int overwrite(PyObject* self, PyObject* value, void* name) {
  Function* function = as_function(self);
  if (function->attributes == nullptr && (function->attributes = PyDict_New()) == nullptr) return -1;
  PyObject* key = interned(static_cast<const char*>(name));
  return value == nullptr ? PyDict_DelItem(function->attributes, key)
                          : PyDict_SetItem(function->attributes, key, value);
}

int overwrite_text(PyObject* self, PyObject* value, void* name) {
  if (value == nullptr || !PyUnicode_Check(value)) {
    PyErr_Format(PyExc_TypeError, "%s must be set to a string object", static_cast<const char*>(name));
    return -1;
  }
  return overwrite(self, value, name);
}

PyObject* function_name(PyObject* self, void* key) {
  const char* name = static_cast<const char*>(key);
  if (PyObject* other = overwritten(self, name)) return Py_NewRef(other);
  const Code* code = as_function(self)->code;
  return PyUnicode_FromString(std::strcmp(name, "__name__") == 0 ? code->name.c_str()
                                                                 : code->qualname.c_str());
}

PyObject* function_module(PyObject* self, void* name) {
  if (PyObject* other = overwritten(self, static_cast<const char*>(name))) return Py_NewRef(other);
  World* world = current_world();
  const Code* code = as_function(self)->code;
  if (world == nullptr || world->program == nullptr) Py_RETURN_NONE;
  return PyUnicode_FromString(world->program->modules[code->module].name.c_str());
}

PyObject* function_other(PyObject* self, void* key) {
  const char* name = static_cast<const char*>(key);
  if (PyObject* other = overwritten(self, name)) return Py_NewRef(other);
  if (std::strcmp(name, "__annotations__") == 0)  // libraries see this: None for those that were dropped
    return as_function(self)->code->is_annotated ? Py_NewRef(Py_None) : PyTuple_New(0);
  const Ref& documentation = as_function(self)->code->documentation;
  return Py_NewRef(documentation ? documentation.get() : Py_None);
}

PyObject* function_defaults(PyObject* self, void* name) {
  if (PyObject* other = overwritten(self, static_cast<const char*>(name))) return Py_NewRef(other);
  PyObject* defaults = as_function(self)->defaults;
  return Py_NewRef(defaults == nullptr ? Py_None : defaults);
}

PyObject* function_keyword_defaults(PyObject* self, void* name) {
  if (PyObject* other = overwritten(self, static_cast<const char*>(name))) return Py_NewRef(other);
  PyObject* defaults = as_function(self)->keyword_defaults;
  return Py_NewRef(defaults == nullptr ? Py_None : defaults);
}

PyObject* function_closure(PyObject* self, void*) {
  PyObject* closure = as_function(self)->closure;
  return Py_NewRef(closure == nullptr ? Py_None : closure);
}

/// Those that are deleted are empty from then on.
int overwrite_annotations(PyObject* self, PyObject* value, void* name) {
  const Ref given = value != nullptr ? Ref::borrow(value) : Ref::steal(PyTuple_New(0));
  return given ? overwrite(self, given.get(), name) : -1;
}

char name_key[] = "__name__", qualname_key[] = "__qualname__", module_key[] = "__module__",
     doc_key[] = "__doc__", annotations_key[] = "__annotations__", defaults_key[] = "__defaults__",
     keyword_defaults_key[] = "__kwdefaults__";

/// Of parameters that the function has not: see `is_without_effect`.
int overwrite_defaults(PyObject* self, PyObject* value, void* name) {
  const bool is_tuple = std::strcmp(static_cast<const char*>(name), "__defaults__") == 0;
  const bool is_right =
      value == nullptr || value == Py_None || (is_tuple ? PyTuple_Check(value) : PyDict_Check(value));
  if (!is_right) {
    PyErr_Format(PyExc_TypeError, "%s must be set to a %s object", static_cast<const char*>(name),
                 is_tuple ? "tuple" : "dict");
    return -1;
  }
  return overwrite(self, value == nullptr ? Py_None : value, name);
}

PyGetSetDef function_attributes[] = {
    {"__name__", function_name, overwrite_text, nullptr, name_key},
    {"__qualname__", function_name, overwrite_text, nullptr, qualname_key},
    {"__module__", function_module, overwrite, nullptr, module_key},
    {"__doc__", function_other, overwrite, nullptr, doc_key},
    {"__annotations__", function_other, overwrite_annotations, nullptr, annotations_key},
    {"__defaults__", function_defaults, overwrite_defaults, nullptr, defaults_key},
    {"__kwdefaults__", function_keyword_defaults, overwrite_defaults, nullptr, keyword_defaults_key},
    {"__closure__", function_closure, nullptr, nullptr, nullptr},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMemberDef function_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Function, weak_references), READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(Function, attributes), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};

PyType_Slot function_slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(function_dealloc)},
                                {Py_tp_traverse, reinterpret_cast<void*>(function_traverse)},
                                {Py_tp_clear, reinterpret_cast<void*>(function_clear)},
                                {Py_tp_descr_get, reinterpret_cast<void*>(function_get)},
                                {Py_tp_call, reinterpret_cast<void*>(function_call)},
                                {Py_tp_repr, reinterpret_cast<void*>(function_repr)},
                                {Py_tp_getset, function_attributes},
                                {Py_tp_members, function_members},
                                {0, nullptr}};

// --- generators

Generator* as_generator(PyObject* self) { return reinterpret_cast<Generator*>(self); }

int visit_frame(const Frame& frame, visitproc visit, void* arg) {
  for (const std::vector<Ref>* values : {&frame.locals, &frame.cells, &frame.stack}) {
    for (const Ref& value : *values) Py_VISIT(value.get());
  }
  Py_VISIT(frame.names.get());
  Py_VISIT(frame.handled.get());
  Py_VISIT(frame.generator.get());
  Py_VISIT(frame.extra.get());
  return 0;
}

int generator_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  const Frame* frame = as_generator(self)->frame;
  return frame == nullptr ? 0 : visit_frame(*frame, visit, arg);
}

int generator_clear(PyObject* self) {
  delete std::exchange(as_generator(self)->frame, nullptr);
  as_generator(self)->state = GeneratorState::kFinished;
  return 0;
}

/// Whether a handler lets GeneratorExit pass: each of its clauses asks for something else.
bool ignores_exit(const Code& code, std::uint32_t target) {
  std::uint32_t at = target + 1;  // behind PUSH_EXC_INFO
  while (at < code.instructions.size()) {
    const auto operation = static_cast<Operation>(code.instructions[at] & 0xff);
    const std::uint32_t operand = code.instructions[at] >> 8;
    switch (operation) {
      case Operation::SWAP: return true;  // no clause is left
      case Operation::LOAD_BUILTIN: {
        const std::string name = utf8(code.names[operand].get());
        if (name == "BaseException" || name == "GeneratorExit") return false;
        ++at;
        break;
      }
      case Operation::LOAD_GLOBAL:
      case Operation::LOAD_ATTR:
      case Operation::LOAD_FAST:
      case Operation::BUILD_TUPLE:
      case Operation::CHECK_EXC_MATCH: ++at; break;
      case Operation::POP_JUMP_IF_FALSE: at = operand; break;
      default: return false;
    }
  }
  return false;
}

/// CPython closes a generator when the last reference goes. That can run code of the program anywhere, so it is refused.
void refuse_to_drop(const Generator& generator) {
  if (generator.state != GeneratorState::kSuspended || generator.frame == nullptr || !is_running()) return;
  const Frame& frame = *generator.frame;
  if (current_world()->program->modules[frame.code->module].is_library) return;
  const std::uint32_t at =
      static_cast<Operation>(frame.code->instructions[frame.pc] & 0xff) == Operation::YIELD_FROM
          ? frame.pc
          : frame.pc - 1;
  for (const Handler& handler : frame.code->handlers) {
    if (at < handler.start || at >= handler.end || ignores_exit(*frame.code, handler.target)) continue;
    keep_interruption(std::make_exception_ptr(
        Unsupported("the generator " + frame.code->qualname +
                    " is dropped before its end, inside of `try` or `with`; when CPython closes "
                    "it is not modelled; call its close(), or let it come to its end")));
    return;
  }
}

void generator_dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  refuse_to_drop(*as_generator(self));
  generator_clear(self);
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

PyObject* generator_next(PyObject* self) {
  return guarded(
      [&]() -> PyObject* {
        Ref value;
        Ref yielded = resume_nested(self, Py_None, &value);
        if (!yielded && value.get() != Py_None) {
          PyErr_SetObject(PyExc_StopIteration, value.get());
        }
        return yielded.release();
      },
      static_cast<PyObject*>(nullptr));
}

/// The methods of a generator when C code calls them; the interpreter knows them by their names and enters the frame.
PyObject* generator_send(PyObject* self, PyObject* sent) {
  return guarded(
      [&]() -> PyObject* {
        Ref value;
        Ref yielded = resume_nested(self, sent, &value);
        if (!yielded) PyErr_SetObject(PyExc_StopIteration, value.get() == Py_None ? nullptr : value.get());
        return yielded.release();
      },
      static_cast<PyObject*>(nullptr));
}

PyObject* generator_throw(PyObject* self, PyObject* exception) {
  return guarded(
      [&]() -> PyObject* {
        if (PyExceptionClass_Check(exception)) {
          return throw_nested(self, checked(PyObject_CallNoArgs(exception))).release();
        }
        if (!PyExceptionInstance_Check(exception)) {
          raise(PyExc_TypeError,
                "exceptions must be classes or instances deriving from BaseException, not %s",
                Py_TYPE(exception)->tp_name);
        }
        return throw_nested(self, Ref::borrow(exception)).release();
      },
      static_cast<PyObject*>(nullptr));
}

PyObject* generator_close(PyObject* self, PyObject*) {
  return guarded(
      [&]() -> PyObject* {
        Generator* generator = as_generator(self);
        if (generator->state == GeneratorState::kCreated) generator_clear(self);
        if (generator->state == GeneratorState::kFinished) Py_RETURN_NONE;
        try {
          throw_nested(self, checked(PyObject_CallNoArgs(PyExc_GeneratorExit)));
        } catch (const PythonError&) {
          if (PyErr_ExceptionMatches(PyExc_GeneratorExit) != 0 ||
              PyErr_ExceptionMatches(PyExc_StopIteration) != 0) {
            PyErr_Clear();
            Py_RETURN_NONE;
          }
          throw;
        }
        raise(PyExc_RuntimeError, "generator ignored GeneratorExit");
      },
      static_cast<PyObject*>(nullptr));
}

PyObject* generator_repr(PyObject* self) {
  return PyUnicode_FromFormat("<generator object %s at 0x%s>", as_generator(self)->code->qualname.c_str(),
                              kUnknownDigits);
}

PyObject* generator_name(PyObject* self, void* qualified) {
  const Code* code = as_generator(self)->code;
  return PyUnicode_FromString(qualified == nullptr ? code->name.c_str() : code->qualname.c_str());
}

PyObject* generator_running(PyObject* self, void*) {
  return PyBool_FromLong(as_generator(self)->state == GeneratorState::kRunning);
}

PyMethodDef generator_methods[] = {{"send", generator_send, METH_O, nullptr},
                                   {"throw", generator_throw, METH_O, nullptr},
                                   {"close", generator_close, METH_NOARGS, nullptr},
                                   {nullptr, nullptr, 0, nullptr}};

PyGetSetDef generator_attributes[] = {{"__name__", generator_name, nullptr, nullptr, nullptr},
                                      {"__qualname__", generator_name, nullptr, nullptr, qualname_key},
                                      {"gi_running", generator_running, nullptr, nullptr, nullptr},
                                      {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyType_Slot generator_slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(generator_dealloc)},
                                 {Py_tp_traverse, reinterpret_cast<void*>(generator_traverse)},
                                 {Py_tp_clear, reinterpret_cast<void*>(generator_clear)},
                                 {Py_tp_iter, reinterpret_cast<void*>(PyObject_SelfIter)},
                                 {Py_tp_iternext, reinterpret_cast<void*>(generator_next)},
                                 {Py_tp_repr, reinterpret_cast<void*>(generator_repr)},
                                 {Py_tp_methods, generator_methods},
                                 {Py_tp_getset, generator_attributes},
                                 {0, nullptr}};

// --- iterators

Iterator* as_iterator(PyObject* self) { return reinterpret_cast<Iterator*>(self); }

int iterator_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(as_iterator(self)->container);
  Py_VISIT(as_iterator(self)->elements);
  return 0;
}

int iterator_clear(PyObject* self) {
  Py_CLEAR(as_iterator(self)->container);
  Py_CLEAR(as_iterator(self)->elements);
  return 0;
}

void iterator_dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  iterator_clear(self);
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

PyObject* iterator_next(PyObject* self) {
  return guarded([&] { return next_of(as_iterator(self)).release(); }, static_cast<PyObject*>(nullptr));
}

PyType_Slot iterator_slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(iterator_dealloc)},
                                {Py_tp_traverse, reinterpret_cast<void*>(iterator_traverse)},
                                {Py_tp_clear, reinterpret_cast<void*>(iterator_clear)},
                                {Py_tp_iter, reinterpret_cast<void*>(PyObject_SelfIter)},
                                {Py_tp_iternext, reinterpret_cast<void*>(iterator_next)},
                                {0, nullptr}};

/// CPython has one type for each container; programs see their names.
struct IteratorType {
  const char* full_name;
  PyTypeObject* type = nullptr;
};
enum IteratorName {
  kList,
  kTuple,
  kText,
  kAsciiText,
  kBytes,
  kRange,
  kKeys,
  kValues,
  kItems,
  kSet,
  kReversedList,
  kReversed
};
IteratorType iterator_types[] = {
    {"builtins.list_iterator"},      {"builtins.tuple_iterator"},       {"builtins.str_iterator"},
    {"builtins.str_ascii_iterator"}, {"builtins.bytes_iterator"},       {"builtins.range_iterator"},
    {"builtins.dict_keyiterator"},   {"builtins.dict_valueiterator"},   {"builtins.dict_itemiterator"},
    {"builtins.set_iterator"},       {"builtins.list_reverseiterator"}, {"builtins.reversed"}};

PyTypeObject* type_of_iterator(Iteration kind, PyObject* container) {
  const auto named = [](IteratorName name) { return iterator_types[name].type; };
  switch (kind) {
    case Iteration::kKeys: return named(kKeys);
    case Iteration::kValues: return named(kValues);
    case Iteration::kItems: return named(kItems);
    case Iteration::kSet: return named(kSet);
    case Iteration::kReversed:
      return container != nullptr && PyList_Check(container) ? named(kReversedList) : named(kReversed);
    case Iteration::kSequence: break;
  }
  if (container == nullptr) return iterator_type;
  if (PyList_Check(container)) return named(kList);
  if (PyTuple_Check(container)) return named(kTuple);
  if (PyUnicode_Check(container)) return named(PyUnicode_IS_ASCII(container) ? kAsciiText : kText);
  if (PyBytes_Check(container)) return named(kBytes);
  return PyRange_Check(container) ? named(kRange) : iterator_type;
}

// --- modules

const Module& module_of(PyObject* self) {
  return current_world()->program->modules[reinterpret_cast<ModuleObject*>(self)->module];
}

void module_dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_Free(self);
  Py_DECREF(type);
}

/// Only C code comes here (getattr inside a built-in); the interpreter reads globals itself and asks before.
PyObject* module_getattr(PyObject* self, PyObject* name) {
  World* world = current_world();
  if (world != nullptr && world->program != nullptr) {
    const Module& module = module_of(self);
    const auto found = module.global_index.find(utf8(name));
    if (found != module.global_index.end()) {
      const std::uint32_t global = module.first_global + found->second;
      // Instructions have asked before; a built-in, such as `str.format`, has not.
      const bool is_allowed = !is_running() || guarded([&] { return world->may_read_global(global); }, false);
      if (PyErr_Occurred() != nullptr) return nullptr;
      if (!is_allowed) {
        return guarded(
            [&]() -> PyObject* {
              throw Unsupported("a built-in reads the variable " + utf8(name) + " of the module " +
                                module.name + "; read it before");
            },
            static_cast<PyObject*>(nullptr));
      }
      const Ref& value = world->globals[global];
      if (value) return Py_NewRef(value.get());
    }
    if (utf8(name) == "__name__") return PyUnicode_FromString(module.name.c_str());
    if (utf8(name) == "__file__") return PyUnicode_FromString(module.file.c_str());
    PyObject* inherited = PyObject_GenericGetAttr(self, name);
    if (inherited != nullptr || PyErr_ExceptionMatches(PyExc_AttributeError) == 0) return inherited;
    PyErr_Clear();
    return PyErr_Format(PyExc_AttributeError, "module '%s' has no attribute '%U'", module.name.c_str(), name);
  }
  return PyObject_GenericGetAttr(self, name);
}

PyObject* module_repr(PyObject* self) {
  if (current_world() == nullptr) return PyUnicode_FromString("<module>");
  return PyUnicode_FromFormat("<module '%s'>", module_of(self).name.c_str());
}

PyType_Slot module_slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(module_dealloc)},
                              {Py_tp_getattro, reinterpret_cast<void*>(module_getattr)},
                              {Py_tp_repr, reinterpret_cast<void*>(module_repr)},
                              {0, nullptr}};

/// `name` is what messages of CPython call it.
PyTypeObject* make_type(const char* full_name, const char* name, std::size_t size, unsigned long flags,
                        PyType_Slot* slots, PyTypeObject* base = nullptr) {
  PyType_Spec spec = {full_name, static_cast<int>(size), 0,
                      static_cast<unsigned>(Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION |
                                            Py_TPFLAGS_IMMUTABLETYPE | flags),
                      slots};
  auto* type = reinterpret_cast<PyTypeObject*>(
      checked(PyType_FromSpecWithBases(&spec, reinterpret_cast<PyObject*>(base))).release());
  type->tp_name = name;
  return type;
}

template <typename Object>
Object* allocate(PyTypeObject* type) {
  Object* object = PyObject_GC_New(Object, type);
  if (object == nullptr) throw PythonError();
  return object;
}

}  // namespace

namespace {

PyObject* refuse_traceback(PyObject* self, PyObject* name) {
  if (PyUnicode_CompareWithASCIIString(name, "__class__") == 0) return PyObject_GenericGetAttr(self, name);
  return guarded(
      []() -> PyObject* {
        throw Unsupported("what a traceback holds is not modelled; use the exception itself");
      },
      static_cast<PyObject*>(nullptr));
}

PyObject* traceback_repr(PyObject*) { return PyUnicode_FromString("<traceback object>"); }

}  // namespace

PyObject* opaque_traceback() {
  static PyObject* const object = [] {
    static PyType_Slot slots[] = {{Py_tp_getattro, reinterpret_cast<void*>(refuse_traceback)},
                                  {Py_tp_repr, reinterpret_cast<void*>(traceback_repr)},
                                  {0, nullptr}};
    static PyType_Spec spec = {"assay.traceback", sizeof(PyObject), 0, Py_TPFLAGS_DEFAULT, slots};
    const Ref type = checked(PyType_FromSpec(&spec));
    return checked(PyType_GenericAlloc(reinterpret_cast<PyTypeObject*>(type.get()), 0)).release();
  }();
  return object;
}

void make_types() {
  if (function_type != nullptr) return;
  module_type = make_type("builtins.module", "module", sizeof(ModuleObject), 0, module_slots);
  iterator_type = make_type("builtins.iterator", "iterator", sizeof(Iterator),
                            Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE, iterator_slots);
  for (IteratorType& named : iterator_types) {
    named.type = make_type(named.full_name, named.full_name + sizeof("builtins.") - 1, sizeof(Iterator),
                           Py_TPFLAGS_HAVE_GC, iterator_slots, iterator_type);
  }
  generator_type =
      make_type("builtins.generator", "generator", sizeof(Generator), Py_TPFLAGS_HAVE_GC, generator_slots);
  function_type = make_type("builtins.function", "function", sizeof(Function),
                            Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_METHOD_DESCRIPTOR, function_slots);
}

bool holds_only_annotations(PyObject* attributes) {
  if (PyDict_GET_SIZE(attributes) != 1) return false;
  PyObject* const annotations = PyDict_GetItemWithError(attributes, interned("__annotations__"));
  return annotations != nullptr && PyTuple_CheckExact(annotations);
}

Ref new_function(const Code* code, Ref defaults, Ref keyword_defaults, Ref closure) {
  Function* function = allocate<Function>(function_type);
  function->code = code;
  function->defaults = defaults.release();
  function->keyword_defaults = keyword_defaults.release();
  function->closure = closure.release();
  function->attributes = nullptr;
  function->weak_references = nullptr;
  PyObject_GC_Track(function);
  return Ref::steal(reinterpret_cast<PyObject*>(function));
}

Ref new_generator(std::unique_ptr<Frame> frame) {
  Generator* generator = allocate<Generator>(generator_type);
  generator->code = frame->code;
  generator->frame = frame.release();
  generator->state = GeneratorState::kCreated;
  PyObject_GC_Track(generator);
  return Ref::steal(reinterpret_cast<PyObject*>(generator));
}

Ref new_empty_generator(const Code* code) {
  Generator* generator = allocate<Generator>(generator_type);
  generator->code = code;
  generator->frame = nullptr;
  generator->state = GeneratorState::kFinished;
  PyObject_GC_Track(generator);
  return Ref::steal(reinterpret_cast<PyObject*>(generator));
}

Ref new_iterator(Iteration kind, PyObject* container, Py_ssize_t index, Py_ssize_t size, Ref elements) {
  Iterator* iterator = allocate<Iterator>(type_of_iterator(kind, container));
  iterator->kind = kind;
  iterator->container = Py_XNewRef(container);
  iterator->index = index;
  iterator->size = size;
  iterator->elements = elements.release();
  iterator->is_stale = false;
  iterator->made_in = iterator->mutations_before = 0;
  PyObject_GC_Track(iterator);
  return Ref::steal(reinterpret_cast<PyObject*>(iterator));
}

void name_iterator(PyObject* object) {
  auto* const iterator = reinterpret_cast<Iterator*>(object);
  PyTypeObject* const type = type_of_iterator(iterator->kind, iterator->container);
  PyTypeObject* const old = Py_TYPE(object);
  if (type == old) return;
  Py_INCREF(reinterpret_cast<PyObject*>(type));
  Py_SET_TYPE(object, type);
  Py_DECREF(reinterpret_cast<PyObject*>(old));
}

Ref new_module(std::uint32_t module) {
  ModuleObject* object = PyObject_New(ModuleObject, module_type);
  if (object == nullptr) throw PythonError();
  object->module = module;
  return Ref::steal(reinterpret_cast<PyObject*>(object));
}

bool is_not_a_number(PyObject* value) {
  if (PyFloat_CheckExact(value)) return std::isnan(PyFloat_AS_DOUBLE(value));
  if (PyComplex_CheckExact(value)) {
    const Py_complex number = PyComplex_AsCComplex(value);
    return std::isnan(number.real) || std::isnan(number.imag);
  }
  if (std::strcmp(Py_TYPE(value)->tp_name, "decimal.Decimal") != 0) return false;
  return checked(PyObject_CallMethod(value, "is_nan", nullptr)).get() == Py_True;
}

bool is_getter(PyObject* value) {
  static const auto types = [] {
    const Ref module = checked(PyImport_ImportModule("operator"));
    return std::pair(checked(PyObject_GetAttrString(module.get(), "itemgetter")).release(),
                     checked(PyObject_GetAttrString(module.get(), "attrgetter")).release());
  }();
  auto* const type = reinterpret_cast<PyObject*>(Py_TYPE(value));
  return type == types.first || type == types.second;
}

Ref parts_of_getter(PyObject* getter) {
  const Ref reduced = checked(PyObject_CallMethod(getter, "__reduce__", nullptr));
  return Ref::borrow(PyTuple_GET_ITEM(reduced.get(), 1));
}

namespace {

/// The types of patterns and of what they find.
std::pair<PyObject*, PyObject*> types_of_expressions() {
  static const auto types = [] {
    const Ref module = checked(PyImport_ImportModule("re"));
    return std::pair(checked(PyObject_GetAttrString(module.get(), "Pattern")).release(),
                     checked(PyObject_GetAttrString(module.get(), "Match")).release());
  }();
  return types;
}

/// There is no way to copy a match: it is found again, by whichever method finds it.
Ref found_again(PyObject* match) {
  const Ref wanted = parts_of_match(match);
  const auto part = [&](Py_ssize_t i) { return PyTuple_GET_ITEM(wanted.get(), i); };
  const auto is_wanted = [&](PyObject* found) {
    if (found == Py_None) return false;
    const int is_same = PyObject_RichCompareBool(parts_of_match(found).get(), wanted.get(), Py_EQ);
    if (is_same < 0) throw PythonError();
    return is_same == 1;
  };
  for (const char* method : {"match", "fullmatch"}) {
    Ref found = checked(PyObject_CallMethod(part(0), method, "OOO", part(1), part(2), part(3)));
    if (is_wanted(found.get())) return found;
  }
  const Ref all = checked(PyObject_CallMethod(part(0), "finditer", "OOO", part(1), part(2), part(3)));
  while (Ref found = Ref::steal(PyIter_Next(all.get()))) {
    if (is_wanted(found.get())) return found;
  }
  if (PyErr_Occurred() != nullptr) throw PythonError();
  throw Unsupported("this re.Match cannot be part of a state; keep its groups");
}

}  // namespace

bool is_moment_type(PyObject* type) {
  static const auto types = [] {
    const Ref module = checked(PyImport_ImportModule("_datetime"));
    return std::pair(checked(PyObject_GetAttrString(module.get(), "datetime")).release(),
                     checked(PyObject_GetAttrString(module.get(), "time")).release());
  }();
  return type == types.first || type == types.second;
}

bool is_in_zone(PyObject* value) {
  return is_moment_type(reinterpret_cast<PyObject*>(Py_TYPE(value))) &&
         checked(PyObject_GetAttrString(value, "tzinfo")).get() != Py_None;
}

Ref in_zone(PyObject* moment, PyObject* zone) {
  const Ref replace = checked(PyObject_GetAttrString(moment, "replace"));
  const Ref keywords = checked(PyDict_New());
  if (PyDict_SetItemString(keywords.get(), "tzinfo", zone) != 0) throw PythonError();
  return checked(PyObject_Call(replace.get(), checked(PyTuple_New(0)).get(), keywords.get()));
}

bool is_match(PyObject* value) {
  return reinterpret_cast<PyObject*>(Py_TYPE(value)) == types_of_expressions().second;
}

bool is_pattern(PyObject* value) {
  return reinterpret_cast<PyObject*>(Py_TYPE(value)) == types_of_expressions().first;
}

Ref parts_of_match(PyObject* match) {
  const Ref parts = checked(PyList_New(0));
  for (const char* name : {"re", "string", "pos", "endpos", "regs", "lastindex"}) {
    const Ref part = checked(PyObject_GetAttrString(match, name));
    if (PyList_Append(parts.get(), part.get()) != 0) throw PythonError();
  }
  return checked(PyList_AsTuple(parts.get()));
}

Ref another_of_the_same(PyObject* value) {
  if (is_match(value)) return found_again(value);
  if (is_getter(value)) {
    return checked(
        PyObject_CallObject(reinterpret_cast<PyObject*>(Py_TYPE(value)), parts_of_getter(value).get()));
  }
  if (PyFloat_CheckExact(value)) return checked(PyFloat_FromDouble(PyFloat_AS_DOUBLE(value)));
  if (PyComplex_CheckExact(value)) return checked(PyComplex_FromCComplex(PyComplex_AsCComplex(value)));
  const Ref parts = checked(PyObject_CallMethod(value, "as_tuple", nullptr));
  return checked(PyObject_CallOneArg(reinterpret_cast<PyObject*>(Py_TYPE(value)), parts.get()));
}

PyObject* shown_by_proxy(PyObject* proxy) {
  PyObject* mapping = nullptr;
  const auto found = [](PyObject* part, void* context) {
    *static_cast<PyObject**>(context) = part;
    return 0;
  };
  PyDictProxy_Type.tp_traverse(proxy, found, &mapping);
  return mapping;
}

namespace {

/// The dict that a proxy shows. That of a class is refused: what is in it stands elsewhere in states.
Ref mapping_of_proxy(PyObject* proxy) {
  PyObject* const mapping = shown_by_proxy(proxy);
  const bool is_dict = mapping != nullptr && PyDict_Check(mapping);
  const bool is_of_class = is_dict && PyDict_GetItemString(mapping, "__module__") != nullptr &&
                           PyDict_GetItemString(mapping, "__doc__") != nullptr;
  if (!is_dict || is_of_class)
    throw Unsupported("a value of type mappingproxy cannot be part of a state; keep a dict");
  return Ref::borrow(mapping);
}

}  // namespace

Parts parts_of_wrapper(PyObject* wrapper) {
  if (Py_TYPE(wrapper) == &PyDictProxy_Type) return {mapping_of_proxy(wrapper)};
  if (Py_TYPE(wrapper) != &PyProperty_Type) return {checked(PyObject_GetAttrString(wrapper, "__func__"))};
  Parts parts;
  for (const char* name : {"fget", "fset", "fdel", "__doc__"})
    parts.push_back(checked(PyObject_GetAttrString(wrapper, name)));
  return parts;
}

Parts cells_of_native_function(PyObject* function) {
  Parts parts;
  PyObject* const closure = PyFunction_GET_CLOSURE(function);
  if (closure == nullptr) return parts;
  const Ref names = checked(PyObject_GetAttrString(PyFunction_GET_CODE(function), "co_freevars"));
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(closure); ++i) {
    // Which objects are being shown just now, so that a cycle ends.
    const bool is_guard =
        PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names.get(), i), kGuardOfRepr) == 0;
    PyObject* const content = PyCell_GET(PyTuple_GET_ITEM(closure, i));
    parts.push_back(Ref::borrow(is_guard ? Py_None : content));
  }
  return parts;
}

}  // namespace assay::languages::python
