"""Whether every search keeps to `--memory`: the peak of the process that searches, against the limit.

python -m benchmarks.memory [--only NAME ...] [--share 0.6] [--quick]

Each program is first searched without a limit. What that takes beyond a search of
next to nothing is what there is to save: the limit leaves a share of it. A search
that stops for memory is as good here as one that comes to its end; one whose peak
is above 1.1 times the limit is an error, and so is one that dies.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from benchmarks.python import size_of
from benchmarks.tasks import MODELS

OVERSHOOT = 1.1
MIB = 1 << 20
LEAST_ROOM = 8 * MIB  # a search on disk asks for as much
NEXT_TO_NOTHING = {".pml": "active proctype P() { skip }\n", ".py": "pass\n"}


@dataclass(frozen=True, slots=True)
class Program:
    name: str
    file: Path
    options: tuple[str, ...] = ()


def programs(folder: Path, *, quick: bool) -> list[Program]:
    models = {
        "philosophers.pml": ("N=8" if quick else "N=9",),
        "replicated_workers.pml": ("WORKERS=5", "ITEMS=2"),
        "leader_ring.pml": ("N=6" if quick else "N=7",),
        "pipeline_sort.pml": ("N=5" if quick else "N=6",),
        "barber.pml": (),
    }
    found = [
        Program(
            Path(model).stem,
            MODELS / model,
            ("--no-reductions", *(part for define in defines for part in ("-D", define))),
        )
        for model, defines in models.items()
    ]
    for size in (
        size_of("dining_philosophers", "6" if quick else "7"),
        size_of("bounded_buffer", "2/4/3/1" if quick else "5/4/4/1"),
        size_of("pipeline", "7/2/2" if quick else "8/2/2"),
        size_of("sleeping_barber", "2/3/2" if quick else "2/4/2"),
    ):
        file = folder / f"{size.program}.py"
        file.write_text(size.source())
        found.append(Program(file.name, file))
    return found


def searches(program: Program, folder: Path, states: int, room: int) -> dict[str, tuple[str, ...]]:
    certificate = ("--certificate", str(folder / "out.assay"))
    cache = ("--search", "cached", "--cache-size", str(max(100, states // 2)))
    two_threads = {} if program.file.suffix == ".py" else {"bfs, 2 threads": ("--threads", "2")}
    return {
        "bfs": (),
        **two_threads,
        "bfs, certificate": certificate,
        "dfs": ("--search", "dfs"),
        "dfs, certificate": ("--search", "dfs", *certificate),
        "random-dfs": ("--search", "random-dfs"),
        "cached": cache,
        "cached, certificate": (*cache, *certificate),
        "fingerprint": ("--storage", "fingerprint"),
        "bitstate": ("--search", "dfs", "--storage", "bitstate", "--bitstate-memory", str(room // 2)),
        "on disk": ("--spill", str(folder / "spilled")),
        "on disk, certificate": ("--spill", str(folder / "spilled"), *certificate),
        "estimate": ("--max-states", str(max(100, states // 2)), "--estimate"),
    }


def least_memory(program: Program, folder: Path, *options: str) -> int:
    """What a search of next to nothing takes."""
    file = folder / f"nothing{program.file.suffix}"
    file.write_text(NEXT_TO_NOTHING[program.file.suffix])
    return int(str(verify(Program("nothing", file), *options)["peak_memory_bytes"]))


def verify(program: Program, *options: str) -> dict[str, object]:
    command = [str(Path(sys.executable).with_name("assay")), "verify", str(program.file), *program.options]
    completed = subprocess.run(
        [*command, "--json", "--timeout", "40s", *options], stdout=subprocess.PIPE, check=False
    )
    said: dict[str, object] = json.loads(completed.stdout)
    return said


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.memory")
    parser.add_argument("--only", nargs="*", help="programs")
    parser.add_argument("--share", type=float, default=0.6, help="of the memory that is left to searches")
    parser.add_argument("--quick", action="store_true", help="smaller sizes")
    arguments = parser.parse_args()
    print("| program | search | limit MiB | peak MiB | share | how it ended | states |")
    print("| --- | --- | ---: | ---: | ---: | --- | ---: |", flush=True)
    wrong = []
    with tempfile.TemporaryDirectory(prefix="assay-memory-") as name:
        folder = Path(name)
        for program in programs(folder, quick=arguments.quick):
            if arguments.only and program.name not in arguments.only:
                continue
            whole = verify(program)
            states, taken = int(str(whole["states"])), int(str(whole["peak_memory_bytes"]))
            least = least_memory(program, folder)
            writing = least_memory(program, folder, "--certificate", str(folder / "out.assay"))
            room = max(int((taken - least) * arguments.share), LEAST_ROOM)
            for search, options in searches(program, folder, states, room).items():
                limit = room + (writing if "--certificate" in options else least)
                said = verify(program, "--memory", str(limit), *options)
                peak = int(str(said.get("peak_memory_bytes", 0)))
                broken = peak > OVERSHOOT * limit or said["verdict"] not in {"verified", "incomplete"}
                broken = broken or said.get("stop_reason") in {"crashed", "stuck"}
                how = f"{said['verdict']} {said.get('stop_reason') or said.get('message') or ''}".strip()
                print(
                    f"| {program.name} | {search} | {limit / MIB:.0f} | {peak / MIB:.0f} "
                    f"| {peak / limit:.2f} | {how}{' **!**' if broken else ''} | {said.get('states', 0):,} |",
                    flush=True,
                )
                if broken:
                    wrong.append(f"{program.name}, {search}: {how}, {peak / limit:.2f} of the limit")
                for left in folder.glob("spilled/*"):
                    left.unlink()
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
