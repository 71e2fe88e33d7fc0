"""Random Python programs, judged by the machine and by somebody else.

    python -m tests.python.campaign --programs 500 --seed 1
    python -m tests.python.campaign --programs 5000 --seed 1 --sequential

Threaded programs are compared with the oracle: the same outcomes at every granularity. Sequential ones are
compared with CPython: the same output, byte by byte. Programs on which the two disagree are made shorter
where that keeps the disagreement, and kept in a directory with both answers.
"""

from __future__ import annotations

import argparse
import ast
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from tests.python.oracle import GRANULARITIES
from tests.python.oracle.comparison import Incomparable, difference, sequential_difference
from tests.python.oracle.generate import generate
from tests.python.oracle.generate_sequential import generate_sequential

MOST_SHRINKING_SECONDS = 60.0


def compare_threaded(text: str, most_runs: int) -> str:
    """How the machine and the oracle disagree at any granularity; nothing when they agree."""
    try:
        return "".join(difference(text, granularity, most_runs=most_runs) for granularity in GRANULARITIES)
    except Incomparable:
        raise
    except Exception as problem:
        return f"the machine fails with {type(problem).__name__}: {problem}"


def compare_sequential(text: str) -> str:
    """How the machine's output differs from CPython's; nothing when it does not."""
    try:
        return sequential_difference(text)
    except Incomparable:
        raise
    except Exception as problem:
        return f"the machine fails with {type(problem).__name__}: {problem}"


def shrink(text: str, disagree: Callable[[str], str]) -> str:
    """A shorter program on which the two still disagree, found by leaving out statements."""
    deadline = time.monotonic() + MOST_SHRINKING_SECONDS
    again = True
    while again and time.monotonic() < deadline:
        again = False
        for shorter in without_one_statement(text):
            if time.monotonic() > deadline:
                break
            try:
                if not disagree(shorter):
                    continue
            except Exception:  # a wreck, not a shorter program
                continue
            text = shorter
            again = True
            break
    return text


def without_one_statement(text: str) -> Iterator[str]:
    """The programs that have one statement less, the largest statements first."""
    count = sum(len(block) for node in ast.walk(ast.parse(text)) for block in _blocks(node))
    for number in range(count):
        tree = ast.parse(text)
        places = [(block, i) for node in ast.walk(tree) for block in _blocks(node) for i in range(len(block))]
        block, index = places[number]
        del block[index]
        if not block:
            block.append(ast.Pass())
        shorter = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
        if len(shorter) < len(text):
            yield shorter


def _blocks(node: ast.AST) -> list[list[ast.stmt]]:
    return [
        getattr(node, name)
        for name in ("body", "orelse", "finalbody")
        if isinstance(getattr(node, name, None), list)
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--programs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--sequential", action="store_true", help="compare programs without threads with CPython"
    )
    parser.add_argument(
        "--most-runs", type=int, default=5_000, help="of the oracle, per program and granularity"
    )
    parser.add_argument(
        "--keep", type=Path, default=Path("build/disagreements"), help="where programs are kept"
    )
    options = parser.parse_args(arguments)

    def judge(text: str) -> str:
        if options.sequential:
            return compare_sequential(text)
        return compare_threaded(text, options.most_runs)

    make = generate_sequential if options.sequential else generate
    results: Counter[str] = Counter()
    for seed in range(options.seed, options.seed + options.programs):
        text = make(random.Random(seed))
        try:
            problem = judge(text)
        except Incomparable as incomparable:
            results[str(incomparable)] += 1
            continue
        results["disagree" if problem else "agree"] += 1
        if problem:
            short = shrink(text, judge)
            options.keep.mkdir(parents=True, exist_ok=True)
            kept = options.keep / f"{'sequential' if options.sequential else 'threaded'}_{seed}.py"
            comment = "".join(f"# {line}\n" for line in judge(short).splitlines())
            kept.write_text(f"{comment}{short}")
            print(f"{kept}: {problem.splitlines()[0]}", file=sys.stderr)
    for result, count in results.most_common():
        print(f"{count:7}  {result}")
    return 1 if results["disagree"] else 0


if __name__ == "__main__":
    sys.exit(main())
