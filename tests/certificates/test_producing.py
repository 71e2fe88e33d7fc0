"""`assay verify --certificate`: who gets a file, what is in it, and what is left when things go wrong."""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

import assay
from assay import _engine, checker
from assay.evidence.certificate.claim import Claim
from assay.evidence.certificate.container import CertificateFile
from assay.evidence.certificate.header import CertificateProblem
from assay.evidence.verdict import Verdict
from assay.search import worker
from assay.transition_system.language_options import OptionProblem
from tests.conformance.graphs import Graph
from tests.engine.models import search

MODELS = Path(__file__).parents[2] / "benchmarks" / "models"
PHILOSOPHERS = MODELS / "philosophers.pml"
LARGE = ("-D", "N=8", "--no-reductions")  # 710,656 states, 4,533,760 transitions

COUNTER = "byte n;\nactive proctype P() { do :: n < 9 -> n++ :: n > 0 -> n-- od }\n"
FAILING = "byte n;\nactive proctype P() { do :: n < 9 -> n++; assert(n < 5) od }\n"
CLAIMING = COUNTER + "ltl { <> (n == 9) }\n"


@pytest.fixture
def program(tmp_path):
    def write(text, name="model.pml"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-c", "from assay.cli.main import main; main()", *map(str, arguments)]


def run_command(*arguments: object, **options):
    return subprocess.run(command(*arguments), capture_output=True, text=True, check=False, **options)


def partials(folder: Path) -> list[Path]:
    return list(folder.glob(".assay-*.partial"))


# --- The file -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tree", ["bfs", "dfs"])
def test_a_verified_program_gets_a_certificate_that_both_checkers_accept(program, tmp_path, tree):
    model, file = program(COUNTER), tmp_path / "model.assay"
    result = assay.verify(model, search=tree, reductions=(), certificate=file)
    assert result.verdict is Verdict.VERIFIED
    assert result.certificate is not None
    assert result.certificate["path"] == str(file)
    assert result.certificate["bytes"] == file.stat().st_size
    with CertificateFile(file) as certificate:
        header = certificate.header
    assert (header.states, header.transitions) == (result.states, result.transitions)
    assert header.tree == {"bfs": "breadth-first", "dfs": "depth-first"}[tree]
    assert header.depth == result.depth
    assert checker.check(model, file).states == result.states
    assert assay.certify(model, file).verdict is Verdict.VERIFIED
    assert partials(tmp_path) == []


@pytest.mark.parametrize("tree", ["bfs", "dfs"])
def test_the_same_program_gives_the_same_bytes_and_another_coding_the_same_script(tmp_path, tree):
    def certificate(name, **options):
        path = tmp_path / name
        result = assay.verify(PHILOSOPHERS, search=tree, defines=["N=5"], certificate=path, **options)
        assert result.verdict is Verdict.VERIFIED
        return path

    first = certificate("first.assay", subgraphs=True)
    again = certificate(
        "again.assay",
        subgraphs=True,
        # Limits that are not reached are no part of the claim.
        max_states=10**6,
        max_depth=10**6,
        timeout_seconds=600.0,
        memory_limit_bytes=1 << 30,
    )
    small = certificate("small.assay", certificate_coding="small", subgraphs=True)
    assert first.read_bytes() == again.read_bytes()
    assert small.stat().st_size < first.stat().st_size
    with CertificateFile(first) as fast, CertificateFile(small) as other:
        assert fast.header.dictionaries == ()
        assert all(0 < length <= 1 << 20 for length in other.header.dictionaries)
        assert fast.header == replace(other.header, dictionaries=())
        assert list(fast.frames()) == list(other.frames())
    for partition in ("intervals", "subgraphs"):
        result = assay.certify(PHILOSOPHERS, small, defines=["N=5"], tasks=3, partition=partition)
        assert (result.verdict, result.tasks) == (Verdict.VERIFIED, 3)
    assert checker.check(PHILOSOPHERS, small).states == result.states


def test_the_header_says_what_was_asked(program, tmp_path):
    model, file = program(COUNTER, "counter.pml"), tmp_path / "out.assay"
    result = assay.verify(
        model,
        check_deadlock=False,
        invariants=["n <= 9"],
        defines=["UNUSED=1"],
        reductions=["merging"],
        certificate=file,
    )
    assert result.verdict is Verdict.VERIFIED
    with CertificateFile(file) as certificate:
        header = certificate.header
    assert (header.program, header.language) == ("counter.pml", "promela")
    assert [source.name for source in header.sources] == ["counter.pml"]
    assert header.semantics["defines"] == ["UNUSED=1"]
    assert header.semantics["reductions"] == ["merging"]
    assert header.properties.invariants == ("n <= 9",)
    assert not header.properties.deadlock
    assert header.producer == {"tool": "assay", "version": assay.__version__}


def test_a_file_that_is_there_is_replaced_only_by_a_whole_one(program, tmp_path):
    file = tmp_path / "model.assay"
    file.write_bytes(b"what was there")
    assert assay.verify(program(FAILING), certificate=file).verdict is Verdict.VIOLATED
    assert file.read_bytes() == b"what was there"
    assert assay.verify(program(COUNTER), certificate=file).verdict is Verdict.VERIFIED
    assert file.read_bytes().startswith(b"\x89ASSAY")


# --- Nobody else gets one -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "options", "verdict"),
    [
        (FAILING, {}, Verdict.VIOLATED),
        (FAILING, {"all_errors": True}, Verdict.VIOLATED),
        (COUNTER, {"invariants": ["n < 9"]}, Verdict.VIOLATED),
        ("active proctype P() { false }\n", {}, Verdict.VIOLATED),
        (COUNTER, {"max_states": 5}, Verdict.INCOMPLETE),
        (COUNTER, {"max_depth": 3}, Verdict.INCOMPLETE),
        (COUNTER, {"max_depth": 3, "search": "dfs"}, Verdict.INCOMPLETE),
        (COUNTER, {"timeout_seconds": 0.001}, Verdict.INCOMPLETE),
        (CLAIMING, {}, Verdict.VIOLATED),
    ],
)
def test_only_a_verified_program_gets_a_certificate(program, tmp_path, text, options, verdict):
    model, file = program(text), tmp_path / "out.assay"
    result = assay.verify(model, reductions=(), certificate=file, **options)
    assert result.verdict is verdict
    assert result.certificate is None
    if options != {"timeout_seconds": 0.001}:
        assert f"no certificate was written: the verdict is {verdict}, not verified" in result.notes
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model.pml"]


