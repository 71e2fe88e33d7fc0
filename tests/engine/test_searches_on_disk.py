"""Searches on disk that are killed, continued, given little memory, or given files that are not theirs."""

from __future__ import annotations

import random
import resource
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from kill_and_resume import child_for, facts, play
from models import compile_model, search

from assay import _engine

MIB = 1 << 20


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module")
def philosophers(folder):
    return compile_model("philosophers", folder, N=7, GREEDY=0)


def spilled(model, directory, **options):
    settings = {"spill_buffer_bytes": MIB, "identity": [("program", "p"), ("depth limit", "0")]}
    return search(model, spill_directory=str(directory), **{**settings, **options})


def stopped(model, directory, states=20_000) -> None:
    """Leaves a search that a limit stopped."""
    result = spilled(model, directory, state_limit=states)
    assert result.stop_reason == "states"


@pytest.mark.parametrize(
    ("name", "constants"),
    [("philosophers", {"N": 9, "GREEDY": 1}), ("grid", {"DIMENSIONS": 3, "SIDE": 50, "GROW": 1})],
)
def test_a_search_killed_at_random_moments_ends_like_one_that_was_not(name, constants, folder, tmp_path):
    model = compile_model(name, folder, **constants)
    library = next(folder.glob(f"{name}-{'-'.join(f'{k}{v}' for k, v in constants.items())}.so"))
    # A limit stops the first attempt, so that there is something to continue however slow the machine is.
    child_for(library, tmp_path / "spilled", None, state_limit=20_000).communicate()
    assert (tmp_path / "spilled" / "assay-checkpoint").exists()
    played = play(library, tmp_path / "spilled", random.Random(7))
    assert played.kills > 0
    assert played.continued == played.had_checkpoint
    assert played.result == facts(search(model, stop_at_first_violation=False))


def test_a_violation_found_after_a_stop_has_its_shortest_path(folder, tmp_path):
    model = compile_model("philosophers", folder, N=7, GREEDY=1)
    expected = search(model)
    assert expected.stop_reason == "violation"
    stopped(model, tmp_path / "spilled", states=2000)
    found = spilled(model, tmp_path / "spilled", resume=True)
    assert found.resumed_from > 1
    assert [len(v.path) for v in found.violations] == [len(v.path) for v in expected.violations]
    state = model.initial_state()[0]
    for position in found.violations[0].path:
        state = model.successors(state)[position][0]
    assert not model.successors(state), "the path does not lead into the deadlock"


def test_a_search_interrupted_again_and_again_ends_like_one_that_was_not(folder, tmp_path):
    """In the middle of levels and of merges; each time it must leave what it can go on from."""
    model = compile_model("philosophers", folder, N=9, GREEDY=1)
    source = random.Random(5)
    interruptions = 0
    patience = 1
    while True:
        left = source.randrange(1, patience + 1)

        def count_down(_progress):
            nonlocal left
            left -= 1
            return left > 0

        result = spilled(
            model,
            tmp_path / "spilled",
            resume=True,
            stop_at_first_violation=False,
            spill_buffer_bytes=MIB // 2,
            on_progress=count_down,
            progress_interval_seconds=0.01,
        )
        if result.complete:
            break
        assert result.stop_reason == "interrupted"
        interruptions += 1
        patience += 2
    assert interruptions > 3
    assert facts(result) == facts(search(model, stop_at_first_violation=False))


def test_an_unfinished_search_is_not_overwritten(philosophers, tmp_path):
    stopped(philosophers, tmp_path)
    with pytest.raises(_engine.CheckpointProblem, match="continue it with --resume"):
        spilled(philosophers, tmp_path)
    assert spilled(philosophers, tmp_path, resume=True).complete


def test_a_search_of_something_else_is_not_continued(philosophers, folder, tmp_path):
    stopped(philosophers, tmp_path)
    with pytest.raises(_engine.CheckpointProblem, match=r"another program \(p, now q\)"):
        spilled(philosophers, tmp_path, resume=True, identity=[("program", "q"), ("depth limit", "0")])
    with pytest.raises(_engine.CheckpointProblem, match="another depth limit"):
        spilled(philosophers, tmp_path, resume=True, identity=[("program", "p"), ("depth limit", "9")])
    with pytest.raises(_engine.CheckpointProblem, match="another depth limit"):
        spilled(philosophers, tmp_path, resume=True, identity=[("program", "p")])
    other = compile_model("philosophers", folder, N=9, GREEDY=0)
    with pytest.raises(_engine.CheckpointProblem, match="begins in another state"):
        spilled(other, tmp_path, resume=True)


def test_a_directory_serves_one_search_at_a_time(folder, tmp_path):
    philosophers = compile_model("philosophers", folder, N=9, GREEDY=0)
    refused = []

    def second(progress):
        if not refused and progress.states > 1:  # from then on the first one has the directory
            with pytest.raises(_engine.CheckpointProblem, match="another search is using") as problem:
                spilled(philosophers, tmp_path, resume=True)
            refused.append(problem)
        return True

    spilled(philosophers, tmp_path, on_progress=second, progress_interval_seconds=0.001)
    assert refused


