"""Tasks that are regions of a certificate's tree, as the thesis cuts them (Algorithm 3.2).

The certificate's list Subgraphs says how large each subtree is; the engine cuts out one after another
and writes for each region a script of its own, in which an entry to the root of another
region refers to that root. docs/decisions/0005-partition-by-subgraphs.md says why this proves
what even intervals prove.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

from assay import _engine
from assay.distribution.interface import OutOfTime
from assay.evidence.certificate.container import CertificateFile
from assay.evidence.certificate.frames import Frame
from assay.evidence.certificate.header import CertificateProblem, Header
from assay.records import dataclass
from assay.transition_system.language_options import OptionProblem

MAX_NUMBERS = (1 << 32) - 2  # of states, and of entries: they are kept as 32 bits


@dataclass(frozen=True, slots=True)
class RegionSource:
    """The script of one region: its states have the numbers from the root to `end`, without `holes`."""

    first_state: int  # the root
    end: int
    holes: tuple[tuple[int, int], ...]  # begin and end of each
    script: tuple[Frame, ...]

    @property
    def entries(self) -> int:
        return sum(frame.entries for frame in self.script)

    def frames(self, *, bits_only: bool) -> Iterator[tuple[str, Frame]]:
        """A region of a trusted script was written without the rest, so `bits_only` changes nothing."""
        del bits_only
        for frame in self.script:
            yield f"region of state {self.first_state}", frame

    def intervals(self) -> list[tuple[int, int]]:
        """The numbers of its states."""
        begins = (self.first_state, *(end for _, end in self.holes))
        ends = (*(begin for begin, _ in self.holes), self.end)
        return list(zip(begins, ends, strict=True))


def require_subgraphs(header: Header) -> None:
    """Raises `OptionProblem` if a certificate cannot be cut by subgraphs."""
    if not header.subgraphs:
        raise OptionProblem(
            "partition: the certificate has no list of subgraphs; leave --partition out, or have it "
            "written with assay verify --certificate FILE --subgraphs"
        )
    if max(header.states, header.transitions) > MAX_NUMBERS:
        raise OptionProblem(
            f"partition: a certificate can be cut by subgraphs up to {MAX_NUMBERS:,} transitions; this one "
            f"has {header.transitions:,}, so leave --partition out"
        )


def region_sources(
    file: CertificateFile, tasks: int, *, trusted: bool, memory_limit_bytes: int, deadline: float | None
) -> list[RegionSource]:
    """At most `tasks` regions. Raises `CertificateProblem` when the list does not fit the script."""

    def look_at_the_clock() -> None:
        if deadline is not None and time.monotonic() > deadline:
            raise OutOfTime(0, tasks)

    header = file.header
    subgraphs, regions = _cut(
        file, tasks, look_at_the_clock, trusted=trusted, memory_limit_bytes=memory_limit_bytes
    )
    sources = [
        RegionSource(
            region.root,
            region.end,
            tuple(region.cut),
            tuple(Frame(*sections) for sections in subgraphs.script(index)),
        )
        for index, region in enumerate(regions)
    ]
    require_cover(sources, header.states)
    return sources


def require_fitting_list(file: CertificateFile, *, memory_limit_bytes: int, deadline: float | None) -> None:
    """That the list, if there is one, gives each subtree the size that it has in the script.

    How many entries a state has, the walk compares with the program.
    """
    if not file.header.subgraphs:
        return

    def look_at_the_clock() -> None:
        if deadline is not None and time.monotonic() > deadline:
            raise OutOfTime(0, 1)

    if max(file.header.states, file.header.transitions) > MAX_NUMBERS:
        raise CertificateProblem("it has a list of subgraphs, which is too long to be checked")
    _cut(file, 1, look_at_the_clock, trusted=False, memory_limit_bytes=memory_limit_bytes)


def _cut(
    file: CertificateFile,
    tasks: int,
    look_at_the_clock: Callable[[], None],
    *,
    trusted: bool,
    memory_limit_bytes: int,
) -> tuple[_engine.Subgraphs, Sequence[_engine.Region]]:
    header = file.header
    subgraphs = _engine.Subgraphs(
        header.states,
        header.transitions,
        trusted=trusted,
        memory_limit_bytes=memory_limit_bytes,
    )
    for number, frame in enumerate(file.frames()):
        look_at_the_clock()
        try:
            subgraphs.read(
                frame.states,
                frame.entries,
                frame.references,
                frame.start,
                frame.bits,
                frame.ids,
                frame.counts,
                frame.subgraphs,
            )
        except _engine.Rejected as problem:
            raise CertificateProblem(f"frame {number}: {problem}") from None
    try:
        return subgraphs, subgraphs.partition(tasks, look_at_the_clock)
    except _engine.Rejected as problem:
        raise CertificateProblem(str(problem)) from None


def require_cover(sources: Sequence[RegionSource], states: int) -> None:
    """Each number belongs to one region, and the initial state is the root of its own."""
    intervals = sorted(interval for source in sources for interval in source.intervals())
    ends = (0, *(end for _, end in intervals))
    begins = (*(begin for begin, _ in intervals), states)
    covered = all(end == begin for end, begin in zip(ends, begins, strict=True))
    if not covered or [source.first_state for source in sources].count(0) != 1:
        raise AssertionError(f"{intervals} are not all of {states} states")
