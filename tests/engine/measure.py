"""Measures the engine on hand-written models: `python tests/engine/measure.py [largest number of states]`.

Processor time is given beside elapsed time, because only it says something on a busy machine.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from models import compile_model, search

RUNS = [
    # model, constants, about how many states
    ("philosophers", {"N": 8}, 10**5),
    ("philosophers", {"N": 10}, 2 * 10**6),
    ("philosophers", {"N": 10, "STRIDE": 10}, 2 * 10**6),
    ("grid", {"DIMENSIONS": 5, "SIDE": 16, "PADDING": 4}, 10**6),
    ("philosophers", {"N": 11}, 10**7),
    ("philosophers", {"N": 12}, 5 * 10**7),
]
ENGINES = [{}, {"threads": 2}, {"strategy": "dfs"}, {"storage": "fingerprint"}]


def main() -> None:
    largest = int(float(sys.argv[1])) if len(sys.argv) > 1 else 2 * 10**6
    print(f"{'model':44} {'engine':26} {'states':>10} {'transitions':>11} {'s':>7} {'cpu s':>7} "
          f"{'M/s':>6} {'cpu ns/t':>8} {'bytes':>6}")  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        for name, constants, states in RUNS:
            if states > largest:
                continue
            model = compile_model(name, Path(folder), **constants)
            for options in ENGINES:
                began = time.process_time()
                result = search(model, check_deadlock=False, **options)
                cpu = time.process_time() - began
                label = " ".join(f"{key}={value}" for key, value in constants.items())
                engine = " ".join(f"{key}={value}" for key, value in options.items()) or "bfs"
                print(
                    f"{name + ' ' + label:44} {engine:26} {result.states:10} {result.transitions:11} "
                    f"{result.seconds:7.2f} {cpu:7.2f} {result.states / result.seconds / 1e6:6.2f} "
                    f"{cpu / result.transitions * 1e9:8.0f} {result.table_bytes / result.states:6.1f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
