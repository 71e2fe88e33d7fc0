"""The native producer and the native walk do, on random graphs, what plain Python says they should.

The producer is compared with `graph_certificates` byte for byte, the products of a walk with
big integers, and what it accepts and names with a table of all states.
"""

from __future__ import annotations

import copy
import os
import random
import struct
import tempfile
from collections import Counter
from dataclasses import dataclass, replace
from functools import reduce
from operator import xor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay import _engine
from assay.certification import products
from tests.certificates.graph_certificates import TREE, Certificate, RawFrame, certify
from tests.conformance.graphs import Graph, pack, random_graph, replayed_codes
from tests.engine.models import search
from tests.oracles.thesis.forgetting import ForgettingMap

STRATEGIES = {"bfs": "breadth-first", "dfs": "depth-first"}
PURPOSES = ("authenticate", "explain", "trust")
seeds = st.integers(0, 10**9)
strategies = st.sampled_from(sorted(STRATEGIES))


def harmless_graph(seed: int, *, largest: int = 120) -> Graph:
    """A random graph without violations and with at most `largest` nodes."""
    graph = random_graph(seed)
    size = min(len(graph.states), largest)
    edges = tuple(tuple((max(target, 0) % size, 0) for target, _ in of_node) for of_node in graph.edges)
    return Graph(graph.states[:size], edges[:size], (True,) * size, (0,) * size)


def graph_of(*edges: tuple[int, ...]) -> Graph:
    """Nodes with these targets; node i is the state of the one word i + 100."""
    return Graph(
        tuple((node + 100,) for node in range(len(edges))),
        tuple(tuple((target, 0) for target in targets) for targets in edges),
        (True,) * len(edges),
        (0,) * len(edges),
    )


# --- Producing ------------------------------------------------------------------------------------------


def produced(model: _engine.Model, strategy: str, frames: int, *, subgraphs: bool):
    """What the engine writes: facts about the script, and its frames."""
    log = _engine.GraphLog(tempfile.gettempdir())
    result = search(model, strategy=strategy, check_deadlock=False, log=log)
    assert result.complete
    assert log.is_finished
    script = _engine.ScriptWriter(log, subgraphs=subgraphs)
    written: list[RawFrame] = []

    def take(*sections) -> bool:
        *of_safety, ranks, moves = sections
        assert ranks == moves == b""
        written.append(RawFrame(*of_safety))
        return True

    assert script.write(frames, take)
    assert (result.states, result.transitions) == (script.states, script.transitions)
    return script, written


@settings(max_examples=400, deadline=None)
@given(seeds, strategies, st.sampled_from([1, 1, 2, 3, 5, 8, 40]), st.booleans())
def test_the_engine_writes_the_sections_that_the_reference_writes(seed, strategy, frames, subgraphs):
    model = harmless_graph(seed).native()
    expected = certify(model, tree=STRATEGIES[strategy], frames=frames, subgraphs=subgraphs)
    script, written = produced(model, strategy, frames, subgraphs=subgraphs)
    assert written == expected.raw_frames()
    header = expected.header
    assert (script.states, script.transitions, script.depth) == (
        header["states"],
        header["transitions"],
        header["depth"],
    )


def test_a_writer_that_is_told_to_stop_hands_over_no_more():
    log = _engine.GraphLog(tempfile.gettempdir())
    search(graph_of((1, 2), (2,), (0,)).native(), log=log)
    taken = []

    def take(*sections) -> bool:
        taken.append(sections)
        return len(taken) < 2

    assert not _engine.ScriptWriter(log, subgraphs=False).write(4, take)
    assert len(taken) == 2


def test_a_search_that_was_cut_short_leaves_no_log_to_write_from():
    log = _engine.GraphLog(tempfile.gettempdir())
    result = search(graph_of((1,), (2,), (0,)).native(), state_limit=2, log=log)
    assert not result.complete
    assert not log.is_finished
    with pytest.raises(RuntimeError):
        _engine.ScriptWriter(log, subgraphs=False)


