"""From a Python file to a verdict that people can read. The machine itself is tested elsewhere."""

import ast
import io
import json
import os
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

import assay
from assay import languages, plain
from assay.checker import Rejected, check
from assay.evidence.counterexample import load_trace
from assay.execution import model_process
from assay.languages.python import invariants as invariants_module
from assay.languages.python import program as program_module
from assay.languages.python.machine import open_image
from assay.languages.python.program import PythonProgram, attribute_values
from assay.report.console import print_result, print_run
from assay.search import native
from assay.search.options import SearchOptions
from assay.transition_system.interface import Opening, SourceProblem, UnsupportedConstruct
from assay.transition_system.language_options import LanguageOptions, OptionProblem
from assay.transition_system.sealed_file import SealedFile
from assay.verification import verify_call
from tests.oracles.exploration import plain_text

ROOT = Path(__file__).resolve().parents[2]
FAKE = "tests.python.fake_machine:open_image"

COUNTER = """\
import threading

counter = 0


def count():
    global counter
    counter += 1


threads = [threading.Thread(target=count) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert counter == 2, f"counted to {counter}"
"""


@pytest.fixture(autouse=True)
def in_a_directory_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    Path("counter.py").write_text(COUNTER)


@pytest.fixture
def with_a_fake_machine(monkeypatch):
    monkeypatch.setattr(program_module, "OPENER", FAKE)


def loaded(text=COUNTER, **options) -> PythonProgram:
    Path("counter.py").write_text(text)
    program = languages.load(Path("counter.py"), LanguageOptions(**options))
    assert isinstance(program, PythonProgram)
    return program


# --- loading ---


def test_a_program_names_what_its_verdict_is_relative_to():
    program = loaded(granularity="gil")
    semantics = program.semantics
    assert semantics["granularity"] == "gil"
    assert semantics["hash_seed"] == 0
    assert "3." in str(semantics["language"])
    assert semantics["not_final"] == []
    assert program.capabilities.assumes
    assert json.loads(json.dumps(semantics)) == semantics


def test_the_default_granularity_is_bytecode():
    assert loaded().semantics["granularity"] == "bytecode"


def test_sources_are_the_files_of_the_user_the_program_first():
    Path("helper.py").write_text("value = 3\n")
    program = loaded("import helper\nimport threading\nprint(helper.value)\n")
    assert [source.path for source in program.sources] == ["counter.py", "helper.py"]


def test_programs_that_differ_only_in_properties_have_the_same_graph():
    base = loaded()
    assert loaded(invariants=("counter <= 2",)).graph == base.graph
    assert loaded(granularity="sync").graph != base.graph
    assert loaded(COUNTER + "\n").graph != base.graph


def test_another_text_of_the_library_is_another_semantics(monkeypatch, tmp_path):
    before = loaded().semantics["library"]
    (tmp_path / "library").mkdir()
    monkeypatch.setattr("assay.languages.python.program.LIBRARY", tmp_path / "library")
    assert loaded().semantics["library"] != before


