"""Certificates of systems written as Python classes: made, checked twice, forged, refused."""

import hashlib
import os
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay import _engine
from assay.checker import Rejected, Unusable, check
from assay.distribution.in_process import InProcess
from assay.evidence.certificate.container import CertificateFile
from assay.evidence.verdict import Verdict
from assay.languages import handwritten
from assay.transition_system.interface import SourceProblem
from assay.transition_system.language_options import LanguageOptions, OptionProblem
from tests.certificates import graph_certificates as forge
from tests.certificates.attacks import hide_subtree, references, sealed, swap_references

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "token_ring.py"

COUNTER = """
from assay import Violated

class Counter:
    def initial_states(self): return [0]
    def enabled(self, state): return [1, 2]
    def step(self, state, action): return (state + action) % 7

class Several(Counter):
    def initial_states(self): return [5, 0, 5]

class Asserts(Counter):
    def step(self, state, action):
        if (state, action) == (6, 2):
            raise Violated("six is too many")
        return super().step(state, action)

class Stops(Counter):
    def enabled(self, state): return [1] if state < 6 else []

class Ends(Stops):
    def may_end(self, state): return state == 6

class Bounded(Counter):
    invariants = {"small": lambda state: state < 7}

class Unbounded(Counter):
    invariants = {"small": lambda state: state < 7, "smaller": lambda state: state < 6}
"""


@pytest.fixture(autouse=True)
def own_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.py").write_text(COUNTER)


@contextmanager
def tasks_in_this_process():
    with patch("assay.certification.sharing_out.LocalProcesses", lambda _workers, **_options: InProcess()):
        yield


def certified(program="model.py:Counter", certificate="c.assay", **options):
    with tasks_in_this_process():
        return assay.certify(program, certificate, **options)


def made(program="model.py:Counter", **options):
    result = assay.verify(program, certificate="c.assay", **options)
    assert result.verdict is Verdict.VERIFIED, result
    return result


def checked(program="model.py:Counter", certificate="c.assay"):
    return check(Path(program), Path(certificate))


def header(name="c.assay"):
    with CertificateFile(Path(name)) as file:
        return file.header


def honest(program, *, frames=1, invariants=(), deadlock=True):
    """A certificate made here from the class's steps, whatever they violate."""
    system = handwritten.load(program)
    options = LanguageOptions(invariants=invariants)
    model = handwritten.CanonicalSystem(system, options)
    return forge.certify(
        model,
        frames=frames,
        program=Path(program).name,
        language="python-class",
        sources=[{"name": Path(source.path).name, "sha256": source.sha256} for source in system.sources],
        semantics=system.semantics,
        properties={
            "assertions": True,
            "deadlock": deadlock,
            "invariants": list(invariants),
            "step_invariants": [],
        },
    )


# --- What is accepted -----------------------------------------------------------------------------------


@pytest.mark.parametrize("subgraphs", [False, True])
@pytest.mark.parametrize("search", ["bfs", "dfs"])
@pytest.mark.parametrize(("name", "states", "transitions"), [("TokenRing", 6, 9), ("CarelessRing", 24, 72)])
def test_both_checkers_accept_the_examples(name, states, transitions, search, subgraphs):
    program = f"{EXAMPLE}:{name}"
    without = assay.verify(program, search=search)
    result = made(program, search=search, subgraphs=subgraphs, step_invariants=["next.token < 3"])
    assert (
        (result.states, result.transitions) == (without.states, without.transitions) == (states, transitions)
    )
    assert result.depth == without.depth
    assert header().semantics == {"class": name, "invariants": [], "language": "Python class"}
    assert header().program == f"token_ring.py:{name}"
    for mode in ("authenticated", "explained"):
        found = certified(program, mode=mode)
        assert (found.verdict, found.reasons) == (Verdict.VERIFIED, ())
        assert (found.states, found.transitions) == (states, transitions)
    accepted = checked(program)
    assert (accepted.states, accepted.transitions) == (states, transitions)


def test_processes_that_load_the_class_themselves_agree():
    honest_one = honest("model.py:Counter", frames=4)
    Path("c.assay").write_bytes(sealed(honest_one))
    found = assay.certify("model.py:Counter", "c.assay", workers=2, tasks=4)
    assert (found.verdict, found.tasks, found.workers, found.states) == (Verdict.VERIFIED, 4, 2, 7)


