"""A fixed small part of the campaigns (`equality`, `faults`), and what they do not look at."""

import json
import os
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from distributed import Client

import assay
from assay.clustering import coordinator
from assay.clustering.grouping import shared_out
from assay.clustering.program import NotTheSame, opened, share
from assay.distribution.cluster import Cluster
from assay.transition_system.interface import Opening
from assay.transition_system.language_options import OptionProblem
from benchmarks.tasks import MODELS
from tests.cluster.equality import difference, embedded_c, told
from tests.cluster.processes import ROOT, Processes

EXAMPLES = ROOT / "examples"
SMALL = {"defines": ("N=4",)}


def verified(cluster, directory, model=MODELS / "philosophers.pml", **options):
    return assay.verify(model, cluster=cluster.address, spill=directory, safety=True, **{**SMALL, **options})


@pytest.mark.parametrize(
    ("program", "options"),
    [
        (MODELS / "philosophers.pml", {**SMALL, "reductions": ()}),
        (MODELS / "leader_ring.pml", {"defines": ("N=3",)}),
        (EXAMPLES / "broken_mutex.pml", {}),
        (EXAMPLES / "careless_lock.pml", {"all_errors": True}),
        (EXAMPLES / "alternating_bit.pml", {"max_depth": 9}),
        (EXAMPLES / "philosophers.pml", {"max_states": 40}),
    ],
    ids=str,
)
def test_a_search_on_a_cluster_says_what_the_search_on_disk_says(program, options, cluster):
    assert difference(program, cluster.address, **options) == ""


@pytest.mark.parametrize("name", ["philosophers.pml", "peterson.pml"])
def test_the_certificate_is_that_of_one_machine(name, cluster):
    assert difference(EXAMPLES / name, cluster.address, certificate=True) == ""


@pytest.mark.parametrize("certificate", [False, True])
def test_a_python_program_is_searched_by_content(certificate, cluster):
    program = EXAMPLES / "thesis" / "pipeline.py"
    assert difference(program, cluster.address, certificate=certificate) == ""


def test_the_counterexample_of_a_python_program_is_that_of_one_process(cluster, tmp_path):
    program = tmp_path / "race.py"
    program.write_text(
        "import threading\n"
        "class Counter:\n    value = 0\n"
        "counter = Counter()\n"
        "def add():\n    seen = counter.value\n    counter.value = seen + 1\n"
        "threads = [threading.Thread(target=add) for _ in range(3)]\n"
        "for one in threads:\n    one.start()\n"
        "for one in threads:\n    one.join()\n"
        "assert counter.value == 3, 'lost'\n"
    )
    here = assay.verify(program)
    there = assay.verify(program, cluster=cluster.address, spill=tmp_path / "states")
    assert here.verdict == there.verdict == "violated"
    assert here.as_json()["violations"] == there.as_json()["violations"]


def test_what_was_committed_of_a_program_that_is_not_as_assumed_is_given_up(cluster, tmp_path, monkeypatch):
    monkeypatch.setattr(coordinator, "ANSWER_AFTER_SECONDS", 0.0)
    monkeypatch.setattr(coordinator, "COMMIT_SECONDS", 0.0)
    program = tmp_path / "stored.py"
    program.write_text(
        "import threading\n"
        "class Box:\n    def __init__(self):\n        self.value = 0\n"
        "box = Box()\n"
        "def again():\n    box.__init__()\n"
        "for _ in range(2):\n    threading.Thread(target=again).start()\n"
    )
    result = assay.verify(program, cluster=cluster.address, spill=tmp_path / "states")
    assert (result.verdict, result.semantics["not_final"]) == ("verified", [".value"])


def test_a_class_is_searched_on_a_cluster(cluster, tmp_path):
    program = f"{EXAMPLES / 'token_ring.py'}:CarelessRing"
    here = assay.verify(program)
    there = assay.verify(program, cluster=cluster.address, spill=tmp_path / "states")
    assert (here.verdict, here.states, here.transitions, here.depth) == (
        there.verdict,
        there.states,
        there.transitions,
        there.depth,
    )


