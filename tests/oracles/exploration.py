"""All ways in which a small program can end: what tests compare with what CPython shows.

    outcomes("examples/tutorial/racy_counter.py", "bytecode")

explores every state with a plain breadth-first search, in a child process, and
returns pairs: the globals of the main module that hold plain data, as texts by name, and how the run
ended: "ok", "deadlock" or the last line of a traceback. Where an exception ended
the program no state is left, and the globals are empty.
"""

from __future__ import annotations

import ast
import atexit
import contextlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from assay import _engine
from assay.languages.python.machine import open_image
from assay.languages.python.program import PythonProgram, load
from assay.transition_system.interface import Opening, SourceProblem
from assay.transition_system.language_options import LanguageOptions

Globals = tuple[tuple[str, str], ...]
Ending = tuple[Globals, str]

PLAIN_ATOMS = (int, float, complex, str, bytes, bool, type(None))
MOST_STATES = 1_000_000


class TooLarge(Exception):
    """The program has more states than were allowed."""


def outcomes(
    program: str | Path, granularity: str = "bytecode", *, most_states: int = MOST_STATES
) -> set[Ending]:
    """`program` is a path, or the text of a program (which has more than one line)."""
    options = LanguageOptions(granularity=granularity)
    if isinstance(program, str) and "\n" in program:
        with tempfile.TemporaryDirectory(prefix="assay-outcomes-") as directory:
            file = Path(directory, "program.py")
            file.write_text(program, encoding="utf-8")
            return _explore(load(file, options), most_states)
    return _explore(load(Path(program), options), most_states)


def _explore(program: PythonProgram, most_states: int) -> set[Ending]:
    while True:
        answer = _in_a_child(program, most_states)
        if "assumption" in answer:
            program = program.without(answer["assumption"])
        elif "unsupported" in answer:
            raise SourceProblem(answer["unsupported"])
        elif "too_large" in answer:
            raise TooLarge(f"more than {most_states} states")
        else:
            return {
                (tuple((name, text) for name, text in variables), ended)
                for variables, ended in answer["endings"]
            }


class Explorer:
    """A child process whose hashes are fixed. It explores one image after the other: most programs of tests
    are explored in less time than a process needs to start."""

    def __init__(self) -> None:
        self.errors = tempfile.TemporaryFile(mode="w+", encoding="utf-8")  # noqa: SIM115 (closed by `close`)
        self.child = subprocess.Popen(
            [sys.executable, "-P", __file__],
            env={**os.environ, "PYTHONHASHSEED": "0", "PYTHONIOENCODING": "utf-8"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            encoding="utf-8",
        )

    def ask(self, request: Sequence[object]) -> dict[str, Any]:
        assert self.child.stdin is not None
        assert self.child.stdout is not None
        with contextlib.suppress(BrokenPipeError):  # the child has ended, so there is no answer either
            self.child.stdin.write(json.dumps(request) + "\n")
            self.child.stdin.flush()
        line = self.child.stdout.readline()
        if not line:
            status = self.child.wait()
            self.errors.seek(0)
            raise RuntimeError(f"the exploration ended with status {status}: {self.errors.read()[-2000:]}")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> None:
        with contextlib.suppress(BrokenPipeError):
            self.child.communicate()
        self.errors.close()


_explorers: dict[int, Explorer] = {}  # by the process that started it: a fork must not share it


def _in_a_child(program: PythonProgram, most_states: int) -> dict[str, Any]:
    mine = os.getpid()
    if mine not in _explorers:
        _explorers.clear()
        _explorers[mine] = Explorer()
        atexit.register(_close_explorer)
    try:
        return _explorers[mine].ask([program.opening.file, program.program.modules[0].name, most_states])
    except BaseException:  # an interrupt, too: the answer to this request must not be taken for another's
        _close_explorer()
        raise


def _close_explorer() -> None:
    explorer = _explorers.pop(os.getpid(), None)
    if explorer is not None:
        explorer.child.kill()
        explorer.close()


def endings(image: str, main: str, most_states: int) -> dict[str, object]:
    """In the child: what `outcomes` returns, as JSON can hold it."""
    try:
        return _endings(open_image(Opening(image)), main, most_states)
    except _engine.AssumptionFailed as failed:
        return {"assumption": str(failed)}
    except _engine.UnsupportedProgram as problem:
        return {"unsupported": str(problem)}


def _endings(model: Any, main: str, most_states: int) -> dict[str, object]:
    found: set[Ending] = set()

    def end(state: bytes | None, ended: str) -> None:
        variables = {} if state is None else model.describe(state)["globals"].get(main, {})
        texts = ((name, plain_text(value)) for name, value in sorted(variables.items()))
        found.add((tuple((name, text) for name, text in texts if text is not None), ended))

    initial, code = model.initial_state()
    if code:
        end(None, model.violation(code)["last_line"])
        return {"endings": sorted(found)}
    seen = {initial}
    layer = [initial]
    while layer:
        following = []
        for state in layer:
            if code := model.check_state(state):
                end(state, model.violation(code)["last_line"])
                continue
            successors = model.successors(state)
            if not successors:
                end(state, "ok" if model.is_valid_end(state) else "deadlock")
            for after, code in successors:
                if code:
                    end(after, model.violation(code)["last_line"])
                elif after not in seen:
                    seen.add(after)
                    following.append(after)
        if len(seen) > most_states:
            return {"too_large": len(seen)}
        layer = following
    return {"endings": sorted(found)}


def plain_text(shown: str) -> str | None:
    """A value as `repr` shows it, elements of sets in the order of their texts; None if it is not plain."""
    if shown == "set()":
        return "set({})"
    try:
        value = ast.literal_eval(shown)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
    return text_of_value(value)


def text_of_value(value: object) -> str | None:
    """What `plain_text` says of a value."""
    if type(value) in PLAIN_ATOMS:
        return repr(value)
    if isinstance(value, dict):
        pairs = [(text_of_value(key), text_of_value(item)) for key, item in value.items()]
        if any(None in pair for pair in pairs):
            return None
        return "{" + ", ".join(f"{key}: {item}" for key, item in pairs) + "}"
    if not isinstance(value, list | tuple | set):
        return None
    parts = [text for item in value if (text := text_of_value(item)) is not None]
    if len(parts) < len(value):
        return None
    if isinstance(value, set):
        return "set({" + ", ".join(sorted(parts)) + "})"
    if isinstance(value, tuple):
        return f"({parts[0]},)" if len(parts) == 1 else f"({', '.join(parts)})"
    return f"[{', '.join(parts)}]"


def serve() -> None:
    """In the child: answers requests, a line each, until there are no more."""
    for line in sys.stdin:
        print(json.dumps(endings(*json.loads(line))), flush=True)


if __name__ == "__main__":
    serve()