def test_several_initial_states_have_a_root_before_them():
    result = made("model.py:Several")
    assert (result.states, result.transitions) == (7, 14)
    assert (header().states, header().transitions) == (8, 17)
    assert certified("model.py:Several").states == 8
    assert checked("model.py:Several").states == 8


def test_a_trusted_certificate_is_followed_along_its_tree():
    made()
    found = certified(mode="trusted", trust_unsigned=True)
    assert (found.verdict, found.states, found.complete) == (Verdict.VERIFIED, 7, False)


def test_states_may_be_any_values_that_can_be_told_apart():
    Path("values.py").write_text(
        "from dataclasses import dataclass\n"
        "from enum import Enum\n"
        "from typing import NamedTuple\n"
        "class Light(Enum):\n    RED = 1\n    GREEN = 2\n"
        "class Pair(NamedTuple):\n    light: Light\n    count: float\n"
        "@dataclass(frozen=True)\nclass State:\n    pair: Pair\n    seen: frozenset\n"
        "class System:\n"
        "    def initial_states(self): return [State(Pair(Light.RED, 0), frozenset())]\n"
        "    def enabled(self, state): return ['switch', 'wait']\n"
        "    def step(self, state, action):\n"
        "        light, count = state.pair\n"
        "        if action == 'wait':\n"
        "            return State(Pair(light, (count + 0.5) % 2), state.seen | {(light, 'waited', b'x')})\n"
        "        return State((list(Light)[light is Light.RED], count), state.seen | {None})\n"
    )
    result = made("values.py:System")
    # 1.0 and 1 are one state, and so are tuples and named tuples.
    assert result.states == assay.verify("values.py:System").states
    assert certified("values.py:System").verdict is Verdict.VERIFIED
    assert checked("values.py:System").states == result.states


def test_the_same_class_gives_the_same_bytes_whatever_the_hash_seed():
    seen = set()
    for seed in ("1", "2"):
        subprocess.run(
            [
                *(sys.executable, "-c", "from assay.cli.main import main; main()"),
                *("verify", f"{EXAMPLE}:CarelessRing", "--certificate", "c.assay", "-q"),
            ],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
        )
        seen.add(Path("c.assay").read_bytes())
    assert len(seen) == 1


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 300)
    | st.sampled_from([0.0, 1.0, 0.5, 2.0**70])
    | st.text("ab", max_size=9)
    | st.binary(max_size=2),
    lambda parts: st.lists(parts, max_size=3).map(tuple) | st.frozensets(parts, max_size=3),
    max_leaves=5,
)


@st.composite
def systems(draw):
    """The text of a class over a few arbitrary values: some of its states are reachable."""
    states = list(dict.fromkeys(draw(st.lists(values, min_size=1, max_size=8))))
    node = st.integers(0, len(states) - 1)
    edges = [draw(st.lists(node, max_size=4)) for _ in states]
    initial = draw(st.lists(node, min_size=1, max_size=3))
    return (
        f"STATES = {states!r}\nEDGES = {edges!r}\n"
        "NUMBERS = {state: number for number, state in enumerate(STATES)}\n"
        "class Random:\n"
        f"    def initial_states(self): return [STATES[number] for number in {initial!r}]\n"
        "    def enabled(self, state): return EDGES[NUMBERS[state]]\n"
        "    def step(self, state, action): return STATES[action]\n"
        "    def may_end(self, state): return True\n"
    )


@settings(max_examples=40, deadline=None)
@given(systems(), st.sampled_from(["bfs", "dfs"]), st.data())
def test_random_systems_are_accepted_and_their_forgeries_rejected_by_both(text, search, data):
    with tempfile.TemporaryDirectory() as directory:
        program, certificate = f"{directory}/random.py:Random", f"{directory}/c.assay"
        Path(directory, "random.py").write_text(text)
        without = assay.verify(program, search=search)
        result = assay.verify(program, search=search, certificate=certificate)
        assert (result.verdict, result.states, result.transitions) == (
            Verdict.VERIFIED,
            without.states,
            without.transitions,
        )
        assert certified(program, certificate).reasons == ()
        checked(program, certificate)

        forged = honest(program, frames=data.draw(st.integers(1, 3)))
        refers = references(forged)
        if not refers or len(forged.entries) == 1:
            return
        number, position = data.draw(st.sampled_from(refers))
        wrong = data.draw(
            st.sampled_from([n for n in range(len(forged.entries)) if n != forged.entries[number][position]])
        )
        forged.entries[number][position] = wrong
        forged.recount()
        Path(certificate).write_bytes(sealed(forged))
        assert certified(program, certificate).verdict is Verdict.REJECTED
        with pytest.raises(Rejected):
            checked(program, certificate)


