"""What the documentation shows is what happens: commands and Python run, links lead somewhere."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
CONSOLE_PAGES = [page for page in PAGES if "```console\n" in page.read_text()]
SHELL_BLOCKS = [
    (page, block) for page in PAGES for block in re.findall(r"```sh\n(.*?)```", page.read_text(), re.DOTALL)
]
END_OF_OUTPUT = "\x04"

# What differs from run to run or from machine to machine.
VARYING = (
    (r" at \d+(\.\d+)? [kM]?/s\b", ""),  # the rate of a search that took longer than usual
    (r"\d+(\.\d+)? m?s\b", "<time>"),
    (r"\d+(\.\d+)? ([KMG]iB|B)\b", "<size>"),
    (r"\d+\.\d+ bytes per", "<number> bytes per"),
    (r"\b[0-9a-f]{64}\b", "<digest>"),
    (r"\b[0-9a-f]{16}\b", "<digest>"),
)


def lasting(text: str) -> str:
    for pattern, name in VARYING:
        text = re.sub(pattern, name, text)
    return text


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_into_the_repository_exists(page):
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", CONSOLE_PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_command_in_a_console_block_prints_what_is_shown(page, tmp_path):
    """The commands of a page run in order in one shell, in a directory that has the examples."""
    blocks = re.findall(r"```console\n(.*?)```", page.read_text(), re.DOTALL)
    parts = re.split(r"^\$ (.*)\n", "".join(blocks), flags=re.MULTILINE)[1:]
    commands, expected = parts[::2], parts[1::2]
    script = "".join(f"{command}\nprintf '{END_OF_OUTPUT}'\n" for command in commands)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    shell = subprocess.run(
        ["bash", "-c", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"},
        timeout=300,
        check=False,
    )
    printed = shell.stdout.split(END_OF_OUTPUT)
    assert printed.pop() == ""
    for command, shown, found in zip(commands, expected, printed, strict=True):
        assert (command, lasting(found)) == (command, lasting(shown))


@pytest.mark.parametrize(
    ("page", "block"), SHELL_BLOCKS, ids=[str(page.relative_to(ROOT)) for page, _ in SHELL_BLOCKS]
)
def test_every_shell_script_is_one(page, block):
    subprocess.run(["sh", "-n", "-c", block], check=True)


@pytest.mark.parametrize("page", ["docs/python-api.md", "docs/tutorial.md"])
def test_python_examples_run_in_order(page, monkeypatch, capsys, tmp_path):
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)
    assert blocks
    exec(compile("\n".join(blocks), page, "exec"), {"__name__": page})


def test_the_counterexample_in_the_readme_is_the_one_that_is_printed(monkeypatch, capsys, tmp_path):
    from assay.evidence.result import Result
    from assay.report.console import print_run
    from assay.verification import verify

    monkeypatch.chdir(ROOT)
    result = verify("examples/broken_mutex.pml", trace=tmp_path / "trace.json")
    assert isinstance(result, Result)
    print_run(result.violations[0].counterexample)
    shown = capsys.readouterr().out
    assert shown in (ROOT / "README.md").read_text()
