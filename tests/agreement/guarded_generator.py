"""Random small Promela programs of what a symbolic form can say.

A weighted grammar over a few constructs that are easy to say wrongly: what is truncated on store, divided
with signs, shifted too far, evaluated only if a first half allows it; sequences that block inside, `else` and
`timeout`, process numbers that are used again, remote references.
Most programs have few states. One seed gives one program.

    python -m tests.agreement.guarded_generator --seed 7
"""

from __future__ import annotations

import argparse
import random
from dataclasses import dataclass

from tests.agreement.generator import Form, Node, leaf, render

TYPES = {
    "bit": 2,
    "bool": 2,
    "byte": 256,
    "pid": 256,
    "short": 1 << 16,
    "int": 1 << 32,
    "unsigned": 8,
    "mtype": 4,
}
CONSTANTS = (0, 1, 2, 3, 5, 7, 31, 32, 33, 127, 128, 255, 256, 32767, 32768, 65535, 65536, 2147483647)


@dataclass(frozen=True, slots=True)
class Program:
    text: str
    tree: Node


class Guarded:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.globals: list[str] = []  # patterns of places
        self.channels: list[tuple[str, int, int]] = []  # name, capacity, fields
        self.has_remote = self.chance(0.3)
        self.has_timeout = self.chance(0.3)
        self.has_runs = self.chance(0.5)
        self.has_counts = self.chance(0.3)
        self.labels: dict[str, list[str]] = {}
        self.count = 0

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def name(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    # --- declarations ---

    def declaration(self, prefix: str, places: list[str]) -> Node:
        r = self.random
        kind = r.choice(list(TYPES))
        name = self.name(prefix)
        word = r.choice(["", "", "", "", "hidden ", "local "]) if prefix == "g" else ""
        if word == "hidden ":
            word = ""
        width = f" : {r.choice((1, 2, 3, 5, 17, 31))}" if kind == "unsigned" else ""
        if kind != "unsigned" and self.chance(0.25):
            length = r.randint(1, 3)
            initial = r.choice(["", " = 1", f" = {r.choice(CONSTANTS)}"]) if kind != "mtype" else ""
            places.append(f"{name}[@]")
            return leaf(f"{word}{kind} {name}[{length}]{initial}")
        initial = ""
        if self.chance(0.4):
            initial = " = " + (r.choice(("red", "green")) if kind == "mtype" else self.constant())
        places.append(name)
        return leaf(f"{word}{kind} {name}{width}{initial}")

    def constant(self) -> str:
        value = self.random.choice(CONSTANTS)
        return f"(-{value})" if self.chance(0.25) else str(value)

    # --- expressions ---

    def place(self, places: list[str], depth: int) -> str:
        pattern = self.random.choice(places)
        if "@" not in pattern:
            return pattern
        index = str(self.random.randint(0, 1)) if self.chance(0.6) else self.number(places, depth - 1)
        return pattern.replace("@", index)

    def number(self, places: list[str], depth: int) -> str:
        r = self.random
        if depth <= 0 or self.chance(0.2):
            if self.chance(0.3):
                return self.constant()
            if self.has_counts and self.chance(0.1):
                return r.choice(("_pid", "_nr_pr"))
            return self.place(places, 0)
        choice = r.random()
        if choice < 0.5:
            operator = r.choice(("+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^"))
            return f"({self.number(places, depth - 1)} {operator} {self.number(places, depth - 1)})"
        if choice < 0.6:
            return f"({r.choice('-~')}{self.number(places, depth - 1)})"
        if choice < 0.7:
            a, b = self.number(places, depth - 1), self.number(places, depth - 1)
            return f"({self.truth(places, depth - 1)} -> {a} : {b})"
        if choice < 0.8:
            return f"({self.truth(places, depth - 1)})"
        if self.channels and choice < 0.86:
            return f"len({r.choice(self.channels)[0]})"
        return self.place(places, depth)

    def truth(self, places: list[str], depth: int, *, whole: bool = False) -> str:
        r = self.random
        if self.has_remote and self.labels and self.chance(0.12):
            process = r.choice(list(self.labels))
            if self.labels[process] and self.chance(0.6):
                return f"{process}@{r.choice(self.labels[process])}"
            return f"({process}[{r.randint(0, 2)}]:seen {r.choice(('<', '==', '>'))} {r.randint(0, 3)})"
        if self.channels and whole and self.chance(0.08):
            return f"{r.choice(('full', 'empty', 'nfull', 'nempty'))}({r.choice(self.channels)[0]})"
        if depth > 0 and self.chance(0.35):
            operator = r.choice(("&&", "||"))
            return f"({self.truth(places, depth - 1)} {operator} {self.truth(places, depth - 1)})"
        if depth > 0 and self.chance(0.1):
            return f"(!{self.truth(places, depth - 1)})"
        operator = r.choice(("<", "<=", "==", "!=", ">", ">="))
        return f"({self.number(places, depth)} {operator} {self.number(places, depth)})"

    # --- statements ---

    def statement(self, places: list[str], depth: int, process: str) -> Node:
        r = self.random
        choice = r.random()
        if depth > 0 and choice < 0.14:
            return self.choice_of("if", "fi", places, depth, process)
        if depth > 0 and choice < 0.2:
            return self.choice_of("do", "od", places, depth, process)
        if depth > 0 and choice < 0.3:
            inner = tuple(self.statement(places, depth - 1, process) for _ in range(r.randint(1, 3)))
            return Node(Form.BLOCK, "atomic", inner)
        if choice < 0.42:
            return leaf(self.truth(places, 1, whole=True))
        if choice < 0.48:
            return leaf(f"assert({self.truth(places, 2)})")
        if choice < 0.51:
            return leaf(f'printf("%d\\n", {self.number(places, 2)})')
        if choice < 0.54:
            place = self.place(places, 1)
            return leaf(f"{place}{r.choice(('++', '--'))}")
        if self.channels and choice < 0.68:
            return leaf(self.message(places))
        if choice < 0.7 and self.labels.get(process):
            return Node(Form.BLOCK, "", (leaf("skip"), leaf(f"goto {r.choice(self.labels[process])}")))
        return leaf(f"{self.place(places, 1)} = {self.number(places, 2)}")

    def message(self, places: list[str]) -> str:
        r = self.random
        name, _, fields = r.choice(self.channels)
        if self.chance(0.5):
            return f"{name}!{', '.join(self.number(places, 1) for _ in range(fields))}"
        poll = r.choice(("", "", "", "<"))
        simple = [one for one in places if "@" not in one] or ["_"]
        received = []
        for _ in range(fields):
            if self.chance(0.25):
                received.append(str(r.randint(0, 2)))
            elif self.chance(0.1):
                received.append(f"eval({self.place(places, 0)})")
            else:
                received.append(r.choice([*simple, "_"]))
        text = ", ".join(received)
        return f"{name}?<{text}>" if poll else f"{name}?{text}"

    def choice_of(self, head: str, tail: str, places: list[str], depth: int, process: str) -> Node:
        r = self.random
        options = []
        for _ in range(r.randint(1, 3)):
            first = self.statement(places, 0, process)
            body = [self.statement(places, depth - 1, process) for _ in range(r.randint(0, 2))]
            if head == "do" and self.chance(0.4):
                body.append(leaf("break"))
            options.append(Node(Form.OPTION, "", (first, *body)))
        if self.chance(0.4):
            word = "timeout" if self.has_timeout and self.chance(0.5) else "else"
            options.append(Node(Form.OPTION, "", (leaf(word), leaf("break" if head == "do" else "skip"))))
        return Node(Form.CHOICE, head, tuple(options), tail)

    def body(self, process: str, parameters: list[str], length: int) -> list[Node]:
        places = [*self.globals, *parameters]
        nodes = [leaf("byte seen")]
        places.append("seen")
        nodes += [self.declaration("l", places) for _ in range(self.random.choice((0, 1, 1, 2)))]
        declared = len(nodes)
        nodes += [self.statement(places, 2, process) for _ in range(length)]
        if self.has_timeout and self.chance(0.3):
            nodes.append(leaf("timeout"))
        for label in self.labels.get(process, ()):
            position = self.random.randrange(declared, len(nodes))
            node = nodes[position]
            if node.label:
                nodes.append(Node(Form.LEAF, "skip", label=label))
            else:
                nodes[position] = Node(node.form, node.head, node.children, node.tail, label)
        return nodes

    def program(self) -> Program:
        r = self.random
        units = [leaf("mtype = { red, green, blue }")]
        units += [self.declaration("g", self.globals) for _ in range(r.randint(1, 3))]
        if self.chance(0.2):
            name = self.name("s")
            units.append(leaf("typedef T { byte a; short b[2]; bit c = 1 }"))
            if self.chance(0.5):
                units.append(leaf(f"T {name}[2]"))
                self.globals += [f"{name}[@].a", f"{name}[1].b[@]", f"{name}[@].c"]
            else:
                units.append(leaf(f"T {name}"))
                self.globals += [f"{name}.a", f"{name}.b[@]", f"{name}.c"]
        for _ in range(r.choice((0, 0, 1, 1, 2))):
            name, capacity, fields = self.name("c"), r.randint(1, 3), r.randint(1, 2)
            types = ", ".join(r.choice(("byte", "short", "int", "bit", "bool")) for _ in range(fields))
            units.append(leaf(f"chan {name} = [{capacity}] of {{ {types} }}"))
            self.channels.append((name, capacity, fields))
        processes = [f"P{number}" for number in range(r.choice((1, 1, 2, 2, 3)))]
        for process in processes:
            self.labels[process] = [
                f"{r.choice(('L', 'end', 'L'))}{process}{number}" for number in range(r.choice((0, 1, 2)))
            ]
        runs = self.has_runs and [f"R{number}" for number in range(r.choice((1, 1, 2)))]
        for process in runs or ():
            self.labels[process] = []
        for number, process in enumerate(processes):
            head = r.choice(("active ", "active ", "active [2] ")) if len(processes) < 3 else "active "
            provided = f" provided ({self.truth(self.globals, 1)})" if self.chance(0.1) else ""
            nodes = self.body(process, [], r.randint(1, 4))
            for run in runs or ():
                if number == 0 or self.chance(0.2):
                    for _ in range(r.choice((1, 1, 2))):
                        argument = self.number([*self.globals, "seen"], 0)
                        text = f"run {run}({argument})"
                        if self.chance(0.4):
                            text = f"seen = {text}"
                        nodes.insert(r.randint(1, len(nodes)), leaf(text))
            nodes.sort(key=lambda node: not _is_declaration(node))
            units.append(Node(Form.UNIT, f"{head}proctype {process}(){provided}", tuple(nodes)))
        for run in runs or ():
            nodes = self.body(run, ["a"], r.randint(1, 3))
            units.append(
                Node(
                    Form.UNIT, f"proctype {run}({r.choice(('byte', 'short', 'bit', 'int'))} a)", tuple(nodes)
                )
            )
        tree = Node(Form.PROGRAM, "", tuple(units))
        return Program(render(tree), tree)


def _is_declaration(node: Node) -> bool:
    return node.form is Form.LEAF and node.head.split(" ")[0] in {*TYPES, "local"} and not node.label


def generate(seed: int) -> Program:
    return Guarded(seed).program()


def main() -> None:
    parser = argparse.ArgumentParser(description="Write one random Promela program.")
    parser.add_argument("--seed", type=int, default=1)
    print(generate(parser.parse_args().seed).text, end="")


if __name__ == "__main__":
    main()
