"""Wrappers from system to system: the audit over every front end, the product with an automaton."""

from __future__ import annotations

import os
import random
import struct
import subprocess
import sys
from collections import deque
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from graphs import random_graph
from test_native_engine_agrees_with_the_reference import native_search

from assay import _engine
from assay.languages import load
from assay.languages.promela.program import REDUCTIONS
from assay.transition_system.language_options import LanguageOptions
from assay.transition_system.opening import open_model

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = [
    *sorted(ROOT.glob("examples/*.pml")),
    *(
        path
        for path in sorted(ROOT.glob("tests/regression/*/model.pml"))
        if path.parent.name
        not in {"variables_of_threads_in_embedded_c_are_refused", "wrong_models_have_a_place"}
    ),
    ROOT / "examples/tutorial/racy_counter.py",
    ROOT / "examples/thesis/bounded_buffer_broken.py",
    ROOT / "examples/thesis/dining_philosophers_broken.py",
]


def word(number: int) -> bytes:
    return struct.pack("<Q", number)


@pytest.mark.parametrize("reductions", [True, False])
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_front_end_keeps_its_promises(path, reductions):
    # The hashes of texts are fixed when Python starts.
    environment = {**os.environ, "PYTHONHASHSEED": "0", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, __file__, str(path), "reduced" if reductions else "whole"]
    child = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert child.returncode == 0, child.stderr
    states, audited = map(int, child.stdout.split())
    assert audited >= min(states, 100)


def audit_program(path, reduced):
    reductions = frozenset(REDUCTIONS if reduced == "reduced" else ())
    program = load(Path(path), LanguageOptions(safety_only=True, reductions=reductions))
    audit = _engine.Audit(open_model(program.opening))
    found = native_search(audit, state_limit=2000, stop_at_first_violation=False)
    print(found.states, audit.audited)


class Lying:
    """A system of counters that can break each promise."""

    def __init__(self, lie: str) -> None:
        self.lie = lie
        self.asked = 0

    def initial_state(self):
        self.asked += 1
        return word(self.asked if self.lie == "initial" else 0), 0

    def successors(self, state):
        self.asked += 1
        (n,) = struct.unpack("<Q", state)
        following = [(word((n + 1) % 50), 0), (word((n + 7) % 50), 0)]
        if self.lie == "order" and self.asked % 3 == 0:
            following.reverse()
        if self.lie == "later" and self.asked > 200:
            following.pop()
        if self.lie == "nothing":
            following.append((None, 0))
        return following

    def is_valid_end(self, state):
        return True

    def check_state(self, state):
        self.asked += 1
        return self.asked % 2 if self.lie == "check" else 0


@pytest.mark.parametrize("lie", ["order", "later", "nothing", "check", "initial"])
def test_the_audit_sees_broken_promises(lie):
    with pytest.raises(_engine.BrokenPromise, match="a promise of the transition system is broken"):
        native_search(_engine.Audit(_engine.PythonSystem(Lying(lie), 1)))


def test_the_audit_lets_honest_systems_pass():
    audit = _engine.Audit(_engine.PythonSystem(Lying(""), 1))
    assert native_search(audit).states == 50
    assert audit.audited >= 50


def plain_product(graph, labels, edges, violations_too=False):
    """The reachable part of the product, by the book: location before it reads, and the system's node."""
    start = (0, 0)
    seen, pending, transitions = {start}, deque([start]), 0
    while pending:
        location, node = pending.popleft()
        admitted = [t for mask, value, t in edges[location] if labels[node] & mask == value]
        steps = [target for target, _ in graph.edges[node]]
        if not graph.edges[node]:
            steps = [node]  # the end goes on for ever
        for target in steps:
            if target < 0:
                continue
            for after in admitted:
                transitions += 1
                if (after, target) not in seen:
                    seen.add((after, target))
                    pending.append((after, target))
    return len(seen), transitions


def random_automaton(source: random.Random):
    locations = source.randint(1, 4)
    edges = []
    for _ in range(locations):
        out = []
        for _ in range(source.randint(0, 3)):
            mask = source.getrandbits(2)
            out.append((mask, source.getrandbits(2) & mask, source.randrange(locations)))
        edges.append(out)
    return edges


@pytest.mark.parametrize("seed", range(150))
def test_the_product_is_that_of_the_book(seed):
    source = random.Random(seed)
    graph = random_graph(seed)
    labels = [source.getrandbits(2) for _ in graph.states]
    edges = random_automaton(source)
    native = graph.native(labels=labels)
    product = _engine.Product(native, edges, [source.getrandbits(1) for _ in edges], 1)
    options = {"stop_at_first_violation": False, "check_deadlock": False}
    for search in ({}, {"strategy": "dfs"}, {"threads": 2}, {"storage": "fingerprint"}):
        found = native_search(product, **options, **search)
        assert (found.states, found.transitions) == plain_product(graph, labels, edges)
    audit = _engine.Audit(product)
    assert native_search(audit, **options).states <= audit.audited


def test_an_automaton_that_does_not_fit_is_refused():
    graph = _engine.ExplicitGraph([word(0)], [[]], [True], [0])
    for edges, acceptance, sentence in (
        ([[(0, 0, 1)]], [0], "a location it does not have"),
        ([[(1, 1, 0)]], [0], "labels that the system does not have"),
        ([], [], "needs a location"),
    ):
        with pytest.raises(ValueError, match=sentence):
            _engine.Product(graph, edges, acceptance, 1)


if __name__ == "__main__":
    audit_program(*sys.argv[1:])
