"""`assay verify` and CBMC in turns on C programs with known verdicts, within the same time.

    python -m benchmarks.c_peers TASKS --seconds 30 --results FILE.jsonl
    python -m benchmarks.c_peers --own

TASKS is a folder of SV-COMP tasks (the `.yml` beside each says what holds), or a JSON list of `path`,
`expected` and `data_model`. The property is that nobody reaches `reach_error`, `__VERIFIER_error` or an
`assert` that fails. What is in the file of results is not run again. A wrong verdict ends with exit code 1.

CBMC has no check but that property, and its `malloc` does not fail, as ours: `--unwind 10`, then four times
as many rounds, and so on until the time is over. It has proved something if no unwinding assertion fails;
that a function has no body and may return anything is no failure.
Seconds are those of the clock, memory is that of the largest process.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import yaml

from benchmarks.c_tasks import tasks as our_tasks
from tests.agreement.process import Completed, run

ASSAY = [str(Path(sys.executable).with_name("assay"))]
FIRST_UNWINDING, UNWINDING_FACTOR = 10, 4
PATIENCE_SECONDS = 5.0  # a tool that is out of time may say so
CBMC_FAILED, CBMC_HOLDS = 10, 0
CBMC_PROPERTY = re.compile(r"^\[(.*)\] .*: FAILURE$", re.MULTILINE)
# What SV-COMP's functions mean, for whoever does not define them.
MEANINGS = {
    "reach_error": 'void reach_error(void) { __CPROVER_assert(0, "reached"); }',
    "__VERIFIER_error": 'void __VERIFIER_error(void) { __CPROVER_assert(0, "reached"); }',
    "__VERIFIER_assume": "void __VERIFIER_assume(int holds) { __CPROVER_assume(holds); }",
}
KINDS = ("proofs", "bugs", "wrong", "incomplete", "refused")


@dataclass(frozen=True, slots=True)
class PeerTask:
    name: str
    path: Path
    holds: bool
    data_model: str


@dataclass(frozen=True, slots=True)
class Outcome:
    task: str
    tool: str
    holds: bool
    kind: str
    seconds: float
    peak_memory_bytes: int
    detail: str


def from_folder(folder: Path) -> Iterator[PeerTask]:
    for file in sorted(folder.rglob("*.yml")):
        described = yaml.safe_load(file.read_text())
        for wanted in described.get("properties", ()):
            if wanted["property_file"].endswith("unreach-call.prp") and "expected_verdict" in wanted:
                model = described.get("options", {}).get("data_model", "ILP32")
                path = file.parent / described["input_files"]
                yield PeerTask(str(path), path, bool(wanted["expected_verdict"]), model)


def from_list(file: Path) -> Iterator[PeerTask]:
    for one in json.loads(file.read_text()):
        path = file.parent / one["path"]
        yield PeerTask(str(path), path, bool(one["expected"]), one.get("data_model", "LP64"))


def our_own(folder: Path) -> Iterator[PeerTask]:
    for one in our_tasks():
        path = folder / f"{one.name}.c"
        path.write_text(one.text)
        yield PeerTask(f"own/{path.name}", path, one.holds, "LP64")


def by_assay(task: PeerTask, seconds: float, memory_bytes: int, include: Sequence[str]) -> Outcome:
    options = ["--timeout", f"{seconds:g}s", "--memory", str(memory_bytes), "--data-model", task.data_model]
    folders = [word for one in include for word in ("-I", one)]
    done = run(
        [*ASSAY, "verify", str(task.path), "--json", *options, *folders],
        timeout_seconds=seconds + PATIENCE_SECONDS,
    )
    said: dict[str, object] = {}
    if done.output.startswith("{"):
        said = json.loads(done.output)
    verdict = str(said.get("verdict", "incomplete"))
    proof = said.get("proof")
    detail = str(said.get("message") or said.get("reasons") or "") or done.errors[-300:]
    if isinstance(proof, dict):
        detail = str(proof["engine"])
    return outcome(task, "assay", verdict, done.seconds, done.peak_memory_bytes, detail)


def by_cbmc(task: PeerTask, seconds: float, memory_bytes: int, include: Sequence[str]) -> Outcome:
    text = task.path.read_text(errors="replace")
    meant = [
        meaning
        for name, meaning in MEANINGS.items()
        if re.search(rf"\b{name}\b", text) and not re.search(rf"\b{name}\s*\([^;{{}}]*\)\s*\{{", text)
    ]
    width = "--32" if task.data_model == "ILP32" else "--64"
    options = [width, "--no-standard-checks", "--unwinding-assertions", "--no-malloc-may-fail"]
    folders = [word for one in include for word in ("-I", one)]
    spent, memory, rounds, verdict, detail = 0.0, 0, FIRST_UNWINDING, "incomplete", ""
    with tempfile.TemporaryDirectory() as name:
        meanings = Path(name) / "meanings.c"
        meanings.write_text("\n".join(meant) + "\n")
        files = [str(task.path), *([str(meanings)] if meant else [])]
        while verdict == "incomplete" and spent < seconds:
            done = run(
                ["cbmc", *options, "--unwind", str(rounds), *folders, *files],
                timeout_seconds=seconds - spent,
                address_space_bytes=memory_bytes,
            )
            spent, memory = spent + done.seconds, max(memory, done.peak_memory_bytes)
            verdict, detail = verdict_of_cbmc(done), f"{rounds} rounds"
            rounds *= UNWINDING_FACTOR
            if not done.timed_out and done.returncode not in (CBMC_FAILED, CBMC_HOLDS):
                detail = (done.errors or done.output)[-300:]
                break
    return outcome(task, "cbmc", verdict, spent, memory, detail)


def verdict_of_cbmc(done: Completed) -> str:
    if done.timed_out or done.returncode < 0 or "Out of memory" in done.output + done.errors:
        return "incomplete"
    if done.returncode == CBMC_HOLDS:
        return "verified"
    if done.returncode != CBMC_FAILED:
        return "unusable"
    failed = [one for one in CBMC_PROPERTY.findall(done.output) if ".no-body." not in one]
    if not failed:
        return "verified"
    # That rounds are missing, or that a call by a pointer of another type is not followed, is no failure.
    is_left_open = all(
        ".unwind." in one or one.endswith(".recursion") or ".pointer_dereference." in one for one in failed
    )
    return "incomplete" if is_left_open else "violated"


TOOLS = {"assay": by_assay, "cbmc": by_cbmc}


def outcome(task: PeerTask, tool: str, verdict: str, seconds: float, memory: int, detail: str) -> Outcome:
    kind = {"verified": "proofs", "violated": "bugs", "unusable": "refused"}.get(verdict, "incomplete")
    if kind in ("proofs", "bugs") and (kind == "proofs") != task.holds:
        kind = "wrong"
    return Outcome(task.name, tool, task.holds, kind, round(seconds, 2), memory, detail)


def known(file: Path | None) -> dict[tuple[str, str], Outcome]:
    if file is None or not file.exists():
        return {}
    found = [Outcome(**json.loads(line)) for line in file.read_text().splitlines()]
    return {(one.task, one.tool): one for one in found}


def in_turns(
    wanted: Sequence[PeerTask], tools: Sequence[str], chosen: argparse.Namespace
) -> Iterator[Outcome]:
    done = known(chosen.results)
    for task in wanted:
        cells = []
        for tool in tools:
            found = done.get((task.name, tool))
            if found is None:
                found = TOOLS[tool](task, chosen.seconds, chosen.memory, chosen.include)
                if chosen.results is not None:
                    with chosen.results.open("a") as file:
                        file.write(json.dumps(asdict(found)) + "\n")
            cells.append(f"{found.kind} {found.seconds:.1f} s {found.peak_memory_bytes >> 20} MiB")
            yield found
        short = "/".join(task.name.split("/")[-2:])
        print(f"| {short} | {'yes' if task.holds else 'no'} | {' | '.join(cells)} |", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("tasks", nargs="*", type=Path, help="folders, or lists in JSON")
    parser.add_argument("--own", action="store_true", help="the tasks of benchmarks/c_tasks.py")
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--memory", type=int, default=8 << 30, help="bytes for each tool")
    parser.add_argument("--tool", nargs="*", choices=TOOLS, default=list(TOOLS))
    parser.add_argument("--only", nargs="*", default=[], help="tasks whose names contain one of these")
    parser.add_argument("--include", nargs="*", default=[], help="folders of headers, for both")
    parser.add_argument("--results", type=Path, help="a file of JSON lines, continued if it is there")
    chosen = parser.parse_args()
    tools = [one for one in chosen.tool if one != "cbmc" or shutil.which("cbmc")]
    if tools != chosen.tool:
        print("cbmc is not on the path: Assay runs alone\n", flush=True)
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        wanted = [
            one
            for given in chosen.tasks
            for one in (from_folder(given) if given.is_dir() else from_list(given))
        ]
        wanted += our_own(Path(folder)) if chosen.own else []
        wanted = [one for one in wanted if not chosen.only or any(part in one.name for part in chosen.only)]
        print(f"| task | holds | {' | '.join(tools)} |\n| --- | --- |{' --- |' * len(tools)}", flush=True)
        found = list(in_turns(wanted, tools, chosen))
    print(f"\n| tool | {' | '.join(KINDS)} | seconds | largest MiB |\n|{' --- |' * (len(KINDS) + 3)}")
    for tool in tools:
        of_tool = [one for one in found if one.tool == tool]
        counts = Counter(one.kind for one in of_tool)
        numbers = " | ".join(str(counts[kind]) for kind in KINDS)
        largest = max((one.peak_memory_bytes for one in of_tool), default=0) >> 20
        print(f"| {tool} | {numbers} | {sum(one.seconds for one in of_tool):.0f} | {largest} |")
    print(
        f"\n{len(wanted)} tasks, of which {sum(one.holds for one in wanted)} hold, {chosen.seconds:g} s each;"
        f" {time.monotonic() - began:.0f} s in all"
    )
    return 1 if any(one.kind == "wrong" for one in found) else 0


if __name__ == "__main__":
    sys.exit(main())
