"""Random small Promela programs, made to be compared with SPIN.

A weighted grammar that keeps track of types, so that SPIN accepts most of what
it writes, and of sizes, so that most state spaces have tens to thousands of
states. One seed gives one program. Programs are trees, because a program on
which two tools disagree has to be made small: the shrinker removes and
replaces nodes.

    python -m tests.agreement.generator --seed 7
"""

from __future__ import annotations

import argparse
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum


class Form(Enum):
    """How a node is written."""

    LEAF = "one statement or declaration: the head"
    BLOCK = "head { children } tail"
    CHOICE = "head, options, tail"
    OPTION = ":: children"
    UNLESS = "{ first child } unless { second child }"
    UNIT = "head { children } at the top level"
    PROGRAM = "units, one after another"


@dataclass(frozen=True, slots=True)
class Node:
    """A piece of program; `label` stands before it."""

    form: Form
    head: str = ""
    children: tuple[Node, ...] = ()
    tail: str = ""
    label: str = ""


def leaf(text: str) -> Node:
    return Node(Form.LEAF, text)


def render(node: Node) -> str:
    return "\n".join(_lines(node, 0)) + "\n"


def _lines(node: Node, depth: int) -> Iterator[str]:
    indent = "  " * depth
    label = f"{node.label}: " if node.label else ""
    match node.form:
        case Form.PROGRAM:
            for child in node.children:
                yield from _lines(child, 0)
        case Form.LEAF:
            first, *rest = node.head.split("\n")
            yield indent + label + first
            yield from (indent + line for line in rest)
        case Form.BLOCK | Form.UNIT:
            yield f"{indent}{label}{node.head} {{".replace("  {", " {") if node.head else f"{indent}{label}{{"
            yield from _sequence(node.children, depth + 1)
            yield f"{indent}}}{node.tail}"
        case Form.CHOICE:
            yield f"{indent}{label}{node.head}"
            for option in node.children:
                yield from _lines(option, depth)
            yield f"{indent}{node.tail}"
        case Form.OPTION:
            lines = list(_sequence(node.children, depth + 1))
            yield f"{indent}:: {lines[0].strip()}"
            yield from lines[1:]
        case Form.UNLESS:
            first, second = (list(_lines(child, depth)) for child in node.children)
            yield indent + label + first[0].strip()
            yield from first[1:-1]
            yield f"{indent}}} unless {second[0].strip()}"
            yield from second[1:]


def _sequence(children: Sequence[Node], depth: int) -> Iterator[str]:
    for position, child in enumerate(children):
        lines = list(_lines(child, depth))
        last = position == len(children) - 1
        arrow = child.form is Form.LEAF and child.tail == "->"
        yield from lines[:-1]
        yield lines[-1] if last else lines[-1] + (" ->" if arrow else ";")


@dataclass(frozen=True, slots=True)
class Place:
    """Something that can be read and assigned; `<n>` in the pattern is an index below n."""

    pattern: str
    kind: str  # "number", "mtype", "fruit"
    values: int  # how many values its type has
    writable: bool = True
    readable: bool = True


@dataclass(frozen=True, slots=True)
class Field:
    type: str
    kind: str  # as in Place, or "chan" or a typedef's name
    values: int = 256


@dataclass(frozen=True, slots=True)
class Channel:
    pattern: str
    capacity: int
    fields: tuple[Field, ...]


@dataclass(slots=True)
class Scope:
    """What a statement can see."""

    places: list[Place]
    channels: list[Channel]
    structures: list[tuple[str, str]]  # pattern, typedef
    arrays: list[tuple[str, int]]
    labels: list[str]
    process: str = ""
    loops: int = 0
    inside: str = ""  # "", "atomic", "d_step"
    repeated: bool = False  # may run again: no unbounded process creation here
    in_inline: bool = False

    def inner(self, **changes: object) -> Scope:
        copied = replace(
            self,
            places=list(self.places),
            channels=list(self.channels),
            structures=list(self.structures),
            arrays=list(self.arrays),
        )
        return replace(copied, **changes)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class ProctypeFacts:
    name: str
    parameters: tuple[Field | Channel, ...]
    active: int
    labels: tuple[str, ...]
    first_pid: int = -1


@dataclass(frozen=True, slots=True)
class Program:
    seed: int
    tree: Node
    constructs: Counter[str]

    @property
    def text(self) -> str:
        return render(self.tree)


NUMBER_TYPES = (
    ("bit", 2, 6),
    ("bool", 2, 4),
    ("byte", 256, 8),
    ("short", 65536, 2),
    ("int", 1 << 32, 2),
    ("unsigned:2", 4, 2),
    ("unsigned:3", 8, 2),
    ("unsigned:5", 32, 1),
    ("pid", 256, 1),
)


def _names(text: str) -> set[str]:
    """The variables of the program that an expression mentions."""
    return set(re.findall(r"\b[a-z]+\d+\b", text))


