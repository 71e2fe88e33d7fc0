"""Where a search on a cluster stops scaling, on paper, from costs that were measured here.

python -m benchmarks.cluster_scale                  # the simulation, from the files beside this one; seconds
python -m benchmarks.cluster_scale --validate       # real clusters of 1, 2 and 3 workers against it; minutes
python -m benchmarks.cluster_scale --measure        # the costs and the profiles again; a quarter of an hour

What is measured is CPU seconds, bytes and counts: a busy machine changes them little.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.cluster_simulation import DaskCosts, EngineCosts, Hardware, Profile, Simulated, simulate
from benchmarks.tasks import FULL, QUICK, Task

HERE = Path(__file__).parent
COSTS = HERE / "cluster_costs.json"
PROFILES = HERE / "cluster_profiles.json"
VALIDATION = HERE / "cluster_validation.json"
WORKERS = (1, 2, 4, 16, 64, 256)
POWERS = tuple(2**power for power in range(11))
SIZES = (1e8, 1e10, 1e12)
REAL_WORKERS = (1, 2, 3)
MOST_CERTIFIED = 4e9  # states have numbers of 32 bits in a certificate


@dataclass(frozen=True, slots=True)
class Model:
    """What costs are measured on, and a larger size of it, whose levels are simulated."""

    name: str
    measured: str
    profile: str


MODELS = (
    Model("philosophers", "philosophers 8", "philosophers 10"),
    Model("readers and writers", "readers/writers 5,5", "readers/writers 6,4"),
    Model("leader ring", "leader ring 6", "leader ring 7"),
    Model("sleeping barber", "sleeping barber 2,5,3", "sleeping barber 2,6,3"),
)
VALIDATED = ("philosophers 9", "leader ring 7")
LARGE = Hardware()
NETWORKS = {"10 GbE": 1.25e9, "100 GbE": 12.5e9}


def task_of(name: str) -> Task:
    return next(task for task in (*QUICK, *FULL) if task.name == name)


def read(file: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    return found


def write(file: Path, content: dict[str, Any]) -> None:
    """With a line for each level of a profile, not for each number."""
    file.write_text(_flat(content) + "\n", encoding="utf-8")


def _flat(value: Any, indent: str = "") -> str:
    if isinstance(value, dict) and any(isinstance(one, dict | list) for one in value.values()):
        inner = indent + " "
        rows = [f"{inner}{json.dumps(name)}: {_flat(one, inner)}" for name, one in value.items()]
        return "{\n" + ",\n".join(rows) + f"\n{indent}}}"
    if isinstance(value, list) and value and isinstance(value[0], dict):
        inner = indent + " "
        return "[\n" + ",\n".join(inner + json.dumps(one) for one in value) + f"\n{indent}]"
    return json.dumps(value)


def engine_of(costs: dict[str, Any], profiles: dict[str, Any], model: Model) -> EngineCosts:
    """Of the larger size: its states may be wider."""
    measured = EngineCosts(**costs["engine"][model.name]["costs"])
    return replace(measured, record_bytes=profiles[model.profile]["record_bytes"])


def profile_of(profiles: dict[str, Any], name: str) -> Profile:
    found = profiles[name]
    return Profile(name, [(float(a), float(b), float(c), float(d)) for a, b, c, d in found["levels"]])


# --- measuring ---


def measure(only: str) -> None:
    from benchmarks import cluster_costs

    profiles = read(PROFILES)
    wanted = dict.fromkeys([*(model.profile for model in MODELS), *VALIDATED])
    for name in [one for one in wanted if only in f"levels of {one}"]:
        say(f"levels of {name}")
        task = task_of(name)
        found = cluster_costs.profile_of(name, cluster_costs.played(task, 1))
        if (found["states"], found["transitions"]) != (task.states, task.transitions):
            raise SystemExit(f"{name}: {found['states']} states and {found['transitions']} transitions")
        profiles[name] = found
        write(PROFILES, profiles)
    costs = read(COSTS)
    costs["date"] = time.strftime("%Y-%m-%d", time.gmtime())
    costs["command"] = "python -m benchmarks.cluster_scale --measure"
    if only in "costs of Dask":
        say("costs of Dask")
        dask, measured = cluster_costs.dask_costs()
        costs["dask"] = {
            "costs": cluster_costs.as_json(dask),
            "measured": [{name: round(value, 3) for name, value in one.items()} for one in measured],
        }
        write(COSTS, costs)
    for model in [one for one in MODELS if only in f"costs of {one.measured}"]:
        say(f"costs of {model.measured}")
        engine, fit = cluster_costs.engine_costs(task_of(model.measured))
        costs.setdefault("engine", {})[model.name] = {
            "measured": model.measured,
            "costs": cluster_costs.as_json(engine),
            "fit": [{name: round(value, 3) for name, value in one.items()} for one in fit],
        }
        write(COSTS, costs)


def validate() -> None:
    """Real clusters, in the CPU that their processes take, beside what the simulation says of them."""
    from benchmarks import cluster_costs
    from tests.cluster.processes import Processes

    profiles = read(PROFILES)
    found: list[dict[str, Any]] = []
    for name in VALIDATED:
        [model] = [one for one in MODELS if one.name.split()[0] == name.split()[0]]
        for workers in REAL_WORKERS:
            say(f"{name} on {workers} workers")
            with Processes(workers) as cluster:
                before = cluster_costs.cpu_of_all(cluster)
                time.sleep(cluster_costs.IDLE_SECONDS)
                idle = [
                    (b - a) / cluster_costs.IDLE_SECONDS
                    for a, b in zip(before, cluster_costs.cpu_of_all(cluster), strict=True)
                ]
                start, _ = _searched(task_of(VALIDATED[0]), cluster, idle, max_depth=3)
                spent, said = _searched(task_of(name), cluster, idle)
            told = said["levels"]
            costs = read(COSTS)
            simulated = simulate(
                profile_of(profiles, name),
                engine_of(costs, profiles, model),
                DaskCosts(**costs["dask"]["costs"]),
                workers,
                replace(LARGE, memory_bytes=1e9),
            )
            scheduler, dask_workers, client, children = (b - a for a, b in zip(start, spent, strict=True))
            found.append(
                {
                    "model": name,
                    "workers": workers,
                    **_pair("candidates", sum(one["candidates"] for one in told), simulated.candidates),
                    **_pair("bytes_sent", said["bytes_sent"], simulated.bytes_sent),
                    **_pair("children", children, simulated.engine_seconds),
                    **_pair("dask_workers", dask_workers, simulated.dask_seconds),
                    **_pair("scheduler", scheduler, simulated.scheduler_seconds),
                    **_pair("client", client, simulated.client_seconds),
                }
            )
    write(
        VALIDATION,
        {
            "date": time.strftime("%Y-%m-%d", time.gmtime()),
            "command": "python -m benchmarks.cluster_scale --validate",
            "runs": found,
        },
    )


def _pair(name: str, measured: float, predicted: float) -> dict[str, float]:
    return {name: round(measured, 2), f"{name}_predicted": round(predicted, 2)}


def _searched(
    task: Task, cluster: Any, idle: Sequence[float], **options: Any
) -> tuple[list[float], dict[str, Any]]:
    """CPU beyond what its processes take when there is nothing to do, and what it says of its levels."""
    import tempfile

    import assay
    from benchmarks import cluster_costs

    with tempfile.TemporaryDirectory(prefix="assay-scale-") as folder:
        before, began = cluster_costs.cpu_of_all(cluster), time.monotonic()
        result = assay.verify(
            task.path,
            defines=task.defines,
            reductions=(),
            cluster=cluster.address,
            spill=Path(folder, "shared"),
            safety=True,
            **options,
        )
        seconds = time.monotonic() - began
        after = cluster_costs.cpu_of_all(cluster)
    if not options and result.states != task.states:
        raise SystemExit(f"{task.name}: {result.states} states")
    spent = [b - a - seconds * rest for a, b, rest in zip(before, after, idle, strict=True)]
    said = result.as_json()["cluster"]
    assert isinstance(said, dict)
    return spent, said


# --- what is shown ---


def human(seconds: float) -> str:
    for name, size in (("days", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= 2 * size:
            return (
                f"{seconds / size:,.1f} {name}" if seconds < 100 * size else f"{seconds / size:,.0f} {name}"
            )
    return f"{seconds:.1f} s"


def many(count: float) -> str:
    for name, size in (("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if count >= size:
            return f"{count / size:.3g} {name}"
    return f"{count:.3g}"


def shares(simulated: Simulated) -> str:
    whole = sum(simulated.bound.values())
    return ", ".join(
        f"{name} {100 * seconds / whole:.0f} %"
        for name, seconds in simulated.bound.most_common(3)
        if seconds >= 0.05 * whole
    )


def table(head: Sequence[str], rows: Iterator[Sequence[str]]) -> None:
    print("| " + " | ".join(head) + " |")
    print("| " + " | ".join("---" if not index else "---:" for index in range(len(head))) + " |")
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def show_models(costs: dict[str, Any], profiles: dict[str, Any]) -> None:
    def rows() -> Iterator[Sequence[str]]:
        for model in MODELS:
            profile, engine = profile_of(profiles, model.profile), engine_of(costs, profiles, model)
            widest = max(level[0] for level in profile.levels)
            alone = simulate(profile, engine, DaskCosts(**costs["dask"]["costs"]), 1, LARGE)
            yield (
                model.profile,
                many(profile.states),
                many(profile.transitions),
                str(len(profile.levels)),
                many(widest),
                f"{1e9 * alone.engine_seconds / profile.transitions:.0f}",
                f"{engine.record_bytes:.0f}",
            )

    table(
        ("model", "states", "transitions", "levels", "widest level", "ns a transition", "bytes a state"),
        rows(),
    )


def show_scaling(costs: dict[str, Any], profiles: dict[str, Any], model: Model, states: float) -> None:
    engine, dask = engine_of(costs, profiles, model), DaskCosts(**costs["dask"]["costs"])
    profile = profile_of(profiles, model.profile).scaled(states)
    print(f"{model.name}, {states:.0e} states in {len(profile.levels)} levels\n")

    def rows() -> Iterator[Sequence[str]]:
        alone = {
            name: simulate(profile, engine, dask, 1, replace(LARGE, network_bytes=rate))
            for name, rate in NETWORKS.items()
        }
        for workers in WORKERS:
            found = {
                name: simulate(profile, engine, dask, workers, replace(LARGE, network_bytes=rate))
                for name, rate in NETWORKS.items()
            }
            slow, fast = found.values()
            speedup = alone["10 GbE"].seconds / slow.seconds
            yield (
                str(workers),
                human(slow.seconds),
                human(fast.seconds),
                f"{speedup:.1f}",
                f"{100 * speedup / workers:.0f} %",
                many(slow.bytes_sent) + "B",
                f"{slow.disk_bytes / workers / 1e9:.3g} GB",
                many(slow.tasks),
                shares(slow),
            )

    table(
        (
            "workers",
            "10 GbE",
            "100 GbE",
            "speed-up",
            "efficiency",
            "sent",
            "disk a worker",
            "tasks",
            "waits for",
        ),
        rows(),
    )


def with_tasks_for_pairs_gone(dask: DaskCosts, workers: int) -> DaskCosts:
    """One task for each pair of workers is what makes tasks a square: if who merges took its blocks from
    where they were made, there would be two tasks for each worker."""
    share = 2 * workers / (workers * workers + 2 * workers)
    return replace(
        dask,
        scheduler_task=dask.scheduler_task * share,
        client_task=dask.client_task * share,
        worker_task=dask.worker_task * share,
    )


def fastest(profile: Profile, engine: EngineCosts, dask: DaskCosts, *, pairs: bool) -> Simulated:
    return min(
        (
            simulate(
                profile,
                engine,
                dask if pairs or workers == 1 else with_tasks_for_pairs_gone(dask, workers),
                workers,
                LARGE,
            )
            for workers in POWERS
        ),
        key=lambda one: one.seconds,
    )


def show_limits(costs: dict[str, Any], profiles: dict[str, Any]) -> None:
    """The number of workers beyond which more are slower."""
    dask = DaskCosts(**costs["dask"]["costs"])

    def rows() -> Iterator[Sequence[str]]:
        for model in MODELS:
            engine = engine_of(costs, profiles, model)
            for states in (profile_of(profiles, model.profile).states, *SIZES):
                profile = profile_of(profiles, model.profile).scaled(states)
                alone = simulate(profile, engine, dask, 1, LARGE).seconds
                row = [f"{model.name}, {many(states)}", human(alone)]
                for pairs in (True, False):
                    best = fastest(profile, engine, dask, pairs=pairs)
                    row += [
                        str(best.workers),
                        f"{human(best.seconds)} ({alone / best.seconds:.1f})",
                        shares(best),
                    ]
                yield row

    print(f"the fastest of {POWERS[0]} to {POWERS[-1]} workers; then without a task for each pair\n")
    table(
        ("model, states", "one worker", *2 * ("fastest", "time (speed-up)", "waits for")),
        rows(),
    )


def show_changes(costs: dict[str, Any], profiles: dict[str, Any], model: Model, states: float) -> None:
    """What would have to change, one after another, with 256 workers."""
    engine, dask = engine_of(costs, profiles, model), DaskCosts(**costs["dask"]["costs"])
    profile = profile_of(profiles, model.profile).scaled(states)
    alone = simulate(profile, engine, dask, 1, LARGE).seconds
    workers = WORKERS[-1]
    linear = with_tasks_for_pairs_gone(dask, workers)

    def rows() -> Iterator[Sequence[str]]:
        for name, its_dask, hardware, drawn in (
            ("as it is", dask, LARGE, 1),
            ("ten times as many levels", dask, LARGE, 10),
            ("one file server", dask, replace(LARGE, file_server=True), 1),
            ("a quarter of the memory", dask, replace(LARGE, memory_bytes=1e9, cache_bytes=1e9), 1),
            ("no task for each pair of workers", linear, LARGE, 1),
            ("that, and ten times as many levels", linear, LARGE, 10),
            ("that, one file server", linear, replace(LARGE, file_server=True), 1),
            ("that, 64 workers on a machine", linear, replace(LARGE, workers_per_machine=64), 1),
            ("that, 16 on a machine, 100 GbE", linear, replace(LARGE, network_bytes=12.5e9), 1),
            (
                "that, and disks four times as fast",
                linear,
                replace(LARGE, network_bytes=12.5e9, disk_bytes=8e9),
                1,
            ),
        ):
            drawn_out = profile_of(profiles, model.profile).scaled(states, levels=drawn)
            found = simulate(drawn_out, engine, its_dask, workers, hardware)
            yield (name, human(found.seconds), f"{alone / found.seconds:.1f}", shares(found))

    print(f"{model.name}, {states:.0e} states, {workers} workers\n")
    table(("what is different", "time", "speed-up", "waits for"), rows())


def show_certificates(costs: dict[str, Any], profiles: dict[str, Any], model: Model) -> None:
    engine, dask = engine_of(costs, profiles, model), DaskCosts(**costs["dask"]["costs"])
    profile = profile_of(profiles, model.profile).scaled(MOST_CERTIFIED)

    def rows() -> Iterator[Sequence[str]]:
        for workers in WORKERS:
            plain, ordered = (
                simulate(profile, engine, dask, workers, LARGE, in_order=one) for one in (False, True)
            )
            yield (
                str(workers),
                human(plain.seconds),
                human(ordered.seconds),
                f"{ordered.seconds / plain.seconds:.2f}",
                f"{ordered.engine_seconds / plain.engine_seconds:.2f}",
                f"{ordered.bytes_sent / plain.bytes_sent:.2f}" if plain.bytes_sent else "",
            )

    print(f"{model.name}, {MOST_CERTIFIED:.1e} states, without and with a certificate\n")
    table(("workers", "without", "with", "times as long", "processors", "sent"), rows())


def show_validation(validation: dict[str, Any]) -> None:
    def pair(one: dict[str, Any], name: str, scale: float = 1.0) -> str:
        return f"{one[name] / scale:.3g} / {one[name + '_predicted'] / scale:.3g}"

    def rows() -> Iterator[Sequence[str]]:
        for one in validation.get("runs", []):
            yield (
                one["model"],
                str(one["workers"]),
                pair(one, "candidates", 1e6),
                pair(one, "bytes_sent", 1e6),
                pair(one, "children"),
                pair(one, "dask_workers"),
                pair(one, "scheduler"),
                pair(one, "client"),
            )

    print("measured / predicted: millions of candidates, MB sent, and CPU seconds\n")
    table(
        ("model", "workers", "candidates", "sent", "children", "Dask workers", "scheduler", "client"), rows()
    )


def say(what: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {what}", file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cluster_scale")
    parser.add_argument("--measure", action="store_true", help="measure the costs and the profiles again")
    parser.add_argument(
        "--validate", action="store_true", help="search on real clusters of 1, 2 and 3 workers"
    )
    parser.add_argument(
        "--only", default="", metavar="TEXT", help="measure what has this in its name: costs of leader, ..."
    )
    arguments = parser.parse_args()
    if arguments.measure:
        measure(arguments.only)
    if arguments.validate:
        validate()
    costs, profiles = read(COSTS), read(PROFILES)
    show_models(costs, profiles)
    show_validation(read(VALIDATION))
    for model in MODELS:
        for states in (profile_of(profiles, model.profile).states, *SIZES):
            show_scaling(costs, profiles, model, states)
    show_limits(costs, profiles)
    for states in SIZES[1:]:
        show_changes(costs, profiles, MODELS[0], states)
    show_certificates(costs, profiles, MODELS[0])


if __name__ == "__main__":
    main()
