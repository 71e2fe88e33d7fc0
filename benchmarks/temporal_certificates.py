"""What it costs to show that a temporal property holds, and to check it.

    python -m benchmarks.temporal_certificates [--quick]

For each question of `benchmarks.liveness` that holds: bytes per transition of the script over the states
and of the part with ranks (frames only, without header and index), how much of the part its excesses are,
and seconds of the search of the product against those of the walk through the part, the best of three each,
on one core.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import assay
from assay.evidence.certificate.container import CertificateFile, StoredScript
from benchmarks.liveness import FAIR, RATES, searched

REPETITIONS = 3


def bytes_per_transition(script: StoredScript) -> float:
    return sum(record.length for record in script.records) / script.header.transitions


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    print("| question | states, B/tr | part, B/tr | times | excesses | search, s | walk, s | times faster |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for question in (*RATES, *FAIR):
        if quick and not question.quick:
            continue
        with tempfile.TemporaryDirectory() as folder:
            path, certificate = question.write(Path(folder)), Path(folder, "m.assay")
            options = {"check_deadlock": False, "fair": question.fair}
            result = assay.verify(path, certificate=certificate, **options)
            assert result.verdict is assay.Verdict.VERIFIED, result.reasons
            search = min(searched(question, path, reduced=True).seconds for _ in range(REPETITIONS))
            checked = [
                assay.certify(path, certificate, fair=question.fair, require_deadlock_freedom=False)
                for _ in range(REPETITIONS)
            ]
            assert all(one.verdict is assay.Verdict.VERIFIED for one in checked)
            walk = min(one.temporal[0].walk_seconds for one in checked)
            with CertificateFile(certificate) as file:
                states, part = bytes_per_transition(file.script), bytes_per_transition(file.parts[0])
                records = file.parts[0].records
                excesses = sum(record.supplement for record in records) / sum(one.length for one in records)
        print(
            f"| {question.name} | {states:.3f} | {part:.3f} | {part / states:.2f} | {excesses:.0%} | "
            f"{search:.3f} | {walk:.3f} | {search / walk:.1f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