def test_a_search_that_runs_out_of_time_leaves_nothing(tmp_path):
    file = tmp_path / "out.assay"
    result = assay.verify(
        PHILOSOPHERS, defines=["N=11"], reductions=(), timeout_seconds=3.0, certificate=file
    )
    assert (result.verdict, result.certificate) == (Verdict.INCOMPLETE, None)
    assert list(tmp_path.iterdir()) == []


def test_claims_that_were_left_out_on_purpose_are_named_in_the_certificate(program, tmp_path):
    file = tmp_path / "out.assay"
    assert assay.verify(program(CLAIMING), safety=True, certificate=file).verdict is Verdict.VERIFIED
    with CertificateFile(file) as certificate:
        assert certificate.header.semantics["safety_only"] is True


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"storage": "bitstate"}, "bitstate storage may lose states"),
        ({"storage": "fingerprint"}, "fingerprint storage may lose states"),
        ({"threads": 2}, "recorded by a search on one thread"),
        (
            {"search": "random-dfs"},
            "expected the search bfs, dfs, cached, invariants, auto or one by abstraction",
        ),
        ({"certificate_coding": "tiny"}, "expected one of fast, small, got 'tiny'"),
        ({"certificate": "nowhere/out.assay"}, "there is no such directory"),
        ({"certificate": "folder"}, "it exists and is no file"),
        ({"certificate": "/dev/null"}, "it exists and is no file"),
        ({"certificate": "/proc/out.assay"}, "/proc/out.assay cannot be written: "),
        ({"certificate": "x" * 300}, "xx cannot be written: File name too long"),
    ],
)
def test_what_cannot_end_in_a_certificate_is_refused_before_the_search(
    program, tmp_path, monkeypatch, options, reason
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    # A program that does not even parse: it is never looked at.
    program("this is no Promela")
    with pytest.raises(OptionProblem, match=reason):
        assay.verify("model.pml", **{"certificate": "out.assay", **options})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "model.pml"]