@pytest.mark.parametrize(
    "option",
    [
        {"storage": "bitstate", "strategy": "dfs", "bitstate_bytes": 1024},
        {"strategy": "random-dfs"},
        {"threads": 2},
    ],
)
def test_only_exact_searches_on_one_thread_write_a_log(option):
    with pytest.raises(ValueError, match="graph"):
        search(graph_of((0,)).native(), log=_engine.GraphLog(tempfile.gettempdir()), **option)


@pytest.mark.parametrize("transitions", [0, 1, 999, 10**4, 10**6, 8 * 10**9])
def test_frames_are_within_the_limits_of_the_format_and_divide_into_a_hundred_tasks(transitions):
    frames = _engine.frames_for(transitions)
    assert frames < 100 or frames % 100 == 0
    assert 1 <= frames <= 65_536
    assert transitions / frames <= 1 << 23


# --- Walking --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Walked:
    """One task: its facts, and where it began and ended."""

    facts: _engine.WalkFacts
    start: bytes
    end: bytes
    is_finished: bool
    wrong_count: tuple[int, int, int] | None
    discrepancy: _engine.Discrepancy | None
    rejected: str = ""


def walk_frames(
    model: _engine.Model,
    frames: list[RawFrame],
    *,
    purpose: str,
    total_states: int,
    first_state: int = 0,
    secrets: bytes = b"",
    drop_after_last: bool = False,
    portable: bool = False,
) -> Walked:
    walk = _engine.walk(
        model,
        purpose=purpose,
        check_deadlock=False,
        total_states=total_states,
        memory_limit_bytes=0,
        secrets=secrets or os.urandom(_engine.Walk.secret_bytes(model)),
        drop_after_last=drop_after_last,
        portable=portable,
    )
    rejected = ""
    try:
        walk.begin(frames[0].start, first_state)
        for frame in frames:
            if walk.position() != frame.start:
                rejected = "frames do not fit together"
                break
            assert walk.frame(
                frame.states, frame.entries, frame.references, frame.bits, frame.ids, frame.counts
            )
    except _engine.Rejected as problem:
        rejected = str(problem)
    return Walked(
        walk.facts(),
        frames[0].start,
        walk.position(),
        walk.is_finished,
        walk.wrong_count(),
        walk.discrepancy,
        rejected,
    )


def product(walks: list[Walked], name: str) -> int:
    return products.product(getattr(walked.facts, name) for walked in walks)


def is_one_walk(walks: list[Walked]) -> bool:
    ends = [b"\x00", *(walked.end for walked in walks)]
    starts = [*(walked.start for walked in walks), b"\x00"]
    return ends == starts and walks[-1].is_finished and not any(walked.rejected for walked in walks)


def expected_products(certificate: Certificate, model: _engine.Model, secrets: bytes) -> tuple[int, int]:
    """R and O by the book, in big integers."""
    times = products.times
    g, of_length, *of_word = (
        int.from_bytes(secrets[begin : begin + 24], "little") for begin in range(0, len(secrets), 24)
    )

    def factor(number: int, state: bytes) -> int:
        """g - h: in this field, sums and differences are exclusive ors."""
        words = struct.unpack(f"<{len(state) // 8}Q", state)
        parts = [number, times(of_length, len(words)), *map(times, of_word, words)]
        return reduce(xor, parts, g)

    referred = visited = 1
    for number, (state, entries) in enumerate(zip(certificate.states, certificate.entries, strict=True)):
        for _ in range(certificate.counts[number]):
            visited = times(visited, factor(number, state))
        for entry, (successor, _) in zip(entries, model.successors(state), strict=True):
            if entry != TREE:
                referred = times(referred, factor(entry, successor))
    return referred, visited