def test_an_assumption_that_failed_is_dropped_and_named():
    program = loaded()
    weaker = program.without("__main__:counter")
    assert weaker.semantics["not_final"] == ["__main__:counter"]
    assert weaker.graph != program.graph
    with pytest.raises(RuntimeError, match="although it was told not to"):
        weaker.without("__main__:counter")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"step_invariants": ("counter < next.counter",)}, "step invariants are not checked"),
        ({"defines": ("N=3",)}, "-D defines macros"),
        ({"granularity": "fine"}, "granularity: expected one of bytecode, gil, sync"),
        (
            {"invariants": ("cuonter <= 2",)},
            "speaks of 'cuonter', which is no global of the main module; its",
        ),
        ({"invariants": ("counter <=",)}, "is no expression of Python"),
        ({"invariants": ("(counter := 3)",)}, "has an assignment"),
        ({"invariants": ("counter; x",)}, "is no expression of Python"),
        ({"invariants": ("().__class__ is tuple",)}, "speaks of __class__, which no invariant may"),
        ({"invariants": ("getattr(counter, 'real') < 3",)}, "speaks of getattr, which no invariant may"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_a_sentence(options, sentence):
    with pytest.raises((SourceProblem, OptionProblem), match=sentence):
        loaded(**options)


def test_a_file_with_a_transition_system_is_not_run_as_a_program():
    text = """\
class Light:
    def initial_states(self): return ["red"]
    def enabled(self, state): return []
    def step(self, state, action): return state
"""
    with pytest.raises(
        SourceProblem, match=r"counter\.py:1: Light is a transition system.*counter\.py:Light"
    ):
        loaded(text)


@pytest.mark.parametrize(
    "content", [b"\xff\xfe\x00", b"x = 'a\x00b'\n", b"# coding: nonsense\n", b"def (:\n"]
)
def test_what_is_no_python_is_refused(content):
    Path("broken.py").write_bytes(content)
    with pytest.raises(SourceProblem, match=r"broken\.py"):
        languages.load(Path("broken.py"), LanguageOptions())


def test_granularity_is_refused_where_there_is_none():
    Path("model.pml").write_text("init { skip }\n")
    with pytest.raises(
        OptionProblem, match="granularity: where threads switch is a choice in Python programs"
    ):
        assay.verify("model.pml", granularity="gil")
    Path("model.py").write_text("class A:\n    pass\n")


def test_threads_are_refused():
    with pytest.raises(OptionProblem, match="searched on one thread"):
        assay.verify("counter.py", threads=2)


# --- invariants ---


def test_added_invariants_leave_every_line_where_it_was():
    plain_program, checked = loaded(), loaded(invariants=("counter <= 2", "len(threads) == 2"))
    assert checked.program.texts["counter.py"] == COUNTER

    def lines(code):
        yield code.name, code.first_line, {position[0] for position in code.positions}
        for constant in code.constants:
            if type(constant) is type(code) and not constant.name.startswith("__assay"):
                yield from lines(constant)

    before, after = (list(lines(p.program.modules[0].code)) for p in (plain_program, checked))
    assert [name for name, _, _ in before] == [name for name, _, _ in after]
    for (_, first, of_before), (_, first_after, of_after) in zip(before, after, strict=True):
        assert first == first_after
        assert of_before == of_after


def test_an_invariant_may_follow_a_docstring_and_imports_from_the_future():
    text = '"""What\nit is."""\nfrom __future__ import annotations\n\nx = 3\n'
    program = loaded(text, invariants=("x == 3",))
    assert "__assay_invariant_0" in program.program.modules[0].global_names


def test_a_first_statement_that_shares_its_line_is_refused():
    with pytest.raises(SourceProblem, match="first statement begins on a line of its own"):
        loaded('"""Text."""; x = 3\n', invariants=("x == 3",))


def test_globals_are_those_that_anybody_binds():
    text = "import os.path\nfrom math import pi as p\nx = 1\nclass C: w = 4\n"
    text += "def f():\n    global y\n    y = 2\n    z = 3\n"
    names = invariants_module.globals_of(Path("a.py"), text)
    assert {"os", "p", "x", "f", "y", "C"} <= names
    assert not {"z", "w", "pi"} & names


# --- the way back, with a machine that stands in for the real one ---


def test_a_violation_is_told_in_the_words_of_the_source(with_a_fake_machine):
    result = assay.verify("counter.py", trace="run.json")
    assert result.verdict is assay.Verdict.VIOLATED
    assert result.semantics["granularity"] == "bytecode"
    (violation,) = result.violations
    assert (violation.kind, violation.message, violation.line) == ("invariant", "nothing is lost", 8)
    assert violation.traceback == (
        "Exception in thread Thread-2 (count):",
        "Traceback (most recent call last):",
        '  File "counter.py", line 8, in count',
        "    counter += 1",
        "InvariantViolated: nothing is lost",
    )
    run = violation.counterexample
    assert [(s.process[:8], s.line, s.text, s.function) for s in run.steps] == [
        ("Thread-1", 8, "counter += 1", "count"),
        ("Thread-2", 8, "counter += 1", "count"),
        ("Thread-1", 8, "counter += 1", "count"),
        ("Thread-2", 8, "counter += 1", "count"),
    ]
    accesses = [(a.kind, a.name, a.value) for step in run.steps for a in step.accesses]
    assert accesses == [
        ("read", "counter", "0"),
        ("read", "counter", "0"),
        ("write", "counter", "1"),
        ("write", "counter", "1"),
    ]
    facts = result.as_json()["violations"][0]
    assert facts["steps"][2]["accesses"] == [{"kind": "write", "name": "counter", "value": "1"}]
    assert facts["traceback"][-1] == "InvariantViolated: nothing is lost"


def test_a_trace_is_read_back_as_it_was_written_and_replays(with_a_fake_machine):
    result = assay.verify("counter.py", trace="run.json")
    (violation,) = result.violations
    assert load_trace(Path("run.json")).counterexample == violation.counterexample
    assert assay.replay("counter.py", "run.json") == violation.counterexample


def test_columns_are_threads_where_there_is_room_and_a_list_where_not(with_a_fake_machine):
    run = assay.verify("counter.py").violations[0].counterexample

    def shown(width):
        output = io.StringIO()
        print_run(run, console=Console(file=output, width=width, highlight=False, soft_wrap=True))
        return output.getvalue().splitlines()

    wide = shown(100)
    header = next(line for line in wide if "Thread-1" in line)
    assert header.index("Thread-1") < header.index("Thread-2")
    rows = [line for line in wide if "8  counter += 1" in line]
    assert len(rows) == 4
    assert {line.index("8  counter") for line in rows} == {header.index("Thread-1"), header.index("Thread-2")}
    assert any("reads counter: 0" in line for line in wide)
    assert any("counter = 1" in line for line in wide)
    assert any("Thread-1 (count) ends" in line for line in wide)
    narrow = shown(50)
    assert sum("Thread-1 (count)" in line and "counter += 1" in line for line in narrow) == 2
    assert all(len(line) <= 100 for line in wide)


def test_the_verdict_names_the_granularity(with_a_fake_machine):
    result = replace(
        assay.verify("counter.py", granularity="gil"), verdict=assay.Verdict.VERIFIED, violations=()
    )
    output = io.StringIO()
    print_result(result, console=Console(file=output, width=200, highlight=False))
    assert "every property asked for holds (granularity gil)" in output.getvalue()


def test_a_certificate_is_for_one_granularity_and_one_text(with_a_fake_machine):
    harmless = f"# This may lose updates.\n{COUNTER}"
    Path("counter.py").write_text(harmless)
    result = assay.verify("counter.py", granularity="gil", certificate="c.assay")
    assert result.verdict is assay.Verdict.VERIFIED
    refused = assay.certify("counter.py", "c.assay")
    assert refused.verdict is assay.Verdict.REJECTED
    assert "switch as 'gil' says, you asked for bytecode" in refused.reasons[0]
    accepted = assay.certify("counter.py", "c.assay", granularity="gil", tasks=2, workers=2)
    assert (accepted.verdict, accepted.states) == (assay.Verdict.VERIFIED, result.states), accepted.reasons
    assert accepted.semantics["granularity"] == "gil"
    assert check(Path("counter.py"), Path("c.assay")).states == result.states
    Path("counter.py").write_text(COUNTER)
    assert "another program text" in assay.certify("counter.py", "c.assay", granularity="gil").reasons[0]
    with pytest.raises(Rejected, match="is another program"):
        check(Path("counter.py"), Path("c.assay"))


def test_the_command_to_certify_asks_for_the_granularity(with_a_fake_machine):
    Path("counter.py").write_text(f"# This may lose updates.\n{COUNTER}")
    result = assay.verify("counter.py", granularity="gil", certificate="c.assay")
    output = io.StringIO()
    print_result(result, console=Console(file=output, width=200, highlight=False))
    assert "assay certify counter.py c.assay --granularity gil" in output.getvalue()


def test_a_violation_that_a_walk_meets_is_explained_by_the_process_that_replays_it(
    with_a_fake_machine, monkeypatch
):
    Path("counter.py").write_text(f"# This may lose updates.\n{COUNTER}")
    assay.verify("counter.py", certificate="c.assay")
    certificate = Path("c.assay").read_bytes()

    def minding(content: bytes) -> SealedFile:
        """The same states, of a program that minds lost updates."""
        return SealedFile(content.replace(b"may lose updates", b"must lose none at all"[:16]))

    monkeypatch.setattr("assay.languages.python.program.SealedFile", minding)
    found = assay.certify("counter.py", "c.assay")
    assert certificate == Path("c.assay").read_bytes()
    assert found.verdict is assay.Verdict.REJECTED
    assert found.reasons == ("the program violates what the certificate claims: nothing is lost",)
    assert len(found.violations[0].counterexample.steps) == 4


def test_what_others_see_of_a_search_that_the_machine_refuses():
    Path("image").write_text(
        json.dumps({"kind": "UnsupportedProgram", "complaint": "a.py:3: sockets are not modelled"})
    )
    with pytest.raises(UnsupportedConstruct, match=r"^a\.py:3: sockets are not modelled$"):
        native.search(Opening("image", FAKE), SearchOptions())
    Path("image").write_text(json.dumps({"kind": "AssumptionFailed", "complaint": ".count"}))
    with pytest.raises(model_process.AssumptionFailed) as caught:
        native.search(Opening("image", FAKE), SearchOptions())
    assert caught.value.assumption == ".count"
    Path("image").write_text(json.dumps({"kind": "RuntimeError", "complaint": "something else"}))
    with pytest.raises(model_process.EngineFailure, match="something else"):
        native.search(Opening("image", FAKE), SearchOptions())


def test_names_are_those_of_the_line_and_values_those_that_agree():
    text = "Account(balance=3, lock=Lock(), name='a, b)') and Account(balance=4)"
    assert list(attribute_values(text, "Account", "balance")) == ["3", "4"]
    assert list(attribute_values(text, "Account", "name")) == ["'a, b)'"]
    assert list(attribute_values(text, "Account", "owner")) == []
    assert list(attribute_values("Account(", "Account", "balance")) == []


def test_who_waits_is_told_with_what_for_and_who_holds_it():
    program = loaded()
    state = bytes(8)
    thread = {
        "name": "Thread-1 (count)",
        "status": "waiting",
        "daemon": False,
        "frames": [
            {"function": "count", "file": "counter.py", "line": 8, "locals": {}},
            {"function": "acquire", "file": "<assay>/_thread.py", "line": 3, "locals": {}},
        ],
        "waits_for": {"operation": "Lock.acquire", "held_by": "Thread-2"},
    }
    told = program.knowing({"states": {state.hex(): {"threads": [thread], "globals": {}}}, "steps": []})
    (waiting,) = told.describe_waiting(state)
    assert (waiting.process, waiting.file, waiting.line) == ("Thread-1 (count)", "counter.py", 8)
    assert "Lock.acquire, held by Thread-2" in waiting.text


def test_an_image_is_opened_only_where_hashes_are_fixed():
    program = loaded()
    code = (
        "from assay.languages.python.machine import Opening, open_image; "
        f"open_image(Opening({program.opening.file!r}))"
    )
    child = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONHASHSEED": "7"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "PYTHONHASHSEED=0" in child.stderr
    if sys.flags.hash_randomization:
        with pytest.raises(SourceProblem, match="PYTHONHASHSEED=0"):
            open_image(program.opening)


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        ("3", "3"),
        ("[1, (2,)]", "[1, (2,)]"),
        ("{2, 1}", "set({1, 2})"),
        ("set()", "set({})"),
        ("{'a': [1]}", "{'a': [1]}"),
        ("Lock()", None),
        ("[1, ...]", None),
        ("<function f at 0x...>", None),
    ],
)
def test_plain_values_of_an_outcome(shown, text):
    assert plain_text(shown) == text


