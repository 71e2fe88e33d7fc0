"""Properties in the header of a certificate are a stranger's: they cost little, change nothing and deceive
nobody, or the certificate is rejected."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import assay
from assay import checker
from assay.cli.main import main
from assay.evidence.certificate.container import CertificateFile, CertificateWriter
from assay.evidence.certificate.header import Header, Properties
from assay.transition_system.expressions import Expression
from assay.transition_system.interface import SourceProblem

PROGRAMS = {
    "m.pml": "byte n;\nactive proctype P() { n = 1; n = 2 }\n",
    "p.py": (
        "import threading\nitems = []\nn = 0\ndef work():\n    global n\n    n += 1\n"
        "t = threading.Thread(target=work)\nt.start()\nt.join()\n"
    ),
    "c.py:Counter": (
        "class Counter:\n"
        "    def initial_states(self): return [0]\n"
        "    def enabled(self, n): return ['up'] if n < 3 else []\n"
        "    def step(self, n, action): return n + 1\n"
        "    def may_end(self, n): return True\n"
        "    def variables(self, n): return {'n': n, 'items': ITEMS, 'text': 'abc'}\n"
        "ITEMS = [1]\n"
    ),
}


@pytest.fixture(scope="module")
def honest(tmp_path_factory):
    """A folder with a program of each kind and its certificate."""
    folder = tmp_path_factory.mktemp("honest")
    for program, text in PROGRAMS.items():
        (folder / program.partition(":")[0]).write_text(text)
        result = assay.verify(
            f"{folder}/{program}", certificate=folder / f"{program[0]}.assay", reductions=()
        )
        assert result.verdict is assay.Verdict.VERIFIED
    return folder


def with_properties(folder: Path, program: str, *invariants: str) -> Path:
    """The certificate of a program, which claims more."""
    forged = folder / f"forged-{os.getpid()}.assay"
    forged.unlink(missing_ok=True)
    with CertificateFile(folder / f"{program[0]}.assay") as file:
        header = replace(file.header, properties=Properties(invariants=invariants))
        with CertificateWriter(forged, header) as writer:
            for frame in file.frames():
                writer.add(frame)
            writer.finish()
    return forged


def command(*arguments: object) -> int:
    with pytest.raises(SystemExit) as left:
        main([str(argument) for argument in arguments])
    assert isinstance(left.value.code, int)
    return left.value.code


def checkers_answer(program: str, certificate: Path) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", "assay.checker", program, str(certificate)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stderr == ""
    return done.returncode, done.stdout


def require_rejection(folder: Path, program: str, *invariants: str) -> str:
    certificate = with_properties(folder, program, *invariants)
    result = assay.certify(f"{folder}/{program}", certificate)
    assert result.verdict is assay.Verdict.REJECTED, result
    code, said = checkers_answer(f"{folder}/{program}", certificate)
    assert (code, said[:10]) == (4, "rejected: ")
    return result.reasons[0]


def test_what_holds_is_accepted(honest):
    for program, invariant in [("m.pml", "n <= 2"), ("p.py", "n <= 1"), ("c.py:Counter", "n <= 3")]:
        certificate = with_properties(honest, program, invariant)
        assert assay.certify(f"{honest}/{program}", certificate).verdict is assay.Verdict.VERIFIED
        assert checkers_answer(f"{honest}/{program}", certificate)[0] == 0


COSTLY = {
    "p.py": [
        "10**10**10 > 0",
        "sum(range(10**12)) > 0",
        "len('a' * 10**11) > 0",
        "len([0] * 10**10) > 0",
        "round(1, -10**9) == 0",
        "[0 for i in range(10**12)] != 3",
        "1 << 10**12",
        "'%1000000000000d' % 1 != ''",
    ],
    "c.py:Counter": [
        "('a' * 1000000000) != ''",
        "(1 << 10000000000) > 0",
        "(9 << 60000) * (9 << 60000) > 0",
        "'%1000000000d' % 1 != ''",
        "[n] * 100000000 != 0",
        "10**10**10 > 0",
        "[0 for i in text]",
        "not " * 500 + "n",
        "-" * 1500 + "n",
        "(" * 1500 + "n" + ")" * 1500,
        "(" * 150 + "n implies n" + ")" * 150,
        "+".join(["n"] * 1500),
    ],
    "m.pml": ["(" * 2000 + "n" + ")" * 2000, "+".join(["n"] * 2000) + " >", "n" * 4097],
}


@pytest.mark.parametrize(
    ("program", "invariant"),
    [(program, invariant) for program, invariants in COSTLY.items() for invariant in invariants],
    ids=lambda value: value[:40],
)
def test_what_costs_too_much_is_rejected(honest, program, invariant):
    require_rejection(honest, program, invariant)


@pytest.mark.parametrize(
    ("program", "invariant"),
    [
        ("p.py", "items.append(1) is None"),
        ("p.py", "items.clear() is None"),
        ("p.py", "[n := 3] == [3]"),
        ("p.py", "work() is None"),
        ("p.py", "threading.Thread(target=work).start() is None"),
        ("c.py:Counter", "items.append(1) is None"),
        ("c.py:Counter", "items.append"),
        ("c.py:Counter", "__import__('os').system('touch touched')"),
    ],
)
def test_what_changes_something_is_rejected(honest, program, invariant):
    if invariant == "items.append":  # says nothing, and does nothing: it is true
        certificate = with_properties(honest, program, invariant)
        assert assay.certify(f"{honest}/{program}", certificate).verdict is assay.Verdict.VERIFIED
        return
    require_rejection(honest, program, invariant)


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("invariant", ["nothing == 1", "n <", "n.x == 1", ""])
def test_what_cannot_be_evaluated_is_rejected(honest, program, invariant):
    if invariant:
        require_rejection(honest, program, invariant)
        return
    certificate = with_properties(honest, program, invariant)
    assert "empty" in assay.certify(f"{honest}/{program}", certificate).reasons[0]
    with pytest.raises(checker.Rejected, match="empty"):
        checker.check(Path(f"{honest}/{program}"), certificate)


def test_what_the_user_adds_and_cannot_be_evaluated_is_the_users_mistake(honest):
    with pytest.raises(SourceProblem, match="expected one of the variables"):
        assay.certify(honest / "c.py:Counter", honest / "c.assay", invariants=["nothing == 1"])


@pytest.mark.parametrize(
    ("program", "invariant"),
    [
        ("m.pml", "n >= 0 /* and there is no deadlock */"),
        ("m.pml", "n >= 0 // and there is no deadlock"),
        ("p.py", "n >= 0 # and there is no deadlock"),
        ("c.py:Counter", "n >= 0 # and there is no deadlock"),
        ("c.py:Counter", "(n >= 0 # and there is no deadlock\n)"),
    ],
)
def test_what_has_a_comment_is_rejected(honest, program, invariant):
    reason = require_rejection(honest, program, invariant)
    assert "comment" in reason or "no property" in reason


DECEIVING = [
    "n >= 0` holds in every state, `n == 77",
    "n >= 0\nverified  everything",
    "n >= 0\x1b[2K\x1b[1A",
    "n >= 0 or '\u202e'",
    "\u043f == 0",  # not the letter that it looks like
    'n >= 0", "n == 77',
]


@pytest.mark.parametrize("invariant", DECEIVING, ids=ascii)
def test_a_claim_shows_where_a_property_begins_and_ends(honest, invariant, capsys):
    certificate = with_properties(honest, "c.py:Counter", invariant)
    command("inspect", certificate)
    claim = capsys.readouterr().out.splitlines()[0]
    assert claim.isascii()
    _, begin, rest = claim.partition("no state is a deadlock, ")
    assert begin
    mark = rest[0]
    assert mark in '"`'
    shown = rest[1 : rest.rindex(f"{mark} holds in every state.")]
    assert "`" not in shown if mark == "`" else '"' not in shown.replace('\\"', "")


@pytest.mark.parametrize("name", ["a b.pml", "x.pml can reach nothing; y.pml", "ä.pml", "\u202elmp.x"])
def test_a_claim_shows_where_a_name_begins_and_ends(name):
    claim = Header.claim.fget(  # type: ignore[attr-defined]
        Header(program=name, language="promela", sources=(), states=1, transitions=0, depth=0, frames=1)
    )
    assert claim.isascii()
    assert claim.startswith('In every state that "')


def test_macros_are_told_apart(honest):
    result = assay.certify(honest / "m.pml", honest / "m.assay", defines=["A=1, B", "C"])
    assert 'with the macros "A=1, B", C; ' in result.reasons[0]


def test_expressions_are_what_they_were():
    for text in ("x * 3 == 6 and 2 << 3 == 16", "7 % 4 == 3", "'#' != text", "x == 2 implies not (x > 2)"):
        assert Expression(text, option="--invariant").holds({"x": 2, "text": "abc"})
