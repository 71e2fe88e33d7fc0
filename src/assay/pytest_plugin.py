"""A test marked `assay` is not run once: all its schedules are explored.

    @pytest.mark.assay(granularity="gil", timeout=60)
    def test_two_threads_count():
        ...

The test passes if it is verified. If some schedule fails it, the counterexample is the
failure; if a limit was reached before all were seen, it fails too and says so. What was
asked of a test that passes, and what was not, is shown by `pytest -rP`. The test is called
without fixtures, because those run outside of what is explored; `parametrize` with
plain values works. A counterexample is saved in pytest's cache, with the command that replays it.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from _pytest._code.code import ReprEntryNative, ReprExceptionInfo, ReprFileLocation, ReprTraceback
from _pytest.outcomes import Failed

if TYPE_CHECKING:
    import pluggy

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


INSTALLED = {"site-packages", "dist-packages", "lib-dynload", "bin"}


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
    problem, result = "", None
    try:
        call = _call_of(pyfuncitem)
        result = _verify(pyfuncitem, call, _options_of(marker))
    except _Refused as refused:
        problem = str(refused)
    if result is None:
        raise Unexplored(f"assay cannot explore this test: {problem}", pytrace=False)
    if result.verdict != "verified":
        raise Unexplored(_shown(pyfuncitem, result), _reason(result), _place(result), pytrace=False)
    pyfuncitem.add_report_section("call", "assay", _printed(pyfuncitem, result))  # for those who ask with -rP
    return True


class Unexplored(Failed):
    """A test that is not verified: what is shown of it, the reason in one line, and where that is."""

    def __init__(
        self, text: str, reason: str = "", place: tuple[str, int] = ("", 0), *, pytrace: bool = True
    ) -> None:
        super().__init__(text, pytrace=pytrace)
        self.text = text
        self.reason = reason or text
        self.place = place


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pluggy.Result[pytest.TestReport], None]:
    """The summary at the end of pytest says the reason, as it does of other failures."""
    outcome = yield
    failure = call.excinfo.value if call.excinfo is not None else None
    report = outcome.get_result()
    if not isinstance(failure, Unexplored) or report.outcome != "failed":
        return
    file, line = failure.place
    place = ReprFileLocation(file or str(item.path), line, failure.reason)
    shown = ReprTraceback([ReprEntryNative([f"{failure.text}\n"])], None, "native")
    report.longrepr = ReprExceptionInfo(shown, place)


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
        return verify_call(
            _from_here(item.path), call, trace=_trace_file(item), import_from=_import_path(), **options
        )
    except (SourceProblem, OptionProblem) as problem:
        raise _Refused(str(problem)) from None


def _import_path() -> list[str]:
    """Where pytest imports the modules of the project from. What is installed is found without."""
    import sysconfig

    standard = Path(sysconfig.get_path("stdlib"))
    folders = [Path(entry or ".").absolute() for entry in sys.path]
    return [
        str(_from_here(folder))
        for folder in dict.fromkeys(folders)
        if folder.is_dir() and not folder.is_relative_to(standard) and folder.name not in INSTALLED
    ]


def _from_here(path: Path) -> Path:
    """As short as a command can name it."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def _trace_file(item: pytest.Function) -> Path | None:
    """In pytest's cache, where each test has one; none without that plugin."""
    cache = getattr(item.config, "cache", None)
    if cache is None:
        return None
    name = re.sub(r"[^\w.-]+", "-", item.nodeid.rpartition("/")[2]).strip("-")
    return _from_here(Path(cache.mkdir("assay"))) / f"{name}.trace.json"


def _reason(result: Result) -> str:
    """One line."""
    if not result.violations:
        return f"{result.verdict}: {'; '.join(result.reasons)}"
    first = result.violations[0]
    explanation = first.explanation()
    return f"{first.headline()}; {explanation}" if explanation else first.headline()


def _place(result: Result) -> tuple[str, int]:
    first = result.violations[0] if result.violations else None
    return (str(first.file or ""), first.line or 0) if first is not None else ("", 0)


def _shown(item: pytest.Function, result: Result) -> str:
    """The failed assertion as pytest shows one, and below it the run."""
    parts = [_printed(item, result)]
    first = result.violations[0] if result.violations else None
    if first is not None and first.values():
        source = first.traceback[-2].strip() if len(first.traceback) > 1 else ""
        assertion, *where = first.values()
        told = [] if first.message == "AssertionError" else first.message.splitlines()
        lines = [f">       {source}", *(f"E       {text}" for text in (*told, assertion))]
        lines += [f"E        +  {text.replace('and ', 'and   ', 1)}" for text in where]
        parts.insert(0, "\n".join([*lines, "", f"{first.file}:{first.line}: AssertionError", ""]))
    return "\n".join(parts)


def _printed(item: pytest.Function, result: Result) -> str:
    """As wide as pytest's own output."""
    from io import StringIO

    from rich.console import Console

    from assay.report.console import print_result

    output = StringIO()
    width = item.config.get_terminal_writer().fullwidth
    console = Console(
        file=output, width=width, highlight=False, soft_wrap=True, force_terminal=True, color_system=None
    )
    print_result(result, console=console)
    return "\n".join(line.rstrip() for line in output.getvalue().rstrip().splitlines())
