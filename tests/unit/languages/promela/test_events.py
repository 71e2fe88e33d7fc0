"""`trace` and `notrace`: what is an event, what matches, what is said, and what is refused."""

from __future__ import annotations

import json

import pytest

import assay
from assay import checker
from assay.evidence.verdict import Verdict
from assay.languages.promela import program
from assay.languages.promela.layout import GLOBAL_HEADER, GLOBAL_HEADER_WITH_EVENTS
from assay.report.console import print_result
from assay.transition_system.interface import SourceProblem
from assay.transition_system.language_options import LanguageOptions

CHANNELS = """mtype = { one, two };
chan q = [2] of { mtype, byte }; chan r = [0] of { byte }; chan a[3] = [1] of { byte }; chan spare;
byte x, y;
"""
SENDER = "active proctype sender() { q!one,1; q!two,2 }\n"


@pytest.fixture
def verify(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(text, **options):
        model = tmp_path / "model.pml"
        model.write_text(CHANNELS + text)
        return assay.verify(model, **options)

    return run


def standing(result, kind="trace"):
    (found,) = [one for one in result.properties if one.kind == kind]
    return str(found.standing)


def kinds(result):
    return sorted(violation.kind for violation in result.violations)


@pytest.mark.parametrize(
    "body",
    [
        "q!one,1; q!two,2",
        "q!one; q!two",
        "q!_,1; q!_,1 + 1",
        "do :: q!one :: q!two -> break od",
        "if :: q!two,1 :: q!one,1 fi; q!two",
        "again: q!one,_; if :: q!one -> goto again :: q!two fi",
        "end: do :: q!_ od",
        "end: q?_",  # sends are not its events
    ],
)
def test_what_matches(verify, body):
    result = verify(f"{SENDER}trace {{ {body} }}")
    assert result.verdict is Verdict.VERIFIED
    assert standing(result) == "holds"


@pytest.mark.parametrize(
    "body", ["q!one,2; q!two,2", "q!two", "q!one", "q!one,257; q!two", "do :: q!one od", "r!1; q!_"]
)
def test_what_does_not_match(verify, body):
    result = verify(f"{SENDER}trace {{ {body} }}", all_errors=True)
    assert result.verdict is Verdict.VIOLATED
    assert standing(result) == "violated"


def test_the_violation_names_the_event_and_what_was_expected(verify, capsys):
    result = verify(SENDER + "trace {\n  q!one;\n  if\n  :: q!one,_\n  :: q!two,3\n  fi\n}")
    (violation,) = result.violations
    assert violation.kind == "trace"
    assert violation.message == (
        "q!two,2 does not follow the trace, which expects q!one,_ (line 8) or q!two,3 (line 9)"
    )
    run = violation.counterexample
    assert (run.violation.line, run.steps[-1].text) == (4, "q!two,2")
    assert run.initial["trace"] == "(q!one)"
    (change,) = [each for each in run.steps[0].changes if each.name == "trace"]
    assert (change.before, change.after) == ("(q!one)", "(q!one,_) or (q!two,3)")
    print_result(result)
    assert "trace: (q!one) -> (q!one,_) or (q!two,3)" in " ".join(capsys.readouterr().out.split())


def test_behind_the_end_of_a_trace_there_is_no_event(verify):
    (violation,) = verify(SENDER + "trace { q!one }").violations
    assert violation.message == "q!two,2 does not follow the trace, which expects nothing more"


def test_more_than_one_match_is_a_fault_of_the_trace(verify):
    (violation,) = verify(SENDER + "trace { if :: q!one,1 :: q!_,1 fi; q!two }").violations
    assert violation.message == (
        "q!one,1 matches more than one event of the trace, which must be deterministic: "
        "q!one,1 (line 5) or q!_,1 (line 5)"
    )


def test_a_notrace_is_violated_by_all_of_it(verify):
    result = verify(SENDER + "notrace { q!one; q!two }")
    (violation,) = result.violations
    assert (violation.kind, violation.message) == ("notrace", "q!two,2 completes the notrace of line 5")
    assert standing(result, "notrace") == "violated"


@pytest.mark.parametrize("body", ["q!one; q!one", "q!two", "q!one; q!two; q!one", "do :: q!_ od"])
def test_a_notrace_holds_where_something_else_or_nothing_comes(verify, body):
    result = verify(SENDER + f"notrace {{ {body} }}")
    assert result.verdict is Verdict.VERIFIED
    assert standing(result, "notrace") == "holds"


def test_a_rendezvous_is_a_send_and_then_a_receive(verify):
    processes = "active proctype s() { r!3 }\nactive proctype t() { r?x }\n"
    assert verify(processes + "trace { r!3; r?3 }").verdict is Verdict.VERIFIED
    (violation,) = verify(processes + "trace { r?3; r!3 }").violations
    assert violation.message.startswith("r!3 does not follow")
    (violation,) = verify(processes + "trace { r!3; r?4 }").violations
    assert violation.message.startswith("r?x does not follow")


def test_what_one_step_does_is_several_events(verify):
    for block in ("atomic", "d_step"):
        step = f"active proctype s() {{ {block} {{ q!one,1; q!two,2; q?_,x; q?_,x }} }}\n"
        assert verify(step + "trace { q!one; q!two; q?one; q?two }").verdict is Verdict.VERIFIED
        (violation,) = verify(step + "trace { q!one; q!two; q?two; q?one }").violations
        assert violation.message == "q?_,x does not follow the trace, which expects q?two (line 5)"


def test_of_two_faults_in_one_step_the_first_is_reported(verify):
    first = "active proctype s() { atomic { q!two,1; assert(false) } }\ntrace { q!one }"
    assert kinds(verify(first)) == ["trace"]
    second = "active proctype s() { atomic { assert(false); q!two,1 } }\ntrace { q!one }"
    assert kinds(verify(second)) == ["assertion"]


def test_a_channel_is_known_whatever_it_is_called(verify):
    handed_on = "proctype s(chan c) { c!4 }\ninit { run s(a[1]) }\n"
    assert verify(handed_on + "trace { a[1]!4 }").verdict is Verdict.VERIFIED
    assert kinds(verify(handed_on + "trace { a[1]!5 }")) == ["trace"]
    assert verify(handed_on + "trace { end: a[2]!5 }").verdict is Verdict.VERIFIED
    chosen = "active proctype s() { x = 1; a[x]!4; a[x]?x; a[y]!4 }\n"
    assert verify(chosen + "trace { a[1]!4; a[1]?4 }").verdict is Verdict.VERIFIED
    assert verify(chosen + "trace { a[1]!4; a[0]!4 }").verdict is Verdict.VERIFIED


def test_looking_at_a_message_is_no_event(verify):
    text = "active proctype s() { q!one,1; q?[one,_]; q?<_,x>; q?_,_ }\ntrace { q?one }"
    assert verify(text).verdict is Verdict.VERIFIED


def test_a_trace_that_is_not_completed_waits(verify):
    result = verify("active proctype s() { q!one,1 }\ntrace { q!one; q!two }")
    (violation,) = result.violations
    assert violation.kind == "deadlock"
    (waiting,) = violation.counterexample.waiting
    assert (waiting.process, waiting.line, waiting.text) == ("the trace", 5, "q!two")
    assert standing(result) in {"holds", "not decided"}


def test_labels_of_a_trace_count_like_those_of_processes(verify):
    loop = "active proctype s() { do :: q!one,1; q?_,_ od }\n"
    result = verify(loop + "trace { do :: accept: q!one od }")
    assert kinds(result) == ["acceptance"]
    assert verify(loop + "trace { accept: q!one; do :: q!one od }").verdict is Verdict.VERIFIED
    assert verify(loop + "trace { do :: progress: q!one od }", progress=True).verdict is Verdict.VERIFIED
    assert kinds(verify(loop + "trace { do :: q!one od }", progress=True)) == ["progress"]


def test_a_trace_is_checked_with_formulas_and_with_safety(verify):
    text = SENDER + "trace { q!two }\nltl small { [] (x < 3) }\nltl large { <> (x > 3) }"
    assert kinds(verify(text, ltl=["small"])) == ["trace"]
    assert kinds(verify(text, all_errors=True)) == ["ltl", "trace"]
    safe = verify(text, safety=True)
    assert kinds(safe) == ["trace"]
    assert safe.semantics["safety_only"] is True
    assert verify(SENDER + "trace { end: q!_ ; q!two }", safety=True).semantics["safety_only"] is False


@pytest.mark.parametrize(
    ("claim", "column", "said"),
    [
        ("trace { q!one } trace { q!two }", 17, "a second trace"),
        ("trace { q!one } notrace { q!two }", 17, "a second notrace"),
        ("trace { skip }", 9, "not an event"),
        ("trace { q!!one }", 9, "not an event"),
        ("trace { q??one }", 9, "not an event"),
        ("trace { q?<one> }", 9, "not an event"),
        ("trace { q?[one] }", 9, "not an event"),
        ("trace { do :: q!one :: else od }", 24, "not an event"),
        ("trace { atomic { q!one } }", 9, "not an event"),
        ("trace { byte z; q!one }", 9, "not an event"),
        ("trace { q!one; assert(false) }", 16, "not an event"),
        ("trace { do :: q!one :: break od }", 24, "waits for no event"),
        ("trace { again: q!one; end: goto again }", 28, "waits for no event"),
        ("trace { q!one,x }", 15, "neither a constant nor '_'"),
        ("trace { q?one,x }", 9, "neither a constant nor '_'"),
        ("trace { q?eval(x) }", 9, "neither a constant nor '_'"),
        ("trace { q!one,1,1 }", 9, "expected 2 message fields, got 3"),
        ("trace { a[x]!1 }", 9, "is on one channel, known from its declaration"),
        ("trace { a[3]!1 }", 9, "is on one channel, known from its declaration"),
        ("trace { spare!1 }", 9, "is on one channel, known from its declaration"),
        ("trace { x!1 }", 9, "expected a channel"),
        ("trace { nobody!1 }", 9, "nobody"),
        ("trace named { q!one }", 7, "expected '{'"),
    ],
)
def test_refusals_have_a_place(tmp_path, claim, column, said):
    model = tmp_path / "model.pml"
    model.write_text(CHANNELS + SENDER + claim)
    with pytest.raises(SourceProblem) as problem:
        program.load(model, LanguageOptions())
    assert said in str(problem.value)
    assert f"model.pml:5:{column}: " in str(problem.value)


def test_a_model_without_a_trace_has_no_room_for_one(tmp_path):
    model = tmp_path / "model.pml"
    model.write_text(f"{CHANNELS}active proctype s() {{ x = y; q!one,x }}\ntrace {{ q!_ }}")
    watched = program.load(model, LanguageOptions()).plan.layout.globals
    model.write_text(f"{CHANNELS}active proctype s() {{ x = y; q!one,x }}")
    plain = program.load(model, LanguageOptions()).plan.layout.globals
    assert min(watched.offsets.values()) == GLOBAL_HEADER_WITH_EVENTS
    assert min(plain.offsets.values()) == GLOBAL_HEADER


def certified(tmp_path, claim):
    model = tmp_path / "certified.pml"
    model.write_text(f"{CHANNELS}active proctype s() {{ do :: q!one,1; q!two,2; q?_,_; q?_,_ od }}\n{claim}")
    file = tmp_path / "certified.assay"
    return model, file, assay.verify(model, certificate=file)


def test_certificates_cover_the_trace(tmp_path):
    model, file, result = certified(tmp_path, "trace { end: do :: q!one; q!two,2 od }")
    assert result.verdict is Verdict.VERIFIED
    assert result.semantics["trace"] == "every event follows the trace of line 5"
    assert assay.certify(model, file).verdict is Verdict.VERIFIED
    assert checker.check(model, file).states == result.states
    # The same text with another trace is another program.
    model.write_text(model.read_text().replace("q!two,2 od", "q!two,3 od"))
    assert assay.certify(model, file).verdict is not Verdict.VERIFIED


def test_no_certificate_is_made_of_a_trace_that_fails(tmp_path):
    _, file, result = certified(tmp_path, "trace { end: do :: q!one; q!two,3 od }")
    assert result.verdict is Verdict.VIOLATED
    assert not file.exists()


@pytest.mark.parametrize(
    "options",
    [
        {"storage": "bitstate", "search": "dfs"},
        {"storage": "fingerprint"},
        {"search": "dfs"},
        {"threads": 2},
        {"reductions": ()},
    ],
)
def test_every_search_finds_it(verify, options):
    text = "active [2] proctype s() { q!one,_pid; q!two,_pid }\nactive proctype t() { do :: q?_,_ od }\n"
    assert "trace" in kinds(verify(text + "trace { q!one,0; q!one,1; q!two,_; end: q!two }", **options))


def test_a_search_on_disk_finds_it(verify, tmp_path):
    text = "active [2] proctype s() { q!one,_pid; q!two,_pid }\nactive proctype t() { do :: q?_,_ od }\n"
    result = verify(text + "trace { q!one,0; q!one,1; q!two,_; end: q!two }", spill=tmp_path / "spill")
    assert kinds(result) == ["trace"]


def test_the_trace_is_written_down_and_read_again(verify, tmp_path):
    verify(SENDER + "trace { q!two }", trace=tmp_path / "run.json")
    written = json.loads((tmp_path / "run.json").read_text())
    assert written["violation"]["kind"] == "trace"
