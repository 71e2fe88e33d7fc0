"""`python -m assay.checker PROGRAM CERTIFICATE.assay`: one sentence and an exit code."""

from __future__ import annotations

import json
import os
import resource
import sys
from typing import TYPE_CHECKING

from assay.checker.container import Rejected, Undecided, Unusable, content_of
from assay.checker.invariant_file import AcceptedInvariant, C, is_about_c, is_invariant

if TYPE_CHECKING:
    from pathlib import Path

    from assay.checker.c.refutations import ProofFile
    from assay.checker.walk import Accepted

ACCEPTED, UNUSABLE, UNDECIDED, REJECTED = 0, 2, 3, 4
FAILED = 70  # a fault of this checker
PROCESSOR_SECONDS = 3_600  # of a solver
MEMORY_BYTES = 8 << 30


def main(arguments: list[str]) -> int:
    if len(arguments) < 2:
        return say("usage: python -m assay.checker PROGRAM CERTIFICATE.assay [--python VENV]", UNUSABLE)
    if arguments[0].endswith(".py") or is_proof(arguments[1]) or "--foreign-code" in arguments:
        return in_a_child(arguments)
    return judge(arguments)


def is_proof(certificate: str) -> bool:
    """How hard a solver's questions are is up to the stranger who wrote them."""
    try:
        with open(certificate, "rb") as file:  # noqa: PTH123 (pathlib takes long to import)
            return is_invariant(file.read(16))
    except OSError:
        return False


