"""Throw half-broken models at everything behind the parser: resolving, graphs, reductions, C text.

    python -m tests.fuzz.promela_front_end --inputs 20000 --seed 1

Mutations of real models that still parse are the interesting inputs here: names that
mean something else, labels and jumps in odd places, types that do not fit. The front
end answers with C text or a SourceProblem, and soon. With --compile, a share of the
accepted ones is compiled too: C that does not compile is our fault.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
import traceback
from collections import Counter
from collections.abc import Sequence

from assay.languages.promela import syntax
from assay.languages.promela.parser import parse_text
from assay.languages.promela.program import REDUCTIONS, compile_model, translate
from assay.transition_system.interface import SourceProblem
from assay.transition_system.language_options import LanguageOptions
from tests.fuzz.promela_parser import SLOW_SECONDS, models, mutation, splice, truncation

OPTIONS = (LanguageOptions(), LanguageOptions(reductions=frozenset(REDUCTIONS)))


def campaign(inputs: int, seed: int, *, compile_share: float = 0.0) -> tuple[Counter[str], list[str]]:
    """Counts of what happened, and a report of every input that went wrong."""
    chance = random.Random(seed)
    texts = [t for t in models() if "#include" not in t]
    outcomes: Counter[str] = Counter()
    problems: list[str] = []
    for _ in range(inputs):
        text = chance.choices((mutation, truncation, splice), weights=(8, 1, 1))[0](chance, texts)
        started = time.process_time()
        try:
            with syntax.deep_recursion():
                tree = parse_text(text, "fuzz.pml")
                _, _, code = translate(tree, chance.choice(OPTIONS))
            outcomes["accepted"] += 1
            if chance.random() < compile_share:
                compile_model(code)
                outcomes["compiled"] += 1
        except SourceProblem:
            outcomes["refused"] += 1
        except Exception:
            problems.append(f"{traceback.format_exc()}\n{text}")
        if time.process_time() - started > SLOW_SECONDS:
            problems.append(f"slow: {time.process_time() - started:.1f} s\n{text}")
    return outcomes, problems


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--inputs", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--compile", type=float, default=0.0, metavar="SHARE")
    options = parser.parse_args(arguments)
    outcomes, problems = campaign(options.inputs, options.seed, compile_share=options.compile)
    for problem in problems[:20]:
        print(problem, "\n" + "=" * 70)
    print(dict(outcomes), f"{len(problems)} problems")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
