"""Hand-written models in C, compiled against the engine's interface for tests and measurements."""

from __future__ import annotations

import subprocess
from pathlib import Path

from assay import _engine

ROOT = Path(__file__).resolve().parents[2]
SOURCES = Path(__file__).resolve().parent / "models"
DEFAULTS = {
    "strategy": "bfs",
    "storage": "exact",
    "threads": 1,
    "seed": 0,
    "hash_functions": 3,
    "bitstate_bytes": 1 << 20,
    "memory_limit_bytes": 0,
    "time_limit_seconds": 0.0,
    "depth_limit": 0,
    "state_limit": 0,
    "stop_at_first_violation": True,
    "check_deadlock": True,
    "on_progress": None,
    "progress_interval_seconds": 1.0,
}


def compile_model(name: str, folder: Path, **constants: int) -> _engine.CompiledModel:
    library = folder / f"{name}-{'-'.join(f'{key}{value}' for key, value in constants.items())}.so"
    subprocess.run(
        [
            "gcc",
            "-O2",
            "-shared",
            "-fPIC",
            "-Wall",
            "-Wextra",
            "-Werror",
            f"-I{ROOT / 'engine' / 'transition_system'}",
            *(f"-D{key}={value}" for key, value in constants.items()),
            str(SOURCES / f"{name}.c"),
            "-o",
            str(library),
        ],
        check=True,
    )
    return _engine.CompiledModel(str(library))


def search(model: _engine.Model, **options: object) -> _engine.SearchResult:
    return _engine.search(model, **{**DEFAULTS, **options})
