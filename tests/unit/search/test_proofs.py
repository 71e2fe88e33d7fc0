"""Proofs by invariant: found, written down, checked by two solvers, and forged in every way we could think
of."""

from __future__ import annotations

import copy
import json
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

import assay
from assay import languages
from assay.certification.invariants import checked
from assay.checker import Rejected, Undecided
from assay.checker.invariant_file import read_invariant_file
from assay.checker.invariants import check_invariant, read_conjunctions
from assay.checker.program import check
from assay.evidence.certificate.container import PREAMBLE
from assay.evidence.certificate.header import CertificateProblem
from assay.evidence.certificate.invariant_file import InvariantFile, file_of
from assay.evidence.inductive.invariant import InductiveInvariant, NoInvariant
from assay.evidence.inductive.obligations import initial_problem
from assay.evidence.verdict import Verdict
from assay.search.proofs.proving import prove
from assay.transition_system.interface import SourceProblem
from assay.transition_system.language_options import LanguageOptions, OptionProblem
from assay.transition_system.terms import FALSE, MOST_NODES, NoTerm, Number, apply, from_json

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
INFINITE = EXAMPLES / "infinite" / "programs.py"
NAMES = re.findall(r"^class (\w+)", INFINITE.read_text(), re.MULTILINE)
PROTOCOLS = EXAMPLES / "infinite" / "protocols.py"  # of which `python -m benchmarks.infinite` tries all
UNSEEN = EXAMPLES / "infinite" / "unseen.py"  # likewise
UNKNOWN_TO_CVC5 = {"SumToAnyNExactly"}  # an equation of second degree

COUNTER = """
byte x;
active proctype P() {
  do
  :: x < 10 -> x++
  :: x == 10 -> x = 0
  od
}
"""
WRAPS = """
byte x;
active proctype P() {
  do
  :: x++; assert(x > 0)
  od
}
"""


@pytest.fixture
def counter(tmp_path):
    path = tmp_path / "counter.pml"
    path.write_text(COUNTER)
    return path


def certified(path, tmp_path, **options):
    certificate = tmp_path / "proof.assay"
    result = assay.verify(path, search="invariants", certificate=certificate, timeout_seconds=120, **options)
    assert result.verdict == "verified"
    assert result.proof is not None
    assert not result.complete  # not every state was visited
    return certificate


# --- infinite programs ---


@pytest.mark.parametrize(
    ("file", "name"),
    [
        *((INFINITE, name) for name in NAMES),
        (PROTOCOLS, "Fischer"),  # bounds that hold for one value of a variable
        (PROTOCOLS, "FischerWrong"),
        (PROTOCOLS, "Retransmission"),  # or where a comparison holds
        (PROTOCOLS, "MaxOfThree"),  # a property as it stands
        (UNSEEN, "AlternatingParity"),
        (UNSEEN, "AlternatingParityWrong"),
    ],
)
def test_programs_with_infinitely_many_states_are_decided(file, name, tmp_path):
    certificate = tmp_path / "proof.assay"
    program = f"{file}:{name}"
    result = assay.verify(program, search="invariants", certificate=certificate, timeout_seconds=120)
    if name.endswith("Wrong"):
        assert result.verdict == "violated"
        assert result.violations[0].counterexample is not None
        return
    assert result.verdict == "verified"
    assert assay.certify(program, certificate).verdict == "verified"
    if name not in UNKNOWN_TO_CVC5:  # which looks for minutes
        assert check(Path(program), certificate).obligations > 1


def test_what_a_comparison_leaves_over_is_bounded_with_a_third_variable():
    """sent + tokens <= 2 * ticks + 8, from data alone."""
    system = languages.load(Path(f"{UNSEEN}:TokenBucket"), LanguageOptions()).symbolic()
    found = prove(system, check_deadlock=True, deadline=time.monotonic() + 60, with_spacer=False)
    assert found.source == "data"
    assert initial_problem(system, found.invariant) == ""


# --- the verdict ---


