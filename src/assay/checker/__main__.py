"""`python -m assay.checker PROGRAM CERTIFICATE.assay`: one sentence and an exit code."""

from __future__ import annotations

import json
import os
import signal
import sys
import traceback
from pathlib import Path

from assay.checker import Accepted, Rejected, Unusable, check

ACCEPTED, UNUSABLE, UNDECIDED, REJECTED = 0, 2, 3, 4
FAILED = 70  # a fault of this checker


def main(arguments: list[str]) -> int:
    if len(arguments) != 2:
        return say("usage: python -m assay.checker PROGRAM CERTIFICATE.assay", UNUSABLE)
    if arguments[0].endswith(".py"):
        return in_a_child(arguments)
    return judge(arguments)


def in_a_child(arguments: list[str]) -> int:
    """A claimed property that computes for ever ends the process it is evaluated in: not ours."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        code = FAILED
        try:
            code = judge(arguments)
            sys.stdout.flush()
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    if os.WIFEXITED(status):
        return os.WEXITSTATUS(status)
    if os.WTERMSIG(status) == signal.SIGXCPU:
        return say("rejected: a property that the certificate claims takes too long to evaluate", REJECTED)
    return say(f"undecided: the walk was ended by {signal.Signals(os.WTERMSIG(status)).name}", UNDECIDED)


def judge(arguments: list[str]) -> int:
    try:
        accepted = check(Path(arguments[0]), Path(arguments[1]))
    except Rejected as reason:
        return say(f"rejected: {reason}", REJECTED)
    except Unusable as reason:
        return say(f"unusable: {reason}", UNUSABLE)
    except MemoryError:
        return say("undecided: memory ran out before the walk was over", UNDECIDED)
    except KeyboardInterrupt:
        return say("undecided: interrupted before the walk was over", UNDECIDED)
    return say(sentence(accepted, arguments[0]), ACCEPTED)


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
