"""Stubtest cannot look into nanobind's functions; this compares the signature of `search`."""

import ast
import re
from pathlib import Path

from assay import _engine

STUB = Path(__file__).resolve().parents[2] / "src" / "assay" / "_engine.pyi"


def signature(text):
    function = next(
        node
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef) and node.name == "search"
    )
    arguments = function.args
    names = [argument.arg for argument in arguments.args]
    keywords = {argument.arg: ast.unparse(argument.annotation) for argument in arguments.kwonlyargs}
    del keywords["on_progress"]  # nanobind knows callbacks as objects only
    return names, keywords, ast.unparse(function.returns).split(".")[-1]


def test_the_stub_of_search_is_its_signature():
    # nanobind writes \\0, \\1 and so on where default values stand
    native = re.sub(r"\\\d+", "None", _engine.search.__nb_signature__[0][0])
    native = native.replace("assay._engine.", "").replace("collections.abc.", "")
    assert signature(f"{native}: ...") == signature(STUB.read_text())