def test_the_headline_says_that_it_is_a_proof(counter):
    from assay.report.console import make_console, print_result

    result = assay.verify(counter, search="invariants", invariants=["x <= 10"])
    console = make_console()
    with console.capture() as captured:
        print_result(result, console=console)
    assert "proved by an invariant" in captured.get()
    assert "visited" not in captured.get()
    standings = {(one.kind, one.text): str(one.standing) for one in result.properties}
    assert standings["invariant", "x <= 10"] == "holds"
    assert standings["deadlock", "no state is a deadlock"] == "holds"


def test_overflow_is_part_of_the_meaning(tmp_path):
    """Over integers without end x > 0 would be invariant."""
    path = tmp_path / "wraps.pml"
    path.write_text(WRAPS)
    result = assay.verify(path, search="invariants")
    assert result.verdict == "violated"
    assert "assert" in result.violations[0].message


def test_deadlock_is_proved_unless_it_is_left_out(tmp_path):
    path = tmp_path / "stops.pml"
    path.write_text("byte x;\nactive proctype P() { x < 3 -> x++; x == 7 }\n")
    assert assay.verify(path, search="invariants").verdict == "violated"
    result = assay.verify(path, search="invariants", check_deadlock=False)
    assert result.verdict == "verified"
    assert {str(one.standing) for one in result.properties if one.kind == "deadlock"} == {"not asked"}


def test_a_certificate_without_deadlock_freedom_is_refused_by_who_wants_it(tmp_path):
    path = tmp_path / "stops.pml"
    path.write_text("byte x;\nactive proctype P() { x < 3 -> x++; x == 7 }\n")
    certificate = certified(path, tmp_path, check_deadlock=False)
    assert assay.certify(path, certificate).verdict == "rejected"
    assert assay.certify(path, certificate, require_deadlock_freedom=False).verdict == "verified"


@pytest.mark.parametrize("search", ["invariants", "bfs", "min-only"])
def test_what_a_certificate_leaves_out_is_told_by_everybody(search, tmp_path):
    """A claim about runs may be left out by who verifies, and by who certifies; nobody does so silently."""
    path = tmp_path / "claims.pml"
    path.write_text(COUNTER + "ltl live { <> (x == 3) }\n")
    certificate = tmp_path / "proof.assay"
    result = assay.verify(path, search=search, safety=True, certificate=certificate, timeout_seconds=60)
    assert result.verdict == "verified"
    if search == "min-only":  # one to one, which is no proof by invariant
        assert not certificate.exists()
        return
    refused = assay.certify(path, certificate)
    assert (refused.verdict, "say --safety" in refused.reasons[0]) == ("rejected", True)
    accepted = assay.certify(path, certificate, safety=True)
    assert accepted.verdict == "verified"
    assert any("live" in note for note in accepted.notes)
    assert any("live" in note for note in check(path, certificate).notes)


def test_a_class_says_what_safety_leaves_out(tmp_path):
    path = tmp_path / "live.py"
    path.write_text(
        "from assay.guarded import GuardedProgram, step\n"
        "from assay.temporal import eventually\n\n\n"
        "class Live(GuardedProgram):\n"
        "    variables = {'x': 'integer'}\n"
        "    processes = {'P': [step('go', 'go', then={'x': 'x + 1'})]}\n"
        "    always = {'positive': 'x >= 0'}\n"
        "    properties = {'big': eventually(lambda state: state[1] > 3)}\n"
    )
    certificate = tmp_path / "proof.assay"
    result = assay.verify(f"{path}:Live", search="invariants", safety=True, certificate=certificate)
    assert result.verdict == "verified"
    assert ("claim", "the property 'big'") in [(one.kind, one.text) for one in result.properties]
    assert any("big" in note for note in check(Path(f"{path}:Live"), certificate).notes)


def test_auto_answers_with_whoever_is_first(counter):
    assert assay.verify(counter, search="auto").verdict == "verified"
    infinite = assay.verify(f"{INFINITE}:TicketLock", search="auto", timeout_seconds=120)
    assert infinite.verdict == "verified"
    assert infinite.proof is not None


def test_auto_searches_what_has_no_symbolic_form(tmp_path):
    path = tmp_path / "travelling.pml"
    path.write_text("chan c = [1] of { byte };\nactive proctype P() { chan d = c; d!1; c?1 }\n")
    result = assay.verify(path, search="auto")
    assert result.verdict == "verified"
    assert any("no proof was looked for" in note for note in result.notes)


