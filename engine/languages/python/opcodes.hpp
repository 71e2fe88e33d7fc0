/// The operations of the machine, see docs/python/machine.md. Generated nowhere: `languages/python/code.py` has the
/// same list, and a test compares them.
#pragma once

#include <cstdint>

namespace assay::languages::python {

// clang-format off: a list of words
#define ASSAY_OPERATIONS(X)                                                                                         \
  X(NOP) X(LOAD_CONST) X(LOAD_FAST) X(STORE_FAST) X(DELETE_FAST) X(LOAD_DEREF) X(STORE_DEREF) X(DELETE_DEREF)       \
  X(LOAD_CLOSURE) X(LOAD_CLASSDEREF) X(LOAD_GLOBAL) X(STORE_GLOBAL) X(DELETE_GLOBAL) X(LOAD_NAME) X(STORE_NAME)     \
  X(DELETE_NAME) X(LOAD_BUILTIN) X(LOAD_ATTR) X(STORE_ATTR) X(DELETE_ATTR) X(LOAD_SPECIAL) X(LOAD_SUBSCR)           \
  X(STORE_SUBSCR) X(DELETE_SUBSCR) X(BINARY) X(INPLACE) X(UNARY) X(COMPARE) X(BUILD_TUPLE) X(BUILD_LIST)            \
  X(BUILD_SET) X(BUILD_STRING) X(BUILD_SLICE) X(BUILD_MAP) X(LIST_APPEND) X(SET_ADD) X(MAP_ADD) X(LIST_EXTEND)      \
  X(SET_UPDATE) X(DICT_UPDATE) X(DICT_MERGE) X(LIST_TO_TUPLE) X(FORMAT_VALUE) X(UNPACK_SEQUENCE) X(UNPACK_EX)       \
  X(GET_ITER) X(FOR_ITER) X(JUMP) X(POP_JUMP_IF_FALSE) X(POP_JUMP_IF_TRUE) X(JUMP_IF_FALSE_OR_POP)                  \
  X(JUMP_IF_TRUE_OR_POP) X(LOOP) X(CALL) X(CALL_KW) X(CALL_EX) X(MAKE_FUNCTION) X(BUILD_CLASS) X(RETURN_VALUE)      \
  X(YIELD_VALUE) X(GET_YIELD_FROM_ITER) X(YIELD_FROM) X(RAISE) X(PUSH_EXC_INFO) X(POP_EXCEPT) X(RERAISE)            \
  X(CHECK_EXC_MATCH) X(PUSH_EXC_ARGS) X(POP_TOP) X(COPY) X(SWAP) X(IMPORT) X(IMPORT_NATIVE) X(IMPORT_FROM) X(FAIL)  \
  X(LOAD_ABSENT)
// clang-format on

enum class Operation : std::uint8_t {
#define ASSAY_OPERATION(name) name,
  ASSAY_OPERATIONS(ASSAY_OPERATION)
#undef ASSAY_OPERATION
};

/// Operand of BINARY and INPLACE.
enum class Operator : std::uint8_t {
  Add,
  Sub,
  Mult,
  Div,
  FloorDiv,
  Mod,
  Pow,
  LShift,
  RShift,
  BitOr,
  BitXor,
  BitAnd,
  MatMult
};

}  // namespace assay::languages::python
