"""One sentence on top of the counterexample of a model: who waits for what, where a value came from."""

from __future__ import annotations

import pytest

import assay
from assay.evidence.explanation import explain

PHILOSOPHERS = """\
byte forks[2]
active [2] proctype P() {
    atomic { forks[_pid] == 0 -> forks[_pid] = 1 };
    atomic { forks[1 - _pid] == 0 -> forks[1 - _pid] = 1 };
    forks[_pid] = 0; forks[1 - _pid] = 0
}
"""
WRONG_ANSWER = """\
mtype = { req, ack, nak }
chan a = [1] of { mtype, byte }; chan b = [1] of { mtype, byte }
active proctype Client() { byte x; a!req,1; b?ack,x }
active proctype Server() { byte y; a?req,y; b!nak,y }
"""
FULL = """\
chan q = [2] of { bool }
active proctype Source() { q!true; q!false; q!true }
"""
MEETING = """\
chan c = [0] of { byte }
active proctype A() { c!1 }
active proctype B() { c!2 }
"""
THREE = """\
chan q = [1] of { byte }; chan r = [1] of { byte }
active proctype A() { byte x; q?x; r!x }
active proctype B() { byte x; r?x; q!x }
active proctype C() { skip }
"""
CHOICE = """\
byte n; chan q = [1] of { byte }
active proctype P() { if :: n == 1 -> skip :: q?_ -> skip fi }
"""
PROVIDED = """\
byte on
active proctype P() provided (on == 1) { skip }
"""
CHANNELS_OF_PROCESSES = """\
chan names = [0] of { chan }
proctype P() { chan own = [1] of { byte }; byte x; names!own; own?x }
active proctype Q() { chan its; names?its; (false) }
init { run P() }
"""
COUNTED = """\
byte sum
active [2] proctype P() { byte i; for (i : 1 .. 2) { sum = sum + i } }
init { (_nr_pr == 1); assert(sum == 6) }
"""

WRITER = """\
bool writing
active proctype reader() {
    assert(!writing)
}
active proctype writer() {
    writing = true;
    writing = false
}
"""
RELEASED_TOO_EARLY = """\
byte free = 1, count
active [2] proctype worker() {
    atomic { free > 0 -> free-- };
    count++;
    assert(count == 1);
    free++;
    count--
}
"""

DEADLOCKS = {
    COUNTED: "init[2] waits in line 3 for (_nr_pr == 1), where _nr_pr = 3: P[0] and P[1] have ended, but "
    "count until init[2], started after them, is gone",
    PHILOSOPHERS: "P[0] waits in line 4 for (forks[1-_pid] == 0), where forks[1] = 1, set by P[1] in "
    "line 3; P[1] waits in line 4 for (forks[1-_pid] == 0), where forks[0] = 1, set by P[0] in line 3",
    WRONG_ANSWER: "Client[0] waits in line 3 for ack,_ in b, which holds nak,1, and nobody is left to send "
    "to it",
    FULL: "Source[0] waits in line 2 for room in q, which is full: [true, false], and nobody is left to "
    "receive from it",
    MEETING: "A[0] waits in line 2 for somebody to receive from c, which nobody is left to do; "
    "B[1] waits in line 3 for somebody to receive from c, which nobody is left to do",
    THREE: "A[0] waits in line 2 for a message in q, which is empty, and only B[1] can send to it; "
    "B[1] waits in line 3 for a message in r, which is empty, and only A[0] can send to it",
    CHOICE: "P[0] waits in line 2 for (n == 1), where n = 0, or a message in q, which is empty, and nobody "
    "is left to send to it",
    PROVIDED: "P[0] waits in line 2 for its provided clause, where on = 0",
}

