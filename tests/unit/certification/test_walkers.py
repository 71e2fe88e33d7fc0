"""Walkers, the processes without an interpreter, answer what the same walk answers here."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import assay
from assay.certification import products, task
from assay.certification.program import load_for
from assay.certification.sharing_out import frame_sources
from assay.certification.task import CertificationTask, FrameSource
from assay.certification.walkers import NativeWalkers
from assay.distribution.local_processes import LocalProcesses
from assay.evidence.certificate.container import CertificateFile
from assay.evidence.certificate.header import CertificateProblem
from assay.transition_system.interface import Opening
from assay.transition_system.language_options import LanguageOptions

MODEL = Path(__file__).parents[3] / "examples" / "philosophers.pml"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    file = tmp_path_factory.mktemp("walkers") / "philosophers.assay"
    assay.verify(MODEL, certificate=file, check_deadlock=False, defines=["SEATS=5"])
    with CertificateFile(file) as opened:
        yield opened


@pytest.fixture(scope="module")
def library(certificate):
    program = load_for(MODEL, certificate.header, LanguageOptions())
    yield program.opening.file
    del program  # its file lives as long


def work(name):
    return f"{task.__name__}:{name}"


def done(executor, tasks):
    return executor.run(work("run"), tasks, on_progress=lambda *_: None, on_done=lambda *_: None)


@pytest.fixture
def walkers(library):
    with LocalProcesses(2, kind=NativeWalkers(library)) as executor:
        yield executor


@pytest.fixture
def tasks(certificate, library, walkers):
    (needed,) = walkers.run(
        work("secret_bytes"), [Opening(library)], on_progress=lambda *_: None, on_done=lambda *_: None
    )
    secrets = products.draw(needed)

    def make(number, purpose="authenticate"):
        return [
            CertificationTask(
                opening=Opening(library),
                source=source,
                purpose=purpose,
                secrets=secrets,
                total_states=certificate.header.states,
                check_deadlock=False,
                moves=certificate.header.moves,
            )
            for source in frame_sources(certificate, number)
        ]

    return make


@pytest.mark.parametrize("purpose", ["authenticate", "trust"])
@pytest.mark.parametrize("number", [1, 3])
def test_a_walker_reports_what_the_same_walk_reports_here(walkers, tasks, certificate, purpose, number):
    here = [task.run(one, lambda _: None) for one in tasks(number, purpose)]
    there = done(walkers, tasks(number, purpose))
    assert [replace(report, seconds=0.0) for report in there] == [replace(one, seconds=0.0) for one in here]
    assert sum(report.states for report in there) == certificate.header.states == 392


def test_frames_that_are_sent_in_pieces_are_the_same_frames(monkeypatch, walkers, tasks):
    (whole,) = done(walkers, tasks(1))
    monkeypatch.setattr("assay.certification.walkers.LONGEST_PIECE", 0)  # as if every frame were large
    (in_pieces,) = done(walkers, tasks(1))
    assert replace(in_pieces, seconds=0.0) == replace(whole, seconds=0.0)


def with_frame(source: FrameSource, number: int, body: bytes, certificate: CertificateFile) -> FrameSource:
    """The same frames, one of them replaced by other bytes."""
    bodies = [certificate.frame_bytes(source.first + index) for index in range(len(source.records))]
    bodies[number] = body
    return replace(source, path="", bodies=tuple(bodies))


def test_a_frame_that_cannot_be_read_is_named(walkers, tasks, certificate):
    (whole,) = tasks(1)
    damaged = replace(whole, source=with_frame(whole.source, 2, b"damage", certificate))
    with pytest.raises(CertificateProblem, match="frame 2 is damaged"):
        done(walkers, [damaged])


def test_a_reference_out_of_range_is_named_with_its_frame(walkers, tasks):
    (whole,) = tasks(1)
    with pytest.raises(CertificateProblem, match=r"frame 0: entry \d+ of state \d+ refers to state"):
        done(walkers, [replace(whole, total_states=3)])


def test_a_walker_that_found_a_violation_ignores_the_rest_of_its_task(tasks, library):
    """Frames are still on their way then, and what follows them is the next task."""
    (whole,) = tasks(1)
    with LocalProcesses(1, kind=NativeWalkers(library)) as executor:
        violated, finished = done(executor, [replace(whole, check_deadlock=True), whole])
    assert violated.violation is not None
    assert violated.violation[0] == 0  # a deadlock
    assert violated.states < finished.states
    assert (finished.violation, finished.is_finished) == (None, True)


def test_a_violation_before_a_frame_that_cannot_be_read_is_the_answer(walkers, tasks, certificate):
    (whole,) = tasks(1)
    last = len(whole.source.records) - 1
    damaged = replace(whole, source=with_frame(whole.source, last, b"damage", certificate))
    (report,) = done(walkers, [replace(damaged, check_deadlock=True)])
    assert report.violation is not None


def test_too_few_secrets_are_refused(walkers, tasks):
    (whole,) = tasks(1)
    with pytest.raises(RuntimeError, match="too few secret bytes"):
        done(walkers, [replace(whole, secrets=b"")])


def test_a_walk_that_may_keep_nothing_runs_out_of_memory(walkers, tasks):
    (whole,) = tasks(1)
    with pytest.raises(MemoryError):
        done(walkers, [replace(whole, memory_limit_bytes=1)])


def test_a_library_that_is_none_is_told(tmp_path):
    no_library = tmp_path / "model.so"
    no_library.write_text("text")
    with (
        LocalProcesses(1, kind=NativeWalkers(str(no_library))) as executor,
        pytest.raises(RuntimeError, match="cannot open the compiled model"),
    ):
        executor.run(work("secret_bytes"), [""], on_progress=lambda *_: None, on_done=lambda *_: None)


def test_a_walk_needs_little_memory(walkers, tasks):
    """An interpreter alone would have more."""
    done(walkers, tasks(2))
    assert 1 << 18 < walkers.peak_memory_bytes < 6 << 20