CLAIMS = """
byte x, y; bool done;
active proctype P() { do :: x < 9 -> x++ :: x == 9 -> x = 0 :: done = true; break od }
active proctype Q() { do :: y < 7 -> y++ :: y == 7 -> break od }
"""


@pytest.mark.parametrize(
    ("asked", "verdict"),
    [
        ({"ltl": ["[] (x <= 9)"]}, "verified"),
        ({"ltl": ["<> (y == 7)"]}, "violated"),
        ({"ltl": ["<> (y == 7)"], "fair": True}, "verified"),
        ({"ltl": ["[] <> (x == 0)"], "fair": True}, "violated"),
        ({"progress": True}, "violated"),
        ({"ltl": ["<> (y == 7)"], "max_states": 50}, "incomplete"),
    ],
    ids=str,
)
def test_a_claim_about_runs_has_the_answer_and_the_run_of_one_machine(asked, verdict, cluster, tmp_path):
    program = tmp_path / "model.pml"
    program.write_text(CLAIMS)
    asked = {"safety": False, "check_deadlock": False, "reductions": (), **asked}
    assert difference(program, cluster.address, **asked) == ""
    assert assay.verify(program, **asked).verdict == verdict


def test_the_run_that_a_cluster_found_can_be_replayed(cluster, tmp_path):
    program = tmp_path / "model.pml"
    program.write_text(CLAIMS)
    trace = tmp_path / "run.trace.json"
    there = {"cluster": cluster.address, "spill": tmp_path / "states", "trace": trace}
    found = assay.verify(program, ltl=["<> (y == 7)"], **there)
    assert assay.replay(program, trace).loop_start == found.violations[0].counterexample.loop_start


def test_the_certificate_of_a_claim_about_runs_is_that_of_one_machine(cluster, tmp_path):
    program = tmp_path / "model.pml"
    program.write_text(CLAIMS)
    asked = {"ltl": ["<> (y == 7)"], "fair": True, "safety": False, "check_deadlock": False}
    assert difference(program, cluster.address, certificate=True, **asked) == ""


def test_a_claim_of_a_python_program_is_searched_by_content(cluster):
    program = EXAMPLES / "liveness" / "polite_threads.py"
    assert difference(program, cluster.address, safety=False, terminates=True) == ""


def test_a_worker_that_is_killed_while_cycles_are_looked_for_costs_a_round(tmp_path):
    asked = {"ltl": ["[] <> (eating > 0)"], "defines": ("N=5",), "reductions": ()}
    expected = assay.verify(MODELS / "philosophers.pml", spill=tmp_path / "one", **asked)
    with Processes(2) as own:
        killed = threading.Event()

        def kill(progress):
            if "can be on a cycle" in getattr(progress, "note", "") and not killed.is_set():
                killed.set()
                own.kill_worker(own.workers[0])

        there = {"cluster": own.address, "spill": tmp_path / "states", "listener": kill}
        result = assay.verify(MODELS / "philosophers.pml", **there, **asked)
    assert killed.is_set()
    assert told(result) == told(expected)


@pytest.mark.parametrize("name", ["5_binary_tree.pml -DBUG", "6_claim.pml ", "pieces4000.pml, claims"])
def test_embedded_c_is_executed_by_workers(name, cluster):
    [unequal] = [
        difference(path, cluster.address, **{"safety": False, **asked})
        for one, path, asked in embedded_c()
        if one == name
    ]
    assert unequal == ""


def test_many_small_slices_of_a_level_are_one_level(cluster, tmp_path, monkeypatch):
    expected = told(assay.verify(MODELS / "philosophers.pml", spill=tmp_path / "one", safety=True, **SMALL))
    monkeypatch.setattr(coordinator, "BLOCK_SHARE", 1 << 22)
    assert told(verified(cluster, tmp_path / "states")) == expected


