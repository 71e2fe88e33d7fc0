"""`assay demo`: a protocol that holds, and one that does not, in one minute."""

from __future__ import annotations

from contextlib import chdir
from importlib import resources
from pathlib import Path
from tempfile import TemporaryDirectory

from assay.cli.exit_codes import EXIT_CODES
from assay.evidence.verdict import Verdict
from assay.report.console import make_console, print_result
from assay.report.progress import progress_listener
from assay.verification import verify

ACTS = (
    (
        "alternating_bit.pml",
        "1. The alternating bit protocol sends messages over lines that lose them.\n"
        "   Does every message still arrive, once and in order?",
        Verdict.VERIFIED,
    ),
    (
        "broken_mutex.pml",
        "2. Two processes guard a critical section: each looks at the other's flag, then raises its own.\n"
        "   Can both be inside?",
        Verdict.VIOLATED,
    ),
)


def run_demo() -> int:
    """Returns 0 when both acts end as told, so that the demo is a test as well."""
    console = make_console()
    status = 0
    with TemporaryDirectory(prefix="assay-demo-") as folder, chdir(folder):
        for name, story, expected in ACTS:
            program = Path(name)
            program.write_bytes(resources.files("assay.cli").joinpath("demo_models", name).read_bytes())
            console.print(f"\n{story}\n", style="bold", markup=False)
            console.print(f"$ assay verify {name}", style="dim", markup=False)
            with progress_listener(wanted=True) as listener:
                result = verify(program, listener=listener)
            print_result(result, console=console)
            if result.verdict is not expected:
                status = EXIT_CODES[Verdict.INTERNAL_ERROR]
    console.print(
        "\nNow your own: assay verify MODEL.pml, and docs/tutorial.md explains what you have just seen.",
        style="bold",
        markup=False,
    )
    return status
