/// What is known of built-ins before they are called: one table for functions and types, one for methods, one for what
/// the library module `_builtins` has in their place. What stands in none of them may read everything that it can reach
/// and changes nothing but iterators that it is given; `natives.cpp` asks the world accordingly.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "languages/python/ref.hpp"

namespace assay::languages::python {

/// Built-ins that the interpreter takes apart, because they call methods of the program.
enum class Special : std::uint8_t {
  kNone,
  kPrint,
  kLen,
  kIter,
  kNext,
  kRepr,
  kStr,
  kFormat,
  kHash,
  kIsInstance,
  kIsSubclass,
  kGetattr,
  kHasattr,
  kSetattr,
  kDelattr,
  kBool,
  kReversed,
  kId
};

/// Of a function or type, known by its identity.
struct FunctionEffect {
  Special special = Special::kNone;
  bool asks_nothing = false;  // looks at no content of its arguments
  const char* counterpart =
      nullptr;  // its name in `_builtins`, for calls that would run the program from inside
};
/// Null: nothing is known of it.
const FunctionEffect* effect_of(PyObject* callable);

/// Of a method, known by its name.
struct MethodEffect {
  bool reads = false;            // a container that it is called on stays as it is
  bool moves = false;            // elements, without looking into them
  bool looks_up = false;         // its first argument, which is a key
  bool writes_receiver = false;  // of any type
  bool makes = false;            // what it is called on is new, or gets what it is given and keeps it
};
const MethodEffect& effect_of_method(std::string_view name);

/// Of what has a counterpart in `_builtins`: functions by their names there, methods by type and name.
struct CounterpartEffect {
  bool is_always_called = false;  // the built-in's own result is an iterator that cannot be captured
  bool looks_inside = false;      // compares or adds what is inside of its arguments
  bool hashes_items = false;      // looks up each of the items that it is given
  bool iterates = false;          // over its arguments: sets get an order
  bool hides_order = false;       // all of what it iterates over is compared, so the order does not show
  bool keeps_arguments = false;   // what can be called is not called
};
const CounterpartEffect& effect_of_counterpart(const std::string& name);

/// Functions of a module that change their first argument.
bool writes_first_argument(std::string_view module, std::string_view function);

}  // namespace assay::languages::python
