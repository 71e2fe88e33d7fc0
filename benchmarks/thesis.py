"""The figures of the thesis that certificates go back to, as data.

Taleghani, "Using Software Model Checking for Software Certification" (2010):
nine Java programs, checked with Java PathFinder. Tables 3.1 to 3.4 and 4.3,
figures as printed.
"""

from __future__ import annotations

from dataclasses import dataclass

TASK_NUMBERS = (10, 50, 100)


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """One row of every table; what has three values has one for each of TASK_NUMBERS."""

    name: str
    parameters: str
    states: int
    transitions_per_state: float
    search_seconds: int  # Java PathFinder as it is
    verification_seconds: int  # with the script
    script_kilobytes: int
    certification_seconds: int
    certification_speed_up: float
    trustful_script_kilobytes: int
    trustful_seconds: int
    largest_task_percent: tuple[int, int, int]
    parallel_speed_up: tuple[int, int, int]
    trustful_largest_task_percent: tuple[int, int, int]
    trustful_parallel_speed_up: tuple[int, int, int]
    average_path: tuple[int, int, int]
    longest_path: tuple[int, int, int]
    map_percent: int  # of the states, at most, when entries are dropped after their last use

    @property
    def trustful_speed_up(self) -> float:
        """Calculated, as the thesis does for the one program that it spells out."""
        return self.search_seconds / self.trustful_seconds

    @property
    def script_bytes_per_transition(self) -> float:
        return self.script_kilobytes * 1024 / (self.states * self.transitions_per_state)


PHILOSOPHERS = Program(
    name="Dining Philosophers",
    parameters="8",
    states=209_014,
    transitions_per_state=5.2,
    search_seconds=220,
    verification_seconds=221,
    script_kilobytes=104,
    certification_seconds=213,
    certification_speed_up=1.03,
    trustful_script_kilobytes=25,
    trustful_seconds=35,
    largest_task_percent=(13, 4, 2),
    parallel_speed_up=(8, 22, 38),
    trustful_largest_task_percent=(11, 4, 3),
    trustful_parallel_speed_up=(39, 103, 133),
    average_path=(11, 13, 12),
    longest_path=(16, 16, 18),
    map_percent=26,
)

BUFFER = Program(
    name="Bounded Buffer",
    parameters="5,4,4",
    states=786_987,
    transitions_per_state=7.1,
    search_seconds=1088,
    verification_seconds=1090,
    script_kilobytes=329,
    certification_seconds=1036,
    certification_speed_up=1.04,
    trustful_script_kilobytes=74,
    trustful_seconds=130,
    largest_task_percent=(11, 4, 3),
    parallel_speed_up=(9, 25, 30),
    trustful_largest_task_percent=(12, 4, 2),
    trustful_parallel_speed_up=(48, 140, 270),
    average_path=(75, 217, 139),
    longest_path=(615, 6742, 6678),
    map_percent=23,
)

KSU_PIPELINE = Program(
    name="NASA KSU Pipeline",
    parameters="4,1",
    states=59_512,
    transitions_per_state=4.1,
    search_seconds=45,
    verification_seconds=45,
    script_kilobytes=91,
    certification_seconds=44,
    certification_speed_up=1.02,
    trustful_script_kilobytes=22,
    trustful_seconds=9,
    largest_task_percent=(12, 4, 3),
    parallel_speed_up=(8, 22, 25),
    trustful_largest_task_percent=(11, 5, 3),
    trustful_parallel_speed_up=(30, 64, 104),
    average_path=(14, 14, 15),
    longest_path=(19, 24, 26),
    map_percent=17,
)

NESTED_MONITOR = Program(
    name="Nested Monitor",
    parameters="5,4,4",
    states=71_941,
    transitions_per_state=6.9,
    search_seconds=99,
    verification_seconds=100,
    script_kilobytes=45,
    certification_seconds=97,
    certification_speed_up=1.01,
    trustful_script_kilobytes=9,
    trustful_seconds=14,
    largest_task_percent=(11, 5, 3),
    parallel_speed_up=(9, 18, 28),
    trustful_largest_task_percent=(10, 4, 3),
    trustful_parallel_speed_up=(56, 136, 175),
    average_path=(14, 24, 33),
    longest_path=(77, 119, 114),
    map_percent=30,
)

