"""What is measured: models, their sizes, and what SPIN counts on them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

MODELS = Path(__file__).parent / "models"


@dataclass(frozen=True, slots=True)
class Task:
    """One model at one size. All of them hold: every run visits the whole graph."""

    name: str
    model: str
    defines: tuple[str, ...]
    states: int
    transitions: int
    depth: int  # of SPIN's search: its stack is allocated for a little more
    wide: bool = False  # a state takes more than 150 bytes in SPIN

    @property
    def path(self) -> Path:
        return MODELS / self.model

    @property
    def macros(self) -> tuple[str, ...]:
        return tuple(f"-D{define}" for define in self.defines)


FULL = (
    Task("philosophers 9", "philosophers.pml", ("N=9",), 3_883_008, 27_889_664, 196_504),
    Task("philosophers 10", "philosophers.pml", ("N=10",), 21_217_280, 169_426_944, 900_000),
    Task(
        "readers/writers 6,4",
        "readers_writers.pml",
        ("READERS=6", "WRITERS=4"),
        10_888_464,
        39_262_140,
        429_308,
    ),
    Task("sleeping barber 2,6,3", "barber.pml", ("CUSTOMERS=6",), 3_694_194, 21_567_438, 2_013_357),
    Task("bounded buffer 4,3,2", "buffer.pml", (), 5_512_446, 20_491_548, 1_105_329),
    Task("filter lock 4", "filter_lock.pml", (), 13_882_412, 55_529_648, 2_368_174),
    Task("leader ring 7", "leader_ring.pml", ("N=7",), 3_143_418, 17_970_917, 216, wide=True),
    Task("pipeline sort 6", "pipeline_sort.pml", ("CAPACITY=1",), 5_387_257, 25_360_554, 241, wide=True),
)

QUICK = (
    Task("philosophers 8", "philosophers.pml", ("N=8",), 710_656, 4_533_760, 49_468),
    Task(
        "readers/writers 5,5", "readers_writers.pml", ("READERS=5", "WRITERS=5"), 1_313_409, 3_967_950, 99_351
    ),
    Task("sleeping barber 2,5,3", "barber.pml", (), 487_527, 2_490_531, 255_200),
    Task("leader ring 6", "leader_ring.pml", (), 394_440, 1_923_152, 188, wide=True),
    Task("pipeline sort 5", "pipeline_sort.pml", ("N=5",), 557_123, 2_233_582, 175, wide=True),
)

GROWTH = (
    Task("philosophers 7", "philosophers.pml", ("N=7",), 130_048, 725_248, 12_556),
    Task("philosophers 8", "philosophers.pml", ("N=8",), 710_656, 4_533_760, 49_468),
    Task("philosophers 9", "philosophers.pml", ("N=9",), 3_883_008, 27_889_664, 196_504),
    Task("philosophers 10", "philosophers.pml", ("N=10",), 21_217_280, 169_426_944, 900_000),
    Task("philosophers 11", "philosophers.pml", ("N=11",), 115_933_184, 1_018_839_040, 4_000_000),
)
