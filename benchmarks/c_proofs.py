"""What certificates of C proofs cost: bytes, and processor time to find and to check them.

    python -m benchmarks.c_proofs                 # all tasks that hold, ten minutes
    python -m benchmarks.c_proofs --only driver

Whole commands, with their children, counted in processor seconds: `assay verify --certificate`, `assay
certify` and `python -m assay.checker`, one after the other for each task; then the checker with
`--write-proofs`, and with the proofs that were written. A certificate that one of them does not accept is an
error, unless the checker says that it does not read the program. Python keeps the bytecode of modules in a
folder of its own here, as it does where Assay is installed, whatever the environment says.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from benchmarks.c_tasks import tasks

ASSAY = [str(Path(sys.executable).parent / "assay")]
CHECKER = [sys.executable, "-m", "assay.checker"]
UNDECIDED = 3
COUNTS = re.compile(r"proofs of (\d+) of (\d+) obligations written")


def timed(command: list[str]) -> tuple[float, subprocess.CompletedProcess[str]]:
    environment = {name: one for name, one in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--only", default="", help="tasks with this in their names")
    parser.add_argument("--timeout", default="30s", help="of each search")
    given = parser.parse_args()
    ways = ("certify", "checker", "checker without starting", "along proofs", "along proofs without starting")
    ratios: dict[str, list[float]] = {one: [] for one in ways}
    proofs: list[int] = []
    obligations = with_proofs = 0
    caches = tempfile.TemporaryDirectory()
    os.environ["PYTHONPYCACHEPREFIX"] = caches.name
    starts = min(timed([*ASSAY, "--version"])[0] for _ in range(5)), min(timed(CHECKER)[0] for _ in range(5))
    sizes: list[int] = []
    print(
        f"{'task':<24}{'bytes':>7}{'find s':>9}{'certify s':>11}{'checker s':>11}"
        f"{'proofs':>9}{'bytes':>10}{'find s':>8}{'check s':>9}"
    )
    with tempfile.TemporaryDirectory() as name:
        for task in tasks():
            if not task.holds or given.only not in task.name:
                continue
            program, certificate = Path(name, f"{task.name}.c"), Path(name, f"{task.name}.assay")
            program.write_text(task.text)
            search = ["verify", str(program), "--certificate", str(certificate), "--timeout", given.timeout]
            both = [
                [*ASSAY, "certify", str(program), str(certificate)],
                [*CHECKER, str(program), str(certificate)],
            ]
            if not sizes:  # what all of them import is compiled once
                for command in ([*ASSAY, *search], *both):
                    timed(command)
            found, done = timed([*ASSAY, *search, "--json"])
            if json.loads(done.stdout)["verdict"] != "verified":
                print(f"{task.name:<24} not proved in {given.timeout}")
                continue
            (certified, answer), (checked, second) = map(timed, both)
            if answer.returncode or second.returncode not in (0, UNDECIDED):
                print(f"{task.name} is not accepted: {answer.stdout}{second.stdout}")
                return 1
            sizes.append(certificate.stat().st_size)
            ratios["certify"].append(certified / found)
            said = f"{checked:11.2f}" if second.returncode == 0 else "   not read"
            if second.returncode == 0:
                ratios["checker"].append(checked / found)
                ratios["checker without starting"].append((checked - starts[1]) / (found - starts[0]))
            print(f"{task.name:<24}{sizes[-1]:7}{found:9.2f}{certified:11.2f}{said}", end="", flush=True)
            if second.returncode:
                print()
                continue
            beside = Path(name, f"{task.name}.proofs")
            writing, answer = timed([*both[1], "--write-proofs", str(beside)])
            checked, second = timed([*both[1], "--proofs", str(beside)])
            if answer.returncode or second.returncode:
                print(f"\n{task.name} is not accepted along proofs: {answer.stdout}{second.stdout}")
                return 1
            (proved, needed), size = COUNTS.search(answer.stdout).groups(), beside.stat().st_size  # type: ignore[union-attr]
            print(f"{proved:>5}/{needed:<3}{size:10}{writing:8.2f}{checked:9.2f}", flush=True)
            obligations, with_proofs = obligations + int(needed), with_proofs + int(proved)
            proofs.append(size)
            ratios["along proofs"].append(checked / found)
            ratios["along proofs without starting"].append((checked - starts[1]) / (found - starts[0]))
    if proofs:
        print(
            f"{with_proofs} of {obligations} obligations have proofs, in {len(proofs)} files; bytes: median "
            f"{median(proofs):.0f}, largest {max(proofs)}"
        )
    if sizes:
        print(f"{len(sizes)} certificates, bytes: median {median(sizes):.0f}, largest {max(sizes)}")
    for way, found_ratios in ratios.items():
        if found_ratios:
            print(f"{way} against finding: median {median(found_ratios):.2f} of {len(found_ratios)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