# --- functions ---


def module_with(text, name="functions_under_test"):
    Path(f"{name}.py").write_text(text)
    namespace = {}
    exec(compile(text, str(Path(f"{name}.py").resolve()), "exec"), namespace)
    return namespace


def test_closures_and_functions_with_arguments_are_refused():
    namespace = module_with(
        "def outer():\n    x = 1\n    def inner():\n        return x\n    return inner\ndef needs(a): pass\n"
    )
    with pytest.raises(SourceProblem, match=r"uses variables of the function around it \(x\)"):
        assay.verify(namespace["outer"]())
    with pytest.raises(SourceProblem, match=r"needs needs arguments \(a\)"):
        assay.verify(namespace["needs"])
    with pytest.raises(SourceProblem, match="cannot be named from outside"):
        assay.verify(lambda: None)
    with pytest.raises(OptionProblem, match="certificates are about a program"):
        assay.verify(module_with("def f(): pass\n")["f"], certificate="c.assay")


# --- in plain Python ---


def test_choose_takes_one_of_the_options(monkeypatch):
    assert {plain.choose("a", "b") for _ in range(200)} == {"a", "b"}
    assert {plain.choose(range(2)) for _ in range(200)} == {0, 1}
    monkeypatch.setenv("ASSAY_CHOOSE", "first")
    assert {assay.choose("a", "b") for _ in range(50)} == {"a"}
    with pytest.raises(ValueError, match="at least one option"):
        plain.choose([])


