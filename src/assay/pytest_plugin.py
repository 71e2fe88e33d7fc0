"""A test marked `assay` is not run once: all its schedules are explored.

    @pytest.mark.assay(granularity="gil", timeout=60)
    def test_two_threads_count():
        ...

The test passes if it is verified. If some schedule fails it, the counterexample is the
failure; if a limit was reached before all were seen, it fails too and says so. What was
asked of a test that passes, and what was not, is shown by `pytest -rP`. The test is called
without fixtures, because those run outside of what is explored; `parametrize` with
plain values works.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from assay.evidence.result import Result

OPTIONS = {  # of the marker -> of `assay.verify`
    "granularity": "granularity",
    "timeout": "timeout_seconds",
    "max_states": "max_states",
    "max_depth": "max_depth",
    "memory": "memory_limit_bytes",
    "check_deadlock": "check_deadlock",
    "ltl": "ltl",
    "fair": "fair",
    "terminates": "terminates",
}
WIDTH = 110


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "assay(granularity='bytecode', timeout=0, max_states=0, max_depth=0, memory=0, check_deadlock=True, "
        "ltl=[], fair=False, terminates=False): explore every schedule of the test's threads; fail with a "
        "counterexample",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> object:
    marker = pyfuncitem.get_closest_marker("assay")
    if marker is None:
        return None
    problem, text, passed = "", "", False
    try:
        call = _call_of(pyfuncitem)
        result = _verify(pyfuncitem, call, _options_of(marker))
    except _Refused as refused:
        problem = str(refused)
    else:
        text, passed = _printed(result), result.verdict == "verified"
    if problem:
        pytest.fail(f"assay cannot explore this test: {problem}", pytrace=False)
    if not passed:
        pytest.fail(text, pytrace=False)
    pyfuncitem.add_report_section("call", "assay", text)  # for those who ask with -rP
    return True


class _Refused(Exception):
    """Why a test cannot be explored."""


def _options_of(marker: pytest.Mark) -> dict[str, Any]:
    if marker.args:
        raise _Refused("the marker takes its options by name")
    unknown = sorted(set(marker.kwargs) - set(OPTIONS))
    if unknown:
        raise _Refused(f"the marker has no option {unknown[0]!r}; it has {', '.join(OPTIONS)}")
    return {OPTIONS[name]: value for name, value in marker.kwargs.items()}


def _call_of(item: pytest.Function) -> str:
    """The test as an expression over its module, which is called `module` there."""
    callspec = getattr(item, "callspec", None)
    values: dict[str, object] = dict(callspec.params) if callspec is not None else {}
    names = _argument_names(item)
    fixtures = [name for name in names if name not in values]
    if fixtures:
        raise _Refused(
            f"it uses the fixture {fixtures[0]!r}, which runs outside of what is explored; "
            "make what it gives in the test itself"
        )
    arguments = ", ".join(f"{name}={_literal(name, values[name])}" for name in names)
    owner = "module" if item.cls is None else f"module.{item.cls.__qualname__}()"
    return f"{owner}.{item.originalname}({arguments})"


def _argument_names(item: pytest.Function) -> list[str]:
    import inspect

    parameters = inspect.signature(item.obj).parameters.values()
    used = [mark.args for mark in item.iter_markers("usefixtures")]
    return [p.name for p in parameters if p.default is p.empty] + [name for names in used for name in names]


def _literal(name: str, value: object) -> str:
    text = repr(value)
    try:
        same = ast.literal_eval(text) == value
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        same = False
    if not same:
        raise _Refused(f"its parameter {name!r} is no plain value: {text:.60}")
    return text


def _verify(item: pytest.Function, call: str, options: dict[str, Any]) -> Result:
    from assay.transition_system.interface import SourceProblem
    from assay.transition_system.language_options import OptionProblem
    from assay.verification import verify_call

    try:
        return verify_call(Path(item.path), call, **options)
    except (SourceProblem, OptionProblem) as problem:
        raise _Refused(str(problem)) from None


def _printed(result: Result) -> str:
    from io import StringIO

    from rich.console import Console

    from assay.report.console import print_result

    output = StringIO()
    print_result(result, console=Console(file=output, width=WIDTH, highlight=False, soft_wrap=True))
    return output.getvalue().rstrip()