def test_a_certificate_does_not_replace_what_it_is_about(program, tmp_path):
    limits, model = tmp_path / "limits.h", program('#include "limits.h"\n' + COUNTER)
    limits.write_text("#define UNUSED 1\n")
    (tmp_path / "link.h").symlink_to(limits)
    for file in (model, limits, tmp_path / "link.h"):
        before = file.read_text()
        with pytest.raises(OptionProblem, match="expected a file of its own, got the program itself"):
            assay.verify(model, certificate=file)
        assert file.read_text() == before


# --- The command ----------------------------------------------------------------------------------------


def test_the_command_says_where_the_certificate_is_or_why_there_is_none(program, tmp_path):
    file = tmp_path / "out.assay"
    verified = run_command("verify", program(COUNTER), "--certificate", file, "--json")
    assert (verified.returncode, verified.stderr) == (0, "")
    certificate = json.loads(verified.stdout)["certificate"]
    assert certificate.keys() == {"path", "bytes", "seconds", "frames", "log_bytes"}
    assert certificate["bytes"] == file.stat().st_size
    file.unlink()
    violated = run_command("verify", program(FAILING), "--certificate", file)
    assert violated.returncode == 1
    assert "no certificate was written: the verdict is violated, not verified" in violated.stdout
    unusable = run_command("verify", program(COUNTER), "--certificate", tmp_path / "no" / "out.assay")
    assert unusable.returncode == 2
    assert "there is no such directory" in unusable.stderr
    assert not file.exists()


# --- Interrupted and starved ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> bytes:
    """What an undisturbed run writes."""
    file = tmp_path_factory.mktemp("whole") / "out.assay"
    result = assay.verify(
        PHILOSOPHERS, defines=["N=8"], reductions=(), certificate=file, certificate_coding="small"
    )
    assert (result.verdict, result.states, result.transitions) == (Verdict.VERIFIED, 710_656, 4_533_760)
    return file.read_bytes()


def start_writing(folder: Path, *, wait: bool = True) -> subprocess.Popen:
    """A command that will write its certificate for some seconds, waited for until it does."""
    process = subprocess.Popen(
        command(
            "verify", PHILOSOPHERS, *LARGE, "--certificate", folder / "out.assay",
            "--certificate-coding", "small",
        ),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )  # fmt: skip
    while wait and not partials(folder):
        assert process.poll() is None
        time.sleep(0.002)
    return process


def children_of(process: int) -> list[int]:
    text = Path(f"/proc/{process}/task/{process}/children").read_text()
    return [int(child) for child in text.split()]


@pytest.mark.parametrize("seed", range(3))
def test_a_killed_writer_leaves_nothing_that_looks_like_a_certificate(tmp_path, whole, seed):
    process = start_writing(tmp_path)
    (writer,) = children_of(process.pid)
    time.sleep(random.Random(seed).uniform(0.0, 0.25))
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    while Path(f"/proc/{writer}").exists():
        time.sleep(0.01)
    (left,) = tmp_path.iterdir()
    assert left.name.startswith(".assay-")
    assert whole.startswith(left.read_bytes())
    assert len(left.read_bytes()) < len(whole)
    with pytest.raises(CertificateProblem):
        CertificateFile(left)
    refused = run_command("certify", PHILOSOPHERS, left)
    assert refused.returncode == 4
    assert refused.stdout.startswith("rejected  ")


def test_a_run_after_killed_ones_writes_its_certificate(tmp_path, whole):
    process = start_writing(tmp_path)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    process = start_writing(tmp_path, wait=False)
    output, errors = process.communicate()
    assert (process.returncode, errors) == (0, "")
    assert output.startswith("verified  ")
    assert (tmp_path / "out.assay").read_bytes() == whole


@pytest.mark.parametrize("seed", range(3))
def test_an_interrupted_writer_leaves_nothing_at_all(tmp_path, seed):
    process = start_writing(tmp_path)
    time.sleep(random.Random(seed).uniform(0.0, 0.25))
    os.killpg(process.pid, signal.SIGINT)
    output, _ = process.communicate()
    assert process.returncode == 3
    assert "the certificate could not be written: it was interrupted" in output
    assert list(tmp_path.iterdir()) == []


def test_a_second_interrupt_ends_a_writer_that_does_not_answer(tmp_path):
    process = start_writing(tmp_path)
    (writer,) = children_of(process.pid)
    os.kill(writer, signal.SIGSTOP)
    os.kill(process.pid, signal.SIGINT)
    time.sleep(0.3)
    os.kill(process.pid, signal.SIGINT)
    output, _ = process.communicate()
    assert process.returncode == 3
    assert "the certificate could not be written: it was interrupted" in output
    assert list(tmp_path.iterdir()) == []


