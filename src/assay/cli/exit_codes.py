"""Each verdict has one exit code; scripts rely on them."""

from __future__ import annotations

from assay.evidence.verdict import Verdict

EXIT_CODES = {
    Verdict.VERIFIED: 0,
    Verdict.VIOLATED: 1,
    Verdict.UNUSABLE: 2,
    Verdict.INCOMPLETE: 3,
    Verdict.REJECTED: 4,
    Verdict.INTERNAL_ERROR: 70,
}
