"""Explores programs with the machine, in a child process whose hashes are fixed.

The child reads the texts and the libraries to leave out (CPython's files are taken instead of ours) as JSON,
and prints how each program can end.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from assay.languages.python.compiler import compile_program, imports
from assay.languages.python.compiler.imports import library_modules
from assay.languages.python.compiler.program import LIBRARY
from tests.oracles import exploration


def endings(path, library, most_states):
    from assay import _engine

    stored_again = frozenset()
    while True:
        program = compile_program(path, library=library, extra_nonfinal=stored_again)
        machine = _engine.PythonMachine(program, "bytecode", invariants=False)
        try:
            return exploration._endings(machine, "__main__", most_states)
        except _engine.AssumptionFailed as failed:
            stored_again |= {str(failed)}
        except RuntimeError as problem:
            return {"problem": str(problem)}


def outcomes_on_machine(texts, own=(), most_states=60_000):
    """For each program, by its name, what `library_stand_in.outcomes` gives, or why there is nothing."""
    run = subprocess.run(
        [sys.executable, "-m", "tests.python.library_on_machine"],
        cwd=Path(__file__).parents[2],
        input=json.dumps({"texts": texts, "own": list(own), "most_states": most_states}),
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONHASHSEED": "0"},
    )
    assert run.returncode == 0, run.stderr
    return {
        name: {(dict(values)["seen"], None if end == "ok" else end) for values, end in answer["endings"]}
        if "endings" in answer
        else answer
        for name, answer in json.loads(run.stdout).items()
    }


def main():
    given = json.load(sys.stdin)
    imports.COMPILED_MODULES |= frozenset(given["own"])
    library = {name: file for name, file in library_modules(LIBRARY).items() if name not in given["own"]}
    answers = {}
    with tempfile.TemporaryDirectory() as directory:
        for name, text in given["texts"].items():
            file = Path(directory, "program.py")
            file.write_text(text)
            answers[name] = endings(file, library, given["most_states"])
    print(json.dumps(answers))


if __name__ == "__main__":
    main()
