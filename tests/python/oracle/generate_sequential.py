"""Random programs without threads, which print what they compute on the way.

All of them end, and what they print is the same in every run: sets are sorted, nothing shows an address. An
exception is printed with its class, and with its message where that is part of the language (what a program
raises itself, missing keys, division by zero) rather than CPython's choice of words.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from hypothesis import strategies as st

INDENT = "    "
PRELUDE = """\
def show(label, value):
    if isinstance(value, (set, frozenset)):
        value = sorted(value)
    print(label, value, type(value).__name__)
def told(problem):
    if isinstance(problem, (Failure, KeyError, ZeroDivisionError)):
        return type(problem).__name__ + ": " + str(problem)
    return type(problem).__name__
class Failure(Exception):
    def __init__(self, code, *rest):
        super().__init__(code, *rest)
        self.code = code
class Worse(Failure):
    pass
"""
KINDS = ("int", "str", "list", "dict", "set", "tuple")
Block = list[str]


@dataclass
class Sequential:
    """One program in the making. Variables have a kind, so that most expressions make sense."""

    chance: random.Random
    names: dict[str, list[str]] = field(default_factory=lambda: {kind: [] for kind in KINDS})
    counter: int = 0
    depth: int = 0
    functions: list[tuple[str, Callable[[], str]]] = field(default_factory=list)

    def likely(self, probability: float) -> bool:
        return self.chance.random() < probability

    def fresh(self, prefix: str = "v") -> str:
        self.counter += 1
        return f"{prefix}{self.counter}"

    def kind(self) -> str:
        return self.chance.choices(KINDS, (5, 3, 3, 2, 1, 2))[0]

    # Expressions

    def of(self, kind: str, size: int = 2) -> str:
        """An expression of a kind, of about a size."""
        if self.names[kind] and self.likely(0.45):
            return self.chance.choice(self.names[kind])
        if size <= 0:
            return self.literal(kind)
        make: Callable[[int], str] = getattr(self, f"{kind}_expression")
        return make(size - 1)

    def any(self, size: int = 2) -> str:
        return self.of(self.kind(), size)

    def literal(self, kind: str) -> str:
        number = self.chance.randint
        texts = ("", "a", "bc", "Zed", "x y", "ünï", "12", "tab\\t", "q'q")
        if kind == "int":
            return str(self.chance.choice((0, 1, 2, 3, 7, 10, -1, -5, 255, 2**40, True)))
        if kind == "str":
            return repr(self.chance.choice(texts)).replace("\\\\", "\\")
        if kind == "list":
            return "[" + ", ".join(str(number(-2, 9)) for _ in range(number(0, 4))) + "]"
        if kind == "tuple":
            items = [str(number(-2, 9)) for _ in range(number(0, 3))]
            return "(" + "".join(f"{item}, " for item in items).strip() + ")"
        if kind == "set":
            return "{" + ", ".join(str(number(0, 6)) for _ in range(number(1, 4))) + "}"
        return (
            "{"
            + ", ".join(f"{key!r}: {number(0, 9)}" for key in self.chance.sample("abcd", number(0, 3)))
            + "}"
        )

    def int_expression(self, size: int) -> str:
        one, two = self.of("int", size), self.of("int", size)
        numbers = self.of(self.chance.choice(("list", "tuple", "set")), size)
        options = [
            f"({one} {self.chance.choice(('+', '-', '*', '//', '%', '&', '|', '^'))} {two})",
            f"({one} {self.chance.choice(('<', '<=', '==', '!=', '>', '>='))} {two})",
            f"({one} {self.chance.choice(('and', 'or'))} {two})",
            f"({one} if {self.condition(size)} else {two})",
            f"-({one})",
            f"~({one})",
            f"abs({one})",
            f"({one} % 97) ** ({two} % 4)",
            f"(({one}) >> 2)",
            f"len({self.of(self.chance.choice(KINDS[1:]), size)})",
            f"sum({numbers})",
            f"max({numbers}, default={one})",
            f"min({numbers}, default=0)",
            f"sorted({numbers}, key=lambda item: -item)[0]",
            f"{self.of('list', size)}[{self.chance.choice(('0', '-1', '1', '2'))}]",
            f"{self.of('dict', size)}[{self.chance.choice('abe')!r}]",
            f"{self.of('dict', size)}.get({self.chance.choice('abe')!r}, {one})",
            f"{self.of('str', size)}.find({self.of('str', 0)})",
            f"{self.of('list', size)}.count({two})",
            f"int({self.of('str', size)})",
            f"sum(item * {two} for item in {numbers} if item > {one})",
            f"divmod({one}, {two})[{self.chance.randint(0, 1)}]",
            f"(lambda p, q={one}: p - q)({two})",
            f"any(item > {one} for item in {numbers})",
        ]
        options += [call() for kind, call in self.functions if kind == "int"] * 3
        return self.chance.choice(options)

    def condition(self, size: int) -> str:
        one, two = self.of("int", size), self.of("int", size)
        return self.chance.choice(
            (
                f"{one} < {two}",
                f"0 <= {one} < {two}",
                f"{one} == {two}",
                f"{one} in {self.of(self.chance.choice(('list', 'set', 'tuple')), size)}",
                f"not {self.of(self.kind(), size)}",
                f"{self.of('str', size)} <= {self.of('str', size)}",
                f"{self.of('list', size)} == {self.of('list', size)}",
                f"{self.of('tuple', size)} < {self.of('tuple', size)}",
                f"isinstance({self.any(size)}, ({self.kind()}, {self.kind()}))",
                f"{self.chance.choice('abe')!r} not in {self.of('dict', size)}",
            )
        )

    def plain(self, kind: str) -> str:
        """An expression without quotes and braces, to stand inside an f-string of any version."""
        if self.names[kind]:
            return self.chance.choice(self.names[kind])
        return {"int": "17", "str": "str(5)", "list": "[1, 2]"}[kind]

    def str_expression(self, size: int) -> str:
        one = self.of("str", size)
        number = self.of("int", size)
        inside, text = self.plain("int"), self.plain("str")
        options = [
            f"{one} + {self.of('str', size)}",
            f"{one} * ({number} % 3)",
            f"{one}.upper()",
            f"{one}.replace('a', 'bb')",
            f"{one}[::-1]",
            f"{one}[{self.chance.randint(-2, 2)}:]",
            f"{one}.strip().title()",
            f"repr({self.any(size)})" if self.likely(0.1) else f"repr({self.of('list', size)})",
            f"str({number})",
            f"'-'.join(str(item) for item in {self.of('list', size)})",
            f"f'<{{{inside}}}|{{{text}!r:>8}}|{{{inside}:04d}}>'",
            f"f'{{{inside} % 1000:x}} {{{inside}:>+6,}} {{{inside}=}}'",
            f"f'{{{self.plain('list')}}} {{{text}:^{self.chance.randint(3, 7)}}}'",
            f"'%s=%d' % ({one}, {number})",
            f"'{{}}/{{1!r}}'.format({number}, {one})"
            if self.likely(0.2)
            else f"'{{}}/{{}}'.format({number}, {one})",
            f"{one}[{self.chance.randint(-2, 2)}]",
        ]
        options += [call() for kind, call in self.functions if kind == "str"] * 3
        return self.chance.choice(options)

    def list_expression(self, size: int) -> str:
        one = self.of("list", size)
        numbers = self.of(self.chance.choice(("list", "tuple")), size)
        item = self.fresh("i")
        options = [
            f"{one} + {self.of('list', size)}",
            f"{one} * ({self.of('int', size)} % 3)",
            f"{one}[{self.chance.choice((':2', '1:', '::2', '::-1', '-2:', '1:-1'))}]",
            f"sorted({one}, reverse={self.likely(0.5)})",
            f"[{item} * {item} for {item} in {numbers} if {item} % 2 == {self.chance.randint(0, 1)}]",
            f"[{item} + {item}x for {item} in {numbers} for {item}x in range({item} % 3)]",
            f"list(range({self.chance.randint(-2, 3)}, {self.of('int', 0)} % 9, 2))",
            f"[*{numbers}, {self.of('int', size)}, *{self.of('tuple', size)}]",
            f"list(map(lambda item: item + 1, {numbers}))",
            f"list(filter(None, {numbers}))",
            f"[a - b for a, b in zip({numbers}, {self.of('list', size)})]",
            f"[index * value for index, value in enumerate({numbers}, {self.chance.randint(0, 2)})]",
            f"list({self.of('dict', size)}.values())",
            f"sorted({self.of('set', size)})",
            f"list(reversed({one}))",
            f"[int(part) for part in str(abs({self.of('int', size)}))]",
        ]
        options += [call() for kind, call in self.functions if kind == "list"] * 3
        return self.chance.choice(options)

    def tuple_expression(self, size: int) -> str:
        return self.chance.choice(
            (
                f"{self.of('tuple', size)} + {self.of('tuple', size)}",
                f"({self.of('int', size)}, {self.of('int', size)})",
                f"tuple({self.of('list', size)})",
                f"divmod({self.of('int', size)}, {self.of('int', size)})",
                f"(*{self.of('list', size)}, {self.of('int', size)})",
                f"{self.of('tuple', size)}[1:]",
            )
        )

    def set_expression(self, size: int) -> str:
        one, two = self.of("set", size), self.of("set", size)
        return self.chance.choice(
            (
                f"({one} {self.chance.choice(('|', '&', '-', '^'))} {two})",
                f"set({self.of('list', size)})",
                f"{{item % 5 for item in {self.of('list', size)}}}",
                f"{one}.union({self.of('list', size)})",
                f"set({self.of('dict', size)}.values())",
            )
        )

    def dict_expression(self, size: int) -> str:
        one, two = self.of("dict", size), self.of("dict", size)
        return self.chance.choice(
            (
                f"{{**{one}, {self.chance.choice('abcd')!r}: {self.of('int', size)}}}",
                f"{{key: value + 1 for key, value in {one}.items()}}",
                f"({one} | {two})",
                f"dict(zip('abcd', {self.of('list', size)}))",
                f"dict(a={self.of('int', size)}, c={self.of('int', size)})",
                f"{{letter: position for position, letter in enumerate({self.of('str', size)})}}",
            )
        )

    # Statements

    def block(self, statements: int) -> Block:
        """Some statements; names they bind are forgotten after them, as they may not have been reached."""
        before = {kind: list(names) for kind, names in self.names.items()}
        functions = list(self.functions)
        self.depth += 1
        lines = [line for _ in range(statements) for line in self.statement()]
        self.depth -= 1
        self.names, self.functions = before, functions
        return [INDENT + line for line in lines] or [INDENT + "pass"]

    def statement(self) -> Block:
        simple = [(6, self.assign), (3, self.display), (2, self.change), (1, self.unpack), (1, self.delete)]
        nested = [
            (3, self.attempt),
            (2, self.branch),
            (2, self.count),
            (1, self.wait),
            (1.5, self.match),
            (1, self.context),
            (2.5, self.function),
            (1.5, self.closure),
            (1.5, self.classes),
            (1.5, self.generator),
            (1, self.failing),
        ]
        options = simple + (nested if self.depth < 3 else [])
        weights, makers = zip(*options, strict=True)
        make: Callable[[], Block] = self.chance.choices(makers, weights)[0]
        return make()

    def assign(self) -> Block:
        kind = self.kind()
        expression = self.of(kind, 3)
        name = self.fresh()
        lines = [f"{name} = {expression}"]
        if self.likely(0.4):
            lines.append(f"show({name!r}, {name})")
        self.names[kind].append(name)
        return lines

    def display(self) -> Block:
        return [f"show({self.fresh('line')!r}, {self.any(3)})"]

    def change(self) -> Block:
        options = [f"show('none', {self.of('int')})"]
        if self.names["list"]:
            name = self.chance.choice(self.names["list"])
            options += [
                f"{name}.append({self.of('int')})",
                f"{name}.sort()",
                f"{name}.insert({self.chance.randint(-1, 2)}, {self.of('int')})",
                f"{name}[{self.chance.choice(('0', '-1', '1:2', ':0'))}] = [4]",
                f"{name}[{self.chance.choice(('0', '-1', '1:2'))}] += {self.of('int')}",
                f"{name}.extend({self.of('tuple')})",
                f"show('popped', {name}.pop({self.chance.choice(('', '0', '-1'))}))",
                f"{name} += {self.of('tuple')}",
                f"{name}.remove({self.of('int')})",
            ]
        if self.names["dict"]:
            name = self.chance.choice(self.names["dict"])
            options += [
                f"{name}[{self.chance.choice('abcd')!r}] = {self.of('int')}",
                f"{name}.update({self.of('dict')})",
                f"show('popped', {name}.pop({self.chance.choice('abe')!r}))",
                f"show('default', {name}.setdefault({self.chance.choice('abe')!r}, {self.of('int')}))",
                f"{name} |= {self.of('dict')}",
            ]
        if self.names["set"]:
            name = self.chance.choice(self.names["set"])
            options += [
                f"{name}.add({self.of('int')})",
                f"{name}.discard({self.of('int')})",
                f"{name} -= {{1, 2}}",
            ]
        for name in self.names["int"][-1:]:
            options.append(f"{name} {self.chance.choice(('+=', '-=', '//=', '^=', '%='))} {self.of('int')}")
        return [self.chance.choice(options)]

    def unpack(self) -> Block:
        one, two, three = self.fresh(), self.fresh(), self.fresh()
        shape, source = self.chance.choice(
            (
                (f"{one}, *{two}", f"[{self.of('int')}, *{self.of('list')}]"),
                (f"*{two}, {one}", f"({self.of('int')}, {self.of('int')}, {self.of('int')})"),
                (f"({one}, {three}), {two}", f"({self.of('int')}, {self.of('int')}), {self.of('list')}"),
            )
        )
        self.names["int"].append(one)
        self.names["list"].append(two)
        return [f"{shape} = {source}", f"show('unpacked', ({one}, {two}))"]

    def delete(self) -> Block:
        name = self.fresh()
        return [
            f"{name} = {self.of('list', 1)} + [5, 6]",
            f"del {name}[{self.chance.choice(('0', '-1', ':1', '::2'))}]",
            f"show({name!r}, {name})",
        ]

    def attempt(self) -> Block:
        kinds = (
            "Exception",
            "(IndexError, KeyError)",
            "ZeroDivisionError",
            "Failure",
            "ValueError",
            "LookupError",
        )
        lines = ["try:", *self.block(self.chance.randint(1, 3))]
        if self.likely(0.3):
            lines += [f"{INDENT}raise {self.chance.choice(('Failure', 'Worse'))}({self.of('int', 1)})"]
        for _ in range(self.chance.randint(0, 2)):
            lines += [
                f"except {self.chance.choice(kinds)} as problem:",
                f"{INDENT}print('caught', told(problem))",
            ]
            if self.likely(0.2):
                lines += [f"{INDENT}raise Worse('again', 1) from problem"]
            elif self.likely(0.1):
                lines += [f"{INDENT}raise"]
        has_handler = any(line.startswith("except") for line in lines)
        if has_handler and self.likely(0.3):
            lines += ["else:", *self.block(1)]
        if not has_handler or self.likely(0.4):
            lines += ["finally:", f"{INDENT}print('finally')", *self.block(1)]
        return lines

    def branch(self) -> Block:
        test = self.condition(2)
        if self.likely(0.2):
            name = self.fresh("w")
            test = f"({name} := {self.of('int', 1)}) > 1 or {name} < {self.of('int', 1)}"
        lines = [f"if {test}:", *self.block(2)]
        if self.likely(0.4):
            lines += [f"elif {self.condition(1)}:", *self.block(1)]
        if self.likely(0.6):
            lines += ["else:", *self.block(1)]
        return lines

    def count(self) -> Block:
        item = self.fresh("i")
        iterable = self.chance.choice(
            (f"range({self.chance.randint(1, 4)})", f"{self.of('list')}[:4]", self.of("tuple"))
        )
        self.names["int"].append(item)
        body = self.block(self.chance.randint(1, 2))
        self.names["int"].remove(item)
        if self.likely(0.3):
            exit_ = self.chance.choice(("break", "continue"))
            body = [f"{INDENT}if {item} == 1:", f"{INDENT * 2}{exit_}", *body]
        lines = [f"for {item} in {iterable}:", *body]
        if self.likely(0.25):
            lines += ["else:", f"{INDENT}print('no break')"]
        return lines

    def wait(self) -> Block:
        left = self.fresh("left")
        lines = [f"{left} = {self.chance.randint(1, 3)}", f"while {left} > 0:", f"{INDENT}{left} -= 1"]
        lines += self.block(1)
        if self.likely(0.3):
            lines += [f"{INDENT}if {self.condition(1)}:", f"{INDENT * 2}break"]
            lines += ["else:", f"{INDENT}print('ran out')"]
        return lines

    def match(self) -> Block:
        subject = self.chance.choice((self.any(), f"[{self.of('int')}, {self.of('int')}]", self.of("dict")))
        cases = [
            "case 0 | 1:",
            "case int(number) if number > 5:",
            "case str() as text:",
            "case [first, *rest]:",
            "case [_, second]:",
            "case (1, _) | [2]:",
            "case {'a': found}:",
            "case {'b': found, **others}:",
            "case True | None:",
            "case 'a' | 'bc':",
        ]
        chosen = self.chance.sample(cases, self.chance.randint(1, 4))
        lines = [f"match {subject}:"]
        for case in chosen:
            told = {
                "number": "number",
                "text": "text",
                "rest": "(first, rest)",
                "second": "second",
                "found": "found",
            }
            seen = next((value for name, value in told.items() if name in case), "'matched'")
            lines += [INDENT + case, f"{INDENT * 2}show('case', {seen})"]
        return [*lines, f"{INDENT}case _:", f"{INDENT * 2}print('no case')"]

    def context(self) -> Block:
        name = self.fresh("Manager")
        swallow = self.chance.choice(("False", "True", "kind is Failure"))
        lines = [
            f"class {name}:",
            f"{INDENT}def __enter__(self):",
            f"{INDENT * 2}print('enter')",
            f"{INDENT * 2}return {self.of('int', 1)}",
            f"{INDENT}def __exit__(self, kind, problem, trace):",
            f"{INDENT * 2}print('exit', kind.__name__ if kind else None)",
            f"{INDENT * 2}return {swallow}",
        ]
        variable = self.fresh()
        body = self.block(2)
        if self.likely(0.3):
            body.append(f"{INDENT}raise Failure({variable})")
        return [*lines, f"with {name}() as {variable}:", *body]

    def _result(self, kind: str) -> Block:
        return [f"{INDENT}return {self.of(kind, 2)}"]

    def function(self) -> Block:
        name = self.fresh("f")
        kind = self.chance.choice(("int", "str", "list"))
        p, q, r, rest, extra = (self.fresh("p") for _ in range(5))
        default = self.of("int", 1)
        signature, calls = self.chance.choice(
            (
                (f"{p}, {q}", ("{0}, {1}", f"{q}={{0}}, {p}={{1}}", "*[{0}, {1}]")),
                (f"{p}, {q}={default}", ("{0}", "{0}, {1}", f"{{0}}, {q}={{1}}", f"**{{{{{p!r}: {{0}}}}}}")),
                (f"{p}, *{rest}", ("{0}", "{0}, {1}, 3", "*({0}, {1}, 4)")),
                (f"{p}, /, {q}, *, {r}={default}", ("{0}, {1}", f"{{0}}, {q}={{1}}, {r}=1", "{0}")),
                (
                    f"{p}, *{rest}, {r}={default}, **{extra}",
                    ("{0}, {1}", f"{{0}}, zed={{1}}, {r}=3", "{0}, *[1, 2], y=1"),
                ),
            )
        )
        outside = {each: list(names) for each, names in self.names.items()}
        functions = list(self.functions)
        for parameter in (p, q, r):
            if parameter in signature:
                self.names["int"].append(parameter)
        if rest in signature:
            self.names["tuple"].append(rest)
        self.depth += 1
        lines = [line for _ in range(self.chance.randint(0, 2)) for line in self.statement()]
        self.depth -= 1
        body = [INDENT + line for line in lines]
        if extra in signature:
            body.append(f"{INDENT}show('extra', {extra})")
        if self.likely(0.15):
            body += [f"{INDENT}if {self.condition(1)}:", f"{INDENT * 2}raise Failure({p}, 'in {name}')"]
        body += self._result(kind)
        # Names of the outside that a function changes would be its own: it may only read them.
        self.names, self.functions = outside, functions

        def call() -> str:
            return f"{name}({self.chance.choice(calls).format(self.of('int', 0), self.of('int', 0))})"

        self.functions.append((kind, call))
        return [f"def {name}({signature}):", *body, f"show({name!r}, {call()})"]

    def closure(self) -> Block:
        name, inner = self.fresh("make"), self.fresh("step")
        start = self.of("int", 1)
        operation = self.chance.choice(("+=", "-=", "*=", "^="))
        made = self.fresh("c")
        return [
            f"def {name}(state):",
            f"{INDENT}history = []",
            f"{INDENT}def {inner}(by={self.chance.randint(1, 4)}):",
            f"{INDENT * 2}nonlocal state",
            f"{INDENT * 2}state {operation} by",
            f"{INDENT * 2}history.append(state)",
            f"{INDENT * 2}return {self.chance.choice(('state', 'history[-1]', 'sum(history)'))}",
            f"{INDENT}return {inner}, lambda: list(history)",
            f"{made}, {made}_history = {name}({start})",
            f"{made}()",
            f"show({made!r}, {made}({self.of('int', 1)}))",
            f"show('history', {made}_history())",
        ]

    def classes(self) -> Block:
        base, derived, made = self.fresh("Base"), self.fresh("Derived"), self.fresh("o")
        size = self.of("int", 1)
        area = self.chance.choice(("self.size + self.limit", "self.size * 2", "self.scale(3)"))
        lines = [
            f"class {base}:",
            f"{INDENT}limit = {self.chance.randint(1, 9)}",
            f"{INDENT}def __init__(self, size):",
            f"{INDENT * 2}self.size = size",
            f"{INDENT}def area(self):",
            f"{INDENT * 2}return {area}",
            f"{INDENT}def scale(self, by):",
            f"{INDENT * 2}return self.size * by",
            f"{INDENT}def __repr__(self):",
            f"{INDENT * 2}return f'{{type(self).__name__}}({{self.size}})'",
        ]
        if self.likely(0.5):
            lines += [
                f"{INDENT}def __eq__(self, other):",
                f"{INDENT * 2}return isinstance(other, {base}) and self.size == other.size",
                f"{INDENT}def __lt__(self, other):",
                f"{INDENT * 2}return self.size < other.size",
            ]
        if self.likely(0.5):
            lines += [f"{INDENT}@property", f"{INDENT}def double(self):", f"{INDENT * 2}return self.size * 2"]
        has_property = lines[-1].endswith("size * 2") and "@property" in lines[-3]
        lines += [
            f"class {derived}({base}):",
            f"{INDENT}def __init__(self, size, extra=2):",
            f"{INDENT * 2}super().__init__(size)",
            f"{INDENT * 2}self.extra = extra",
        ]
        if self.likely(0.6):
            lines += [f"{INDENT}def area(self):", f"{INDENT * 2}return super().area() - self.extra"]
        if self.likely(0.4):
            lines += [
                f"{INDENT}def __add__(self, other):",
                f"{INDENT * 2}return {derived}(self.size + other.size)",
            ]
            lines += [f"{made}_sum = {derived}(1) + {derived}(2)", f"print({made}_sum, {made}_sum.area())"]
        if self.likely(0.3):
            lines += [f"{derived}.limit = {self.chance.randint(10, 20)}", f"show('limit', {base}.limit)"]
        lines += [
            f"{made} = {derived}({size})",
            f"print({made}, [{made}.area(), {made}.scale(2)], isinstance({made}, {base}))",
        ]
        if has_property:
            lines.append(f"show('double', {made}.double)")
        lines.append(f"print({base}(1) == {base}(1), {made} == {made}, hasattr({made}, 'extra'))")
        return lines

    def generator(self) -> Block:
        name, item = self.fresh("gen"), self.fresh("i")
        source = self.of("list", 1)
        lines = [
            f"def {name}(items):",
            f"{INDENT}try:",
            f"{INDENT * 2}for {item} in items:",
            f"{INDENT * 3}got = yield {item} {self.chance.choice(('+ 1', '* 2', ''))}",
            f"{INDENT * 3}if got is not None:",
            f"{INDENT * 4}yield got",
        ]
        if self.likely(0.4):
            lines.append(f"{INDENT * 2}yield from range({self.chance.randint(1, 3)})")
        lines += [f"{INDENT}finally:", f"{INDENT * 2}print('generator ends')"]
        use = self.chance.randint(0, 3)
        if use == 0:
            lines.append(f"show('all', list({name}({source})))")
        elif use == 1:
            made = self.fresh("g")
            lines += [
                f"{made} = {name}([1, 2, 3])",
                f"show('next', next({made}))",
                f"show('sent', {made}.send({self.of('int', 0)}))",
                f"{made}.close()",
                f"show('rest', next({made}, 'nothing'))",
            ]
        elif use == 2:
            first, second = self.fresh("a"), self.fresh("b")
            lines += [f"for {first}, {second} in zip({name}({source}), {name}('xyz') if False else [7, 8]):"]
            lines += [f"{INDENT}print({first}, {second})"]
        else:
            lines.append(f"show('sum', sum(value for value in {name}({source}) if value > 1))")
        return lines

    def failing(self) -> Block:
        name = self.fresh("fail")
        lines = [
            f"def {name}(value):",
            f"{INDENT}try:",
            f"{INDENT * 2}if value > 2:",
            f"{INDENT * 3}raise Failure(value)",
            f"{INDENT * 2}return 10 // value",
            f"{INDENT}except Failure as problem:",
            f"{INDENT * 2}return problem.code",
            f"{INDENT}finally:",
            f"{INDENT * 2}print('leaving', value)",
        ]
        if self.likely(0.3):
            lines += [f"{INDENT * 2}if value == 2:", f"{INDENT * 3}return 'overridden'"]
        lines += ["try:", f"{INDENT}show('result', {name}({self.of('int', 1)}))"]
        return [*lines, "except ZeroDivisionError as problem:", f"{INDENT}print('outside', told(problem))"]


def generate_sequential(chance: random.Random) -> str:
    """The text of one program. An exception at the top ends a part of it, not all."""
    writer = Sequential(chance)
    lines: list[str] = []
    for _ in range(chance.randint(2, 6)):
        part = writer.statement()
        if chance.random() < 0.8:
            handler = ["except Exception as problem:", f"{INDENT}print('part failed', told(problem))"]
            part = ["try:", *(INDENT + line for line in part), *handler]
        lines += part
    return PRELUDE + "\n".join(lines) + "\n"


def sequential_programs() -> st.SearchStrategy[str]:
    """The same programs, drawn by Hypothesis."""
    return st.randoms(use_true_random=False).map(generate_sequential)
