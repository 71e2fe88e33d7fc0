"""Small threaded programs of which some end and some do not: flags, spinning, locks, back-off, conditions,
events, semaphores, queues, labels; and formulas over them."""

from __future__ import annotations

import random

INDENT = "    "
SHARED = {
    "lock": ["lock = threading.Lock()"],
    "locks": ["left = threading.Lock()", "right = threading.Lock()"],
    "condition": ["changed = threading.Condition()"],
    "event": ["event = threading.Event()"],
    "semaphore": ["places = threading.Semaphore(1)"],
    "queue": ["jobs = queue.Queue(1)"],
}
FORMULAS = (
    "<> (x == 1)",
    "[] (x == 0 || <> (y == 1))",
    "[] ((x == 1) -> <> (x == 0))",
    "[]<> (x == 0)",
    "<>[] (x == 1)",
    "[] (p -> <> q)",
    "[]<> p",
    "<> q",
    "(x == 0) U (y == 1)",
    "[] !(x == 1 && y == 1)",
    "[]<> p -> []<> q",
    "[]<> (x == 1) -> <> q",
    "<> (p && x == 1)",
)


class Writer:
    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.kinds = chance.sample(sorted(SHARED), chance.randint(0, 2))
        self.budget = 0

    def pick(self, *options: str) -> str:
        return self.chance.choice(options)

    def body(self, most: int, depth: int) -> list[str]:
        lines: list[str] = []
        for _ in range(self.chance.randint(1, most)):
            if self.budget <= 0 and lines:
                break
            lines += self.statement(depth)
        return lines

    def nested(self, head: str, depth: int, most: int = 2) -> list[str]:
        return [head, *(INDENT + line for line in self.body(most, depth + 1))]

    def statement(self, depth: int) -> list[str]:
        self.budget -= 1
        options = [self.write, self.write, self.spin, self.label]
        options += [getattr(self, f"use_{kind}") for kind in self.kinds for _ in range(2)]
        if depth < 2:
            options += [self.forever, self.rounds, self.branch]
        return self.chance.choice(options)(depth)  # type: ignore[no-any-return]

    def write(self, depth: int) -> list[str]:
        return [self.pick("x = 0", "x = 1", "y = 0", "y = 1", "x = 1 - x", "y = x")]

    def spin(self, depth: int) -> list[str]:
        return [f"while {self.condition()}: pass"]

    def condition(self) -> str:
        return self.pick("x != 1", "y != 1", "x == 1", "y == 1", "x == y")

    def label(self, depth: int) -> list[str]:
        return [f'assay.label("{self.pick("p", "q")}")']

    def forever(self, depth: int) -> list[str]:
        lines = self.nested("while True:", depth)
        if self.chance.random() < 0.6:
            lines += [f"{INDENT}if {self.condition()}: break"]
        return lines

    def rounds(self, depth: int) -> list[str]:
        return self.nested("for i in range(2):", depth, 1)

    def branch(self, depth: int) -> list[str]:
        return self.nested(f"if {self.condition()}:", depth, 1)

    def use_lock(self, depth: int) -> list[str]:
        if self.chance.random() < 0.3:
            head = f"if lock.acquire({self.pick('blocking=False', 'timeout=0.01')}):"
            return [*self.nested(head, 2, 1), f"{INDENT}lock.release()"]
        return self.nested("with lock:", 2, 1)

    def use_locks(self, depth: int) -> list[str]:
        first, second = self.chance.sample(["left", "right"], 2)
        if self.chance.random() < 0.3:
            return [f"with {first}:", f"{INDENT}with {second}:", f"{INDENT}{INDENT}{self.write(0)[0]}"]
        return [
            "while True:",
            f"{INDENT}{first}.acquire()",
            f"{INDENT}if {second}.acquire(blocking=False):",
            f"{INDENT}{INDENT}break",
            f"{INDENT}{first}.release()",
            f"{second}.release()",
            f"{first}.release()",
        ]

    def use_condition(self, depth: int) -> list[str]:
        inside = self.pick(
            "changed.notify()", "changed.notify_all()", "changed.wait()", "changed.wait(timeout=0.01)"
        )
        lines = [self.write(0)[0], inside] if "notify" in inside else [inside]
        if inside == "changed.wait()" and self.chance.random() < 0.6:
            lines = [f"while {self.condition()}:", f"{INDENT}{inside}"]
        return ["with changed:", *(INDENT + line for line in lines)]

    def use_event(self, depth: int) -> list[str]:
        return [self.pick("event.set()", "event.clear()", "event.wait()", "event.wait(0.01)")]

    def use_semaphore(self, depth: int) -> list[str]:
        if self.chance.random() < 0.5:
            return self.nested("with places:", 2, 1)
        return [self.pick("places.acquire()", "places.acquire(blocking=False)")]

    def use_queue(self, depth: int) -> list[str]:
        return [self.pick("jobs.put(1)", "jobs.get()", "if not jobs.empty(): x = 1 - x")]

    def function(self, name: str, budget: int) -> list[str]:
        self.budget = budget
        return [f"def {name}():", f"{INDENT}global x, y", *(INDENT + line for line in self.body(3, 0))]


def generate_liveness(chance: random.Random) -> str:
    writer = Writer(chance)
    names = ["f", "g", "h"][: chance.choices((1, 2, 3), (1, 6, 1))[0]]
    budget = 5 if len(names) < 3 else 2
    lines = ["import queue", "import threading", "import assay"]
    if chance.random() < 0.2:
        lines += ["x = 1", "x = 0", "y = 0"]
    else:
        lines += ["x = 0", "y = 0"]
    lines += [line for kind in writer.kinds for line in SHARED[kind]]
    for name in names:
        lines += writer.function(name, budget)
    # The oracle lets nobody come in where a variable is touched that no function mentions.
    lines += ["def both():", "    return x, y"]
    daemon = chance.random() < 0.15
    for number, name in enumerate(names):
        more = ", daemon=True" if daemon and number == 0 else ""
        lines.append(f"t{number} = threading.Thread(target={name}{more})")
    lines += [f"t{number}.start()" for number in range(len(names))]
    if chance.random() < 0.3:
        lines.append(chance.choice(("x = 1", "y = 1", "x = 1 - x")))
    if chance.random() < 0.7:
        lines += [f"t{number}.join()" for number in range(1 if daemon else 0, len(names))]
    return "\n".join(lines) + "\n"