def test_the_result_tells_what_each_level_cost(cluster, tmp_path):
    result = verified(cluster, tmp_path / "states")
    facts = json.loads(json.dumps(result.as_json()["cluster"]))
    assert facts["workers"] == 3
    assert sum(level["states"] for level in facts["levels"]) == result.states
    assert sum(level["transitions"] for level in facts["levels"]) == result.transitions
    assert sum(level["sent_bytes"] for level in facts["levels"]) == facts["bytes_sent"] > 0


def test_a_stopped_search_goes_on_with_another_number_of_workers(cluster, tmp_path):
    expected = told(assay.verify(MODELS / "philosophers.pml", spill=tmp_path / "one", safety=True, **SMALL))
    directory = tmp_path / "states"
    first = verified(cluster, directory, max_states=100)
    assert (first.verdict, first.states, first.stop_reason) == ("incomplete", 100, "states")
    with pytest.raises(OptionProblem, match="holds a search that is not finished; continue it with --resume"):
        verified(cluster, directory)
    with pytest.raises(OptionProblem, match=r"resume: .* holds a search with another choice about deadlocks"):
        verified(cluster, directory, resume=True, check_deadlock=False)
    with Processes(1) as other:
        result = verified(other, directory, resume=True)
    assert told(result) == expected
    assert not directory.exists()


def test_a_damaged_file_is_not_gone_on_with(cluster, tmp_path):
    directory = tmp_path / "states"
    verified(cluster, directory, max_states=100)
    for file in directory.glob("assay-cluster-level-*"):  # some belong to a level that was not finished
        content = bytearray(file.read_bytes())
        content[:1] = bytes(byte ^ 1 for byte in content[:1])
        file.write_bytes(content)
    with pytest.raises(OptionProblem, match="is damaged; begin again in another directory"):
        verified(cluster, directory, resume=True)


@pytest.fixture
def every_level_is_answered(monkeypatch):
    monkeypatch.setattr(coordinator, "ANSWER_AFTER_SECONDS", 0.0)


@pytest.mark.usefixtures("every_level_is_answered")
def test_a_worker_that_is_killed_costs_a_level_and_nothing_else(tmp_path):
    options = {"defines": ("N=6",), "reductions": ()}
    expected = told(assay.verify(MODELS / "philosophers.pml", spill=tmp_path / "one", safety=True, **options))
    with Processes(2) as own:
        killed = threading.Event()

        def kill(progress):
            if getattr(progress, "depth", 0) > 8 and not killed.is_set():
                killed.set()
                own.kill_worker(own.workers[0])

        result = verified(own, tmp_path / "states", listener=kill, **options)
    assert killed.is_set()
    assert told(result) == expected


@pytest.mark.usefixtures("every_level_is_answered")
def test_the_loss_of_the_scheduler_ends_in_what_can_be_continued(cluster, tmp_path):
    options = {"defines": ("N=6",), "reductions": ()}
    expected = told(assay.verify(MODELS / "philosophers.pml", spill=tmp_path / "one", safety=True, **options))
    with Processes(2) as own:
        killed = threading.Event()

        def kill(progress):
            if getattr(progress, "depth", 0) > 8 and not killed.is_set():
                killed.set()
                own.kill_scheduler()

        result = verified(own, tmp_path / "states", listener=kill, **options)
    assert killed.is_set()
    assert result.verdict == "incomplete"
    assert any("--resume" in note for note in result.notes)
    assert told(verified(cluster, tmp_path / "states", resume=True, **options)) == expected


