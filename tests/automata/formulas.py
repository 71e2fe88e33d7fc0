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

# Property patterns (Dwyer, Avrunin and Corbett, ICSE 1999): absence, existence, bounded existence,
# universality, precedence, response and their chains; each globally, before r, after q, between q and r,
# after q until r.
DWYER = """
[] !p
<> r -> (!p U r)
[] (q -> [] !p)
[] ((q && !r && <> r) -> (!p U r))
[] ((q && !r) -> (!p W r))
<> p
!r W (p && !r)
[] !q || <> (q && <> p)
[] ((q && !r) -> (!r W (p && !r)))
[] ((q && !r) -> (!r U (p && !r)))
!p W (p W (!p W (p W [] !p)))
<> r -> ((!p && !r) U (r || ((p && !r) U (r || ((!p && !r) U (r || ((p && !r) U (r || (!p U r)))))))))
<> q -> (!q U (q && (!p W (p W (!p W (p W [] !p))))))
[] p
<> r -> (p U r)
[] (q -> [] p)
[] ((q && !r && <> r) -> (p U r))
[] ((q && !r) -> (p W r))
!p W s
<> r -> (!p U (s || r))
[] !q || <> (q && (!p W s))
[] ((q && !r && <> r) -> (!p U (s || r)))
[] ((q && !r) -> (!p W (s || r)))
[] (p -> <> s)
<> r -> ((p -> (!r U (s && !r))) U r)
[] (q -> [] (p -> <> s))
[] ((q && !r && <> r) -> ((p -> (!r U (s && !r))) U r))
[] ((q && !r) -> ((p -> (!r U (s && !r))) W r))
<> p -> (!p U (s && !p && X (!p U t)))
<> r -> (!p U (r || (s && !p && X (!p U t))))
[] !q || (!q U (q && (<> p -> (!p U (s && !p && X (!p U t))))))
[] ((q && <> r) -> (!p U (r || (s && !p && X (!p U t)))))
[] (q -> (<> p -> (!p U (r || (s && !p && X (!p U t))))))
<> (s && X <> t) -> (!s U p)
<> r -> ((!(s && !r && X (!r U (t && !r)))) U (r || p))
[] !q || (!q U (q && (<> (s && X <> t) -> (!s U p))))
[] ((q && <> r) -> ((!(s && !r && X (!r U (t && !r)))) U (r || p)))
[] (s && X <> t -> X <> (t && <> p))
<> r -> ((s && X (!r U t) -> X (!r U (t && <> p))) U r)
[] (q -> [] (s && X <> t -> X (!t U (t && <> p))))
[] (p -> <> (s && X <> t))
<> r -> ((p -> (!r U (s && !r && X (!r U t)))) U r)
[] (q -> [] (p -> (s && X <> t)))
[] ((q && <> r) -> ((p -> (!r U (s && !r && X (!r U t)))) U r))
"""
# Etessami and Holzmann, CONCUR 2000.
ETESSAMI_HOLZMANN = """
p U (q && [] r)
p U (q && X (r U s))
p U (q && X (r && <> (s && X <> (t && X <> (u && X <> v)))))
<> (p && X [] q)
<> (p && X (q && X <> r))
<> (q && X (p U r))
<> [] q || [] <> p
[] (p -> (q U r))
[] (p && X <> (q && X <> (r && X <> s)))
[] <> p && [] <> q && [] <> r && [] <> s && [] <> t
(p U (q U r)) || (q U (r U p)) || (r U (p U q))
[] (p -> (q U ([] r || [] s)))
"""
# Somenzi and Bloem, CAV 2000.
SOMENZI_BLOEM = """
p U q
p U (q U r)
!(p U (q U r))
[] <> p -> [] <> q
(<> p) U ([] q)
([] p) U q
!(<> <> p <-> <> p)
!([] <> p -> [] <> q)
!([] <> p <-> [] <> q)
p V (p || q)
(X p U X q) || !X (p U q)
(X p U q) || !X (p U (p && q))
[] (p -> <> q) && ((X p U q) || !X (p U (p && q)))
[] (p -> <> q) && ((X p U X q) || !X (p U q))
[] (p -> <> q)
!([] (p -> X (q V r)))
!([] <> p || <> [] q)
[] (<> p && <> q)
<> p && <> !p
(X q && r) V X ((s U p) V r || s U q)
([] (q || [] <> p) && [] (r || [] <> !p)) || [] q || [] r
([] (q || <> [] p) && [] (r || <> [] !p)) || [] q || [] r
!(([] (q || [] <> p) && [] (r || [] <> !p)) || [] q || [] r)
!(([] (q || <> [] p) && [] (r || <> [] !p)) || [] q || [] r)
[] (q || X [] p) && [] (r || X [] !p)
[] (q || (X p && X !p))
p U p || q U p
"""
LITERATURE = [
    line for group in (DWYER, ETESSAMI_HOLZMANN, SOMENZI_BLOEM) for line in group.split("\n") if line
]
