"""What goes wrong around a search on a cluster: full disks, interrupts, workers that hang, other searches."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import threading

import pytest

import assay
from assay.clustering import coordinator
from assay.clustering.program import share
from assay.clustering.work import CandidatesLost, Partitions, Search
from assay.languages.promela.program import load
from assay.transition_system.language_options import LanguageOptions
from benchmarks.cluster import threads_children
from benchmarks.tasks import MODELS
from tests.cluster.equality import told
from tests.cluster.processes import Processes

MODEL = MODELS / "philosophers.pml"
OPTIONS = {"defines": ("N=6",), "reductions": (), "safety": True}


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    return told(assay.verify(MODEL, spill=tmp_path_factory.mktemp("one") / "states", **OPTIONS))


@pytest.fixture(autouse=True)
def every_level_is_answered(monkeypatch):
    monkeypatch.setattr(coordinator, "ANSWER_AFTER_SECONDS", 0.0)


def at_depth(depth, action):
    """A listener that does something once the search is so deep."""
    done = threading.Event()

    def listen(progress):
        if getattr(progress, "depth", 0) >= depth and not done.is_set():
            done.set()
            action()

    listen.done = done
    return listen


def test_a_full_disk_ends_in_what_can_be_continued(expected, tmp_path):
    with Processes(2) as own:
        for worker in own.workers:  # no file may have more bytes: what they see of a disk with no more room
            resource.prlimit(worker.pid, resource.RLIMIT_FSIZE, (40_000, resource.RLIM_INFINITY))
        first = assay.verify(MODEL, cluster=own.address, spill=tmp_path / "states", **OPTIONS)
    assert (first.verdict, first.stop_reason) == ("incomplete", "disk")
    assert "File too large" in first.reasons[0]
    with Processes(1) as other:
        result = assay.verify(MODEL, cluster=other.address, spill=tmp_path / "states", resume=True, **OPTIONS)
    assert told(result) == expected


def test_an_interrupt_ends_in_what_can_be_continued(expected, tmp_path):
    with Processes(2) as own:
        listener = at_depth(8, lambda: os.kill(os.getpid(), signal.SIGINT))
        first = assay.verify(
            MODEL, cluster=own.address, spill=tmp_path / "states", listener=listener, **OPTIONS
        )
        assert listener.done.is_set()
        assert (first.verdict, first.stop_reason) == ("incomplete", "interrupted")
        result = assay.verify(MODEL, cluster=own.address, spill=tmp_path / "states", resume=True, **OPTIONS)
    assert told(result) == expected


def test_a_worker_that_hangs_is_gone_on_without(expected, tmp_path, monkeypatch):
    monkeypatch.setattr(coordinator, "HANGS_SECONDS", 3.0)
    with Processes(3) as own:
        hanging = own.workers[0]
        listener = at_depth(8, lambda: os.kill(hanging.pid, signal.SIGSTOP))
        try:
            result = assay.verify(
                MODEL, cluster=own.address, spill=tmp_path / "states", listener=listener, **OPTIONS
            )
        finally:
            os.kill(hanging.pid, signal.SIGCONT)
    assert listener.done.is_set()
    assert told(result) == expected


SEARCH = f"""
import sys, assay
from assay.clustering import coordinator
coordinator.NARROW_STATES = 20
where = dict(cluster=sys.argv[1], spill=sys.argv[2], timeout_seconds=100)
result = assay.verify({str(MODEL)!r}, **where, **{OPTIONS!r})
print(result.verdict, result.states, result.transitions)
"""


def test_two_searches_at_once_do_not_wait_for_each_other_for_ever(expected, tmp_path):
    with Processes(2) as own:
        searches = [
            subprocess.Popen(
                [sys.executable, "-c", SEARCH, own.address, str(tmp_path / name)],
                stdout=subprocess.PIPE,
                text=True,
            )
            for name in ("first", "second")
        ]
        found = [one.communicate()[0].split() for one in searches]
    counts = [str(expected["states"]), str(expected["transitions"])]
    assert found == [["verified", *counts], ["verified", *counts]]


def test_a_child_that_dies_costs_a_level(expected, tmp_path):
    with Processes(2) as own:

        def kill():
            os.kill(threads_children(own.workers[0].pid)[0], signal.SIGKILL)

        listener = at_depth(8, kill)
        result = assay.verify(
            MODEL, cluster=own.address, spill=tmp_path / "states", listener=listener, **OPTIONS
        )
    assert listener.done.is_set()
    assert told(result) == expected


def test_candidates_that_were_kept_by_a_process_that_is_gone_are_missed(tmp_path):
    program = load(MODEL, LanguageOptions(defines=("N=3",), reductions=frozenset()))
    search = Search(
        name="one",
        program=share(program.opening, str(tmp_path)),
        partitions=8,
        in_order=False,
        logs_edges=False,
        memory_limit_bytes=1 << 30,
        depth_limit=0,
        check_deadlock=True,
        stop_at_first_violation=True,
    )
    before, after = Partitions(search), Partitions(search)
    begun = before.begin()
    part = (begun["partition"], begun["level"], 0, 1, [])
    facts, _ = before.expand([part], 0, [0] * 8, own_group=0)
    visited = [(number, [begun["level"]] if number == begun["partition"] else [], []) for number in range(8)]
    with pytest.raises(CandidatesLost):
        after.merge(visited, [], facts["kept"])
    with pytest.raises(CandidatesLost):
        after.put_aside([], facts["kept"])
    merged = before.merge(visited, [], facts["kept"])
    assert sum(level[2] for _, level, _, _ in merged["parts"]) == facts["candidates"] > 0
    with pytest.raises(CandidatesLost):  # they are there once
        before.merge(visited, [], facts["kept"])


def test_many_levels_do_not_hold_many_files_open(tmp_path):
    model = tmp_path / "count.pml"
    model.write_text("short n;\nactive proctype P() { do :: n < 1500 -> n++ :: else -> break od }\n")
    search = f"import assay; print(assay.verify({str(model)!r}, cluster='local:1', safety=True).states)"
    counted = subprocess.run(
        ["sh", "-c", 'ulimit -n 256; exec "$0" -c "$1"', sys.executable, search],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    assert counted.stdout.split() == ["1503"]


def test_after_an_attempt_that_was_lost_no_process_goes_on(tmp_path, monkeypatch):
    """It has told of parts of states in vain, and would not do so again."""
    program = tmp_path / "program.py"
    program.write_text(
        "import threading\nn = []\ndef add():\n    n.append(len(n))\n"
        "threads = [threading.Thread(target=add) for _ in range(2)]\n"
        "for t in threads: t.start()\nfor t in threads: t.join()\n"
    )
    names, told_of = [], []
    together = coordinator.Coordinator._together

    def lose_the_first(self, explored):
        names.append(self._search.name)
        if len(names) == 1:
            make = self._company(
                explored,
                explored.levels[-1],
                {one: [*range(8)][at::2] for at, one in enumerate(self._accepted)},
            )
            tasks = [
                self._tasks.submit(coordinator.TOGETHER, part, worker=one, nowhere_else=True)
                for one, part in zip(self._accepted, make, strict=True)
            ]
            done = self._tasks.results(tasks, on_tick=lambda: None, on_progress=self._hear)
            told_of.extend(
                name for each in done for level in each for facts in level.told for name in facts["lessons"]
            )
            lost = iter([coordinator.TasksLost("in a test")])
            results = self._tasks.results

            def once(tasks, **request):
                for problem in lost:
                    raise problem
                return results(tasks, **request)

            self._tasks.results = once
        return together(self, explored)

    monkeypatch.setattr(coordinator.Coordinator, "_together", lose_the_first)
    monkeypatch.setattr(coordinator, "NARROW_STATES", 0)
    with Processes(2) as own:
        found = assay.verify(program, cluster=own.address, spill=tmp_path / "states", safety=True)
    assert told_of, "parts were met in the attempt that was lost"
    assert names[0] != names[1]
    assert told(found) == told(assay.verify(program, spill=tmp_path / "one", safety=True))
