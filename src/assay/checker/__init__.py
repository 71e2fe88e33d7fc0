"""An independent checker of certificates, in plain Python.

    python -m assay.checker PROGRAM CERTIFICATE.assay

Written from docs/formats/certificate.md alone: it shares no code with the tools
that write certificates or certify them fast. What it trusts, as every checker
must, is the step function of the language. To be read from top to bottom:

1. `container`: the bytes of the file, their limits and digests;
2. `walk`: the script, walked along its tree with nothing remembered but the open path;
3. `program`: the source text that the certificate speaks of;
4. `invariants`: proofs by invariant, whose obligations another solver answers.
"""

from assay.checker.container import Rejected
from assay.checker.invariants import AcceptedInvariant, Undecided
from assay.checker.program import Unusable, check
from assay.checker.walk import Accepted, check_bytes

__all__ = ["Accepted", "AcceptedInvariant", "Rejected", "Undecided", "Unusable", "check", "check_bytes"]
