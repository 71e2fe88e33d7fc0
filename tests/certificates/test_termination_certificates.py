"""Certificates of programs whose runs all end: models, threads and classes, honest ones and forged ones."""

from __future__ import annotations

import copy
import subprocess
import sys
from dataclasses import replace

import pytest

import assay
from assay import checker
from assay.transition_system.language_options import LanguageOptions
from tests.certificates.temporal_certificates import Forgery, least_ranks, sealed

FLAG = """
bool flag;
active proctype Waits() { do :: !flag -> skip :: flag -> break od }
active proctype Sets() { flag = true }
"""
THREADS = """
import threading
flag = False
def waits():
    while not flag:
        pass
def sets():
    global flag
    flag = True
threads = [threading.Thread(target=waits), threading.Thread(target=sets)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""
DAEMON = """
import threading
def spins():
    while True:
        pass
threading.Thread(target=spins, daemon=True).start()
"""
CLASS = """
class Counter:
    def initial_states(self):
        return [0, 1]
    def enabled(self, state):
        return ["count"] if state < 3 else []
    def step(self, state, action):
        return state + 1
    def may_end(self, state):
        return state == 3
"""
TERMINATES = LanguageOptions(terminates=True)


def program(folder, text, name):
    path = folder / name
    path.write_text(text)
    return path


def produced(path, **options):
    certificate = path.parent / "program.assay"
    result = assay.verify(path, terminates=True, certificate=certificate, **options)
    assert result.verdict is assay.Verdict.VERIFIED, result.reasons
    return certificate


@pytest.mark.parametrize(
    ("text", "name", "fair"),
    [
        (FLAG, "flag.pml", True),
        (THREADS, "threads.py", True),
        (DAEMON, "daemon.py", True),
        (CLASS, "counter.py:Counter", False),
    ],
)
def test_both_checkers_accept_that_every_run_ends(tmp_path, text, name, fair):
    program(tmp_path, text, name.partition(":")[0])
    path = tmp_path / name
    certificate = produced(path, certificate_coding="small")
    for options in ({}, {"mode": "explained"}, {"tasks": 2, "workers": 2}):
        result = assay.certify(path, certificate, terminates=True, **options)
        assert (result.verdict, result.reasons) == (assay.Verdict.VERIFIED, ())
        assert [(one.kind, one.fair) for one in result.temporal] == [("termination", fair)]
    assert "On every run, it comes to its end if it is weakly fair to each process." in result.claim
    second_opinion = subprocess.run(  # with hashes that are not random, which it sees to itself
        [sys.executable, "-m", "assay.checker", path, certificate],
        capture_output=True,
        text=True,
        check=False,
    )
    assert second_opinion.returncode == 0, second_opinion.stdout
    assert "and every run satisfies termination if it is weakly fair" in second_opinion.stdout


def test_that_every_run_ends_cannot_be_added(tmp_path):
    path = program(tmp_path, FLAG, "flag.pml")
    certificate = tmp_path / "states.assay"
    assert assay.verify(path, certificate=certificate).verdict is assay.Verdict.VERIFIED
    result = assay.certify(path, certificate, terminates=True)
    assert result.verdict is assay.Verdict.REJECTED
    assert "does not say that every run ends, and that cannot be added to it" in result.reasons[0]


# --- forgeries ---


def reasons(path, data, **options):
    certificate = path.with_suffix(".assay")
    certificate.write_bytes(data)
    result = assay.certify(path, certificate, **options)
    assert result.verdict is assay.Verdict.REJECTED, result.verdict
    with pytest.raises(checker.Rejected) as rejection:
        checker.check(path, certificate)
    return result.reasons[0], str(rejection.value)


@pytest.fixture
def flag(tmp_path):
    return program(tmp_path, FLAG, "flag.pml")


@pytest.mark.parametrize("change", ["dropped", "not a flag", "missing"])
def test_a_flag_that_does_not_go_with_the_parts_is_refused(flag, change):
    honest = Forgery.of(flag, TERMINATES)
    header = honest.header()
    header["temporal"]["terminates"] = {"dropped": False, "not a flag": 1, "missing": None}[change]
    if change == "missing":
        del header["temporal"]["terminates"]
    native, _ = reasons(flag, sealed(header, honest.frames()))
    words = "claims of runs that never end: nothing" if change == "dropped" else "under 'terminates'"
    assert words in native


def test_a_flag_without_its_part_is_refused(tmp_path):
    path = program(tmp_path, FLAG + "ltl set { [] (flag -> flag) }\n", "flag.pml")
    honest = Forgery.of(path, LanguageOptions())
    honest.asked["terminates"] = True
    native, independent = reasons(path, honest.to_bytes(), terminates=True)
    assert "the parts of the certificate are not about" in native
    assert "the temporal parts are not about" in independent


def test_ranks_as_if_nobody_had_to_be_fair_are_refused(flag):
    """Without fairness a run goes round for ever, and there are no ranks: whatever is written is wrong."""
    forged = Forgery.of(flag, TERMINATES)
    (part,) = forged.parts
    assert part.sets == 3
    part.sets = 1
    part.ranks = [0] * len(part.ranks)
    reasons(flag, forged.to_bytes())


def test_the_ranks_of_fewer_processes_are_refused(flag):
    """As if only the first process had to be let to move."""
    forged = Forgery.of(flag, TERMINATES)
    (part,) = forged.parts
    part.steps = [[replace(step, is_in=step.is_in - {2}) for step in row] for row in part.steps]
    part.sets = 2
    ranks = least_ranks(part.steps, part.targets, part.sets)
    part.ranks = ranks if ranks is not None else [1] * len(part.steps)
    reasons(flag, forged.to_bytes())


def test_termination_is_not_taken_for_a_claim_of_all_runs_nor_the_other_way_round(tmp_path):
    """`fair` is about the other parts: it changes the sets of a formula, and not those of termination."""
    path = program(tmp_path, FLAG + "ltl comes { <> flag }\n", "flag.pml")
    honest = Forgery.of(path, LanguageOptions(terminates=True, fair=True))
    assert [part.sets for part in honest.parts] == [3, 3]
    header = honest.header()
    header["temporal"]["fair"] = False
    native, independent = reasons(path, sealed(header, honest.frames()), fair=True, terminates=True)
    assert native.startswith("comes: ")
    assert independent.startswith("comes: ")


@pytest.mark.parametrize("text", ["every run ends soon", "every run"])
def test_another_text_is_refused(flag, text):
    honest = Forgery.of(flag, TERMINATES)
    honest.parts[0].facts["text"] = text
    native, independent = reasons(flag, honest.to_bytes())
    assert "the parts of the certificate are not about" in native
    assert "the temporal parts are not about" in independent


def test_termination_under_the_name_of_another_kind_is_refused(flag):
    honest = Forgery.of(flag, TERMINATES)
    for kind in ("ltl", "progress", "never"):
        forged = copy.deepcopy(honest)
        forged.parts[0].facts["kind"] = kind
        reasons(flag, forged.to_bytes())


def test_a_thread_that_is_no_daemon_any_more_is_another_program(tmp_path):
    path = program(tmp_path, DAEMON, "daemon.py")
    certificate = produced(path)
    path.write_text(DAEMON.replace(", daemon=True", ""))
    result = assay.certify(path, certificate, terminates=True)
    assert result.verdict is assay.Verdict.REJECTED
    assert "another program text" in result.reasons[0]
    with pytest.raises(checker.Rejected, match="another program"):
        checker.check(path, certificate)
