"""Which stage may import which. Data flows one way and the folders say so (ARCHITECTURE.md)."""

import ast
import pkgutil
import re
from pathlib import Path

import pytest

import assay

SOURCE = Path(__file__).resolve().parents[2] / "src" / "assay"

# stage -> stages it may import besides itself; "assay" stands for the package's own __init__.
MAY_IMPORT = {
    "assay": {
        "evidence",
        "search",
        "transition_system",
        "verification",
        "certification",
        "swarming",
        "plain",
        "temporal",
    },  # for type checkers and on first use
    "records": set(),  # what dataclasses are made with, for all
    "plain": set(),  # part of programs that are only run
    "temporal": set(),  # part of classes that are transition systems
    "guarded": {"transition_system"},  # what such classes may be made of
    "pytest_plugin": {"assay", "transition_system", "search", "evidence", "verification", "report"},
    # `opening` is where models are opened; a temporal property is an automaton, by its type.
    "transition_system": {"assay", "_engine", "automata"},
    # `_engine` has the machine that runs a language; `plain` is part of programs that run live.
    "languages": {"assay", "transition_system", "automata", "_engine", "plain", "temporal", "guarded"},
    "evidence": {"assay", "transition_system"},
    "automata": {"transition_system"},  # for SourceProblem
    # Processes that run models, watched from outside; what they do in there is named by whoever asks.
    "execution": {"assay", "_engine", "transition_system", "evidence"},
    "search": {"assay", "_engine", "transition_system", "automata", "evidence", "execution"},
    # Shares the step function of the language with the rest, and nothing else.
    # `automata`: what a formula means.
    "checker": {"assay", "languages", "transition_system", "automata", "_engine"},
    "distribution": {"assay", "execution"},
    # Repeating an estimate ends like a certification, and searches.
    "verification": {
        "assay",
        "languages",
        "transition_system",
        "search",
        "evidence",
        "execution",
        "certification",
        "clustering",
    },
    # One search on several machines; it is told as any other.
    "clustering": {
        "assay",
        "_engine",
        "transition_system",
        "search",
        "evidence",
        "execution",
        "distribution",
    },
    # Runs ordinary searches, tells of them as verification does.
    "swarming": {
        "assay",
        "languages",
        "transition_system",
        "search",
        "evidence",
        "execution",
        "distribution",
        "verification",
    },
    # No search: that is what makes it worth trusting.
    "certification": {
        "assay",
        "_engine",
        "languages",
        "transition_system",
        "evidence",
        "distribution",
        "execution",
    },
    "report": {
        "assay",
        "transition_system",
        "evidence",
        "execution",
        "verification",
        "certification",
        "swarming",
    },
    "cli": {
        "assay",
        "transition_system",
        "languages",
        "search",
        "evidence",
        "_engine",
        "distribution",
        "execution",
        "verification",
        "certification",
        "swarming",
        "report",
    },
}
FILES = sorted(SOURCE.rglob("*.py"))


def stage_of(module: str) -> str:
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "assay"


