"""An independent checker of certificates, in plain Python.

    python -m assay.checker PROGRAM CERTIFICATE.assay

Written from docs/formats/certificate.md alone: it shares no code with the tools
that write certificates or certify them fast. What it trusts, as every checker
must, is the step function of the language. To be read from top to bottom:

1. `container`: the bytes of the file, their limits and digests;
2. `walk`: the script, walked along its tree with nothing remembered but the open path;
3. `program`: the source text that the certificate speaks of;
4. `invariant_file` and `invariants`: proofs by invariant, whose obligations another solver answers;
5. `c_certificates` and `c`: proofs about C programs, of which nothing is shared.

The names below are imported when they are first used: a proof about a C program needs few of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.checker.container import Rejected, Undecided, Unusable
    from assay.checker.invariant_file import AcceptedInvariant
    from assay.checker.program import check
    from assay.checker.walk import Accepted, check_bytes

__all__ = ["Accepted", "AcceptedInvariant", "Rejected", "Undecided", "Unusable", "check", "check_bytes"]

_HOME = {
    **dict.fromkeys(("Rejected", "Undecided", "Unusable"), "assay.checker.container"),
    "AcceptedInvariant": "assay.checker.invariant_file",
    "check": "assay.checker.program",
    **dict.fromkeys(("Accepted", "check_bytes"), "assay.checker.walk"),
}


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'assay.checker' has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value
