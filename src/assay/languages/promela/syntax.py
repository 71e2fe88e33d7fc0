"""The syntax tree of a Promela model, as the parser leaves it.

Macros and inlines are already expanded; names are not yet resolved. Every node
carries the place in the source it came from.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import field
from enum import Enum

from assay.records import dataclass

# The parser refuses more, so whoever walks a tree knows how deep it can be.
NESTING_LIMIT = 200  # parentheses, blocks and statements inside one another
OPERATOR_LIMIT = 5000  # binary operators in one statement: `a + b + c + ...` is a tree as deep


@contextmanager
def deep_recursion(limit: int = 20_000) -> Iterator[None]:
    """Room for a recursive walk of the deepest tree, whatever the caller has used up."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, limit))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


@dataclass(frozen=True, slots=True)
class Location:
    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


# --- expressions ---------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Expression:
    where: Location


@dataclass(frozen=True, slots=True)
class Number(Expression):
    """A constant; `text` is how it was written (`skip`, `true`, `'a'`), for people only."""

    value: int
    text: str = field(default="", compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class StringLiteral(Expression):
    """Only as an argument of printf; `value` is what stands between the quotes, escapes kept."""

    value: str


@dataclass(frozen=True, slots=True)
class Part:
    """One link of a reference such as `table[i].next`."""

    name: str
    index: Expression | None = None


@dataclass(frozen=True, slots=True)
class Reference(Expression):
    """A variable, a channel, an mtype constant or a predefined name (`_pid`, `_nr_pr`, `_last`)."""

    parts: tuple[Part, ...]

    @property
    def name(self) -> str:
        return self.parts[0].name


@dataclass(frozen=True, slots=True)
class Unary(Expression):
    operator: str  # "!", "-", "~"
    operand: Expression


@dataclass(frozen=True, slots=True)
class Binary(Expression):
    operator: str  # + - * / % & | ^ << >> == != < <= > >= && ||
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Conditional(Expression):
    condition: Expression
    then: Expression
    otherwise: Expression


@dataclass(frozen=True, slots=True)
class Run(Expression):
    proctype: str
    arguments: tuple[Expression, ...]
    priority: Expression | None = None


@dataclass(frozen=True, slots=True)
class Length(Expression):
    channel: Reference


@dataclass(frozen=True, slots=True)
class ChannelTest(Expression):
    test: str  # "empty", "nempty", "full", "nfull"
    channel: Reference


class Match(Enum):
    """How one field of a receive meets the message."""

    STORE = "store"  # a variable takes the value
    EQUAL = "equal"  # a constant, an mtype name or eval(...) must equal it
    IGNORE = "ignore"  # `_`


@dataclass(frozen=True, slots=True)
class MessageField:
    """STORE and EQUAL carry an expression; a plain name may turn out to be an mtype constant."""

    match: Match
    expression: Expression | None
    evaluated: bool = False  # written as eval(...)


@dataclass(frozen=True, slots=True)
class Poll(Expression):
    channel: Reference
    anywhere: bool  # `??[...]`
    fields: tuple[MessageField, ...]


@dataclass(frozen=True, slots=True)
class Enabled(Expression):
    process: Expression


@dataclass(frozen=True, slots=True)
class PcValue(Expression):
    process: Expression


@dataclass(frozen=True, slots=True)
class GetPriority(Expression):
    process: Expression


@dataclass(frozen=True, slots=True)
class SetPriority(Expression):
    process: Expression
    priority: Expression


@dataclass(frozen=True, slots=True)
class Timeout(Expression):
    pass


@dataclass(frozen=True, slots=True)
class NonProgress(Expression):
    """`np_`"""


@dataclass(frozen=True, slots=True)
class RemoteLabel(Expression):
    """`P[i]@label`; without an index, the only instance."""

    proctype: str
    process: Expression | None
    label: str


@dataclass(frozen=True, slots=True)
class RemoteVariable(Expression):
    """`P[i]:x`"""

    proctype: str
    process: Expression | None
    variable: Reference


@dataclass(frozen=True, slots=True)
class EmbeddedText:
    """C as the compiler gets it: with the markers of the preprocessor, from where it starts."""

    where: Location
    text: str


@dataclass(frozen=True, slots=True)
class EmbeddedCExpression(Expression):
    text: str
    precondition: str | None = None  # c_expr [precondition] { text }
    code: EmbeddedText | None = None


@dataclass(frozen=True, slots=True)
class Next(Expression):
    """`next.x` in a step invariant: the value after the step."""

    expression: Expression


# --- declarations --------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ChannelSpec:
    """`[capacity] of { field types }`; a field type is a basic type name or a typedef name."""

    where: Location
    capacity: Expression
    fields: tuple[str, ...]
    mtype_sets: tuple[str | None, ...] = ()  # per field, the set's name for `mtype:colour`


@dataclass(frozen=True, slots=True)
class Variable:
    """One declared name. `type` is bit, bool, byte, pid, short, int, unsigned, mtype, chan or a typedef.

    `mtype_set` is the set's name for `mtype:colour x`. `initial` is one
    expression, a channel, or one expression per element (`{ 1, 2, 3 }`).
    """

    where: Location
    type: str
    name: str
    width: int | None = None  # unsigned x : 5
    mtype_set: str | None = None
    length: Expression | None = None  # array; None for a scalar
    initial: Expression | ChannelSpec | tuple[Expression, ...] | None = None
    visibility: str | None = None  # "hidden", "show", "local"


# --- statements ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Statement:
    where: Location


@dataclass(frozen=True, slots=True)
class Declare(Statement):
    variables: tuple[Variable, ...]


@dataclass(frozen=True, slots=True)
class Exclusive(Statement):
    """`xr q, r` or `xs q`."""

    direction: str  # "xr", "xs"
    channels: tuple[Reference, ...]


@dataclass(frozen=True, slots=True)
class Assign(Statement):
    """`x = e`; `x++` and `x--` keep their operator for the source text but have `value` x+1, x-1."""

    target: Reference
    value: Expression
    operator: str = "="  # "=", "++", "--"


@dataclass(frozen=True, slots=True)
class Condition(Statement):
    """An expression as a statement; `skip` is the number 1; `run P()` alone is one too."""

    expression: Expression


@dataclass(frozen=True, slots=True)
class Else(Statement):
    pass


@dataclass(frozen=True, slots=True)
class Send(Statement):
    channel: Reference
    sorted: bool  # `!!`
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Receive(Statement):
    channel: Reference
    anywhere: bool  # `??`
    keep: bool  # `?<...>`
    fields: tuple[MessageField, ...]


@dataclass(frozen=True, slots=True)
class Assert(Statement):
    expression: Expression


@dataclass(frozen=True, slots=True)
class Print(Statement):
    """printf or printm. `format` is None for printm."""

    format: str | None
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Goto(Statement):
    label: str


@dataclass(frozen=True, slots=True)
class Break(Statement):
    pass


@dataclass(frozen=True, slots=True)
class Labelled(Statement):
    """`label: statement`; several labels nest."""

    label: str
    statement: Statement


@dataclass(frozen=True, slots=True)
class Sequence(Statement):
    """Statements in order; declarations among them open no scope of their own."""

    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Block(Statement):
    """`{ ... }`: a sequence with a scope of its own."""

    body: Sequence


@dataclass(frozen=True, slots=True)
class InlineBody(Statement):
    """The expansion of an inline call: a scope of its own since SPIN 6."""

    name: str
    body: Sequence
    arguments: tuple[Expression, ...] = ()
    target: Reference | None = None  # `x = f(1)`: what `return` in the body assigns to


@dataclass(frozen=True, slots=True)
class Atomic(Statement):
    body: Sequence


@dataclass(frozen=True, slots=True)
class DStep(Statement):
    body: Sequence


@dataclass(frozen=True, slots=True)
class If(Statement):
    options: tuple[Sequence, ...]


@dataclass(frozen=True, slots=True)
class Do(Statement):
    options: tuple[Sequence, ...]


@dataclass(frozen=True, slots=True)
class Unless(Statement):
    main: Statement
    escape: Statement


@dataclass(frozen=True, slots=True)
class ForRange(Statement):
    variable: Reference
    low: Expression
    high: Expression
    body: Sequence


@dataclass(frozen=True, slots=True)
class ForIn(Statement):
    """`for (x in a)`: an array, or the messages of a channel."""

    variable: Reference
    collection: Reference
    body: Sequence


class SelectForm(Enum):
    """What SPIN makes of a select; its lexer decides, so it depends on how the text is written.

    OPTIONS: `if :: x = low :: ... :: x = high fi`; a label names the if.
    TEXT_LOOP: `x = low; do :: (x < high) -> x++ :: break od`; a label names the assignment.
    LOOP: `x = low` joins the enclosing sequence first, then `do :: break :: (x < high); x = x + 1 od`;
    a label names the loop, not the assignment.
    """

    OPTIONS = "options"
    TEXT_LOOP = "text loop"
    LOOP = "loop"


@dataclass(frozen=True, slots=True)
class Select(Statement):
    variable: Reference
    low: Expression
    high: Expression
    form: SelectForm = SelectForm.LOOP


@dataclass(frozen=True, slots=True)
class EmbeddedC(Statement):
    """c_code and c_decl as statements; c_expr is an expression."""

    keyword: str
    text: str
    precondition: str | None = None  # c_code [precondition] { text }
    code: EmbeddedText | None = None


# --- modules -------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Proctype:
    where: Location
    name: str
    parameters: tuple[Variable, ...]
    body: Sequence
    active: Expression | None = None  # number of instances started at once; None: not active
    priority: Expression | None = None
    provided: Expression | None = None
    is_init: bool = False
    deterministic: bool = False  # D_proctype


@dataclass(frozen=True, slots=True)
class Typedef:
    where: Location
    name: str
    fields: tuple[Variable, ...]


@dataclass(frozen=True, slots=True)
class MtypeDeclaration:
    where: Location
    set_name: str | None
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Claim:
    """never, ltl, trace or notrace: kept whole, checked by another stage."""

    where: Location
    kind: str
    name: str | None
    formula: str | None = None  # ltl: its text
    formula_where: Location | None = None
    temporal: Expression | None = (
        None  # ltl: its tree, with Unary "[]" "<>" "X", Binary "U" "V" "W" "->" "<->"
    )
    body: Sequence | None = None  # never, trace, notrace


@dataclass(frozen=True, slots=True)
class EmbeddedCDeclaration:
    """c_decl, c_state, c_track or a c_code outside every process."""

    where: Location
    keyword: str
    text: str
    precondition: str | None = None
    arguments: tuple[str, ...] = ()  # the strings of c_state and c_track, without their quotes
    code: EmbeddedText | None = None


@dataclass(frozen=True, slots=True)
class SourceFile:
    path: str
    sha256: str
    text: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Model:
    """A whole model. `units` keeps the order of the source: declarations of variables,
    processes, types and claims, because pids and initial values depend on it."""

    units: tuple[
        Proctype | Typedef | MtypeDeclaration | Declare | Exclusive | Claim | EmbeddedCDeclaration, ...
    ]
    sources: tuple[SourceFile, ...]