def test_a_worker_of_another_version_is_refused(tmp_path):
    older = "import assay.distribution.pinned_tasks as tasks; tasks.__version__ = '9.9'"
    with Processes(1) as own:
        with Client(own.address, set_as_default=False) as client:
            client.run(exec, older)
        with pytest.raises(OptionProblem, match=r"has assay-mc 9\.9, but .* is needed"):
            verified(own, tmp_path / "states")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"search": "dfs"}, "the search on a cluster needs the search bfs"),
        ({"storage": "fingerprint"}, "the search on a cluster needs the storage exact"),
        ({"threads": 2}, "the search on a cluster needs the threads 1"),
        ({"observe": "steps"}, "has nobody who listens"),
        ({"cluster": "local:0"}, "expected local:N with N from 1 to"),
        ({"cluster": "tcp://127.0.0.1:1"}, "needs a directory that this machine and all workers share"),
    ],
)
def test_what_does_not_go_together_is_refused_in_a_sentence(options, sentence):
    with pytest.raises(OptionProblem, match=sentence):
        assay.verify(EXAMPLES / "peterson.pml", **{"cluster": "local:1", **options})


def test_nobody_at_the_address_is_a_sentence(tmp_path):
    with pytest.raises(OptionProblem, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:1"):
        assay.verify(EXAMPLES / "peterson.pml", cluster="tcp://127.0.0.1:1", spill=tmp_path / "states")


def test_embedded_c_with_memory_that_is_no_state_is_refused(tmp_path):
    program = tmp_path / "model.pml"
    program.write_text("byte x; active proctype P() { c_code { now.x = 1; } }")
    there = {"cluster": "tcp://127.0.0.1:1", "spill": tmp_path / "states"}
    with pytest.raises(OptionProblem, match="stays in the process that executed it"):
        assay.verify(program, tracking="declared", **there)


def test_a_worker_whose_c_library_may_compute_otherwise_has_no_part_in_embedded_c(tmp_path):
    shared = share(Opening(__file__, settings={"foreign": True}), str(tmp_path))
    assert "glibc" in shared.c_library
    with pytest.raises(NotTheSame, match="whose results may differ"):
        opened(replace(shared, c_library="glibc 2.17 sse4_1"))
    assert not share(Opening(__file__), str(tmp_path)).c_library


def test_too_little_memory_is_refused(cluster, tmp_path):
    with pytest.raises(OptionProblem, match="a worker of a cluster needs at least"):
        verified(cluster, tmp_path / "states", memory_limit_bytes=100 << 20)


def test_a_directory_that_workers_do_not_see_is_named(cluster, tmp_path, monkeypatch):
    share = coordinator.share

    def elsewhere(opening, directory):
        shared = share(opening, directory)
        return type(shared)(str(tmp_path / "nowhere"), shared.sha256, shared.opener, shared.settings, False)

    monkeypatch.setattr(coordinator, "share", elsewhere)
    with pytest.raises(OptionProblem, match=r"it does not see .* give it a directory that all workers share"):
        verified(cluster, tmp_path / "states")


def test_partitions_stay_where_they_are():
    homes = {one: f"w{one % 3}" for one in range(12)}
    assert shared_out(12, ["w0", "w1", "w2"], homes) == {
        "w0": [0, 3, 6, 9],
        "w1": [1, 4, 7, 10],
        "w2": [2, 5, 8, 11],
    }
    left = shared_out(12, ["w0", "w2"], homes)
    assert set(left["w0"]) >= {0, 3, 6, 9}
    assert {len(mine) for mine in left.values()} == {6}
    joined = shared_out(12, ["w0", "w1", "w2", "w3"], homes)
    assert [len(mine) for mine in joined.values()] == [3, 3, 3, 3]
    assert set(joined["w0"]) <= {0, 3, 6, 9}


def test_local_clusters_serve_every_executor():
    with Cluster("local:1") as executor:
        assert executor.workers == 1


def test_the_command_line_starts_a_cluster_and_leaves_nothing(tmp_path):
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    run = subprocess.run(
        [
            Path(sys.executable).with_name("assay"),
            "verify",
            EXAMPLES / "peterson.pml",
            "--cluster",
            "local:2",
            "--json",
        ],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
        timeout=300,
    )
    result = json.loads(run.stdout)
    assert (result["verdict"], result["cluster"]["workers"]) == ("verified", 2)
    assert not list(tmp_path.iterdir())
