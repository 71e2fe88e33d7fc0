"""`assay demo`: a protocol that holds, one that does not, and a certificate against a liar, in one minute."""

from __future__ import annotations

from contextlib import chdir
from dataclasses import replace
from importlib import resources
from pathlib import Path
from tempfile import TemporaryDirectory

import click
from rich.console import Console

from assay.certification import certify
from assay.cli.exit_codes import EXIT_CODES
from assay.evidence.certificate.container import CertificateFile, CertificateWriter
from assay.evidence.verdict import Verdict
from assay.report.certification import print_certification
from assay.report.certification_progress import certification_listener
from assay.report.console import make_console, print_result
from assay.report.progress import progress_listener
from assay.verification import verify

PROTOCOL, MUTEX = Path("alternating_bit.pml"), Path("broken_mutex.pml")
CERTIFICATE, FORGED = Path("alternating_bit.assay"), Path("forged.assay")


@click.command(short_help="Verify a protocol, then break one.")
def demo() -> int:
    """Verify a real protocol and explain a broken one, step by step."""
    return run_demo()


def run_demo() -> int:
    """Returns 0 when every act ends as told, so that the demo is a test as well."""
    console = make_console()
    with TemporaryDirectory(prefix="assay-demo-") as folder, chdir(folder):
        for program in (PROTOCOL, MUTEX):
            packaged = resources.files("assay.cli").joinpath("demo_models", program.name)
            program.write_bytes(packaged.read_bytes())
        as_told = _acts(console)
    console.print(
        "\nNow your own: assay verify MODEL.pml. docs/tutorial.md explains what you have just seen,\n"
        "docs/certifying.md how to check the certificates of others.",
        style="bold",
        markup=False,
    )
    return EXIT_CODES[Verdict.VERIFIED if as_told else Verdict.INTERNAL_ERROR]


def _acts(console: Console) -> bool:
    _tell(
        console,
        "1. The alternating bit protocol sends messages over lines that lose them.\n"
        "   Does every message still arrive, once and in order?",
    )
    verdicts = [_verify(console, PROTOCOL, certificate=CERTIFICATE)]
    _tell(
        console,
        "2. Two processes guard a critical section: each looks at the other's flag, then raises its own.\n"
        "   Can both be inside?",
    )
    verdicts.append(_verify(console, MUTEX))
    _tell(
        console,
        "3. Why believe the first answer? It came with a certificate. Whoever has the program\n"
        "   can check it, without searching and without trusting us.",
    )
    verdicts.append(_certify(console, CERTIFICATE))
    forge_one_entry(CERTIFICATE, FORGED)
    _tell(
        console,
        "4. A liar changes one entry of the certificate, so that some step seems to lead elsewhere,\n"
        "   and makes all checksums good again.",
    )
    verdicts.append(_certify(console, FORGED, quiet=True))
    return verdicts == [Verdict.VERIFIED, Verdict.VIOLATED, Verdict.VERIFIED, Verdict.REJECTED]


def _tell(console: Console, story: str) -> None:
    console.print(f"\n{story}\n", style="bold", markup=False)


def _verify(console: Console, program: Path, *, certificate: Path | None = None) -> Verdict:
    option = "" if certificate is None else f" --certificate {certificate}"
    console.print(f"$ assay verify {program}{option}", style="dim", markup=False)
    with progress_listener(wanted=True) as listener:
        result = verify(program, certificate=certificate, listener=listener)
    print_result(result, console=console)
    return result.verdict


def _certify(console: Console, certificate: Path, *, quiet: bool = False) -> Verdict:
    option = " --quiet" if quiet else ""
    console.print(f"$ assay certify {PROTOCOL} {certificate}{option}", style="dim", markup=False)
    with certification_listener(wanted=True) as listener:
        result = certify(PROTOCOL, certificate, listener=listener)
    print_certification(result, quiet=quiet, console=console)
    return result.verdict


def forge_one_entry(certificate: Path, forged: Path) -> None:
    """Write a certificate that differs in one reference, in the middle; all lengths and checksums fit."""
    with CertificateFile(certificate) as file, CertificateWriter(forged, file.header) as writer:
        frames = list(file.frames())
        middle = len(frames) // 2
        ids = frames[middle].ids
        # The lowest bit of a number is the sign of how far the state is from where it is expected.
        frames[middle] = replace(frames[middle], ids=bytes([ids[0] ^ 1]) + ids[1:])
        for frame in frames:
            writer.add(frame)
        writer.finish()
