"""How small the automata of formulas are, beside Spot's: `python -m benchmarks.automata`.

Locations and edges of the automata of negated formulas, which searches run beside programs, and of formulas
as they stand; for the formulas of the literature and for random ones. Spot's are given with acceptance on
edges and on locations; ours have it on locations.
"""

from random import Random
from time import perf_counter

from assay.automata import formula as ltl
from assay.automata.parser import parse
from assay.automata.translation import automaton
from tests.automata.formulas import LITERATURE, random_formula
from tests.automata.spot_peer import ask, in_spots_syntax


def measured(formulas):
    start = perf_counter()
    ours = [automaton(formula) for formula in formulas]
    seconds = perf_counter() - start
    theirs = ask([("sizes", in_spots_syntax(formula)) for formula in formulas])
    return (
        sum(made.locations for made in ours),
        sum(located for _, located, _ in theirs),
        sum(on_edges for on_edges, _, _ in theirs),
        sum(len(outgoing) for made in ours for outgoing in made.edges),
        sum(edges for _, _, edges in theirs),
        1000 * seconds / len(formulas),
    )


def main() -> None:
    random = Random(1)
    groups = {
        "literature": [parse(text).formula for text in LITERATURE],
        "random": [random_formula(random, random.randint(4, 12)) for _ in range(300)],
    }
    columns = ("", "formulas", "locations", "Spot", "Spot on edges", "edges", "Spot", "ms each")
    print("".join(f"{name:>21}" if not place else f"{name:>14}" for place, name in enumerate(columns)))
    for name, formulas in groups.items():
        for label, given in (("negated", [ltl.Not(formula) for formula in formulas]), ("plain", formulas)):
            *counts, milliseconds = measured(given)
            row = "".join(f"{count:>14,}" for count in (len(given), *counts))
            print(f"{name + ', ' + label:>21}{row}{milliseconds:>14.1f}")


if __name__ == "__main__":
    main()
