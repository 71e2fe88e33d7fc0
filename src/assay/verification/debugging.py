"""A counterexample with C in gdb: stopped where its last step begins, or where a C program fails."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from assay.evidence.counterexample import load_trace
from assay.transition_system.language_options import LanguageOptions, OptionProblem
from assay.verification.traces import require_same_sources

# Goes along the run in the process that gdb watches, and stops before the last step.
ALONG_THE_RUN = """
import json, os, signal, sys
from assay import _engine
file, positions = json.loads(sys.argv[1])
model = _engine.CompiledModel(file)
state = model.initial_state()[0]
for position in positions[:-1]:
    state = model.successors(state)[position][0]
os.kill(os.getpid(), signal.SIGTRAP)
model.explain(state, positions[-1])
"""


def debug(program: str | Path, trace: str | Path) -> int:
    """Starts gdb; answers its exit code."""
    from assay import languages

    gdb = shutil.which("gdb")
    if gdb is None:
        raise OptionProblem("debugger: there is no gdb; install it (Debian: apt-get install gdb)")
    recorded = load_trace(Path(trace))
    loaded: Any = languages.load(Path(program), LanguageOptions.from_json(recorded.options)).opened()
    require_same_sources(recorded, loaded.sources)
    if loaded.language == "c":
        from assay.verification.sequential_harness import debug_c

        return debug_c(program, trace)
    if not loaded.capabilities.foreign:
        raise OptionProblem("debugger: this program has no embedded C")
    positions = list(recorded.counterexample.positions)
    if not positions:
        raise OptionProblem("debugger: the run has no step")
    with tempfile.TemporaryDirectory(prefix="assay-gdb-") as private:
        symbols = Path(private, "embedded-c")
        symbols.write_bytes(loaded.plan.foreign.content)
        arguments = json.dumps([loaded.opening.file, positions])
        commands = [
            "set confirm off",
            "set pagination off",
            "handle SIGVTALRM nostop noprint pass",
            *(["handle SIGSEGV nostop noprint pass"] if loaded.plan.foreign.is_numbered else []),
            f"add-symbol-file {symbols}",
            "run",
            *(f"break assay_fragment_{fragment}" for fragment in _called_last(recorded, loaded)),
            "continue",
        ]
        command = [gdb, "-q", *(part for one in commands for part in ("-ex", one))]
        if not sys.stdin.isatty():  # nobody is there to ask: tell where it is and what it sees
            command += ["-ex", "backtrace", "-ex", "info locals", "-batch"]
        command += ["--args", sys.executable, "-c", ALONG_THE_RUN, arguments]
        return subprocess.run(command, check=False).returncode


def _called_last(recorded: Any, loaded: Any) -> list[int]:
    """The pieces of C that stand where the run ends."""
    steps = recorded.counterexample.steps
    lines = {(Path(step.file).name, step.line) for step in steps if step.transition == steps[-1].transition}
    return [
        fragment.number
        for fragment in loaded.model.resolver.embedded.fragments
        if (Path(fragment.where.file).name, fragment.where.line) in lines
    ]
