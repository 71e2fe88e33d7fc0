"""Runs that never end, by the definition: the whole graph of a small program, and then its cycles.

Every state is reached by running the program from its start along a list of decisions. A step in which
module variables change several times has a state for each change: formulas look at all of them, also where
threads cannot switch. Processes are threads, by their paths.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from assay.automata.automaton import BuchiAutomaton, cycles
from tests.python.oracle.canonical import Canonical
from tests.python.oracle.explorer import Explorer, TooLarge
from tests.python.oracle.interpreter import Interpreter, Program, TooLong, UncaughtException
from tests.python.oracle.synchronisation import Label, Thread

Letter = frozenset[str]


class Observed(dict[str, Any]):
    """Module variables that tell of every change."""

    changed: Callable[[], None] | None = None

    def __setitem__(self, name: str, value: Any) -> None:
        super().__setitem__(name, value)
        if self.changed is not None:
            self.changed()


@dataclass
class Node:
    letter: Letter
    enabled: frozenset[tuple[int, ...]]
    is_over: bool
    steps: list[tuple[tuple[int, ...], int]] = field(default_factory=list)


@dataclass(frozen=True)
class Graph:
    nodes: Sequence[Node]
    threads: Sequence[tuple[int, ...]]

    def violates(self, automaton: BuchiAutomaton, *, fair: bool) -> bool:
        """Whether some run, a fair one if asked for, is accepted; a run that ends stays where it is.

        A step is in the sets of the location that it leaves; with fairness also in that of its thread, and in
        those of all threads that are not enabled where it begins.
        """
        sets = {path: 1 << (automaton.acceptance_sets + n) for n, path in enumerate(self.threads)}
        everything = (1 << automaton.acceptance_sets) - 1
        if fair:
            everything |= sum(sets.values())
        numbers = {(0, 0): 0}
        queue = [(0, 0)]
        steps: list[list[tuple[int, int]]] = []  # of each pair of state and location: target and sets
        for state, location in queue:
            node = self.nodes[state]
            marks = automaton.accepting[location]
            marks |= sum(sets[path] for path in self.threads if path not in node.enabled)
            stays = not node.steps and not node.enabled
            moves = [(state, 0)] if stays else [(after, sets[path]) for path, after in node.steps]
            steps.append([])
            for target in automaton.successors(location, automaton.valuation(node.letter)):
                for after, own in moves:
                    if (after, target) not in numbers:
                        numbers[after, target] = len(numbers)
                        queue.append((after, target))
                    steps[-1].append((numbers[after, target], marks | own))
        graph = [[target for target, _ in outgoing] for outgoing in steps]
        for component in cycles(graph, range(len(graph))):
            inside = set(component)
            met = 0
            for source in component:
                for target, marks in steps[source]:
                    met |= marks if target in inside else 0
            if met & everything == everything:
                return True
        return False


def explore_runs(source: str, granularity: str, atoms: Mapping[str, str], *, most_states: int = 300) -> Graph:
    """`atoms`: names of expressions over module variables; labels are atoms by their own names. All
    expressions are false, and so is the atom `begun`, until every variable that they read is bound."""
    program = Program(source)
    compiled = {name: compile(text, name, "eval") for name, text in atoms.items()}
    needed = {name for code in compiled.values() for name in code.co_names}

    def letter_of(run: Interpreter, moving: Thread | None = None) -> Letter:
        labels = {
            thread.pending.name
            for thread in run.threads
            if not thread.finished and thread is not moving and isinstance(thread.pending, Label)
        }
        variables = run.module.variables
        if not needed <= variables.keys():
            return frozenset(labels)
        values = {name for name, code in compiled.items() if eval(code, {}, dict(variables))}
        return frozenset({"begun", *values, *labels})

    def at(decisions: Sequence[int]) -> tuple[Interpreter, Thread]:
        run = Interpreter(program, granularity, most_statements=5_000)
        run.module.variables = Observed(run.module.variables)
        thread = run.main
        for decision in decisions:
            thread, way = Explorer._options(run, thread)[decision]
            Explorer._step(thread, way)
        return run, thread

    nodes: list[Node] = []
    numbers: dict[Any, int] = {}
    threads: dict[tuple[int, ...], None] = {}
    queue: list[tuple[int, list[int]]] = []

    def node_of(run: Interpreter, last: Thread, decisions: list[int]) -> int:
        key = (Canonical(run, with_output=False).key, last.path if _is_choosing(last) else None)
        if key not in numbers:
            if len(nodes) >= most_states:
                raise TooLarge(f"more than {most_states} states")
            numbers[key] = len(nodes)
            enabled = frozenset(
                thread.path for thread in run.threads if not thread.finished and thread.pending.alternatives()
            )
            is_over = run.main.finished
            letter = letter_of(run) | ({"over"} if is_over else set())
            nodes.append(Node(letter, frozenset() if is_over else enabled, is_over))
            threads.update(dict.fromkeys(thread.path for thread in run.threads))
            queue.append((numbers[key], decisions))
        return numbers[key]

    try:
        run, last = at([])
        node_of(run, last, [])
        for number, decisions in queue:
            source_node = nodes[number]
            run, last = at(decisions)
            if run.main.finished:
                continue
            for decision in range(len(Explorer._options(run, last))):
                run, last = at(decisions)
                thread, way = Explorer._options(run, last)[decision]
                letters: list[Letter] = []
                observed = run.module.variables
                assert isinstance(observed, Observed)
                observed.changed = partial(_note, letters, partial(letter_of, run, thread))
                try:
                    Explorer._step(thread, way)
                except UncaughtException:
                    continue
                observed.changed = None
                target = node_of(run, thread, [*decisions, decision])
                source_node.steps.append(_chained(nodes, thread.path, letters, target))
    except TooLong:
        raise TooLarge("a step that does not end") from None
    return Graph(nodes, tuple(threads))


def _is_choosing(thread: Thread) -> bool:
    return type(thread.pending).__name__ == "Choice" and not thread.finished


def _note(letters: list[Letter], look: Callable[[], Letter]) -> None:
    letters.append(look())


def _chained(
    nodes: list[Node], path: tuple[int, ...], letters: list[Letter], target: int
) -> tuple[tuple[int, ...], int]:
    """A step to the target, through a state for each letter but the last (which is the target's own)."""
    for letter in reversed(letters[:-1]):
        if letter == nodes[target].letter:
            continue
        enabled = nodes[target].enabled | {path}
        nodes.append(Node(letter, enabled, False, [(path, target)]))
        target = len(nodes) - 1
    return path, target
