"""The command `assay replay`."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import click

from assay import __version__
from assay.cli.exit_codes import EXIT_CODES
from assay.cli.mistaken_files import CERTIFICATE, require_no, require_program
from assay.cli.telling import print_json
from assay.evidence.verdict import Verdict
from assay.transition_system.language_options import require_readable


@click.command(short_help="Step through a saved counterexample.")
@click.argument("program")
@click.argument("trace")
@click.option("--plain", is_flag=True, help="Print the whole run instead of stepping through it.")
@click.option(
    "--live",
    is_flag=True,
    help="Python: drive real threads of CPython along the run and see whether they fail.",
)
@click.option(
    "--debugger",
    is_flag=True,
    help="C: start gdb, stopped where the run fails; embedded C: where its last step begins.",
)
@click.option(
    "--harness",
    metavar="FILE.c",
    help="C programs: write a file that, compiled with the program, makes it fail as in the run.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")
@click.pass_context
def replay(
    context: click.Context,
    /,
    program: str,
    trace: str,
    plain: bool,
    live: bool,
    debugger: bool,
    harness: str | None,
    as_json: bool,
) -> int:
    """Execute the counterexample in TRACE again on PROGRAM and walk through it.

    On a terminal: Enter steps on, b back, a number jumps, q quits. A trace whose program has changed is
    refused with exit code 4. With --live and --harness: exit code 0 if the failure was reproduced, else 3.
    """
    from assay.verification import replay as replay_run

    require_program(program, trace, command="replay")
    require_no(CERTIFICATE, trace)
    require_readable("trace", Path(trace))

    if harness is not None:
        from assay.verification.sequential_harness import write_harness

        written = write_harness(program, trace, harness)
        if as_json:
            print_json({"verdict": str(Verdict.VIOLATED), "program": program, "harness": written.as_json()})
        else:
            from assay.report.console import print_harness

            print_harness(written)
        return 0 if written.executed.reached else EXIT_CODES[Verdict.INCOMPLETE]
    if debugger:
        from assay.verification.debugging import debug

        return debug(program, trace)
    outcome = None
    if live:
        from assay.verification.live import replay_live

        run, outcome = replay_live(program, trace)
    else:
        run = replay_run(program, trace)
    if as_json:
        from assay.evidence.result import Result, Violation

        facts = run.violation
        violation = Violation(
            kind=facts.kind,
            message=facts.message,
            file=facts.file,
            line=facts.line,
            counterexample=run,
            trace=trace,
        )
        result = Result(
            verdict=Verdict.VIOLATED,
            program=program,
            language="",
            complete=False,
            violations=(violation,),
            violation_count=1,
            seconds=time.monotonic() - context.obj,
            version=__version__,
        )
        print_json(result.as_json() | ({} if outcome is None else {"live": outcome.as_json()}))
    elif outcome is not None:
        from assay.report.console import print_live

        print_live(run, outcome)
    elif plain or not (sys.stdin.isatty() and sys.stdout.isatty()):
        from assay.report.console import print_run

        print_run(run, every_step=True)
    else:
        from assay.cli.stepping import step_through

        step_through(run)
    return 0 if outcome is None or outcome.reproduced else EXIT_CODES[Verdict.INCOMPLETE]