@settings(max_examples=200, deadline=None)
@given(seeds, strategies, st.integers(1, 12))
def test_walks_accept_what_the_engine_wrote_in_one_task_or_cut_at_every_frame(seed, strategy, frames):
    model = harmless_graph(seed).native()
    certificate = certify(model, tree=STRATEGIES[strategy], frames=frames)
    _, written = produced(model, strategy, frames, subgraphs=False)
    states, transitions = len(certificate.entries), sum(map(len, certificate.entries))
    references = transitions - (states - 1)
    secrets = os.urandom(_engine.Walk.secret_bytes(model))
    expected = expected_products(certificate, model, secrets)
    assert expected[0] == expected[1]
    for purpose in PURPOSES:
        whole = [
            walk_frames(model, written, purpose=purpose, total_states=states, secrets=secrets),
        ]
        parts = [
            walk_frames(
                model, [frame], purpose=purpose, total_states=states, first_state=begin, secrets=secrets
            )
            for frame, begin in zip(written, certificate.frame_begins, strict=True)
        ]
        for walks in (whole, parts):
            assert is_one_walk(walks)
            assert sum(walked.facts.states for walked in walks) == states
            assert sum(walked.facts.entries for walked in walks) == transitions
            assert sum(walked.facts.references for walked in walks) == references
            assert max(walked.facts.depth for walked in walks) == certificate.header["depth"]
            assert all(walked.discrepancy is None for walked in walks)
            if purpose == "authenticate":
                assert (product(walks, "referred"), product(walks, "visited")) == expected
                portable = walk_frames(
                    model, written, purpose=purpose, total_states=states, secrets=secrets, portable=True
                )
                assert (portable.facts.referred, portable.facts.visited) == (
                    whole[0].facts.referred,
                    whole[0].facts.visited,
                )
        if purpose == "explain":
            assert (whole[0].facts.duplicates, whole[0].facts.map_entries) == (0, states)
            assert whole[0].wrong_count is None


@settings(max_examples=200, deadline=None)
@given(seeds, strategies, st.integers(1, 5))
def test_a_map_that_forgets_is_as_large_as_its_specification_says(seed, strategy, frames):
    model = harmless_graph(seed).native()
    certificate = certify(model, tree=STRATEGIES[strategy], frames=frames)
    remaining = [count + 1 for count in certificate.counts]  # the visit is an occurrence too

    def is_last(number: int) -> bool:
        remaining[number] -= 1
        return remaining[number] == 0

    fingerprints: ForgettingMap[bytes] = ForgettingMap(is_last)
    for number, (state, entries) in enumerate(zip(certificate.states, certificate.entries, strict=True)):
        fingerprints.visit(number, state)
        for position, (entry, (successor, _)) in enumerate(
            zip(entries, model.successors(state), strict=True)
        ):
            if entry != TREE:
                assert successor is not None
                fingerprints.refer(entry, successor, number, position)
    walked = walk_frames(
        model,
        certificate.raw_frames(),
        purpose="explain",
        total_states=len(certificate.entries),
        drop_after_last=True,
    )
    assert is_one_walk([walked])
    assert walked.wrong_count is None
    # The engine puts a number in before it looks whether that was its last occurrence.
    assert walked.facts.map_entries - fingerprints.largest in {0, 1}


def test_states_visited_under_two_numbers_are_counted_and_harmless():
    # The diamond 0 -> 1, 2 -> 3 with the state behind it written down twice.
    model = graph_of((1, 2), (3,), (3,), (0,)).native()
    certificate = certify(model)
    certificate.entries = [[TREE, TREE], [TREE], [0], [TREE], [0]]
    certificate.recount()
    frames = certificate.raw_frames()
    explained = walk_frames(model, frames, purpose="explain", total_states=5)
    assert is_one_walk([explained])
    assert (explained.facts.duplicates, explained.facts.map_entries) == (1, 5)
    authenticated = walk_frames(model, frames, purpose="authenticate", total_states=5)
    assert is_one_walk([authenticated])
    assert authenticated.facts.referred == authenticated.facts.visited


