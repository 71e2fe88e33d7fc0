"""A certificate about a C program: the files that it speaks of, and the way through `c`.

Nothing of the language is shared: the texts are read by a front end of the checker's own. Nothing is
imported here that only other certificates need, since a small proof is checked faster than that.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from os import fspath
from typing import TYPE_CHECKING

from assay.checker.c.checking import asked, check_c
from assay.checker.c.problems import CannotCheck, NoProgram, NoProof
from assay.checker.container import Header, Rejected, Undecided, content_of, texts
from assay.checker.invariant_file import AcceptedInvariant, read_invariant_file

if TYPE_CHECKING:
    from os import PathLike

    from assay.checker.c.proofs import Obligation
    from assay.checker.c.refutations import ProofFile

RULES = f"{__file__.rpartition('/checker/')[0]}/languages/c/rules"  # texts that come with Assay


def check_c_proof(
    files: Sequence[str | PathLike[str]], data: bytes, rules: Sequence[str], proofs: ProofFile | None
) -> AcceptedInvariant:
    """`data` is the certificate, `files` those of the program, `rules` the files of its rules."""
    header, written = read_invariant_file(data)
    contents = _contents(files, header)
    notes: list[str] = []

    def decide(wanted: Sequence[Obligation]) -> tuple[str, ...]:
        from assay.checker.c.refutations import decided

        assert proofs is not None
        read = lambda path: content_of(path, "file of proofs")  # noqa: E731
        solvers, note = decided(wanted, proofs, hashlib.sha256(data).hexdigest(), read, asked)
        notes.extend([note] if note else [])
        return solvers

    try:
        found = check_c(
            contents,
            header.sources,
            header.semantics,
            written,
            _rules(header, rules),
            None if proofs is None else decide,
        )
    except (NoProgram, NoProof) as problem:
        raise Rejected(str(problem)) from None
    except CannotCheck as problem:
        raise Undecided(f"cannot check: {problem} is not read here; ask: assay certify") from None
    solver = " and ".join(found.solvers) or "computing"
    return AcceptedInvariant(header, found.obligations, solver, tuple(notes))


def _contents(
    files: Sequence[str | PathLike[str]], header: Header
) -> list[tuple[str | PathLike[str], bytes]]:
    """Of the files, each of which has the hash that the certificate names."""
    if len(files) + len(texts(header.semantics, "rules")) != len(header.sources):
        raise Rejected(
            f"the certificate speaks of {len(header.sources)} files, rules included, and not of "
            f"{', '.join(map(str, files))}; name further files of the program with --c-source"
        )
    found: list[tuple[str | PathLike[str], bytes]] = []
    for file, (name, sha256) in zip(files, header.sources, strict=False):
        content = content_of(file, "program")
        if hashlib.sha256(content).hexdigest() != sha256:
            raise Rejected(f"{file} is another program: its SHA-256 differs from that of {name!a}")
        found.append((file, content))
    return found


def _rules(header: Header, given: Sequence[str]) -> list[tuple[str, bytes]]:
    """Names and texts; rules that are files have to be named, since a stranger names no file here."""
    files = [fspath(one) for one in given] or [
        f"{RULES}/{one.replace('_', '-')}.rule"
        for one in texts(header.semantics, "rules")
        if one.isidentifier()
    ]
    return [(_stem(file), content_of(file, "rule (name its file with --rule)")) for file in files]


def _stem(file: str) -> str:
    name = file.rpartition("/")[2]
    return name.rpartition(".")[0] or name
