"""Our models of the thesis's programs, with the counts that SPIN gives for them without reductions."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks import thesis
from benchmarks.tasks import Task


@dataclass(frozen=True, slots=True)
class Counterpart:
    """One of our models at one size, and the program of the thesis that it stands for."""

    program: thesis.Program
    task: Task


FULL = (
    Counterpart(
        thesis.PHILOSOPHERS,
        Task("philosophers 9", "philosophers.pml", ("N=9",), 3_883_008, 27_889_664, 196_504),
    ),
    Counterpart(
        thesis.BUFFER,
        Task("bounded buffer 4,3,2", "buffer.pml", (), 5_512_446, 20_491_548, 1_105_329),
    ),
    Counterpart(
        thesis.KSU_PIPELINE,
        Task("KSU pipeline 4,1", "ksu_pipeline.pml", ("STAGES=4", "EVENTS=2"), 7_970_871, 39_471_652, 383),
    ),
    Counterpart(
        thesis.NESTED_MONITOR,
        Task("nested monitor 2,3,2", "nested_monitor.pml", ("PRODUCERS=3",), 156_866, 466_362, 38_990),
    ),
    Counterpart(
        thesis.NESTED_MONITOR,
        Task(
            "nested monitor 2,3,3",
            "nested_monitor.pml",
            ("PRODUCERS=3", "CONSUMERS=3"),
            786_964,
            2_521_164,
            169_640,
        ),
    ),
    Counterpart(
        thesis.PIPELINE,
        Task("pipeline sort 5", "pipeline_sort.pml", ("N=5",), 557_123, 2_233_582, 175, wide=True),
    ),
    Counterpart(
        thesis.READERS_WRITERS,
        Task(
            "readers/writers 5,3",
            "readers_writers.pml",
            ("READERS=5", "WRITERS=3"),
            1_221_555,
            3_757_998,
            99_351,
        ),
    ),
    Counterpart(
        thesis.REPLICATED_WORKERS,
        Task("replicated workers 5,2", "replicated_workers.pml", ("WORKERS=5",), 3_326_623, 10_957_345, 199),
    ),
    Counterpart(
        thesis.BARBER,
        Task("sleeping barber 2,5,3", "barber.pml", (), 487_527, 2_490_531, 255_200),
    ),
    Counterpart(
        thesis.BARBER,
        Task("sleeping barber 2,6,3", "barber.pml", ("CUSTOMERS=6",), 3_694_194, 21_567_438, 2_013_357),
    ),
    Counterpart(
        thesis.ELEVATOR,
        Task("elevator 2,2,2", "elevator.pml", (), 763_344, 3_097_248, 229_536),
    ),
)

QUICK = (
    Counterpart(
        thesis.PHILOSOPHERS,
        Task("philosophers 7", "philosophers.pml", ("N=7",), 130_048, 725_248, 12_556),
    ),
    Counterpart(
        thesis.BUFFER,
        Task("bounded buffer 4,2,2", "buffer.pml", ("PRODUCERS=2",), 252_939, 770_278, 51_529),
    ),
    Counterpart(
        thesis.KSU_PIPELINE,
        Task("KSU pipeline 3,1", "ksu_pipeline.pml", ("EVENTS=1",), 136_331, 541_440, 201),
    ),
    Counterpart(
        thesis.NESTED_MONITOR,
        Task("nested monitor 2,3,2", "nested_monitor.pml", ("PRODUCERS=3",), 156_866, 466_362, 38_990),
    ),
    Counterpart(
        thesis.PIPELINE,
        Task("pipeline sort 4", "pipeline_sort.pml", ("N=4",), 48_087, 165_066, 120, wide=True),
    ),
    Counterpart(
        thesis.READERS_WRITERS,
        Task("readers/writers 4,4", "readers_writers.pml", (), 160_812, 408_312, 23_404),
    ),
    Counterpart(
        thesis.REPLICATED_WORKERS,
        Task("replicated workers 4,2", "replicated_workers.pml", (), 461_063, 1_349_536, 186),
    ),
    Counterpart(
        thesis.BARBER,
        Task("sleeping barber 2,4,3", "barber.pml", ("CUSTOMERS=4",), 57_453, 251_676, 27_779),
    ),
    Counterpart(
        thesis.ELEVATOR,
        Task("elevator 1,3,2", "elevator.pml", ("ELEVATORS=1", "FLOORS=3"), 149_340, 443_976, 28_742),
    ),
)
