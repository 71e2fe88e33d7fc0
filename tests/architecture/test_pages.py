"""The pages about the house are true: what they name is there, and what they promise of it holds."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ENGINE, PACKAGE = ROOT / "engine", ROOT / "src" / "assay"
FOLDERS = sorted(
    {path.parent for path in ENGINE.rglob("*.?pp")}
    | {path.parent for path in PACKAGE.glob("**/__init__.py")} - {PACKAGE}
)
# Folders whose page is that of the folder around them.
WITHIN_ANOTHER = {
    "src/assay/languages/python/library/concurrent",
    "src/assay/languages/python/library/importlib",
}


def of_the_house(folder: Path) -> str:
    return str(folder.relative_to(ROOT))


@pytest.mark.parametrize("folder", FOLDERS, ids=of_the_house)
def test_every_folder_has_a_page(folder):
    if of_the_house(folder) in WITHIN_ANOTHER:
        assert f"{folder.name}/" in (folder.parent / "README.md").read_text()
    else:
        assert (folder / "README.md").exists()


SUFFIXES = {".py", ".cpp", ".hpp", ".h"}
FILES = {
    f"/{path.relative_to(ROOT)}"
    for folder in ("engine", "src", "tests", "benchmarks")
    for path in ROOT.glob(f"{folder}/**/*")
    if path.suffix in SUFFIXES
}
MADE_UP = {"buffer.py", "model.py"}  # programs of users
PAGES = [ROOT / "ARCHITECTURE.md", *sorted(ENGINE.rglob("README.md")), *sorted(PACKAGE.rglob("README.md"))]


@pytest.mark.parametrize("page", PAGES, ids=of_the_house)
def test_a_page_names_files_that_exist(page):
    text = page.read_text()
    for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
        assert (page.parent / link).exists(), link
    for name in re.findall(r"`([\w/.]+\.(?:py|cpp|hpp|h))`", text):
        known = (page.parent / name).exists() or any(path.endswith("/" + name) for path in FILES)
        assert known or name in MADE_UP, name


MOST_LINES = 60  # what a reader sees at once


def functions(text: str) -> list[tuple[int, str]]:
    """The lines that each function takes, and how it begins, in C++ as clang-format leaves it."""
    hidden = r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\''
    text = re.sub(hidden, lambda found: re.sub(r"[^\n]", " ", found[0]), text, flags=re.DOTALL)
    text = re.sub(r"^\s*#.*$", "", text, flags=re.MULTILINE)
    found: list[tuple[int, str]] = []
    open_blocks: list[tuple[bool, int, str, int]] = []
    begin = parentheses = 0
    for place, character in enumerate(text):
        if character in "()":
            parentheses += 1 if character == "(" else -1
        elif character == ";" and parentheses == 0:
            begin = place + 1
        elif character == "{":
            head = text[begin:place].strip()
            is_function = (
                parentheses == 0
                and "(" in head
                and not any(block[0] for block in open_blocks)
                and not re.match(r"(template\s*<.*>\s*)?(namespace|class|struct|enum|union|extern)\b", head)
            )
            first = place - len(text[begin:place].lstrip())
            open_blocks.append((is_function, first, head, parentheses))
            begin, parentheses = place + 1, 0
        elif character == "}":
            is_function, first, head, parentheses = open_blocks.pop()
            if is_function:
                found.append((text.count("\n", first, place) + 1, " ".join(head.split())))
            begin = place + 1
    return found


def test_functions_are_measured():
    text = (
        "namespace a {\nclass B {\n  int f() const {\n    if (x) {\n      g([] { h(); });\n    }\n  }\n};\n}"
    )
    assert functions(text) == [(5, "int f() const")]


@pytest.mark.parametrize(
    "path", sorted((ENGINE / "search").rglob("*.?pp")), ids=lambda path: str(path.relative_to(ENGINE))
)
def test_whatever_searches_fits_on_one_screen(path):
    long = [(lines, head) for lines, head in functions(path.read_text()) if lines > MOST_LINES]
    assert not long
