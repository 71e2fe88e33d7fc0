"""The command `assay`.

Every way out of `main` is one of the documented exit codes with a sentence on
standard error, or with one JSON object on standard output when `--json` is
given. Python tracebacks never reach a user; those of our own faults go to a
file that the user is asked to send.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import click

from assay import __version__
from assay.cli.certificates import inspect, keygen, sign
from assay.cli.certify import certify
from assay.cli.exit_codes import EXIT_CODES
from assay.cli.flags import asked_of_the_language, asked_of_the_search, language_flags, search_flags
from assay.cli.telling import forget_standard_output, have_standard_streams, say, tell
from assay.evidence.certificate.claim import CODINGS
from assay.evidence.certificate.header import CertificateProblem
from assay.evidence.counterexample import TraceProblem
from assay.evidence.estimate_file import EstimateProblem
from assay.evidence.result import Result
from assay.evidence.verdict import Verdict
from assay.execution import interrupts
from assay.execution.model_process import Progress
from assay.search.estimation import METHODS, best_method
from assay.transition_system.interface import SourceProblem
from assay.transition_system.language_options import OptionProblem
from assay.verification.request import Listener, Phase


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, "--version", message="assay %(version)s")
def assay() -> None:
    """Verify concurrent programs by visiting every state they can reach."""


@assay.command(short_help="Check every reachable state of a program.")
@click.argument("program")
@search_flags
@language_flags
@click.option(
    "--trace", "trace", metavar="FILE", help="Where a counterexample is saved [PROGRAM.trace.json]."
)
@click.option("--certificate", metavar="FILE", help="Write a certificate that others can check: OUT.assay.")
@click.option(
    "--certificate-coding",
    type=click.Choice(CODINGS),
    default="fast",
    show_default=True,
    help="How hard to compress it.",
)
@click.option("--subgraphs", is_flag=True, help="Add the sizes of subtrees to the certificate.")
@click.option(
    "--estimate", is_flag=True, help="If a limit stops the search: estimate how much of all states it saw."
)
@click.option(
    "--estimate-method",
    type=click.Choice(METHODS),
    help="How to estimate: sweep, the default, counts all states with hash bits in the same memory; "
    "short-sweep, the default with --timeout, stops early and extrapolates.",
)
@click.option("--estimate-file", metavar="FILE", help="Save the estimate, for assay certify to repeat.")
@click.option("--plot", metavar="FILE", help="Draw how the search went: FILE.png or FILE.svg.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")
@click.option("--quiet", "-q", is_flag=True, help="Print the verdict only.")
@click.pass_context
def verify(context: click.Context, /, program: str, as_json: bool, quiet: bool, **given: Any) -> int:
    """Check PROGRAM in every state it can reach.

    PROGRAM is a Python program (.py), a Promela file (.pml) or a transition system written as a class
    (model.py:ClassName). Exit codes: 0 verified, 1 violated, 2 unusable input, 3 incomplete, 70 internal
    error.
    """
    from assay.report.progress import progress_listener
    from assay.verification import verify as verify_program

    history: list[Progress] = []

    def watched(listener: Listener | None) -> Listener | None:
        """The progress of the search itself is kept for the plot, whoever else listens."""
        if not given["plot"]:
            return listener
        phases: list[str] = []

        def listen(event: Phase | Progress) -> None:
            if isinstance(event, Phase):
                phases.append(event.name)
            elif phases[-1:] == ["searching"]:
                history.append(event)
            if listener is not None:
                listener(event)

        return listen

    if given["plot"]:
        from assay.report.plots import require_plots

        require_plots(Path(given["plot"]))
    with interrupts.scope():
        with progress_listener(wanted=not quiet) as listener:
            result = verify_program(
                program,
                **asked_of_the_search(given),
                **asked_of_the_language(given),
                trace=given["trace"] or _trace_name(program),
                certificate=given["certificate"],
                certificate_coding=given["certificate_coding"],
                subgraphs=given["subgraphs"],
                estimate=given["estimate_method"]
                or (best_method(given["timeout_seconds"] or 0.0) if given["estimate"] else None),
                estimate_file=given["estimate_file"],
                listener=watched(listener),
                started=context.obj,
            )
        return tell(
            result.verdict,
            printed=lambda: _print_result(result, as_json=as_json, quiet=quiet),
            **({"drawn": lambda: _plot(Path(given["plot"]), result, history)} if given["plot"] else {}),
        )


def _print_result(result: Result, *, as_json: bool, quiet: bool) -> None:
    if as_json:
        _print_json(result.as_json())
        return
    from assay.report.console import print_result

    print_result(result, quiet=quiet)


def _plot(path: Path, result: Result, history: Sequence[Progress]) -> None:
    from assay.report.plots import plot

    plot(path, result, history)


@assay.command(short_help="Step through a saved counterexample.")
@click.argument("program")
@click.argument("trace")
@click.option("--plain", is_flag=True, help="Print the whole run instead of stepping through it.")
@click.option(
    "--live",
    is_flag=True,
    help="Python: drive real threads of CPython along the run and see whether they fail.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")
@click.pass_context
def replay(
    context: click.Context, /, program: str, trace: str, plain: bool, live: bool, as_json: bool
) -> int:
    """Execute the counterexample in TRACE again on PROGRAM and walk through it.

    On a terminal: Enter steps on, b back, a number jumps, q quits. A trace whose program has changed is
    refused with exit code 4. With --live: exit code 0 if the failure was reproduced, else 3.
    """
    from assay.verification import replay as replay_run

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
        _print_json(result.as_json() | ({} if outcome is None else {"live": outcome.as_json()}))
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


@assay.command(short_help="Verify a protocol, then break one.")
def demo() -> int:
    """Verify a real protocol and explain a broken one, step by step."""
    from assay.cli.demo import run_demo

    return run_demo()


for command in (certify, inspect, keygen, sign):
    assay.add_command(command)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command and leave with one of the documented exit codes."""
    started = time.monotonic()
    if arguments is None:
        started -= _age_of_this_process()
        arguments = sys.argv[1:]
        interrupts.keep()
    arguments = list(arguments)
    as_json = "--json" in arguments
    with contextlib.suppress(ValueError):  # not the main thread
        signal.signal(signal.SIGTERM, _as_interrupt)
    have_standard_streams()
    try:
        status = assay.main(arguments, prog_name="assay", standalone_mode=False, obj=started)
        sys.stdout.flush()
    except click.exceptions.NoArgsIsHelpError as problem:
        help_text = problem.format_message()
        status = tell(Verdict.UNUSABLE, printed=lambda: print(help_text))
    except click.ClickException as problem:
        status = _refuse(
            Verdict.UNUSABLE, problem.format_message(), as_json=as_json, hint=f"{_path_of(problem)} --help"
        )
    except SourceProblem as problem:
        status = _refuse(Verdict.UNUSABLE, str(problem), as_json=as_json, where=problem.where)
    except OptionProblem as problem:
        status = _refuse(Verdict.UNUSABLE, str(problem), as_json=as_json, hint=f"assay {arguments[0]} --help")
    except (TraceProblem, CertificateProblem, EstimateProblem) as problem:
        status = _refuse(Verdict.REJECTED, str(problem), as_json=as_json)
    except (KeyboardInterrupt, click.Abort):
        status = _refuse(Verdict.INCOMPLETE, "interrupted", as_json=as_json)
    except MemoryError:
        status = _refuse(Verdict.INCOMPLETE, "memory ran out", as_json=as_json)
    except BrokenPipeError:
        forget_standard_output()  # whoever read it has gone; there is nobody left to tell
        status = EXIT_CODES[Verdict.INCOMPLETE]
    except Exception as problem:
        if isinstance(problem, OSError) and problem.filename and str(problem.filename) in arguments:
            message = f"{problem.filename} cannot be used: {problem.strerror}"
            status = _refuse(Verdict.UNUSABLE, message, as_json=as_json)
        else:
            status = _internal_error(problem, as_json=as_json)
    sys.exit(status if isinstance(status, int) else 0)