# --- Properties -----------------------------------------------------------------------------------------


@settings(max_examples=200, deadline=None)
@given(seeds, strategies, st.integers(1, 4), st.booleans())
def test_a_walk_stops_at_the_first_property_that_fails(seed, strategy, frames, check_deadlock):
    graph = random_graph(seed)
    edges = tuple(tuple((max(target, 0), code) for target, code in of_node) for of_node in graph.edges)
    graph = replace(graph, edges=edges)
    model = graph.native()
    certificate = certify(model, tree=STRATEGIES[strategy], frames=frames)
    node_of = {pack(state): node for node, state in enumerate(graph.states)}
    visited = [node_of[state] for state in certificate.states]
    bad_states = {
        number
        for number, node in enumerate(visited)
        if graph.state_violations[node] or (check_deadlock and not edges[node] and not graph.valid_ends[node])
    }
    all_bad = bad_states | {n for n, node in enumerate(visited) if any(code for _, code in edges[node])}
    tree_bad = bad_states | {
        number
        for number, node in enumerate(visited)
        for entry, (_, code) in zip(certificate.entries[number], edges[node], strict=True)
        if code and entry == TREE
    }
    for purpose, bad in (("authenticate", all_bad), ("explain", all_bad), ("trust", tree_bad)):
        walk = _engine.walk(
            model,
            purpose=purpose,
            check_deadlock=check_deadlock,
            total_states=len(visited),
            memory_limit_bytes=0,
            secrets=os.urandom(_engine.Walk.secret_bytes(model)),
            drop_after_last=False,
        )
        written = certificate.raw_frames()
        walk.begin(written[0].start, 0)
        goes_on = all(
            walk.frame(frame.states, frame.entries, frame.references, frame.bits, frame.ids, frame.counts)
            for frame in written
        )
        assert goes_on == (not bad)
        if walk.violation is None:
            assert goes_on
            continue
        code, path = walk.violation
        assert code in replayed_codes(model, path)
        assert walk.facts().states == min(bad) + 1


# --- Forgeries ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Truth:
    """What a table of all states says of a script."""

    fits: bool  # the tree has exactly these states and uses up all entries
    visited: tuple[bytes, ...]
    wrong: dict[tuple[int, int], tuple[int, bytes]]  # state and position -> claimed number, successor
    counts: tuple[int, ...]

    def is_right(self, certificate: Certificate) -> bool:
        return self.fits and not self.wrong and list(self.counts) == certificate.counts


def truth_of(certificate: Certificate, model: _engine.Model) -> Truth:
    """Reads the entries as one sequence that the program cuts, as a walk must."""
    sequence = [entry for entries in certificate.entries for entry in entries]
    pending = [model.initial_state()[0]]
    visited: list[bytes] = []
    references: dict[tuple[int, int], tuple[int, bytes]] = {}
    next_entry = 0
    while pending and len(visited) < len(certificate.entries):
        state = pending.pop()
        successors = [successor for successor, _ in model.successors(state)]
        entries = sequence[next_entry : next_entry + len(successors)]
        next_entry += len(successors)
        if len(entries) < len(successors):
            return Truth(False, tuple(visited), {}, ())
        for position, (entry, successor) in enumerate(zip(entries, successors, strict=True)):
            if entry != TREE:
                references[len(visited), position] = (entry, successor)
        visited.append(state)
        pending += [s for e, s in zip(entries[::-1], successors[::-1], strict=True) if e == TREE]
    fits = not pending and next_entry == len(sequence) and len(visited) == len(certificate.entries)
    wrong = {
        place: (number, successor)
        for place, (number, successor) in references.items()
        if number >= len(visited) or visited[number] != successor
    }
    counts = Counter(number for number, _ in references.values())
    return Truth(fits, tuple(visited), wrong, tuple(counts[number] for number in range(len(visited))))


