"""`@pytest.mark.assay`: a test is explored instead of run."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def run_tests(tmp_path):
    def run(text, *arguments, columns=80):
        (tmp_path / "test_it.py").write_text(text)
        command = [sys.executable, "-m", "pytest", "-q", "-p", "assay.pytest_plugin", "--strict-markers"]
        child = subprocess.run(
            [*command, *(arguments or ("-p", "no:cacheprovider")), "test_it.py"],
            cwd=tmp_path,
            env={
                **os.environ,
                "COLUMNS": str(columns),
                "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
                "XDG_CACHE_HOME": str(tmp_path / "cache"),
            },
            capture_output=True,
            text=True,
            check=False,
        )
        return child.returncode, child.stdout + child.stderr

    return run


def test_pytest_finds_the_plugin():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["entry-points"]["pytest11"] == {"assay": "assay.pytest_plugin"}


def test_a_project_that_takes_warnings_for_errors_can_have_it(tmp_path):
    """As it is installed: pytest finds it by its entry point, and so does whatever brought it here."""
    (tmp_path / "pytest.ini").write_text("[pytest]\nfilterwarnings = error\n")
    (tmp_path / "test_it.py").write_text("import pytest\n@pytest.mark.assay\ndef test_it():\n    pass\n")
    child = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert child.returncode == 0, child.stdout + child.stderr
    assert "1 passed" in child.stdout
    assert "warning" not in child.stdout


def test_modules_of_a_project_are_found_where_pytest_finds_them(tmp_path):
    """A usual project: tests in one folder, what they test in another, and `pythonpath`."""
    (tmp_path / "pytest.ini").write_text("[pytest]\npythonpath = source\n")
    (tmp_path / "source" / "shop").mkdir(parents=True)
    (tmp_path / "source" / "shop" / "__init__.py").write_text("")
    (tmp_path / "source" / "shop" / "stock.py").write_text(
        "class Stock:\n    left = 1\n\n    @classmethod\n    def take(cls):\n"
        "        if cls.left > 0:\n            cls.left -= 1\n"
    )
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_it.py").write_text(
        "from threading import Thread\nimport pytest\nfrom shop.stock import Stock\n\n"
        "@pytest.mark.assay\ndef test_it():\n    threads = [Thread(target=Stock.take) for _ in range(2)]\n"
        "    for thread in threads:\n        thread.start()\n"
        "    for thread in threads:\n        thread.join()\n"
        "    assert 0 <= Stock.left < 1, 'oversold'\n"
    )
    child = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist"],
        cwd=tmp_path,
        env={**os.environ, "COLUMNS": "120"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert child.returncode == 1, child.stdout + child.stderr
    assert "E       AssertionError: oversold\nE       assert 0 <= -1\nE        +  where -1 = " in child.stdout
    assert "(take) saw Stock.left: 1 in line 6 of stock.py, then " in child.stdout
    command = next(line.strip() for line in child.stdout.splitlines() if "    assay replay " in line)
    replayed = subprocess.run(
        [Path(sys.executable).with_name("assay"), *command.split()[1:], "--plain"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert replayed.returncode == 0, replayed.stderr
    assert "assert 0 <= -1" in replayed.stdout
    live = subprocess.run(
        [Path(sys.executable).with_name("assay"), *command.split()[1:], "--live"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert live.returncode == 0, live.stdout + live.stderr
    assert "reproduced in CPython" in live.stdout


def test_a_fixture_is_refused_with_a_sentence(run_tests):
    code, output = run_tests(
        "import pytest\n@pytest.mark.assay\ndef test_it(tmp_path):\n    raise SystemError('was run')\n"
    )
    assert code == 1
    assert "it uses the fixture 'tmp_path', which runs outside of what is explored" in output
    assert "was run" not in output


@pytest.mark.parametrize(
    ("marker", "sentence"),
    [
        ("assay('gil')", "the marker takes its options by name"),
        ("assay(speed=3)", "the marker has no option 'speed'; it has granularity, timeout"),
        ("assay(granularity='fine')", "granularity: expected one of bytecode, gil, sync"),
    ],
)
def test_a_marker_that_says_nothing_known_is_refused(run_tests, marker, sentence):
    code, output = run_tests(f"import pytest\n@pytest.mark.{marker}\ndef test_it():\n    pass\n")
    assert code == 1
    assert sentence in output


def test_a_parameter_that_is_no_plain_value_is_refused(run_tests):
    code, output = run_tests(
        "import pytest\n@pytest.mark.assay\n@pytest.mark.parametrize('n', [object()])\n"
        "def test_it(n):\n    pass\n"
    )
    assert code == 1
    assert "its parameter 'n' is no plain value" in output


def test_other_tests_are_run_as_ever(run_tests):
    code, output = run_tests("def test_it(tmp_path):\n    assert tmp_path.exists()\n")
    assert (code, "1 passed" in output) == (0, True)


LOST_UPDATE = """\
import threading