PIPELINE = Program(
    name="Pipeline",
    parameters="7",
    states=82_011,
    transitions_per_state=6.1,
    search_seconds=101,
    verification_seconds=102,
    script_kilobytes=51,
    certification_seconds=99,
    certification_speed_up=1.01,
    trustful_script_kilobytes=11,
    trustful_seconds=15,
    largest_task_percent=(12, 6, 2),
    parallel_speed_up=(8, 15, 39),
    trustful_largest_task_percent=(13, 5, 3),
    trustful_parallel_speed_up=(39, 96, 155),
    average_path=(12, 14, 19),
    longest_path=(20, 25, 29),
    map_percent=11,
)

READERS_WRITERS = Program(
    name="RWVSN",
    parameters="4,4",
    states=227_116,
    transitions_per_state=5.1,
    search_seconds=245,
    verification_seconds=246,
    script_kilobytes=102,
    certification_seconds=236,
    certification_speed_up=1.03,
    trustful_script_kilobytes=29,
    trustful_seconds=39,
    largest_task_percent=(11, 4, 3),
    parallel_speed_up=(9, 22, 27),
    trustful_largest_task_percent=(11, 5, 2),
    trustful_parallel_speed_up=(38, 80, 194),
    average_path=(50, 57, 101),
    longest_path=(495, 785, 845),
    map_percent=27,
)

REPLICATED_WORKERS = Program(
    name="Replicated Workers",
    parameters="5,2",
    states=710_022,
    transitions_per_state=5.1,
    search_seconds=860,
    verification_seconds=862,
    script_kilobytes=272,
    certification_seconds=819,
    certification_speed_up=1.05,
    trustful_script_kilobytes=72,
    trustful_seconds=140,
    largest_task_percent=(12, 5, 2),
    parallel_speed_up=(8, 18, 40),
    trustful_largest_task_percent=(12, 4, 3),
    trustful_parallel_speed_up=(34, 100, 130),
    average_path=(35, 45, 45),
    longest_path=(50, 74, 75),
    map_percent=14,
)

BARBER = Program(
    name="Sleeping Barber",
    parameters="2,4,3",
    states=1_452_194,
    transitions_per_state=4.3,
    search_seconds=1308,
    verification_seconds=1310,
    script_kilobytes=492,
    certification_seconds=1245,
    certification_speed_up=1.05,
    trustful_script_kilobytes=187,
    trustful_seconds=245,
    largest_task_percent=(11, 4, 3),
    parallel_speed_up=(9, 23, 28),
    trustful_largest_task_percent=(11, 4, 2),
    trustful_parallel_speed_up=(31, 85, 164),
    average_path=(12, 17, 25),
    longest_path=(25, 35, 31),
    map_percent=20,
)

ELEVATOR = Program(
    name="Elevator",
    parameters="5,10,10",
    states=386_032,
    transitions_per_state=8.4,
    search_seconds=1167,
    verification_seconds=1169,
    script_kilobytes=248,
    certification_seconds=1122,
    certification_speed_up=1.04,
    trustful_script_kilobytes=54,
    trustful_seconds=129,
    largest_task_percent=(10, 4, 2),
    parallel_speed_up=(10, 23, 45),
    trustful_largest_task_percent=(12, 5, 4),
    trustful_parallel_speed_up=(57, 132, 160),
    average_path=(50, 71, 71),
    longest_path=(68, 75, 78),
    map_percent=29,
)

PROGRAMS = (
    PHILOSOPHERS,
    BUFFER,
    KSU_PIPELINE,
    NESTED_MONITOR,
    PIPELINE,
    READERS_WRITERS,
    REPLICATED_WORKERS,
    BARBER,
    ELEVATOR,
)
