/// The types of CPython that the machine adds: what the program's functions, generators, iterators and modules are
/// while a step runs. Their fields are public, because the heap writes them down and makes them anew.
#pragma once

#include <memory>

#include "languages/python/thread.hpp"

namespace assay::languages::python {

/// A function of the program. Binds like a function; calling it from C runs a nested interpreter.
struct Function {
  PyObject_HEAD const Code* code;
  PyObject* defaults;          // tuple or null
  PyObject* keyword_defaults;  // dict or null
  PyObject* closure;           // tuple of cells or null
  PyObject* attributes;        // dict or null: __dict__ (functools.wraps, function attributes)
  PyObject* weak_references;
};

enum class GeneratorState : std::uint8_t { kCreated, kSuspended, kRunning, kFinished };

struct Generator {
  PyObject_HEAD Frame* frame;  // owned; null while it runs (the thread has it) and when finished
  GeneratorState state;
  const Code* code;
};

/// Iterates over a built-in container so that the position can be captured.
enum class Iteration : std::uint8_t { kSequence, kReversed, kKeys, kValues, kItems, kSet };

struct Iterator {
  PyObject_HEAD Iteration kind;
  PyObject* container;  // null when exhausted
  Py_ssize_t index;     // next position
  Py_ssize_t size;      // dicts and sets: size when it began, to notice changes
  /// Sets: a tuple of the elements in the order in which they come. OrderedDicts: of their keys when it began. Null for
  /// all others.
  PyObject* elements;
  bool is_stale;  // a dict, set or deque gained, lost or moved entries since it began
  /// In which step it was made, and how often the container had changed its shape by then; no part of a state.
  std::uint64_t made_in, mutations_before;
};

/// A module of the program; its attributes are the program's globals.
struct ModuleObject {
  PyObject_HEAD std::uint32_t module;
};

extern PyTypeObject* function_type;
extern PyTypeObject* generator_type;
extern PyTypeObject* iterator_type;
extern PyTypeObject* module_type;

/// What the functions and generators of the program are in place of that type of CPython; null if they are that.
inline PyObject* type_of_the_machine(PyObject* type) {
  if (type == reinterpret_cast<PyObject*>(&PyFunction_Type))
    return reinterpret_cast<PyObject*>(function_type);
  if (type == reinterpret_cast<PyObject*>(&PyGen_Type)) return reinterpret_cast<PyObject*>(generator_type);
  return nullptr;
}

/// Of a function that was given no attribute: what its `def` says of its parameters, as a tuple.
bool holds_only_annotations(PyObject* attributes);

inline bool is_function(PyObject* o) { return Py_TYPE(o) == function_type; }
inline bool is_generator(PyObject* o) { return Py_TYPE(o) == generator_type; }
inline bool is_iterator(PyObject* o) {
  return Py_TYPE(o) == iterator_type || Py_TYPE(o)->tp_base == iterator_type;
}
/// A staticmethod, classmethod or property, or a `types.MappingProxyType` of a dict.
inline bool is_wrapper(PyObject* o) {
  return Py_TYPE(o) == &PyStaticMethod_Type || Py_TYPE(o) == &PyClassMethod_Type ||
         Py_TYPE(o) == &PyProperty_Type || Py_TYPE(o) == &PyDictProxy_Type;
}
/// The mapping that a proxy shows; borrowed.
PyObject* shown_by_proxy(PyObject* proxy);
/// A method of C code with the object that it is bound to.
inline bool is_bound_native(PyObject* o) {
  return (PyCFunction_Check(o) && PyCFunction_GET_SELF(o) != nullptr) || Py_TYPE(o) == &_PyMethodWrapper_Type;
}
/// Whether it is equal to nothing, itself included: a float, complex number or Decimal.
bool is_not_a_number(PyObject* value);
/// `operator.itemgetter` or `operator.attrgetter`: never changes, and is equal to nothing but itself.
bool is_getter(PyObject* value);
/// What it was made of; a tuple.
Ref parts_of_getter(PyObject* getter);
/// `datetime.datetime` and `datetime.time`.
bool is_moment_type(PyObject* type);
/// A date or time in a time zone.
bool is_in_zone(PyObject* value);
/// The same in another zone; None: in none.
Ref in_zone(PyObject* moment, PyObject* zone);
/// A `re.Match`: the same of it.
bool is_match(PyObject* value);
/// All that it tells, from which another can be found: its pattern, text, limits and groups; a tuple.
Ref parts_of_match(PyObject* match);
/// A `re.Pattern`.
bool is_pattern(PyObject* value);
/// A new object of the same value, of what is not a number, a getter or a match.
Ref another_of_the_same(PyObject* value);
using Parts = std::vector<Ref>;
/// All that a wrapper consists of: its function, or those of a property and its documentation.
Parts parts_of_wrapper(PyObject* wrapper);
/// The variable in which a dataclass's `__repr__` notes what it shows just now; empty whenever a step ends.
constexpr const char* kGuardOfRepr = "repr_running";
/// What a function of CPython has in its closure; null: an empty cell. What such functions keep only while they run is
/// not among it.
Parts cells_of_native_function(PyObject* function);
inline bool is_module(PyObject* o) { return Py_TYPE(o) == module_type; }

/// Stands for every traceback: it is not None, and whoever wants to look into it is refused.
PyObject* opaque_traceback();

/// Makes the types; once per process.
void make_types();

Ref new_function(const Code* code, Ref defaults, Ref keyword_defaults, Ref closure);
Ref new_generator(std::unique_ptr<Frame> frame);
/// A generator to be filled by the reader of a state.
Ref new_empty_generator(const Code* code);
Ref new_iterator(Iteration kind, PyObject* container, Py_ssize_t index, Py_ssize_t size, Ref elements = {});
/// Gives an iterator the type that CPython has for its container, after that was changed.
void name_iterator(PyObject* iterator);
Ref new_module(std::uint32_t module);

/// The elements of a set in an order that is a function of its content. Leaves sort by type and value; other elements
/// follow in an order that `World::rank` gives. A new list, for what no program can see the order of.
Ref ordered_elements(PyObject* set);
/// The elements of a set as a program meets them, which is in any order: one step for each (`World::arranged`).
Ref arranged_elements(PyObject* set);
/// One of the arrangements of a list; a new list.
Ref permutation(PyObject* elements, std::uint32_t number);

}  // namespace assay::languages::python
