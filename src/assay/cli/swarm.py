"""The command `assay swarm`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli.flags import asked_of_the_language, language_flags
from assay.cli.mistaken_files import require_program
from assay.cli.quantities import Count, Duration, Memory
from assay.cli.telling import print_json, tell
from assay.execution import interrupts

if TYPE_CHECKING:
    from assay.swarming.result import SwarmResult


@click.command(short_help="Search a program that is too large by many small, different searches.")
@click.argument("program")
@click.option("--runs", type=Count(1, 100_000), default=100, show_default=True, help="How many searches.")
@click.option(
    "--timeout",
    type=Duration(),
    default="5m",
    show_default=True,
    help="For all of them together, since the start; each has its share.",
)
@click.option(
    "--memory", type=Memory(), default="1GiB", show_default=True, help="For those under way at one time."
)
@click.option(
    "--workers", type=Count(1, 1024), help="Searches at a time on this machine [one per processor]."
)
@click.option(
    "--cluster", metavar="ADDRESS", help="Give the runs to a Dask cluster: tcp://host:8786, or local:N."
)
@click.option(
    "--seed", type=Count(0, 2**64 - 1), default=0, show_default=True, help="What the runs are drawn from."
)
@click.option("--all", "all_violations", is_flag=True, help="Do not end with the first violation.")
@click.option("--no-deadlock", is_flag=True, help="Do not report invalid end states.")
@click.option("--plan", "only_plan", is_flag=True, help="Print what the runs would be, as commands.")
@language_flags
@click.option(
    "--trace", "trace", metavar="FILE", help="Where a counterexample is saved [PROGRAM.trace.json]."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")
@click.option("--quiet", "-q", is_flag=True, help="Print the verdict only.")
@click.pass_context
def swarm(context: click.Context, /, program: str, as_json: bool, quiet: bool, **given: Any) -> int:
    """Search PROGRAM by many small searches that differ in order, depth, hash functions and memory.

    None of them sees everything; together they see more than one long search, and come to an error sooner. A
    violation is shown after its run was executed again. Exit codes: 0 verified (a run saw every state,
    exactly), 1 violated, 2 unusable input, 3 incomplete, 70 internal error.
    """
    from assay.cli.verify import trace_name
    from assay.report.swarm import swarm_listener

    require_program(program, command="swarm")
    if given["cluster"] and given["workers"]:
        raise click.UsageError("--workers and --cluster do not go together: a cluster has its own workers")
    from assay.swarming import swarm as run_swarm

    with interrupts.scope():
        with swarm_listener(wanted=not quiet) as listener:
            result = run_swarm(
                program,
                runs=given["runs"],
                seed=given["seed"],
                workers=given["workers"],
                cluster=given["cluster"],
                all_violations=given["all_violations"],
                timeout_seconds=given["timeout"],
                memory_limit_bytes=given["memory"],
                check_deadlock=not given["no_deadlock"],
                trace=Path(given["trace"] or trace_name(program)),
                only_plan=given["only_plan"],
                listener=listener,
                started=context.obj,
                **asked_of_the_language(given),
            )
        return tell(
            result.verdict,
            printed=lambda: _print(result, as_json=as_json, quiet=quiet, only_plan=given["only_plan"]),
        )


def _print(result: SwarmResult, *, as_json: bool, quiet: bool, only_plan: bool) -> None:
    if as_json:
        print_json(result.as_json())
        return
    from assay.report.swarm import print_plan, print_swarm

    if only_plan:
        print_plan(result)
    else:
        print_swarm(result, quiet=quiet)