def imported_modules(path: Path) -> set[str]:
    """Modules of this package that a file imports, wherever in the file it does."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide the stage"
            assert node.module is not None
            for name in node.names:
                inner = SOURCE.joinpath(*node.module.split(".")[1:], name.name)
                is_module = node.module.split(".")[0] == "assay" and (
                    inner.with_suffix(".py").exists() or inner.is_dir() or name.name == "_engine"
                )
                found.add(f"{node.module}.{name.name}" if is_module else node.module)
    return {name for name in found if name.split(".")[0] == "assay"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_a_stage_imports_only_what_the_architecture_allows(path):
    parts = path.relative_to(SOURCE).parts
    stage = "assay" if parts == ("__init__.py",) else parts[0].removesuffix(".py")
    allowed = MAY_IMPORT[stage] | {stage, "records"}
    wrong = sorted(name for name in imported_modules(path) if stage_of(name) not in allowed)
    assert not wrong, f"{stage} may not import {', '.join(wrong)}"


@pytest.mark.parametrize(
    "path",
    sorted(SOURCE.glob("languages/*/**/*.py")),
    ids=lambda path: str(path.relative_to(SOURCE)),
)
def test_languages_do_not_know_each_other(path):
    own = path.relative_to(SOURCE).parts[1]
    known = {name.split(".")[2] for name in imported_modules(path) if name.startswith("assay.languages.")}
    assert known <= {own}


@pytest.mark.parametrize("path", sorted(SOURCE.glob("checker/c/*.py")), ids=lambda path: path.name)
def test_the_checkers_front_end_for_c_shares_nothing(path):
    assert {name for name in imported_modules(path) if not name.startswith("assay.checker.c")} <= {
        "assay.checker.records"
    }


def test_every_folder_of_the_package_is_a_stage():
    folders = {path.relative_to(SOURCE).parts[0] for path in FILES if path.parent != SOURCE}
    assert folders <= MAY_IMPORT.keys()


def test_the_worker_starts_without_languages_reports_or_command_line():
    heavy = {"languages", "report", "cli", "verification"}
    assert not {stage_of(name) for name in imported_modules(SOURCE / "search" / "worker.py")} & heavy


ENGINE = SOURCE.parents[1] / "engine"
MAY_INCLUDE = {
    "support": set(),
    "transition_system": {"support"},
    "storage": {"support"},
    "evidence": {"support", "transition_system"},
    "search": {"support", "storage", "transition_system", "evidence"},
    "languages": {"support", "storage", "transition_system"},
    "bindings": {"support", "storage", "transition_system", "evidence", "search", "languages"},
    "walker": {"support", "transition_system", "evidence"},
}
ENGINE_FILES = sorted(path for path in ENGINE.rglob("*") if path.suffix in {".h", ".hpp", ".cpp"})


@pytest.mark.parametrize("path", ENGINE_FILES, ids=lambda path: str(path.relative_to(ENGINE)))
def test_a_stage_of_the_engine_includes_only_what_the_architecture_allows(path):
    stage = path.relative_to(ENGINE).parts[0]
    included = re.findall(r'^#include "([^"]+)"', path.read_text(), re.MULTILINE)
    stages = {name.split("/")[0] if "/" in name else stage for name in included}
    assert stages <= MAY_INCLUDE[stage] | {stage}


@pytest.mark.parametrize(
    "path",
    [path for path in ENGINE_FILES if path.relative_to(ENGINE).parts[0] == "languages"],
    ids=lambda path: str(path.relative_to(ENGINE)),
)
def test_languages_of_the_engine_do_not_know_each_other(path):
    own = path.relative_to(ENGINE).parts[1]
    assert set(re.findall(r'^#include "languages/([^/"]+)/', path.read_text(), re.MULTILINE)) <= {own}


# Headers of several classes that are one thing, which the header is named after.
FAMILIES = {
    "search/partitioned/section.hpp": {"SectionWriter", "ByteSource", "SectionCursor"},
    "search/partitioned/word_pieces.hpp": {"PieceReader", "PieceWriter"},
    "storage/checkpoint.hpp": {"CheckpointWriter", "CheckpointReader"},
    "support/binary_field.hpp": {"PortableElement", "NativeElement"},
    "transition_system/portable.hpp": {"KnownParts", "Exchange"},
    "support/memory.hpp": {"MemoryRefused", "MemoryBudget", "Pages"},
    "support/problems.hpp": {
        "DiskProblem",
        "GraphProblem",
        "UnsupportedProgram",
        "AssumptionFailed",
        "NotPortable",
    },
}


@pytest.mark.parametrize(
    "path",
    [path for path in ENGINE_FILES if path.suffix == ".hpp"],
    ids=lambda path: str(path.relative_to(ENGINE)),
)
def test_a_header_of_the_engine_is_named_after_the_class_it_holds(path):
    text = path.read_text()
    defined = r"^{} (\w+)(?: final)?(?: : [^;{{]+)? \{{"
    classes = set(re.findall(defined.format("class"), text, re.MULTILINE))
    structures = set(re.findall(defined.format("struct"), text, re.MULTILINE))
    if (family := FAMILIES.get(str(path.relative_to(ENGINE)))) is not None:
        assert classes == family
    elif classes:  # without any it is named after what its functions do
        assert path.stem.title().replace("_", "") in classes | structures


def test_what_the_package_offers_is_not_hidden_by_a_module_of_the_same_name():
    # Importing the module would put it in the place of the function, whoever imports it.
    modules = {module.name for module in pkgutil.iter_modules(assay.__path__)}
    assert modules.isdisjoint(assay.__all__)