def _path_of(problem: click.ClickException) -> str:
    """The command that was used wrongly, `assay` itself where that is unknown."""
    context = problem.ctx if isinstance(problem, click.UsageError) else None
    return "assay" if context is None else context.command_path


def _age_of_this_process() -> float:
    """Seconds since the command was started: a timeout counts from there, not from the end of imports."""
    try:
        fields = (
            Path("/proc/self/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
        )
        begin = int(fields[19]) / os.sysconf("SC_CLK_TCK")
        return max(0.0, time.clock_gettime(time.CLOCK_BOOTTIME) - begin)
    except (OSError, ValueError, IndexError, AttributeError):
        return 0.0


def _trace_name(program: str) -> str:
    """In the current directory, after the program: `leader.trace.json`; after the class for Python."""
    file, _, class_name = program.rpartition(":")
    return f"{class_name if file.endswith('.py') else Path(program).stem}.trace.json"


def _refuse(verdict: Verdict, message: str, *, as_json: bool, where: object = None, hint: str = "") -> int:
    message = " ".join(message.split("\n")).strip()
    if as_json:
        from assay.report.json_output import refusal_as_json

        tell(verdict, printed=lambda: _print_json(refusal_as_json(verdict, message, where)))
    suffix = f" (see {hint})" if hint else ""
    say(f"assay: {verdict}: {message}{suffix}" if where is None else f"{message}")
    return EXIT_CODES[verdict]


def _internal_error(problem: Exception, *, as_json: bool) -> int:
    import tempfile
    import traceback

    text = "".join(traceback.format_exception(problem))
    place = "text above"
    try:
        with tempfile.NamedTemporaryFile(
            "w", prefix="assay-error-", suffix=".txt", delete=False, encoding="utf-8"
        ) as report:
            report.write(f"assay {__version__}, Python {sys.version}\n{sys.argv}\n\n{text}")
        place = f"file {report.name}"
    except OSError:
        say(text)
    last_line = str(problem).strip().splitlines()[-1:] or [type(problem).__name__]
    message = (
        f"{last_line[0]}; this is a fault of Assay, not of your program: please report it with the "
        f"program and the {place}"
    )
    if as_json:
        from assay.report.json_output import refusal_as_json

        refusal = refusal_as_json(Verdict.INTERNAL_ERROR, message, None)
        tell(Verdict.INTERNAL_ERROR, printed=lambda: _print_json(refusal))
    say(f"assay: internal error: {message}")
    return EXIT_CODES[Verdict.INTERNAL_ERROR]


def _print_json(data: dict[str, object]) -> None:
    import json

    print(json.dumps(data, default=str))
    sys.stdout.flush()


def _as_interrupt(_signal: int, _frame: object) -> None:
    raise KeyboardInterrupt
