"""Stubtest cannot look into nanobind's functions; this tries the options that the stub lists."""

import ast
from pathlib import Path

import pytest

from assay import _engine

STUB = Path(__file__).resolve().parents[2] / "src" / "assay" / "_engine.pyi"
VALUES = {"str": "", "int": 1, "float": 1.0, "bool": False}


def listed_options():
    options = next(
        node
        for node in ast.parse(STUB.read_text()).body
        if isinstance(node, ast.ClassDef) and node.name == "SearchOptions"
    )
    return {
        field.target.id: ast.unparse(field.annotation)
        for field in options.body
        if isinstance(field, ast.AnnAssign)
    }


@pytest.mark.parametrize(("name", "kind"), listed_options().items())
def test_the_engine_takes_every_option_of_the_stub(name, kind):
    graph = _engine.ExplicitGraph(states=[b""], edges=[[]], valid_ends=[True], state_violations=[0])
    values = {**VALUES, "Callable[[Progress], bool] | None": None, "GraphLog | None": None}
    value = {"strategy": "bfs", "storage": "exact", "identity": []}.get(name, values.get(kind))
    assert _engine.search(graph, **{name: value}).states == 1
