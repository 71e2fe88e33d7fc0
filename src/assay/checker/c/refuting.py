"""Finds proofs that `propagation` can check. Nothing here is trusted.

Glucose finds clauses that follow, one after the other, until none can hold (DRUP: Heule et al. 2013). Here
the same propagation is done once more, with watched literals, to see which clauses it uses; then what does
not lead to the end is left out.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from assay.checker.c.propagation import Clause, Step

MOST_CONFLICTS = 200_000
MOST_LITERALS = 5_000_000  # of a proof, with its positions


class NoneFound(Exception):
    """Why there is no proof."""


def refuted(clauses: Sequence[Clause], seconds: float) -> list[Step] | None:
    """A proof, or None if the clauses can hold. Raises NoneFound, and ImportError without python-sat."""
    from pysat.solvers import Glucose4  # type: ignore[import-untyped]

    with Glucose4(bootstrap_with=[list(one) for one in clauses], with_proof=True) as solver:
        solver.conf_budget(MOST_CONFLICTS)
        answer = solver.solve_limited()
        if answer is None:
            raise NoneFound(f"the solver needs more than {MOST_CONFLICTS} conflicts")
        if answer:
            return None
        lines = solver.get_proof() or []
    lemmas = [tuple(map(int, line.split()[:-1])) for line in lines if not line.startswith("d")]
    return Propagation(clauses).explained(lemmas, time.process_time() + seconds)


class Propagation:
    def __init__(self, clauses: Sequence[Clause]) -> None:
        self.clauses: list[list[int]] = []
        self.watched: dict[int, list[int]] = {}  # by literal: clauses to look at when it becomes false
        self.value: dict[int, bool] = {}  # of literals, both ways
        self.reason: dict[int, int] = {}
        self.trail: list[int] = []
        self.done = 0
        self.conflict: int | None = None
        self.originals = len(clauses)
        for one in clauses:
            self._add(one)

    def explained(self, lemmas: Sequence[Clause], until: float) -> list[Step]:
        """Each with the clauses from which it follows."""
        steps: list[Step] = []
        if self.conflict is None:
            self.conflict = self._propagated()
        for lemma in (*lemmas, ()):
            if self.conflict is not None:
                break
            if time.process_time() > until:
                raise NoneFound("time ran out")
            if any(self.value.get(one) for one in lemma):  # held already: nobody needs it
                continue
            used = self._reasons(lemma)
            steps.append((lemma, used))
            self._add(lemma)
            self.conflict = self._propagated() if self.conflict is None else self.conflict
        if self.conflict is None:
            raise NoneFound("the solver's proof does not end")
        steps.append(((), self._cone(self.conflict, set())))
        return self._needed(steps)

    def _add(self, clause: Clause) -> None:
        """Literals that can hold are watched; one that must hold does so from now on."""
        position = len(self.clauses)
        literals = sorted(dict.fromkeys(clause), key=lambda one: self.value.get(one) is False)
        self.clauses.append(literals)
        for one in literals[:2]:
            self.watched.setdefault(one, []).append(position)
        if not literals or self.value.get(literals[0]) is False:
            self.conflict = position if self.conflict is None else self.conflict
        elif (len(literals) == 1 or self.value.get(literals[1]) is False) and literals[0] not in self.value:
            self._hold(literals[0], position)

    def _hold(self, literal: int, reason: int | None) -> None:
        self.value[literal], self.value[-literal] = True, False
        self.trail.append(literal)
        if reason is not None:
            self.reason[literal] = reason

    def _propagated(self) -> int | None:
        """A clause of which nothing can hold, if there is one."""
        value = self.value
        while self.done < len(self.trail):
            false = -self.trail[self.done]
            self.done += 1
            kept: list[int] = []
            waiting = self.watched.get(false, [])
            for number, position in enumerate(waiting):
                clause = self.clauses[position]
                if clause[0] == false:
                    clause[0], clause[1] = clause[1], clause[0]
                if value.get(clause[0]):
                    kept.append(position)
                    continue
                for at in range(2, len(clause)):
                    if value.get(clause[at]) is not False:
                        clause[1], clause[at] = clause[at], clause[1]
                        self.watched.setdefault(clause[1], []).append(position)
                        break
                else:
                    kept.append(position)
                    if value.get(clause[0]) is False:
                        self.watched[false] = kept + waiting[number + 1 :]
                        return position
                    self._hold(clause[0], position)
            self.watched[false] = kept
        return None

    def _reasons(self, lemma: Clause) -> list[int]:
        start, done = len(self.trail), self.done
        for one in lemma:
            if -one not in self.value:
                self._hold(-one, None)
        conflict = self._propagated()
        if conflict is None:
            raise NoneFound("a step of the solver's proof does not follow")
        used = self._cone(conflict, set(lemma))
        for literal in self.trail[start:]:
            del self.value[literal], self.value[-literal]
            self.reason.pop(literal, None)
        del self.trail[start:]
        self.done = done
        return used

    def _cone(self, conflict: int, assumed: set[int]) -> list[int]:
        """What leads to the conflict, in the order in which it does."""
        wanted = {-one for one in self.clauses[conflict] if one not in assumed}
        found = [conflict]
        for literal in reversed(self.trail):
            if literal in wanted and literal in self.reason:
                position = self.reason[literal]
                found.append(position)
                wanted |= {-one for one in self.clauses[position] if one != literal and one not in assumed}
        return found[::-1]

    def _needed(self, steps: Sequence[Step]) -> list[Step]:
        """Without steps that nothing needs, and with positions counted anew."""
        needed = {len(steps) - 1}
        for number in reversed(range(len(steps))):
            if number in needed:
                needed |= {one - self.originals for one in steps[number][1] if one >= self.originals}
        kept = sorted(needed)
        places = {old + self.originals: new + self.originals for new, old in enumerate(kept)}
        found: list[Step] = [(steps[old][0], [places.get(one, one) for one in steps[old][1]]) for old in kept]
        if sum(len(literals) + len(used) for literals, used in found) > MOST_LITERALS:
            raise NoneFound("it is too long")
        return found
