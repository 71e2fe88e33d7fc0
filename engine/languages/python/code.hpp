/// Compiled code and the program made of it, read once from the objects that the compiler made.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "languages/python/opcodes.hpp"
#include "languages/python/ref.hpp"

namespace assay::languages::python {

struct Position {
  std::uint32_t line = 0, column = 0, end_line = 0, end_column = 0;
};

struct Handler {
  std::uint32_t start, end, target, depth;
};

/// See `languages/python/code.py`, whose fields these are.
struct Code {
  std::uint32_t number = 0;  // among all codes of the program, in a fixed order
  std::uint32_t module = 0;
  std::string name, qualname;
  Ref documentation;  // `__doc__` of a function
  Ref native;         // what CPython compiles it to, if the program asks for that; to be looked at
  std::uint32_t first_line = 0;
  std::uint32_t positional = 0, positional_only = 0, keyword_only = 0;
  bool varargs = false, varkw = false, generator = false, atomic = false, early = false;
  bool is_coroutine = false, is_annotated = false;  // the former are refused when they are called
  std::vector<Ref> local_names;  // str, parameters first: positional, keyword-only, *args, **kwargs
  std::vector<Ref> cell_names, free_names;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> cell_parameters;  // cell, local: moved at entry
  std::vector<Ref> names;                                                // str, interned
  std::vector<Ref> constants;  // immutable values; a Code is a capsule (see code_of)
  std::vector<std::uint32_t> instructions;
  std::vector<Position> positions;
  std::vector<Handler> handlers;
  /// For each instruction, which locals may still be read; empty: all. A dead local is no part of a state.
  std::vector<std::vector<bool>> live_at;
  std::vector<bool> final_cells;  // own cells, then free ones: stored once
  bool stands_in = false;     // for C code of CPython, which is interrupted only where it calls the program
  bool is_made_once = false;  // no second function is ever made of it, so that function needs no identity
};

struct Module {
  std::string name, file;
  bool is_library = false;
  bool is_annotated = false;
  const Code* code = nullptr;
  std::vector<Ref> global_names;  // str
  std::unordered_map<std::string, std::uint32_t> global_index;
  std::uint32_t first_global = 0;  // of this module among all globals of the program
  std::vector<bool> global_is_final;
};

struct Program {
  std::vector<Module> modules;  // 0 is the program's own, as __main__
  std::vector<std::unique_ptr<Code>> codes;
  std::uint32_t global_count = 0;
  bool has_repeated_classes = false;  // some class statements are executed more than once
  bool keeps_annotations = false;     // those of functions and classes are there as in CPython
  bool has_stand_ins = false;         // for values that nobody knows when it is checked (`_unknown`)
  /// Attribute names that only an `__init__` stores, on `self`; str -> None (a set of CPython).
  Ref final_attributes;
};

/// Reads a `Program` of `languages/python/code.py`. Throws PythonError or std::invalid_argument.
std::unique_ptr<Program> read_program(PyObject* program);

/// The code inside a constant; null if it is another value.
const Code* code_of(PyObject* constant);

}  // namespace assay::languages::python