def test_an_assumption_ends_the_run_quietly():
    code = "import assay\nprint('begun')\nassay.assume(1 + 1 == 2)\nassay.assume(False)\nprint('never')\n"
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (child.returncode, child.stdout, child.stderr) == (0, "begun\n", "")


def test_an_invariant_is_checked_once():
    assert plain.invariant(lambda: True) is not None
    with pytest.raises(AssertionError, match="invariant: order"):
        plain.invariant(lambda: False, name="order")


def test_atomic_stretches_exclude_one_another():
    inside, most = 0, 0

    def work():
        nonlocal inside, most
        for _ in range(200):
            with assay.atomic(), assay.atomic():
                inside += 1
                most = max(most, inside)
                inside -= 1

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1


# --- with the machine ---


def test_a_lost_update_is_found_explained_and_replayed():
    result = assay.verify("counter.py", trace="run.json")
    assert result.verdict is assay.Verdict.VIOLATED
    (violation,) = result.violations
    assert violation.message == "AssertionError: counted to 1"
    assert violation.traceback[-3:] == (
        '  File "counter.py", line 16, in <module>',
        '    assert counter == 2, f"counted to {counter}"',
        "AssertionError: counted to 1",
    )
    threads = {step.process for step in violation.counterexample.steps}
    assert threads == {"MainThread", "Thread-1 (count)", "Thread-2 (count)"}
    assert assay.replay("counter.py", "run.json").violation == violation.counterexample.violation