def in_a_child(arguments: list[str]) -> int:
    """A claimed property that computes for ever ends the process it is evaluated in: not ours."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        code = FAILED
        try:
            if is_proof(arguments[1]):
                resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR_SECONDS, PROCESSOR_SECONDS + 5))
                resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
            code = judge(arguments)
            sys.stdout.flush()
        except BaseException:
            import traceback

            traceback.print_exc()
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    if os.WIFEXITED(status):
        return os.WEXITSTATUS(status)
    import signal

    if os.WTERMSIG(status) == signal.SIGXCPU and is_proof(arguments[1]):
        return say("undecided: the solver takes too long", UNDECIDED)
    if os.WTERMSIG(status) == signal.SIGXCPU:
        return say("rejected: a property that the certificate claims takes too long to evaluate", REJECTED)
    return say(f"undecided: the walk was ended by {signal.Signals(os.WTERMSIG(status)).name}", UNDECIDED)


def judge(arguments: list[str]) -> int:
    try:
        accepted = checked(arguments[0], arguments[1], given_by_user(arguments[2:]))
    except Rejected as reason:
        return say(f"rejected: {reason}", REJECTED)
    except Unusable as reason:
        return say(f"unusable: {reason}", UNUSABLE)
    except Undecided as reason:
        return say(f"undecided: {reason}", UNDECIDED)
    except MemoryError:
        return say("undecided: memory ran out before the walk was over", UNDECIDED)
    except KeyboardInterrupt:
        return say("undecided: interrupted before the walk was over", UNDECIDED)
    if isinstance(accepted, AcceptedInvariant):
        return say(proof(accepted, arguments[0]), ACCEPTED)
    return say(sentence(accepted, arguments[0]), ACCEPTED)


def checked(program: str, certificate: str, given: Given) -> Accepted | AcceptedInvariant:
    """A proof about a C program goes its own way at once: all that others need would take longer to import
    than most proofs to check."""
    proofs = proof_file(given)
    data = content_of(certificate, "certificate")
    if is_about_c(data):
        from assay.checker.c_certificates import check_c_proof

        return check_c_proof((program, *given.c_source), data, given.rule, proofs)
    from pathlib import Path

    from assay.checker.program import check
    from assay.transition_system.language_options import LanguageOptions

    options = LanguageOptions(
        c_sources=tuple(given.c_source),
        rules=tuple(given.rule),
        cflags=tuple(given.cflags),
        ldflags=tuple(given.ldflags),
        sanitize=given.sanitize,
        foreign_code=given.foreign_code,
        python=given.python,
    )
    return check(Path(program), Path(certificate), options, proofs)


def proof_file(given: Given) -> ProofFile | None:
    path = given.proofs or given.write_proofs
    if path is None:
        return None
    from assay.checker.c.refutations import ProofFile

    return ProofFile(path, is_new=given.write_proofs is not None, export=given.export)


class Given:
    """The flags of `assay verify` that a certificate does not have: how C was compiled and that it may be
    executed, and where the packages of a program in Python are; and where proofs of obligations are."""

    def __init__(self) -> None:
        self.c_source: list[str] = []
        self.cflags: list[str] = []
        self.ldflags: list[str] = []
        self.rule: list[str] = []
        self.sanitize = self.foreign_code = False
        self.python = ""
        self.proofs: Path | None = None
        self.write_proofs: Path | None = None
        self.export: Path | None = None


def given_by_user(arguments: list[str]) -> Given:
    if not arguments:  # as most often, and then there is nothing to import
        return Given()
    import argparse
    from pathlib import Path

    parser = argparse.ArgumentParser(prog="python -m assay.checker PROGRAM CERTIFICATE")
    parser.add_argument("--c-source", action="append", help="a further file of C")
    for flag in ("--cflags", "--ldflags"):
        parser.add_argument(flag, action="append")
    parser.add_argument("--rule", action="append", help="the file of a rule of a C program")
    parser.add_argument("--sanitize", action="store_true")
    parser.add_argument("--foreign-code", action="store_true")
    parser.add_argument("--python", metavar="VENV")
    either = parser.add_mutually_exclusive_group()
    either.add_argument("--proofs", type=Path, help="a file with proofs of the obligations of a C program")
    either.add_argument("--write-proofs", type=Path, help="find such proofs, and write them to this file")
    parser.add_argument("--export", type=Path, help="write clauses and proofs into this folder, for others")
    given = parser.parse_args(arguments, Given())
    if given.export is not None and not (given.proofs or given.write_proofs):
        parser.error("--export needs --proofs or --write-proofs")
    return given


def proof(accepted: AcceptedInvariant, program: str) -> str:
    header = accepted.header
    properties = ["every assertion"]
    if header.check_deadlock:
        properties.append("absence of deadlock")
    properties += [f"invariant {json.dumps(text)}" for text in header.invariants]
    notes = f" ({'; '.join(accepted.notes)})" if accepted.notes else ""
    if header.language == C:
        return (
            f"accepted: on every run of {program} under {json.dumps(header.semantics)} no assertion fails, "
            "no error is reached, and every check and rule named there is kept; "
            f"{accepted.obligations} obligations made from the program text by a front end of the checker's "
            f"own, all proved by {accepted.solver}{notes}"
            if accepted.obligations
            else f"accepted: every run of {program} under {json.dumps(header.semantics)} was computed by a "
            "front end of the checker's own; no assertion fails, no error is reached, and every check and "
            f"rule named there is kept{notes}"
        )
    return (
        f"accepted: every state that {program} can reach under {json.dumps(header.semantics)} satisfies "
        f"{', '.join(properties)}{notes}; {accepted.obligations} obligations made from the program text, "
        f"all proved by {accepted.solver}"
    )


def sentence(accepted: Accepted, program: str) -> str:
    """Says what was proved in full: which claim a stranger's file makes is for the reader to judge."""
    header = accepted.header
    properties = ["every assertion"]
    if header.check_deadlock:
        properties.append("absence of deadlock")
    properties += [f"invariant {json.dumps(text)}" for text in header.invariants]
    properties += [f"step invariant {json.dumps(text)}" for text in header.step_invariants]
    runs = ""
    if header.temporal is not None:
        kind = "fair run" if header.temporal.fair else "run"
        shown = [json.dumps(part.name or part.text) for part in header.temporal.parts]
        if header.temporal.terminates:  # the last part is about that
            shown[-1] = "termination if it is weakly fair"
        runs = f", and every {kind} satisfies {', '.join(shown)}"
    notes = f" ({'; '.join(accepted.notes)})" if accepted.notes else ""
    return (
        f"accepted: every state that {program} can reach under {json.dumps(header.semantics)} "
        f"satisfies {', '.join(properties)}{runs}{notes}; visited {accepted.states} states and "
        f"{accepted.transitions} transitions, {accepted.references} of them references, to depth "
        f"{accepted.depth}; a wrong certificate passes with probability at most "
        f"2^{accepted.wrong_acceptance_exponent}"
    )


def say(sentence: str, code: int) -> int:
    """One line, whatever the stranger who wrote the file would like a terminal to do."""
    shown = "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in sentence)
    encoding = sys.stdout.encoding
    sys.stdout.write(f"{shown}\n".encode(encoding, "backslashreplace").decode(encoding))
    return code


def fix_hashes(arguments: list[str]) -> None:
    """A Python program has one order for the elements of its sets: that of hashes which are not random."""
    if sys.flags.hash_randomization and arguments and arguments[0].endswith(".py"):
        environment = {**os.environ, "PYTHONHASHSEED": "0"}
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], environment)  # noqa: S606 (ourselves)


if __name__ == "__main__":
    fix_hashes(sys.argv[1:])
    sys.exit(main(sys.argv[1:]))