def forgeries(certificate: Certificate):
    """Every script that differs in one entry, and every one that differs in one count."""
    states = len(certificate.entries)
    for number, entries in enumerate(certificate.entries):
        for position, entry in enumerate(entries):
            for other in range(TREE, states):
                if other != entry:
                    forged = copy.deepcopy(certificate)
                    forged.entries[number][position] = other
                    yield forged
        for count in {certificate.counts[number] - 1, certificate.counts[number] + 1} - {-1}:
            forged = copy.deepcopy(certificate)
            forged.counts[number] = count
            yield forged


def recounted(certificate: Certificate) -> Certificate:
    """With the counts that a careful forger would write."""
    careful = copy.deepcopy(certificate)
    references = Counter(entry for entries in careful.entries for entry in entries if entry != TREE)
    careful.counts = [references[number] for number in range(len(careful.entries))]
    return careful


def is_accepted(model: _engine.Model, forged: Certificate, secrets: bytes) -> bool:
    walked = walk_frames(
        model,
        forged.raw_frames(),
        purpose="authenticate",
        total_states=len(forged.entries),
        secrets=secrets,
    )
    return (
        is_one_walk([walked])
        and (walked.facts.states, walked.facts.entries)
        == (len(forged.entries), sum(map(len, forged.entries)))
        and walked.facts.referred == walked.facts.visited
    )


def require_right_explanation(model: _engine.Model, forged: Certificate, truth: Truth) -> None:
    walked = walk_frames(model, forged.raw_frames(), purpose="explain", total_states=len(forged.entries))
    if not truth.fits:
        assert walked.rejected or not is_one_walk([walked]) or walked.discrepancy is not None
        return
    assert not walked.rejected
    found = walked.discrepancy
    if not truth.wrong:
        assert found is None
        wrong_counts = [
            (number, claimed, actual)
            for number, (claimed, actual) in enumerate(zip(forged.counts, truth.counts, strict=True))
            if claimed != actual
        ]
        assert walked.wrong_count == (wrong_counts[0] if wrong_counts else None)
        return
    assert found is not None
    assert (found.state, found.position) in truth.wrong
    claimed, successor = truth.wrong[found.state, found.position]
    assert found.claimed == claimed
    assert found.actual == (truth.visited.index(successor) if successor in truth.visited else None)
    if found.path:
        state = model.initial_state()[0]
        for position in found.path:
            state = model.successors(state)[position][0]
        assert state == truth.visited[found.state]


def disputed(truth: Truth, forged: Certificate, model: _engine.Model) -> bool:
    """Two references forward disagree about a state that was not visited yet."""
    claims: dict[int, bytes] = {}
    for number, (state, entries) in enumerate(zip(truth.visited, forged.entries, strict=False)):
        for entry, (successor, _) in zip(entries, model.successors(state), strict=False):
            if entry > number and claims.setdefault(entry, successor) != successor:
                return True
    return False


@settings(max_examples=150, deadline=None)
@given(seeds, strategies, st.integers(1, 3))
def test_every_forged_entry_and_count_is_caught_and_named(seed, strategy, frames):
    model = harmless_graph(seed, largest=6).native()
    secrets = os.urandom(_engine.Walk.secret_bytes(model))
    certificate = certify(model, tree=STRATEGIES[strategy], frames=frames)
    every = list(forgeries(certificate))
    for forged in random.Random(seed).sample(every, min(40, len(every))):
        for version in (forged, recounted(forged)):
            truth = truth_of(version, model)
            right = truth.is_right(version)
            assert is_accepted(model, version, secrets) == right
            if not disputed(truth, version, model):
                require_right_explanation(model, version, truth)


def test_the_wrong_one_of_two_references_forward_that_disagree_is_named():
    model = graph_of((1, 2, 3), (2,), (3,), (0,)).native()
    forged = certify(model)
    assert forged.entries == [[TREE, TREE, TREE], [2], [3], [0]]
    forged.entries[1] = [3]
    require_right_explanation(model, forged, truth_of(forged, model))
