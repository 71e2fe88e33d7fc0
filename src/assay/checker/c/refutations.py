"""Proofs of the obligations, in a file beside the certificate: made here, and checked without a solver.

    {"certificate": SHA-256, "format": "assay-refutations", "proofs": [null, [[3, -5, 0, 17, 4], ...], ...],
     "version": 1}

as JSON that zstd compressed. There is one entry for each obligation, in their order; null where there is no
proof or none is needed. A step is the literals of a clause, 0, and the positions of the clauses from which
it follows. Clauses are those of `blasting`; whoever would rather use a checker of their own has them written
down as DIMACS and LRAT.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import zstandard

from assay.checker.c.blasting import TooLarge, clauses_of
from assay.checker.c.problems import CannotCheck, NoProof
from assay.checker.c.proofs import Obligation
from assay.checker.c.propagation import Clause, Step, wrong_step
from assay.checker.c.refuting import NoneFound, refuted
from assay.checker.records import dataclass

if TYPE_CHECKING:
    from pathlib import Path

FORMAT, VERSION = "assay-refutations", 1
KEYS = {"certificate", "format", "proofs", "version"}
MOST_BYTES = 1 << 28  # decompressed
MOST_FILE_BYTES = 1 << 27
SECONDS = 20.0  # of the processor, to find a proof of one obligation
LEVEL = 12
MOST_MISSING = 3  # that are named


@dataclass(frozen=True)
class ProofFile:
    """Where proofs of obligations are, or are to be written; `export`: a folder for DIMACS and LRAT."""

    path: Path
    is_new: bool = False
    export: Path | None = None


@dataclass(frozen=True)
class Found:
    """`proved` of `needed` obligations have a proof in the file; the others are computed, or `missing`."""

    needed: int
    proved: int
    missing: tuple[str, ...]  # why, and of which
    size: int


def written(wanted: Sequence[Obligation], certificate: str, path: Path) -> Found:
    """Looks for proofs, and writes the file. Raises CannotCheck."""
    proofs: list[list[list[int]] | None] = []
    missing: list[str] = []
    for one in wanted:
        steps, problem = _found(one)
        proofs.append(None if steps is None else [[*literals, 0, *used] for literals, used in steps])
        missing += [f"{one.text} ({problem})"] if problem else []
    body = {"certificate": certificate, "format": FORMAT, "proofs": proofs, "version": VERSION}
    content = zstandard.ZstdCompressor(level=LEVEL).compress(
        json.dumps(body, sort_keys=True, separators=(",", ":")).encode()
    )
    try:
        path.write_bytes(content)
    except OSError as problem_:
        raise CannotCheck(f"proofs in a file that cannot be written ({problem_.strerror})") from None
    needed = sum(one.refutation.value is None for one in wanted)
    return Found(needed, needed - len(missing), tuple(missing), len(content))


def _found(one: Obligation) -> tuple[list[Step] | None, str]:
    if one.refutation.value is not None:
        return None, ""
    try:
        clauses = clauses_of(one.refutation)
        steps = refuted(clauses, SECONDS)
    except (TooLarge, NoneFound) as problem:
        return None, str(problem)
    except ImportError:
        raise CannotCheck("finding proofs without python-sat (pip install python-sat)") from None
    if steps is None:
        raise NoProof(f"an obligation is not met: {one.text}")
    if wrong_step(clauses, steps) is not None:
        return None, "what was found does not hold"
    return steps, ""


def decided(
    wanted: Sequence[Obligation],
    file: ProofFile,
    certificate: str,
    read: Callable[[Path], bytes],
    ask: Callable[[Sequence[Obligation]], tuple[str, ...]],
) -> tuple[tuple[str, ...], str]:
    """Who has decided all of them, and what is to be said of the file."""
    note = ""
    if file.is_new:
        found = written(wanted, certificate, file.path)
        note = f"proofs of {found.proved} of {found.needed} obligations written, {found.size:,} bytes"
        note += f"; none for {'; '.join(found.missing[:MOST_MISSING])}" if found.missing else ""
        note += (
            f"; and {len(found.missing) - MOST_MISSING} others" if len(found.missing) > MOST_MISSING else ""
        )
    return checked(wanted, read(file.path), certificate, ask, file.export), note


def checked(
    wanted: Sequence[Obligation],
    content: bytes,
    certificate: str,
    ask: Callable[[Sequence[Obligation]], tuple[str, ...]],
    export: Path | None = None,
) -> tuple[str, ...]:
    """Who has decided all of them: `ask` is asked about those that have no proof. Raises NoProof."""
    proofs = _read(content, certificate)
    if len(proofs) != len(wanted):
        raise NoProof(f"there are proofs for {len(proofs)} obligations, and {len(wanted)} obligations")
    left: list[Obligation] = []
    needed = 0
    for number, (one, written_) in enumerate(zip(wanted, proofs, strict=True)):
        if one.refutation.value is not None or written_ is None:
            left.append(one)
            needed += one.refutation.value is None
            continue
        needed += 1
        try:
            clauses = clauses_of(one.refutation)
        except TooLarge as problem:
            raise NoProof(f"there is a proof of an obligation, and {problem}: {one.text}") from None
        steps = [_step(each) for each in written_]
        wrong = wrong_step(clauses, steps)
        if wrong is not None:
            raise NoProof(f"the proof of an obligation does not hold, from step {wrong + 1} on: {one.text}")
        if export is not None:
            _export(export / f"obligation-{number + 1}", clauses, steps)
    others = ask(left)
    proved = len(wanted) - len(left)
    own = (
        ("unit propagation along proofs",)
        if proved == needed
        else (f"unit propagation along proofs ({proved} of {needed})",)
    )
    return own if proved == needed else (*own, *others)


def _read(content: bytes, certificate: str) -> list[Any]:
    try:
        if len(content) > MOST_FILE_BYTES:
            raise NoProof("the file of proofs is larger than any that is read")
        size = zstandard.get_frame_parameters(content).content_size
        if not 0 < size <= MOST_BYTES:
            raise NoProof("the file of proofs has a length that none has")
        text = zstandard.ZstdDecompressor(max_window_size=2**27).decompress(content, max_output_size=size)
        body = json.loads(text)
    except (zstandard.ZstdError, ValueError, RecursionError):
        raise NoProof("the file of proofs cannot be read") from None
    if not isinstance(body, dict) or body.keys() != KEYS or not isinstance(body["proofs"], list):
        raise NoProof("the file of proofs does not have their keys")
    if body["format"] != FORMAT or body["version"] != VERSION:
        raise NoProof("the file of proofs has another format")
    if body["certificate"] != certificate:
        raise NoProof("the file has the proofs of another certificate")
    for one in body["proofs"]:
        if one is not None and not (isinstance(one, list) and all(isinstance(step, list) for step in one)):
            raise NoProof("a proof of the file is no list of steps")
    return body["proofs"]


def _step(given: list[Any]) -> Step:
    if not all(type(one) is int for one in given) or 0 not in given:
        raise NoProof("a step of a proof is no list of numbers with 0 between them")
    end = given.index(0)
    return given[:end], given[end + 1 :]


def _export(path: Path, clauses: Sequence[Clause], steps: Sequence[Step]) -> None:
    """For other checkers: clauses are counted from 1 there."""
    most = max((abs(one) for clause in clauses for one in clause), default=0)
    lines = [f"p cnf {most} {len(clauses)}", *(" ".join(map(str, (*one, 0))) for one in clauses)]
    proof = [
        " ".join(map(str, (len(clauses) + number, *literals, 0, *(one + 1 for one in used), 0)))
        for number, (literals, used) in enumerate(steps, 1)
    ]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.with_suffix(".cnf").write_text("\n".join([*lines, ""]))
        path.with_suffix(".lrat").write_text("\n".join([*proof, ""]))
    except OSError as problem:
        raise CannotCheck(f"a folder that cannot be written ({problem.strerror})") from None