# --- What is rejected -----------------------------------------------------------------------------------


def swap(certificate):
    first, second = next(
        (one, other)
        for one in references(certificate)
        for other in references(certificate)
        if certificate.entries[one[0]][one[1]] != certificate.entries[other[0]][other[1]]
    )
    swap_references(certificate, first, second)


def hide(certificate):
    hide_subtree(certificate, len(certificate.entries) - 1, 0)


def miscount(certificate):
    certificate.counts[0] += 1
    certificate.counts[1] -= 1


@pytest.mark.parametrize("attack", [swap, hide, miscount])
def test_both_checkers_reject_a_forged_script(attack):
    certificate = honest("model.py:Counter", frames=2)
    attack(certificate)
    Path("c.assay").write_bytes(sealed(certificate))
    assert certified().verdict is Verdict.REJECTED
    with pytest.raises(Rejected):
        checked()


def test_the_wrong_entry_is_named_with_its_action():
    certificate = honest("model.py:Counter")
    number, position = references(certificate)[0]
    right, certificate.entries[number][position] = certificate.entries[number][position], 1
    certificate.recount()
    Path("c.assay").write_bytes(sealed(certificate))
    [reason] = certified().reasons
    assert f"in state {number}, entry {position} (Counter model.py:7: " in reason
    assert f"refers to state 1 but leads to state {right}" in reason


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("Asserts", "six is too many"),
        ("Stops", "no action is enabled and the system may not end here"),
        ("Unbounded", "smaller"),
    ],
)
def test_a_program_that_violates_the_claim_is_rejected_with_its_run(name, reason):
    certificate = honest(f"model.py:{name}")
    if name == "Asserts":  # the step that fails leads nowhere; the forger says that it leads to state 0
        next(entries for entries in certificate.entries if len(entries) == 1).append(0)
        certificate.recount()
    Path("c.assay").write_bytes(sealed(certificate))
    found = certified(f"model.py:{name}")
    assert found.verdict is Verdict.REJECTED
    assert found.reasons == (f"the program violates what the certificate claims: {reason}",)
    [violation] = found.violations
    assert violation.counterexample.variables_after(violation.counterexample.length)["state"] == 6
    with pytest.raises(Rejected, match="a property is violated"):
        checked(f"model.py:{name}")


def test_an_added_property_that_fails_is_no_fault_of_the_certificate():
    made()
    found = certified(invariants=["state < 6"])
    assert found.verdict is Verdict.VIOLATED
    assert [step.text for step in found.violations[0].counterexample.steps] == ["2", "2", "2"]
    assert certified(step_invariants=["next.state != state"]).verdict is Verdict.VERIFIED


def test_a_file_that_changed_is_rejected_and_not_executed():
    made()
    Path("model.py").write_text(COUNTER + "\nopen('executed', 'w')\n")
    assert certified().reasons == ("the certificate is about another program text: model.py differs",)
    with pytest.raises(Rejected, match=r"model\.py is another program: its SHA-256 differs"):
        checked()
    assert not Path("executed").exists()