def test_the_time_limit_holds_while_the_certificate_is_written(tmp_path):
    for seconds in (4.0, 16.0, 64.0, 256.0):  # until the machine is fast enough to come that far
        folder = tmp_path / f"{seconds}"
        folder.mkdir()
        result, stopped = verify_with_a_writer_that_stops(folder, seconds)
        assert result.verdict is Verdict.INCOMPLETE
        assert result.seconds > seconds
        assert list(folder.iterdir()) == []
        if stopped:
            break
    assert len(stopped) == 1
    assert result.reasons == ("the certificate could not be written: the time limit was reached",)


def verify_with_a_writer_that_stops(folder: Path, seconds: float):
    ended = threading.Event()
    stopped = []
    helpers = set(children_of(os.getpid()))  # other tests of this process may have left some

    def stop_the_writer():
        while not ended.wait(0.002):
            if partials(folder) and not stopped:
                (writer,) = set(children_of(os.getpid())) - helpers
                os.kill(writer, signal.SIGSTOP)
                stopped.append(writer)

    watcher = threading.Thread(target=stop_the_writer)
    watcher.start()
    try:
        result = assay.verify(
            PHILOSOPHERS,
            defines=["N=7"],
            reductions=(),
            certificate=folder / "out.assay",
            certificate_coding="small",
            timeout_seconds=seconds,
        )
    finally:
        ended.set()
        watcher.join()
    return result, stopped


def test_a_disk_that_is_full_while_the_graph_is_recorded_is_told_in_a_sentence(tmp_path):
    room = 1 << 20  # the graph takes 21 MB
    outcome = run_command(
        "verify", PHILOSOPHERS, *LARGE, "--certificate", tmp_path / "out.assay",
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (room, room)),
    )  # fmt: skip
    assert (outcome.returncode, outcome.stderr) == (3, "")
    assert (
        "the disk could not be used (the graph could not be written to the disk: File too large)"
        in outcome.stdout
    )
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_is_full_while_the_certificate_is_written_is_told_in_a_sentence(tmp_path):
    process = start_writing(tmp_path)
    (writer,) = children_of(process.pid)
    resource.prlimit(writer, resource.RLIMIT_FSIZE, (1 << 14, 1 << 14))
    output, errors = process.communicate()
    assert (process.returncode, errors) == (3, "")
    assert "the certificate could not be written: [Errno 27] File too large" in output
    assert list(tmp_path.iterdir()) == []


def test_a_directory_that_vanishes_meanwhile_is_told_in_a_sentence(tmp_path):
    log = _engine.GraphLog(str(tmp_path))
    search(Graph(((1,),), (((0, 0),),), (True,), (0,)).native(), log=log)
    told = []
    claim = Claim(program="p", language="promela", sources=(), tree="breadth-first", version="1")
    gone = tmp_path / "gone"
    wanted = {
        "path": str(gone / "out.assay"),
        "partial": str(gone / "partial"),
        "coding": "fast",
        "subgraphs": False,
        "claim": claim.as_json(),
    }
    worker.write_certificate_of(
        log, wanted, lambda event, **facts: told.append((event, facts)), threading.Event()
    )
    ((event, facts),) = told
    assert event == "certificate"
    assert facts["problem"].startswith("[Errno 2] No such file or directory: ")


# --- Memory ---------------------------------------------------------------------------------------------


def test_the_graph_that_is_recorded_stays_out_of_memory(tmp_path):
    def peak(**options):
        result = assay.verify(
            PHILOSOPHERS, defines=["N=8"], reductions=(), memory_limit_bytes=256 << 20, **options
        )
        assert (result.verdict, result.states) == (Verdict.VERIFIED, 710_656)
        return result

    plain = peak()
    producing = peak(certificate=tmp_path / "out.assay")
    assert producing.certificate is not None
    assert producing.certificate["log_bytes"] == 4 * (710_656 + 4_533_760)
    # Two 32-bit numbers for each state, one frame, and the code that compresses it.
    assert producing.peak_memory_bytes - plain.peak_memory_bytes < 710_656 * 10 + (12 << 20)
    assert producing.peak_memory_bytes < 1.6 * plain.peak_memory_bytes
