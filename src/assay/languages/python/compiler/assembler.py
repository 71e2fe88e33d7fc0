"""Collects the instructions of one code: labels, handlers, the depth of the stack.

The depth is followed while instructions are added, so that every handler knows how much of the stack
survives, and so that a mistake of the compiler is noticed here and not in the machine. What cannot be reached
(behind a `return`) is left out.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import field

from assay.languages.python.code import NUMBER_OF
from assay.records import dataclass

OPERAND_LIMIT = 1 << 24
Position = tuple[int, int, int, int]

NAMED_OPERANDS = {"LOAD_BUILTIN", "LOAD_ATTR", "STORE_ATTR", "DELETE_ATTR", "LOAD_SPECIAL", "LOAD_NAME"} | {
    "STORE_NAME",
    "DELETE_NAME",
    "IMPORT_NATIVE",
    "IMPORT_FROM",
}
# What an instruction does to the depth of the stack when it does not jump.
FIXED_EFFECTS = {
    **dict.fromkeys(
        "LOAD_CONST LOAD_FAST LOAD_DEREF LOAD_CLOSURE LOAD_CLASSDEREF LOAD_GLOBAL LOAD_NAME LOAD_BUILTIN "
        "PUSH_EXC_INFO COPY IMPORT IMPORT_NATIVE IMPORT_FROM FOR_ITER LOAD_ABSENT".split(),
        1,
    ),
    **dict.fromkeys(
        "NOP DELETE_FAST DELETE_DEREF DELETE_GLOBAL DELETE_NAME LOAD_ATTR LOAD_SPECIAL UNARY LIST_TO_TUPLE "
        "GET_ITER JUMP LOOP YIELD_VALUE GET_YIELD_FROM_ITER CHECK_EXC_MATCH SWAP FAIL".split(),
        0,
    ),
    **dict.fromkeys(
        "STORE_FAST STORE_DEREF STORE_GLOBAL STORE_NAME DELETE_ATTR LOAD_SUBSCR BINARY INPLACE COMPARE "
        "LIST_APPEND SET_ADD LIST_EXTEND SET_UPDATE DICT_UPDATE DICT_MERGE POP_JUMP_IF_FALSE "
        "POP_JUMP_IF_TRUE JUMP_IF_FALSE_OR_POP JUMP_IF_TRUE_OR_POP RETURN_VALUE YIELD_FROM POP_EXCEPT "
        "RERAISE POP_TOP".split(),
        -1,
    ),
    **dict.fromkeys("STORE_ATTR DELETE_SUBSCR MAP_ADD".split(), -2),
    "STORE_SUBSCR": -3,
    "PUSH_EXC_ARGS": 3,
}
COUNTED_EFFECTS: dict[str, Callable[[int], int]] = {
    **dict.fromkeys("BUILD_TUPLE BUILD_LIST BUILD_SET BUILD_STRING BUILD_SLICE".split(), lambda n: 1 - n),
    "BUILD_MAP": lambda n: 1 - 2 * n,
    "FORMAT_VALUE": lambda flags: -1 if flags & 4 else 0,
    "UNPACK_SEQUENCE": lambda n: n - 1,
    "UNPACK_EX": lambda n: (n & 255) + (n >> 8),
    "CALL": lambda n: -n,
    "CALL_KW": lambda n: -n - 1,
    "CALL_EX": lambda flags: -1 - (flags & 1),
    "MAKE_FUNCTION": lambda flags: -flags.bit_count(),
    "BUILD_CLASS": lambda flags: -3 - (flags & 1),
    "RAISE": lambda n: -n,
}
JUMPED_EFFECTS = {  # where it differs from not jumping
    "FOR_ITER": -1,
    "JUMP_IF_FALSE_OR_POP": 0,
    "JUMP_IF_TRUE_OR_POP": 0,
}
KEEPING = {
    "JUMP_IF_FALSE_OR_POP": "POP_JUMP_IF_FALSE",
    "JUMP_IF_TRUE_OR_POP": "POP_JUMP_IF_TRUE",
}  # with what is left of them when the value is not needed
ENDS = {"JUMP", "LOOP", "RETURN_VALUE", "RAISE", "RERAISE"}


@dataclass(slots=True, eq=False)
class Label:
    """A place to jump to; both are unknown until something jumps there or it is placed."""

    index: int | None = None
    depth: int | None = None


@dataclass(slots=True, eq=False)
class Region:
    """Instructions whose exceptions go to one handler, without copies of a `finally` in their middle."""

    target: Label
    depth: int
    ranges: list[tuple[int, int]] = field(default_factory=list)
    start: int | None = None  # of the range that is open


@dataclass(slots=True)
class Budget:
    """How many instructions a module may still have: nested `finally` parts double with each level."""

    left: int = 200_000

    def spend(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise OverflowError("it has more than 200 000 instructions")


class Assembler:
    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.instructions: list[tuple[str, int | Label]] = []
        self.positions: list[Position] = []
        self.position: Position = (1, 0, 1, 0)
        self.names: dict[str, int] = {}
        self.constants: dict[object, int] = {}
        self.constant_values: list[object] = []
        self.handlers: list[tuple[int, int, Label, int]] = []
        self.depth = 0
        self.reachable = True

    def at(self, node: ast.AST) -> None:
        """What follows belongs to this piece of source."""
        line = getattr(node, "lineno", None)
        if line is not None:
            self.position = (
                line,
                getattr(node, "col_offset", 0),
                getattr(node, "end_lineno", line) or line,
                getattr(node, "end_col_offset", 0) or 0,
            )

    def emit(self, operation: str, operand: int = 0) -> None:
        self.budget.spend()
        if not self.reachable:
            return
        if not 0 <= operand < OPERAND_LIMIT:
            raise OverflowError(f"an operand of {operation} is too large")
        self.instructions.append((operation, operand))
        self.positions.append(self.position)
        effect = FIXED_EFFECTS.get(operation)
        self.depth += COUNTED_EFFECTS[operation](operand) if effect is None else effect
        assert self.depth >= 0, operation
        if operation in ENDS:
            self.reachable = False

    def named(self, operation: str, name: str) -> None:
        self.emit(operation, self.names.setdefault(name, len(self.names)))

    def constant(self, value: object) -> None:
        self.emit("LOAD_CONST", self.constant_index(value))

    def load_absent(self, name: str, problem: str, assumption: str) -> None:
        self.emit("LOAD_ABSENT", self.constant_index((name, problem, assumption)))

    def constant_index(self, value: object) -> int:
        key = constant_key(value)
        if key not in self.constants:
            self.constants[key] = len(self.constant_values)
            self.constant_values.append(value)
        return self.constants[key]

    def jump(self, operation: str, label: Label) -> None:
        if not self.reachable:
            return
        self.instructions.append((operation, label))
        self.positions.append(self.position)
        jumped = self.depth + JUMPED_EFFECTS.get(operation, FIXED_EFFECTS[operation])
        assert label.depth in {None, jumped}, (
            f"{operation} brings {jumped} values where {label.depth} are expected"
        )
        label.depth = jumped
        self.depth += FIXED_EFFECTS[operation]
        if operation in ENDS:
            self.reachable = False

    def place(self, label: Label) -> None:
        assert label.index is None
        label.index = len(self.instructions)
        if self.reachable:
            assert label.depth in {None, self.depth}, "paths meet with different stacks"
            label.depth = self.depth
        elif label.depth is not None:
            self.depth = label.depth
            self.reachable = True

    def open_region(self, target: Label) -> Region:
        """Exceptions from here on cut the stack to its present depth and go to `target`."""
        region = Region(target, self.depth)
        self.resume(region)
        return region

    def resume(self, region: Region) -> None:
        region.start = len(self.instructions)

    def suspend(self, region: Region) -> None:
        assert region.start is not None
        if region.start < len(self.instructions):
            region.ranges.append((region.start, len(self.instructions)))
        region.start = None

    def close_region(self, region: Region) -> None:
        """Inner regions are closed before outer ones, and so the table has them first."""
        self.suspend(region)
        for start, end in region.ranges:
            self.handlers.append((start, end, region.target, region.depth))
            region.target.depth = region.depth + 1

    def finish(self) -> tuple[tuple[int, ...], tuple[tuple[int, int, int, int], ...]]:
        """Instructions as numbers, and the table of handlers."""
        numbers = []
        placed = []
        for operation, operand in self.instructions:
            if isinstance(operand, Label):
                assert operand.index is not None
                placed.append((operation, operand.index))
            else:
                placed.append((operation, operand))
        for operation, operand in threaded(placed):
            if operand >= OPERAND_LIMIT:
                raise OverflowError("a jump is too long")
            numbers.append(NUMBER_OF[operation] | operand << 8)
        handlers = []
        for start, end, target, depth in self.handlers:
            assert target.index is not None
            handlers.append((start, end, target.index, depth))
        return tuple(numbers), tuple(handlers)


def threaded(instructions: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Lets `a and b or c` ask for the truth of each value once, as CPython does.

    A value that was found false and is kept would be asked again by the jump it is carried to; what that one
    does is known already.
    """
    result = list(instructions)
    for index in range(len(result) - 1, -1, -1):  # jumps go forwards, so their targets are done
        operation, target = result[index]
        while operation in KEEPING and result[target][0] in {*KEEPING, *KEEPING.values()}:
            following, further = result[target]
            if ("FALSE" in following) != ("FALSE" in operation):  # it does not jump, and drops the value
                operation, target = KEEPING[operation], target + 1
            elif following in KEEPING:
                target = further
            else:
                operation, target = following, further
        result[index] = operation, target
    return result


def constant_key(value: object) -> object:
    """Equal for constants that may share a place: 1, 1.0 and True are equal but may not."""
    if isinstance(value, tuple):
        return tuple, tuple(constant_key(item) for item in value)
    if isinstance(value, float | complex):
        return type(value), repr(value)  # tells 0.0 from -0.0
    if isinstance(value, int | str | bytes | bool | type(None)) or value is ...:
        return type(value), value
    return id(value), type(value)
