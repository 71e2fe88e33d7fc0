"""Proofs that clauses cannot all hold, checked by unit propagation alone.

A proof is a list of steps, each a clause and the positions of clauses before it. A step is right if, where
all literals of its clause are false, these clauses one after the other leave one literal each that can hold,
and the last one none (LRAT without RAT: Cruz-Filipe et al. 2017). So each step follows from what was before
it; the last one is the empty clause, which never holds.
"""

from __future__ import annotations

from collections.abc import Sequence

Clause = tuple[int, ...]
Step = tuple[Sequence[int], Sequence[int]]  # literals; positions of clauses, steps counted on after them


def wrong_step(clauses: Sequence[Clause], steps: Sequence[Step]) -> int | None:
    """The first step that does not follow, or how many there are if the last is not the empty clause."""
    known: list[Sequence[int]] = list(clauses)
    for number, (literals, used) in enumerate(steps):
        if not _follows(literals, used, known):
            return number
        known.append(literals)
    return None if steps and not steps[-1][0] else len(steps)


def _follows(literals: Sequence[int], used: Sequence[int], known: Sequence[Sequence[int]]) -> bool:
    holds = {-one for one in literals}
    for position in used:
        if not 0 <= position < len(known):
            return False
        left = {one for one in known[position] if -one not in holds}
        if not left:
            return True
        if len(left) > 1:
            return False
        holds |= left
    return False
