"""Formulas and words for the tests: random ones, and those that the literature measures translations with."""

from random import Random

from hypothesis import strategies as st

from assay.automata import formula as ltl

NAMES = ("a", "b", "c")


def random_formula(random: Random, size: int, names: tuple[str, ...] = NAMES) -> ltl.Formula:
    if size <= 1:
        if random.random() < 0.06:
            return ltl.Truth(random.random() < 0.5)
        return ltl.Atom(random.choice(names))
    unary = [ltl.Not, ltl.Next, ltl.Always, ltl.Eventually]
    if size == 2 or random.random() < 0.45:
        return random.choice(unary)(random_formula(random, size - 1, names))
    left_size = random.randint(1, size - 2)
    left = random_formula(random, left_size, names)
    right = random_formula(random, size - 1 - left_size, names)
    kind = random.choice(["and", "or", "->", "<->", "U", "V", "W", "and", "or", "U", "V"])
    match kind:
        case "and":
            return ltl.conjunction((left, right))
        case "or":
            return ltl.disjunction((left, right))
    binary = {"->": ltl.Implies, "<->": ltl.Iff, "U": ltl.Until, "V": ltl.Release, "W": ltl.WeakUntil}
    return binary[kind](left, right)


formulas = st.builds(
    lambda seed, size: random_formula(Random(seed), size), st.integers(0, 2**32), st.integers(1, 12)
)
letters = st.frozensets(st.sampled_from(NAMES))
words = st.tuples(st.lists(letters, max_size=4), st.lists(letters, min_size=1, max_size=4))
