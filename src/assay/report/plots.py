"""Pictures of a search: its levels, its discoveries, its coverage over memory.

Needs matplotlib (`assay-mc[plots]`), which is imported here and nowhere else.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

from assay.evidence.result import Result
from assay.execution.model_process import Progress
from assay.transition_system.language_options import OptionProblem

SUFFIXES = (".png", ".svg")


def require_plots(path: Path) -> None:
    """Before the search: that there will be a picture after it."""
    if path.suffix not in SUFFIXES:
        raise OptionProblem(f"plot: expected a file named .png or .svg, got {path.name}")
    if not path.absolute().parent.is_dir():
        raise OptionProblem(f"plot: {path} cannot be written: there is no such directory")
    try:
        importlib.import_module("matplotlib")
    except ImportError:
        raise OptionProblem("plot: it needs matplotlib; pip install 'matplotlib>=3.8'") from None


def plot(path: Path, result: Result, history: Sequence[Progress]) -> None:
    """Three panels, one below the other, of what is known."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 10), layout="constrained")
    levels, rate, memory = figure.subplots(3, 1)
    figure.suptitle(f"{Path(result.program).name}: {result.verdict}, {result.states:,} states")
    _draw_levels(levels, result)
    points = [one for one in history if one.transitions and not one.frames]
    _draw_discoveries(rate, points)
    _draw_coverage(memory, points, result)
    figure.savefig(path)


def _draw_levels(axes: Any, result: Result) -> None:
    sizes = result.levels or _levels_of_an_estimate(result)
    axes.set(title="Levels of the breadth-first search", xlabel="steps from the start", ylabel="states")
    if sizes:
        axes.step(range(len(sizes)), sizes, where="mid")
    else:
        _say_nothing(axes)


def _levels_of_an_estimate(result: Result) -> Sequence[int]:
    seen = cast(Sequence[dict[str, Any]], (result.coverage or {}).get("seen", ()))
    return max((one.get("levels", ()) for one in seen), key=len, default=())


def _draw_discoveries(axes: Any, points: Sequence[Progress]) -> None:
    axes.set(
        title="Rate of discovery",
        xlabel="transitions explored",
        ylabel="new states per transition",
        ylim=(0, 1),
    )
    if len(points) < 2:
        _say_nothing(axes)
        return
    pairs = [(a, b) for a, b in pairwise(points) if b.transitions > a.transitions]
    axes.plot(
        [b.transitions for _, b in pairs],
        [(b.states - a.states) / (b.transitions - a.transitions) for a, b in pairs],
        label="since the last point",
    )
    axes.plot(
        [one.transitions for one in points], [one.states / one.transitions for one in points], label="so far"
    )
    axes.legend()


def _draw_coverage(axes: Any, points: Sequence[Progress], result: Result) -> None:
    axes.set(title="States over memory", xlabel="resident memory in MiB", ylabel="states")
    if not points:
        _say_nothing(axes)
        return
    memory = [one.memory_bytes / 2**20 for one in points]
    total = (result.coverage or {}).get("total") or (result.states if result.complete else None)
    if isinstance(total, int | float) and total:
        axes.set(title="Coverage over memory", ylabel="share of all states in %", ylim=(0, 105))
        axes.plot(memory, [100 * one.states / total for one in points], ".-")
        if not result.complete:
            axes.text(0.02, 0.92, "of an estimated total", transform=axes.transAxes)
    else:
        axes.plot(memory, [one.states for one in points], ".-")


def _say_nothing(axes: Any) -> None:
    axes.text(0.5, 0.5, "not known for this search", ha="center", va="center", transform=axes.transAxes)
