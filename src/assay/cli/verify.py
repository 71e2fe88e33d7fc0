"""The command `assay verify`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli.flags import asked_of_the_language, asked_of_the_search, language_flags, search_flags
from assay.cli.mistaken_files import require_program
from assay.cli.telling import print_json, tell
from assay.evidence.certificate import CODINGS
from assay.execution import interrupts
from assay.execution.imports_ahead import import_ahead
from assay.search.estimation_methods import METHODS, best_method

if TYPE_CHECKING:
    from assay.evidence.result import Result
    from assay.execution.model_process import Progress
    from assay.verification.request import Listener


@click.command(short_help="Check every reachable state of a program.")
@click.argument("program")
@search_flags
@language_flags
@click.option(
    "--trace", "trace", metavar="FILE", help="Where a counterexample is saved [PROGRAM.trace.json]."
)
@click.option("--certificate", metavar="FILE", help="Write a certificate that others can check: OUT.assay.")
@click.option("--witness", metavar="FILE.yml", help="C: write an SV-COMP witness (2.0) of what was found.")
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
@click.option(
    "--check-abstraction",
    is_flag=True,
    help="With --match: search the whole graph and compare all states with the same key.",
)
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

    require_program(program, command="verify")
    from assay.verification import verify as verify_program
    from assay.verification.request import Phase

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

    def getting_ready(listener: Listener | None) -> Listener:
        """Imports what tells the result while another process searches."""

        def listen(event: Phase | Progress) -> None:
            if isinstance(event, Phase) and event.name == "searching":
                import_ahead("assay.report.console")
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
                trace=given["trace"] or trace_name(program),
                certificate=given["certificate"],
                witness=given["witness"],
                certificate_coding=given["certificate_coding"],
                subgraphs=given["subgraphs"],
                estimate=given["estimate_method"]
                or (best_method(given["timeout_seconds"] or 0.0) if given["estimate"] else None),
                estimate_file=given["estimate_file"],
                check_abstraction=given["check_abstraction"],
                listener=watched(listener) if as_json else getting_ready(watched(listener)),
                started=context.obj,
            )
        return tell(
            result.verdict,
            printed=lambda: _print_result(result, as_json=as_json, quiet=quiet),
            **({"drawn": lambda: _plot(Path(given["plot"]), result, history)} if given["plot"] else {}),
        )


def _print_result(result: Result, *, as_json: bool, quiet: bool) -> None:
    if as_json:
        print_json(result.as_json())
        return
    from assay.report.console import print_result

    print_result(result, quiet=quiet)


def _plot(path: Path, result: Result, history: Sequence[Progress]) -> None:
    from assay.report.plots import plot

    plot(path, result, history)


def trace_name(program: str) -> str:
    """In the current directory, after the program: `leader.trace.json`; after the class for Python."""
    file, _, class_name = program.rpartition(":")
    return f"{class_name if file.endswith('.py') else Path(program).stem}.trace.json"