class Generator:
    """Writes one program; every decision comes from one random source."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.random = random.Random(seed)
        self.constructs: Counter[str] = Counter()
        self.fresh = 0
        self.proctypes: list[ProctypeFacts] = []
        self.written: list[ProctypeFacts] = []  # SPIN wants a proctype before remote references to it
        self.inlines: list[tuple[str, int]] = []
        self.structure_fields: dict[str, list[tuple[str, str, int]]] = {}
        chance = self.random.random
        self.uses_remote = chance() < 0.2
        self.uses_last = chance() < 0.1
        self.uses_enabled = chance() < 0.08
        self.uses_priority = chance() < 0.08
        self.uses_provided = chance() < 0.12
        self.uses_structures = chance() < 0.35
        self.uses_unless = chance() < 0.4
        self.uses_timeout = chance() < 0.3
        self.uses_fruit = chance() < 0.2
        self.uses_channel_messages = chance() < 0.25
        self.uses_runs = chance() < 0.55
        self.uses_inlines = chance() < 0.3
        self.careless = chance() < 0.08  # divisions by variables, wild indices, unset channels
        self.friendly = chance() < 0.5  # rarely blocks for good

    # -- decisions ---------------------------------------------------------------------------------

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def pick(self, *weighted: tuple[float, str]) -> str:
        weights = [weight for weight, _ in weighted]
        return self.random.choices([value for _, value in weighted], weights)[0]

    def name(self, prefix: str) -> str:
        self.fresh += 1
        return f"{prefix}{self.fresh}"

    def use(self, construct: str) -> None:
        self.constructs[construct] += 1

    # -- the program -------------------------------------------------------------------------------

    def program(self) -> Program:
        units: list[Node] = []
        scope = Scope([], [], [], [], [])
        if self.chance(0.3):
            self.use("#define")
            units.append(leaf(f"#define LIMIT {self.random.randint(1, 3)}"))
            units.append(leaf("#define both(a, b) ((a) && (b))"))
            self.defines = True
        else:
            self.defines = False
        units += self.type_declarations()
        units += self.global_declarations(scope)
        if self.uses_inlines:
            units += [self.inline_definition(scope) for _ in range(self.random.randint(1, 2))]
        units += self.process_definitions(scope)
        tree = settle(Node(Form.PROGRAM, children=tuple(units)))
        return Program(self.seed, tree, self.constructs)

    def type_declarations(self) -> list[Node]:
        units = []
        self.mtypes = ["red", "green", "blue"][: self.random.randint(2, 3)]
        if self.chance(0.15):
            self.use("mtype split")
            units.append(leaf(f"mtype = {{ {self.mtypes[0]} }};"))
            units.append(leaf(f"mtype = {{ {', '.join(self.mtypes[1:])} }};"))
        else:
            units.append(leaf(f"mtype = {{ {', '.join(self.mtypes)} }};"))
        if self.uses_fruit:
            self.use("named mtype")
            units.append(leaf("mtype:fruit = { apple, pear };"))
        if self.uses_structures:
            self.use("typedef")
            fields = [("f", "byte", 256), ("g", "bit", 2)]
            lines = ["byte f", "bit g"]
            if self.chance(0.4):
                self.use("typedef with array")
                fields.append(("a[<2>]", "bit", 2))
                lines.append("bit a[2]")
            if self.chance(0.3):
                lines.append("unsigned u : 3")
                fields.append(("u", "unsigned:3", 8))
            units.append(leaf(f"typedef Record {{ {'; '.join(lines)} }};"))
            self.structure_fields["Record"] = fields
            if self.chance(0.4):
                self.use("nested typedef")
                array = self.chance(0.4)
                units.append(leaf(f"typedef Outer {{ Record r{'[2]' if array else ''}; short s }};"))
                inner = "r[<2>]" if array else "r"
                self.structure_fields["Outer"] = [
                    *((f"{inner}.{name}", type_, values) for name, type_, values in fields),
                    ("s", "short", 65536),
                ]
        return units

    def global_declarations(self, scope: Scope) -> list[Node]:
        units = [self.variable(scope, "g") for _ in range(self.random.randint(2, 4))]
        if self.chance(0.25):
            units.append(self.array(scope, "g"))
        structures = [name for name in self.structure_fields if self.chance(0.7)]
        units += [self.structure(scope, name, "s") for name in structures]
        channels = self.random.choices([0, 1, 2, 3], [2, 4, 4, 1])[0]
        units += [self.channel(scope, "q") for _ in range(channels)]
        if self.chance(0.08):
            self.use("hidden")
            name = self.name("h")
            units.append(leaf(f"hidden byte {name};"))
            scope.places.append(Place(name, "number", 256, readable=False))
        return [replace(unit, head=unit.head.rstrip(";") + ";") for unit in units]

    # -- declarations ------------------------------------------------------------------------------

    def number_type(self) -> tuple[str, int]:
        entry = self.random.choices(NUMBER_TYPES, [weight for _, _, weight in NUMBER_TYPES])[0]
        self.use(entry[0].split(":")[0])
        return entry[0], entry[1]

    def variable(self, scope: Scope, prefix: str, initial: bool = True) -> Node:
        name = self.name(prefix)
        prefix_word = ""
        if prefix == "g" and self.chance(0.08):
            self.use("show")
            prefix_word = "show "
        kind = self.pick((8, "number"), (2, "mtype"), (1.5 if self.uses_fruit else 0, "fruit"))
        if kind == "number":
            type_, values = self.number_type()
            start = ""
            if initial and self.chance(0.3):
                start = f" = {self.random.randint(0, min(values, 4) - 1)}"
            if type_.startswith("unsigned"):
                text = f"unsigned {name} : {type_.split(':')[1]}{start}"
            else:
                text = f"{type_} {name}{start}"
            scope.places.append(Place(name, "number", values))
        else:
            self.use("mtype variable")
            constant = self.constant(kind)
            start = f" = {constant}" if initial and self.chance(0.6) else ""
            text = f"{'mtype' if kind == 'mtype' else 'mtype:fruit'} {name}{start}"
            scope.places.append(Place(name, kind, 3))
        return leaf(prefix_word + text)

    def array(self, scope: Scope, prefix: str) -> Node:
        self.use("array")
        name, length = self.name(prefix), self.random.randint(2, 3)
        type_, values = self.random.choice((("bit", 2), ("byte", 256), ("bool", 2), ("short", 65536)))
        text = f"{type_} {name}[{length}]"
        if self.chance(0.25):
            self.use("array initialiser")
            if self.chance(0.5):
                text += f" = {self.random.randint(0, 1)}"
            else:
                text += f" = {{ {', '.join(str(self.random.randint(0, 1)) for _ in range(length))} }}"
        scope.places.append(Place(f"{name}[<{length}>]", "number", values))
        scope.arrays.append((name, length))
        return leaf(text)

    def structure(self, scope: Scope, typedef: str, prefix: str) -> Node:
        name = self.name(prefix)
        length = 2 if self.chance(0.25) else 0
        self.use("structure variable")
        pattern = f"{name}[<{length}>]" if length else name
        scope.structures.append((pattern, typedef))
        for field, _, values in self.structure_fields[typedef]:
            scope.places.append(Place(f"{pattern}.{field}", "number", values))
        return leaf(f"{typedef} {name}[{length}]" if length else f"{typedef} {name}")

    def message_fields(self) -> tuple[Field, ...]:
        flat = all(
            "[" not in name and "unsigned" not in type_
            for name, type_, _ in self.structure_fields.get("Record", [("[", "", 0)])
        )
        if flat and self.chance(0.5):
            self.use("channel of typedef")
            return (Field("Record", "Record"),)
        count = self.random.choices([1, 2, 3], [6, 3, 1])[0]
        if count > 1:
            self.use("multi-field message")
        fields = []
        for _ in range(count):
            kind = self.pick((6, "number"), (3, "mtype"), (1 if self.uses_fruit else 0, "fruit"))
            if kind == "number":
                type_, values = self.random.choice((("bit", 2), ("byte", 256), ("bool", 2), ("short", 65536)))
                fields.append(Field(type_, kind, values))
            else:
                fields.append(Field("mtype" if kind == "mtype" else "mtype:fruit", kind, 3))
        if self.uses_channel_messages and self.chance(0.4):
            self.use("channel in message")
            fields.append(Field("chan", "chan"))
        return tuple(fields)

    def channel(self, scope: Scope, prefix: str) -> Node:
        name = self.name(prefix)
        capacity = self.random.choices(
            [0, 1, 2], [0 if self.uses_priority or self.uses_enabled else 4, 4, 2]
        )[0]
        self.use("rendezvous channel" if capacity == 0 else "buffered channel")
        fields = self.message_fields()
        if fields[0].kind == "Record" and capacity == 0:
            capacity = 1
        length = 2 if self.chance(0.12) else 0
        if length:
            self.use("array of channels")
        pattern = f"{name}[<{length}>]" if length else name
        scope.channels.append(Channel(pattern, capacity, fields))
        subscript = f"[{length}]" if length else ""
        types = ", ".join(field.type for field in fields)
        return leaf(f"chan {name}{subscript} = [{capacity}] of {{ {types} }}")

    # -- expressions -------------------------------------------------------------------------------

    def constant(self, kind: str, values: int = 4) -> str:
        if kind == "mtype":
            return self.random.choice(self.mtypes)
        if kind == "fruit":
            return self.random.choice(("apple", "pear"))
        if self.chance(0.04):
            self.use("truncating store")
            return self.random.choice(("-1", "255", "256", "300", "-3", "70000"))
        if self.defines and self.chance(0.1):
            return "LIMIT"
        return str(self.random.randint(0, min(values, 4) - 1))

    def fill(self, pattern: str, scope: Scope) -> str:
        """Put an index into every `<n>` of a pattern."""
        while "<" in pattern:
            before, rest = pattern.split("<", 1)
            length, after = rest.split(">", 1)
            pattern = before + self.index(int(length), scope) + after
        return pattern

    def index(self, length: int, scope: Scope) -> str:
        small = [
            place.pattern
            for place in scope.places
            if place.kind == "number"
            and place.values <= length
            and place.readable
            and "<" not in place.pattern
        ]
        if self.careless and self.chance(0.2):
            self.use("index out of range")
            wild = [
                p.pattern for p in scope.places if p.kind == "number" and p.readable and "<" not in p.pattern
            ]
            return self.random.choice(wild) if wild else str(length - 1)
        if small and self.chance(0.4):
            self.use("variable index")
            return self.random.choice(small)
        if scope.process and self.chance(0.15):
            return f"_pid % {length}"
        return str(self.random.randrange(length))

    def readable(self, scope: Scope, kind: str = "number") -> str | None:
        found = [place for place in scope.places if place.kind == kind and place.readable]
        return self.fill(self.random.choice(found).pattern, scope) if found else None

    def writable(self, scope: Scope, kind: str = "number", *, at_least: int = 0) -> tuple[str, Place] | None:
        found = [
            place
            for place in scope.places
            if place.kind == kind and place.writable and place.values >= at_least
        ]
        if not found:
            return None
        weights = [3.0 if place.values <= 8 else 1.5 for place in found]
        place = self.random.choices(found, weights)[0]
        return self.fill(place.pattern, scope), place

    def number(self, scope: Scope, depth: int = 2) -> str:
        form = self.pick(
            (5, "constant"),
            (6, "place"),
            (4 if depth else 0, "arithmetic"),
            (1 if depth else 0, "conditional"),
            (0.7 if depth else 0, "boolean"),
            (0.5 if depth else 0, "unary"),
            (0.8 if scope.channels else 0, "len"),
            (0.5 if scope.process else 0, "_pid"),
            (0.3, "_nr_pr"),
            (2.5 if self.uses_last else 0, "_last"),
            (0.8 if self.uses_enabled and self.active_pids() else 0, "pc_value"),
            (1.5 if self.uses_remote and scope.inside != "d_step" else 0, "remote variable"),
        )
        if form == "place":
            return self.readable(scope) or self.constant("number")
        if form == "constant":
            return self.constant("number")
        if form == "arithmetic":
            operator = self.random.choice(("+", "+", "-", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"))
            left, right = self.number(scope, depth - 1), self.number(scope, depth - 1)
            if operator in "/%":
                self.use("division")
                if not (self.careless and self.chance(0.3)):
                    right = str(self.random.randint(1, 3))
            elif operator in ("<<", ">>"):
                self.use("shift")
                right = str(self.random.randint(0, 2))
            return f"({left} {operator} {right})"
        if form == "conditional":
            self.use("conditional expression")
            chosen = self.boolean(scope, depth - 1, plain=True)
            return f"({chosen} -> {self.number(scope, depth - 1)} : {self.number(scope, depth - 1)})"
        if form == "boolean":
            return f"({self.boolean(scope, depth - 1, plain=True)})"
        if form == "unary":
            return f"({self.random.choice('-~!')}{self.number(scope, 0)})"
        if form == "len":
            self.use("len")
            return f"len({self.fill(self.random.choice(scope.channels).pattern, scope)})"
        if form == "pc_value":
            self.use("pc_value")
            return f"pc_value({self.random.choice(self.active_pids())})"
        if form == "remote variable":
            return self.remote_variable() or self.constant("number")
        self.use(form)
        return form

    def asks_enabled(self, scope: Scope) -> bool:
        """Only one process may: in SPIN, a question that leads to another one executes what it asks about."""
        asking = self.proctypes[0] if self.proctypes else None
        return (
            self.uses_enabled
            and asking is not None
            and asking.active == 1
            and scope.process == asking.name
            and len(self.active_pids()) > 0
        )

    def boolean(self, scope: Scope, depth: int = 2, *, plain: bool = False) -> str:
        """A condition; a plain one may stand inside arithmetic, where `empty` and its kin may not."""
        form = self.pick(
            (8, "comparison"),
            (3, "place"),
            (3 if depth else 0, "connective"),
            (1.2, "mtype"),
            (1.5 if scope.channels and not plain else 0, "channel state"),
            # Not inside arithmetic: SPIN writes a poll as `a && b` without parentheses there.
            (1.0 if scope.channels and not plain else 0, "poll"),
            (0.4, "constant"),
            (3 if self.uses_remote and scope.inside != "d_step" else 0, "remote label"),
            (0.8 if self.asks_enabled(scope) else 0, "enabled"),
            (0.5 if self.uses_timeout and scope.process and scope.inside != "d_step" else 0, "timeout"),
        )
        if form == "comparison":
            operator = self.random.choice(("==", "==", "!=", "<", "<=", ">", ">="))
            left = self.readable(scope) or "_nr_pr"
            if operator == "==" and self.chance(0.5):
                return f"({left} == 0)"
            return f"({left} {operator} {self.number(scope, min(depth, 1))})"
        if form == "place":
            place = self.readable(scope) or "1"
            return f"!{place}" if self.chance(0.4) else f"{place}"
        if form == "connective":
            left, right = (self.boolean(scope, depth - 1, plain=plain) for _ in range(2))
            if self.defines and "," not in left + right and self.chance(0.3):
                self.use("macro")
                return f"both({left}, {right})"
            if self.chance(0.15):
                return f"!({left})" if "empty" not in left and "full" not in left else f"({left} && {right})"
            return f"({left} {self.random.choice(('&&', '||'))} {right})"
        if form == "mtype":
            kind = "fruit" if self.uses_fruit and self.chance(0.4) else "mtype"
            place = self.readable(scope, kind)
            return f"({place} {self.random.choice(('==', '!='))} {self.constant(kind)})" if place else "true"
        if form == "channel state":
            word = self.random.choice(("empty", "nempty", "full", "nfull"))
            self.use(word)
            return f"{word}({self.fill(self.random.choice(scope.channels).pattern, scope)})"
        if form == "poll":
            channels = [c for c in scope.channels if c.fields[0].kind != "Record"]
            buffered = [channel for channel in channels if channel.capacity]
            if not buffered:
                return "true"
            channel = self.random.choice(buffered)
            mark = self.random.choice(("?", "?", "??"))
            self.use(f"poll {mark}[]")
            arguments = [self.poll_argument(field, scope) for field in channel.fields]
            return f"{self.fill(channel.pattern, scope)}{mark}[{', '.join(arguments)}]"
        if form == "remote label":
            return self.remote_label() or "true"
        if form == "enabled":
            self.use("enabled")
            return f"enabled({self.random.choice(self.active_pids())})"
        if form == "timeout":
            self.use("timeout in expression")
            return "timeout"
        return self.random.choice(("true", "1", "true", "false", "0"))

    def active_pids(self) -> list[int]:
        return [p.first_pid for p in self.proctypes if p.active and p.first_pid >= 0]

    def remote_label(self) -> str | None:
        found = [p for p in self.written if p.labels and p.active]
        if not found:
            return None
        self.use("remote label")
        facts = self.random.choice(found)
        pid = facts.first_pid + self.random.randrange(facts.active)
        subject = facts.name if facts.active == 1 and self.chance(0.3) else f"{facts.name}[{pid}]"
        return f"{subject}@{self.random.choice(facts.labels)}"

    def remote_variable(self) -> str | None:
        found = [p for p in self.written if p.active]
        if not found:
            return None
        self.use("remote variable")
        facts = self.random.choice(found)
        pid = facts.first_pid + self.random.randrange(facts.active)
        return f"{facts.name}[{pid}]:seen"

    # -- messages ----------------------------------------------------------------------------------

    def send_argument(self, field: Field, scope: Scope) -> str:
        if field.kind == "number":
            return self.number(scope, 1) if self.chance(0.5) else self.constant("number", field.values)
        if field.kind == "chan":
            plain = [channel for channel in scope.channels if channel.fields[-1].kind != "chan"]
            found = plain or scope.channels
            return self.fill(self.random.choice(found).pattern, scope)
        place = self.readable(scope, field.kind)
        return place if place and self.chance(0.3) else self.constant(field.kind)

    def poll_argument(self, field: Field, scope: Scope) -> str:
        if field.kind == "chan" or self.chance(0.25):
            return "_"
        if field.kind == "number" and self.chance(0.2):
            return f"eval({self.number(scope, 1)})"
        return self.constant(field.kind, field.values)

    def receive_argument(self, field: Field, scope: Scope) -> str:
        if field.kind == "chan":
            return "_"
        form = self.pick((6, "place"), (2, "constant"), (1, "_"), (1.2, "eval"))
        if form == "place":
            # Undoing a receive, SPIN puts the variable's value back into the channel: had it been
            # truncated, the message is not what it was, and SPIN's counts are wrong from then on.
            wide = max(field.values, 256) if field.kind == "number" else 0
            found = self.writable(scope, field.kind, at_least=wide)
            return found[0] if found else "_"
        if form == "eval":
            value = self.number(scope, 1) if field.kind == "number" else self.readable(scope, field.kind)
            self.use("eval")
            return f"eval({value})" if value else "_"
        self.use("receive constant" if form == "constant" else "receive _")
        return "_" if form == "_" else self.constant(field.kind, field.values)

    def arguments(self, values: list[str]) -> str:
        if len(values) > 1 and self.chance(0.3):
            return f"{values[0]}({', '.join(values[1:])})"
        return ", ".join(values)

    def pick_channel(self, scope: Scope) -> Channel | None:
        found = scope.channels
        if scope.inside == "d_step":
            found = [channel for channel in found if channel.capacity]
        return self.random.choice(found) if found else None

    def send(self, scope: Scope) -> str | None:
        channel = self.pick_channel(scope)
        if channel is None:
            return None
        name = self.fill(channel.pattern, scope)
        mark = "!"
        if channel.capacity and self.chance(0.2):
            mark = "!!"
        self.use(f"send {mark}" if channel.capacity else "rendezvous send")
        if not channel.capacity and scope.inside:
            self.use("rendezvous in atomic")
        if channel.fields[0].kind == "Record":
            found = [pattern for pattern, typedef in scope.structures if typedef == "Record"]
            return f"{name}!{self.fill(self.random.choice(found), scope)}" if found else None
        return f"{name}{mark}{self.arguments([self.send_argument(f, scope) for f in channel.fields])}"

    def receive(self, scope: Scope) -> str | None:
        channel = self.pick_channel(scope)
        if channel is None:
            return None
        name = self.fill(channel.pattern, scope)
        if channel.fields[0].kind == "Record":
            found = [pattern for pattern, typedef in scope.structures if typedef == "Record"]
            self.use("receive typedef")
            record = self.fill(self.random.choice(found), scope) if found else ""
            return f"{name}?{record}" if record and not _names(record) & _names(name) else None
        mark, closing = "?", ""
        if channel.capacity:
            mark, closing = self.random.choice(
                (("?", ""), ("?", ""), ("?", ""), ("??", ""), ("?<", ">"), ("??<", ">"))
            )
        self.use(f"receive {mark}{closing}" if channel.capacity else "rendezvous receive")
        if not channel.capacity and scope.inside:
            self.use("rendezvous in atomic")
        values: list[str] = []
        for field in channel.fields:
            value = self.receive_argument(field, scope)
            # One message must not set a variable twice, an index and its element, or what its
            # channel is chosen by: undoing the receive, SPIN then looks in another place.
            again = any(_names(value) & _names(other) for other in (name, *values))
            values.append("_" if again else value)
        body = ", ".join(values) if closing else self.arguments(values)
        return f"{name}{mark}{body}{closing}"

    # -- statements --------------------------------------------------------------------------------

    def sequence(self, scope: Scope, depth: int, length: int) -> list[Node]:
        nodes: list[Node] = []
        for _ in range(max(1, length)):
            produced = self.statement(scope, depth)
            nodes += produced
        return nodes

    def statement(self, scope: Scope, depth: int) -> list[Node]:
        d_step = scope.inside == "d_step"
        deep = depth > 0
        form = self.pick(
            (9, "assign"),
            (3, "step"),
            (0.7 if self.friendly or d_step else 1.5, "guard"),
            (0.6 if d_step else 1 if self.friendly else 4, "send"),
            (0.6 if d_step else 1 if self.friendly else 4, "receive"),
            (0 if d_step or not self.friendly else 5, "patient channel"),
            (2, "assert"),
            (0.5, "printf"),
            (1, "skip"),
            (0.9, "select"),
            (0 if d_step else 1.2, "run"),
            (1.6 if scope.labels and not d_step else 0, "goto"),
            (2 if scope.loops else 0, "break"),
            (1.5 if self.inlines and not scope.in_inline else 0, "inline"),
            (0.5 if self.uses_timeout and not d_step else 0, "timeout"),
            (6 if deep else 0, "if"),
            ((1.5 if scope.inside == "atomic" else 4) if deep else 0, "do"),
            (0 if not deep or d_step else 5, "atomic"),
            (0 if not deep or d_step else 3, "d_step"),
            (5 if self.uses_unless and deep and not d_step else 0, "unless"),
            (
                0 if not deep else 4 if any(c.fields[0].kind == "Record" for c in scope.channels) else 1.5,
                "for",
            ),
            (0.8 if deep else 0, "block"),
            (0.6 if scope.process and not d_step and not scope.in_inline else 0, "declaration"),
            (
                0.5 if scope.channels and self.uses_channel_messages and not scope.in_inline else 0,
                "chan variable",
            ),
            (0 if d_step or not deep else 1.2, "pattern"),
        )
        produced = self.forms()[form](scope, depth)
        if produced:
            self.use(form)
            return produced
        return self.assign(scope, depth) or [leaf("skip")]

    def forms(self) -> dict[str, Callable[[Scope, int], list[Node] | None]]:
        return {
            "assign": self.assign,
            "step": self.bounded_step,
            "guard": lambda scope, _: [self.guard(scope)],
            "send": lambda scope, _: self.optional_leaf(self.send(scope)),
            "receive": lambda scope, _: self.optional_leaf(self.receive(scope)),
            "patient channel": self.patient_channel,
            "assert": lambda scope, _: [leaf(f"assert({self.claim(scope)})")],
            "printf": self.printf,
            "skip": lambda scope, _: [leaf(self.random.choice(("skip", "skip", "true")))],
            "select": self.select,
            "run": self.run_statement,
            "goto": lambda scope, _: [leaf(f"goto {self.random.choice(scope.labels)}")],
            "break": lambda scope, _: [leaf("break")],
            "inline": self.inline_call,
            "timeout": lambda scope, _: [leaf("timeout")],
            "if": lambda scope, depth: [self.choice("if", "fi", scope, depth)],
            "do": self.loop,
            "atomic": self.atomic,
            "d_step": self.d_step,
            "unless": self.unless,
            "for": self.for_loop,
            "block": self.block,
            "declaration": self.declaration,
            "chan variable": self.channel_variable,
            "pattern": self.pattern,
        }

    @staticmethod
    def optional_leaf(text: str | None) -> list[Node] | None:
        return [leaf(text)] if text else None

    def assign(self, scope: Scope, depth: int) -> list[Node] | None:
        kind = self.pick((8, "number"), (1.5, "mtype"), (0.7 if self.uses_fruit else 0, "fruit"))
        found = self.writable(scope, kind)
        if found is None:
            return None
        text, place = found
        if kind != "number":
            other = self.readable(scope, kind)
            value = other if other and self.chance(0.3) else self.constant(kind)
        elif place.values <= 8:
            value = self.number(scope)
        elif self.chance(0.5):
            value = self.constant("number")
        else:
            value = f"{self.number(scope)} % {self.random.randint(2, 3)}"
        return [leaf(f"{text} = {value}")]

    def bounded_step(self, scope: Scope, depth: int) -> list[Node] | None:
        found = self.writable(scope)
        if found is None or not any(p.readable and p.pattern == found[1].pattern for p in scope.places):
            return None
        text, place = found
        change, bound = self.random.choice((("++", f"{text} < 2"), ("--", f"{text} > 0")))
        self.use(change)
        if place.values <= 4 or (not scope.repeated and self.chance(0.3)):
            return [leaf(f"{text}{change}")]
        if scope.inside == "d_step" or self.friendly:
            options = (
                Node(Form.OPTION, children=(replace(leaf(bound), tail="->"), leaf(f"{text}{change}"))),
                Node(Form.OPTION, children=(leaf("else"),)),
            )
            return [Node(Form.CHOICE, "if", options, "fi")]
        return [replace(leaf(f"({bound})"), tail="->"), leaf(f"{text}{change}")]

    def guard(self, scope: Scope) -> Node:
        text = self.boolean(scope)
        node = leaf(text if text.startswith("(") else f"({text})")
        return replace(node, tail="->") if self.chance(0.5) else node

    def claim(self, scope: Scope) -> str:
        place = self.readable(scope)
        if place and self.chance(0.8):
            return f"{place} {self.random.choice(('<=', '<', '!='))} {self.random.randint(2, 7)}"
        return self.boolean(scope)

    def patient_channel(self, scope: Scope, depth: int) -> list[Node] | None:
        text = self.send(scope) if self.chance(0.5) else self.receive(scope)
        if text is None:
            return None
        if self.chance(0.5) or not self.uses_timeout:
            self.use("else with channel operation")
            escape = "else"
        else:
            escape = "timeout"
        options = [Node(Form.OPTION, children=(leaf(text),)), Node(Form.OPTION, children=(leaf(escape),))]
        if self.chance(0.3):
            options.insert(0, Node(Form.OPTION, children=tuple(self.assign(scope, 0) or [leaf("skip")])))
        return [Node(Form.CHOICE, "if", tuple(options), "fi")]

    def printf(self, scope: Scope, depth: int) -> list[Node]:
        if self.chance(0.2):
            self.use("printm")
            return [leaf(f"printm({self.readable(scope, 'mtype') or 'red'})")]
        return [leaf(f'printf("%d\\n", {self.number(scope, 1)})')]

    def select(self, scope: Scope, depth: int) -> list[Node] | None:
        found = [p.pattern for p in scope.places if p.kind == "number" and p.writable and p.readable]
        plain = [pattern for pattern in found if not {"<", "."} & set(pattern) and pattern != "first"]
        if not plain or (scope.inside == "d_step" and self.chance(0.7)):
            return None
        low = self.random.randint(0, 1)
        if self.chance(0.12) and not scope.repeated:
            self.use("large select")
            high = low + self.random.choice((31, 32, 33, 34, 40))
            wide = [p.pattern for p in scope.places if p.pattern in plain and p.values >= 256]
            plain = wide or plain
        else:
            high = low + self.random.randint(0, 2)
        return [leaf(f"select ({self.random.choice(plain)} : {low} .. {high})")]

    def run_text(self, scope: Scope) -> str | None:
        found = [facts for facts in self.proctypes if not facts.active or self.chance(0.1)]
        if not found:
            return None
        facts = self.random.choice(found)
        values: list[str] = []
        for parameter in facts.parameters:
            if isinstance(parameter, Channel):
                same = [
                    c
                    for c in scope.channels
                    if c.fields == parameter.fields and c.capacity == parameter.capacity
                ]
                if not same:
                    return None
                values.append(self.fill(self.random.choice(same).pattern, scope))
            elif parameter.kind == "number":
                values.append(self.number(scope, 1))
            else:
                values.append(self.constant(parameter.kind))
        text = f"run {facts.name}({', '.join(values)})"
        if self.uses_priority and self.chance(0.5):
            text += f" priority {self.random.randint(1, 4)}"
        return text

    def run_statement(self, scope: Scope, depth: int) -> list[Node] | None:
        if not self.uses_runs or scope.in_inline:
            return None
        text = self.run_text(scope)
        if text is None:
            return None
        nodes = []
        if scope.repeated or scope.process.startswith("R") or scope.labels or self.chance(0.2):
            nodes.append(replace(leaf(f"(_nr_pr < {self.random.randint(2, 4)})"), tail="->"))
        if self.chance(0.2) and "priority" not in text:
            found = self.writable(scope)
            if found:
                self.use("pid of run")
                return [*nodes, leaf(f"{found[0]} = {text}")]
        return [*nodes, leaf(text if "priority" in text else f"({text})" if self.chance(0.2) else text)]

    def option(self, scope: Scope, depth: int, first: Node | None = None) -> Node:
        children: list[Node] = []
        if first is not None:
            children.append(first)
        if first is None or self.chance(0.75):
            children += self.sequence(scope, depth, self.random.choices([1, 2, 3], [5, 3, 1])[0])
        return Node(Form.OPTION, children=tuple(children))

    def choice(self, opening: str, closing: str, scope: Scope, depth: int) -> Node:
        options: list[Node] = []
        for _ in range(self.random.choices([1, 2, 3], [2, 5, 2])[0]):
            first = self.guard(scope) if self.chance(0.6) else None
            options.append(self.option(scope.inner(), depth - 1, first))
        patience = 0.95 if scope.inside == "d_step" else 0.7 if self.friendly else 0.35
        if self.chance(patience):
            self.use("else")
            options.append(self.option(scope.inner(), depth - 1, replace(leaf("else"), tail="->")))
        elif self.uses_timeout and scope.inside != "d_step" and self.chance(0.5):
            self.use("timeout option")
            options.append(self.option(scope.inner(), depth - 1, replace(leaf("timeout"), tail="->")))
        options = [self.trim(option) for option in options]
        self.random.shuffle(options)
        return Node(Form.CHOICE, opening, tuple(options), closing)

    @staticmethod
    def trim(option: Node) -> Node:
        """No arrow after the last statement."""
        *others, last = option.children
        return replace(option, children=(*others, replace(last, tail="") if last.form is Form.LEAF else last))

    def loop(self, scope: Scope, depth: int) -> list[Node] | None:
        if scope.inside == "d_step":
            counter = [p.pattern for p in scope.places if p.kind == "number" and p.writable and p.readable]
            plain = [pattern for pattern in counter if "<" not in pattern]
            if not plain:
                return None
            name = self.random.choice(plain)
            options = (
                Node(Form.OPTION, children=(leaf(f"({name} > 0)"), leaf(f"{name} = {name} / 2"))),
                Node(Form.OPTION, children=(leaf("else"), leaf("break"))),
            )
            return [Node(Form.CHOICE, "do", options, "od"), leaf("skip")]
        if self.chance(0.12):
            self.use("skip loop")
            # pan refuses a loop of one skip as an unconditional self-loop
            body = (leaf("skip"), leaf("skip")) if self.chance(0.95) else (leaf("skip"),)
            options = (Node(Form.OPTION, children=body), Node(Form.OPTION, children=(leaf("break"),)))
            return [Node(Form.CHOICE, "do", options, "od")]
        inner = scope.inner(loops=scope.loops + 1, repeated=True)
        node = self.choice("do", "od", inner, depth)
        if self.chance(0.85):
            form = self.pick((4, "break"), (2, "guard"), (1.5 if self.uses_timeout else 0, "timeout"))
            first = {"break": leaf("break"), "guard": self.guard(scope), "timeout": leaf("timeout")}[form]
            children = (first,) if form == "break" else (replace(first, tail="->"), leaf("break"))
            node = replace(node, children=(*node.children, Node(Form.OPTION, children=children)))
        return [node]

    def atomic(self, scope: Scope, depth: int) -> list[Node]:
        inner = scope.inner(inside="atomic")
        body = self.sequence(inner, depth - 1, self.random.randint(1, 3))
        if self.chance(0.25) and not self.friendly:
            self.use("atomic that blocks")
            body.insert(self.random.randint(1, len(body)), self.guard(scope))
        return [self.blocked("atomic", body)]

    def d_step(self, scope: Scope, depth: int) -> list[Node]:
        inner = scope.inner(inside="d_step", labels=[], loops=0)
        body = self.sequence(inner, depth - 1, self.random.randint(1, 3))
        if self.chance(0.3):
            self.use("guard of d_step")
            first = self.guard(scope) if self.chance(0.6) else leaf(self.receive(inner) or "skip")
            body.insert(0, first)
        plain = body[0].form is Form.LEAF and (body[0].head.startswith("(") or " = " in body[0].head)
        if self.constructs["rendezvous channel"] and not plain:
            # SPIN forgets that a d_step which starts with an assertion, a choice or a print cannot
            # be taken in the middle of somebody else's rendezvous
            body.insert(0, leaf("skip"))
        return [self.blocked("d_step", body)]

    def blocked(self, head: str, body: list[Node]) -> Node:
        *others, last = body
        last = replace(last, tail="") if last.form is Form.LEAF else last
        return Node(Form.BLOCK, head, (*others, last))

    def unless(self, scope: Scope, depth: int) -> list[Node]:
        if scope.inside:
            self.use("unless in atomic")
        main = self.sequence(scope.inner(), depth - 1, self.random.randint(1, 3))
        first: Node | None = None
        if self.chance(0.35):
            text = self.receive(scope) if self.chance(0.7) else self.send(scope)
            first = leaf(text) if text else None
        first = first or self.guard(scope)
        escape = [first]
        if self.chance(0.6):
            escape += self.sequence(scope.inner(), depth - 1, self.random.randint(1, 2))
        return [Node(Form.UNLESS, children=(self.blocked("", main), self.blocked("", escape)))]

    def for_loop(self, scope: Scope, depth: int) -> list[Node] | None:
        form = self.pick(
            (3, "range"),
            (1.5 if scope.arrays else 0, "array"),
            (5 if any(c.fields[0].kind == "Record" for c in scope.channels) else 0, "channel"),
        )
        inner = scope.inner(loops=0 if scope.inside == "d_step" else scope.loops + 1, repeated=True)
        body = self.sequence(inner, depth - 1, self.random.randint(1, 2))
        if form == "channel":
            records = [p for p, typedef in scope.structures if typedef == "Record" and "<" not in p]
            channels = [
                c.pattern
                for c in scope.channels
                if c.fields[0].kind == "Record" and "<" not in c.pattern and c.capacity
            ]
            if not records or not channels or scope.inside == "d_step":
                return None
            self.use("for in channel")
            head = f"for ({self.random.choice(records)} in {self.random.choice(channels)})"
            return [self.blocked(head, body)]
        counters = [
            p.pattern
            for p in scope.places
            if p.kind == "number"
            and p.values >= 8
            and p.readable
            and p.writable
            and "<" not in p.pattern
            and "." not in p.pattern
        ]
        if not counters:
            return None
        counter = self.random.choice(counters)
        if form == "array":
            self.use("for in array")
            return [self.blocked(f"for ({counter} in {self.random.choice(scope.arrays)[0]})", body)]
        self.use("for range")
        low = self.random.randint(0, 1)
        return [self.blocked(f"for ({counter} : {low} .. {low + self.random.randint(0, 2)})", body)]

    def block(self, scope: Scope, depth: int) -> list[Node]:
        inner = scope.inner()
        body: list[Node] = []
        if not scope.in_inline and self.chance(0.5):
            self.use("declaration in block")
            body.append(self.variable(inner, "b"))
        body += self.sequence(inner, depth - 1, self.random.randint(1, 2))
        return [self.blocked("", body)]

    def declaration(self, scope: Scope, depth: int) -> list[Node]:
        node = self.variable(scope, "m", initial=False)
        if self.chance(0.6) and scope.places[-1].kind == "number":
            self.use("declaration with expression")
            place = scope.places.pop()
            node = replace(node, head=f"{node.head} = {self.number(scope, 1)} % 3")
            scope.places.append(place)
        followed = self.assign(scope, depth) or [leaf("skip")]
        return [node, *followed]

    def channel_variable(self, scope: Scope, depth: int) -> list[Node] | None:
        """A variable that holds a channel, set before use or received in a message."""
        target = self.random.choice(scope.channels)
        name = self.name("c")
        carriers = [c for c in scope.channels if c.fields[-1].kind == "chan" and "<" not in c.pattern]
        nodes: list[Node] = []
        if not scope.process:
            return None
        nodes.append(leaf(f"chan {name}"))
        plain = [channel for channel in scope.channels if channel.fields[-1].kind != "chan"]
        if carriers and scope.inside != "d_step" and self.chance(0.6):
            carrier = self.random.choice(carriers)
            arguments = [self.receive_argument(field, scope) for field in carrier.fields[:-1]]
            self.use("receive channel")
            nodes.append(leaf(f"{carrier.pattern}?{', '.join([*arguments, name])}"))
            if not plain:
                return nodes
            target = self.random.choice(plain)
            if len({channel.fields for channel in plain}) > 1 and not self.careless:
                return [*nodes, leaf(f'printf("%d\\n", len({name}))')]
        else:
            nodes.append(leaf(f"{name} = {self.fill(target.pattern, scope)}"))
        inner = scope.inner(channels=[Channel(name, target.capacity, target.fields)])
        text = self.send(inner) if self.chance(0.5) else self.receive(inner)
        nodes.append(leaf(text or f"len({name}) >= 0"))
        return nodes

    def pattern(self, scope: Scope, depth: int) -> list[Node] | None:
        """Small situations in which tools of this kind tend to differ."""
        form = self.pick(
            (2.5 if len(scope.labels) > 1 else 0, "consecutive gotos"),
            (1.5, "handshake in atomic"),
            (1, "endless skip"),
            (1, "wait for death"),
            (1, "loop of one option"),
            (1, "nested choice first"),
        )
        self.use(form)
        if form == "consecutive gotos" and len(scope.labels) > 1:
            first, second = self.random.sample(scope.labels, 2)
            options = (
                Node(Form.OPTION, children=(leaf(f"goto {first}"),)),
                Node(Form.OPTION, children=(leaf("skip"), leaf(f"goto {second}"))),
                Node(Form.OPTION, children=(leaf("skip"),)),
            )
            return [Node(Form.CHOICE, "if", options, "fi")]
        if form == "handshake in atomic":
            found = [channel for channel in scope.channels if not channel.capacity]
            if not found:
                return None
            inner = scope.inner(channels=found, inside="atomic")
            text = self.send(inner) if self.chance(0.5) else self.receive(inner)
            before = self.assign(scope, 0) or [leaf("skip")]
            after = self.assign(scope, 0) or [leaf("skip")]
            body = [*(before if self.chance(0.6) else []), leaf(text or "skip"), *after]
            return [self.blocked("atomic", body)]
        if form == "endless skip":
            skips = (leaf(self.random.choice(("skip", "true", "1"))), leaf("skip"))
            option = Node(Form.OPTION, children=skips)
            others = self.option(scope.inner(loops=scope.loops + 1, repeated=True), 0, self.guard(scope))
            return [Node(Form.CHOICE, "do", (option, self.trim(others)), "od")]
        if form == "wait for death":
            created = self.run_statement(scope, depth) or []
            wait = leaf(f"(_nr_pr <= {self.random.randint(1, 3)})")
            again = self.run_statement(scope, depth) or []
            return [*created, wait, *again]
        if form == "loop of one option":
            inner = scope.inner(loops=scope.loops + 1, repeated=True)
            body = [*self.sequence(inner, 0, 1), leaf("break")]
            return [Node(Form.CHOICE, "do", (Node(Form.OPTION, children=tuple(body)),), "od")]
        if form == "nested choice first":
            nested = self.choice("if", "fi", scope, 1)
            option = Node(Form.OPTION, children=(nested, *self.sequence(scope.inner(), 0, 1)))
            other = self.option(scope.inner(), 0, self.guard(scope))
            return [Node(Form.CHOICE, "if", (option, self.trim(other)), "fi")]
        return None

    # -- inlines and processes ---------------------------------------------------------------------

    def inline_definition(self, scope: Scope) -> Node:
        name = self.name("in")
        count = self.random.randint(0, 2)
        parameters = ["first", "second"][:count]
        places = list(scope.places) + [Place(p, "number", 2, writable=p == "first") for p in parameters]
        inner = scope.inner(places=places, labels=[], in_inline=True)
        body = self.sequence(inner, 1, self.random.randint(1, 3))
        self.inlines.append((name, count))
        self.use("inline definition")
        return Node(Form.UNIT, f"inline {name}({', '.join(parameters)})", self.blocked("", body).children)

    def inline_call(self, scope: Scope, depth: int) -> list[Node] | None:
        if scope.inside == "d_step":
            return None
        name, count = self.random.choice(self.inlines)
        found = self.writable(scope)
        # An inline may read its parameter: SPIN would lose states over a hidden variable.
        if found is None or not found[1].readable:
            return None
        return [leaf(f"{name}({', '.join([found[0], self.number(scope, 0)][:count])})")]

    def process_definitions(self, scope: Scope) -> list[Node]:
        count = self.random.choices([1, 2, 3], [1, 5, 3])[0]
        runnable = self.random.choices([0, 1, 2], [0, 4, 1])[0] if self.uses_runs else 0
        has_init = self.uses_runs and self.chance(0.6)
        pid = 0
        for number in range(count):
            instances = 2 if self.chance(0.25) and count < 3 else 1
            if has_init and number == 0 and self.chance(0.4):
                continue
            labels = self.process_labels()
            self.proctypes.append(ProctypeFacts(f"P{number}", (), instances, labels, pid))
            pid += instances
        for number in range(runnable):
            self.proctypes.append(
                ProctypeFacts(f"R{number}", self.parameters(scope), 0, self.process_labels())
            )
        units = []
        for facts in self.proctypes:
            units.append(self.process(facts, scope))
            self.written.append(facts)
        if has_init or not any(facts.active for facts in self.proctypes):
            units.append(self.initial_process(scope))
        return units

    def process_labels(self) -> tuple[str, ...]:
        count = self.random.choices([0, 1, 2, 3], [3, 3, 3, 1])[0]
        labels = []
        for number in range(count):
            prefix = self.pick((6, "L"), (3, "end"), (0.5, "progress"), (0.5, "accept"))
            labels.append(f"{prefix}{number}" if prefix == "L" or self.chance(0.7) or labels else prefix)
        return tuple(labels)

    def parameters(self, scope: Scope) -> tuple[Field | Channel, ...]:
        chosen: list[Field | Channel] = []
        for _ in range(self.random.choices([0, 1, 2], [3, 4, 1])[0]):
            plain = list(scope.channels)
            if plain and self.chance(0.3):
                self.use("channel parameter")
                channel = self.random.choice(plain)
                chosen.append(Channel("", channel.capacity, channel.fields))
            elif self.chance(0.15):
                chosen.append(Field("mtype", "mtype", 3))
            else:
                chosen.append(Field(*self.random.choice((("byte", "number", 256), ("bit", "number", 2)))))
        return tuple(chosen)

    def process(self, facts: ProctypeFacts, globals_: Scope) -> Node:
        scope = globals_.inner(labels=list(facts.labels), process=facts.name)
        declared = []
        for parameter in facts.parameters:
            name = self.name("a")
            if isinstance(parameter, Channel):
                declared.append(f"chan {name}")
                scope.channels.append(Channel(name, parameter.capacity, parameter.fields))
            else:
                declared.append(f"{parameter.type} {name}")
                scope.places.append(Place(name, parameter.kind, parameter.values))
        head = f"proctype {facts.name}({'; '.join(declared)})"
        if facts.active:
            self.use("active")
            head = (f"active [{facts.active}] " if facts.active > 1 or self.chance(0.2) else "active ") + head
        if self.uses_priority and self.chance(0.6):
            self.use("priority")
            head += f" priority {self.random.randint(1, 4)}"
        if self.uses_provided and self.chance(0.6):
            self.use("provided")
            condition = self.boolean(globals_, 1)
            head += f" provided ({'true' if ':' in condition or '@' in condition else condition})"
        body: list[Node] = []
        if self.uses_remote or self.chance(0.3):
            body.append(leaf("byte seen"))
            scope.places.append(Place("seen", "number", 256))
        body += [self.variable(scope, "l") for _ in range(self.random.choices([0, 1, 2], [3, 4, 1])[0])]
        if self.chance(0.08):
            body.append(self.array(scope, "l"))
        messages = any(channel.fields[0].kind == "Record" for channel in scope.channels)
        if "Record" in self.structure_fields and self.chance(0.8 if messages else 0.4):
            body.append(self.structure(scope, "Record", "l"))
        if self.chance(0.1):
            self.use("local channel")
            body.append(self.channel(scope, "k"))
        if scope.channels and not self.friendly and self.chance(0.05):
            plain = [channel.pattern for channel in globals_.channels if "<" not in channel.pattern]
            if plain:
                word = self.random.choice(("xr", "xs"))
                self.use(word)
                body.append(leaf(f"{word} {self.random.choice(plain)}"))
        length = self.random.choices([1, 2, 3, 4, 5], [1, 3, 4, 3, 1])[0]
        statements = self.sequence(scope, 2, length)
        if self.chance(0.25):
            self.use("outer loop")
            inner = scope.inner(loops=1, repeated=True)
            statements.append(self.choice("do", "od", inner, 2))
        unit = Node(Form.UNIT, head, (*body, *statements))
        return self.place_labels(unit, len(body), facts.labels)

    def initial_process(self, globals_: Scope) -> Node:
        self.use("init")
        scope = globals_.inner(process="init", labels=[])
        body = [self.variable(scope, "i") for _ in range(self.random.randint(0, 1))]
        runs = []
        for _ in range(self.random.randint(1, 3)):
            text = self.run_text(scope)
            if text:
                self.use("run")
                runs.append(leaf(text))
        if len(runs) > 1 and self.chance(0.5):
            runs = [self.blocked("atomic", runs)]
        statements = [*runs, *self.sequence(scope, 1, self.random.randint(0, 2))]
        priority = f" priority {self.random.randint(1, 4)}" if self.uses_priority and self.chance(0.5) else ""
        return Node(Form.UNIT, "init" + priority, (*body, *statements))

    def place_labels(self, unit: Node, declarations: int, labels: Sequence[str]) -> Node:
        """Put every label before some statement outside d_step."""
        for label in labels:
            paths = list(self.label_positions(unit, declarations))
            if not paths:
                unit = replace(unit, children=(*unit.children, leaf("skip")))
                paths = [(len(unit.children) - 1,)]
            path = self.random.choice(paths)
            unit = put_label(unit, path, label)
            self.use("end label" if label.startswith("end") else "label")
        return unit

    def label_positions(self, node: Node, skip: int = 0) -> Iterator[tuple[int, ...]]:
        for position, child in enumerate(node.children):
            if position < skip:
                continue
            # SPIN refuses a label on the first statement of an option or of a block
            first = position == 0 and (node.form is Form.OPTION or node.form is Form.BLOCK)
            statement = child.form is not Form.OPTION and node.form is not Form.UNLESS
            goto = child.head.startswith("goto") and self.chance(0.8)
            if statement and not first and not child.label and not goto and not is_declaration(child):
                yield (position,)
            if child.head != "d_step":
                for path in self.label_positions(child):
                    yield (position, *path)


def settle(node: Node, in_d_step: bool = False) -> Node:
    """Repair what SPIN would refuse: two `else` at one place, a loop that is left into a d_step.

    In a d_step, what blocks behind a choice that starts an option makes SPIN try the next option.
    """
    in_d_step |= node.head == "d_step"
    children = [settle(child, in_d_step) for child in node.children]
    if node.form is Form.OPTION and in_d_step and _starts_with_choice(node):
        children.insert(0, leaf("skip"))
    if node.form is Form.CHOICE and sum(_inherited_elses(child) for child in children) > 1:
        children = [
            replace(option, children=(leaf("skip"), *option.children))
            if option.children[0].form is not Form.LEAF and _inherited_elses(option)
            else option
            for option in children
        ]
    if node.head == "do":
        children = [_lengthen(option) for option in children]
    if node.form in (Form.BLOCK, Form.OPTION, Form.UNIT):
        settled: list[Node] = []
        for child in children:
            if settled and child.head == "d_step" and _may_end_in_loop(settled[-1]):
                settled.append(leaf("skip"))
            settled.append(child)
        children = settled
    return replace(node, children=tuple(children))


def _lengthen(node: Node) -> Node:
    """pan refuses a loop of one skip as an unconditional self-loop."""
    if node.form in (Form.OPTION, Form.BLOCK) and len(node.children) == 1:
        (child,) = node.children
        if child.form is Form.LEAF and child.head in ("skip", "true", "1", "(true)", "(1)"):
            return replace(node, children=(child, leaf("skip")))
        return replace(node, children=(_lengthen(child),))
    if node.form is Form.CHOICE:
        return replace(node, children=tuple(_lengthen(option) for option in node.children))
    return node


def _inherited_elses(node: Node) -> int:
    if node.form is Form.LEAF:
        return int(node.head == "else")
    if node.form in (Form.CHOICE, Form.UNLESS):
        return sum(_inherited_elses(child) for child in node.children)
    return _inherited_elses(node.children[0]) if node.children else 0


def _starts_with_choice(node: Node) -> bool:
    first = node.children[0]
    return first.form is not Form.LEAF or first.head.startswith("select")


def _may_end_in_loop(node: Node) -> bool:
    if node.head == "do" or node.head.startswith(("for", "select", "in")):
        return True
    if node.form in (Form.CHOICE, Form.UNLESS):
        return any(_may_end_in_loop(child) for child in node.children)
    return bool(node.children) and _may_end_in_loop(node.children[-1])


def is_declaration(node: Node) -> bool:
    words = ("bit", "bool", "byte", "short", "int", "unsigned", "pid", "mtype", "chan", "xr", "xs")
    structures = ("Record", "Outer", "show", "hidden")
    return node.form is Form.LEAF and node.head.replace(":", " ").split(" ")[0] in (*words, *structures)


def put_label(node: Node, path: tuple[int, ...], label: str) -> Node:
    if not path:
        return replace(node, label=label)
    children = list(node.children)
    children[path[0]] = put_label(children[path[0]], path[1:], label)
    return replace(node, children=tuple(children))


def generate(seed: int) -> Program:
    return Generator(seed).program()


def main() -> None:
    parser = argparse.ArgumentParser(description="Write one random Promela program.")
    parser.add_argument("--seed", type=int, default=1)
    print(generate(parser.parse_args().seed).text, end="")


if __name__ == "__main__":
    main()
