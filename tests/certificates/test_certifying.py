"""`assay certify` and `assay.certify` from end to end: modes, tasks, properties, limits, words."""

from __future__ import annotations

import json
import os
import shutil
import signal
import struct
from dataclasses import replace
from pathlib import Path

import pytest

import assay
from assay.cli import main as cli
from assay.evidence.certificate.container import RECORD, CertificateFile, CertificateWriter
from assay.evidence.signature import default_envelope, generate_keys, sign
from assay.evidence.verdict import Verdict
from assay.transition_system.interface import SourceProblem
from assay.transition_system.language_options import OptionProblem

MODELS = Path(__file__).parents[2] / "benchmarks" / "models"
EXAMPLES = Path(__file__).parents[2] / "examples"

SHARED_KEYS = {
    "verdict", "complete", "states", "transitions", "depth", "seconds", "peak_memory_bytes", "violations",
    "certificate", "options", "version",
}  # fmt: skip
KEYS = {
    "verdict", "complete", "mode", "claim", "reasons", "notes", "program", "states", "transitions", "depth",
    "seconds", "compile_seconds", "walk_seconds", "run_seconds", "peak_memory_bytes", "tasks", "workers",
    "where", "largest_task_share", "initialization_paths", "wrong_acceptance_log2", "duplicates",
    "map_entries_peak", "signed_by", "violations", "certificate", "options", "semantics", "version",
}  # fmt: skip

