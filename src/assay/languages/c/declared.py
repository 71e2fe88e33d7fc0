"""How a value of a variable is written down: with its sign, as a name of its enumeration, as an address.

Read from the declarations of a text, for people; nothing depends on it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pycparser import c_ast, c_parser

from assay.languages.c.memory import FIRST_OF_HEAP
from assay.records import dataclass
from assay.transition_system.sequential.bitvectors import signed

Names = Mapping[tuple[str, str], "Kind"]  # by the function ("" for globals) and the name


@dataclass(frozen=True, slots=True)
class Kind:
    is_pointer: bool = False
    is_unsigned: bool = False
    names: Mapping[int, str] | None = None  # of an enumeration

    def text(self, value: int, width: int) -> object:
        """What a person would write: a number, a name, or where it points."""
        if self.is_pointer:
            return address(value)
        number = value if self.is_unsigned else signed(value, width)
        return self.names.get(number, number) if self.names else number


NUMBER = Kind()


def address(value: int) -> str:
    """The upper half is the number of an object, the lower half an offset."""
    number, offset = value >> 32, value & 0xFFFFFFFF
    if not number:
        return "NULL" if not offset else f"NULL + {offset}"
    heap = number - FIRST_OF_HEAP
    what = f"block {heap + 1} of the heap" if heap >= 0 else f"object {number}"
    return what + (f" + {offset}" if offset else "")


def defined_functions(texts: Sequence[str]) -> frozenset[str]:
    """Those with a body, also where it is not what they are taken for (`reach_error`)."""
    found: set[str] = set()
    for text in texts:
        try:
            tree = c_parser.CParser().parse(text)
        except c_parser.ParseError:
            continue
        found |= {str(node.decl.name) for node in tree.ext if isinstance(node, c_ast.FuncDef)}
    return frozenset(found)


def declared(texts: Sequence[str]) -> Names:
    found: dict[tuple[str, str], Kind] = {}
    for text in texts:
        try:
            tree = c_parser.CParser().parse(text)
        except c_parser.ParseError:
            continue
        _Declarations(found).visit(tree)
    return found


class _Declarations(c_ast.NodeVisitor):  # type: ignore[misc]
    def __init__(self, found: dict[tuple[str, str], Kind]) -> None:
        self.found = found
        self.types: dict[str, Kind] = {}
        self.enumerations: dict[str, Mapping[int, str]] = {}
        self.function = ""

    def visit_FuncDef(self, node: c_ast.FuncDef) -> None:  # noqa: N802
        self.function = node.decl.name
        for one in getattr(node.decl.type.args, "params", ()):
            self.visit(one)
        self.visit(node.body)
        self.function = ""

    def visit_Typedef(self, node: c_ast.Typedef) -> None:  # noqa: N802
        self.types[node.name] = self.kind(node.type)

    def visit_Decl(self, node: c_ast.Decl) -> None:  # noqa: N802
        kind = self.kind(node.type)
        if node.name is not None and not isinstance(node.type, c_ast.FuncDecl):
            self.found[self.function, node.name] = kind

    def kind(self, node: Any) -> Kind:
        if isinstance(node, c_ast.PtrDecl):
            return Kind(is_pointer=True)
        if isinstance(node, c_ast.ArrayDecl | c_ast.TypeDecl):
            return self.kind(node.type)
        if isinstance(node, c_ast.Enum):
            return Kind(names=self._enumerated(node))
        if isinstance(node, c_ast.IdentifierType):
            for name in node.names:
                if name in self.types:
                    return self.types[name]
            return Kind(is_unsigned="unsigned" in node.names or "_Bool" in node.names)
        return NUMBER

    def _enumerated(self, node: c_ast.Enum) -> Mapping[int, str]:
        if node.values is None:
            return self.enumerations.get(node.name, {})
        found: dict[int, str] = {}
        following = 0
        for one in node.values.enumerators:
            if isinstance(one.value, c_ast.Constant):
                try:
                    following = int(one.value.value.rstrip("uUlL"), 0)
                except ValueError:
                    return {}
            elif one.value is not None:
                return {}
            found[following] = one.name
            following += 1
        if node.name:
            self.enumerations[node.name] = found
        return found
