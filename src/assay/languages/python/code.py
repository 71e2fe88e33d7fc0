"""Code for the machine (docs/python/machine.md): what the compiler makes and the engine runs."""

from __future__ import annotations

from dataclasses import field

from assay.records import dataclass

OPERATIONS = (
    "NOP LOAD_CONST LOAD_FAST STORE_FAST DELETE_FAST LOAD_DEREF STORE_DEREF DELETE_DEREF "
    "LOAD_CLOSURE LOAD_CLASSDEREF LOAD_GLOBAL STORE_GLOBAL DELETE_GLOBAL LOAD_NAME STORE_NAME "
    "DELETE_NAME LOAD_BUILTIN LOAD_ATTR STORE_ATTR DELETE_ATTR LOAD_SPECIAL LOAD_SUBSCR "
    "STORE_SUBSCR DELETE_SUBSCR BINARY INPLACE UNARY COMPARE BUILD_TUPLE BUILD_LIST "
    "BUILD_SET BUILD_STRING BUILD_SLICE BUILD_MAP LIST_APPEND SET_ADD MAP_ADD LIST_EXTEND "
    "SET_UPDATE DICT_UPDATE DICT_MERGE LIST_TO_TUPLE FORMAT_VALUE UNPACK_SEQUENCE UNPACK_EX "
    "GET_ITER FOR_ITER JUMP POP_JUMP_IF_FALSE POP_JUMP_IF_TRUE JUMP_IF_FALSE_OR_POP "
    "JUMP_IF_TRUE_OR_POP LOOP CALL CALL_KW CALL_EX MAKE_FUNCTION BUILD_CLASS RETURN_VALUE "
    "YIELD_VALUE GET_YIELD_FROM_ITER YIELD_FROM RAISE PUSH_EXC_INFO POP_EXCEPT RERAISE "
    "CHECK_EXC_MATCH PUSH_EXC_ARGS POP_TOP COPY SWAP IMPORT IMPORT_NATIVE IMPORT_FROM FAIL "
    "LOAD_ABSENT"
).split()
NUMBER_OF = {name: number for number, name in enumerate(OPERATIONS)}
OPERATORS = (
    "Add Sub Mult Div FloorDiv Mod Pow LShift RShift BitOr BitXor BitAnd MatMult"  # names of ast nodes
).split()
COMPARISONS = "Lt LtE Eq NotEq Gt GtE In NotIn Is IsNot".split()


@dataclass(frozen=True, slots=True)
class Code:
    """A module, function, class body, lambda or comprehension."""

    name: str
    qualname: str
    module: int
    first_line: int
    positional: int = 0  # parameters that can be given by position, `positional_only` included
    positional_only: int = 0
    keyword_only: int = 0
    varargs: bool = False
    varkw: bool = False
    generator: bool = False
    coroutine: bool = False  # refused when it is called; with `generator`, an asynchronous one
    annotated: bool = False  # a function has annotations, and this is all that is kept of them
    atomic: bool = False
    early: bool = False  # atomic, and may happen at once after what its thread did before
    documentation: str | None = None  # of a function: its `__doc__`
    native: bytes | None = None  # likewise: what CPython compiles it to, where a program asks for `__code__`
    local_names: tuple[str, ...] = ()  # parameters first: positional, keyword-only, *args, **kwargs
    cell_names: tuple[str, ...] = ()
    free_names: tuple[str, ...] = ()
    cell_parameters: tuple[tuple[int, int], ...] = ()  # (cell, local): moved into the cell at entry
    names: tuple[str, ...] = ()
    constants: tuple[object, ...] = ()
    instructions: tuple[int, ...] = ()  # operation | operand << 8
    positions: tuple[tuple[int, int, int, int], ...] = ()  # line, column, end line, end column (from 1, 0)
    handlers: tuple[tuple[int, int, int, int], ...] = ()  # start, end, target, depth; innermost first


@dataclass(frozen=True, slots=True)
class Module:
    name: str
    file: str  # as the user named it; library modules: "<assay>/threading.py"
    is_library: bool
    code: Code
    global_names: tuple[str, ...]
    final_globals: frozenset[str]  # one store, in the module's body and outside of loops
    is_annotated: bool = False  # its body has annotations, so it has `__annotations__`
    body_globals: frozenset[str] = frozenset()  # touched by the body alone: no other thread can see them


@dataclass(frozen=True, slots=True)
class Program:
    modules: tuple[Module, ...]  # the first is the program, as __main__
    final_attributes: frozenset[str]  # stored only as `self.x = ...` in an __init__, and in class bodies
    texts: dict[str, str] = field(default_factory=dict)  # file -> source text
    has_repeated_classes: bool = False  # some class statements are executed more than once
    keeps_annotations: bool = False  # of functions and classes, because somebody looks at them
    native_modules: tuple[str, ...] = ()  # what IMPORT_NATIVE names, in the order of first appearance
    data_files: tuple[str, ...] = ()  # of packages, which the program reads
    notes: tuple[str, ...] = ()  # what a verdict has to mention
