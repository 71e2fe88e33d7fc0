/// What the parts of the machine share about CPython's objects and exceptions.
#pragma once

#include <exception>
#include <memory>
#include <new>
#include <span>
#include <string>

#include "languages/python/code.hpp"
#include "languages/python/objects.hpp"
#include "languages/python/thread.hpp"

namespace assay::languages::python {

[[noreturn]] void raise(PyObject* type, const char* format, ...);
/// The text as C++ sees it, for messages and tables.
std::string utf8(PyObject* text);
/// The same for what may be no text, or none that has bytes: then a question mark.
std::string text_if_any(PyObject* object);
/// Of that name; null if there is none.
Ref built_in(PyObject* name);
/// For the body of a module or a class.
std::unique_ptr<Frame> body_frame(const Code* code);
/// Interned name, made once.
PyObject* interned(const char* text);
/// What the type defines under that name; borrowed, null if nothing.
PyObject* lookup(PyTypeObject* type, PyObject* name);

/// The module that a class says it is of, without asking its metaclass; null if it says something else than a text.
Ref home_of(PyTypeObject* type);
/// What `_builtins` has in place of a method that CPython wrote in Python; borrowed, the method itself if nothing.
PyObject* written_for_machine(PyObject* function);
/// The method if the program defines it as a function, else null; borrowed.
PyObject* program_method(PyObject* object, const char* name);
/// Whether two things are one object; throws Unsupported where no state tells.
bool is_same(PyObject* left, PyObject* right);
/// `type.__new__` or `ABCMeta.__new__`.
bool is_maker_of_classes(PyObject* callable);
/// A function of the program, or one bound to an object.
bool is_program_callable(PyObject* object);
/// A type made by a class statement of the program (or anything else that CPython made at run time from such ones).
bool is_program_type(PyTypeObject* type);
/// The built-in type of a container as the tables of built-ins name it; empty if it is none.
std::string container_name(PyObject* object);
/// A value without identity and without parts: nothing to ask about.
bool is_plain(PyObject* object);
/// Whether a dict finds a key without calling methods of the program.
bool is_key_simple(PyObject* key);
/// Whether the hash of a key is computed by a function in Python, the program's or CPython's.
bool hashes_in_python(PyObject* key);
/// Whether the hash depends on an address, or on something else that the next process has not. That of a function of
/// the program tells by itself (`World::addresses_hashed`).
bool hashes_address(PyObject* key);
/// Whether the value, or something in it, is an instance whose class defines one of these methods in the program.
/// `or_made`: or where a decorator or library of CPython has made them, in Python.
bool holds_program(PyObject* value, std::span<const char* const> methods, bool or_made = false,
                   int depth = 4);
constexpr const char* kTextMethods[] = {"__repr__", "__str__", "__format__"};
constexpr const char* kOrderMethods[] = {"__lt__",   "__gt__",   "__eq__", "__add__",
                                         "__radd__", "__bool__", "__len__"};
constexpr const char* kKeyMethods[] = {"__hash__", "__eq__"};
/// The exception set in CPython, taken and normalised, without its traceback.
Ref take_exception();
/// Sets the exception in CPython again.
void give_exception(const Ref& exception);
/// The last line of the traceback as CPython prints it.
std::string last_line(PyObject* exception);

/// repr and str of what the machine prints: sets in the machine's order and no addresses.
Ref repr_of(PyObject* object);
Ref str_of(PyObject* object);

/// Next value of an Iterator; null at its end. Throws PythonError.
Ref next_of(Iterator* iterator);
/// An Iterator over a container, at its begin.
Ref over(Iteration kind, PyObject* container);
/// Whether its dict, set or deque gained, lost or moved entries since it began.
bool is_stale(Iterator* iterator, class World& world);
/// An Iterator over a built-in container, null if the object is none.
Ref built_in_iterator(PyObject* iterable);
/// Whether iterating over the object runs code of the program.
bool iterates_program(PyObject* object);

/// Runs the generator from C++; null at its end, then `value` is what it returned. Throws like call_nested.
Ref resume_nested(PyObject* generator, PyObject* sent, Ref* value);
Ref throw_nested(PyObject* generator, Ref exception);
/// When objects go away is not modelled.
[[noreturn]] void refuse_finalizer(PyTypeObject* type);
/// Makes that nobody calls the `__del__` of a class: instances are remembered (`_finalizers.py`), and no state is
/// accepted in which one is gone.
void keep_from_ending(PyTypeObject* type);
PyObject* alloc_with_end(PyTypeObject* type, Py_ssize_t items);

/// Drops its frame, if any, and marks it as finished.
void generator_finish(PyObject* generator);

/// The module `_assay` as the libraries see it.
PyObject* assay_module();

/// An interruption that travels through C code of CPython as an exception which nobody may keep.
void hide_interruption(std::exception_ptr interruption);
/// Where no exception can be raised: it comes up when the instruction is over.
void keep_interruption(std::exception_ptr interruption);
/// Whether an interpreter runs the program, in contrast to what puts states together.
bool is_running();
bool interruption_pending();
/// Throws it again, if there is one.
void rethrow_interruption();
/// What `World::ordered` answers where no other threads and states are: by type and value, then by World::rank.
Ref ordered_by_content(PyObject* set);

/// Runs `body` where CPython calls us: C++ exceptions become CPython's; `failed` is the answer then.
template <typename Body, typename Answer>
Answer guarded(Body body, Answer failed) {
  try {
    return body();
  } catch (const PythonError&) {
    return failed;
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
    return failed;
  } catch (...) {
    hide_interruption(std::current_exception());
    return failed;
  }
}

}  // namespace assay::languages::python
