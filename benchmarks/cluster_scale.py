"""Where a search on a cluster stops scaling, on paper, from costs that were measured here.

python -m benchmarks.cluster_scale                  # the simulation, from the files beside this one; seconds
python -m benchmarks.cluster_scale --write-page     # and its tables where docs/cluster-scale.md has them
python -m benchmarks.cluster_scale --validate       # real clusters of 1, 2 and 3 workers against it; minutes
python -m benchmarks.cluster_scale --measure        # the costs and the profiles again; a quarter of an hour

What is measured is CPU seconds, bytes and counts: a busy machine changes them little.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.cluster_simulation import (
    AS_IT_IS,
    DaskCosts,
    EngineCosts,
    Hardware,
    Profile,
    Simulated,
    Way,
    simulate,
)
from benchmarks.tasks import FULL, QUICK, Task

HERE = Path(__file__).parent
COSTS = HERE / "cluster_costs.json"
PROFILES = HERE / "cluster_profiles.json"
VALIDATION = HERE / "cluster_validation.json"
PAGE = HERE.parent / "docs" / "cluster-scale.md"
WORKERS = (1, 4, 16, 64, 256)
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
    most_played: int = 16  # workers: deep models take long with more


MODELS = (
    Model("philosophers", "philosophers 8", "philosophers 10", most_played=64),
    Model("readers and writers", "readers/writers 5,5", "readers/writers 6,4"),
    Model("leader ring", "leader ring 6", "leader ring 7"),
    Model("sleeping barber", "sleeping barber 2,5,3", "sleeping barber 2,6,3"),
)
VALIDATED = ("philosophers 9", "leader ring 7")
LARGE = Hardware()
FAST_NETWORK = replace(LARGE, network_bytes=12.5e9)
# What could be changed, one after another.
SYNCED_ONCE = Way(commits_sync=False)
LESS_TALK = replace(SYNCED_ONCE, answer_seconds=10.0, report_seconds=3.0, answers_at_once=True)
RANKS_ONCE = Way(ranks_told_once=True)
LEAST_TALK = replace(LESS_TALK, summaries_by_tree=True, blocks_by_machine=True)


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


def dask_of(costs: dict[str, Any]) -> DaskCosts:
    return DaskCosts(**costs["dask"]["costs"])


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
            **{name: [_rounded(one) for one in rows] for name, rows in measured.items()},
        }
        write(COSTS, costs)
    for model in [one for one in MODELS if only in f"costs of {one.measured}"]:
        say(f"costs of {model.measured}")
        engine, fit = cluster_costs.engine_costs(task_of(model.measured), model.most_played)
        costs.setdefault("engine", {})[model.name] = {
            "measured": model.measured,
            "costs": cluster_costs.as_json(engine),
            "fit": [_rounded(one) for one in fit],
        }
        write(COSTS, costs)


def _rounded(row: dict[str, Any]) -> dict[str, Any]:
    return {name: round(value, 3) if isinstance(value, float) else value for name, value in row.items()}


def validate() -> None:
    """Real clusters, in the CPU that their processes take."""
    from benchmarks import cluster_costs
    from tests.cluster.processes import Processes

    found: list[dict[str, Any]] = []
    for name in VALIDATED:
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
            scheduler, dask_workers, client, children = (b - a for a, b in zip(start, spent, strict=True))
            found.append(
                {
                    "model": name,
                    "workers": workers,
                    "candidates": sum(one["candidates"] for one in said["levels"]),
                    "bytes_sent": said["bytes_sent"],
                    "children": round(children, 2),
                    "dask_workers": round(dask_workers, 2),
                    "scheduler": round(scheduler, 2),
                    "client": round(client, 2),
                }
            )
            told = {
                "date": time.strftime("%Y-%m-%d", time.gmtime()),
                "command": "python -m benchmarks.cluster_scale --validate",
                "runs": found,
            }
            write(VALIDATION, told)


def _searched(
    task: Task, cluster: Any, idle: Sequence[float], **options: Any
) -> tuple[list[float], dict[str, Any]]:
    """CPU beyond what its processes take when there is nothing to do, and what it says of its levels."""
    import tempfile

    import assay
    from benchmarks import cluster_costs

    with tempfile.TemporaryDirectory(prefix="assay-scale-", dir=cluster_costs.IN_MEMORY) as folder:
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


def brief(seconds: float) -> str:
    """Of a cost."""
    for name, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {name}"
    return f"{seconds / 1e-9:.3g} ns"


def power(states: float) -> str:
    exponent = f"{states:.0e}".split("e+")[1]
    if states == float(f"1e{exponent}"):
        return "10" + "".join("⁰¹²³⁴⁵⁶⁷⁸⁹"[int(digit)] for digit in str(int(exponent)))
    return many(states)


def shares(simulated: Simulated) -> str:
    whole = sum(simulated.bound.values())
    return ", ".join(
        f"{name} {100 * seconds / whole:.0f} %"
        for name, seconds in simulated.bound.most_common(3)
        if seconds >= 0.05 * whole
    )


WAITS = "waits for"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [
        "| " + " | ".join(head) + " |",
        "| "
        + " | ".join("---:" if index and one != WAITS else "---" for index, one in enumerate(head))
        + " |",
        *("| " + " | ".join(row) + " |" for row in rows),
    ]
    return "\n".join(lines)


class Tables:
    """Of the page, each by its name."""

    def __init__(self, costs: dict[str, Any], profiles: dict[str, Any], validation: dict[str, Any]) -> None:
        self._costs = costs
        self._profiles = profiles
        self._validation = validation
        self._dask = dask_of(costs)

    def all(self) -> Iterator[tuple[str, str]]:
        yield "models", self._models()
        yield "engine costs", self._engine_costs()
        yield "costs of Dask", self._dask_costs()
        yield "played", self._played()
        yield "validation", self._validated()
        for model in MODELS:
            yield f"workers of {model.name}", self._scaling(model)
        yield "limits", self._limits()
        for states in SIZES:
            yield f"changes at {power(states)}", self._changes(MODELS[0], states)
        yield "certificates", self._certificates(MODELS[0])

    def _engine(self, model: Model) -> EngineCosts:
        return engine_of(self._costs, self._profiles, model)

    def _profile(self, model: Model, states: float | None = None, levels: int = 1) -> Profile:
        """As it is, or of this size."""
        found = profile_of(self._profiles, model.profile)
        return (
            found if states is None and levels == 1 else found.scaled(states or found.states, levels=levels)
        )

    def _models(self) -> str:
        def rows() -> Iterator[Sequence[str]]:
            for model in MODELS:
                profile, engine = self._profile(model), self._engine(model)
                alone = simulate(profile, engine, self._dask, 1, LARGE)
                yield (
                    model.profile,
                    many(profile.states),
                    many(profile.transitions),
                    str(len(profile.levels)),
                    many(max(level[0] for level in profile.levels)),
                    f"{engine.record_bytes:.0f}",
                    f"{1e9 * alone.engine_seconds / profile.transitions:.0f}",
                )

        return table(
            (
                "model",
                "states",
                "transitions",
                "levels",
                "widest level",
                "bytes of a state",
                "ns for a transition, one worker",
            ),
            rows(),
        )

    def _engine_costs(self) -> str:
        def row(what: str, value: Callable[[EngineCosts], float]) -> Sequence[str]:
            return (what, *(brief(value(self._engine(model))) for model in MODELS))

        return table(
            ("CPU", *(model.name for model in MODELS)),
            (
                row("expanding, a transition", lambda one: one.expand_transition),
                row("packing and sorting, a candidate", lambda one: one.expand_candidate),
                row("… more if it is another's", lambda one: one.encode_candidate),
                row("merging, a candidate", lambda one: one.merge_candidate),
                row("… more if it is from another", lambda one: one.decode_candidate),
                row("… more for each doubling of the workers", lambda one: one.merge_candidate_doubling),
                row("merging, a section", lambda one: one.merge_section),
                row("merging, a partition of a level", lambda one: one.merge_part),
                row("writing a state seen before again", lambda one: one.rewrite_record),
                row("putting a candidate of a slice aside", lambda one: one.put_aside_candidate),
            ),
        )

    def _dask_costs(self) -> str:
        dask = self._dask

        def each(what: str, scheduler: float, client: float) -> Sequence[str]:
            return (what, brief(scheduler), brief(client), "")

        def of_workers(what: str, seconds: float) -> Sequence[str]:
            return (what, "", "", brief(seconds))

        return table(
            ("CPU", "scheduler", "client", "both workers"),
            (
                ("a task", brief(dask.scheduler_task), brief(dask.client_task), brief(dask.worker_task)),
                each("a byte that a task is given", dask.scheduler_given_byte, dask.client_given_byte),
                each("a byte of its answer", dask.scheduler_answered_byte, dask.client_answered_byte),
                each("progress, told by a worker", dask.scheduler_report, dask.client_report),
                each("a second of watching, a worker", dask.scheduler_watch, dask.client_watch),
                ("asking whether a task is done", "", brief(dask.ask_done), ""),
                ("committing, a run that is named", "", brief(dask.commit_run), ""),
                of_workers("a round of a meeting, a worker", dask.meeting_round),
                of_workers("a message, question and answer", dask.message),
                of_workers("… more for the first between two", dask.connection),
                of_workers("a byte of a message", dask.message_byte),
                of_workers("a call of the child", dask.child_call),
                of_workers("a byte to the child or from it", dask.child_byte),
            ),
        )

    def _played(self) -> str:
        def rows() -> Iterator[Sequence[str]]:
            for model in MODELS:
                known = self._costs["engine"][model.name]
                for one in known["fit"]:
                    yield (
                        f"{known['measured']}, {one['workers']}",
                        _beside(one, "candidates", 1e6),
                        _beside(one, "sent_bytes", 1e6),
                        _beside(one, "expand"),
                        _beside(one, "merge"),
                    )

        return table(("model, workers", "million candidates", "MB sent", "expanding", "merging"), rows())

    def _validated(self) -> str:
        def rows() -> Iterator[Sequence[str]]:
            for one in self._validation["runs"]:
                [model] = [each for each in MODELS if each.name.split()[0] == one["model"].split()[0]]
                said = simulate(
                    profile_of(self._profiles, one["model"]),
                    self._engine(model),
                    self._dask,
                    one["workers"],
                    replace(LARGE, memory_bytes=1 << 30),  # the default of a search
                )
                both = one | {
                    "candidates_predicted": said.candidates,
                    "bytes_sent_predicted": said.bytes_sent,
                    "children_predicted": said.engine_seconds,
                    "dask_workers_predicted": said.dask_seconds,
                    "scheduler_predicted": said.scheduler_seconds,
                    "client_predicted": said.client_seconds,
                }
                yield (
                    one["model"],
                    str(one["workers"]),
                    _beside(both, "candidates", 1e6),
                    _beside(both, "bytes_sent", 1e6) if one["bytes_sent"] else "",
                    *(_beside(both, name) for name in ("children", "dask_workers", "scheduler", "client")),
                )

        return table(
            (
                "model",
                "workers",
                "million candidates",
                "MB sent",
                "children",
                "Dask workers",
                "scheduler",
                "client",
            ),
            rows(),
        )

    def _scaling(self, model: Model) -> str:
        engine, own = self._engine(model), self._profile(model).states

        def rows() -> Iterator[Sequence[str]]:
            for states in (own, *SIZES):
                profile = self._profile(model, states)
                alone = simulate(profile, engine, self._dask, 1, LARGE).seconds
                for workers in WORKERS:
                    slow, fast = (
                        simulate(profile, engine, self._dask, workers, one) for one in (LARGE, FAST_NETWORK)
                    )
                    yield (
                        f"{power(states)}{', as it is' if states == own else ''}" if workers == 1 else "",
                        str(workers),
                        human(slow.seconds),
                        human(fast.seconds),
                        f"{alone / slow.seconds:.3g}",
                        f"{100 * alone / slow.seconds / workers:.0f} %",
                        many(slow.bytes_sent) + "B" if slow.bytes_sent else "",
                        many(slow.disk_bytes / workers) + "B",
                        shares(slow),
                    )

        return table(
            (
                "states",
                "workers",
                "10 GbE",
                "100 GbE",
                "speed-up",
                "efficiency",
                "sent",
                "on disk, a worker",
                WAITS,
            ),
            rows(),
        )

    def _fastest(self, profile: Profile, engine: EngineCosts, way: Way) -> Simulated:
        return min(
            (simulate(profile, engine, self._dask, workers, LARGE, way=way) for workers in POWERS),
            key=lambda one: one.seconds,
        )

    def _limits(self) -> str:
        """The number of workers beyond which more are slower, as it is and with less talk."""

        def rows() -> Iterator[Sequence[str]]:
            for states in SIZES:
                for model in MODELS:
                    profile, engine = self._profile(model, states), self._engine(model)
                    alone = simulate(profile, engine, self._dask, 1, LARGE).seconds
                    row = [f"{model.name}, {power(states)}", human(alone)]
                    for way in (AS_IT_IS, LEAST_TALK):
                        best = self._fastest(profile, engine, way)
                        row += [
                            f"{best.workers:,}: {human(best.seconds)}",
                            f"{alone / best.seconds:.3g}",
                            shares(best),
                        ]
                    yield row

        return table(
            (
                "model, states",
                "one worker",
                "fastest",
                "speed-up",
                WAITS,
                "with less talk",
                "speed-up",
                WAITS,
            ),
            rows(),
        )

    def _changes(self, model: Model, states: float) -> str:
        """What would have to change, with as many workers as there are here."""
        engine, workers = self._engine(model), WORKERS[-1]
        fast_disks = replace(FAST_NETWORK, disk_bytes=8e9)
        at_home = replace(LEAST_TALK, files_at_home=True)

        def rows() -> Iterator[Sequence[str]]:
            alone = simulate(self._profile(model, states), engine, self._dask, 1, LARGE).seconds
            for name, way, hardware, drawn in (
                ("as it is", AS_IT_IS, LARGE, 1),
                ("ten times as many levels", AS_IT_IS, LARGE, 10),
                ("one file server for all", AS_IT_IS, replace(LARGE, file_server=True), 1),
                ("a quarter of the memory", AS_IT_IS, replace(LARGE, memory_bytes=1e9, cache_bytes=1e9), 1),
                ("64 workers on a machine", AS_IT_IS, replace(LARGE, workers_per_machine=64), 1),
                ("100 GbE and disks of 8 GB/s", AS_IT_IS, fast_disks, 1),
                ("a commit syncs nothing that workers have synced", SYNCED_ONCE, LARGE, 1),
                ("… and answers after 10 s, asked for at once", LESS_TALK, LARGE, 1),
                ("… and one message for each machine, summaries by a tree", LEAST_TALK, LARGE, 1),
                ("… with ten times as many levels", LEAST_TALK, LARGE, 10),
                ("… and what is read is on the worker's machine", at_home, LARGE, 1),
                ("… and blocks of a quarter of the memory", replace(at_home, block_share=4), LARGE, 1),
                ("… and 100 GbE and disks of 8 GB/s", replace(at_home, block_share=4), fast_disks, 1),
            ):
                found = simulate(
                    self._profile(model, states, drawn), engine, self._dask, workers, hardware, way=way
                )
                yield (name, human(found.seconds), f"{alone / found.seconds:.3g}", shares(found))

        return table(
            (f"{model.name}, {power(states)} states, {workers} workers", "time", "speed-up", WAITS),
            rows(),
        )

    def _certificates(self, model: Model) -> str:
        profile, engine = self._profile(model, MOST_CERTIFIED), self._engine(model)

        def rows() -> Iterator[Sequence[str]]:
            for workers in WORKERS:
                plain, ordered, once = (
                    simulate(profile, engine, self._dask, workers, LARGE, in_order=in_order, way=way)
                    for in_order, way in ((False, AS_IT_IS), (True, AS_IT_IS), (True, RANKS_ONCE))
                )
                yield (
                    str(workers),
                    human(plain.seconds),
                    human(ordered.seconds),
                    f"{ordered.engine_seconds / plain.engine_seconds:.2f}",
                    f"{ordered.bytes_sent / plain.bytes_sent:.2f}" if plain.bytes_sent else "",
                    many(plain.bytes_told) + "B",
                    many(ordered.bytes_told) + "B",
                    shares(ordered),
                    human(once.seconds),
                )

        return table(
            (
                "workers",
                "without",
                "with",
                "CPU, times",
                "sent, times",
                "told without",
                "told with",
                WAITS,
                "ranks told once",
            ),
            rows(),
        )


def _beside(one: dict[str, Any], name: str, scale: float = 1.0) -> str:
    """Measured / predicted. Less than nothing is what idling was overestimated."""
    return f"{max(0.0, one[name]) / scale:.3g} / {one[name + '_predicted'] / scale:.2g}"


def tables() -> dict[str, str]:
    return dict(Tables(read(COSTS), read(PROFILES), read(VALIDATION)).all())


MARKED = re.compile(r"<!-- table: (.+?) -->\n.*?<!-- end of table -->", re.DOTALL)


def with_tables(page: str, found: dict[str, str]) -> str:
    """The page, each of its marked tables as it is now."""

    def fresh(marked: re.Match[str]) -> str:
        name = marked[1]
        if name not in found:
            raise SystemExit(f"{PAGE.name}: there is no table {name}; there are {', '.join(found)}")
        return f"<!-- table: {name} -->\n\n{found[name]}\n\n<!-- end of table -->"

    return MARKED.sub(fresh, page)


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
    parser.add_argument(
        "--write-page", action="store_true", help=f"put the tables where docs/{PAGE.name} has them"
    )
    arguments = parser.parse_args()
    if arguments.measure:
        measure(arguments.only)
    if arguments.validate:
        validate()
    found = tables()
    for name, lines in found.items():
        print(f"{name}\n\n{lines}\n")
    if arguments.write_page:
        PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8"), found), encoding="utf-8")


if __name__ == "__main__":
    main()