def test_a_change_that_keeps_size_and_time_is_seen():
    """A bytecode cache would take the file for the old one."""
    made()
    before = Path("model.py").stat()
    Path("model.py").write_text(COUNTER.replace("% 7", "% 8", 1))
    os.utime("model.py", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert certified().verdict is Verdict.REJECTED
    assert assay.verify("model.py:Counter").states == 8
    assert not Path("__pycache__").exists()


def test_a_certificate_of_another_class_is_rejected():
    made("model.py:Bounded")
    assert certified("model.py:Counter").reasons == (
        "the certificate is about the class Bounded, this is Counter",
    )
    with pytest.raises(Rejected, match="the certificate speaks of the class 'Bounded'"):
        checked("model.py:Counter")


def test_a_certificate_under_other_semantics_is_rejected():
    certificate = honest("model.py:Bounded")
    certificate.header["semantics"] = {**certificate.header["semantics"], "invariants": []}
    Path("c.assay").write_bytes(sealed(certificate))
    assert certified("model.py:Bounded").reasons == (
        "the certificate was made under other semantics than this Assay has",
    )
    with pytest.raises(Rejected, match="the certificate is for other semantics"):
        checked("model.py:Bounded")


@pytest.mark.parametrize("text", ["__import__('os')", "state.__class__", "((((", "next.state == 1"])
def test_a_claim_that_is_no_property_is_rejected(text):
    certificate = honest("model.py:Counter")
    certificate.header["properties"] = {**certificate.header["properties"], "invariants": [text]}
    Path("c.assay").write_bytes(sealed(certificate))
    [reason] = certified().reasons
    assert reason.startswith("the certificate claims what is no property: --invariant")
    with pytest.raises(Rejected, match="the certificate claims what is no property"):
        checked()


def test_actions_in_another_order_are_another_system():
    Path("moody.py").write_text(
        "import os\n"
        + COUNTER.replace("return [1, 2]", "return [2, 1] if os.path.exists('mood') else [1, 2]")
    )
    made("moody.py:Counter")
    assert certified("moody.py:Counter").verdict is Verdict.VERIFIED
    Path("mood").touch()
    assert certified("moody.py:Counter").verdict is Verdict.REJECTED
    with pytest.raises(Rejected):
        checked("moody.py:Counter")


FICKLE = """
from pathlib import Path

LOADS = Path("loads")
LOADS.write_text("x" + (LOADS.read_text() if LOADS.exists() else ""))
ORDER = sorted(["good", "wrong"], reverse=len(LOADS.read_text()) % 2 == 0)

class Fickle:
    def initial_states(self): return ["start"]
    def enabled(self, state): return ORDER if state == "start" else [state]
    def step(self, state, action): return action
    invariants = {"right": lambda state: state != "wrong"}
"""


@pytest.mark.parametrize("tasks", [1, 4])
def test_processes_that_see_other_orders_of_actions_hide_no_state_between_them(tasks):
    """The last two tasks would both visit the same one of two leaves, and nobody the other."""
    Path("fickle.py").write_text(FICKLE)
    Path("c.assay").write_bytes(sealed(honest("fickle.py:Fickle", frames=4)))
    Path("loads").unlink()
    found = certified("fickle.py:Fickle", tasks=tasks)
    assert found.verdict is Verdict.REJECTED
    if tasks == 4:
        [reason] = found.reasons
        assert reason.startswith("processes do not agree on the steps of the program")


def test_subtrees_are_not_given_to_processes_that_may_disagree():
    made(subgraphs=True)
    with pytest.raises(OptionProblem, match="partition: a Python class is cut into intervals only"):
        certified(partition="subgraphs")


def test_a_certificate_of_a_class_needs_a_class_and_the_other_way_round():
    made()
    assert certified("model.py").verdict is Verdict.REJECTED
    with pytest.raises(Unusable, match=r"name it as model\.py:ClassName"):
        checked("model.py")
    certificate = honest("model.py:Counter")
    certificate.header |= {"language": "promela", "program": "model.py"}
    Path("c.assay").write_bytes(sealed(certificate))
    assert certified().reasons == (
        "the certificate is about a program in promela, this one is in python-class",
    )


# --- What is refused ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("after", "message"),
    [
        ("object()", "a state cannot be certified: object is not one of None, bool, int, float, str"),
        ("0j", "a state cannot be certified: complex is not one of"),
        ("float('nan')", "a state cannot be certified: NaN does not equal itself"),
        ("'x' * 40_000", "a state takes 40,008 bytes; certified are at most 32,768"),
        ("(state, type(self))", "a state cannot be certified: type is not one of"),
    ],
)
def test_states_without_a_canonical_form_are_refused_only_for_a_certificate(after, message):
    Path("model.py").write_text(COUNTER.replace("(state + action) % 7", f"{after} if state == 0 else 0"))
    assert assay.verify("model.py:Counter", max_states=3).verdict is not Verdict.VIOLATED
    with pytest.raises(SourceProblem, match=message) as problem:
        assay.verify("model.py:Counter", certificate="c.assay")
    assert str(problem.value).startswith("model.py:Counter: ")
    assert not Path("c.assay").exists()


