"""The command `assay`.

Every way out of `main` is one of the documented exit codes with a sentence on
standard error, or with one JSON object on standard output when `--json` is
given. Python tracebacks never reach a user; those of our own faults go to a
file that the user is asked to send.

What a command needs is imported when that command is run: the start is part of every run.
"""

from __future__ import annotations

import contextlib
import gc
import os
import re
import signal
import sys
import time
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import NoReturn

import click

from assay import __version__
from assay.cli.exit_codes import EXIT_CODES
from assay.cli.telling import forget_standard_output, have_standard_streams, print_json, say, tell
from assay.evidence.verdict import Verdict
from assay.execution import interrupts

COMMANDS = {  # the module that each is in, and what it does
    "verify": ("verify", "Check every reachable state of a program."),
    "swarm": ("swarm", "Search a program that is too large by many small, different searches."),
    "replay": ("replay", "Step through a saved counterexample."),
    "certify": ("certify", "Check a certificate against its program."),
    "inspect": ("certificates", "Show what a certificate claims and what it is made of."),
    "keygen": ("certificates", "Make a pair of keys for signing certificates."),
    "sign": ("certificates", "Sign a certificate."),
    "demo": ("demo", "Verify a protocol, then break one."),
}


# This process reads, compiles, tells and ends. What it makes it needs, as a rule; looking through that for
# garbage at every turn takes a tenth of the start.
GARBAGE_AT = 100_000


class Commands(click.Group):
    def list_commands(self, _context: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, _context: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command = getattr(import_module(f"assay.cli.{COMMANDS[name][0]}"), name)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, _context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name][1]) for name in sorted(COMMANDS)])


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, "--version", message="assay %(version)s")
def assay() -> None:
    """Verify concurrent programs by visiting every state they can reach."""


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command and leave with one of the documented exit codes."""
    started = time.monotonic()
    if arguments is None:
        started -= _age_of_this_process()
        arguments = sys.argv[1:]
        interrupts.keep()
        gc.set_threshold(GARBAGE_AT)
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
    except (KeyboardInterrupt, click.Abort):
        status = _refuse(Verdict.INCOMPLETE, "interrupted", as_json=as_json)
    except MemoryError:
        status = _refuse(Verdict.INCOMPLETE, "memory ran out", as_json=as_json)
    except BrokenPipeError:
        forget_standard_output()  # whoever read it has gone; there is nobody left to tell
        status = EXIT_CODES[Verdict.INCOMPLETE]
    except Exception as problem:
        status = _told(problem, arguments, as_json=as_json)
    sys.exit(status if isinstance(status, int) else 0)


def _told(problem: Exception, arguments: Sequence[str], *, as_json: bool) -> int:
    """The sentence about a problem and its exit code; what is none of the user's is a fault of ours."""
    from assay.evidence.certificate.header import CertificateProblem
    from assay.evidence.counterexample import TraceProblem
    from assay.evidence.estimate_file import EstimateProblem
    from assay.transition_system.interface import SourceProblem
    from assay.transition_system.language_options import OptionProblem

    if isinstance(problem, SourceProblem):
        where = problem.where or _place_in_what_was_asked(str(problem))
        return _refuse(Verdict.UNUSABLE, str(problem), as_json=as_json, where=where)
    if isinstance(problem, OptionProblem):
        return _refuse(Verdict.UNUSABLE, str(problem), as_json=as_json, hint=f"assay {arguments[0]} --help")
    if isinstance(problem, TraceProblem | CertificateProblem | EstimateProblem):
        return _refuse(Verdict.REJECTED, str(problem), as_json=as_json)
    if isinstance(problem, OSError) and problem.filename and str(problem.filename) in arguments:
        message = f"{problem.filename} cannot be used: {problem.strerror}"
        return _refuse(Verdict.UNUSABLE, message, as_json=as_json)
    return _internal_error(problem, as_json=as_json)


def _place_in_what_was_asked(message: str) -> str | None:
    """`formula:1:4`, if the message begins so: a process that only had the text of the property told it."""
    found = re.match(r"(?:formula|--[a-z-]+):[0-9]+:[0-9]+(?=: )", message)
    return found[0] if found else None


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


def _refuse(verdict: Verdict, message: str, *, as_json: bool, where: object = None, hint: str = "") -> int:
    message = " ".join(message.split("\n")).strip()
    if as_json:
        from assay.report.json_output import refusal_as_json

        tell(verdict, printed=lambda: print_json(refusal_as_json(verdict, message, where)))
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
        tell(Verdict.INTERNAL_ERROR, printed=lambda: print_json(refusal))
    say(f"assay: internal error: {message}")
    return EXIT_CODES[Verdict.INTERNAL_ERROR]


def _as_interrupt(_signal: int, _frame: object) -> None:
    raise KeyboardInterrupt
