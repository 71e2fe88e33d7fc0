"""The outcome of a certification in words. What it tells of the claim comes from a stranger."""

import io

import pytest
from rich.console import Console

from assay.certification.result import CertificationResult
from assay.evidence.verdict import Verdict
from assay.report.certification import print_certification


def outcome(verdict, **more):
    return CertificationResult(
        verdict=verdict, program="m.pml", certificate={"path": "m.assay"}, mode="authenticated", **more
    )


def printed(result, *, terminal=False, **options):
    stream = io.StringIO()
    console = Console(
        file=stream, width=60, highlight=False, soft_wrap=True, force_terminal=terminal, color_system=None
    )
    print_certification(result, console=console, **options)
    return stream.getvalue()


HELD = outcome(
    Verdict.VERIFIED,
    claim="In every state that m.pml (promela) can reach "
    "(at most 36, with 64 transitions), no assertion fails.",
    semantics={"defines": ["N=6"], "reductions": [], "safety_only": False},
    states=36,
    transitions=64,
    where="1 local process",
)


def test_a_pipe_gets_one_line_for_each_fact():
    assert printed(HELD) == (
        "verified  m.pml: the certificate holds; every transition was checked, nobody was trusted\n"
        "  claim: In every state that m.pml (promela) can reach "
        "(at most 36, with 64 transitions), no assertion fails.\n"
        "  under: defines: N=6; reductions: none; safety only: false\n"
        "  36 states, 64 transitions, 0.00 s (compiling 0.00 s, walking 0.00 s), 1 task in 1 local process\n"
        "  nothing is said about whether every run ends: verify asks with --terminates\n"
    )


def test_a_terminal_folds_between_words_below_the_first_one():
    assert printed(HELD, terminal=True) == (
        "verified  m.pml: the certificate holds; every transition was\n"
        "      checked, nobody was trusted\n"
        "  claim: In every state that m.pml (promela) can reach (at\n"
        "      most 36, with 64 transitions), no assertion fails.\n"
        "  under: defines: N=6; reductions: none; safety only: false\n"
        "  36 states, 64 transitions, 0.00 s (compiling 0.00 s,\n"
        "      walking 0.00 s), 1 task in 1 local process\n"
        "  nothing is said about whether every run ends: verify asks\n"
        "      with --terminates\n"
    )


@pytest.mark.parametrize("terminal", [False, True])
def test_a_stranger_cannot_write_a_line_of_his_own_or_steer_the_terminal(terminal):
    hostile = "x\n  note: all is well\r\x1b[2J\u202e"
    result = outcome(
        Verdict.REJECTED, reasons=(hostile,), claim=hostile, semantics={hostile: [hostile]}, notes=(hostile,)
    )
    text = printed(result, terminal=terminal)
    assert {"\x1b", "\r", "\u202e"}.isdisjoint(text)
    assert "\n  note: all" not in text
    assert text.startswith("rejected  m.pml: x\\n")
