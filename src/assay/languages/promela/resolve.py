"""Names to meanings: scopes, types, constants; syntax expressions to resolved ones.

Promela's scopes since SPIN 6: a block, an atomic or d_step body, a loop body and an
inline expansion each open one; all locals of a process live in the process anyway,
so a scope only decides which variable a name means.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field

from assay.languages.promela import operations as ops
from assay.languages.promela import syntax
from assay.languages.promela.embedded_c.fragments import EmbeddedCode
from assay.languages.promela.operations import (
    BIT,
    BOOL,
    BYTE,
    CHAN,
    INT,
    PID,
    SHORT,
    ChannelShape,
    Const,
    Expr,
    Field,
    FieldMatch,
    Load,
    Place,
    Process,
    Scalar,
    Step,
    Structure,
    Symbol,
    Type,
)
from assay.languages.promela.syntax import Location, Match
from assay.records import dataclass
from assay.transition_system.interface import SourceProblem, UnsupportedConstruct

SCALARS = {"bit": BIT, "bool": BOOL, "byte": BYTE, "pid": PID, "short": SHORT, "int": INT, "chan": CHAN}
PREDEFINED = {"_pid", "_nr_pr", "_last", "_priority", "_"}
MAXIMAL_ARRAY = 1 << 16
MAXIMAL_CAPACITY = 255
MAXIMAL_MESSAGE_FIELDS = 4096


@dataclass(slots=True)
class Scope:
    """A block of names; `path` tells scopes apart, as labels need."""

    parent: Scope | None
    path: tuple[int, ...] = ()
    names: dict[str, Symbol] = field(default_factory=dict)
    children: int = 0

    def open(self) -> Scope:
        self.children += 1
        return Scope(self, (*self.path, self.children))

    def find(self, name: str) -> Symbol | None:
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.parent
        return None

    def all_names(self) -> list[str]:
        return [*self.names, *(self.parent.all_names() if self.parent is not None else [])]


def nearest(name: str, names: Iterable[str]) -> str | None:
    """The name that somebody may have meant who wrote another."""
    from difflib import get_close_matches  # for a mistake only

    return next(iter(get_close_matches(name, list(names), n=1)), None)


class Resolver:
    """The names of one model. `globals_` and `processes` fill up as the model is read in order."""

    def __init__(self) -> None:
        self.global_scope = Scope(None)
        self.globals: list[Symbol] = []
        self.typedefs: dict[str, Structure] = {}
        self.mtypes: dict[str, int] = {}
        self.mtype_sets: dict[str, list[str]] = {}
        self.processes: dict[str, Process] = {}
        self.remote_variables: list[tuple[Process, str]] = []
        self.uses_last = False
        self.uses_priority = False
        self.uses_enabled = False
        self.uses_timeout = False
        self.uses_pc_value = False
        self.uses_remote = False
        self.first_uses: dict[str, Location] = {}  # of what not every form of a model can say
        self.in_claim = False  # what is resolved now belongs to a claim
        self.embedded = EmbeddedCode()

    # --- declarations ---

    def declare_mtype(self, declaration: syntax.MtypeDeclaration) -> None:
        names = self.mtype_sets.setdefault(declaration.set_name or "", [])
        # SPIN numbers the names of one declaration from the last to the first,
        # and a second declaration goes on after the first.
        for name in reversed(declaration.names):
            if name in self.mtypes:
                raise SourceProblem(f"mtype name '{name}' is declared twice", where=declaration.where)
            names.append(name)
            self.mtypes[name] = len(names)
        if len(names) > 255:
            raise SourceProblem("an mtype has at most 255 names", where=declaration.where)

    def declare_typedef(self, definition: syntax.Typedef) -> None:
        if definition.name in self.typedefs:
            raise SourceProblem(f"typedef '{definition.name}' is declared twice", where=definition.where)
        fields: list[Field] = []
        for variable in definition.fields:
            type_ = self.type_of(variable)
            length = self.length_of(variable)
            initial: tuple[int, ...] | None = None
            channel: ChannelShape | None = None
            if isinstance(variable.initial, syntax.ChannelSpec):
                channel = self.channel_shape(variable.initial)
            elif isinstance(variable.initial, tuple):
                initial = tuple(self.constant(e) for e in variable.initial)
            elif variable.initial is not None:
                initial = (self.constant(variable.initial),)
            if any(f.name == variable.name for f in fields):
                raise SourceProblem(f"field '{variable.name}' is declared twice", where=variable.where)
            fields.append(Field(variable.name, type_, length, initial, channel))
        self.typedefs[definition.name] = Structure(definition.name, tuple(fields))

    def type_of(self, variable: syntax.Variable) -> Type:
        if variable.type == "unsigned":
            if variable.width is None:
                raise SourceProblem(
                    f"expected a width for unsigned '{variable.name}', got none",
                    where=variable.where,
                    hint="write for example 'unsigned x : 4'",
                )
            if not 1 <= variable.width <= 32:
                raise SourceProblem(
                    f"expected a width between 1 and 32, got {variable.width}", where=variable.where
                )
            return Scalar("unsigned", variable.width)
        if variable.width is not None:
            raise SourceProblem("only unsigned variables have a width", where=variable.where)
        if variable.type == "mtype":
            return Scalar("mtype", 8, mtype_set=variable.mtype_set or "")
        if variable.type in ("bit", "bool") and variable.length is not None:
            # As in SPIN, the elements of a bit array are whole bytes and hold what a byte holds.
            return Scalar(variable.type, 8)
        if variable.type in SCALARS:
            return SCALARS[variable.type]
        if variable.type in self.typedefs:
            return self.typedefs[variable.type]
        raise SourceProblem(f"unknown type '{variable.type}'", where=variable.where)

    def length_of(self, variable: syntax.Variable) -> int | None:
        if variable.length is None:
            return None
        length = self.constant(variable.length)
        if not 1 <= length <= MAXIMAL_ARRAY:
            raise SourceProblem(
                f"expected an array length between 1 and {MAXIMAL_ARRAY}, got {length}",
                where=variable.where,
            )
        return length

    def channel_shape(self, spec: syntax.ChannelSpec) -> ChannelShape:
        capacity = self.constant(spec.capacity)
        if not 0 <= capacity <= MAXIMAL_CAPACITY:
            raise SourceProblem(
                f"expected a channel capacity between 0 and {MAXIMAL_CAPACITY}, got {capacity}",
                where=spec.where,
            )
        fields: list[Scalar] = []
        sets = spec.mtype_sets or (None,) * len(spec.fields)
        for name, mtype_set in zip(spec.fields, sets, strict=True):
            fields.extend(self.message_scalars(name, mtype_set, spec.where))
        if len(fields) == 1 and fields[0].bits == 1:
            # As in SPIN, a bit that is the whole message is stored as a byte.
            fields = [Scalar(fields[0].name, 8)]
        return ChannelShape(capacity, tuple(fields))

    def message_scalars(self, type_name: str, mtype_set: str | None, where: Location) -> list[Scalar]:
        if type_name == "mtype":
            return [Scalar("mtype", 8, mtype_set=mtype_set or "")]
        if type_name in SCALARS:
            return [SCALARS[type_name]]
        if type_name in self.typedefs:
            return [scalar for _, scalar, _ in flatten(self.typedefs[type_name], (), where)]
        raise SourceProblem(f"expected a message field type, got '{type_name}'", where=where)

    def declare(self, variable: syntax.Variable, scope: Scope, owner: Process | None) -> Symbol:
        if variable.name in PREDEFINED:
            raise SourceProblem(f"'{variable.name}' is predefined", where=variable.where)
        if variable.name in scope.names:
            raise SourceProblem(f"'{variable.name}' is declared twice", where=variable.where)
        if variable.name in self.mtypes:
            raise SourceProblem(
                f"'{variable.name}' is an mtype name already", where=variable.where, hint="rename one of them"
            )
        symbol = Symbol(
            name=variable.name,
            type=self.type_of(variable),
            where=variable.where,
            owner=owner.name if owner else None,
            length=self.length_of(variable),
            hidden=variable.visibility == "hidden",
            local_use=variable.visibility == "local",
        )
        if isinstance(variable.initial, syntax.ChannelSpec):
            if symbol.type is not CHAN:
                raise SourceProblem("only a chan is initialised with a channel", where=variable.where)
            symbol.channel = self.channel_shape(variable.initial)
        scope.names[variable.name] = symbol
        symbols = owner.symbols if owner else self.globals
        taken = {s.identifier for s in symbols}
        symbol.identifier = variable.name
        suffix = 1
        while symbol.identifier in taken:
            suffix += 1
            symbol.identifier = f"{variable.name}__{suffix}"
        symbols.append(symbol)
        return symbol

    # --- constants ---

    def constant(self, expression: syntax.Expression) -> int:
        match expression:
            case syntax.Number(_, value):
                return value
            case syntax.Unary(_, "-", operand):
                return -self.constant(operand)
            case syntax.Unary(_, "~", operand):
                return ~self.constant(operand)
            case syntax.Binary(_, operator, left, right):
                a, b = self.constant(left), self.constant(right)
                if operator in ("/", "%") and b == 0:
                    raise SourceProblem("division by zero in a constant", where=expression.where)
                result = fold_binary(operator, a, b)
                if result is not None:
                    return result
            case syntax.Conditional(_, condition, then, otherwise):
                return self.constant(then) if self.constant(condition) else self.constant(otherwise)
            case syntax.Reference(_, (syntax.Part(name, None),)):
                if name in self.mtypes:
                    return self.mtypes[name]
                symbol = self.global_scope.find(name)
                if symbol and symbol.length is None and isinstance(symbol.initial, Const):
                    return symbol.initial.value
        raise SourceProblem("expected a constant", where=expression.where)

    # --- expressions ---

    def place(self, reference: syntax.Reference, scope: Scope) -> Place | Symbol:
        """The scalar a reference means, or its symbol when it means a whole structure."""
        symbol = scope.find(reference.name)
        if symbol is None:
            raise self.undeclared(reference, scope)
        return self.place_in(symbol, reference, scope)

    def undeclared(self, reference: syntax.Reference, scope: Scope) -> SourceProblem:
        near = nearest(reference.name, [*scope.all_names(), *self.mtypes])
        return SourceProblem(
            f"undeclared variable '{reference.name}'",
            where=reference.where,
            hint=f"did you mean '{near}'?" if near else "",
        )

    def place_in(self, symbol: Symbol, reference: syntax.Reference, index_scope: Scope) -> Place | Symbol:
        steps: list[Step] = []
        type_: Type = symbol.type
        length = symbol.length
        channel = symbol.channel
        parts = reference.parts
        for position, part in enumerate(parts):
            index: Expr | None = None
            if part.index is not None:
                if length is None:
                    constant_zero = isinstance(part.index, syntax.Number) and part.index.value == 0
                    if not constant_zero:
                        raise SourceProblem(f"'{part.name}' is not an array", where=reference.where)
                else:
                    index = self.expression(part.index, index_scope)
            elif length is not None:
                raise SourceProblem(f"missing array index for '{part.name}'", where=reference.where)
            if position + 1 < len(parts):
                next_name = parts[position + 1].name
                if not isinstance(type_, Structure):
                    raise SourceProblem(f"'{part.name}' has no fields", where=reference.where)
                field_ = type_.field(next_name)
                if field_ is None:
                    raise SourceProblem(f"'{type_.name}' has no field '{next_name}'", where=reference.where)
                steps.append(Step(index, length, next_name))
                type_, length, channel = field_.type, field_.length, field_.channel
            else:
                steps.append(Step(index, length, None))
        if isinstance(type_, Structure):
            return symbol
        return Place(symbol, tuple(steps), type_, reference.where, channel)

    def scalar_place(self, reference: syntax.Reference, scope: Scope) -> Place:
        place = self.place(reference, scope)
        if isinstance(place, Symbol):
            raise SourceProblem(
                f"expected a number, got the structure '{reference.name}'",
                where=reference.where,
                hint="name one of its fields",
            )
        return place

    def structure_places(self, reference: syntax.Reference, scope: Scope) -> list[Place]:
        """A structure as a message or argument stands for all its scalars in order."""
        symbol = scope.find(reference.name)
        if symbol is None:
            raise self.undeclared(reference, scope)
        type_: Type = symbol.type
        length = symbol.length
        prefix: list[Step] = []
        parts = reference.parts
        for position, part in enumerate(parts):
            index = self.expression(part.index, scope) if part.index is not None else None
            if (index is None) != (length is None):
                raise SourceProblem(f"wrong number of indices for '{part.name}'", where=reference.where)
            next_name = parts[position + 1].name if position + 1 < len(parts) else None
            prefix.append(Step(index, length, next_name))
            if next_name is not None:
                field_ = type_.field(next_name) if isinstance(type_, Structure) else None
                if field_ is None:
                    raise SourceProblem(f"no field '{next_name}'", where=reference.where)
                type_, length = field_.type, field_.length
        assert isinstance(type_, Structure)
        places = []
        for path, scalar, channel in flatten(type_, (), reference.where):
            last = prefix[-1]
            steps = (*prefix[:-1], Step(last.index, last.length, path[0].field), *path[1:])
            places.append(Place(symbol, steps, scalar, reference.where, channel))
        return places

    def channel_place(self, reference: syntax.Reference, scope: Scope) -> Place:
        place = self.scalar_place(reference, scope)
        if place.type.name != "chan":
            # SPIN lets any number stand for a channel; a byte used as a channel is
            # nearly always a mistake, so we say so instead.
            raise SourceProblem(
                f"expected a channel, got {place.type.name} '{reference.name}'", where=reference.where
            )
        place.symbol.read = True
        return place

    def expression(self, e: syntax.Expression, scope: Scope) -> Expr:
        match e:
            case syntax.Number(_, value):
                return Const(wrap_int(value))
            case syntax.Reference(where, parts):
                return self.reference(e, parts, scope, where)
            case syntax.Unary(_, operator, operand):
                inner = self.expression(operand, scope)
                if isinstance(inner, Const):
                    value = inner.value
                    return Const(
                        int(not value) if operator == "!" else wrap_int(-value if operator == "-" else ~value)
                    )
                return ops.UnaryOp(operator, inner)
            case syntax.Binary(where, operator, left, right):
                a, b = self.expression(left, scope), self.expression(right, scope)
                if isinstance(a, Const) and isinstance(b, Const):
                    folded = fold_binary(operator, a.value, b.value)
                    if folded is not None:
                        return Const(folded)
                return ops.BinaryOp(operator, a, b, where)
            case syntax.Conditional(_, condition, then, otherwise):
                return ops.Choose(
                    self.expression(condition, scope),
                    self.expression(then, scope),
                    self.expression(otherwise, scope),
                )
            case syntax.Run(where, proctype, arguments, priority):
                level = 1
                if priority is not None:
                    level = self.constant(priority)
                    self.uses_priority = True
                    self.first_uses.setdefault("priorities", where)
                return ops.StartProcess(proctype, self.arguments(arguments, scope), level, where)
            case syntax.Length(_, channel):
                return ops.ChannelLength(self.channel_place(channel, scope))
            case syntax.ChannelTest(_, test, channel):
                return ops.ChannelState(test, self.channel_place(channel, scope))
            case syntax.Poll(where, channel, anywhere, fields):
                return ops.PollMessage(
                    self.channel_place(channel, scope),
                    anywhere,
                    self.message_fields(fields, scope, store=False),
                    where,
                )
            case syntax.Enabled(where, process):
                self.uses_enabled = True
                self.first_uses.setdefault("enabled()", where)
                return ops.IsEnabled(self.expression(process, scope), where)
            case syntax.PcValue(_, process):
                self.uses_pc_value = True
                self.first_uses.setdefault("pc_value()", e.where)
                return ops.LocationOf(self.expression(process, scope))
            case syntax.GetPriority(_, process):
                self.uses_priority = True
                self.first_uses.setdefault("priorities", e.where)
                return ops.PriorityOf(self.expression(process, scope))
            case syntax.Timeout():
                self.uses_timeout = True
                return ops.IsTimeout()
            case syntax.NonProgress() if self.in_claim:
                # As in SPIN, nothing goes wrong for ever where nothing goes on.
                return ops.BinaryOp(
                    "&&", ops.UnaryOp("!", ops.SomebodyAt("progress")), ops.SomebodyMoves(), e.where
                )
            case syntax.NonProgress(where):
                raise UnsupportedConstruct(
                    "np_ is only meaningful inside a never claim",
                    where=where,
                    hint="remove it from the process",
                )
            case syntax.RemoteLabel(where, proctype, process, label):
                self.uses_remote = True
                return ops.AtLabel(
                    proctype, self.expression(process, scope) if process is not None else None, label, where
                )
            case syntax.RemoteVariable(where, proctype, process, variable):
                return self.remote_variable(where, proctype, process, variable, scope)
            case syntax.EmbeddedCExpression(where, text, precondition, code):
                return ops.ForeignValue(self.embedded.add("c_expr", text, precondition, code, where))
            case syntax.Next(_, expression):
                return ops.InNextState(self.expression(expression, scope))
            case syntax.StringLiteral(where):
                raise SourceProblem("a string stands only in printf", where=where)
        raise SourceProblem(f"unexpected {type(e).__name__}", where=e.where)

    def reference(
        self, e: syntax.Reference, parts: tuple[syntax.Part, ...], scope: Scope, where: Location
    ) -> Expr:
        name = parts[0].name
        if len(parts) == 1 and scope.find(name) is None:
            if name in self.mtypes and parts[0].index is None:
                return Const(self.mtypes[name])
            if name == "_pid":
                return ops.OwnPid()
            if name == "_nr_pr":
                return ops.ProcessCount()
            if name == "_last":
                self.uses_last = True
                self.first_uses.setdefault("_last", where)
                return ops.LastPid()
            if name == "_priority":
                self.uses_priority = True
                self.first_uses.setdefault("priorities", where)
                return ops.PriorityOf(None)
            if name == "_":
                raise SourceProblem("'_' is write-only", where=where)
        place = self.scalar_place(e, scope)
        place.symbol.read = True
        return Load(place)

    def remote_variable(
        self,
        where: Location,
        proctype: str,
        process: syntax.Expression | None,
        variable: syntax.Reference,
        scope: Scope,
    ) -> Expr:
        self.uses_remote = True
        target = self.processes.get(proctype)
        if target is None:
            raise SourceProblem(f"unknown proctype '{proctype}'", where=where)
        symbol = next((s for s in target.symbols if s.name == variable.name), None)
        if symbol is None:
            raise SourceProblem(f"proctype '{proctype}' has no variable '{variable.name}'", where=where)
        place = self.place_in(symbol, variable, scope)
        if isinstance(place, Symbol):
            raise SourceProblem("expected a number, got a structure", where=where)
        symbol.read = True
        return ops.RemoteLoad(
            proctype, self.expression(process, scope) if process is not None else None, place
        )

    def arguments(self, arguments: Sequence[syntax.Expression], scope: Scope) -> tuple[Expr, ...]:
        """Message and run arguments, structures flattened."""
        result: list[Expr] = []
        for argument in arguments:
            if (
                isinstance(argument, syntax.Reference)
                and scope.find(argument.name) is not None
                and isinstance(self.place(argument, scope), Symbol)
            ):
                for place in self.structure_places(argument, scope):
                    place.symbol.read = True
                    result.append(Load(place))
            else:
                result.append(self.expression(argument, scope))
        return tuple(result)

    def message_fields(
        self, fields: Sequence[syntax.MessageField], scope: Scope, *, store: bool
    ) -> tuple[FieldMatch, ...]:
        result: list[FieldMatch] = []
        for item in fields:
            expression = item.expression
            if item.match is Match.IGNORE or expression is None:
                result.append(FieldMatch(Match.IGNORE))
            elif item.match is Match.EQUAL:
                result.append(FieldMatch(Match.EQUAL, self.expression(expression, scope)))
            else:
                if not isinstance(expression, syntax.Reference):
                    raise SourceProblem("expected a variable or a constant", where=expression.where)
                name = expression.name
                if name == "_" and len(expression.parts) == 1:
                    result.append(FieldMatch(Match.IGNORE))
                elif scope.find(name) is None and name in self.mtypes and len(expression.parts) == 1:
                    result.append(FieldMatch(Match.EQUAL, Const(self.mtypes[name])))
                elif isinstance(self.place(expression, scope), Symbol):
                    for place in self.structure_places(expression, scope):
                        place.symbol.assigned |= store
                        result.append(FieldMatch(Match.STORE, place=place))
                else:
                    place = self.scalar_place(expression, scope)
                    place.symbol.assigned |= store
                    result.append(FieldMatch(Match.STORE, place=place))
        return tuple(result)


def flatten(
    structure: Structure, prefix: tuple[Step, ...], where: Location
) -> list[tuple[tuple[Step, ...], Scalar, ChannelShape | None]]:
    """The scalars of a structure in order, each with the steps that lead to it."""
    result: list[tuple[tuple[Step, ...], Scalar, ChannelShape | None]] = []
    for item in structure.fields:
        if len(result) > MAXIMAL_MESSAGE_FIELDS:
            raise UnsupportedConstruct(
                f"a message of more than {MAXIMAL_MESSAGE_FIELDS} fields ('{structure.name}')", where=where
            )
        entry = Step(None, None, item.name)
        if isinstance(item.type, Structure):
            if item.length is not None:
                raise UnsupportedConstruct(
                    f"an array of structures ('{item.name}') inside a message",
                    where=where,
                    hint="send its fields",
                )
            for path, scalar, channel in flatten(item.type, (), where):
                steps = (*prefix, entry, Step(None, None, path[0].field), *path[1:])
                result.append((steps, scalar, channel))
        elif item.length is None:
            result.append(((*prefix, entry, Step(None, None, None)), item.type, item.channel))
        else:
            for i in range(item.length):
                steps = (*prefix, entry, Step(Const(i), item.length, None))
                result.append((steps, item.type, item.channel))
    return result


def wrap_int(value: int) -> int:
    """C's int: 32 bits, two's complement."""
    return (value + 2**31) % 2**32 - 2**31


def fold_binary(operator: str, a: int, b: int) -> int | None:
    """The value of a constant expression as C computes it; None where it must not be folded."""
    if operator in ("/", "%"):
        if b == 0 or (a == -(2**31) and b == -1):
            return None
        quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        return quotient if operator == "/" else a - quotient * b
    match operator:
        case "+":
            return wrap_int(a + b)
        case "-":
            return wrap_int(a - b)
        case "*":
            return wrap_int(a * b)
        case "&":
            return a & b
        case "|":
            return a | b
        case "^":
            return a ^ b
        case "<<":
            return wrap_int(a << (b & 31))
        case ">>":
            return a >> (b & 31)
        case "==":
            return int(a == b)
        case "!=":
            return int(a != b)
        case "<":
            return int(a < b)
        case "<=":
            return int(a <= b)
        case ">":
            return int(a > b)
        case ">=":
            return int(a >= b)
        case "&&":
            return int(bool(a) and bool(b))
        case "||":
            return int(bool(a) or bool(b))
    return None