# n goes up and down, m follows it and is otherwise looked at by nobody.
COUNTER = """\
byte n, m;
active proctype P() { do :: n < 9 -> atomic { n++; m = n } :: n > 0 -> atomic { n--; m = n } od }
"""
# The private step of each process is merged with what follows it, unless somebody looks.
PRIVATE = """\
byte shared;
active [2] proctype P() { byte mine; mine = 1; mine = 2; shared = shared + mine; mine = 0 }
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("certifying")


@pytest.fixture(scope="module")
def philosophers(folder):
    """A copy of a program (824 states, 2,522 transitions) and its certificate."""
    text = "#define N 5\n" + (MODELS / "philosophers.pml").read_text()
    return certified(folder, "philosophers.pml", text)


@pytest.fixture(scope="module")
def counter(folder):
    return certified(folder, "counter.pml", COUNTER, reductions=())


def certified(folder: Path, name: str, text: str, **options) -> tuple[Path, Path]:
    program = folder / name
    program.write_text(text)
    file = program.with_suffix(".assay")
    result = assay.verify(program, certificate=file, **options)
    assert result.verdict is Verdict.VERIFIED, result.reasons
    return program, file


def rewritten(file: Path, to: Path, **changes) -> Path:
    """The same frames below a changed header."""
    with CertificateFile(file) as certificate:
        header = replace(certificate.header, **changes)
        with CertificateWriter(to, header) as writer:
            for frame in certificate.frames():
                writer.add(frame)
            writer.finish()
    return to


@pytest.fixture
def run(capfd, monkeypatch, tmp_path):
    """Runs `assay certify ...`; returns exit code, standard output, standard error."""
    monkeypatch.chdir(tmp_path)

    def run_command(*arguments):
        before = signal.getsignal(signal.SIGTERM)
        try:
            with pytest.raises(SystemExit) as leaving:
                cli.main(["certify", *map(str, arguments)])
        finally:
            signal.signal(signal.SIGTERM, before)
        output, errors = capfd.readouterr()
        assert "Traceback" not in output + errors
        return leaving.value.code, output, errors

    return run_command


# --- What holds -----------------------------------------------------------------------------------------


def test_a_certificate_that_holds_is_told_in_a_few_lines(run, philosophers):
    code, output, errors = run(*philosophers)
    assert (code, errors) == (0, "")
    heading, claim, under, figures, ending = output.splitlines()
    assert ending == "  nothing is said about whether every run ends: verify asks with --terminates"
    assert heading == (
        f"verified  {philosophers[0]}: the certificate holds; "
        "every transition was checked, nobody was trusted"
    )
    assert claim == (
        "  claim: In every state that philosophers.pml (promela) can reach "
        "(at most 824, with 2,522 transitions), "
        "no assertion fails, no state is a deadlock."
    )
    assert under.startswith("  under: defines: none; ")
    assert figures.startswith("  824 states, 2,522 transitions, ")
    assert "1 task in 1 local process" in figures
    # log2((3 * 2522 + 824) / 2**192) = -178.97
    assert figures.endswith("a wrong certificate passes with probability below 2^-178")


def test_quiet_prints_the_verdict_only(run, philosophers):
    code, output, errors = run(*philosophers, "-q")
    assert (code, output.count("\n"), errors) == (0, 1, "")
    assert output.startswith("verified  ")


def test_json_has_every_key_and_counts_what_was_visited(run, philosophers):
    program, file = philosophers
    code, output, errors = run(program, file, "--json")
    assert (code, errors, output.count("\n")) == (0, "", 1)
    found = json.loads(output)
    assert found.keys() >= KEYS
    assert (found["verdict"], found["complete"], found["mode"]) == ("verified", True, "authenticated")
    assert (found["states"], found["transitions"], found["violations"]) == (824, 2522, [])
    assert found["certificate"]["bytes"] == file.stat().st_size
    assert found["certificate"]["path"] == str(file)
    assert len(found["certificate"]["sha256"]) == 64
    assert -179 < found["wrong_acceptance_log2"] < -178
    assert (found["duplicates"], found["map_entries_peak"], found["signed_by"]) == (None, None, None)
    assert found["seconds"] >= found["compile_seconds"] + found["run_seconds"]
    assert found["peak_memory_bytes"] > 1 << 20
    assert found["semantics"]["defines"] == []
    assert found["version"] == assay.__version__


@pytest.mark.parametrize(("tasks", "workers"), [(1, 1), (2, 1), (7, 2), (10, 3), (100, 2), (65_536, 2)])
def test_the_verdict_does_not_depend_on_how_the_work_is_cut(philosophers, tasks, workers):
    with CertificateFile(philosophers[1]) as file:
        frames = len(file.records)
    result = assay.certify(*philosophers, tasks=tasks, workers=workers)
    assert result.verdict is Verdict.VERIFIED
    assert (result.states, result.transitions, result.depth) == (824, 2522, 29)
    assert (result.tasks, result.workers) == (min(tasks, frames), workers)
    assert 1 / result.tasks <= result.largest_task_share <= 1 / result.tasks + 1 / frames + 0.01
    assert (result.longest_path == 0) == (tasks == 1)
    assert result.average_path <= result.longest_path <= result.depth


def test_there_are_as_many_tasks_as_workers_unless_somebody_says_otherwise(philosophers):
    assert assay.certify(*philosophers, workers=2).tasks == 2


@pytest.mark.parametrize("forgets", [False, True])
def test_explaining_keeps_a_map_of_all_states_or_forgets(philosophers, forgets):
    result = assay.certify(*philosophers, mode="explained", drop_after_last=forgets)
    assert (result.verdict, result.complete, result.states) == (Verdict.VERIFIED, True, 824)
    assert result.duplicates == (None if forgets else 0)
    assert result.map_entries_peak is not None
    assert (result.map_entries_peak == 824) == (not forgets)


def test_explaining_is_one_task(run, philosophers):
    for option in (["--tasks", "2"], ["--workers", "2"]):
        code, _, errors = run(*philosophers, "--explain", *option)
        assert code == 2
        assert "explain: one map of all states is kept, so there is one task" in errors
    code, output, _ = run(*philosophers, "--explain", "--fp", "dropping")
    assert code == 0
    assert "every transition was checked against a map of all states" in output


def test_progress_adds_up_over_tasks(philosophers):
    heard = []
    assay.certify(*philosophers, tasks=5, workers=2, listener=heard.append)
    assert [progress.tasks_done for progress in heard] == sorted(progress.tasks_done for progress in heard)
    last = heard[-1]
    assert (last.states, last.entries, last.total, last.tasks_done, last.tasks) == (824, 2522, 2522, 5, 5)


# --- Trust ----------------------------------------------------------------------------------------------


def test_trusting_needs_a_key_or_an_explicit_word(run, philosophers):
    code, _, errors = run(*philosophers, "--trusted")
    assert code == 2
    assert "give the producer's public key with --key, or say --trust-unsigned" in errors
    code, output, _ = run(*philosophers, "--trusted", "--trust-unsigned", "--json")
    found = json.loads(output)
    assert code == 0
    assert (found["mode"], found["complete"], found["wrong_acceptance_log2"]) == ("trusted", False, None)
    assert (found["states"], found["transitions"]) == (824, 2522)
    assert found["notes"][0].startswith("the script was believed")
    code, _, errors = run(*philosophers, "--trusted", "--explain", "--trust-unsigned")
    assert code == 2
    assert "do not go together" in errors


def test_a_signature_is_what_trust_rests_on(run, philosophers, tmp_path):
    program, original = philosophers
    file = tmp_path / "signed.assay"
    shutil.copy(original, file)
    private, public, key_id = keys(tmp_path, "producer")
    _, stranger, _ = keys(tmp_path, "stranger")
    code, output, _ = run(program, file, "--trusted", "--key", public)
    assert code == 4
    sign(file, private, default_envelope(file))
    code, output, _ = run(program, file, "--trusted", "--key", public, "--json")
    found = json.loads(output)
    assert (code, found["verdict"], found["signed_by"]) == (0, "verified", key_id)
    code, output, _ = run(program, file, "--trusted", "--key", stranger)
    assert code == 4
    assert output.startswith("rejected  ")
    shutil.copy(rewritten(original, tmp_path / "other.assay", depth=3), file)
    code, output, _ = run(program, file, "--trusted", "--key", public)
    assert code == 4


def test_nothing_can_be_said_about_steps_that_are_not_taken(philosophers):
    with pytest.raises(OptionProblem, match="nothing can be said about steps"):
        assay.certify(
            *philosophers, mode="trusted", trust_unsigned=True, step_invariants=["next.eating >= 0"]
        )


def test_states_are_checked_also_for_those_who_trust(counter):
    held = assay.certify(*counter, mode="trusted", trust_unsigned=True, invariants=["n <= 9"])
    assert held.verdict is Verdict.VERIFIED
    failed = assay.certify(*counter, mode="trusted", trust_unsigned=True, invariants=["n <= 8"])
    assert failed.verdict is Verdict.VIOLATED


# --- Properties that are added --------------------------------------------------------------------------


def test_an_added_invariant_that_holds_is_part_of_what_was_checked(run, counter):
    code, output, _ = run(*counter, "--invariant", "n <= 9 && m == n", "--json")
    found = json.loads(output)
    assert (code, found["verdict"], found["options"]["invariants"]) == (0, "verified", ["n <= 9 && m == n"])


@pytest.mark.parametrize("mode", ["authenticated", "explained"])
@pytest.mark.parametrize(
    ("option", "kind", "text"),
    [
        ("invariants", "invariant", "n < 4"),
        ("step_invariants", "step-invariant", "next.n <= n || n < 3"),
        ("step_invariants", "step-invariant", "next.n >= n"),
    ],
)
def test_an_added_property_that_fails_comes_with_its_run(counter, mode, option, kind, text):
    result = assay.certify(*counter, mode=mode, **{option: [text]})
    assert (result.verdict, result.complete, result.reasons) == (Verdict.VIOLATED, False, ())
    (violation,) = result.violations
    assert (violation.kind, violation.message) == (kind, text)
    assert violation.counterexample is not None
    assert any(change.name == "n" for step in violation.counterexample.steps for change in step.changes)


def test_a_violated_property_has_the_exit_code_of_a_violation(run, counter):
    code, output, errors = run(*counter, "--invariant", "n < 4")
    assert (code, errors) == (1, "")
    assert output.startswith(f"violated  {counter[0]}: what was added to the claim does not hold: n < 4\n")
    assert "n: 3 -> 4" in output
    code, output, _ = run(*counter, "--invariant", "n < 4", "--tasks", "3", "--json")
    found = json.loads(output)
    assert (code, found["verdict"], found["violations"][0]["message"]) == (1, "violated", "n < 4")


def test_a_property_that_the_certificate_claims_itself_may_be_added_again(folder):
    program, file = certified(folder, "claimed.pml", COUNTER, reductions=(), invariants=["n <= 9"])
    assert assay.certify(program, file, invariants=["n <= 9", "m <= 9"]).verdict is Verdict.VERIFIED


def test_a_claimed_property_that_fails_is_a_rejection_not_a_violation(counter, tmp_path):
    with CertificateFile(counter[1]) as file:
        properties = replace(file.header.properties, invariants=("n < 4",))
    forged = rewritten(counter[1], tmp_path / "forged.assay", properties=properties)
    for added in ([], ["n < 4"]):
        result = assay.certify(counter[0], forged, invariants=added)
        assert result.verdict is Verdict.REJECTED
        assert result.reasons == ("the program violates what the certificate claims: n < 4",)
        assert len(result.violations) == 1


@pytest.mark.parametrize(
    ("option", "text"),
    [("--invariant", "P[0]:mine < 3"), ("--step-invariant", "next.shared >= shared")],
)
def test_a_reduction_that_hides_what_was_added_is_refused_with_the_next_step(run, folder, option, text):
    reduced = certified(folder, "private.pml", PRIVATE)
    code, output, errors = run(*reduced, option, text)
    assert (code, output) == (2, "")
    assert "reduced in a way that may hide what the added invariant is about" in errors
    assert "ask the producer to verify with this invariant, or with --no-reductions" in errors
    whole = certified(folder, "private_whole.pml", PRIVATE, reductions=())
    code, output, errors = run(*whole, option, text)
    assert (code, errors) == (0, "")


@pytest.mark.parametrize("text", ["n <=", "nobody == 1", "next.n == 1"])
def test_an_added_invariant_that_is_none_is_the_users_mistake(counter, text):
    with pytest.raises(SourceProblem):
        assay.certify(*counter, invariants=[text])


# --- Other programs, other claims -----------------------------------------------------------------------


def test_another_program_text_is_rejected(run, philosophers, tmp_path):
    other = tmp_path / "philosophers.pml"
    other.write_text(philosophers[0].read_text() + "\n")
    code, output, _ = run(other, philosophers[1], "--json")
    found = json.loads(output)
    assert (code, found["verdict"], found["states"]) == (4, "rejected", 0)
    assert found["reasons"] == ["the certificate is about another program text: philosophers.pml differs"]


def test_another_included_file_is_rejected(tmp_path):
    (tmp_path / "limit.h").write_text("#define LIMIT 3\n")
    text = '#include "limit.h"\nbyte n;\nactive proctype P() { do :: n < LIMIT -> n++ :: else -> n = 0 od }\n'
    program, file = certified(tmp_path, "includes.pml", text)
    assert assay.certify(program, file).verdict is Verdict.VERIFIED
    (tmp_path / "limit.h").write_text("#define LIMIT 4\n")
    result = assay.certify(program, file)
    assert result.verdict is Verdict.REJECTED
    assert result.reasons == ("the certificate is about another program text: limit.h differs",)
    (tmp_path / "limit.h").unlink()
    result = assay.certify(program, file)
    assert result.verdict is Verdict.REJECTED
    assert result.reasons[0].startswith("the program cannot be compiled as the certificate says: ")


def test_macros_are_those_that_were_asked_for_unless_any_will_do(run, folder):
    text = COUNTER.replace("9", "LAST")
    program, file = certified(folder, "macros.pml", text, defines=["LAST=5"])
    assert run(program, file, "-D", "LAST=5", "-q")[0] == 0
    assert run(program, file, "--any-macros", "-q")[0] == 0
    for asked in ([], ["-D", "LAST=6"], ["-D", "LAST=5", "-D", "MORE=1"]):
        code, output, _ = run(program, file, *asked, "-q")
        assert code == 4
        assert "the certificate is about the program with the macro LAST=5" in output
    code, _, errors = run(program, file, "--any-macros", "-D", "LAST=5")
    assert code == 2
    assert "--any-macros and -D do not go together" in errors
    assert errors.endswith("(see assay certify --help)\n")


def test_a_macro_that_removes_the_problem_is_refused_in_words_that_say_what_to_do(run, folder):
    text = (EXAMPLES / "broken_mutex.pml").read_text()
    program, file = certified(folder, "broken.pml", text, defines=["assert=1||"])
    code, output, _ = run(program, file, "-q")
    assert (code, output) == (
        4,
        f'rejected  {program}: the certificate is about the program with the macro "assert=1||", '
        "you asked for it with no macros; say -D 'assert=1||' if that is the program you mean, "
        "or --any-macros to accept the claim with whatever macros it names\n",
    )
    assert run(program, file, "-q", "-D", "assert=1||")[0] == 0


def test_macros_that_a_certificate_does_not_have_are_missed(run, counter):
    code, output, _ = run(*counter, "-D", "N=5", "-D", "M", "-q")
    assert code == 4
    assert (
        "about the program with no macros, you asked for it with the macros N=5, M; "
        "leave -D out if that is the program you mean, or --any-macros"
    ) in output


def test_a_claim_without_deadlocks_is_accepted_only_by_those_who_say_so(run, folder):
    program, file = certified(folder, "silent.pml", COUNTER, check_deadlock=False)
    code, output, _ = run(program, file)
    assert code == 4
    assert "does not claim that there is no deadlock; if that is not needed, say --no-deadlock" in output
    code, output, _ = run(program, file, "--no-deadlock")
    assert code == 0
    assert "no state is a deadlock" not in output


def test_claims_of_the_program_may_be_left_out_only_for_those_who_say_so(folder):
    text = COUNTER + "ltl { <> (n == 9) }\n"
    program, file = certified(folder, "claiming.pml", text, safety=True)
    refused = assay.certify(program, file)
    assert refused.verdict is Verdict.REJECTED
    assert "leaves out what the program itself claims (never, ltl)" in refused.reasons[0]
    result = assay.certify(program, file, safety=True)
    assert result.verdict is Verdict.VERIFIED
    assert result.notes == ("not looked at: the ltl claim",)


@pytest.mark.parametrize(
    ("semantics", "reason"),
    [
        ({"reductions": ["merging"]}, None),
        ({"reductions": ["symmetry"]}, None),
        ({"reductions": "merging"}, "the header has no list of texts under 'reductions'"),
        ({"defines": ["_pid=4"]}, None),
        ({"defines": ["-include /etc/passwd"]}, None),
        ({"defines": [["N"]]}, "the header has no list of texts under 'defines'"),
        ({"safety_only": 0}, "the certificate was made under other semantics than this Assay has"),
        (
            {"language": "another"},
            "the certificate was made under other semantics than this Assay has: "
            "language is 'another' there and 'Promela as SPIN 6.5 understands it' here",
        ),
        ({"more": 1}, "the certificate was made under other semantics than this Assay has"),
    ],
)
def test_semantics_of_a_stranger_are_those_of_the_front_end_or_refused(
    philosophers, tmp_path, semantics, reason
):
    with CertificateFile(philosophers[1]) as file:
        claimed = dict(file.header.semantics) | semantics
    forged = rewritten(philosophers[1], tmp_path / "forged.assay", semantics=claimed)
    result = assay.certify(philosophers[0], forged, defines=None)
    assert result.verdict is Verdict.REJECTED
    assert reason is None or result.reasons == (reason,)


def test_a_file_that_is_no_certificate_is_rejected_and_one_that_is_missing_unusable(
    run, philosophers, tmp_path
):
    program, file = philosophers
    other = tmp_path / "other.assay"
    other.write_text("no certificate" * 100)
    code, output, _ = run(program, other, "--json")
    found = json.loads(output)
    assert (code, found["verdict"], found["claim"]) == (4, "rejected", "")
    assert found["reasons"] == ["the file is not a certificate: it does not begin like one"]
    code, _, errors = run(program, program)
    assert code == 2
    assert "is a program: check it with assay verify" in errors
    for missing in (tmp_path / "missing.assay", tmp_path):
        code, output, errors = run(program, missing)
        assert (code, output) == (2, "")
        assert "certificate: expected a file, got " in errors
    code, _, errors = run(tmp_path / "missing.pml", file)
    assert code == 2
    assert "missing.pml" in errors


def test_every_refusal_is_one_object_with_the_keys_of_all(run, counter, tmp_path):
    program, file = counter
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    empty = tmp_path / "empty.assay"
    empty.touch()
    for arguments, code, verdict in [
        ((program, tmp_path), 2, "unusable"),
        ((program, tmp_path / "missing.assay"), 2, "unusable"),
        ((program, pipe), 2, "unusable"),
        ((program, "/dev/zero"), 2, "unusable"),
        ((program, empty), 4, "rejected"),
        ((program, program), 2, "unusable"),
        ((tmp_path, file), 2, "unusable"),
        ((tmp_path / "missing.pml", file), 2, "unusable"),
        ((program, file, "-D", "N=5"), 4, "rejected"),
        ((program, file, "--invariant", "n +"), 2, "unusable"),
        ((program, file, "--trusted"), 2, "unusable"),
        ((program, file, "--trusted", "--key", tmp_path / "missing.pub"), 2, "unusable"),
        ((program, file, "--workers", "0"), 2, "unusable"),
        ((program, file, "--nonsense"), 2, "unusable"),
        ((program,), 2, "unusable"),
        ((program, file, "--timeout", "1ms"), 3, "incomplete"),
    ]:
        found_code, output, _ = run(*arguments, "--json")
        assert output.count("\n") == 1, arguments
        found = json.loads(output)
        assert (found_code, found["verdict"], found["complete"]) == (code, verdict, False), arguments
        assert found.keys() >= SHARED_KEYS
        assert found.get("message") or found["reasons"]


def test_an_interrupt_is_one_object_too(run, counter, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("assay.certification.certify", interrupt)
    code, output, _ = run(*counter, "--json")
    assert (code, json.loads(output)["verdict"]) == (3, "incomplete")
    assert json.loads(output)["message"] == "interrupted"


def test_ten_gigabytes_that_cannot_be_a_certificate_are_not_read(counter, tmp_path):
    program, file = counter
    data = file.read_bytes()
    with CertificateFile(file) as certificate:
        (record,) = certificate.records
        begin = certificate.offsets[0]
    size = 10 << 30
    stretched = replace(record, ids=0xFFFF_FFFF, counts=0xFFFF_FFFF)
    index = RECORD.pack(*stretched.as_stored)
    large = tmp_path / "large.assay"
    for content, reason in [
        ({}, "the file is not a certificate: it does not begin like one"),
        ({0: data}, "the file does not end like a certificate: it was truncated or extended"),
        (
            {0: data, size - 48: data[-48:]},
            "the index is not where the file says, or not as long as its frames need",
        ),
        (
            {0: data[:begin], size - 88: index + struct.pack("<Q", size - 88) + data[-40:]},
            "frame 0 has a section that takes 4,294,967,295 bytes in the file, more than its counts can need",
        ),
    ]:
        large.unlink(missing_ok=True)
        with large.open("wb") as sparse:
            sparse.truncate(size)
            for offset, part in content.items():
                sparse.seek(offset)
                sparse.write(part)
        result = assay.certify(program, large)
        assert result.reasons == (reason,)


def test_damaged_files_are_rejected_in_a_sentence(philosophers, tmp_path):
    program, file = philosophers
    data = file.read_bytes()
    damaged = tmp_path / "damaged.assay"
    for content, reason in [
        (data[:-1], "it was truncated or extended"),
        (data + b"\x00", "it was truncated or extended"),
        (data[:50], "too short to be a certificate"),
        (b"", "too short to be a certificate"),
        (data[:3000] + bytes([data[3000] ^ 1]) + data[3001:], "the file is damaged"),
    ]:
        damaged.write_bytes(content)
        result = assay.certify(program, damaged)
        assert result.verdict is Verdict.REJECTED
        assert reason in result.reasons[0]


def test_unknown_modes_are_refused(philosophers):
    with pytest.raises(OptionProblem, match="expected one of authenticated, explained, trusted, got 'half'"):
        assay.certify(*philosophers, mode="half")


# --- Limits ---------------------------------------------------------------------------------------------


def test_time_that_runs_out_is_incomplete(run, philosophers):
    result = assay.certify(*philosophers, timeout_seconds=0.001)
    assert (result.verdict, result.complete) == (Verdict.INCOMPLETE, False)
    assert result.reasons[0].startswith("time ran out")
    code, output, _ = run(*philosophers, "--timeout", "1ms")
    assert code == 3
    assert output.startswith("incomplete  ")


def test_macros_of_a_stranger_do_not_outlast_the_time_limit(philosophers, tmp_path):
    doubling = [f"L{level}=L{level - 1} L{level - 1}" for level in range(1, 31)]
    with CertificateFile(philosophers[1]) as file:
        semantics = dict(file.header.semantics) | {"defines": ["eating=L30", "L0=1", *doubling]}
    forged = rewritten(philosophers[1], tmp_path / "forged.assay", semantics=semantics)
    result = assay.certify(philosophers[0], forged, defines=None, timeout_seconds=1.0)
    assert (result.verdict, result.states) == (Verdict.INCOMPLETE, 0)
    assert result.reasons == ("time ran out before the program was compiled",)


def test_memory_that_runs_out_is_incomplete(run, philosophers):
    for mode in ("authenticated", "explained"):
        result = assay.certify(*philosophers, mode=mode, memory_limit_bytes=1000)
        assert (result.verdict, result.complete) == (Verdict.INCOMPLETE, False)
        assert result.reasons == ("a walk would have to keep more than the memory limit allows",)
    code, output, _ = run(*philosophers, "--memory", "1KiB", "--json")
    assert (code, json.loads(output)["verdict"]) == (3, "incomplete")


def test_a_path_of_only_children_is_limited_as_well(tmp_path):
    program, file = tmp_path / "chain.pml", tmp_path / "chain.assay"
    program.write_text("int n; active proctype P() { do :: n < 20000 -> n++ :: else -> break od }\n")
    assert assay.verify(program, certificate=file).depth > 20000
    for mode, more in (("authenticated", {}), ("trusted", {"trust_unsigned": True})):
        assert assay.certify(program, file, mode=mode, **more).verdict is assay.Verdict.VERIFIED
        result = assay.certify(program, file, mode=mode, memory_limit_bytes=1 << 18, **more)
        assert result.verdict is assay.Verdict.INCOMPLETE
        assert result.reasons == ("a walk would have to keep more than the memory limit allows",)


def test_a_walk_needs_far_less_memory_than_a_search(tmp_path):
    file = tmp_path / "out.assay"
    program = MODELS / "philosophers.pml"
    assay.verify(program, defines=["N=7"], reductions=(), certificate=file)
    result = assay.certify(program, file, defines=["N=7"], memory_limit_bytes=1 << 20)
    assert (result.verdict, result.states, result.transitions) == (Verdict.VERIFIED, 130_048, 725_248)


# --- Forged scripts, named in the words of the source ----------------------------------------------------


def forged_reference(file: Path, to: Path) -> Path:
    """The first reference of the last frame that has one leads one state further than it should."""
    with CertificateFile(file) as certificate:
        frames = list(certificate.frames())
        index = max(number for number, frame in enumerate(frames) if frame.ids and frame.ids[0] < 100)
        frame = frames[index]
        frames[index] = replace(frame, ids=bytes([frame.ids[0] ^ 2]) + frame.ids[1:])
        with CertificateWriter(to, certificate.header) as writer:
            for each in frames:
                writer.add(each)
            writer.finish()
    return to


@pytest.mark.parametrize("options", [{}, {"tasks": 6, "workers": 2}, {"mode": "explained"}])
def test_a_forged_reference_is_named_with_its_statement(philosophers, tmp_path, options):
    forged = forged_reference(philosophers[1], tmp_path / "forged.assay")
    result = assay.certify(philosophers[0], forged, **options)
    assert (result.verdict, result.complete, result.violations) == (Verdict.REJECTED, False, ())
    (reason,) = result.reasons
    assert reason.startswith(
        "a transition is said to lead to a state already visited, and does not: in state "
    )
    assert "(Philosopher[" in reason
    assert " philosophers.pml:" in reason


def test_a_rejection_stands_without_its_explanation(philosophers, tmp_path):
    forged = forged_reference(philosophers[1], tmp_path / "forged.assay")
    result = assay.certify(philosophers[0], forged, explain_rejection=False)
    assert result.verdict is Verdict.REJECTED
    assert "--explain names the first one" in result.reasons[0]


def test_trusting_does_not_look_at_references(philosophers, tmp_path):
    forged = forged_reference(philosophers[1], tmp_path / "forged.assay")
    result = assay.certify(philosophers[0], forged, mode="trusted", trust_unsigned=True)
    assert (result.verdict, result.complete) == (Verdict.VERIFIED, False)


def test_wrong_counts_are_named(philosophers, tmp_path):
    with CertificateFile(philosophers[1]) as certificate:
        frames = list(certificate.frames())
        counts = frames[0].counts
        frames[0] = replace(frames[0], counts=bytes([counts[0] + 1]) + counts[1:])
        with CertificateWriter(tmp_path / "forged.assay", certificate.header) as writer:
            for frame in frames:
                writer.add(frame)
            writer.finish()
    result = assay.certify(philosophers[0], tmp_path / "forged.assay")
    assert result.verdict is Verdict.REJECTED
    assert result.reasons == (
        f"state 0 is said to be referred to {counts[0] + 1} times; the script does so {counts[0]} times",
    )


def keys(folder: Path, name: str) -> tuple[Path, Path, str]:
    private, public = folder / f"{name}.key", folder / f"{name}.pub"
    return private, public, generate_keys(private, public)