@pytest.mark.parametrize("name", ["checkpoint", "levels", "index", "run"])
def test_every_damaged_bit_is_refused_or_without_effect(name, philosophers, tmp_path):
    """What a checkpoint refers to is refused; what it does not refer to is never read."""
    expected = facts(search(philosophers))
    source = random.Random(3)
    refused = 0
    for attempt in range(12):
        directory = tmp_path / str(attempt)
        stopped(philosophers, directory)
        file = max(directory.glob(f"assay-{name}*"), key=lambda path: path.stat().st_size)
        content = bytearray(file.read_bytes())
        bit = source.randrange(len(content) * 8)
        content[bit // 8] ^= 1 << bit % 8
        file.write_bytes(content)
        try:
            result = spilled(philosophers, directory, resume=True)
        except _engine.CheckpointProblem:
            refused += 1
        else:
            assert name != "checkpoint"
            assert facts(result) == expected
    assert refused >= (12 if name == "checkpoint" else 6)


@pytest.mark.parametrize("name", ["checkpoint", "levels", "index", "run"])
def test_truncated_and_missing_files_are_refused(name, philosophers, tmp_path):
    for attempt, damage in enumerate(("half", "empty", "missing")):
        directory = tmp_path / str(attempt)
        stopped(philosophers, directory)
        file = max(directory.glob(f"assay-{name}*"), key=lambda path: path.stat().st_size)
        if damage == "missing":
            if name == "checkpoint":
                continue  # then there is nothing to continue, and the search begins again
            file.unlink()
        else:
            file.write_bytes(file.read_bytes()[: file.stat().st_size // 2 if damage == "half" else 0])
        with pytest.raises(_engine.CheckpointProblem, match=r"damaged|missing|begin again"):
            spilled(philosophers, directory, resume=True)


def test_a_checkpoint_of_random_bytes_is_refused(philosophers, tmp_path):
    (tmp_path / "assay-checkpoint").write_bytes(random.Random(1).randbytes(5000))
    with pytest.raises(_engine.CheckpointProblem, match="no checkpoint of this version"):
        spilled(philosophers, tmp_path, resume=True)


def test_without_a_checkpoint_the_search_begins(philosophers, tmp_path):
    (tmp_path / "assay-levels").write_bytes(b"of a search that was killed while it cleaned up")
    (tmp_path / "mine").write_text("not to be touched")
    assert facts(spilled(philosophers, tmp_path, resume=True)) == facts(search(philosophers))
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_a_directory_that_cannot_be_made_is_named(philosophers, tmp_path):
    with pytest.raises(_engine.DiskProblem, match="could not be created: No such file or directory"):
        spilled(philosophers, tmp_path / "a" / "b")


def test_a_full_disk_ends_in_a_sentence_and_can_be_continued_elsewhere(philosophers, tmp_path):
    script = (
        "import resource, signal, sys; sys.path.insert(0, sys.argv[1])\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, resource.RLIM_INFINITY))\n"
        "from assay import _engine\n"
        "from models import search\n"
        "try:\n"
        "    search(_engine.CompiledModel(sys.argv[2]), spill_directory=sys.argv[3],\n"
        "           spill_buffer_bytes=1 << 20, identity=[('program', 'p'), ('depth limit', '0')])\n"
        "except _engine.DiskProblem as problem:\n"
        "    print(problem)\n"
    )
    library = tmp_path / "philosophers.so"
    model = compile_model("philosophers", tmp_path, N=7, GREEDY=0)
    next(tmp_path.glob("philosophers-*.so")).rename(library)
    arguments = [str(Path(__file__).parent), str(library), str(tmp_path / "spilled")]
    said = subprocess.run(
        [sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=True
    )
    assert "could not be written: File too large" in said.stdout, said
    assert facts(spilled(model, tmp_path / "spilled", resume=True)) == facts(search(model))


def test_memory_stays_within_the_limit(folder, tmp_path):
    """Counted as the system counts it, interpreter included, on a search that needs far more."""
    compile_model("philosophers", folder, N=10, GREEDY=0)
    library = folder / "philosophers-N10-GREEDY0.so"
    script = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from assay import _engine\n"
        "from models import search\n"
        "limit = 40 << 20\n"
        "model = _engine.CompiledModel(sys.argv[2])\n"
        "result = search(model, spill_directory=sys.argv[3], memory_limit_bytes=limit)\n"
        "status = open('/proc/self/status').read()\n"
        "peak = int(status.split('VmHWM:')[1].split()[0]) * 1024\n"
        "print(result.states, result.complete, result.disk_bytes, peak / limit)\n"
    )
    arguments = [str(Path(__file__).parent), str(library), str(tmp_path / "spilled")]
    said = subprocess.run(
        [sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=True
    )
    states, complete, disk_bytes, share = said.stdout.split()
    expected = search(_engine.CompiledModel(str(library)), check_deadlock=False)
    assert (int(states), complete) == (expected.states, "True")
    assert int(disk_bytes) > 40 << 20, "this search would have fitted into memory"
    assert float(share) <= 1.1


def test_a_limit_below_what_the_process_takes_is_refused(philosophers, tmp_path):
    taken = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    with pytest.raises(ValueError, match="needs at least"):
        search(philosophers, spill_directory=str(tmp_path), memory_limit_bytes=min(taken, 8 * MIB))


def test_a_deep_narrow_graph_is_searched_in_reasonable_time(folder, tmp_path):
    model = compile_model("grid", folder, DIMENSIONS=1, SIDE=20_000)
    result = spilled(model, tmp_path / "spilled")
    assert (result.states, result.depth, result.complete) == (20_000, 19_999, True)
