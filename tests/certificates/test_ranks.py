"""Ranks of random products: the reference, the engine and both checkers, and forgeries of what is not so."""

from __future__ import annotations

import random
import tempfile

import pytest

from assay import _engine
from assay.automata.automaton import BuchiAutomaton, Edge
from assay.checker.container import Rejected, read_container
from assay.checker.temporal import Product
from assay.checker.walk import check_part
from assay.transition_system.interface import TemporalProperty
from assay.transition_system.question import Question, question_of
from tests.certificates.graph_certificates import TREE, RawFrame, default_header, file_bytes
from tests.certificates.temporal_certificates import RankedScript, least_ranks, obeys

PROCESSES = 3


class Subject:
    """A random system with two labels and three processes, and a random automaton that watches it."""

    def __init__(self, chance: random.Random) -> None:
        size = chance.randint(1, 7)
        edges = [
            [(chance.randrange(size), 0) for _ in range(chance.choice((0, 1, 1, 2, 3)))] for _ in range(size)
        ]
        self.system = _engine.ExplicitGraph(
            [number.to_bytes(8, "little") for number in range(size)],
            edges,
            [True] * size,
            [0] * size,
            labels=[chance.randrange(4) for _ in range(size)],
            processes=[[chance.randrange(PROCESSES) for _ in row] for row in edges],
        )
        locations, sets = chance.randint(1, 3), chance.randint(1, 3)

        def edge() -> Edge:
            mask = chance.randrange(4)
            return Edge(chance.randrange(locations), mask, chance.randrange(4) & mask)

        self.wanted = TemporalProperty(
            "ltl",
            "",
            "random",
            BuchiAutomaton(
                ("a", "b"),
                sets,
                tuple(chance.randrange(1 << sets) for _ in range(locations)),
                tuple(tuple(edge() for _ in range(chance.randint(0, 3))) for _ in range(locations)),
            ),
            (0, 1),
            progress_label=chance.choice((None, None, 0)),
        )
        self.processes = chance.choice((0, 0, PROCESSES))
        self.product = Product(self.system, self.wanted, processes=self.processes, has_root=False)
        self.question = Question.from_json(question_of(self.wanted, self.processes), None)
        self.native = self.question.product(self.system)

    def has_accepting_cycle(self) -> bool:
        options = {"fair": True, "processes": self.processes} if self.processes else {}
        if self.wanted.progress_label is not None:
            options["progress_label"] = self.wanted.progress_label
        found = _engine.search(self.native, strategy="accepting-cycle", check_deadlock=False, **options)
        assert found.complete or found.violation_count
        return bool(found.violation_count)

    def native_says(self, frames: list[RawFrame], states: int, rank: int) -> bool:
        """As the coordinator combines what the walks of single frames say."""
        secrets = random.randbytes(24 * 8)
        facts, end, before = [], b"\x00", 0
        try:
            for frame in frames:
                walk = _engine.walk(
                    self.native, purpose="authenticate", check_deadlock=False, total_states=states,
                    memory_limit_bytes=0, secrets=secrets, drop_after_last=False, initial_rank=rank,
                    processes=self.processes, progress_label=self.wanted.progress_label,
                )  # fmt: skip
                if frame.start != end:
                    return False
                walk.begin(frame.start, before)
                walk.frame(
                    frame.states, frame.entries, frame.references, frame.bits, frame.ids, frame.counts,
                    frame.subgraphs,
                )  # fmt: skip
                before += frame.states
                end = walk.position()
                facts.append(walk.facts())
        except _engine.Rejected:
            return False
        from assay.certification import products

        return (
            walk.is_finished
            and sum(one.counted for one in facts) == sum(frame.references for frame in frames)
            and products.product(one.referred for one in facts)
            == products.product(one.visited for one in facts)
        )

    def checker_says(self, made: RankedScript, frames: list[RawFrame]) -> bool:
        header = default_header() | made.script.header
        temporal = {
            "ltl": [],
            "progress": False,
            "fair": False,
            "terminates": False,
            "parts": [made.header()],
        }
        states = made.script.raw_frames()
        from tests.certificates.temporal_certificates import claim

        header |= {"temporal": temporal}
        try:
            data = file_bytes(header | {"claim": claim(header)}, [*states, *frames], version=3)
            (part,) = read_container(data).parts
            check_part(part, self.product, made.ranks[0])
        except Rejected:
            return False
        return True