SENT = """\
mtype = { data, eof }
chan q = [2] of { mtype, byte }
active proctype S() { q!data,1; q!eof,0 }
active proctype T() { q!data,7 }
active proctype R() { byte v, last; mtype t
    do :: q?t,v -> if :: t == eof -> break :: else -> assert(v < 5); last = v fi od }
"""
HANDED_OVER = """\
chan c = [0] of { byte }
active proctype S() { c!3 }
active proctype R() { byte v; c?v; assert(v == 2) }
"""
CONTENT = """\
chan q = [2] of { byte }
active [2] proctype S() { q!1; assert(len(q) < 2); q?_ }
"""
ELEMENTS = """byte v[2]; active proctype A() { v[0] = 3 }
active proctype B() { v[1] = 5; assert(v[0] != 3 || v[1] == v[0]) }"""
ASSERTIONS = {
    WRITER: "reader[0] failed in line 3 with writing = true, which writer[1] set in line 6",
    RELEASED_TOO_EARLY: "worker[0] failed in line 5 with count = 2, after worker[1] changed it to 1 in "
    "line 4",
    SENT: "R[2] failed in line 6 with v = 7, which T[1] sent in line 4",
    HANDED_OVER: "R[1] failed in line 3 with v = 3, which S[0] sent in line 2",
    ELEMENTS: "B[1] failed in line 2 with v[0] = 3, which A[0] set in line 1, v[1] = 5",
    CONTENT: "S[1] failed in line 2 with q = [1, 1]",
}


def counterexample(tmp_path, text):
    model = tmp_path / "m.pml"
    model.write_text(text)
    result = assay.verify(model)
    assert result.verdict is assay.Verdict.VIOLATED
    found = result.violations[0].counterexample
    assert found is not None
    return found


@pytest.mark.parametrize(("text", "sentence"), DEADLOCKS.items())
def test_a_deadlock_says_who_waits_for_what(tmp_path, text, sentence):
    found = counterexample(tmp_path, text)
    assert found.violation.kind == "deadlock"
    assert explain(found) == sentence


DOORS = """mtype = { open, shut }; mtype door[2] = shut; bool moving;
active proctype Door() {
  !moving -> door[0] = open; door[0] = shut }
active proctype Cabin() {
  door[0] == shut -> moving = true; moving = false }
"""
REQUESTS = """bool asked, served;
active proctype P() {
  do
  :: asked = true
  :: asked = false
  od }
"""
FORMULAS = {
    DOORS
    + "ltl safe { [] (moving -> door[0] == shut) }": "after Door[0] in line 3 (door[0] = open) moving is "
    "true, door[0] == shut is false",
    DOORS
    + "ltl safe { [] !(moving && door[0] == open) }": "after Door[0] in line 3 (door[0] = open) moving is "
    "true, door[0] == open is true",
    REQUESTS + "ltl answer { [] (asked -> <> served) }": "after P[0] in line 4 (asked = true) asked is true, "
    "and served is never true from there on",
    REQUESTS + "ltl comes { <> served }": "",
    REQUESTS + "ltl often { []<> served }": "",
    REQUESTS.replace("P() {", "P() { served = true; asked = true; served = false;")
    + "ltl often { []<> served }": "after P[0] in line 2 (served = false) served is false, and that stays so "
    "for ever",
    REQUESTS + "ltl until { asked U served }": "",
}


@pytest.mark.parametrize(("text", "sentence"), FORMULAS.items())
def test_a_formula_says_where_it_was_violated(tmp_path, text, sentence):
    found = counterexample(tmp_path, text)
    assert found.violation.kind == "ltl"
    assert explain(found) == sentence


@pytest.mark.parametrize(("text", "sentence"), ASSERTIONS.items())
def test_a_failed_assertion_says_where_its_values_came_from(tmp_path, text, sentence):
    assert explain(counterexample(tmp_path, text)) == sentence


def test_a_channel_that_a_process_owns_has_its_name(tmp_path):
    found = counterexample(tmp_path, CHANNELS_OF_PROCESSES)
    reasons = {one.process: one.reason for one in found.waiting}
    assert reasons["P[2]"].startswith("a message in P[2].own, which is empty")


def test_a_run_ends_at_the_statement_that_fails(tmp_path):
    """Statements that the search takes together are several to the program."""
    assert counterexample(tmp_path, SENT).steps[-1].text == "assert(v < 5)"


def test_a_variable_that_nobody_reads_again_keeps_its_value_in_the_rows(tmp_path):
    text = "byte n; active proctype P() { byte x; x = 3; n = x; n = n + 1; assert(n == 3) }"
    found = counterexample(tmp_path, text)
    changes = [(change.name, change.before, change.after) for step in found.steps for change in step.changes]
    assert ("P[0].x", 0, 3) in changes or not any(name == "P[0].x" for name, _, _ in changes)
    assert not [one for one in changes if one[0] == "P[0].x" and one[2] == 0]
