"""What it costs to show that a temporal property holds, and to check it.

    python -m benchmarks.temporal_certificates [--quick] [--repetitions 3]

Two tables. The first is about bytes: for each question of `benchmarks.liveness` that holds, and for larger
ones, bytes per transition of the script over the states and of the part with ranks (frames only, without
header and index), and how much of the part its excesses are. The second is about time, for what is
large enough: processor seconds of the search of the product against those of the walk through the part,
decompressed as it goes, the best of the repetitions each, in one process and in turns.
"""

from __future__ import annotations

import argparse
import secrets
import statistics
import tempfile
import time
from pathlib import Path

import assay
from assay import _engine, languages
from assay.certification import task as certification
from assay.certification.sharing_out import frame_sources
from assay.evidence.certificate.container import CertificateFile, StoredScript
from assay.search.cycle_worker import CycleSearch
from assay.transition_system.language_options import REDUCTIONS, LanguageOptions
from assay.transition_system.opening import open_model
from assay.transition_system.question import question_of
from benchmarks.liveness import FAIR, RATES, Question

MORE = (
    Question("philosophers", ("N=9",), "[] <> (eating > 0)", holds=True, quick=True),
    Question("philosophers", ("N=9",), "[] (eating <= 4)", holds=True),
    Question("readers_writers", ("READERS=7", "WRITERS=4"), "[] (readers <= 7)", holds=True),
    Question("philosophers", ("N=8",), "[] <> (eating > 0)", holds=True, fair=True),
)
LARGE = 300_000  # transitions; below, a walk is over before a clock says anything about it
BYTES_OF_SECRETS = 24 * 1_000  # for states of nearly as many words


def bytes_per_transition(script: StoredScript) -> float:
    return sum(record.length for record in script.records) / script.header.transitions


class Subject:
    """A question, its certificate, and the program, compiled and opened once."""

    def __init__(self, question: Question, folder: Path) -> None:
        path, self.certificate = question.write(folder), folder / "m.assay"
        result = assay.verify(path, certificate=self.certificate, check_deadlock=False, fair=question.fair)
        assert result.verdict is assay.Verdict.VERIFIED, result.reasons
        options = LanguageOptions(reductions=frozenset(REDUCTIONS), fair=question.fair)
        self.program = languages.load(path, options)
        self.model = open_model(self.program.opening)
        processes = self.program.process_limit if question.fair else 0
        self.question = question_of(self.program.temporal[0], processes)

    def search_seconds(self) -> float:
        asked = CycleSearch.from_json(self.question, self.model)
        product = asked.product(self.model)
        began = time.process_time()
        found = _engine.search(product, progress_interval_seconds=10.0, **asked.options())
        assert found.complete
        assert not found.violations
        return time.process_time() - began

    def walk_seconds(self, file: CertificateFile) -> float:
        (part,), temporal = file.parts, file.header.temporal
        assert temporal is not None
        (source,) = frame_sources(part, 1)
        task = certification.CertificationTask(
            opening=self.program.opening,
            source=source,
            purpose="authenticate",
            secrets=secrets.token_bytes(BYTES_OF_SECRETS),
            total_states=part.header.states,
            check_deadlock=False,
            ranked=certification.RankedWalk(self.question, temporal.parts[0].rank),
        )
        began = time.process_time()
        report = certification.walk(self.model, task, lambda _: None)
        seconds = time.process_time() - began
        assert report.is_finished
        assert report.referred == report.visited
        return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--repetitions", type=int, default=3)
    arguments = parser.parse_args()
    sizes: list[float] = []
    speeds: list[float] = []
    rows: list[str] = []
    print("| question | transitions | states, B/tr | part, B/tr | times | excesses |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for question in (*RATES, *FAIR, *MORE):
        if arguments.quick and not question.quick:
            continue
        with tempfile.TemporaryDirectory() as folder:
            subject = Subject(question, Path(folder))
            with CertificateFile(subject.certificate) as file:
                states, part = bytes_per_transition(file.script), bytes_per_transition(file.parts[0])
                records, transitions = file.parts[0].records, file.parts[0].header.transitions
                excesses = sum(record.supplement for record in records) / sum(one.length for one in records)
                if transitions >= LARGE:
                    turns = range(arguments.repetitions)
                    pairs = [(subject.search_seconds(), subject.walk_seconds(file)) for _ in turns]
                    search, walk = (min(seconds) for seconds in zip(*pairs, strict=True))
                    speeds.append(search / walk)
                    rows.append(f"| {question.name} | {search:.3f} | {walk:.3f} | {search / walk:.2f} |")
        sizes.append(part / states)
        print(
            f"| {question.name} | {transitions:,} | {states:.3f} | {part:.3f} | {sizes[-1]:.2f} | "
            f"{excesses:.0%} |",
            flush=True,
        )
    print(f"\nat most {max(sizes):.2f} times the bytes of the script over the states (aim 1.2)\n")
    print("| question | search, s | walk, s | times faster |\n| --- | ---: | ---: | ---: |")
    print("\n".join(rows))
    print(f"\nmedian {statistics.median(speeds):.2f} (aim 1.5)")


if __name__ == "__main__":
    main()
