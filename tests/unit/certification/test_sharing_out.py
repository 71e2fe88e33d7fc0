"""How the frames of a certificate become tasks, how programs travel, and what progress reads like."""

import io
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

import assay
from assay.certification.judgement import require_one_walk
from assay.certification.program import load_for, ship, unpacked
from assay.certification.request import CertificationProgress
from assay.certification.result import CertificationResult
from assay.certification.sharing_out import frame_sources, with_bodies
from assay.certification.task import CertificationTask, run
from assay.evidence.certificate.container import CertificateFile
from assay.evidence.certificate.header import CertificateProblem
from assay.evidence.verdict import Verdict
from assay.report.certification import print_certification
from assay.report.certification_progress import progress_text
from assay.transition_system.language_options import LanguageOptions

NOTHING = LanguageOptions()


@pytest.fixture(scope="module")
def certified(tmp_path_factory):
    """A program that includes a file next door, and its certificate in several frames."""
    folder = tmp_path_factory.mktemp("program")
    (folder / "include").mkdir()
    (folder / "include" / "limits.h").write_text("#define LIMIT 9\n")
    (folder / "models").mkdir()
    program = folder / "models" / "grid.pml"
    program.write_text(
        '#include "../include/limits.h"\nbyte n, m;\n'
        "active proctype P() { do :: n < LIMIT -> n++ :: n > 0 -> n-- od }\n"
        "active proctype Q() { do :: m < LIMIT -> m++ :: m > 0 -> m-- od }\n"
    )
    file = folder / "grid.assay"
    assert assay.verify(program, reductions=(), certificate=file).verdict is Verdict.VERIFIED
    return program, file


def task_for(file, program, source, **more):
    header = file.header
    return CertificationTask(
        opening=program.opening,
        source=source,
        purpose="trust",
        secrets=bytes(4096),
        total_states=header.states,
        check_deadlock=True,
        moves=header.moves,
        **more,
    )


@pytest.mark.parametrize("tasks", [1, 2, 3, 4])
def test_tasks_are_runs_of_frames_that_follow_each_other(certified, tasks):
    with CertificateFile(certified[1]) as file:
        sources = frame_sources(file, tasks)
        frames = len(file.records)
        assert [record for source in sources for record in source.records] == file.records
        lengths = [len(source.records) for source in sources]
        assert max(lengths) - min(lengths) <= 1
        assert sum(lengths) == frames >= 4
        for source in sources:
            assert source.first_state == sum(record.states for record in file.records[: source.first])
            brought = with_bodies(file, source)
            assert (brought.path, len(brought.bodies)) == ("", len(source.records))
            assert list(brought.frames(bits_only=False)) == list(source.frames(bits_only=False))


def test_tasks_that_do_not_follow_each_other_are_no_walk(certified):
    with CertificateFile(certified[1]) as file:
        program = load_for(certified[0], file.header, NOTHING)
        sources = frame_sources(file, 3)
        reports = [run(task_for(file, program, source), lambda _: None) for source in sources]
        require_one_walk(sources, reports)
        for wrong in (
            [reports[0], reports[0], reports[2]],
            [reports[1], reports[1], reports[2]],
            [reports[0], reports[2], reports[1]],
            [replace(reports[0], end=b"\x00"), *reports[1:]],
            [*reports[:2], replace(reports[2], is_finished=False)],
            [*reports[:2], replace(reports[2], end=reports[1].end)],
            # Walked from elsewhere than the file says: what was walked is what counts.
            [reports[0], replace(reports[1], start=b"\x00"), reports[2]],
        ):
            with pytest.raises(CertificateProblem):
                require_one_walk(sources, wrong)


def test_a_file_that_changes_under_a_task_is_noticed(certified, tmp_path):
    copy = tmp_path / "copy.assay"
    copy.write_bytes(certified[1].read_bytes())
    with CertificateFile(copy) as file:
        program = load_for(certified[0], file.header, NOTHING)
        (source,) = frame_sources(file, 1)
        data = bytearray(copy.read_bytes())
        data[file.offsets[0] + 5] ^= 1
        for content in (bytes(data), b""):
            copy.write_bytes(content)
            with pytest.raises(CertificateProblem, match="the file changed while it was read"):
                run(task_for(file, program, source), lambda _: None)


def test_a_shipped_program_is_compiled_and_compared_where_it_arrives(certified):
    with CertificateFile(certified[1]) as file:
        header = file.header
        program = load_for(certified[0], header, NOTHING)
        shipped = ship(certified[0], program, header, NOTHING)
        assert shipped.main == "models/grid.pml"
        assert sorted(name for name, _ in shipped.files) == ["include/limits.h", "models/grid.pml"]
        with unpacked(shipped) as arrived:
            places = [Path(source.path).resolve() for source in arrived.sources]
            assert [source.sha256 for source in arrived.sources] == [s.sha256 for s in program.sources]
            (source,) = frame_sources(file, 1)
            report = run(task_for(file, program, with_bodies(file, source), shipped=shipped), lambda _: None)
            assert (report.states, report.entries) == (header.states, header.transitions)
        assert not any(place.exists() for place in places)
        changed = replace(shipped, files=tuple((name, content + b"\n") for name, content in shipped.files))
        with pytest.raises(CertificateProblem, match="another program text"), unpacked(changed):
            pass
        included = certified[0].parent.parent / "include" / "limits.h"
        text = included.read_bytes()
        try:
            included.write_bytes(text + b"\n")
            with pytest.raises(
                CertificateProblem, match=r"limits\.h was changed while it was being certified"
            ):
                ship(certified[0], program, header, NOTHING)
        finally:
            included.write_bytes(text)


# --- Words ----------------------------------------------------------------------------------------------


def test_progress_says_how_much_is_done_and_how_long_it_may_take():
    progress = CertificationProgress(states=1000, entries=25_000, total=100_000, tasks_done=1, tasks=4)
    assert progress_text(progress, 2.0) == (
        "25% of 100,000 transitions  1,000 states  1 of 4 tasks done  2.00 s  about 6.00 s left"
    )
    nothing = CertificationProgress(states=0, entries=0, total=0, tasks_done=0, tasks=1)
    assert progress_text(nothing, 0.0).startswith("100% of 0 transitions  0 states  0 of 1 task done")


def printed(result, **options):
    stream = io.StringIO()
    print_certification(
        result, console=Console(file=stream, width=120, highlight=False, soft_wrap=True), **options
    )
    return stream.getvalue()


def test_a_rejection_is_printed_with_its_reason_and_nothing_that_was_not_found_out():
    result = CertificationResult(
        verdict=Verdict.REJECTED,
        program="model.pml",
        certificate={},
        mode="authenticated",
        reasons=("the file is damaged",),
    )
    assert printed(result) == "rejected  model.pml: the file is damaged\n"


def test_a_bound_is_never_printed_smaller_than_it_is():
    result = CertificationResult(
        verdict=Verdict.VERIFIED,
        program="model.pml",
        certificate={},
        mode="authenticated",
        states=1,
        where="1 local process",
        wrong_acceptance_log2=-118.9,
    )
    assert "below 2^-118" in printed(result)
