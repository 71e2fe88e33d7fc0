"""The commands around certificates: look at one, make keys, sign.

What reads certificates is imported when one is there, so that other commands start without it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.cli.exit_codes import EXIT_CODES
from assay.cli.mistaken_files import TRACE, require_no
from assay.cli.quantities import Count
from assay.cli.telling import print_json
from assay.evidence.verdict import Verdict

if TYPE_CHECKING:
    from assay.evidence.certificate.container import CertificateFile
    from assay.evidence.certificate.header import Header
    from assay.report.certificate import Envelope, Successor
    from assay.transition_system.interface import Program

MOST_LOCATIONS_SHOWN = 200
TASKS = (10, 50, 100)
EXISTING = click.Path(exists=True, dir_okay=False, path_type=Path)
NEW = click.Path(path_type=Path)


@click.command(short_help="Make a pair of keys for signing certificates.")
@click.option(
    "--private", type=NEW, required=True, help="Where the secret key goes; nobody else may read it."
)
@click.option("--public", type=NEW, required=True, help="Where the key goes that you give to others.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")
def keygen(private: Path, public: Path, as_json: bool) -> int:
    """Make an Ed25519 key for `assay sign`. Files that exist are never overwritten."""
    from assay.evidence import signature

    try:
        identity = signature.generate_keys(private, public)
    except signature.SignatureProblem as problem:
        raise click.ClickException(str(problem)) from None
    if as_json:
        print_json({"key_id": identity, "private": str(private), "public": str(public)})
    else:
        print(f"key {identity}")
        print(f"  keep {private} secret; give {public} to those who shall check your signatures")
    return 0


@click.command(short_help="Sign a certificate.")
@click.argument("certificate", type=EXISTING)
@click.option("--key", type=EXISTING, required=True, help="The secret key that `assay keygen` made.")
@click.option("--output", type=NEW, help="Where the envelope goes [CERTIFICATE.sig].")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")
def sign(certificate: Path, key: Path, output: Path | None, as_json: bool) -> int:
    """Say with your key that you stand behind CERTIFICATE.

    The envelope (DSSE with an in-toto statement) tells others who made the claim. Whether the claim is true
    they find out by certifying it.
    """
    from assay.evidence import signature

    require_no(TRACE, certificate)
    output = output or signature.default_envelope(certificate)
    try:
        signed = signature.sign(certificate, key, output)
    except signature.SignatureProblem as problem:
        raise click.ClickException(str(problem)) from None
    if as_json:
        print_json(
            {
                "envelope": str(output),
                "key_id": signed.key_id,
                "certificate": str(certificate),
                "sha256": signed.sha256,
                "claim": signed.claim,
            }
        )
    else:
        from assay.report.words import printable

        print(f"signed  {certificate}: {printable(signed.claim)}")
        print(f"  by key {signed.key_id}, saved as {output}")
    return 0


@click.command(short_help="Show what a certificate claims and what it is made of.")
@click.argument("certificate", type=EXISTING)
@click.option("--script", is_flag=True, help="Print the script of a small certificate, step by step.")
@click.option("--program", type=EXISTING, help="The program, for a script with its statements.")
@click.option(
    "--tasks",
    type=Count(1, 65_536),
    multiple=True,
    help="Show how the script divides into this many tasks [10, 50, 100]. Repeatable.",
)
@click.option("--key", "keys", type=EXISTING, multiple=True, help="Check the signature with this public key.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")
def inspect(
    certificate: Path,
    script: bool,
    program: Path | None,
    tasks: Sequence[int],
    keys: Sequence[Path],
    as_json: bool,
) -> int:
    """Show what CERTIFICATE claims, its size and parts, and who signed it.

    Nothing is certified here. With --key, exit code 4 says that no signature beside the certificate is by one
    of the keys.
    """
    from assay.evidence.certificate.container import CertificateFile
    from assay.evidence.certificate.invariant_file import is_invariant_file
    from assay.report import certificate as report

    require_no(TRACE, certificate)

    if program and not script:
        raise click.UsageError("--program is needed for --script alone")
    if is_invariant_file(certificate):
        return _inspect_invariant(certificate, as_json=as_json)
    with CertificateFile(certificate) as file:
        envelope = _envelope(file, keys)
        inspection = report.inspect(file, tasks or TASKS, envelope)
        steps = ProgramSteps(program, file.header) if program else None
        listing = report.read_script(file, steps) if script else None
    if as_json:
        data = inspection.as_json()
        if listing is not None:
            data["script"] = listing.as_json()
        print_json(data)
    else:
        report.print_inspection(inspection)
        if listing is not None:
            print()
            report.print_script(listing, parts=len(inspection.part_bytes))
    return EXIT_CODES[Verdict.REJECTED] if envelope.verified is False else 0


def _inspect_invariant(certificate: Path, *, as_json: bool) -> int:
    """A proof by invariant has no script: its claim, and its conditions as they stand in the file."""
    from dataclasses import asdict

    from assay.evidence.certificate.invariant_file import InvariantFile
    from assay.report.console import make_console, print_fact

    file = InvariantFile(certificate)
    header = file.header
    if as_json:
        facts = {"bytes": file.size, "sha256": file.sha256, "claim": header.claim, **asdict(header)}
        print_json({**facts, "invariant": file.invariant()})
        return 0
    console = make_console()
    print_fact(console, f"claim: {header.claim}")
    print_fact(console, f"under: {json.dumps(dict(header.semantics))}")
    print_fact(console, f"{file.size:,} bytes, SHA-256 {file.sha256}; nothing was checked here")
    written = file.invariant()
    if header.language == "c":
        from assay.evidence.sequential.proof_text import lines_of

        for line in islice(lines_of(written), MOST_LOCATIONS_SHOWN):
            print_fact(console, line)
        return 0
    for one in written["locations"][:MOST_LOCATIONS_SHOWN]:
        print_fact(console, f"at {json.dumps(one['at'])}: {json.dumps(one['holds'])}")
    return 0


def _envelope(certificate: CertificateFile, keys: Sequence[Path]) -> Envelope:
    from assay.evidence import signature
    from assay.report.certificate import Envelope

    beside = signature.default_envelope(certificate.path)
    if not keys:
        return Envelope(str(beside) if beside.exists() else None)
    try:
        verified = signature.verify(certificate, beside, keys)
    except signature.SignatureProblem as problem:
        return Envelope(str(beside) if beside.exists() else None, verified=False, problem=str(problem))
    return Envelope(str(beside), verified=True, key_id=verified.key_id)


class ProgramSteps:
    """The program that a certificate is about, opened in this process: only for scripts that people read."""

    def __init__(self, path: Path, header: Header) -> None:
        from assay.languages import load
        from assay.transition_system.language_options import LanguageOptions
        from assay.transition_system.opening import draw_key, open_model

        options = {
            **header.semantics,
            "language": None,  # what semantics say of it are words for people
            "safety": header.semantics.get("safety_only"),
            "invariants": list(header.properties.invariants),
            "step_invariants": list(header.properties.step_invariants),
        }
        self._program: Program = load(path, LanguageOptions.from_json(options))
        _require_same_sources(self._program, header)
        self._model = open_model(self._program.opening, key=draw_key())

    def initial(self) -> bytes:
        return self._model.initial_state()[0]

    def successors(self, state: bytes) -> list[Successor]:
        from assay.report.certificate import Successor

        return [
            Successor(after, self._statement(state, position))
            for position, (after, _) in enumerate(self._model.successors(state))
        ]

    def _statement(self, state: bytes, position: int) -> str:
        from assay.transition_system.opening import describes_itself

        if describes_itself(self._model):
            descriptions = {"states": {}, "steps": [self._model.explain(state, position)], "violations": {}}
            step = self._program.knowing(descriptions).describe_step(state, 0, 0)
            return "; ".join(f"{part.process} {part.text}" for part in (step, *step.then))
        texts = []
        for process, transition, after in self._model.explain(state, position):
            step = self._program.describe_step(state, process, transition)
            texts.append(f"{step.process} {step.text}")
            state = after
        return "; ".join(texts)


def _require_same_sources(program: Program, header: Header) -> None:
    from assay.evidence.certificate.header import CertificateProblem

    given = [(Path(source.path).name, source.sha256) for source in program.sources]
    claimed = [(source.name, source.sha256) for source in header.sources]
    # The program's own file may have another name.
    if given[1:] != claimed[1:] or given[0][1] != claimed[0][1]:
        names = ", ".join(name for name, _ in given)
        raise CertificateProblem(
            f"the certificate is about another program: {names} as given is not what it was made from"
        )
