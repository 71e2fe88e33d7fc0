"""Small random threaded programs: two or three threads over a few shared things.

All of them end under every schedule, or come to rest in a deadlock. Few have more states than the oracle can
visit in seconds; `TooLarge` is for those that do. A text is a function of the random numbers alone.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from hypothesis import strategies as st

INDENT = "    "


@dataclass
class Writer:
    """One program in the making."""

    chance: random.Random
    kinds: list[str]
    lines: list[str] = field(default_factory=list)
    budget: int = 0  # accesses to shared things that the function being written may still make
    written: set[str] = field(default_factory=set)

    def pick(self, *options: str) -> str:
        return self.chance.choice(options)

    def likely(self, probability: float) -> bool:
        return self.chance.random() < probability

    # Expressions: each says what it costs

    def number(self) -> str:
        return str(self.chance.randint(0, 3))

    def readable(self) -> str:
        """An expression that reads a shared number."""
        self.budget -= 1
        choices = ["a", "b"]
        if "object" in self.kinds:
            choices.append("box.n")
        if "list" in self.kinds:
            choices += ["items[0]", "len(items)"]
        if "dict" in self.kinds:
            choices += ["table.get('k', 0)", "len(table)"]
        if "queue" in self.kinds:
            choices.append("jobs.qsize()")
        return self.chance.choice(choices)

    def expression(self) -> str:
        if self.likely(0.25):
            return self.number()
        read = self.readable()
        shapes = [read, f"{read} + {self.number()}", f"{read} * 2", f"max({read}, 1)", f"plus({read})"]
        return self.chance.choice(shapes)

    def condition(self) -> str:
        read = self.readable()
        return self.pick(
            f"{read} == {self.number()}", f"{read} > {self.number()}", f"not {read}", f"{read} < 2"
        )

    def place(self) -> str:
        """Something that can be assigned to."""
        self.budget -= 1
        choices = ["a", "b"]
        if "object" in self.kinds:
            choices += ["box.n", "box.n"]
        if "list" in self.kinds:
            choices.append("items[0]")
        if "dict" in self.kinds:
            choices.append("table['k']")
        found = self.chance.choice(choices)
        if found in {"a", "b"}:
            self.written.add(found)
        return found

    # Statements

    def statement(self, depth: int) -> list[str]:
        options: list[tuple[float, Callable[[int], list[str]]]] = [
            (3, self.assignment),
            (3, self.update),
            (1.5, self.printing),
            (1, self.checking),
        ]
        options += [(4, getattr(self, f"use_{kind}")) for kind in self.kinds]
        if depth < 2:
            options += [(1.2, self.branch), (0.8, self.loop), (0.6, self.attempt)]
        weights, makers = zip(*options, strict=True)
        make: Callable[[int], list[str]] = self.chance.choices(makers, weights)[0]
        return make(depth)

    def body(self, depth: int, most: int) -> list[str]:
        lines: list[str] = []
        for _ in range(self.chance.randint(1, most)):
            if self.budget <= 0 and lines:
                break
            lines += self.statement(depth)
        return lines

    def nested(self, head: str, depth: int, most: int = 2) -> list[str]:
        return [head, *(INDENT + line for line in self.body(depth + 1, most))]

    def assignment(self, depth: int) -> list[str]:
        value = self.expression()
        return [f"{self.place()} = {value}"]

    def update(self, depth: int) -> list[str]:
        self.budget -= 1
        value = self.number() if self.likely(0.7) else self.readable()
        return [f"{self.place()} {self.pick('+=', '-=', '*=')} {value}"]

    def printing(self, depth: int) -> list[str]:
        return [f"print({self.pick(repr('saw'), repr('then'))}, {self.expression()})"]

    def checking(self, depth: int) -> list[str]:
        if self.likely(0.5):
            return [f"assert {self.condition()}, 'wrong'"]
        return [f"seen.append({self.expression()})"]

    def branch(self, depth: int) -> list[str]:
        lines = self.nested(f"if {self.condition()}:", depth)
        if self.likely(0.4):
            lines += self.nested("else:", depth, 1)
        return lines

    def loop(self, depth: int) -> list[str]:
        self.budget //= 2
        if self.likely(0.6):
            lines = self.nested(f"for i in range({self.chance.randint(1, 2)}):", depth, 1)
            self.budget = max(self.budget, 0)
            return lines
        variable = f"rounds{depth}"
        lines = self.nested(f"while {self.condition()} and {variable} < 2:", depth, 1)
        return [f"{variable} = 0", *lines, f"{INDENT}{variable} += 1"]

    def attempt(self, depth: int) -> list[str]:
        kind = self.pick("Exception", "AssertionError", "(IndexError, KeyError)")
        lines = self.nested("try:", depth)
        lines += [f"except {kind} as problem:", f"{INDENT}print('caught', problem.args)"]
        if self.likely(0.3):
            lines += self.nested("finally:", depth, 1)
        return lines

    def use_object(self, depth: int) -> list[str]:
        self.budget -= 2
        return [self.pick("box.step()", "box.step(2)", "box.n = box.read() + 1")]

    def use_list(self, depth: int) -> list[str]:
        self.budget -= 1
        value = self.expression()
        return [
            self.pick(
                f"items.append({value})",
                "items.pop()",
                "items[-1] += 1",
                "items.insert(0, 7)",
                "items.reverse()",
            )
        ]

    def use_dict(self, depth: int) -> list[str]:
        self.budget -= 1
        return [
            self.pick(
                f"table['k'] = {self.number()}",
                "table['m'] = len(table)",
                "table.pop('k')",
                "table.setdefault('k', 5)",
                "if 'k' in table: table['k'] += 1",
                "del table['k']",
            )
        ]

    def use_lock(self, depth: int) -> list[str]:
        self.budget -= 2
        lock = self.pick("lock", "lock", "other")
        if depth < 2 and self.likely(0.75):
            return self.nested(f"with {lock}:", depth)
        if self.likely(0.5):
            head = f"if {lock}.acquire({self.pick('blocking=False', 'timeout=0.001')}):"
            return [*self.nested(head, depth, 1), f"{INDENT}{lock}.release()"]
        return [f"{lock}.acquire()", *self.body(depth + 1, 1), f"{lock}.release()"]

    def use_rlock(self, depth: int) -> list[str]:
        self.budget -= 2
        return self.nested("with again:", depth)

    def use_condition(self, depth: int) -> list[str]:
        self.budget -= 3
        if self.likely(0.5):
            inside = [self.pick("changed.notify()", "changed.notify_all()")]
            if self.likely(0.8):
                inside = [*self.assignment(depth), *inside]
        else:
            timeout = self.pick("", "", "timeout=0.001")
            head = self.pick("if", "while") if not timeout else "if"
            inside = [f"{head} not ready:", f"{INDENT}changed.wait({timeout})"]
            if self.likely(0.4):
                inside.append(f"seen.append({self.readable()})")
        if self.likely(0.6):
            self.written.add("ready")
            inside.insert(0, "ready = True")
        return ["with changed:", *(INDENT + line for line in inside)]

    def use_event(self, depth: int) -> list[str]:
        self.budget -= 1
        return [
            self.pick(
                "event.set()",
                "event.set()",
                "event.wait()",
                "event.clear()",
                "if event.is_set(): seen.append('set')",
                "seen.append(event.wait(0.001))",
            )
        ]

    def use_semaphore(self, depth: int) -> list[str]:
        self.budget -= 1
        if depth < 2 and self.likely(0.4):
            return self.nested("with places:", depth)
        return [
            self.pick(
                "places.acquire()",
                "places.release()",
                "places.release()",
                "seen.append(places.acquire(blocking=False))",
            )
        ]

    def use_queue(self, depth: int) -> list[str]:
        self.budget -= 1
        return [
            self.pick(
                f"jobs.put({self.number()})",
                f"jobs.put({self.number()})",
                "seen.append(jobs.get())",
                "seen.append(jobs.get_nowait())",
                "if not jobs.empty(): jobs.get()",
                "jobs.put_nowait(9)",
            )
        ]

    def use_choice(self, depth: int) -> list[str]:
        self.budget -= 1
        return [f"{self.place()} = choose({self.pick('1, 2', '[0, 1]', 'range(2)')})"]

    def use_barrier(self, depth: int) -> list[str]:
        self.budget -= 1
        return [self.pick("seen.append(gate.wait())", "gate.wait()")]

    # The whole

    def function(self, name: str, statements: int, budget: int) -> list[str]:
        self.budget = budget
        self.written = set()
        body: list[str] = []
        for _ in range(statements):
            if self.budget <= 0 and body:
                break
            body += self.statement(0)
        declared = sorted(self.written)
        head = [f"def {name}():"]
        if declared:
            head.append(f"{INDENT}global {', '.join(declared)}")
        return [*head, *(INDENT + line for line in body)]


SHARED = {
    "object": [
        "class Box:",
        "    def __init__(self):",
        "        self.n = 0",
        "    def step(self, amount=1):",
        "        self.n += amount",
        "    def read(self):",
        "        return self.n",
        "box = Box()",
    ],
    "list": ["items = [1]"],
    "dict": ["table = {'k': 1}"],
    "lock": ["lock = threading.Lock()", "other = threading.Lock()"],
    "rlock": ["again = threading.RLock()"],
    "condition": ["changed = threading.Condition()", "ready = False"],
    "event": ["event = threading.Event()"],
    "semaphore": ["places = threading.Semaphore(1)"],
    "queue": ["jobs = queue.Queue(2)"],
    "choice": ["from assay import choose"],
    "barrier": ["gate = threading.Barrier(2)"],
}


def generate(chance: random.Random) -> str:
    """The text of one program."""
    writer = Writer(chance, chance.sample(sorted(SHARED), chance.randint(1, 3)))
    threads = chance.choices((2, 3), (4, 1))[0]
    statements, budget = (4, 6) if threads == 2 else (2, 3)
    bodies = [
        writer.function(name, chance.randint(1, statements), budget)
        for name in "fgh"[: chance.randint(1, threads)]
    ]
    text = "\n".join(line for body in bodies for line in body)
    lines = ["import queue", "import threading", "a = 0", "b = 1", "seen = []"]
    lines += [line for kind in writer.kinds for line in SHARED[kind]]
    if "plus(" in text:
        lines += ["def plus(value):", "    return value + 1"]
    lines += text.splitlines()
    targets = ["fgh"[number % len(bodies)] for number in range(threads)]
    lines += [f"t{i} = threading.Thread(target={name})" for i, name in enumerate(targets)]
    lines += [f"t{i}.start()" for i in range(threads)]
    if chance.random() < 0.2:
        lines.append(chance.choice(("a += 5", "print('main', a)", "seen.append(b)")))
    if chance.random() < 0.9:
        lines += [f"t{i}.join()" for i in range(threads)]
        lines += ["n = box.n"] if "object" in writer.kinds else []
    if chance.random() < 0.5:
        lines.append("print('end', a, b, seen)")
    return "\n".join(lines) + "\n"


def programs() -> st.SearchStrategy[str]:
    """The same programs, drawn by Hypothesis."""
    return st.randoms(use_true_random=False).map(generate)
