"""Programs with threads as strangers write them get the verdict that their first line tells."""

from __future__ import annotations

from pathlib import Path

import pytest

import assay
from assay.evidence.result import Result
from assay.transition_system.interface import SourceProblem

FIRST_LINE = "# verdict: "


def told() -> list[tuple[Path, str, str]]:
    """The program, the granularity, and the verdict with the kind of the violation."""
    found = []
    for path in sorted((Path(__file__).parent / "programs").glob("*.py")):
        first, _, _ = path.read_text(encoding="utf-8").partition("\n")
        if first.startswith(FIRST_LINE):
            for entry in first.removeprefix(FIRST_LINE).split():
                granularity, _, verdict = entry.partition("=")
                found.append((path, granularity, verdict))
    return found


def cases(*, usable: bool) -> pytest.MarkDecorator:
    chosen = [case for case in told() if (case[2] != "unusable") == usable]
    return pytest.mark.parametrize(
        ("path", "granularity", "verdict"),
        [pytest.param(*case, id=f"{case[0].stem}-{case[1]}") for case in chosen],
    )


@cases(usable=True)
def test_a_program_gets_the_verdict_it_tells(path, granularity, verdict, tmp_path):
    result = assay.verify(path, granularity=granularity, trace=tmp_path / "trace.json")
    assert isinstance(result, Result)
    kind = f":{result.violations[0].kind}" if result.violations else ""
    assert f"{result.verdict}{kind}" == verdict, result.reasons


@cases(usable=False)
def test_a_program_that_cannot_be_verified_is_refused_at_its_line_with_a_way_out(path, granularity, verdict):
    with pytest.raises(SourceProblem, match=rf"{path.name}:\d+(:\d+)?: .*; "):
        assay.verify(path, granularity=granularity)


def test_every_program_tells_its_verdict():
    assert len({path for path, _, _ in told()}) == len(
        [path for path in (Path(__file__).parent / "programs").glob("*.py") if "helper" not in path.name]
    )
