"""Programs for the tables on memory: the nine of the thesis in Python, or our Promela models of them.

Both are opened in this process, where the engine is asked directly. Python programs run only where
hashes are fixed; `with_fixed_hashes` starts the benchmark again like that.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay import _engine, languages
from assay.transition_system.language_options import LanguageOptions
from assay.transition_system.opening import open_model
from benchmarks import thesis
from benchmarks.counterparts import QUICK, Counterpart
from benchmarks.python import Size, size_of
from benchmarks.tasks import Task


@dataclass(frozen=True, slots=True)
class Program:
    """Anything the engine can search, and the program of the thesis that it stands for."""

    name: str
    load: Callable[[], _engine.Model]
    counterpart: thesis.Program | None = None
    states: int = 0  # expected; 0: whatever comes
    transitions: int = 0


# In the order of Table 5.1; 40,000 to 135,000 states.
PYTHON = (
    (thesis.PHILOSOPHERS, "dining_philosophers", "6"),
    (thesis.BUFFER, "bounded_buffer", "2/4/2/1"),
    (thesis.KSU_PIPELINE, "ksu_pipeline", "4/1/1"),
    (thesis.NESTED_MONITOR, "nested_monitor", "2/2/2"),
    (thesis.PIPELINE, "pipeline", "7/2/2"),
    (thesis.READERS_WRITERS, "rwvsn", "3/2"),
    (thesis.REPLICATED_WORKERS, "replicated_workers", "4/1/2"),
    (thesis.BARBER, "sleeping_barber", "2/3/2"),
    (thesis.ELEVATOR, "elevator", "1/2/3"),
)
# Small, since most policies need all the time they are given. Counts are SPIN's.
SMALL_PROMELA = (
    Counterpart(
        thesis.PHILOSOPHERS, Task("philosophers 6", "philosophers.pml", ("N=6",), 23_808, 113_664, 2_760)
    ),
    Counterpart(
        thesis.BUFFER,
        Task("bounded buffer 4,2,1", "buffer.pml", ("PRODUCERS=2", "CONSUMERS=1"), 25_895, 63_386, 8_231),
    ),
    Counterpart(
        thesis.NESTED_MONITOR, Task("nested monitor 2,2,2", "nested_monitor.pml", (), 29_046, 78_120, 5_416)
    ),
    Counterpart(
        thesis.KSU_PIPELINE,
        Task("KSU pipeline 2,1", "ksu_pipeline.pml", ("STAGES=2", "EVENTS=1"), 19_061, 61_005, 129),
    ),
    Counterpart(
        thesis.PIPELINE,
        Task("pipeline sort 4", "pipeline_sort.pml", ("N=4",), 48_087, 165_066, 120, wide=True),
    ),
    Counterpart(
        thesis.READERS_WRITERS,
        Task("readers/writers 3,3", "readers_writers.pml", ("READERS=3", "WRITERS=3"), 20_391, 44_586, 4_716),
    ),
    Counterpart(
        thesis.REPLICATED_WORKERS,
        Task("replicated workers 3,2", "replicated_workers.pml", ("WORKERS=3",), 53_760, 131_709, 149),
    ),
    Counterpart(
        thesis.BARBER, Task("sleeping barber 2,4,3", "barber.pml", ("CUSTOMERS=4",), 57_453, 251_676, 27_779)
    ),
    Counterpart(
        thesis.ELEVATOR,
        Task("elevator 1,2,2", "elevator.pml", ("ELEVATORS=1", "FLOORS=2"), 7_408, 20_736, 1_378),
    ),
)
KINDS = ("python", "promela", "promela-larger")


def programs(kind: str, only: Sequence[str] = ()) -> list[Program]:
    """The nine programs in one of `KINDS`; `only` those whose name contains one of these."""
    if kind == "python":
        nine = [_python(row, size_of(name, values)) for row, name, values in PYTHON]
    else:
        nine = [_promela(one) for one in (QUICK if kind == "promela-larger" else SMALL_PROMELA)]
    return [one for one in nine if not only or any(part in one.name for part in only)]


def search(model: _engine.Model, **options: object) -> _engine.SearchResult:
    """Breadth first, exact, on one thread and without limits, unless the options say otherwise."""
    settings: dict[str, object] = {
        "strategy": "bfs", "storage": "exact", "threads": 1, "seed": 0, "hash_functions": 1,
        "bitstate_bytes": 1, "memory_limit_bytes": 0, "time_limit_seconds": 0.0, "depth_limit": 0,
        "state_limit": 0, "stop_at_first_violation": True, "check_deadlock": True, "on_progress": None,
        "progress_interval_seconds": 1.0,
    }  # fmt: skip
    return _engine.search(model, **{**settings, **options})


def with_fixed_hashes() -> None:
    """Start this program again if the hashes of texts differ from run to run."""
    if sys.flags.hash_randomization:
        environment = {**os.environ, "PYTHONHASHSEED": "0"}
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], environment)


def _python(counterpart: thesis.Program, size: Size) -> Program:
    def load() -> _engine.Model:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"{size.program}.py"
            path.write_text(size.source(), encoding="utf-8")
            compiled = languages.load(path, LanguageOptions())
            while True:
                model = open_model(compiled.opening)
                failed = _failed_assumption(model)
                if failed is None:
                    return model
                compiled = compiled.without(failed)

    return Program(str(size), load, counterpart)


def _failed_assumption(model: _engine.Model) -> str | None:
    """What the machine takes for granted and the program does not keep to; only a whole search tells."""
    try:
        search(model)
    except _engine.AssumptionFailed as failed:
        return str(failed)
    return None


def _promela(counterpart: Counterpart) -> Program:
    task = counterpart.task

    def load() -> _engine.Model:
        options = LanguageOptions(reductions=frozenset(), defines=task.defines)
        compiled = languages.load(task.path, options)
        return open_model(compiled.opening)

    return Program(task.name, load, counterpart.program, task.states, task.transitions)
