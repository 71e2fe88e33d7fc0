"""Python programs and runs that never end: formulas, fairness, termination, and how violations are told."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from rich.console import Console

import assay
from assay.report.console import print_result, print_run
from assay.transition_system.interface import SourceProblem
from assay.verification.live import replay_live

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "liveness"
QUESTIONS = tomllib.loads((EXAMPLES / "answers.toml").read_text())["question"]

START = "import threading\nimport assay\n"


def titled(question):
    return f"{question['file']} {' '.join(question['asks'])}"


def printed(result):
    output = io.StringIO()
    print_result(result, console=Console(file=output, width=160, highlight=False, soft_wrap=True))
    return output.getvalue()


@pytest.fixture
def verify(tmp_path):
    def verified(text, **asks):
        path = tmp_path / "program.py"
        path.write_text(text)
        return assay.verify(path, **asks)

    return verified


@pytest.mark.parametrize("question", QUESTIONS, ids=titled)
def test_examples_get_the_answer_that_is_told(question):
    result = assay.verify(EXAMPLES / question["file"], **question["asks"], check_deadlock=False)
    assert str(result.verdict) == question["verdict"]
    text = printed(result)
    for said in question.get("says", ()):
        assert said in text


def test_every_example_has_a_question():
    assert {question["file"] for question in QUESTIONS} == {path.name for path in EXAMPLES.glob("*.py")}


# --- what a formula sees ---


@pytest.mark.parametrize("granularity", ["bytecode", "gil", "sync"])
@pytest.mark.parametrize("is_alone", [True, False], ids=["alone", "in a thread"])
def test_no_write_is_lost_between_two_states(verify, granularity, is_alone):
    text = START + "x = 0\ny = 0\ndef work():\n    global x, y\n    x = 1\n    x = 2\n    y = 3\n    x = 0\n"
    text += "work()\n" if is_alone else "t = threading.Thread(target=work)\nt.start()\nt.join()\n"
    for formula in ("<> (x == 1)", "<> (x == 2 && y == 3)", "(x < 2) U (x == 2)", "<>[] (x == 0 && y == 3)"):
        assert verify(text, ltl=[formula], granularity=granularity).verdict == "verified", formula
    for formula in ("[] (x != 1)", "[] !(x == 2 && y == 0)", "<> (x == 1 && y == 3)"):
        assert verify(text, ltl=[formula], granularity=granularity).verdict == "violated", formula


def test_what_was_just_published_has_a_state_before_it_changes(verify):
    text = "items = None\ndef work():\n    global items\n    own = []\n    items = own\n    own.append(1)\n"
    text += "work()\n"
    assert verify(text, ltl=["<> (items == [])"]).verdict == "verified"
    assert verify(text, ltl=["[] (items is None || items == [1])"]).verdict == "violated"


def test_states_for_formulas_do_not_let_threads_switch(verify):
    """With `gil` an increment is not interrupted, whatever a formula looks at."""
    text = (
        START + "x = 0\nseen = 0\ndef work():\n    global x, seen\n    x += 1\n    seen = x\n"
        "a = threading.Thread(target=work)\nb = threading.Thread(target=work)\n"
        "a.start()\nb.start()\na.join()\nb.join()\nassert x == 2\n"
    )
    assert verify(text, ltl=["<> (x == 2)"], granularity="gil").verdict == "verified"
    assert verify(text, ltl=["<> (x == 2)"], granularity="bytecode").verdict == "violated"


@pytest.mark.parametrize("granularity", ["bytecode", "gil", "sync"])
def test_a_label_is_true_where_a_thread_stands_at_it(verify, granularity):
    text = START + (
        "def work():\n    assay.label('a')\n    assay.label('b')\n"
        "t = threading.Thread(target=work)\nt.start()\nt.join()\n"
    )
    for formula in ("!b U a", "<> a", "<> b", "[] !(a && b)", "[] (a -> <> b)", "<> 'b'"):
        assert verify(text, ltl=[formula], granularity=granularity, fair=True).verdict == "verified", formula
    assert verify(text, ltl=["[] !a"], granularity=granularity).verdict == "violated"


def test_labels_are_seen_with_one_thread_too(verify):
    text = "import assay\nassay.label('a')\nassay.label('b')\nassay.label('a')\n"
    assert verify(text, ltl=["a -> <> b", "<> (b && <> a)", "[] !(a && b)"], fair=True).verdict == "verified"
    assert verify(text, ltl=["[] (a -> <> b)"]).verdict == "violated"


def test_a_formula_begins_when_its_names_are_bound(verify):
    text = "import assay\na = 5\nx = 1\ny = 2\n"
    assert verify(text, ltl=["[] (x == 1)", "y == 2"]).verdict == "verified"


def test_a_name_that_is_never_bound_violates_what_is_said_of_it(verify):
    text = "def never():\n    global x\n    x = 1\n"
    assert verify(text, ltl=["[] (x == 1)"]).verdict == "violated"


def test_an_atom_may_ask_a_lock_and_sees_it_taken(verify):
    text = START + (
        "lock = threading.Lock()\nx = 0\ndef work():\n    global x\n    with lock:\n        x = 1\n"
        "t = threading.Thread(target=work)\nt.start()\nt.join()\n"
    )
    assert verify(text, ltl=["[] !(x == 1 && lock.locked())"]).verdict == "violated"


# --- fairness ---


def test_a_lock_that_is_taken_again_and_again_may_never_be_got(verify):
    """The release must not join the step that takes the lock: then it would be free in every state."""
    text = START + (
        "lock = threading.Lock()\ngot = False\n"
        "def hog():\n    while True:\n        with lock: pass\n"
        "def other():\n    global got\n    with lock:\n        got = True\n"
        "threading.Thread(target=hog).start()\nthreading.Thread(target=other).start()\n"
    )
    result = verify(text, ltl=["<> got"], fair=True)
    assert result.verdict == "violated"
    assert "can move now and then and never does" in printed(result)


SPAWNING = START + (
    "x = 0\ndef a():\n    global x\n    {body}\ndef relay():\n    pass\n"
    "u = threading.Thread(target=relay, name='r')\nu.start()\nthreading.Thread(target=a, name='a').start()\n"
    "while True:\n    v = threading.Thread(target=relay, name='r')\n    v.start()\n    u.join()\n    u = v\n"
)


def test_a_thread_is_one_process_although_others_start_and_end_for_ever(verify):
    """Threads before it in the state end and threads behind it start, in every round."""
    assert verify(SPAWNING.format(body="x = 1"), ltl=["<> (x == 1)"], fair=True).verdict == "verified"
    assert verify(SPAWNING.format(body="x = 1"), ltl=["<> (x == 1)"]).verdict == "violated"
    waiting = SPAWNING.format(body="threading.Event().wait(); x = 1")
    assert verify(waiting, ltl=["<> (x == 1)"], fair=True).verdict == "violated"


def test_each_of_the_threads_that_come_and_go_is_treated_fairly(verify):
    """A round is over only when its thread has moved: no fair run stays in one."""
    text = START + (
        "x = 0\ndef flip():\n    global x\n    x = 1 - x\n"
        "while True:\n    t = threading.Thread(target=flip, name='t')\n    t.start()\n    t.join()\n"
    )
    assert verify(text, ltl=["[]<> (x == 1)"], fair=True).verdict == "verified"
    assert verify(text, ltl=["[]<> (x == 1)"]).verdict == "verified"  # main waits, so there is nobody else


def test_a_wait_whose_time_runs_out_goes_on(verify):
    text = START + (
        "event = threading.Event()\ndef work():\n    while not event.wait(0.1):\n        break\n"
        "t = threading.Thread(target=work)\nt.start()\nt.join()\n"
    )
    assert verify(text, terminates=True).verdict == "verified"


def test_runs_that_an_assumption_cuts_off_are_none(verify):
    text = START + (
        "def stop():\n    assay.assume(False)\ndef spin():\n    while True:\n        pass\n"
        "threading.Thread(target=stop).start()\nthreading.Thread(target=spin).start()\n"
    )
    assert verify(text, terminates=True, check_deadlock=False).verdict == "verified"


# --- termination ---


@pytest.mark.parametrize(
    "loop",
    [
        "while True:\n    pass\n",
        "i = 0\nwhile True:\n    i = (i + 1) % 7\n",
        "for _ in iter(int, 1):\n    pass\n",
    ],
)
@pytest.mark.parametrize("is_alone", [True, False], ids=["alone", "in a thread"])
def test_a_loop_that_touches_nothing_is_seen_not_to_end(verify, loop, is_alone):
    text = loop
    if not is_alone:
        body = "".join(f"    {line}\n" for line in loop.splitlines())
        text = f"import threading\ndef work():\n{body}threading.Thread(target=work).start()\n"
    assert verify(text, terminates=True).verdict == "violated"


@pytest.mark.parametrize("granularity", ["bytecode", "gil", "sync"])
def test_who_never_synchronises_keeps_nobody_from_his_turn(verify, granularity):
    """Atoms see each write of a loop. Where threads switch at synchronisation only, that must not let the
    loop run alone for ever: such a run is fair to nobody else and does not count."""
    spinning = (
        "x = 0\ny = 0\ndone = False\n"
        "def spin():\n    global y\n    while x == 0:\n        y = 1\n        y = 0\n"
        "def work():\n    global done\n    done = True\n"
        "for one in (spin, work):\n    threading.Thread(target=one).start()\n"
    )
    asked = {"granularity": granularity, "ltl": ["[]<> (y == 0)", "<> done"], "fair": True}
    result = verify(START + spinning, terminates=True, **asked)
    assert [one.standing for one in result.properties if one.kind in ("ltl", "termination")] == [
        "holds",
        "holds",
        "violated",
    ]


def test_a_loop_that_counts_for_ever_is_not_called_verified(verify):
    assert verify("i = 0\nwhile True:\n    i += 1\n", terminates=True, max_states=30).verdict == "incomplete"


def test_a_deadlock_is_told_once(verify):
    text = "import threading\nlock = threading.Lock()\nlock.acquire()\nlock.acquire()\n"
    result = verify(text, terminates=True)
    assert [violation.kind for violation in result.violations] == ["deadlock"]
    assert {one.kind: one.standing for one in result.properties}["termination"] == "violated"
    alone = verify(text, terminates=True, check_deadlock=False)
    assert [violation.kind for violation in alone.violations] == ["termination"]
    assert "here it stays for ever" in printed(alone)


def test_daemons_need_not_end(verify):
    text = START + (
        "def spin():\n    while True:\n        pass\nthreading.Thread(target=spin, daemon=True).start()\n"
    )
    assert verify(text, terminates=True).verdict == "verified"


def test_what_was_not_asked_is_said_and_how_to_ask(verify):
    assert "nothing is said about whether every run ends: ask with --terminates" in printed(verify("x = 1\n"))
    assert "nothing is said" not in printed(verify("x = 1\n", terminates=True))


# --- what the program states itself ---


STATED = START + (
    "done = False\nasked = False\n"
    "assay.eventually(lambda: done, name='done')\n"
    "assay.leads_to(lambda: asked, lambda: done)\n"
    "assay.always(lambda: not (done and not asked))\n"
    "def work():\n    global done, asked\n    asked = True\n    {then}\n"
    "t = threading.Thread(target=work)\nt.start()\nt.join()\n"
)


def test_a_program_states_what_its_runs_must_do(verify):
    assert verify(STATED.format(then="done = True")).verdict == "verified"
    result = verify(STATED.format(then="pass"))
    assert result.verdict == "violated"
    standings = {one.text: str(one.standing) for one in result.properties if one.kind == "ltl"}
    assert standings == {
        "done: <> (done)": "violated",
        "[] ((asked) -> <> (done))": "violated",
        "[] (not (done and (not asked)))": "holds",
    }
    assert verify(STATED.format(then="pass"), safety=True).verdict == "verified"
    assert [
        one.text for one in verify(STATED.format(then="pass"), ltl=["done"]).properties if one.kind == "ltl"
    ] == ["done: <> (done)"]


def test_a_property_in_a_function_sees_its_variables(verify):
    text = START + (
        "def main():\n    served = []\n    assay.eventually(lambda: served == [1])\n"
        "    t = threading.Thread(target=lambda: served.append({}))\n    t.start()\n    t.join()\nmain()\n"
    )
    assert verify(text.format(1)).verdict == "verified"
    assert verify(text.format(2)).verdict == "violated"


def test_a_property_that_is_no_statement_is_refused(verify):
    with pytest.raises(SourceProblem, match=r"program.py:2:5: assay.eventually states"):
        verify("import assay\np = assay.eventually(lambda: True)\n")


def test_a_property_that_is_stated_twice_is_refused(verify):
    with pytest.raises(SourceProblem, match="stated for the second time"):
        verify("import assay\nfor _ in range(2):\n    assay.always(lambda: True)\n")


def test_a_function_is_asked(tmp_path):
    path = tmp_path / "functions.py"
    path.write_text(
        "import threading\nimport assay\nserved = 0\ndef serve():\n    global served\n    served += 1\n"
        "def twice():\n    for _ in range(2):\n        t = threading.Thread(target=serve)\n"
        "        t.start()\n        t.join()\n        assay.label('round')\n"
        "def spin():\n    while True:\n        pass\n"
    )
    from assay.verification import verify_call

    assert verify_call(path, "module.twice()", ltl=["<> (served == 2)", "<> round"]).verdict == "verified"
    assert verify_call(path, "module.twice()", ltl=["<> (served == 3)"]).verdict == "violated"
    assert verify_call(path, "module.spin()", terminates=True).verdict == "violated"


# --- what bad input gets ---


@pytest.mark.parametrize(
    ("formula", "problem"),
    [
        ("[] (x -> <> servde)", r"formula:1:13: 'servde' is no global .* did you mean 'served'\?"),
        ("[] (zx == 1)", r"formula:1:5: 'zx' is no global .*"),
        ("[] { (x := 3) }", r"formula:1:4: .* an assignment"),
        ("[] (exec('x = 1') == 1)", r"formula:1:5: .* exec"),
        ("<> X (x == 1)", r"formula:1:1: .* speaks of the next step"),
        ("[] (x == )", r"formula:1:10: expected a value"),
        ("[] both", r"formula:1:4: 'both' is a global and a label"),
        (
            '<> assay.label("served")',
            r"formula:1:4: the atom .* passes a label; write its name alone: served",
        ),
        ("[] gone", r"program.py:7: a formula speaks of 'gone', which is unbound again here"),
    ],
)
def test_a_formula_that_is_wrong_is_refused_with_its_place(verify, formula, problem):
    text = "import assay\nx = 0\nboth = 1\nassay.label('both')\nassay.label('served')\ngone = 1\ndel gone\n"
    with pytest.raises(SourceProblem, match=problem):
        verify(text, ltl=[formula])


def test_an_atom_that_raises_is_no_silent_false(verify):
    with pytest.raises(
        SourceProblem, match=r"formula:1:5: the atom items\[0\] == 1 raised IndexError.* in some state"
    ):
        verify("items = []\nitems.append(1)\n", ltl=["<> (items[0] == 1)"])
    protected = "<> { len(items) > 0 and items[0] == 1 }"
    assert verify("items = []\nitems.append(1)\n", ltl=[protected]).verdict == "verified"


@pytest.mark.parametrize(
    ("does", "problem"),
    [
        ("event.wait()", "waits"),
        ("assay.label('here')", "passes a label"),
        ("assay.assume(False)", "assumes something"),
        ("assay.choose([1, 2])", "makes a choice"),
        ("items.append(1)", "changes the program's state"),
    ],
)
def test_a_property_that_does_more_than_look_is_refused_by_name(verify, does, problem):
    text = "import assay, threading\nevent = threading.Event()\nitems = []\n"
    text += f"def look():\n    {does}\n    return True\n"
    with pytest.raises(SourceProblem, match=rf"program.py:1: look\(\): .* {problem}"):
        verify(text, invariants=["look()"])
    with pytest.raises(SourceProblem, match=rf"formula:1:4: the atom look\(\): .* {problem}"):
        verify(text, ltl=["<> look()"])


def test_an_atom_that_changes_something_is_refused(verify):
    with pytest.raises(SourceProblem, match="changes the program's state"):
        verify("items = [1]\n", ltl=["<> (items.pop() == 1)"])


def test_a_label_where_no_state_is_is_refused(verify):
    text = START + (
        "def work():\n    with assay.atomic():\n        assay.label('here')\n"
        "t = threading.Thread(target=work)\nt.start()\nt.join()\n"
    )
    assert verify(text).verdict == "verified"
    with pytest.raises(SourceProblem, match="the label 'here' stands where no other thread gets a turn"):
        verify(text, ltl=["<> here"])


# --- how a violation is told ---


def test_a_trace_goes_round_again(tmp_path):
    trace = tmp_path / "trace.json"
    program = EXAMPLES / "polite_threads.py"
    result = assay.verify(program, terminates=True, trace=trace)
    saved = json.loads(trace.read_text())
    assert saved["version"] == 2
    assert 0 < saved["loop_start"] < len(saved["positions"])
    assert [one["how"] for one in saved["waiting"]] == ["waits"]
    run = assay.replay(program, trace)
    assert run.loop_start == saved["loop_start"]
    output = io.StringIO()
    print_run(run, console=Console(file=output, width=160, highlight=False, soft_wrap=True))
    assert "from here on, round and round:" in output.getvalue()
    assert f"and again from step {run.loop_step}, for ever" in output.getvalue()
    assert result.violations[0].counterexample.steps == run.steps


@pytest.mark.parametrize(
    ("program", "asks"),
    [("polite_threads.py", {"terminates": True}), ("flag_nobody_sets.py", {"terminates": True})],
)
def test_real_threads_go_round_twice(program, asks, tmp_path):
    trace = tmp_path / "trace.json"
    assay.verify(EXAMPLES / program, **asks, trace=trace)
    run, outcome = replay_live(EXAMPLES / program, trace)
    assert run.loop_start is not None
    assert outcome.reproduced, outcome
    assert outcome.message == "the threads went round twice"


def test_the_marker_asks_for_runs_too(tmp_path):
    (tmp_path / "test_marked.py").write_text(
        "import threading\nimport pytest\nimport assay\n"
        "def go(body):\n    t = threading.Thread(target=body)\n    t.start()\n    t.join()\n"
        "def spin():\n    while True:\n        pass\n"
        "def serve():\n    assay.label('served')\n"
        "@pytest.mark.assay(terminates=True)\ndef test_spins():\n    go(spin)\n"
        "@pytest.mark.assay(terminates=True, ltl=['<> served'], fair=True)\n"
        "def test_serves():\n    go(serve)\n"
    )
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:randomly",
        "-q",
        str(tmp_path),
    ]
    process = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=300, check=False)
    assert "1 failed, 1 passed" in process.stdout, process.stdout
    assert "a run never ends" in process.stdout


# --- compared with an interpreter written separately ---


def test_random_programs_agree_with_the_oracle():
    command = [sys.executable, "-m", "tests.python.random_liveness", "--seed", "7", "--count", "60"]
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    process = subprocess.run(
        command, capture_output=True, text=True, cwd=ROOT, env=environment, timeout=600, check=False
    )
    assert process.returncode == 0, process.stdout + process.stderr
    compared = next(line for line in process.stdout.splitlines() if line.endswith("  compared"))
    assert int(compared.split()[0]) > 30
