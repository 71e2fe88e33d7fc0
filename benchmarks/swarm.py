"""Time to the first error in models too large to search: a swarm, one long search, random searches, SPIN's
swarm.

    python -m benchmarks.swarm [--seconds B] [--repetitions K] [--workers W] [--runs N] [--only MODEL]
    [--kill]

Every contender has the same wall-clock budget and the same processors. "One long search" is depth first with
one large table of bits; a "random search" is the same in random order, one for each seed. SPIN's swarm is
what its script generator makes: independent bitstate runs of pan, compiled with different options (reversed
and random orders of processes and transitions) and started with different hash functions, seeds, table sizes
and depths, so many at a time, each with its share of the time; the first trail ends it. Compiling counts, as
it does for a user.

`--kill` kills one worker of the swarm in the middle of each model without its mistake, and shows what the
report says. Figures are medians; a contender that finds nothing within the budget has none.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

MODELS = Path(__file__).parent / "models" / "swarm"
TASKS = ("filter_lock", "window", "coherence")
ASSAY = [sys.executable, "-c", "from assay.cli.main import main; main()"]
TABLE_MIB = 256
# What SPIN's swarm varies at compile time.
SPIN_ORDERS = (
    [],
    ["-DREVERSE"],
    ["-DT_REVERSE"],
    ["-DREVERSE", "-DT_REVERSE"],
    ["-DT_RAND"],
    ["-DP_RAND"],
    ["-DP_RAND", "-DT_RAND"],
    ["-DREVERSE", "-DT_RAND"],
)


@dataclass(frozen=True)
class Budget:
    seconds: float
    workers: int
    runs: int


def found_by_assay(arguments: list[str], budget: Budget, scratch: Path) -> float | None:
    done = subprocess.run(
        [*ASSAY, *arguments, "--timeout", f"{budget.seconds}s", "--json"],
        stdout=subprocess.PIPE,
        cwd=scratch,
        check=False,
    )
    told = json.loads(done.stdout)
    if told["verdict"] != "violated":
        return None
    # Executing the run again and looking for a shorter one comes after the error was found, for all.
    return told.get("first_violation_seconds") or told["compile_seconds"] + told["search_seconds"]


def long_search(model: Path, budget: Budget, _seed: int, scratch: Path) -> float | None:
    options = ["--search", "dfs", "--storage", "bitstate", "--bitstate-memory", f"{TABLE_MIB}MiB"]
    return found_by_assay(["verify", str(model), *options], budget, scratch)


def random_search(model: Path, budget: Budget, seed: int, scratch: Path) -> float | None:
    options = ["--search", "random-dfs", "--storage", "bitstate", "--bitstate-memory", f"{TABLE_MIB}MiB"]
    return found_by_assay(["verify", str(model), *options, "--seed", str(seed)], budget, scratch)


def breadth_first(model: Path, budget: Budget, _seed: int, scratch: Path) -> float | None:
    return found_by_assay(["verify", str(model), "--memory", "1GiB"], budget, scratch)


def assay_swarm(model: Path, budget: Budget, seed: int, scratch: Path) -> float | None:
    options = ["--runs", str(budget.runs), "--workers", str(budget.workers), "--seed", str(seed)]
    return found_by_assay(["swarm", str(model), *options], budget, scratch)


def spin_swarm(model: Path, budget: Budget, seed: int, scratch: Path) -> float | None:
    """A small equivalent of the script that SPIN's swarm writes."""
    begin = time.monotonic()
    source = random.Random(seed)
    subprocess.run(["spin", "-a", str(model)], cwd=scratch, check=True, stdout=subprocess.DEVNULL)
    share = budget.seconds * budget.workers / budget.runs
    waiting = list(range(budget.runs))
    compiled: dict[int, Path] = {}
    under_way: list[tuple[subprocess.Popen[str], float]] = []
    found = None
    while (waiting or under_way) and time.monotonic() - begin < budget.seconds and found is None:
        while waiting and len(under_way) < budget.workers:
            number = waiting.pop(0)
            variant = number % len(SPIN_ORDERS)
            if variant not in compiled:
                compiled[variant] = scratch / f"pan{variant}"
                flags = ["-O2", "-w", "-DBITSTATE", "-DSAFETY", "-DMEMLIM=600", *SPIN_ORDERS[variant]]
                subprocess.run(["gcc", *flags, "-o", compiled[variant], "pan.c"], cwd=scratch, check=True)
            directory = scratch / f"run{number}"
            directory.mkdir()
            drawn = [
                f"-h{source.randrange(1, 32)}",
                f"-w{source.randrange(20, 31)}",
                f"-k{source.randrange(1, 5)}",
            ]
            if "RAND" in "".join(SPIN_ORDERS[variant]):
                drawn.append(f"-RS{source.randrange(1, 2**30)}")
            depth = source.choice([10_000, 100_000, 1_000_000])
            pan = subprocess.Popen(
                [compiled[variant], "-n", f"-m{depth}", *drawn],
                cwd=directory,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
            under_way.append((pan, time.monotonic() + share))
        time.sleep(0.02)
        for one in [pair for pair in under_way if pair[0].poll() is not None]:
            under_way.remove(one)
            if "errors: 0" not in (one[0].communicate()[0] or "errors: 0"):
                found = time.monotonic() - begin
        for pan, until in under_way:
            if time.monotonic() > until:
                pan.kill()
    for pan, _ in under_way:
        pan.kill()
        pan.wait()
    return found


CONTENDERS: dict[str, Callable[[Path, Budget, int, Path], float | None]] = {
    "assay swarm": assay_swarm,
    "SPIN's swarm": spin_swarm,
    "random search": random_search,
    "one long search": long_search,
    "breadth first": breadth_first,
}
SAME_EACH_TIME = {"one long search", "breadth first"}


def kill_one(model: Path, budget: Budget, scratch: Path) -> str:
    """What the report says when a worker dies while a model without its mistake is searched."""
    text = "\n".join(line for line in model.read_text().splitlines() if "assert(" not in line)
    whole = scratch / f"{model.stem}_without_assertion.pml"
    whole.write_text(text if model.stem != "coherence" else model.read_text().replace("assert(", "(1 || "))
    swarm = subprocess.Popen(
        [*ASSAY, "swarm", str(whole), "--runs", "10", "--workers", str(budget.workers), "--timeout", "20s",
         "--no-deadlock"],
        stdout=subprocess.PIPE, text=True, cwd=scratch,
    )  # fmt: skip

    def kill() -> None:
        time.sleep(8)
        listed = subprocess.run(
            ["ps", "-o", "pid=,args=", "--ppid", str(swarm.pid)], capture_output=True, text=True, check=False
        )
        workers = [
            line.split()[0] for line in listed.stdout.splitlines() if "assay.distribution.worker" in line
        ]
        if workers:
            os.kill(int(workers[0]), signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    said, _ = swarm.communicate()
    killer.join()
    return said


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--only", choices=TASKS)
    parser.add_argument("--kill", action="store_true")
    given = parser.parse_args()
    budget = Budget(given.seconds, given.workers, given.runs)
    models = [MODELS / f"{task}.pml" for task in TASKS if given.only in {None, task}]
    with tempfile.TemporaryDirectory(prefix="assay-swarm-bench-") as directory:
        if given.kill:
            for model in models:
                print(kill_one(model, budget, Path(directory)))
            return
        print(f"{budget.seconds:g} s, {budget.workers} processors, swarms of {budget.runs} runs")
        for model in models:
            print(f"\n{model.stem}")
            results: dict[str, list[float | None]] = {name: [] for name in CONTENDERS}
            for seed in range(given.repetitions):  # in turns, so that the machine treats all alike
                for name, contend in CONTENDERS.items():
                    if name in SAME_EACH_TIME and seed > 0:
                        continue
                    with tempfile.TemporaryDirectory(dir=directory) as scratch:
                        results[name].append(contend(model, budget, seed, Path(scratch)))
            for name, seconds in results.items():
                times = [one for one in seconds if one is not None]
                median = f"{statistics.median(times):7.2f} s" if times else "      - "
                print(f"  {name:16} found in {len(times)} of {len(seconds)}, median {median}")


if __name__ == "__main__":
    main()