def both_say(subject: Subject, made: RankedScript) -> bool:
    frames = made.raw_frames()
    native = subject.native_says(frames, len(made.steps), made.ranks[0])
    assert native == subject.checker_says(made, frames)
    return native


def facts_of(subject: Subject, frames: int = 1) -> RankedScript:
    return RankedScript.of(subject.product, frames=frames, kind="ltl", name="", text="random")


@pytest.mark.parametrize("seed", range(4))
def test_a_product_has_ranks_exactly_if_no_cycle_is_accepting(seed):
    chance = random.Random(seed)
    certified = 0
    for _ in range(150):
        subject = Subject(chance)
        made = facts_of(subject, chance.choice((1, 1, 2, 3)))
        reference = least_ranks(made.steps, made.targets, made.sets)
        assert (reference is None) == subject.has_accepting_cycle()
        if reference is not None:
            assert obeys(made.steps, made.targets, made.sets, reference)
            assert both_say(subject, made)
            certified += 1
    assert 30 < certified < 145


@pytest.mark.parametrize("highest", [True, False])
def test_the_engine_ranks_as_the_reference_does(highest):
    chance = random.Random(7)
    for _ in range(150):
        subject = Subject(chance)
        ranks = _engine.RankedGraph(processes=subject.processes, progress_label=subject.wanted.progress_label)
        with tempfile.TemporaryDirectory() as folder:
            log = _engine.GraphLog(folder)
            _engine.search(subject.native, strategy="bfs", check_deadlock=False, log=log, ranked=ranks)
            made = facts_of(subject, 2)
            reference = least_ranks(made.steps, made.targets, made.sets)
            if reference is None:
                with pytest.raises(RuntimeError, match="some cycle of this graph meets every acceptance set"):
                    ranks.assign(highest=highest)
                continue
            ranks.assign(highest=highest)
            script = _engine.ScriptWriter(log, ranks)
            written: list[RawFrame] = []
            take = written.append
            assert script.write(2, lambda *frame, take=take: take(RawFrame(*frame[:7], frame[8])) or True)
        made.ranks[0] = ranks.rank(0)
        assert ranks.rank(0) == reference[0]
        assert subject.native_says(written, script.states, ranks.rank(0))
        assert subject.checker_says(made, written)


@pytest.mark.parametrize("seed", range(4))
def test_no_ranks_are_accepted_where_a_cycle_is_accepting(seed):
    """Forged as well as it can be done: every rank tried, every number in range, references made to fit."""
    chance = random.Random(100 + seed)
    forgeries = 0
    while forgeries < 250:
        subject = Subject(chance)
        made = facts_of(subject, chance.choice((1, 2)))
        if least_ranks(made.steps, made.targets, made.sets) is not None:
            continue
        for _ in range(10):
            most = chance.choice((1, 3, 8))
            made.ranks = [chance.randint(0, most) for _ in made.ranks]
            made.beside = {}
            if chance.random() < 0.4 and made.targets[0]:
                place = (0, chance.randrange(len(made.targets[0])))
                made.beside[place] = chance.choice(
                    (0, 1, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, (1 << 35) - 1)
                )
            assert not both_say(subject, made)
            forgeries += 1


def test_any_ranks_that_obey_are_accepted_and_others_never():
    chance = random.Random(5)
    accepted = 0
    for _ in range(1_500):
        subject = Subject(chance)
        made = facts_of(subject)
        base = least_ranks(made.steps, made.targets, made.sets)
        if base is None:
            continue
        made.ranks = [max(0, rank + chance.choice((0, 0, 0, 1, -1))) for rank in base]
        _, read = made.numbers()
        known = [made.ranks[0], *(0 for _ in made.ranks[1:])]  # what can be written down of these ranks
        for state, row in enumerate(made.script.entries):
            for position, entry in enumerate(row):
                if entry == TREE:
                    known[made.targets[state][position]] = read[state][position]
        right = obeys(made.steps, made.targets, made.sets, known) and all(
            read[state][position] == known[entry]
            for state, row in enumerate(made.script.entries)
            for position, entry in enumerate(row)
            if entry != TREE
        )
        accepted += right
        assert both_say(subject, made) == right
    assert accepted > 100
