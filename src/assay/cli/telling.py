"""From a verdict to an exit code, whatever happens on the way to the reader.

What was found is found: a full disk, a closed pipe, an interrupt while it is printed or a fault in
how it is printed cost the reader words, never the verdict. Nothing here raises.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable

from assay import __version__
from assay.cli.exit_codes import EXIT_CODES
from assay.evidence.verdict import Verdict
from assay.execution import interrupts


def tell(verdict: Verdict, **steps: Callable[[], object]) -> int:
    """Takes each step of telling a result, named by what is then done; returns the verdict's exit code."""
    for done, step in steps.items():
        try:
            interrupts.release()
            step()
            sys.stdout.flush()
        except KeyboardInterrupt:
            say(f"assay: {verdict}: interrupted while the result was {done}")
        except (BrokenPipeError, SystemExit):  # the latter is what the console makes of the former
            forget_standard_output()  # whoever read it has gone; there is nobody left to tell
        except OSError as problem:
            if problem.filename is None:  # no file of ours: standard output
                forget_standard_output()
            say(f"assay: {verdict}: the result cannot be {done}: {problem}")
        except Exception as problem:
            say(f"assay: {verdict}: the result cannot be {done}: {type(problem).__name__}: {problem}")
        finally:
            interrupts.hold()
    return EXIT_CODES[verdict]


def say(text: str) -> None:
    """To people, if there is anybody; nothing depends on it."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        print(text, file=sys.stderr)


def forget_standard_output() -> None:
    """What is still to be written there goes nowhere: at the end Python would fail once more."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def have_standard_streams() -> None:
    """Streams that the caller closed lead nowhere, and files opened later do not get their numbers.

    Characters that a stream cannot show are written as escapes.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free number: this one
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, "r" if number == 0 else "w", encoding="utf-8", closefd=False))  # noqa: SIM115
        stream = getattr(sys, name)
        if number and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


JSON_SCHEMA = 1  # grows when a key is taken away or means something else; new keys may come at any time


def print_json(data: dict[str, object]) -> None:
    """The one object of a command (docs/json.md)."""
    import json

    print(json.dumps({"schema": JSON_SCHEMA, **data, "version": __version__}, default=str))
    sys.stdout.flush()