def test_unsupported_states_are_refused_when_a_certificate_is_checked():
    text = COUNTER.replace("% 7", "% 7 + 1j")
    Path("model.py").write_text(text)
    certificate = forge.certify(
        _engine.ExplicitGraph([bytes(8)], [[(0, 0)] * 2], [True], [0]),
        program="model.py:Counter",
        language="python-class",
        sources=[{"name": "model.py", "sha256": hashlib.sha256(text.encode()).hexdigest()}],
        semantics={"class": "Counter", "invariants": [], "language": "Python class"},
        properties={"assertions": True, "deadlock": True, "invariants": [], "step_invariants": []},
    )
    Path("c.assay").write_bytes(sealed(certificate))
    with pytest.raises(SourceProblem, match="complex is not one of"):
        certified()
    with pytest.raises(Unusable, match="complex is not one of"):
        checked()


def test_an_object_has_no_text_that_others_could_check():
    system = handwritten.load("model.py:Counter").system
    with pytest.raises(OptionProblem, match=r"name the class as model\.py:ClassName"):
        assay.verify(system, certificate="c.assay")


def test_a_certificate_does_not_replace_its_program():
    with pytest.raises(OptionProblem, match="expected a file of its own, got the program itself"):
        assay.verify("model.py:Counter", certificate="model.py")
    assert Path("model.py").read_text() == COUNTER


def test_a_cluster_does_not_have_the_file():
    made()
    with pytest.raises(OptionProblem, match="cluster: a Python class is executed where its file is"):
        certified(cluster="tcp://127.0.0.1:1")


# --- The same report with and without a certificate -----------------------------------------------------


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("Counter", {"invariants": ["state < 6"]}),
        ("Counter", {"step_invariants": ["next.state != 6"], "search": "dfs"}),
        ("Counter", {"max_states": 3}),
        ("Asserts", {}),
        ("Stops", {}),
        ("Unbounded", {"all_errors": True}),
        ("Several", {"invariants": ["state != 4"]}),
    ],
)
def test_a_certificate_changes_no_other_verdict(name, options):
    program = f"model.py:{name}"
    plain = assay.verify(program, **options)
    asked = assay.verify(program, certificate="c.assay", **options)
    for key in ("verdict", "states", "transitions", "depth", "violations", "stop_reason", "reasons"):
        assert getattr(asked, key) == getattr(plain, key)
    assert plain.verdict is not Verdict.VERIFIED
    assert asked.notes == (f"no certificate was written: the verdict is {plain.verdict}, not verified",)
    assert not Path("c.assay").exists()


@pytest.mark.parametrize("step", ["{}[state]", "[state]", "1 // state", "sys.exit()"])
def test_an_exception_in_the_class_gives_the_same_report(step):
    Path("model.py").write_text("import sys\n" + COUNTER.replace("(state + action) % 7", step))
    told = []
    for options in ({}, {"certificate": "c.assay"}):
        with pytest.raises((SourceProblem, SystemExit)) as problem:
            assay.verify("model.py:Counter", **options)
        told.append((type(problem.value), str(problem.value)))
    assert told[0] == told[1]


def test_a_method_that_never_returns_is_ended_at_the_time_limit():
    Path("model.py").write_text(
        COUNTER.replace(
            "return (state + action) % 7", "\n        while state == 5: pass\n        return state + 1"
        )
    )
    for seconds in (0.5, 4.0, 32.0, 256.0):  # until the machine is fast enough to come to that state
        result = assay.verify("model.py:Counter", certificate="c.assay", timeout_seconds=seconds)
        if result.stop_reason == "stuck":
            break
    assert (result.verdict, result.stop_reason, result.states) == (Verdict.INCOMPLETE, "stuck", 6)


