"""Throw broken text at the Promela parser: it answers with a tree or a SourceProblem, and soon.

    python -m tests.fuzz.promela_parser --inputs 200000 --seed 1

Four sources of input: token soup, mutations and truncations of real models, deep
or wide constructions, random bytes. Most inputs go straight to the parser; a few
hundred take the whole path through a file and the C preprocessor. What an input
must not do: raise anything but SourceProblem, take longer than two seconds, or,
if it parses, print as text that parses differently.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from assay.languages.promela import syntax
from assay.languages.promela.parser import parse_expression, parse_model, parse_text
from assay.languages.promela.unparse import unparse
from assay.transition_system.interface import SourceProblem

ROOT = Path(__file__).resolve().parents[2]
MODEL_FOLDERS = (Path("/usr/share/doc/spin/examples"), ROOT / "examples")
SLOW_SECONDS = 2.0

_PIECE = re.compile(r'\s+|\w+|"[^"\n]*"|::|->|\+\+|--|==|&&|\|\||.', re.DOTALL)
_WORDS = (
    "if fi do od :: -> ; { } ( ) [ ] x y q P f L 0 1 255 4294967296 else unless atomic d_step skip byte int"
    " bit chan mtype unsigned = == != ! ? ?? !! , timeout break goto : for select in .. run len empty full"
    " nempty nfull ++ -- - ~ . @ of eval _ inline proctype D_proctype active init never trace ltl hidden"
    " show local priority provided true false printf printm assert typedef np_ xr xs && || & | ^ << >> < >"
    " <= >= + * / % enabled pc_value get_priority set_priority return c_code c_decl c_expr c_state c_track"
    " 'a' '\\n' \"s\" \"%d\\n\" [] <> <-> U W X implies next # $ ` \\ \" ' \u00e9 \0"
).split(" ")
_SEEDS = (
    "mtype = { ping, pong }; chan q = [2] of { mtype, byte }; byte x, y[3] = 1;\n"
    "inline send(a, b) { q!a(b); x = b\n y[1]++ }\n"
    "active [2] proctype P() provided (x < 3) { byte i; end: do\n :: send(ping, 3)\n"
    " :: q??pong,eval(_pid) -> break\n :: else skip od unless { x > 2 };\n"
    " for (i : 0 .. 2) { y[i] = (i -> 1 : 2) }\n"
    " select(i : 1 .. 3); atomic { d_step { i = len(q); assert(i < 3 || full(q)) } } }\n"
    "ltl live { [] (x == 0 -> <> x > 1) }\n",
    "typedef T { byte a; int b[2] } typedef U { T t[3]; unsigned w : 5 } U u[2];\n"
    "c_decl { int hidden_value; } proctype R(byte a, b; chan c) { L: u[a].t[b].b[0] = -a;"
    " c_code { x = '}'; };"
    ' goto L } init { run R(1, 2, 3) priority 2; printf("%d \\n", u[0].w); { int z = 3; z-- } }'
    " never { do :: R[1]@L && !(R:a == 3) :: true od }\n",
    "byte v; inline id(n) { return n + 1 } init { v = id(v); if :: v -> skip; :: else fi; xr v; }",
)


@dataclass
class Report:
    inputs: int = 0
    parsed: int = 0
    seconds: float = 0.0
    slowest_seconds: float = 0.0
    problems: list[tuple[str, str]] = field(default_factory=list)  # what happened, the input


def models() -> list[str]:
    texts = list(_SEEDS)
    for folder in MODEL_FOLDERS:
        texts += [path.read_bytes().decode("utf-8", "replace") for path in sorted(folder.rglob("*.pml"))]
    return texts


def token_soup(chance: random.Random, _: Sequence[str]) -> str:
    count = chance.randrange(1, 60)
    soup = chance.choice((" ", "\n", "", " ", " "))
    body = soup.join(chance.choices(_WORDS, k=count))
    return body if chance.random() < 0.5 else f"byte x; chan q = [1] of {{byte}}; init {{ {body} }}"


def mutation(chance: random.Random, texts: Sequence[str]) -> str:
    pieces = _PIECE.findall(_window(chance, chance.choice(texts)))
    for _ in range(chance.choice((1, 1, 1, 2, 3, 6))):
        if not pieces:
            break
        place = chance.randrange(len(pieces))
        match chance.randrange(6):
            case 0:
                del pieces[place]
            case 1:
                pieces.insert(place, f" {chance.choice(_WORDS)} ")
            case 2:
                pieces[place] = f" {chance.choice(_WORDS)} "
            case 3:
                other = chance.randrange(len(pieces))
                pieces[place], pieces[other] = pieces[other], pieces[place]
            case 4:
                length = chance.randrange(1, 30)
                pieces[place:place] = pieces[place : place + length] * chance.randrange(1, 4)
            case _:
                pieces[place] = chance.choice(("\n", " ", "", ";", "->"))
    return "".join(pieces)


def truncation(chance: random.Random, texts: Sequence[str]) -> str:
    text = _window(chance, chance.choice(texts))
    return text[: chance.randrange(len(text) + 1)]


def splice(chance: random.Random, texts: Sequence[str]) -> str:
    first, second = (_window(chance, chance.choice(texts)) for _ in range(2))
    return first[: chance.randrange(len(first) + 1)] + second[chance.randrange(len(second) + 1) :]


def construction(chance: random.Random, _: Sequence[str]) -> str:
    """Deep nesting, long chains, inlines that grow."""
    count = int(10 ** chance.uniform(0, 3.7))
    opening, closing = chance.choice(
        (
            ("(", ")"), ("!(", ")"), ("~", ""), ("-", ""), ("(1 -> ", " : 2)"), ("{ ", " }"), ("x[", "]"),
            ("if :: ", " fi"), ("do :: ", " od"), ("atomic { ", " }"), ("L: ", ""), ("x + ", ""),
            ("x && ", ""), ("q?", ""), ("q?(", ")"), ("x.", ""), ("run P(", ")"), ("; ", ""), ("x; ", ""),
            ("x unless { ", " }"), ("eval(", ")"), ("{ { ", ""), ("/* ", ""), ("c_code { ", " }"),
            ("for (x : 1 .. 2) { ", " }"), ("c_expr [", "] { 1 }"), ("[] ", ""), ("q!x(", ")"),
        )
    )  # fmt: skip
    body = opening * count + "x" + closing * chance.choice((count, count, max(0, count - 1)))
    match chance.randrange(5):
        case 0:
            return f"byte x; chan q = [1] of {{byte}}; init {{ {body} }}"
        case 1:
            return f"byte x; ltl p {{ {body} }} init {{ skip }}"
        case 2:
            depth = chance.randrange(1, 8)
            calls = chance.randrange(1, 5)
            inlines = [f"inline f0() {{ {opening * 3} x {closing * 3} }}"]
            inlines += [f"inline f{i}() {{ {'; '.join([f'f{i - 1}()'] * calls)} }}" for i in range(1, depth)]
            return "byte x; " + "\n".join(inlines) + f" init {{ f{depth - 1}() }}"
        case 3:
            return f"byte a[{body}]; chan q = [{body}] of {{byte}}; init {{ skip }}"
        case _:
            return body


def random_bytes(chance: random.Random, _: Sequence[str]) -> str:
    return chance.randbytes(chance.randrange(0, 200)).decode(
        "latin-1" if chance.random() < 0.5 else "utf-8", "replace"
    )


GENERATORS: tuple[tuple[Callable[[random.Random, Sequence[str]], str], int], ...] = (
    (token_soup, 30),
    (mutation, 40),
    (truncation, 8),
    (splice, 8),
    (construction, 2),
    (random_bytes, 12),
)


def campaign(
    inputs: int, seed: int, *, through_files: int = 300, progress: Callable[[Report], None] | None = None
) -> Report:
    chance = random.Random(seed)
    texts = models()
    generators = [generator for generator, _ in GENERATORS]
    weights = [weight for _, weight in GENERATORS]
    report = Report()
    begin = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "input.pml"
        every = max(1, inputs // through_files) if through_files else inputs + 1
        for number in range(inputs):
            text = chance.choices(generators, weights)[0](chance, texts)
            if number % every == every - 1:
                file.write_bytes(text.encode("utf-8", "surrogatepass"))
                one_input(report, text, lambda text: parse_model(file, ("N=3",) if len(text) % 2 else ()))
            else:
                one_input(report, text, parse_text)
                if number % 7 == 0:
                    one_expression(report, text[:200])
            if progress is not None and number % 5000 == 4999:
                report.seconds = time.perf_counter() - begin
                progress(report)
    report.seconds = time.perf_counter() - begin
    return report


def one_input(report: Report, text: str, parse: Callable[[str], syntax.Model]) -> None:
    report.inputs += 1
    begin = time.process_time()  # others may use this machine too
    try:
        model = parse(text)
    except SourceProblem as problem:
        if not isinstance(problem.where, syntax.Location):
            report.problems.append((f"a problem without a place: {problem}", text))
    except (Exception, SystemExit):
        report.problems.append((traceback.format_exc(limit=-3), text))
    else:
        report.parsed += 1
        _print_again(report, model, text)
    seconds = time.process_time() - begin
    report.slowest_seconds = max(report.slowest_seconds, seconds)
    if seconds > SLOW_SECONDS:
        report.problems.append((f"took {seconds:.1f} seconds", text))


def one_expression(report: Report, text: str) -> None:
    try:
        tree = parse_expression(text, allow_next=True)
        again = parse_expression(unparse(tree), allow_next=True, proctypes=_proctypes(tree))
    except SourceProblem:
        return
    except Exception:
        report.problems.append((traceback.format_exc(limit=-3), text))
        return
    if unparse(again) != unparse(tree):
        report.problems.append((f"prints as {unparse(tree)}, then as {unparse(again)}", text))


def _proctypes(tree: object) -> set[str]:
    """Names used as proctypes anywhere in an expression."""
    names: set[str] = set()
    todo = [tree]
    while todo:
        node = todo.pop()
        if isinstance(node, syntax.RemoteLabel | syntax.RemoteVariable):
            names.add(node.proctype)
        if isinstance(node, tuple):
            todo += node
        elif hasattr(type(node), "__dataclass_fields__"):
            todo += [getattr(node, name) for name in type(node).__dataclass_fields__ if name != "where"]
    return names


def _print_again(report: Report, model: syntax.Model, text: str) -> None:
    for unit in model.units:
        if isinstance(unit, syntax.Proctype):
            try:
                printed = unparse(unit.body)
            except Exception:
                report.problems.append((traceback.format_exc(limit=-3), text))
                continue
            if "\n" in printed and "c_" not in printed:
                report.problems.append(("a statement prints on several lines", text))


def _window(chance: random.Random, text: str) -> str:
    """Short inputs are fast, and most mistakes show in them; the whole text one time in eight."""
    if chance.random() < 0.125 or len(text) < 1500:
        return text
    start = chance.randrange(len(text) - 300)
    return text[start : start + chance.randrange(50, 1500)]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--inputs", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="folder for the inputs that showed a problem")
    options = parser.parse_args(arguments)

    def show(report: Report) -> None:
        rate = report.inputs / report.seconds
        print(f"{report.inputs:>9,} inputs  {rate:,.0f}/s  {len(report.problems)} problems", file=sys.stderr)

    report = campaign(options.inputs, options.seed, progress=show)
    for number, (what, text) in enumerate(report.problems[:20]):
        print(f"--- {what}\n{text[:2000]!r}")
        if options.keep is not None:
            options.keep.mkdir(parents=True, exist_ok=True)
            (options.keep / f"{options.seed}-{number}.pml").write_text(text, "utf-8", "surrogatepass")
    print(
        f"{report.inputs:,} inputs, {report.parsed:,} parsed, {report.seconds:.1f} s,"
        f" {report.inputs / report.seconds:,.0f} inputs/s, slowest {report.slowest_seconds:.3f} s,"
        f" {len(report.problems)} problems"
    )
    return 1 if report.problems else 0


if __name__ == "__main__":
    raise SystemExit(main())
