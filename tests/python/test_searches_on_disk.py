"""Python programs whose states are kept on disk: searched, stopped, killed, continued and certified."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

import assay
from assay import _engine, languages
from assay.evidence.verdict import Verdict
from assay.transition_system.language_options import LanguageOptions, OptionProblem

sys.path.insert(0, str(Path(__file__).parents[1] / "engine"))
from kill_and_resume import child_for, compile_program, in_memory, play

MIB = 1 << 20
THESIS = Path(__file__).parents[2] / "examples" / "thesis"

COUNTING = """\
import threading

LIMIT = 25
counts = [0, 0]
lock = threading.Lock()


def add(place):
    while counts[place] < LIMIT:
        with lock:
            counts[place] += 1


threads = [threading.Thread(target=add, args=(place,)) for place in (0, 1)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert counts == [LIMIT, LIMIT]
"""

STORED_AGAIN = """\
import threading


class Box:
    def __init__(self):
        self.value = 0


box = Box()


def again():
    for _ in range(30):
        box.__init__()


threads = [threading.Thread(target=again) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "counting.py"
    path.write_text(COUNTING)
    return path


def spilled(program, tmp_path, **options):
    return assay.verify(program, spill=tmp_path / "disk", **options)


@pytest.mark.parametrize("granularity", ["bytecode", "gil", "sync"])
def test_the_verdict_the_counts_and_the_certificate_are_those_of_the_search_in_memory(
    granularity, program, tmp_path
):
    whole = assay.verify(program, granularity=granularity, certificate=tmp_path / "whole.assay")
    found = spilled(program, tmp_path, granularity=granularity, certificate=tmp_path / "disk.assay")
    assert whole.verdict is found.verdict is Verdict.VERIFIED
    assert (found.states, found.transitions, found.depth, found.levels) == (
        whole.states,
        whole.transitions,
        whole.depth,
        whole.levels,
    )
    assert (tmp_path / "disk.assay").read_bytes() == (tmp_path / "whole.assay").read_bytes()
    certified = assay.certify(program, tmp_path / "disk.assay", granularity=granularity)
    assert certified.verdict is Verdict.VERIFIED
    assert not (tmp_path / "disk").exists()


@pytest.mark.parametrize("name", ["bounded_buffer_broken", "rwvsn_broken", "dining_philosophers_broken"])
def test_a_counterexample_from_disk_is_shortest_and_replays(name, tmp_path):
    program = THESIS / f"{name}.py"
    expected = assay.verify(program)
    found = spilled(program, tmp_path, trace=tmp_path / "trace.json")
    assert (found.verdict, found.violations[0].message) == (Verdict.VIOLATED, expected.violations[0].message)
    run, known = found.violations[0].counterexample, expected.violations[0].counterexample
    assert run is not None
    assert known is not None
    assert run.length == known.length
    assert assay.replay(program, tmp_path / "trace.json").length == run.length


def test_a_stopped_search_goes_on_in_another_process(program, tmp_path):
    whole = assay.verify(program, certificate=tmp_path / "whole.assay")
    options = {"certificate": tmp_path / "disk.assay"}
    for limit in (500, 1500, 2500):
        stopped = spilled(program, tmp_path, max_states=limit, resume=True, **options)
        assert (stopped.verdict, stopped.states) == (Verdict.INCOMPLETE, limit)
        assert any("--resume" in note for note in stopped.notes)
    found = spilled(program, tmp_path, resume=True, **options)
    assert (found.verdict, found.states, found.transitions) == (
        Verdict.VERIFIED,
        whole.states,
        whole.transitions,
    )
    assert found.spill is not None
    assert 1000 < found.spill["resumed_from"] < whole.states
    assert (tmp_path / "disk.assay").read_bytes() == (tmp_path / "whole.assay").read_bytes()


def test_a_violation_found_after_a_stop_is_told_in_the_words_of_the_program(tmp_path):
    program = tmp_path / "late.py"
    program.write_text(COUNTING.replace("assert counts ==", "assert counts !="))
    expected = assay.verify(program).violations[0]
    spilled(program, tmp_path, max_states=1500)
    found = spilled(program, tmp_path, resume=True).violations[0]
    assert (found.kind, found.message, found.line) == (expected.kind, expected.message, expected.line)
    assert found.counterexample is not None
    assert expected.counterexample is not None
    assert found.counterexample.length == expected.counterexample.length


@pytest.mark.parametrize("certified", [False, True])
def test_a_search_killed_at_random_moments_ends_like_one_that_was_not(certified, tmp_path):
    library = compile_program("dining_philosophers.py", tmp_path, PHILOSOPHERS=6)
    whole, killed = tmp_path / "whole.assay", tmp_path / "killed.assay"
    expected = in_memory(library, whole if certified else None)
    played = play(library, tmp_path / "disk", random.Random(2), killed if certified else None)
    assert played.kills > 0
    assert played.result == expected
    if certified:
        assert killed.read_bytes() == whole.read_bytes()


def test_another_granularity_is_another_search(program, tmp_path):
    spilled(program, tmp_path, max_states=500)
    with pytest.raises(OptionProblem, match="another meaning of the program"):
        spilled(program, tmp_path, resume=True, granularity="gil")


def test_another_text_is_another_search(program, tmp_path):
    spilled(program, tmp_path, max_states=500)
    program.write_text(COUNTING + "\n")
    with pytest.raises(OptionProblem, match="another program"):
        spilled(program, tmp_path, resume=True)


def test_another_version_of_python_is_another_search(program, tmp_path, monkeypatch):
    spilled(program, tmp_path, max_states=500)
    changed = {
        **languages.load(program, LanguageOptions()).semantics,
        "language": "Python as another runs it",
    }
    monkeypatch.setattr("assay.languages.python.program.PythonProgram.semantics", changed)
    with pytest.raises(OptionProblem, match="another meaning of the program"):
        spilled(program, tmp_path, resume=True)


def test_what_is_found_out_about_the_program_is_found_out_once(tmp_path):
    """An attribute that was taken for final is stored again: the search begins anew, also on disk."""
    program = tmp_path / "stored.py"
    program.write_text(STORED_AGAIN)
    expected = assay.verify(program)
    assert expected.verdict is Verdict.VERIFIED
    assert expected.semantics["not_final"]
    stopped = spilled(program, tmp_path, max_states=expected.states // 2)
    assert stopped.verdict is Verdict.INCOMPLETE
    assert stopped.semantics["not_final"] == expected.semantics["not_final"]
    found = spilled(program, tmp_path, resume=True)
    assert (found.verdict, found.states) == (Verdict.VERIFIED, expected.states)
    assert found.spill is not None
    assert found.spill["resumed_from"] > 1


def image_of(program: Path) -> bytes:
    compiled = languages.load(program, LanguageOptions())
    return Path(compiled.opening.file).read_bytes()


def test_a_program_that_does_not_repeat_itself_is_not_continued(tmp_path):
    """Whatever makes it behave differently: what it learns again is compared with what it knew."""
    program = tmp_path / "counting.py"
    program.write_text(COUNTING)
    kept = image_of(program)
    program.write_text(COUNTING.replace("+= 1", "+= 5"))
    other = image_of(program)
    assert kept != other
    library = tmp_path / "image"
    library.write_bytes(kept)
    first = child_for(library, tmp_path / "disk", None, state_limit=1000)
    first.communicate()
    assert (tmp_path / "disk" / "assay-lessons").stat().st_size > 0
    library.write_bytes(other)
    second = child_for(library, tmp_path / "disk", None)
    second.communicate()
    assert second.returncode != 0
    assert (tmp_path / "disk" / "assay-checkpoint").exists()
    library.write_bytes(kept)
    third = child_for(library, tmp_path / "disk", None)
    third.communicate()
    assert third.returncode == 0


@pytest.mark.parametrize("damage", ["bit", "short", "missing"])
def test_damaged_lessons_are_refused(damage, program, tmp_path):
    spilled(program, tmp_path, max_states=1500)
    lessons = tmp_path / "disk" / "assay-lessons"
    content = bytearray(lessons.read_bytes())
    if damage == "missing":
        lessons.unlink()
    elif damage == "short":
        lessons.write_bytes(content[: len(content) // 2])
    else:
        content[len(content) // 3] ^= 16
        lessons.write_bytes(content)
    with pytest.raises(OptionProblem, match=r"damaged|missing"):
        spilled(program, tmp_path, resume=True)


def test_what_the_machine_has_met_and_remembers_shares_the_memory_of_the_search(tmp_path):
    """Thousands of lists that no two states share, and the steps between them: buffers give way to them."""
    program = tmp_path / "counting.py"
    program.write_text(COUNTING.replace("LIMIT = 25", "LIMIT = 100"))
    whole = assay.verify(program)
    found = spilled(program, tmp_path, memory_limit_bytes=42 * MIB)
    assert whole.peak_memory_bytes > 52 * MIB, "it would have fitted anyway"
    assert found.peak_memory_bytes <= 1.1 * 42 * MIB
    assert (found.verdict, found.states, found.transitions) == (
        Verdict.VERIFIED,
        whole.states,
        whole.transitions,
    )


def test_an_identity_that_nobody_wrote_is_not_believed(program, tmp_path):
    spilled(program, tmp_path, max_states=500)
    checkpoint = tmp_path / "disk" / "assay-checkpoint"
    content = bytearray(checkpoint.read_bytes())
    place = content.index(b"not_final")
    content[place : place + 9] = b"not_fimal"
    checkpoint.write_bytes(content)
    with pytest.raises(OptionProblem, match="damaged"):
        spilled(program, tmp_path, resume=True)
    with pytest.raises(_engine.CheckpointProblem, match="damaged"):
        _engine.identity_of_search(str(tmp_path / "disk"))