def test_an_exception_while_a_certificate_is_checked_is_told_with_its_place():
    Path("late.py").write_text(
        "import os\n"
        + COUNTER.replace("(state + action) % 7", "(state + action) % (0 if os.path.exists('x') else 7)")
    )
    certificate = honest("late.py:Counter")
    Path("c.assay").write_bytes(sealed(certificate))
    Path("x").touch()
    for workers in (certified, assay.certify):
        with pytest.raises(SourceProblem, match=r"late\.py:8: step raised ZeroDivisionError"):
            workers("late.py:Counter", "c.assay")
    with pytest.raises(Unusable, match=r"late\.py:8: step raised ZeroDivisionError"):
        checked("late.py:Counter")


def test_invariants_of_the_class_are_checked():
    assert made("model.py:Bounded").semantics["invariants"] == ["small"]
    assert certified("model.py:Bounded").verdict is Verdict.VERIFIED
    [violation] = assay.verify("model.py:Unbounded").violations
    assert (violation.kind, violation.message) == ("invariant", "smaller")
    Path("model.py").write_text(COUNTER.replace('{"small": lambda state: state < 7}', "['small']", 1))
    with pytest.raises(SourceProblem, match=r"expected `invariants` to map names to predicates"):
        assay.verify("model.py:Bounded")


def test_may_end_is_asked():
    made("model.py:Ends")
    assert certified("model.py:Ends").verdict is Verdict.VERIFIED
    assert checked("model.py:Ends").states == 7


# --- The engine over Python objects ---------------------------------------------------------------------


def words(number):
    return number.to_bytes(8, "little")


class Numbers:
    def initial_state(self):
        return words(0), 0

    def successors(self, state):
        return [(words((int.from_bytes(state, "little") + 1) % 5), 0)]

    def is_valid_end(self, _state):
        return True


def searched(system, max_words=1, strategy="bfs"):
    return _engine.search(
        _engine.PythonSystem(system, max_words),
        strategy=strategy,
        storage="exact",
        threads=1,
        seed=0,
        hash_functions=1,
        bitstate_bytes=0,
        memory_limit_bytes=0,
        time_limit_seconds=0.0,
        depth_limit=0,
        state_limit=0,
        stop_at_first_violation=True,
        check_deadlock=True,
        on_progress=None,
        progress_interval_seconds=1.0,
    )


@pytest.mark.parametrize("strategy", ["bfs", "dfs"])
def test_the_engine_searches_an_object(strategy):
    result = searched(Numbers(), strategy=strategy)
    assert (result.states, result.transitions, result.complete) == (5, 5, True)


@pytest.mark.parametrize("strategy", ["bfs", "dfs"])
@pytest.mark.parametrize(
    "method", ["initial_state", "successors", "is_valid_end", "check_state", "check_step"]
)
def test_what_an_object_raises_comes_out_of_the_search_as_itself(method, strategy):
    class Odd(Exception):
        pass

    def fails(*_):
        raise Odd(method)

    system = Numbers()
    if method == "is_valid_end":
        system.successors = lambda _state: []
    setattr(system, method, fails)
    with pytest.raises(Odd, match=method):
        searched(system, strategy=strategy)


@pytest.mark.parametrize(
    ("answer", "error", "message"),
    [
        ([(bytes(16), 0)], ValueError, "at most 1; got 16 bytes"),
        ([(bytes(7), 0)], ValueError, "a whole number of 8-byte words, at most 1; got 7 bytes"),
        ([("text", 0)], RuntimeError, "cast"),
        (None, TypeError, "iterable"),
        ([3], TypeError, "does not support indexing"),
        ([(bytes(8), -1)], RuntimeError, "cast"),
    ],
)
def test_an_object_that_answers_nonsense_is_told(answer, error, message):
    system = Numbers()
    system.successors = lambda _state: answer
    with pytest.raises(error, match=message):
        searched(system)


def test_an_object_lacks_a_method():
    with pytest.raises(AttributeError, match="successors"):
        _engine.PythonSystem(type("Half", (), {"initial_state": lambda _: (bytes(8), 0)})(), 1)


def test_one_action_is_one_step():
    model = _engine.PythonSystem(Numbers(), 1)
    assert model.successors(words(4)) == [(words(0), 0)]
    assert model.explain(words(4), 0) == [(0, 0, words(0))]
