"""How a value of a variable is written down: with its sign, as a name of its enumeration, as an address.

Read from the declarations of a text, for people; nothing depends on it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pycparser import c_ast

from assay.languages.c.memory import FIRST_OF_HEAP
from assay.languages.c.parsing import ParseError, parse
from assay.records import dataclass
from assay.transition_system.sequential.bitvectors import signed

Names = Mapping[tuple[str, str], "Kind"]  # by the function ("" for globals) and the name
Objects = Mapping[int, Mapping[int, str]]  # by their numbers: by offsets, the names of what is there


@dataclass(frozen=True, slots=True)
class Kind:
    is_pointer: bool = False
    is_unsigned: bool = False
    names: Mapping[int, str] | None = None  # of an enumeration

    def text(self, value: int, width: int, objects: Objects | None = None) -> object:
        """What a person would write: a number, a name, or where it points."""
        if self.is_pointer:
            return address(value, objects or {})
        number = value if self.is_unsigned else signed(value, width)
        return self.names.get(number, number) if self.names else number


NUMBER = Kind()
RETURNED = "return"  # stands where a variable does: for what a function returns
MEMBER = "struct"  # stands where a function does: for members of all structs and unions


def address(value: int, objects: Objects) -> str:
    """The upper half is the number of an object, the lower half an offset."""
    number, offset = value >> 32, value & 0xFFFFFFFF
    if not number:
        return "NULL" if not offset else f"NULL + {offset}"
    if number in objects:
        parts = objects[number]
        name = next(iter(parts.values())).partition(".")[0]
        inside = parts.get(offset, name) if offset else name
        return f"&{inside}" if inside != name or not offset else f"&{name} + {offset}"
    heap = number - FIRST_OF_HEAP
    what = f"block {heap + 1} of the heap" if heap >= 0 else f"object {number}"
    return what + (f" + {offset}" if offset else "")


def defined_functions(texts: Sequence[str]) -> frozenset[str]:
    """Those with a body, also where it is not what they are taken for (`reach_error`)."""
    found: set[str] = set()
    for text in texts:
        try:
            tree = parse(text)
        except ParseError:
            continue
        found |= {str(node.decl.name) for node in tree.ext if isinstance(node, c_ast.FuncDef)}
    return frozenset(found)


def declared(texts: Sequence[str]) -> Names:
    found: dict[tuple[str, str], Kind] = {}
    for text in texts:
        try:
            tree = parse(text)
        except ParseError:
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
        self.found[self.function, RETURNED] = self.kind(node.decl.type.type)
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

    def _member(self, node: c_ast.Decl) -> None:
        """One that has another kind in another struct is only a number."""
        if isinstance(node, c_ast.Decl) and node.name is not None:
            kind = self.kind(node.type)
            known = self.found.setdefault((MEMBER, node.name), kind)
            self.found[MEMBER, node.name] = kind if known == kind else NUMBER
        elif isinstance(node, c_ast.Decl):
            self.kind(node.type)

    def kind(self, node: Any) -> Kind:
        if isinstance(node, c_ast.PtrDecl):
            return Kind(is_pointer=True)
        if isinstance(node, c_ast.ArrayDecl | c_ast.TypeDecl):
            return self.kind(node.type)
        if isinstance(node, c_ast.TypeOf):
            return self._same_as(node.expr)
        if isinstance(node, c_ast.Struct | c_ast.Union):
            for one in node.decls or ():
                self._member(one)
        if isinstance(node, c_ast.Enum):
            return Kind(names=self._enumerated(node))
        if isinstance(node, c_ast.IdentifierType):
            for name in node.names:
                if name in self.types:
                    return self.types[name]
            return Kind(is_unsigned="unsigned" in node.names or "_Bool" in node.names)
        return NUMBER

    def _same_as(self, node: c_ast.Node) -> Kind:
        if isinstance(node, c_ast.Typename):
            return self.kind(node.type)
        if isinstance(node, c_ast.ID):
            return self.found.get((self.function, node.name)) or self.found.get(("", node.name), NUMBER)
        return Kind(is_pointer=True) if isinstance(node, c_ast.UnaryOp) and node.op == "&" else NUMBER

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