import pytest

class Counter:
    def __init__(self):
        self.value = 0
        self.lock = threading.Lock()

    def add(self):
        self.value += 1

    def add_locked(self):
        with self.lock:
            self.value += 1


def run(function, threads):
    all_threads = [threading.Thread(target=function) for _ in range(threads)]
    for thread in all_threads:
        thread.start()
    for thread in all_threads:
        thread.join()


@pytest.mark.assay
def test_without_lock():
    counter = Counter()
    run(counter.add, 2)
    assert counter.value == 2


@pytest.mark.assay(granularity="bytecode", timeout=60)
@pytest.mark.parametrize("threads", [1, 2])
def test_with_lock(threads):
    counter = Counter()
    run(counter.add_locked, threads)
    assert counter.value == threads


class TestInside:
    @pytest.mark.assay(granularity="gil")
    def test_as_cpython_runs_it(self):
        counter = Counter()
        run(counter.add, 2)
        assert counter.value == 2


@pytest.mark.assay(max_states=3)
def test_too_large():
    counter = Counter()
    run(counter.add_locked, 2)
"""


def test_every_schedule_is_explored_and_the_failing_one_shown(run_tests):
    code, output = run_tests(LOST_UPDATE)
    assert code == 1
    assert "2 failed, 3 passed" in output
    assert "self.value += 1" in output
    assert "AssertionError" in output
    assert "no violation found, but" in output


def test_a_failure_has_its_values_its_reason_and_a_trace_that_replays(run_tests, tmp_path):
    code, output = run_tests(LOST_UPDATE, "-k", "without_lock", "-W", "error", "-rf")
    assert code == 1
    assert (
        ">       assert counter.value == 2\nE       assert 1 == 2\nE        +  where 1 = counter.value\n"
        in output
    )
    reason = "both read counter.value (0) before"
    assert f"Thread-1 (add) and Thread-2 (add) {reason}" in output
    assert "FAILED test_it.py::test_without_lock - AssertionError: assert 1 == 2; Thr" in output
    command = next(line for line in output.splitlines() if "assay replay" in line).partition("assay ")[2]
    assert command == "replay test_it.py .pytest_cache/d/assay/test_it.py-test_without_lock.trace.json"
    replayed = subprocess.run(
        [Path(sys.executable).with_name("assay"), *command.split()],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (replayed.returncode, reason in replayed.stdout) == (0, True)


@pytest.mark.parametrize("columns", [80, 120])
def test_a_run_is_as_wide_as_the_terminal_and_not_cut(run_tests, columns):
    _, output = run_tests(LOST_UPDATE, "-k", "without_lock", "-p", "no:cacheprovider", columns=columns)
    run = output.partition("violated  ")[2].partition("\n  note:")[0].splitlines()
    assert max(map(len, run)) <= columns
    assert not any(line.endswith("...") for line in run)
    assert any("reads counter.value: 0" in line for line in run)