def test_a_locked_counter_is_verified_certified_and_checked():
    text = COUNTER.replace("counter = 0\n", "counter = 0\nlock = threading.Lock()\n", 1)
    Path("counter.py").write_text(
        text.replace("    counter += 1\n", "    with lock:\n        counter += 1\n")
    )
    result = assay.verify("counter.py", certificate="c.assay", invariants=["counter <= 2"])
    assert result.verdict is assay.Verdict.VERIFIED
    certified = assay.certify("counter.py", "c.assay", tasks=2, workers=2)
    assert certified.verdict is assay.Verdict.VERIFIED, certified.reasons
    more = assay.certify("counter.py", "c.assay", invariants=["counter <= 1"])
    assert more.verdict is assay.Verdict.VIOLATED, more.reasons
    child = subprocess.run(
        [sys.executable, "-m", "assay.checker", "counter.py", "c.assay"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert child.returncode == 0, child.stdout
    assert '"granularity": "bytecode"' in child.stdout


def test_a_certificate_with_another_granularity_has_to_be_asked_for():
    Path("small.py").write_text("x = 1\n")
    assert (
        assay.verify("small.py", granularity="sync", certificate="c.assay").verdict is assay.Verdict.VERIFIED
    )
    refused = assay.certify("small.py", "c.assay")
    assert refused.verdict is assay.Verdict.REJECTED
    assert "you asked for bytecode" in refused.reasons[0]
    assert assay.certify("small.py", "c.assay", granularity="sync").verdict is assay.Verdict.VERIFIED


def test_an_invariant_of_the_command_line_is_checked_in_every_state():
    result = assay.verify("counter.py", invariants=["counter < 2"])
    assert result.verdict is assay.Verdict.VIOLATED
    (violation,) = result.violations
    assert (violation.kind, violation.message) == ("invariant", "counter < 2")


def test_what_was_taken_for_final_and_is_not_is_named_in_the_verdict_and_replayed():
    Path("box.py").write_text("""\
import threading


class Box:
    def __init__(self, content):
        self.content = content


box = Box(0)


def change():
    box.__init__(1)


thread = threading.Thread(target=change)
thread.start()
seen = box.content
again = box.content
thread.join()
assert (seen, again) != (0, 1)
""")
    result = assay.verify("box.py", trace="run.json")
    assert result.verdict is assay.Verdict.VIOLATED
    assert result.semantics["not_final"] == [".content"]
    reads = [a for s in result.violations[0].counterexample.steps for a in s.accesses if a.kind == "read"]
    assert ("box.content", "0") in {(access.name, access.value) for access in reads}
    assert assay.replay("box.py", "run.json") == result.violations[0].counterexample


def test_a_module_that_is_not_modelled_is_refused_where_it_is_used():
    Path("net.py").write_text("import socket\n\nsocket.socket()\n")
    used = (
        r"net\.py:3: the program calls socket\.socket, and the module 'socket' of CPython is not modelled; "
    )
    with pytest.raises(SourceProblem, match=used):
        assay.verify("net.py")


def test_a_module_that_needs_one_that_is_not_modelled_is_refused_there():
    Path("net.py").write_text("import telnetlib_like\n")
    Path("telnetlib_like.py").write_text("import mailbox\nmailbox.Mailbox('x')\n")
    with pytest.raises(SourceProblem, match=r"telnetlib_like\.py:2: .* not modelled; "):
        assay.verify("net.py")


def test_a_verdict_mentions_the_order_of_a_large_set_a_clock_and_an_assumption():
    Path("notes.py").write_text("""\
import time
import assay

assay.assume(assay.choose(1, 2) == 1)
for word in {"a", "b", "c", "d", "e"}:
    print(word)
print(f"{time.time():.1f}")
""")
    notes = assay.verify("notes.py").notes
    assert "notes.py:4: runs in which this assumption is false were not followed" in notes
    assert "notes.py:5: a set is gone through in one order only; sort it where the order matters" in notes
    assert any(note.startswith("notes.py:7: time.time() becomes a text") for note in notes)


@pytest.mark.parametrize(
    "use", ["range(x)", "{x}", "'%d' % [1][x]", "sorted([1, 2], key=lambda item: range(x))"]
)
def test_a_refusal_cannot_be_caught(use):
    """Otherwise the program would go on in a way in which it never goes on in CPython."""
    Path("clock.py").write_text(
        f"import time\nx = time.time()\ntry:\n    {use}\nexcept Exception:\n    pass\n"
    )
    with pytest.raises(SourceProblem, match="which is not known when a program is checked"):
        assay.verify("clock.py")


def test_a_deadlock_says_who_waits_and_who_holds():
    Path("order.py").write_text("""\
import threading

first, second = threading.Lock(), threading.Lock()


def take(one, other):
    with one:
        with other:
            pass


threads = [
    threading.Thread(target=take, args=pair, name=name)
    for name, pair in (("forth", (first, second)), ("back", (second, first)))
]
for thread in threads:
    thread.start()
""")
    result = assay.verify("order.py")
    assert result.violations[0].kind == "deadlock"
    waiting = {w.process: w for w in result.violations[0].counterexample.waiting}
    assert {"forth", "back"} <= waiting.keys()
    assert waiting["forth"].line == waiting["back"].line == 8
    assert "held by back" in waiting["forth"].text
    assert "held by forth" in waiting["back"].text


def test_a_function_is_verified_by_calling_it():
    text = COUNTER.replace("threads = [", "def test():\n  threads = [").replace("\nfor", "\n  for")
    text = text.replace("\n    thread.", "\n      thread.").replace("\nassert", "\n  assert")
    ast.parse(text)
    result = assay.verify(module_with(text)["test"])
    assert result.verdict is assay.Verdict.VIOLATED
    assert result.violations[0].message == "AssertionError: counted to 1"
    fine = verify_call(Path("functions_under_test.py"), "module.count()")
    assert fine.verdict is assay.Verdict.VERIFIED


def test_outcomes_are_all_ways_to_end():
    from tests.oracles import exploration

    found = exploration.outcomes(COUNTER.rpartition("assert")[0])
    assert {dict(variables)["counter"] for variables, _ in found} == {"1", "2"}
    assert {ended for _, ended in found} == {"ok"}
    assert {ended for _, ended in exploration.outcomes("counter.py")} == {
        "ok",
        "AssertionError: counted to 1",
    }
