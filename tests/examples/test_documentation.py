"""What the documentation shows is what happens: its Python runs, its links lead somewhere."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_into_the_repository_exists(page):
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", ["docs/python-api.md", "docs/tutorial.md"])
def test_python_examples_run_in_order(page, monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
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
