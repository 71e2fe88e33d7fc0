"""A program that crashes, hangs or eats memory while it is certified gives a verdict, not a crash.

The certificates are those of a well-behaved counter; their headers are made to name the text of another.
"""

import json
import os
import signal
import threading
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

import assay
from assay.cli import main as cli
from assay.evidence.certificate.container import CertificateFile, CertificateWriter
from assay.evidence.certificate.header import Source
from assay.evidence.verdict import Verdict


@pytest.fixture
def certified(tmp_path, counter_language):
    """Writes a program of these macros, with a certificate that was made for none of them."""
    honest = tmp_path / "honest" / "model.counter"
    honest.parent.mkdir()
    honest.write_text("")
    result = assay.verify(honest, certificate=tmp_path / "honest.assay")
    assert (result.verdict, result.states, result.transitions) == (Verdict.VERIFIED, 11, 20)

    def write(text):
        program, file = tmp_path / "model.counter", tmp_path / "model.assay"
        program.write_text(text)
        source = Source("model.counter", sha256(text.encode()).hexdigest())
        with CertificateFile(tmp_path / "honest.assay") as certificate:
            header = replace(certificate.header, sources=(source,))
            with CertificateWriter(file, header) as writer:
                for frame in certificate.frames():
                    writer.add(frame)
                writer.finish()
        return program, file

    return write


def test_the_certificate_holds_for_a_counter_that_behaves(certified):
    result = assay.certify(*certified("SLOW_MICROSECONDS=1"))
    assert (result.verdict, result.states, result.transitions) == (Verdict.VERIFIED, 11, 20)


@pytest.mark.parametrize("mode", ["authenticated", "explained", "trusted"])
@pytest.mark.parametrize(("macro", "signal_name"), [("CRASH_AT=5", "SIGABRT"), ("SEGFAULT_AT=5", "SIGSEGV")])
def test_a_program_that_crashes_is_incomplete(certified, mode, macro, signal_name):
    result = assay.certify(*certified(macro), mode=mode, trust_unsigned=True)
    assert (result.verdict, result.complete) == (Verdict.INCOMPLETE, False)
    assert result.reasons == (
        f"the process that did task 0 died: it crashed with {signal_name} (tried 3 times)",
    )


def test_the_command_tells_of_a_crash_in_one_object(certified, capfd):
    before = signal.getsignal(signal.SIGTERM)
    try:
        with pytest.raises(SystemExit) as leaving:
            cli.main(["certify", *map(str, certified("CRASH_AT=5")), "--json"])
    finally:
        signal.signal(signal.SIGTERM, before)
    output, errors = capfd.readouterr()
    assert (leaving.value.code, errors) == (3, "")
    assert json.loads(output)["verdict"] == "incomplete"


def test_a_program_that_hangs_is_ended_at_the_time_limit(certified):
    subject = certified("HANG_AT=5")
    for seconds in (2.0, 16.0, 128.0):  # until the machine is fast enough to begin
        result = assay.certify(*subject, timeout_seconds=seconds)
        assert result.verdict is Verdict.INCOMPLETE
        assert result.seconds > seconds
        if "tasks" in result.reasons[0]:
            break
    assert result.reasons == ("time ran out when 0 of 1 tasks were done",)


def test_an_interrupt_ends_a_program_that_hangs_and_leaves_no_process(certified):
    children = Path(f"/proc/self/task/{os.getpid()}/children")
    before = children.read_text()
    timer = threading.Timer(1.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        assay.certify(*certified("HANG_AT=5"))
    timer.join()
    assert children.read_text() == before


def test_a_program_that_eats_memory_is_ended_at_the_limit(certified):
    result = assay.certify(*certified("EAT_AT=5"), memory_limit_bytes=64 << 20)
    assert result.verdict is Verdict.INCOMPLETE
    assert result.reasons == (
        "the process that did task 0 died: it had grown past the memory limit of 128 MiB",
    )


@pytest.mark.parametrize(
    ("macro", "reason"),
    [
        ("FAIL_AT=5", "the program violates what the certificate claims: assertion 7 failed"),
        (
            "FAIL_AT=5 FAIL_WITHOUT_STATE",
            "the program violates what the certificate claims: assertion 7 failed",
        ),
        ("FAIL_AT_START", "the program violates what the certificate claims: assertion 7 failed"),
    ],
)
@pytest.mark.parametrize("mode", ["authenticated", "explained"])
def test_a_program_that_violates_the_claim_makes_the_certificate_rejected(certified, macro, reason, mode):
    result = assay.certify(*certified(macro), mode=mode)
    assert (result.verdict, result.reasons) == (Verdict.REJECTED, (reason,))
    (violation,) = result.violations
    assert violation.counterexample is not None


@pytest.mark.parametrize("macro", ["LAST=9", "LAST=11", "STOP_AT_LAST", "LAST=100"])
@pytest.mark.parametrize("mode", ["authenticated", "explained", "trusted"])
def test_a_program_with_other_steps_makes_the_certificate_rejected(certified, macro, mode):
    result = assay.certify(*certified(macro), mode=mode, trust_unsigned=True)
    assert result.verdict is Verdict.REJECTED
    assert len(result.reasons) == 1