def test_a_python_program_is_refused(tmp_path):
    path = tmp_path / "program.py"
    path.write_text("x = 1\n")
    with pytest.raises(SourceProblem, match="symbolic form"):
        assay.verify(path, search="invariants")


def test_step_invariants_are_refused(counter):
    for search in ("invariants", "packed"):
        with pytest.raises(SourceProblem, match=r"step invariant.*; --search bfs"):
            assay.verify(counter, search=search, step_invariants=["next.x >= 0"])


def test_lossy_storage_is_refused(counter):
    with pytest.raises(OptionProblem):
        assay.verify(counter, search="invariants", storage="fingerprint")


# --- forgeries ---


def forged(certificate: Path, change) -> Path:
    """The same file with another invariant or header, and lengths and digests that fit."""
    content = certificate.read_bytes()
    file = InvariantFile(certificate)
    _, _, length = PREAMBLE.unpack_from(content)
    header = json.loads(content[PREAMBLE.size : PREAMBLE.size + length])
    body = copy.deepcopy(file.invariant())
    change(header, body)
    text = json.dumps(body, sort_keys=True, separators=(",", ":")).encode()
    header["bytes"] = len(text)
    header["locations"] = len(body["locations"])
    header["conjuncts"] = sum(len(one["holds"]) for one in body["locations"])
    header["claim"] = re.sub(
        r"of [\d,]+ conjuncts at [\d,]+ locations",
        f"of {header['conjuncts']:,} conjuncts at {header['locations']:,} locations",
        header["claim"],
    )
    written = json.dumps(header, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    path = certificate.with_name("forged.assay")
    path.write_bytes(file_of(written, text))
    return path


def both_reject(program: Path, certificate: Path, about: str = "") -> str:
    result = assay.certify(program, certificate)
    assert result.verdict == "rejected", result.reasons
    with pytest.raises((Rejected, Undecided)):
        check(program, certificate)
    assert re.search(about, result.reasons[0]), result.reasons[0]
    return result.reasons[0]


def test_an_untouched_copy_is_accepted(counter, tmp_path):
    certificate = certified(counter, tmp_path, invariants=["x <= 10"])
    same = forged(certificate, lambda _header, _body: None)
    assert assay.certify(counter, same).verdict == "verified"
    assert check(counter, same).obligations > 1


def test_a_weakened_invariant_is_rejected_with_a_state_that_breaks_it(counter, tmp_path):
    certificate = certified(counter, tmp_path, invariants=["x <= 10"])

    def weaken(_header, body):
        for one in body["locations"]:
            one["holds"] = [["<=", "x", 20]]

    said = both_reject(counter, forged(certificate, weaken), "obligation")
    assert re.search(r"the invariant allows x = \d+", said)


def test_an_empty_invariant_is_rejected(counter, tmp_path):
    certificate = certified(counter, tmp_path, invariants=["x <= 10"])

    def forget(_header, body):
        for one in body["locations"]:
            one["holds"] = []

    both_reject(counter, forged(certificate, forget), "failure obligation of x <= 10")


def test_a_strengthened_invariant_is_rejected(counter, tmp_path):
    certificate = certified(counter, tmp_path, invariants=["x <= 10"])

    def strengthen(_header, body):
        for one in body["locations"]:
            one["holds"] = [["<=", "x", 5]]

    both_reject(counter, forged(certificate, strengthen), "step obligation|state that can be reached")


def test_false_everywhere_but_at_the_beginning_is_rejected(counter, tmp_path):
    certificate = certified(counter, tmp_path)

    def nowhere(_header, body):
        body["locations"] = [body["locations"][0]]
        body["locations"][0]["holds"] = [["==", "x", 0]]

    both_reject(counter, forged(certificate, nowhere))


def test_an_invariant_that_the_initial_state_breaks_is_rejected(counter, tmp_path):
    certificate = certified(counter, tmp_path)

    def contradict(_header, body):
        for one in body["locations"]:
            one["holds"] = [False]

    both_reject(counter, forged(certificate, contradict), "initial")


def test_a_location_left_out_is_rejected(tmp_path):
    program = EXAMPLES / "peterson.pml"
    certificate = certified(program, tmp_path)
    for left_out in (0, 5, -1):

        def leave_out(_header, body, number=left_out):
            del body["locations"][number]

        both_reject(program, forged(certificate, leave_out))


def test_conjunctions_at_other_locations_are_rejected(tmp_path):
    program = EXAMPLES / "peterson.pml"
    certificate = certified(program, tmp_path, invariants=["inside <= 1"])

    def exchange(_header, body):
        places = [one["at"] for one in body["locations"]]
        for one, at in zip(body["locations"], places[1:] + places[:1], strict=True):
            one["at"] = at
        body["locations"].sort(key=lambda one: one["at"])

    both_reject(program, forged(certificate, exchange))


def test_locations_that_are_none_are_rejected(counter, tmp_path):
    certificate = certified(counter, tmp_path)
    for at in ([99, 0], [1], [True, 0], "here", [1.0, 0]):

        def misplace(_header, body, value=at):
            body["locations"][0]["at"] = value

        with pytest.raises((Rejected, Undecided)):
            check(counter, forged(certificate, misplace))
        assert assay.certify(counter, forged(certificate, misplace)).verdict == "rejected"


def test_another_program_is_rejected(counter, tmp_path):
    certificate = certified(counter, tmp_path, invariants=["x <= 10"])
    other = tmp_path / "other.pml"
    other.write_text(COUNTER.replace("x < 10", "x < 200"))
    both_reject(other, certificate, "another program text")


def test_another_program_is_rejected_even_if_the_header_is_made_to_fit(counter, tmp_path):
    import hashlib

    certificate = certified(counter, tmp_path, invariants=["x <= 10"])
    other = tmp_path / "other.pml"
    other.write_text(COUNTER.replace("x < 10", "x < 200"))

    def adopt(header, _body):
        header["sources"][0]["sha256"] = hashlib.sha256(other.read_bytes()).hexdigest()

    both_reject(other, forged(certificate, adopt), "obligation|state that can be reached")


@pytest.mark.parametrize(
    "change",
    [
        {"language": "Promela with integers without end"},
        {"reductions": ["partial-order"]},
        {"arithmetic": "division rounds down"},
    ],
)
def test_other_semantics_are_rejected(counter, tmp_path, change):
    certificate = certified(counter, tmp_path)
    both_reject(counter, forged(certificate, lambda header, _: header["semantics"].update(change)))


def test_an_invariant_that_needs_integers_without_end_is_rejected(tmp_path):
    """x >= 1 would be kept by x++ if a byte had no end."""
    path = tmp_path / "wraps.pml"
    path.write_text("byte x = 1;\nactive proctype P() { do :: x++ od }\n")
    certificate = certified(path, tmp_path)

    def unbounded(header, body):
        header["properties"]["invariants"] = ["x > 0"]
        header["claim"] = header["claim"].replace(
            "no state is a deadlock.", "no state is a deadlock, `x > 0` holds in every state."
        )
        for one in body["locations"]:
            one["holds"] = [[">=", "x", 1]]

    said = both_reject(path, forged(certificate, unbounded), "step obligation|state that can be reached")
    assert re.search(r"x = (255|0)\b", said)


def test_an_invariant_that_needs_another_division_is_rejected(tmp_path):
    """C divides towards zero: -1 / 2 is 0, and not -1."""
    path = tmp_path / "divides.pml"
    path.write_text(
        "int x = -1;\nint y;\nactive proctype P() { do :: x < 0 -> y = x / 2 :: true -> y = 0 - 1 od }\n"
    )
    certificate = certified(path, tmp_path)

    def rounded_down(header, body):
        header["properties"]["invariants"] = ["y <= 0"]
        header["claim"] = header["claim"].replace(
            "no state is a deadlock.", "no state is a deadlock, `y <= 0` holds in every state."
        )
        for one in body["locations"]:
            one["holds"] = [["==", "x", -1], ["or", ["==", "y", -1], ["==", "y", 5]]]

    both_reject(path, forged(certificate, rounded_down))


def test_a_claim_that_its_facts_do_not_make_is_rejected(counter, tmp_path):
    certificate = certified(counter, tmp_path)

    def boast(header, _body):
        header["claim"] = header["claim"].replace("no assertion fails", "everything is fine")

    both_reject(counter, forged(certificate, boast), "canonical")


def test_claims_about_steps_are_rejected(counter, tmp_path):
    certificate = certified(counter, tmp_path)

    def add_a_step_invariant(header, _body):
        header["properties"]["step_invariants"] = ["next.x > x"]

    both_reject(counter, forged(certificate, add_a_step_invariant))


@pytest.mark.parametrize(
    "term",
    [
        ["<=", "y", 3],
        ["<=", "x"],
        ["<=", "x", True],
        ["and"],
        ["exec", "x", 1],
        "x",
        3,
        None,
        {"x": 1},
        ["<=", ["int", 500, "x"], 3],
        ["<=", "x", 2**300],
        ["if", True, "x", ["<", "x", 1]],
    ],
)
def test_what_is_no_condition_is_rejected(counter, tmp_path, term):
    certificate = certified(counter, tmp_path)

    def put(_header, body):
        body["locations"][0]["holds"] = [term]

    both_reject(counter, forged(certificate, put))


def test_terms_of_strangers_have_a_size(counter):
    system = program_of(counter).symbolic()
    deep = "x"
    for _ in range(2000):
        deep = ["neg", deep]
    with pytest.raises(NoTerm):
        from_json(["<=", deep, 1], system.by_name)
    wide = ["and", *([["<=", "x", 1]] * (MOST_NODES // 2))]
    with pytest.raises(NoTerm):
        from_json(wide, system.by_name)


def test_damaged_files_are_rejected(counter, tmp_path):
    certificate = certified(counter, tmp_path)
    content = certificate.read_bytes()
    path = tmp_path / "damaged.assay"
    for damaged in (content[:-1], content[:60], content + b"x", content[:40] + b"\0" + content[41:]):
        path.write_bytes(damaged)
        assert assay.certify(counter, path).verdict == "rejected"
        with pytest.raises(Rejected):
            check(counter, path)


def test_an_invariant_that_does_not_exclude_what_was_added_says_so(counter, tmp_path):
    certificate = certified(counter, tmp_path)
    result = assay.certify(counter, certificate, invariants=["x <= 3"])
    assert result.verdict in {"incomplete", "rejected"}
    assert result.verdict != "verified"


def test_a_class_that_does_not_do_what_it_declares_is_refused(tmp_path):
    path = tmp_path / "liar.py"
    path.write_text(
        "from assay.guarded import GuardedProgram, step\n"
        "class Liar(GuardedProgram):\n"
        "    variables = {'x': 'uint8'}\n"
        "    processes = {'P': [step('go', 'go', then={'x': '0'})]}\n"
        "    always = {'small': 'x < 3'}\n"
        "    def step(self, state, action):\n"
        "        return (0, 7)\n"
    )
    with pytest.raises(SourceProblem, match="its own step"):
        assay.verify(f"{path}:Liar", search="invariants")


def test_the_plain_checker_says_it_in_one_line(counter, tmp_path):
    certificate = certified(counter, tmp_path, invariants=["x <= 10"])
    done = subprocess.run(
        [sys.executable, "-m", "assay.checker", counter, certificate],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert re.match(r"accepted: .*obligations.*cvc5", done.stdout)


def test_both_readers_have_the_same_conjunctions(counter, tmp_path):
    certificate = certified(counter, tmp_path, invariants=["x <= 10"])
    program = program_of(counter, invariants=("x <= 10",))
    system = program.symbolic()
    header, written = read_invariant_file(certificate.read_bytes())
    ours = InductiveInvariant.from_json(InvariantFile(certificate).invariant(), system)
    assert {at: tuple(holds) for at, holds in read_conjunctions(written, system).items()} == ours.conjuncts
    assert checked(system, ours, deadlock=True)[1] is Verdict.VERIFIED
    assert check_invariant(program, header, written).obligations > 1


def test_an_invariant_is_of_its_own_program(counter):
    system = program_of(counter).symbolic()
    with pytest.raises(NoInvariant):
        InductiveInvariant.from_json({"controls": ["Q"], "locations": []}, system)
    assert apply("<", Number(1), Number(1)) == FALSE
    assert issubclass(CertificateProblem, Exception)


def program_of(path, **options):
    from assay import languages
    from assay.transition_system.language_options import LanguageOptions

    return languages.load(path, LanguageOptions(**options))
