"""Random C programs, compiled and run with random inputs, against our control flow.

    python -m tests.c.random_programs --seeds 0:1000

Each program computes a checksum of all it does and hands it to `observe`; the compiled program prints it,
ours is run edge by edge, once as it is inlined, once block by block and once with memory at known places as
variables. A difference is written to a file and named. Signed overflow wraps in both (`-fwrapv`); shifts have
counts that are defined, nobody divides by zero.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path

from assay.languages.c import freestanding
from assay.languages.c.lowering import lower
from assay.languages.c.preprocessing import DATA_MODELS, DataModel, preprocess
from assay.transition_system.interface import UnsupportedConstruct
from assay.transition_system.sequential import bitvectors as bv
from assay.transition_system.sequential.blocks import blocks, choice_of
from assay.transition_system.sequential.control_flow import Choose, ControlFlow
from assay.transition_system.sequential.inlining import inlined
from assay.transition_system.sequential.promotion import promoted
from assay.transition_system.sequential.running import default, run

TYPES = {
    "_Bool": "bool",
    "char": "char",
    "signed char": "char",
    "unsigned char": "uchar",
    "short": "short",
    "unsigned short": "ushort",
    "int": "int",
    "unsigned": "uint",
    "long": "long",
    "unsigned long": "ulong",
    "long long": "longlong",
    "unsigned long long": "ulonglong",
}
OPERATORS = ["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "==", "!=", "<", "<=", ">", ">=", "&&", "||"]
MEMBERS = ["a", "b", "c", "d", "f", "g", "h"]  # of `struct s` that are numbers
BIT_FIELDS = (".d", ">d", ".f", ">f", ".g", ">g", ".h", ">h", ".q")
MOST_EDGES = 200_000
RECURSION = 4
NOT_DEFINED = "not defined"


class Generator:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.depth = 0
        self.scalars: list[str] = []  # that may be assigned
        self.constants: list[str] = []  # that may only be read: counters of loops
        self.arrays: list[tuple[str, int]] = []
        self.structs: list[tuple[str, str]] = []  # kind and place of what can be assigned as a whole
        self.functions: list[tuple[str, int]] = []
        self.names = 0
        self.labels: list[str] = []

    def name(self) -> str:
        self.names += 1
        return f"v{self.names}"

    def kind(self) -> str:
        return self.random.choice(list(TYPES))

    def put(self, text: str) -> None:
        self.lines.append("  " * self.depth + text)

    def number(self) -> str:
        pick = self.random.random()
        if pick < 0.6:
            return str(self.random.randint(-4, 9))
        value = self.random.choice(
            [127, 128, 255, 256, 32767, 65535, 65536, 2147483647, 2147483648, 4294967295]
        )
        suffix = self.random.choice(["", "", "u", "l", "ul", "ll"])
        return f"{value}{suffix}" if self.random.random() < 0.7 else hex(value) + suffix

    def place(self) -> str:
        pick = self.random.random()
        if self.arrays and pick < 0.25:
            name, length = self.random.choice(self.arrays)
            return f"{name}[(unsigned)({self.value(1)}) % {length}]"
        return self.random.choice(self.scalars)

    def value(self, depth: int) -> str:
        """Without effects."""
        pick = self.random.random()
        if depth <= 0 or pick < 0.15:
            readable = self.scalars + self.constants
            return (
                self.number() if not readable or self.random.random() < 0.3 else self.random.choice(readable)
            )
        if pick < 0.2 and self.arrays:
            name, length = self.random.choice(self.arrays)
            return f"{name}[(unsigned)({self.value(depth - 1)}) % {length}]"
        if pick < 0.3:
            return f"({self.kind()})({self.value(depth - 1)})"
        if pick < 0.42:
            return f"{self.random.choice('-~!+')}({self.value(depth - 1)})"
        if pick < 0.5:
            return f"({self.value(depth - 1)} ? {self.value(depth - 1)} : {self.value(depth - 1)})"
        if pick < 0.53:
            plain = [one for one in self.scalars if not one.endswith(BIT_FIELDS)]
            return f"sizeof({self.random.choice([self.kind(), *plain])})"
        operator = self.random.choice(OPERATORS)
        left, right = self.value(depth - 1), self.value(depth - 1)
        if operator in ("/", "%"):
            return f"({left} {operator} (({right}) | 1))"
        if operator in ("<<", ">>"):
            return f"(({left}) {operator} (({right}) & 7))"
        return f"({left} {operator} {right})"

    def declare(self) -> None:
        kind, name = self.kind(), self.name()
        if self.random.random() < 0.2:
            length = self.random.randint(1, 5)
            values = ", ".join(self.number() for _ in range(self.random.randint(1, length)))
            self.put(f"{kind} {name}[{length}] = {{{values}}};")
            self.arrays.append((name, length))
        elif self.random.random() < 0.15:
            self.put(f"struct s {name} = {{.c = {self.number()}, .b = {self.number()}}};")
            self.scalars += [f"{name}.{member}" for member in MEMBERS]
            self.arrays.append((f"{name}.e", 3))
            self.structs.append(("s", name))
        elif self.random.random() < 0.15:
            self.put(f"struct n {name} = {{{{{self.number()}}}, {{{{1}}, {{.q = 2}}}}, {self.number()}}};")
            self.scalars += [f"{name}.one.{member}" for member in MEMBERS]
            self.scalars += [f"{name}.two[1].p", f"{name}.two[0].q", f"{name}.two[1].q", f"{name}.t"]
            self.arrays.append((f"{name}.one.e", 3))
            parts = [("s", f"{name}.one"), ("m", f"{name}.two[0]"), ("m", f"{name}.two[1]")]
            self.structs += [("n", name), *parts]
        else:
            self.put(f"{kind} {name} = {self.value(2)};")
            self.scalars.append(name)

    def rarer_statement(self, depth: int) -> None:
        pick = self.random.random()
        if pick < 0.35:
            operator = self.random.choice(["<<=", ">>=", "/=", "%="])
            given = f"({self.value(2)})"
            given = f"({given} | 1)" if operator in ("/=", "%=") else f"({given} & 7)"
            self.put(f"{self.place()} {operator} {given};")
        elif pick < 0.5 and len(self.scalars) > 1:
            one, other = self.random.sample(self.scalars, 2)
            self.put(f"{one} = ({other} = {self.value(2)}, {self.value(2)});")
        elif pick < 0.65 and self.structs:
            kind, one = self.random.choice(self.structs)
            other = self.random.choice([place for same, place in self.structs if same == kind])
            self.put(f"{one} = {other};")
        elif depth <= 0:
            self.put(f"checksum = checksum * 31 + (unsigned long long)({self.value(2)});")
        elif pick < 0.75:
            self.jump_back(depth)
        elif pick < 0.85:
            label = f"in_{self.name()}"
            self.put(f"if ({self.value(2)}) goto {label};")
            self.put("{")
            self.block(depth - 1)
            self.put(f"{label}: ;")
            self.block(depth - 1)
            self.put("}")
        else:
            self.switch_into_loop(depth)

    def jump_back(self, depth: int) -> None:
        counter, times = self.name(), self.random.randint(1, 3)
        self.constants.append(counter)
        self.put(f"{{ int {counter} = 0;")
        self.put(f"again_{counter}: ;")
        self.block(depth - 1)
        self.put(f"if ({counter}++ < {times} && ({self.value(2)})) goto again_{counter}; }}")
        self.constants.remove(counter)

    def switch_into_loop(self, depth: int) -> None:
        counter, times = self.name(), self.random.randint(1, 3)
        self.constants.append(counter)
        self.put(f"{{ int {counter} = 0; switch (({self.value(2)}) & 3) {{")
        self.put("case 0: do {")
        for number in (1, 2, 3)[: self.random.randint(1, 3)]:
            self.block(depth - 1)
            self.put(f"case {number}: ;")
        self.block(0)
        self.put(f"}} while (++{counter} < {times}); }} }}")
        self.constants.remove(counter)

    def statement(self, depth: int) -> None:
        if self.random.random() < 0.2:
            self.rarer_statement(depth)
            return
        pick = self.random.random()
        if pick < 0.3:
            operator = self.random.choice(["=", "=", "=", "+=", "-=", "*=", "&=", "|=", "^="])
            self.put(f"{self.place()} {operator} {self.value(3)};")
        elif pick < 0.38:
            self.put(f"{self.random.choice(['++', '--'])}{self.place()};")
        elif pick < 0.44:
            one, other = (
                self.random.sample(self.scalars, 2) if len(self.scalars) > 1 else (self.scalars[0], "3")
            )
            if one.split(".")[0] != other.split(".")[0]:
                self.put(
                    f"{one} = {other}{self.random.choice(['++', '--'])};" if other != "3" else f"{one} = 3;"
                )
        elif pick < 0.5 and self.functions:
            name, count = self.random.choice(self.functions)
            given = ", ".join(self.value(2) for _ in range(count))
            self.put(f"{self.place()} = {name}({given});")
        elif pick < 0.56:
            kind = self.kind()
            self.put(f"{self.random.choice(self.scalars)} = __VERIFIER_nondet_{TYPES[kind]}();")
        elif pick < 0.62:
            one = self.random.choice(self.scalars)
            self.put(f"({self.value(2)}) && ({one} = {self.value(1)}, {one}) || {self.value(1)};")
        elif depth <= 0:
            self.put(f"checksum = checksum * 31 + (unsigned long long)({self.value(2)});")
        elif pick < 0.74:
            self.put(f"if ({self.value(2)}) {{")
            self.block(depth - 1)
            if self.random.random() < 0.6:
                self.put("} else {")
                self.block(depth - 1)
            self.put("}")
        elif pick < 0.86:
            self.loop(depth)
        else:
            self.put(f"switch ({self.value(2)}) {{")
            for number in sorted(self.random.sample(range(-2, 6), self.random.randint(1, 4))):
                self.put(f"case {number}:")
                self.block(depth - 1)
                if self.random.random() < 0.6:
                    self.put("break;")
            if self.random.random() < 0.6:
                self.put("default:")
                self.block(depth - 1)
            self.put("}")

    def loop(self, depth: int) -> None:
        counter = self.name()
        times = self.random.randint(1, 4)
        self.constants.append(counter)
        kind = self.random.choice(["for", "while", "do"])
        if kind == "for":
            self.put(f"for (int {counter} = 0; {counter} < {times}; {counter}++) {{")
        else:
            self.put(f"{{ int {counter} = 0;")
            self.put(f"while ({counter}++ < {times}) {{" if kind == "while" else "do {")
        self.block(depth - 1)
        if self.random.random() < 0.4:
            word = self.random.choice(["break", "continue"])
            self.put(f"if ({self.value(2)}) {word};")
        self.block(0)
        self.put({"for": "}", "while": "}}", "do": f"}} while (++{counter} < {times}); }}"}[kind])
        self.constants.remove(counter)

    def block(self, depth: int) -> None:
        kept = len(self.scalars), len(self.arrays), len(self.structs)
        self.depth += 1
        self.put("{")
        for _ in range(self.random.randint(1, 3)):
            if self.random.random() < 0.3:
                self.declare()
            elif self.scalars:
                self.statement(depth)
        self.put("}")
        self.depth -= 1
        del self.scalars[kept[0] :], self.arrays[kept[1] :], self.structs[kept[2] :]

    def function(self, name: str) -> None:
        count = self.random.randint(0, 3)
        kept = len(self.scalars), len(self.arrays), len(self.structs)
        names = [self.name() for _ in range(count)]
        given = ", ".join(f"{self.kind()} {one}" for one in names) or "void"
        self.put(f"{self.random.choice(['', 'static '])}{self.kind()} {name}({given}) {{")
        self.scalars += names
        for _ in range(self.random.randint(1, 3)):
            self.declare()
            self.statement(1)
        if self.random.random() < 0.4:
            self.put(f"if ({self.value(2)}) goto out_{name};")
            self.statement(1)
        self.put(f"checksum ^= {self.value(2)};")
        self.put(f"out_{name}: return {self.value(3)};")
        self.put("}")
        del self.scalars[kept[0] :], self.arrays[kept[1] :], self.structs[kept[2] :]
        self.functions.append((name, count))

    def preamble(self) -> None:
        """What programs of another kind begin with."""

    def program(self) -> str:
        self.put("void observe(unsigned long long);")
        for kind, name in {name: kind for kind, name in TYPES.items()}.items():
            self.put(f"{name} __VERIFIER_nondet_{kind}(void);")
        self.put("struct s { int a; unsigned char b; long c; int d : 5; short e[3];")
        self.put("  unsigned f : 3; _Bool g : 1; unsigned long long h : 20; };")
        self.put("struct n { struct s one; struct m { short p; unsigned q : 3; } two[2]; unsigned char t; };")
        self.put("unsigned long long checksum = 7;")
        self.preamble()
        for _ in range(self.random.randint(1, 4)):
            kind, name = self.kind(), self.name()
            self.put(f"static {kind} {name} = {self.number()};")
            self.scalars.append(name)
        for number in range(self.random.randint(0, 3)):
            self.function(f"f{number}")
        self.put("int main(void) {")
        self.depth = 1
        for _ in range(self.random.randint(3, 8)):
            if self.random.random() < 0.4:
                self.declare()
            else:
                self.statement(2)
        for name in self.scalars:
            self.put(f"checksum = checksum * 31 + (unsigned long long){name};")
        for name, length in self.arrays:
            self.put(f"for (int i = 0; i < {length}; i++) checksum = checksum * 31 + {name}[i];")
        self.put("observe(checksum);")
        self.put("return 0;")
        self.depth = 0
        self.put("}")
        return "\n".join(self.lines) + "\n"


def harness(inputs: list[list[int]]) -> str:
    """Uses nothing of a library but `write`."""
    functions = "\n".join(
        f"{kind} __VERIFIER_nondet_{name}(void) {{ return ({kind})next_input(); }}"
        for name, kind in {name: kind for kind, name in TYPES.items()}.items()
    )
    length = max(map(len, inputs))
    rows = ", ".join("{" + ", ".join(f"{one}ull" for one in given) + "}" for given in inputs)
    return (
        f"static const unsigned long long inputs[{len(inputs)}][{length}] = {{{rows}}};\n"
        "static int which, next; long write(int, const void *, __SIZE_TYPE__);\n"
        "static unsigned long long next_input(void)\n"
        f"{{ return next < {length} ? inputs[which][next++] : 0; }}\n"
        f"{functions}\n"
        "void observe(unsigned long long value) { char text[24]; int n = 24;\n"
        "  do { text[--n] = '0' + value % 10; value /= 10; } while (value); write(1, text + n, 24 - n); }\n"
        "int tested(void); extern char row_of_inputs;\n"  # the linker says where it is
        "int main(int count, char **given) { which = (int)(long)&row_of_inputs; tested(); return 0; }\n"
    )


def real(
    text: str, inputs: list[list[int]], folder: Path, model: DataModel, objects: Sequence[str] = ()
) -> list[str]:
    """`objects` are further files of the program, compiled."""
    source, tested = folder / "program.c", folder / "tested.o"
    source.write_text(text)
    (folder / "harness.c").write_text(harness(inputs))
    (folder / "library.c").write_text(freestanding.TEXT)
    common = ["gcc", "-w", "-O0", "-fwrapv", "-fno-pie", model.flag]
    subprocess.run([*common, "-Dmain=tested", "-c", str(source), "-o", str(tested)], check=True)
    library = ["library.c", *freestanding.FLAGS] if model.pointer == 32 else []
    whole = ["harness.c", "tested.o", *objects, *library, "-nostdlib", "-r", "-o", "whole.o"]
    subprocess.run([*common, *whole], cwd=folder, check=True)
    found = []
    for which in range(len(inputs)):
        program = folder / f"program{which}"
        linked = ["whole.o", f"-Wl,--defsym=row_of_inputs={which}", "-no-pie", "-o", str(program)]
        flags = freestanding.FLAGS if model.pointer == 32 else ()
        subprocess.run([*common, *linked, *flags], cwd=folder, check=True)
        done = subprocess.run([str(program)], capture_output=True, text=True, timeout=20, check=False)
        found.append(done.stdout.strip())
    return found


def truncated(value: int, width: int) -> int:
    return value & ((1 << width) - 1)


class Inputs:
    def __init__(self, given: list[int]) -> None:
        self.left = list(given)

    def __call__(self, edge: object) -> bv.Value:
        action = edge.action  # type: ignore[attr-defined]
        if not action.is_input:
            return default(action.variable.sort)
        value = self.left.pop(0) if self.left else 0
        if action.origin.endswith("_bool"):
            return int(value != 0)
        return truncated(value, action.variable.width)


def ours(flow: ControlFlow, given: list[int], observed: bv.Term) -> str:
    last = None
    for count, last in enumerate(run(flow, Inputs(given), {})):  # noqa: B007
        if count > MOST_EDGES:
            return NOT_DEFINED
    assert last is not None
    if any(sign in edge.text for edge in flow.outgoing[last.location] for sign in "/%"):
        return NOT_DEFINED  # the least number divided by -1
    return str(last.values[observed]) if last.edge.text.startswith("return 0") else ""


def by_blocks(flow: ControlFlow, given: list[int], observed: bv.Term) -> str:
    """The same by the large blocks; inputs come from a run beside it, edge by edge."""
    taken: list[dict[bv.Term, bv.Value]] = [{}]
    positions = {id(edge): position for position, edge in enumerate(flow.edges)}
    for moment in run(flow, Inputs(given), {}):
        if isinstance(moment.edge.action, Choose):
            assert moment.chosen is not None
            taken[-1][choice_of(moment.edge, positions[id(moment.edge)])] = moment.chosen
        if moment.location in flow.cut_points:
            taken.append({})
    known = blocks(flow, {*flow.cut_points, *ends(flow)})
    values: dict[bv.Term, bv.Value] = {one: default(one.sort) for one in flow.variables}
    values |= {name: bv.evaluated(one, {}) for name, one in flow.initial_values.items()}
    location = flow.entry
    for choices in taken:
        unmade = {name: default(name.sort) for block in known for name in choices_of(block)}
        given_values = {**values, **unmade, **choices}
        possible = [
            block
            for block in known
            if block.source == location and bv.evaluated(block.condition, given_values)
        ]
        if len(possible) != 1:
            return ""
        values = {
            **values,
            **{name: bv.evaluated(one, given_values) for name, one in possible[0].values.items()},
        }
        location = possible[0].target
    return str(values[observed]) if location in ends(flow) else ""


def choices_of(block: object) -> set[bv.Term]:
    terms = (block.condition, *block.values.values())  # type: ignore[attr-defined]
    return {one for one in bv.variables_of(*terms) if one.name.startswith("choice!")}


def ends(flow: ControlFlow) -> set[int]:
    """Where `main` returns."""
    return {
        edge.target
        for edge in flow.edges
        if edge.text.startswith("return 0") and not flow.outgoing[edge.target]
    }


def difference(seed: int, made: type[Generator] = Generator, data_model: str = "LP64") -> str | None:
    generator = made(seed)
    text = generator.program()
    inputs = [[generator.random.getrandbits(64) for _ in range(40)] for _ in range(3)]
    inputs.append([generator.random.randint(0, 5) for _ in range(40)])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model = DATA_MODELS[data_model]
        expected = real(text, inputs, folder, model)
        try:
            program = lower([preprocess(folder / "program.c", model)], model)
        except UnsupportedConstruct as problem:
            if "order of operands" in str(problem):  # gcc has one order, and C has others
                return None
            raise
        flow = inlined(program, RECURSION)
        memory = promoted(flow)
        observed = next(one for one in flow.variables if one.name == "checksum")
        for given, answer in zip(inputs, expected, strict=True):
            if ours(flow, given, observed) == NOT_DEFINED:
                continue
            found = {
                "edge by edge": ours(flow, given, observed),
                "by blocks": by_blocks(flow, given, observed),
            }
            if memory is not None:
                found["with memory as variables"] = ours(memory.flow, given, observed)
            for way, number in found.items():
                if number != answer:
                    return f"{text}\n/* {way}: {number!r}, gcc: {answer!r}, inputs {given} */\n"
    return None


def differences(seeds: range, made: type[Generator], data_model: str) -> Iterator[tuple[int, str]]:
    for seed in seeds:
        found = difference(seed, made, data_model)
        if found is not None:
            yield seed, found


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--seeds", default="0:200", help="FROM:TO")
    parser.add_argument("--keep", type=Path, default=Path("differences"), help="a folder for what differs")
    parser.add_argument("--memory", action="store_true", help="programs with pointers")
    parser.add_argument("--data-model", default="LP64", choices=DATA_MODELS)
    given = parser.parse_args()
    made = import_module("tests.c.random_memory").MemoryGenerator if given.memory else Generator
    start, end = map(int, given.seeds.split(":"))
    count = 0
    for seed, text in differences(range(start, end), made, given.data_model):
        count += 1
        given.keep.mkdir(exist_ok=True)
        (given.keep / f"{seed}.c").write_text(text)
        print(f"seed {seed}: {text.splitlines()[-1]}", flush=True)
    print(f"{end - start} programs, {count} differences")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
