"""Expressions of C as terms. What they do besides is drawn into the graph, in the order of evaluation.

C leaves the order of operands open. Operands are evaluated from left to right here, and a program in
which another order could give another result is refused: `Effects` are what an operand reads, writes and
calls, and `Unsequenced` pairs of them are judged when all procedures are known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeVar

from pycparser import c_ast

from assay.languages.c import types as t
from assay.languages.c import written_functions
from assay.languages.c.declarations import Enumerator, FunctionName, Object, Types, leaves, width_of
from assay.languages.c.graph import Graph
from assay.languages.c.memory import (
    POINTER_BITS,
    holds_union,
    is_number_of_function,
    is_number_of_string,
    may_be_string,
    number_of,
    pointer_to,
    root,
)
from assay.languages.c.places import Effects, InMemory, Known, Located, Lvalue, Places, Unsequenced, Value
from assay.languages.c.preprocessing import DataModel
from assay.languages.c.rules import REAL
from assay.transition_system.interface import UnsupportedConstruct
from assay.transition_system.sequential import bitvectors as bv
from assay.transition_system.sequential.bitvectors import Term
from assay.transition_system.sequential.control_flow import Assume, Call, Failure, Mention

NO_FLOATING = "compute with integers, or leave it out of what is verified"
NAMES_OF_FUNCTION = ("__func__", "__FUNCTION__", "__PRETTY_FUNCTION__")  # each a string, in C
Read = TypeVar("Read")
# They begin where the linker has put variables of the program.
OF_THE_LINKER = re.compile(r"__(?:start|stop)_\w+|_*(?:bss_start|edata|end|etext|data_start)")


class Expressions(Places):
    """Of one function."""

    def __init__(self, known: Known, graph: Graph, types: Types) -> None:
        super().__init__(known, graph, types)
        self._draws: dict[int, bool] = {}  # by node; the tree outlives this
        self.run_statement: Callable[[c_ast.Node], Value | None]  # set by the statements' reader

    def apart(self, node: c_ast.Node, *operands: Callable[[], Any]) -> list[Any]:
        """Evaluates operands whose order C leaves open."""
        outer, found, done = self.effects, [], []
        for operand in operands:
            self.effects = Effects()
            done.append(operand())
            found.append(self.effects)
        self.effects = outer
        for position, one in enumerate(found):
            outer.add(one)
            for other in found[:position]:
                self.known.unsequenced.append(Unsequenced(other, one, self.place(node)))
        return done

    # --- places ---

    def is_place(self, node: c_ast.Node) -> bool:
        """Whether it designates a place, by its form."""
        if isinstance(node, c_ast.ID):
            found = self.scope.find(node.name)
            return isinstance(found, Object) or (found is None and node.name in NAMES_OF_FUNCTION)
        if isinstance(node, c_ast.Constant):
            return bool(node.type == "string")
        if isinstance(node, c_ast.StructRef | c_ast.ArrayRef):
            return True
        return isinstance(node, c_ast.UnaryOp) and node.op == "*"

    def locate(self, node: c_ast.Node) -> Lvalue:
        if isinstance(node, c_ast.ID):
            found = self.scope.find(node.name)
            if isinstance(found, Object):
                if OF_THE_LINKER.fullmatch(node.name):
                    self.known.of_the_linker.setdefault(found.name, self.place(node))
                return self.place_of_object(found)
            if found is None and node.name in NAMES_OF_FUNCTION:
                name = self.graph.name.partition("@")[0].removesuffix(REAL)
                return self._text_in_memory(("name of", name), list(name.encode()))
            raise self.refuse(node, f"'{node.name}' in this place")
        if isinstance(node, c_ast.StructRef):
            return self._member(node)
        if isinstance(node, c_ast.ArrayRef):
            return self._element(node)
        if isinstance(node, c_ast.UnaryOp) and node.op == "*":
            return self.followed(self.value(node.expr), node)
        if isinstance(node, c_ast.Constant) and node.type == "string":
            return self._string(node)
        raise self.refuse(node, f"{type(node).__name__} as a place")

    def _member(self, node: c_ast.StructRef) -> Lvalue:
        whole: Lvalue | Value
        if node.type == "->":
            whole = self.followed(self.value(node.name), node)
        else:
            whole = self.assigned(node.name)
            if isinstance(whole, Value):
                raise self.refuse(node, f"a member of {whole.type}")
        path = whole.type.path_to(node.field.name) if isinstance(whole.type, t.Struct) else None
        if path is None:
            raise self.refuse(node, f"the member '{node.field.name}' of {whole.type}")
        for name in path:
            assert isinstance(whole.type, t.Struct)
            if whole.type.is_union and isinstance(whole, InMemory):
                self.memory.keep_in_bytes(whole.region)
            try:
                whole = whole.field(name, self.model)
            except NotImplementedError as problem:
                raise self.refuse(node, str(problem)) from None
        return whole

    def _element(self, node: c_ast.ArrayRef) -> Lvalue:
        array, index = self.apart(
            node, lambda: self.array_or_pointer(node.name), lambda: self.array_or_pointer(node.subscript)
        )
        if isinstance(array, Value) and isinstance(array.type, t.Integer):  # 1[array]
            array, index = index, array
        if not isinstance(index, Value) or not isinstance(index.type, t.Integer):
            raise self.refuse(node, "an index that is no integer")
        wide = bv.resized(index.term, 64, is_signed=index.type.signed)
        if isinstance(array, Value):
            return self.followed(self.moved(array, wide, node), node)
        found: Lvalue = array
        assert isinstance(found.type, t.ArrayOf)
        if found.type.length is None or found.type.length == 0:  # the last member of a struct
            return self.followed(self.moved(self.decayed(found, node), wide, node), node)
        if "bounds" in self.known.checks:
            inside = bv.compare("bvult", wide, bv.constant(found.type.length, 64))
            message = f"the index of {self.text(node)} is not in 0..{found.type.length - 1}"
            self.require(inside, "bounds", message, node)
        try:
            return found.element(wide, self.model)
        except NotImplementedError as problem:
            raise self.refuse(node, str(problem)) from None

    def array_or_pointer(self, node: c_ast.Node) -> Lvalue | Value:
        if self.is_place(node):
            place = self.locate(node)
            return place if isinstance(place.type, t.ArrayOf) else self.loaded(place, node)
        return self.value(node)

    def loaded(self, place: Lvalue, node: c_ast.Node) -> Value:
        """What is there, as a value (C11 6.3.2.1)."""
        if isinstance(place.type, t.ArrayOf):
            return self.decayed(place, node)
        if isinstance(place.type, t.Function) and isinstance(place, InMemory):
            return Value(place.address, t.Pointer(place.type), place.region)
        found = self.read(place, node)
        self.mention(place, self.text(node), found)
        return found

    def _string(self, node: c_ast.Constant) -> InMemory:
        return self._text_in_memory(id(node), string_codes(node.value, node, self))

    def _text_in_memory(self, key: Hashable, codes: Sequence[int]) -> InMemory:
        codes = [*codes, 0]
        region = self.memory.region("string", key)
        number = self.memory.string_number(key)
        self.memory.add_string(number, region, codes)
        return InMemory(pointer_to(number), region, t.ArrayOf(t.CHAR, len(codes)), is_inside=True)

    # --- conversions ---

    def converted(self, value: Value, target: t.Type, node: c_ast.Node) -> Term:
        return self.adapted(value, target, node).term

    def adapted(self, value: Value, target: t.Type, node: c_ast.Node) -> Value:
        """As if by assignment."""
        if isinstance(target, t.Void):
            return Value(value.term, target)
        if not isinstance(target, t.Integer | t.Pointer) or not isinstance(value.type, t.Integer | t.Pointer):
            raise self.refuse(node, f"converting {value.type} to {target}")
        if isinstance(target, t.Pointer):
            return self._as_pointer(value, target, node)
        if target.is_truth:
            return Value(bv.ite(self.as_truth(value), bv.constant(1, 8), bv.constant(0, 8)), target)
        pointer = value.pointer
        if isinstance(value.type, t.Pointer):
            value, pointer = self._number_of(value, node), value
        assert isinstance(value.type, t.Integer)
        term = bv.resized(value.term, target.width, is_signed=value.type.signed)
        if target.bits is not None and target.bits < target.width:
            term = bv.resized(bv.extract(target.bits - 1, 0, term), target.width, is_signed=target.signed)
        return Value(term, target, pointer=pointer if target.width >= self.model.pointer else None)

    def _as_pointer(self, value: Value, target: t.Pointer, node: c_ast.Node) -> Value:
        if isinstance(value.type, t.Integer) and value.pointer is not None:
            value = value.pointer
        if isinstance(value.type, t.Pointer):
            self.memory.cast(value.points, value.type.target, target.target)
            return Value(value.term, target, value.points)
        assert isinstance(value.type, t.Integer)
        if not value.term.is_constant:
            return self._from_number(value, target, node)
        number = bv.signed(value.term.value, value.type.width) if value.type.signed else value.term.value
        if value.type.width == self.model.pointer:
            number = bv.signed(value.term.value, value.type.width)
        if not -(1 << 31) <= number < 1 << 32:
            raise self.refuse(node, f"the address {number}")
        return Value(bv.constant(number, POINTER_BITS), target)

    def _from_number(self, value: Value, target: t.Pointer, node: c_ast.Node) -> Value:
        """A number that was no address before: nothing of the program is there."""
        assert isinstance(value.type, t.Integer)
        self.known.from_numbers.append((self.place(node), value.term))
        wide = bv.resized(value.term, POINTER_BITS, is_signed=value.type.signed)
        if value.type.width > 32:
            low = bv.extract(31, 0, wide)
            is_small = bv.any_of(
                bv.equal(bv.extended(low, POINTER_BITS, is_signed=sign), wide) for sign in (True, False)
            )
            self.graph.act(Assume(is_small), self.place(node), self.text(node))
        return Value(wide, target)

    def _number_of(self, pointer: Value, node: c_ast.Node) -> Value:
        kind = t.long(self.model.pointer, signed=False)
        if pointer.term.is_constant and pointer.term.value >> 32 in (0, (1 << 32) - 1):
            return Value(bv.extract(self.model.pointer - 1, 0, pointer.term), kind)
        return Value(self.address_number(pointer.term, node), kind, pointer=pointer)

    def as_truth(self, value: Value) -> Term:
        if not isinstance(value.type, t.Integer | t.Pointer):
            raise UnsupportedConstruct(f"a condition of type {value.type} is not modelled")
        return bv.negated(bv.equal(value.term, bv.constant(0, value.term.width)))

    def from_truth(self, condition: Term) -> Value:
        return Value(bv.ite(condition, bv.constant(1, 32), bv.constant(0, 32)), t.INT)

    def condition(self, node: c_ast.Node) -> Term:
        return self.as_truth(self.value(node))

    # --- values ---

    def value(self, node: c_ast.Node) -> Value:
        read = getattr(self, "_" + type(node).__name__, None)
        if read is None:
            raise self.refuse(node, f"the expression {type(node).__name__}")
        try:
            found: Value = read(node)
        except NotImplementedError as problem:  # of a type
            raise self.refuse(node, str(problem)) from None
        return found

    def _Constant(self, node: c_ast.Constant) -> Value:  # noqa: N802
        if node.type == "char":
            return Value(bv.constant(character(node.value, node, self), 32), t.INT)
        if node.type == "string":
            return self.decayed(self._string(node), node)
        if node.type in ("float", "double", "long double"):
            raise self.refuse(node, "a floating-point number", NO_FLOATING)
        if node.value.startswith("'"):
            raise self.refuse(node, f"the character {node.value}", "write its number")
        return integer_constant(node.value, self.model)

    def _ID(self, node: c_ast.ID) -> Value:  # noqa: N802
        found = self.scope.find(node.name)
        if isinstance(found, Enumerator):
            return Value(bv.constant(found.value, 32), found.type)
        if isinstance(found, FunctionName):
            return self.function_address(found, node)
        return self.loaded(self.locate(node), node)

    def function_address(self, found: FunctionName, node: c_ast.Node) -> Value:
        for known in (self.known.types_of.get(found.name), self.memory.pointed.get(found.name)):
            if known is not None and not t.compatible(known, found.type):
                name = found.name.partition("@")[0]
                raise self.refuse(
                    node, f"the address of '{name}', which is {known} and declared as {found.type},"
                )
        region = self.memory.region("function", found.name)
        self.memory.learn(region.functions, found.name)
        self.known.functions.add(found.name)
        self.memory.pointed[found.name] = found.type
        return Value(pointer_to(self.memory.function_number(found.name)), t.Pointer(found.type), region)

    def _ArrayRef(self, node: c_ast.ArrayRef) -> Value:  # noqa: N802
        return self.loaded(self.locate(node), node)

    def _StructRef(self, node: c_ast.StructRef) -> Value:  # noqa: N802
        return self.loaded(self.locate(node), node)

    def _Cast(self, node: c_ast.Cast) -> Value:  # noqa: N802
        target = self.types.of(node.to_type, self.scope)
        if isinstance(target, t.Void) and self.is_place(node.expr):
            place = self.locate(node.expr)
            if isinstance(place.type, t.Struct | t.Unmodelled):
                return Value(bv.constant(0, 32), t.VOID)
        container = self._container(target, node)
        return container or self.adapted(self.value(node.expr), target, node)

    def _container(self, target: t.Type, node: c_ast.Cast) -> Value | None:
        """`(T *)((char *)member - offset)`: the struct that a member is in, if it has such a one."""
        inner = node.expr
        if not isinstance(target, t.Pointer) or not isinstance(target.target, t.Struct):
            return None
        if not isinstance(inner, c_ast.BinaryOp) or inner.op != "-" or not isinstance(inner.left, c_ast.Cast):
            return None
        mark, outer, self.effects = self.graph.mark(), self.effects, Effects()
        member, offset = self.value(inner.left.expr), self.value(inner.right)
        effects, self.effects = self.effects, outer
        if isinstance(member.type, t.Pointer) and offset.term.is_constant and member.points is not None:
            found = InMemory(bv.constant(0, POINTER_BITS), member.points, target.target)
            if member.type.target in self._types_at(found, offset.term.value):
                self.effects.add(effects)
                distance = bv.constant(-offset.term.value, POINTER_BITS)
                address = bv.arithmetic("bvadd", member.term, distance)
                if "bounds" in self.known.checks:
                    message = f"{self.text(node)} points outside of the object"
                    self.require(self.is_within(address, 0), "bounds", message, node)
                return Value(address, target, member.points)
        self.graph.undo(mark)
        return None

    def _types_at(self, place: InMemory, offset: int) -> list[t.Type]:
        """Of all members that begin there."""
        found: list[t.Type] = []
        if isinstance(place.type, t.Struct) and not place.type.is_union:
            for name in place.type.fields or {}:
                member = place.field(name, self.model)
                if member.address.value == offset:
                    found.append(member.type)
                found += self._types_at(member, offset)
        return found

    def _ExprList(self, node: c_ast.ExprList) -> Value:  # noqa: N802
        value = Value(bv.constant(0, 32), t.VOID)
        for one in node.exprs:
            value = self.value(one)
        return value

    def _Compound(self, node: c_ast.Compound) -> Value:  # noqa: N802
        """`({ ... })` of GNU C."""
        return self.run_statement(node) or Value(bv.constant(0, 32), t.VOID)

    def _TernaryOp(self, node: c_ast.TernaryOp) -> Value:  # noqa: N802
        return self._either(
            node, self.condition(node.cond), lambda: self.value(node.iftrue), lambda: self.value(node.iffalse)
        )

    def _either(
        self, node: c_ast.Node, condition: Term, yes: Callable[[], Value], no: Callable[[], Value]
    ) -> Value:
        """One of two values; only that one is computed. With effects, they are paths that meet again."""
        graph, place = self.graph, self.place(node)
        if not self.draws(node):
            mentions = list(graph.mentioned())
            left = yes()
            mentions += graph.mentioned(condition)
            right = no()
            graph.mentions = [*mentions, *graph.mentioned(bv.negated(condition))]
            kind = self._common(left, right, node)
            one, other = self.adapted(left, kind, node), self.adapted(right, kind, node)
            self.memory.unify(one.points, other.points)
            return Value(bv.ite(condition, one.term, other.term), kind, one.points or other.points)
        if condition.is_constant:  # `1 << 3 ? ...` in what must be known before the program runs
            taken, other_side = (yes, no) if condition.value else (no, yes)
            other_value = self._unevaluated(other_side)
            found = taken()
            kind = self._common(found, other_value, node)
            is_value = isinstance(kind, t.Integer | t.Pointer)
            return self.adapted(found, kind, node) if is_value else Value(bv.constant(0, 32), kind)
        starts = graph.location(), graph.location()
        graph.branch(condition, *starts, place, self.text(node))
        ends: list[tuple[int | None, Value, list[Mention]]] = []
        for start, side in zip(starts, (yes, no), strict=True):
            graph.here = start
            value = side()
            ends.append((graph.here, value, list(graph.mentioned())))
        kind = self._common(ends[0][1], ends[1][1], node)
        meet = graph.location()
        result: Term | None = None
        if isinstance(kind, t.Integer | t.Pointer):
            result = graph.temporary(bv.Bits(width_of(kind)), "value")
        points = None
        for end, value, mentions in ends:
            graph.here, graph.mentions = end, mentions
            if result is not None:
                adapted = self.adapted(value, kind, node)
                self.memory.unify(points, adapted.points)
                points = points or adapted.points
                graph.assign(result, adapted.term, place)
            graph.jump(meet, place)
        graph.here = meet
        return Value(bv.constant(0, 32) if result is None else result, kind, points)

    def draws(self, node: c_ast.Node) -> bool:
        """Whether its value may need edges: by its words alone, so it may say so without need."""
        known = self._draws.get(id(node))
        if known is None:
            known = self._may_draw(node) or any(self.draws(child) for _, child in node.children())
            self._draws[id(node)] = known
        return known

    def _may_draw(self, node: c_ast.Node) -> bool:
        if isinstance(node, c_ast.FuncCall | c_ast.Assignment | c_ast.Compound):
            return True
        if isinstance(node, c_ast.BinaryOp):
            return node.op in ("/", "%", "<<", ">>") or "overflow" in self.known.checks
        if isinstance(node, c_ast.UnaryOp):
            return node.op in ("++", "--", "p++", "p--", "*") or "overflow" in self.known.checks
        if isinstance(node, c_ast.StructRef):
            return bool(node.type == "->")
        return isinstance(node, c_ast.ArrayRef) and not self._is_of_variables(node)

    def _is_of_variables(self, node: c_ast.Node) -> bool:
        """Whether an element is surely one of an array that is a variable."""
        if "bounds" in self.known.checks:
            return False
        while isinstance(node, c_ast.ArrayRef) or (isinstance(node, c_ast.StructRef) and node.type == "."):
            node = node.name
        found = self.scope.find(node.name) if isinstance(node, c_ast.ID) else None
        if not isinstance(found, Object) or found.address is not None:
            return False
        return all(isinstance(one.type, t.Integer) for one in found.leaves)

    def _common(self, left: Value, right: Value, node: c_ast.Node) -> t.Type:
        if isinstance(left.type, t.Integer) and isinstance(right.type, t.Integer):
            return t.common(left.type, right.type)
        if isinstance(left.type, t.Void) or isinstance(right.type, t.Void):
            return t.VOID
        if isinstance(left.type, t.Pointer) and isinstance(right.type, t.Pointer):
            return right.type if isinstance(left.type.target, t.Void) and left.points is None else left.type
        if isinstance(left.type, t.Pointer):
            return left.type
        if isinstance(right.type, t.Pointer):
            return right.type
        raise self.refuse(node, f"a choice between {left.type} and {right.type}")

    def _BinaryOp(self, node: c_ast.BinaryOp) -> Value:  # noqa: N802
        if node.op in ("&&", "||"):
            left = self.condition(node.left)
            decided = Value(bv.constant(int(node.op == "||"), 32), t.INT)
            right: Callable[[], Value] = lambda: self.from_truth(self.condition(node.right))  # noqa: E731
            return (
                self._either(node, left, right, lambda: decided)
                if node.op == "&&"
                else self._either(node, left, lambda: decided, right)
            )
        left_value, right_value = self.apart(
            node, lambda: self.value(node.left), lambda: self.value(node.right)
        )
        return self.operation(node.op, left_value, right_value, node)

    def operation(self, operator: str, left: Value, right: Value, node: c_ast.Node) -> Value:
        if not isinstance(left.type, t.Integer) or not isinstance(right.type, t.Integer):
            return self._of_pointers(operator, left, right, node)
        if operator in ("<<", ">>"):
            return self._shift(operator, left, right, node)
        kind = t.common(left.type, right.type)
        if operator in ("+", "-") and left.pointer is not None and right.term.is_constant:
            # An address that is a number for a while: what `container_of` does.
            return self._moved_number(operator, left, right, kind, node)
        one, other = self.converted(left, kind, node), self.converted(right, kind, node)
        if operator in COMPARED:
            name, is_swapped = COMPARED[operator]
            if name == "=":
                same = bv.equal(one, other)
                return self.from_truth(same if operator == "==" else bv.negated(same))
            name = ("bvs" if kind.signed else "bvu") + name
            return self.from_truth(bv.compare(name, *((other, one) if is_swapped else (one, other))))
        if operator in ("/", "%"):
            self._require_divisible(one, other, kind, node)
        name = ARITHMETIC[operator][kind.signed]
        if kind.signed and operator in "+-*":
            self._require_no_overflow(name, one, other, node)
        return Value(bv.arithmetic(name, one, other), kind)

    def _moved_number(
        self, operator: str, left: Value, right: Value, kind: t.Integer, node: c_ast.Node
    ) -> Value:
        assert left.pointer is not None
        name = ARITHMETIC[operator][kind.signed]
        term = bv.arithmetic(name, self.converted(left, kind, node), self.converted(right, kind, node))
        moved = self.operation(operator, self._as_bytes(left.pointer), right, node)
        return Value(term, kind, pointer=moved)

    def _as_bytes(self, pointer: Value) -> Value:
        return Value(pointer.term, t.Pointer(t.CHAR), pointer.points)

    def _of_pointers(self, operator: str, left: Value, right: Value, node: c_ast.Node) -> Value:
        both = (left, right)
        if not all(isinstance(one.type, t.Integer | t.Pointer) for one in both):
            raise self.refuse(node, f"{operator} between {left.type} and {right.type}")
        if operator in ("+", "-") and isinstance(left.type, t.Pointer) and isinstance(right.type, t.Integer):
            index = bv.resized(right.term, POINTER_BITS, is_signed=right.type.signed)
            return self.moved(left, index if operator == "+" else bv.minus(index), node)
        if operator == "+" and isinstance(left.type, t.Integer):
            return self._of_pointers(operator, right, left, node)
        if operator in COMPARED:
            name, is_swapped = COMPARED[operator]
            kind = next(one.type for one in both if isinstance(one.type, t.Pointer))
            terms = [
                one.term if isinstance(one.type, t.Pointer) else self.converted(one, kind, node)
                for one in both
            ]
            if name == "=":
                same = self._is_same(terms[0], terms[1], node)
                return self.from_truth(same if operator == "==" else bv.negated(same))
            is_less = bv.compare(f"bvu{name}", *(reversed(terms) if is_swapped else terms))
            return self._within_one_object(self.from_truth(is_less), terms, node)
        if operator == "-" and isinstance(left.type, t.Pointer) and isinstance(right.type, t.Pointer):
            target = left.type.target
            size = 1 if isinstance(target, t.Void | t.Function) else self.size(target, node)
            bytes_ = bv.arithmetic("bvsub", left.term, right.term)
            count = bv.arithmetic("bvsdiv", bytes_, bv.constant(size, POINTER_BITS))
            kind_of_count = t.long(self.model.long, signed=True)
            found = Value(bv.extract(self.model.long - 1, 0, count), kind_of_count)
            return self._within_one_object(found, [left.term, right.term], node)
        raise self.refuse(node, f"{operator} between {left.type} and {right.type}")

    def _within_one_object(self, value: Value, pointers: Sequence[Term], node: c_ast.Node) -> Value:
        """What C says of two pointers into one object only: of others a failure, or anything."""
        same = bv.equal(*map(number_of, pointers))
        if "bounds" in self.known.checks:
            self.require(same, "bounds", f"{self.text(node)} is about different objects", node)
            return value
        is_truth = value.type is t.INT
        open_ = self._left_open(1 if is_truth else value.term.width, "pointers to different objects", node)
        if is_truth:
            open_ = bv.extended(open_, value.term.width, is_signed=False)
        return Value(bv.ite(same, value.term, open_), value.type) if same is not bv.TRUE else value

    def _is_same(self, one: Term, other: Term, node: c_ast.Node) -> Term:
        """Whether two pointers are equal. Those to different objects are not, but C leaves something open.

        Strings of the text may be kept once, and what follows an object, or lies where one was, may be equal
        to a pointer to its end or to what is gone. Without the check of bounds there are no such pointers by
        assumption.
        """
        same = bv.equal(one, other)
        numbers = [number_of(one), number_of(other)]
        if any(each.is_constant and each.value in (0, (1 << 32) - 1) for each in numbers):
            return same
        open_ = bv.FALSE
        if may_be_string(one) and may_be_string(other):
            open_ = bv.all_of(map(is_number_of_string, numbers))
        if "bounds" in self.known.checks:
            open_ = bv.any_of((open_, *(self._may_be_elsewhere(each) for each in (one, other))))
            nobody = (bv.constant(0, 32), bv.constant(-1, 32))
            open_ = bv.all_of(
                (open_, *(bv.negated(bv.equal(each, none)) for each in numbers for none in nobody))
            )
        open_ = bv.all_of((bv.negated(bv.equal(*numbers)), open_))
        if open_ is bv.FALSE:
            return same
        chosen = self._left_open(1, "whether two pointers are equal", node)
        return bv.ite(open_, bv.equal(chosen, bv.constant(1, 1)), same)

    def _may_be_elsewhere(self, pointer: Term) -> Term:
        """It points to the end of an object, to nothing at all, or to what is gone."""
        inside = self.is_within(pointer, 1)
        return bv.negated(bv.any_of((inside, is_number_of_function(number_of(pointer)))))

    def _left_open(self, width: int, what: str, node: c_ast.Node) -> Term:
        found = self.graph.temporary(bv.Bits(width), "open")
        self.graph.choose(found, what, self.place(node), is_input=False)
        return found

    def _shift(self, operator: str, left: Value, right: Value, node: c_ast.Node) -> Value:
        assert isinstance(left.type, t.Integer)
        assert isinstance(right.type, t.Integer)
        kind, by = t.promoted(left.type), t.promoted(right.type)
        one, count = self.converted(left, kind, node), self.converted(right, by, node)
        is_known = bv.compare("bvult", count, bv.constant(kind.width, by.width))
        name = "bvshl" if operator == "<<" else "bvashr" if kind.signed else "bvlshr"
        # A count that is negative or too large says nothing about the result.
        narrow = bv.resized(count, kind.width, is_signed=False)
        result = bv.arithmetic(name, one, narrow)
        if "overflow" in self.known.checks:
            message = f"the count of {self.text(node)} is not in 0..{kind.width - 1}"
            self.graph.require(is_known, Failure("overflow", message, self.place(node)), self.text(node))
            if operator == "<<" and kind.signed:
                back = bv.arithmetic("bvashr", result, narrow)
                fits = bv.all_of((bv.equal(back, one), bv.compare("bvsle", bv.constant(0, kind.width), one)))
                message = f"{self.text(node)} does not fit into {kind}"
                self.graph.require(fits, Failure("overflow", message, self.place(node)), self.text(node))
        elif is_known is not bv.TRUE:
            unknown = self.graph.temporary(bv.Bits(kind.width), "shifted")
            self.graph.choose(unknown, "a shift by too much", self.place(node), is_input=False)
            result = bv.ite(is_known, result, unknown)
        return Value(result, kind)

    def _require_divisible(self, one: Term, other: Term, kind: t.Integer, node: c_ast.Node) -> None:
        place, text = self.place(node), self.text(node)
        possible = bv.negated(bv.equal(other, bv.constant(0, kind.width)))
        if "division" in self.known.checks:
            self.graph.require(possible, Failure("division", f"{text} divides by zero", place), text)
        elif possible is not bv.TRUE:
            self.graph.act(Assume(possible), place, text)
        if kind.signed:
            least = bv.constant(1 << (kind.width - 1), kind.width)
            fits = bv.negated(bv.all_of((bv.equal(one, least), bv.equal(other, bv.constant(-1, kind.width)))))
            if "overflow" in self.known.checks:
                message = f"{text} does not fit into {kind}"
                self.graph.require(fits, Failure("overflow", message, place), text)
            elif fits is not bv.TRUE:
                self.graph.act(Assume(fits), place, text)

    def _require_no_overflow(self, name: str, one: Term, other: Term, node: c_ast.Node) -> None:
        if "overflow" not in self.known.checks:
            return
        width = one.width
        wider = 2 * width if name == "bvmul" else width + 1
        exact = bv.arithmetic(
            name, bv.extended(one, wider, is_signed=True), bv.extended(other, wider, is_signed=True)
        )
        wrapped = bv.extended(bv.arithmetic(name, one, other), wider, is_signed=True)
        message = f"{self.text(node)} overflows"
        self.graph.require(
            bv.equal(exact, wrapped), Failure("overflow", message, self.place(node)), self.text(node)
        )

    def _UnaryOp(self, node: c_ast.UnaryOp) -> Value:  # noqa: N802
        operator = node.op
        if operator in ("++", "--", "p++", "p--"):
            return self._increment(node)
        if operator in ("sizeof", "_Alignof"):
            return self._size(node)
        if operator == "!":
            return self.from_truth(bv.negated(self.condition(node.expr)))
        if operator == "*":
            return self.loaded(self.locate(node), node)
        if operator == "&":
            return self._address(node)
        value = self.value(node.expr)
        if not isinstance(value.type, t.Integer):
            raise self.refuse(node, f"{operator} of {value.type}")
        kind = t.promoted(value.type)
        term = self.converted(value, kind, node)
        if operator == "-":
            if kind.signed:
                self._require_no_overflow("bvsub", bv.constant(0, kind.width), term, node)
            return Value(bv.minus(term), kind)
        if operator == "+":
            return Value(term, kind)
        if operator == "~":
            return Value(bv.complement(term), kind)
        raise self.refuse(node, f"the operator {operator}")

    def _address(self, node: c_ast.UnaryOp) -> Value:
        if isinstance(node.expr, c_ast.ID):
            found = self.scope.find(node.expr.name)
            if isinstance(found, FunctionName):
                return self.function_address(found, node)
        place = self.locate(node.expr)
        if isinstance(place.type, t.Function):
            return self.loaded(place, node)
        return self.address(place, node)

    def _size(self, node: c_ast.UnaryOp) -> Value:
        if isinstance(node.expr, c_ast.Typename):
            kind = self.types.of(node.expr, self.scope)
        else:
            kind = self.type_of(node.expr)
        if node.op != "sizeof":
            raise self.refuse(node, node.op)
        if isinstance(kind, t.Integer) and kind.bits is not None:
            raise self.refuse(node, "the size of a bit-field")
        size = self.size_term(t.CHAR if isinstance(kind, t.Void | t.Function) else kind, node)
        return Value(bv.extract(self.model.long - 1, 0, size), t.long(self.model.long, signed=False))

    def type_of(self, node: c_ast.Node) -> t.Type:
        """Of an expression that is not evaluated; arrays and functions stay what they are (C11 6.3.2.1)."""
        found = self.scope.find(node.name) if isinstance(node, c_ast.ID) else None
        if isinstance(found, FunctionName):
            return found.type
        return self._unevaluated(
            lambda: self.locate(node) if self.is_place(node) else self.assigned(node)
        ).type

    def _unevaluated(self, read: Callable[[], Read]) -> Read:
        """What is read for its type alone."""
        mark, outer, self.effects = self.graph.mark(), self.effects, Effects()
        found = read()
        self.effects = outer
        self.graph.undo(mark)
        return found

    def _increment(self, node: c_ast.UnaryOp) -> Value:
        located = self.locate(node.expr)
        old = self.read(located, node)
        called = self.text(node.expr)
        self.mention(located, called, old)
        operator = "+" if node.op.endswith("++") else "-"
        kept = old
        if node.op.startswith("p"):
            temporary = self.graph.temporary(bv.Bits(old.term.width), "old")
            self.graph.assign(temporary, old.term, self.place(node))
            kept = Value(temporary, old.type, old.points)
        one = Value(bv.constant(1, 32), t.INT)
        new = self.operation(operator, old, one, node)
        self.write(located, self.adapted(new, located.type, node), node, is_checked=False, called=called)
        return kept if node.op.startswith("p") else self.read(located, node, is_checked=False)

    def _Assignment(self, node: c_ast.Assignment) -> Value:  # noqa: N802
        place = self.place(node)
        if node.op == "=":
            located, value = self.apart(
                node, lambda: self.locate(node.lvalue), lambda: self.assigned(node.rvalue)
            )
            if not isinstance(value, Value):
                self.copy(located, value, node)
                return Value(bv.constant(0, 32), t.VOID)
        else:
            located = self.locate(node.lvalue)
            old, right = self.apart(node, lambda: self.read(located, node), lambda: self.value(node.rvalue))
            self.mention(located, self.text(node.lvalue), old)
            value = self.operation(node.op[:-1], old, right, node)
        if not isinstance(located.type, t.Integer | t.Pointer):
            raise self.refuse(node, f"assigning to {located.type}")
        # What the operands wrote themselves is not in order with what is written now; what they called is.
        stored = Effects()
        stored.writes = {self.target_of(located, node)}
        self.write(located, self.adapted(value, located.type, node), node, called=self.text(node.lvalue))
        if node.op == "=":
            self.known.unsequenced.append(Unsequenced(self._direct_writes(node.rvalue), stored, place))
        return self.read(located, node, is_checked=False)

    def _direct_writes(self, node: c_ast.Node) -> Effects:
        """Where an expression assigns by itself: not in what it calls, nor before a sequence point."""
        found = Effects()
        waiting: list[c_ast.Node] = [node]
        while waiting:
            one = waiting.pop()
            target = None
            if isinstance(one, c_ast.Assignment):
                target = one.lvalue
            elif isinstance(one, c_ast.UnaryOp) and one.op in ("++", "--", "p++", "p--"):
                target = one.expr
            if isinstance(one, c_ast.FuncCall | c_ast.Compound | c_ast.ExprList) or (
                isinstance(one, c_ast.UnaryOp) and one.op == "sizeof"
            ):
                continue
            if target is not None:
                mark, outer, self.effects = self.graph.mark(), self.effects, Effects()
                place = self.locate(target)
                if isinstance(place.type, t.Integer | t.Pointer):
                    found.writes.add(self.target_of(place, target))
                self.effects = outer
                self.graph.undo(mark)
            waiting += [child for _, child in one.children()]
        return found

    def assigned(self, node: c_ast.Node) -> Value | Lvalue:
        """The right side of an assignment: a value, or a struct that is copied."""
        if isinstance(node, c_ast.FuncCall):
            return self.call(node)
        if isinstance(node, c_ast.Assignment) and node.op == "=" and self.is_place(node.lvalue):
            mark = self.graph.mark()
            is_struct = isinstance(self.locate(node.lvalue).type, t.Struct)
            self.graph.undo(mark)
            if is_struct:  # a = b = c
                self.value(node)
                return self.locate(node.lvalue)
        if self.is_place(node):
            place = self.locate(node)
            return place if isinstance(place.type, t.Struct) else self.loaded(place, node)
        return self.value(node)

    # --- calls ---

    def _FuncCall(self, node: c_ast.FuncCall) -> Value:  # noqa: N802
        found = self.call(node)
        return found if isinstance(found, Value) else Value(bv.constant(0, 32), t.VOID)

    def call(self, node: c_ast.FuncCall) -> Value | Lvalue:
        from assay.languages.c import library

        given: Sequence[c_ast.Node] = node.args.exprs if node.args is not None else ()
        if given and isinstance(given[0], c_ast.Typename):
            return self._offset(node, given)
        found = self.scope.find(node.name.name) if isinstance(node.name, c_ast.ID) else None
        if not isinstance(node.name, c_ast.ID) or isinstance(found, Object):
            return self._through_pointer(node, given)
        name = node.name.name
        known = library.function(name)
        is_defined = isinstance(found, FunctionName) and found.name in self.known.defined
        if known is not None and (name in library.ALWAYS or not is_defined):
            said = found.type.result if isinstance(found, FunctionName) else t.VOID
            if not library.gives(name, said, self.model.long):
                raise self.refuse(node, f"a function '{name}' that is declared to return {said}")
            return known(self, node, given)
        if not isinstance(found, FunctionName):
            raise self.refuse(node, f"a call of '{name}', which is not declared as a function")
        plain = name.removesuffix(REAL)  # a rule may be woven around it
        unknown = library.NOT_MODELLED | written_functions.read(self.known.checks).keys()
        if {plain, library.without_underscores(plain)} & unknown and not is_defined:
            raise self.refuse(node, f"the function '{plain}'", "write its body into the program")
        arguments = self.apart(node, *(lambda one=one: self.assigned(one) for one in given))
        return self._called(node, found, arguments)

    def _offset(self, node: c_ast.FuncCall, given: Sequence[c_ast.Node]) -> Value:
        """`offsetof(type, member)`; the parser reads a type among arguments nowhere else."""
        whole, member = given
        term = self._distance(member, self.types.of(whole, self.scope), node)[0]
        return Value(bv.extract(self.model.long - 1, 0, term), t.long(self.model.long, signed=False))

    def _distance(self, member: c_ast.Node, whole: t.Type, node: c_ast.FuncCall) -> tuple[Term, t.Type]:
        """Of a designator from the beginning of an object, with 64 bits, and the type of what is there."""
        if isinstance(member, c_ast.ArrayRef):
            term, kind = self._distance(member.name, whole, node)
            index = self.value(member.subscript)
            if not isinstance(kind, t.ArrayOf) or not isinstance(index.type, t.Integer):
                raise self.refuse(node, f"{self.text(node)}")
            at = bv.resized(index.term, POINTER_BITS, is_signed=index.type.signed)
            moved = bv.arithmetic("bvmul", at, self.size_term(kind.element, node))
            return bv.arithmetic("bvadd", term, moved), kind.element
        term, kind = bv.constant(0, POINTER_BITS), whole
        name = member.name
        if isinstance(member, c_ast.StructRef):
            term, kind = self._distance(member.name, whole, node)
            name = member.field.name
        for one in (kind.path_to(name) if isinstance(kind, t.Struct) else None) or (name,):
            field = (kind.fields or {}).get(one) if isinstance(kind, t.Struct) else None
            if not isinstance(kind, t.Struct) or field is None:
                raise self.refuse(node, f"the member '{name}' of {whole}")
            try:
                offset = t.offset_of(kind, one, self.model.pointer)
            except NotImplementedError as problem:
                raise self.refuse(node, str(problem)) from None
            term, kind = bv.arithmetic("bvadd", term, bv.constant(offset, POINTER_BITS)), field
        return term, kind

    def _called(
        self, node: c_ast.FuncCall, found: FunctionName, arguments: Sequence[Value | Lvalue]
    ) -> Value | Lvalue:
        defined = self.known.types_of.get(found.name, found.type)
        parameters = defined.parameters or ()
        kind = found.type.result
        if found.name not in self.known.defined:
            return self._of_the_environment(node, found, arguments)
        self._require_one_type(node, found, defined, arguments)
        if found.type.is_variadic:  # nobody reads the others: that is refused
            arguments = arguments[: len(parameters)]
        if len(arguments) != len(parameters):
            raise self.refuse(node, f"a call of '{found.name}' with another number of arguments")
        terms: list[Term] = []
        for position, (value, parameter) in enumerate(zip(arguments, parameters, strict=True)):
            terms += self._argument(value, parameter, ("parameter", found.name, position), node)
        self.effects.calls.add(found.name)
        result = None
        if isinstance(kind, t.Integer | t.Pointer):
            result = self.graph.temporary(bv.Bits(width_of(kind)), found.name)
            self._name_result(result, node)
        place = self.place(node)
        called = found.name.partition("@")[0]
        site = (place.line, place.column, called)
        if called.endswith(REAL):  # the one call that weaving a rule adds
            site = (0, 0, called)
        self.graph.act(Call(found.name, tuple(terms), result, site), place, self.text(node))
        if isinstance(kind, t.Struct):
            return self._returned(node, found.name, kind)
        if result is None:
            return Value(bv.constant(0, 32), kind)
        points = self.memory.region("result", found.name) if isinstance(kind, t.Pointer) else None
        return Value(result, kind, points)

    def _require_one_type(
        self, node: c_ast.FuncCall, found: FunctionName, defined: t.Function, given: Sequence[Value | Lvalue]
    ) -> None:
        """What is declared in one file and defined in another is one function only if the types say so
        (C11 6.2.7): gcc sees one file at a time. A declaration that says nothing of the parameters is fine
        where what is given is passed as it is (6.5.2.2)."""
        name = found.name.partition("@")[0]
        if not t.compatible(found.type, defined):
            raise self.refuse(
                node,
                f"a call of '{name}', which is declared as {found.type} and defined as {defined},",
                "declare it as it is defined",
            )
        if found.type.parameters is not None:
            return
        for value, parameter in zip(given, defined.parameters or (), strict=False):
            is_same = passed_as(value.type) == passed_as(parameter)
            if not is_same or (isinstance(parameter, t.Integer) and t.promoted(parameter) != parameter):
                raise self.refuse(
                    node,
                    f"a call of '{name}' with {value.type} for {parameter}, where it is declared without"
                    " parameters,",
                    "declare it as it is defined",
                )

    def _name_result(self, result: Term, node: c_ast.Node) -> None:
        """What a call returned is known by its place. Of one that was drawn again, the last counts."""
        place = self.place(node)
        self.graph.results[place.line, place.column] = result

    def _argument(self, value: Value | Lvalue, kind: t.Type, key: Any, node: c_ast.Node) -> list[Term]:
        if not isinstance(kind, t.Struct):
            if not isinstance(value, Value):
                raise self.refuse(node, f"passing {value.type} as {kind}")
            adapted = self.adapted(value, kind, node)
            if isinstance(kind, t.Pointer):
                self.memory.unify(self.memory.region("variable", key, ()), adapted.points)
            return [adapted.term]
        if isinstance(value, Value) or value.type is not kind:
            raise self.refuse(node, f"passing {value.type} as {kind}")
        if isinstance(value, InMemory) and holds_union(kind):
            return self.cells(value, node)
        return [self._leaf_of(value, leaf, key, node) for leaf in leaves(kind)]

    def _leaf_of(self, value: Lvalue, leaf: Any, key: Any, node: c_ast.Node) -> Term:
        place = value
        for name in leaf.path:
            place = place.field(name, self.model)
        if not leaf.lengths:
            found = self.read(place, node)
            if isinstance(leaf.type, t.Pointer):
                self.memory.unify(self.memory.region("variable", key, leaf.path), found.points)
            return found.term
        if isinstance(place, Located) and not place.indexes:
            whole = place.leaf()
            assert whole is not None
            if isinstance(leaf.type, t.Pointer):
                mine = self.memory.region("variable", place.object.key, whole.path)
                self.memory.unify(self.memory.region("variable", key, leaf.path), mine)
            self.effects.reads.add(place.object.terms[whole.path])
            return place.object.terms[whole.path]
        raise self.refuse(node, "passing a struct with an array in it")

    def _returned(self, node: c_ast.FuncCall, name: str, kind: t.Struct) -> Lvalue:
        """What a function returned, kept apart from what it returns next time."""
        source = self.place_of_object(self.known.returned_object(name, kind))
        if isinstance(source, InMemory):  # another call in the same expression is refused
            return source
        self.graph.temporaries += 1
        kept = Object(f"returned#{self.graph.temporaries}", kind, ("kept", id(node)))
        kept.is_made_of_variables(self.graph.local)
        reads = set(self.effects.reads)
        self.copy(Located(kept, kind), source, node)
        self.effects.reads = reads
        return Located(kept, kind)

    def _through_pointer(self, node: c_ast.FuncCall, given: Sequence[c_ast.Node]) -> Value | Lvalue:
        """One of the functions to which the pointer may point."""
        pointer, *arguments = self.apart(
            node, lambda: self.value(node.name), *(lambda one=one: self.assigned(one) for one in given)
        )
        if not isinstance(pointer.type, t.Pointer) or not isinstance(pointer.type.target, t.Function):
            raise self.refuse(node, f"a call of {pointer.type}")
        kind = pointer.type.target.result
        graph, place, text = self.graph, self.place(node), self.text(node)
        names = sorted(root(pointer.points).functions) if pointer.points is not None else []
        result: Term | None = None
        if isinstance(kind, t.Integer | t.Pointer):
            result = graph.temporary(bv.Bits(width_of(kind)), "value")
        elif isinstance(kind, t.Struct):
            raise self.refuse(node, "a call through a pointer that returns a struct")
        meet, points = graph.location(), None
        for name in names:
            function = FunctionName(name, self.memory.pointed[name])
            if not fits(self.known.types_of.get(name, function.type), arguments, pointer.type.target):
                self.known.misfits.add(name)
                continue
            yes, no = graph.location(), graph.location()
            is_this = bv.equal(pointer.term, pointer_to(self.memory.function_number(name)))
            graph.branch(is_this, yes, no, place, text)
            graph.here = yes
            value = self._called(node, function, arguments)
            if result is not None and isinstance(value, Value):
                adapted = self.adapted(value, kind, node)
                self.memory.unify(points, adapted.points)
                points = points or adapted.points
                graph.assign(result, adapted.term, place)
            graph.jump(meet, place)
            graph.here = no
        if "bounds" in self.known.checks:
            graph.fail(Failure("bounds", f"{text} calls what is no such function", place), text)
        else:
            graph.act(Assume(bv.FALSE), place, text)
            graph.jump(meet, place)
        graph.here = meet
        if result is not None:
            self._name_result(result, node)
        return Value(bv.constant(0, 32) if result is None else result, kind, points)

    def _of_the_environment(
        self, node: c_ast.FuncCall, function: FunctionName, arguments: Sequence[Value | Lvalue]
    ) -> Value:
        """A function without a body returns any value and changes nothing, which the claim names. What it is
        given to call, it may call, now or later."""
        from assay.languages.c import library

        if any(
            isinstance(one.type, t.Pointer) and isinstance(one.type.target, t.Function) for one in arguments
        ):
            raise self.refuse(
                node, f"giving a function to '{function.name}', which has no body", "write its body"
            )
        pointers = [one for one in arguments if isinstance(one, Value) and isinstance(one.type, t.Pointer)]
        is_given = any(not one.term.is_constant or one.term.value != 0 for one in pointers)
        called = function.name.removesuffix(REAL)
        plain = library.without_underscores(called)
        if is_given and plain in library.WRITES_WHAT_IT_IS_GIVEN | library.OF_BYTES:
            what = f"the function '{called}', which writes what it is given"
            raise self.refuse(node, what, "write its body into the program")
        self.known.without_body.setdefault(function.name, self.place(node))
        kind = function.type.result
        if isinstance(kind, t.Integer | t.Pointer | t.Void):
            width = 0 if isinstance(kind, t.Void) else width_of(kind)
            self.known.externals[function.name] = width
        return self.any_value(function.type.result, function.name, node)

    def any_value(self, kind: t.Type, origin: str, node: c_ast.Node) -> Value:
        if isinstance(kind, t.Void):
            return Value(bv.constant(0, 32), kind)
        if not isinstance(kind, t.Integer | t.Pointer):
            raise self.refuse(node, f"an input of type {kind}")
        points = self.memory.region("input", id(node)) if isinstance(kind, t.Pointer) else None
        if points is not None:
            self.memory.is_from_outside(points)
            self.known.foreign_pointers.setdefault(origin, self.place(node))
        result = self.graph.temporary(bv.Bits(width_of(kind)), "input")
        self._name_result(result, node)
        self.graph.choose(result, origin, self.place(node), is_input=True)
        if isinstance(kind, t.Integer) and kind.is_truth:
            small = bv.compare("bvule", result, bv.constant(1, 8))
            self.graph.act(Assume(small), self.place(node), f"{origin}() is 0 or 1")
        return Value(result, kind, points)


def form(kind: t.Type) -> Any:
    """What is the same of types that differ in nothing but a sign, or in what they point to."""
    if isinstance(kind, t.Integer):
        return kind.width
    return kind if isinstance(kind, t.Struct) else type(kind)


def passed_as(kind: t.Type) -> Any:
    """The form of an argument, where nobody says what is expected (C11 6.5.2.2)."""
    return form(t.promoted(kind) if isinstance(kind, t.Integer) else kind)


def fits(function: t.Function, arguments: Sequence[Value | Lvalue], called: t.Function) -> bool:
    """Whether it may be called like this: another type is another function."""
    parameters = function.parameters
    if parameters is not None and len(parameters) != len(arguments) and not function.is_variadic:
        return False
    if parameters is not None and called.parameters is not None:
        if list(map(form, parameters)) != list(map(form, called.parameters)):
            return False
        if function.is_variadic != called.is_variadic:
            return False
    return bool(form(function.result) == form(called.result))


COMPARED = {
    "==": ("=", False),
    "!=": ("=", False),
    "<": ("lt", False),
    "<=": ("le", False),
    ">": ("lt", True),
    ">=": ("le", True),
}
ARITHMETIC = {  # unsigned, signed
    "+": ("bvadd", "bvadd"),
    "-": ("bvsub", "bvsub"),
    "*": ("bvmul", "bvmul"),
    "/": ("bvudiv", "bvsdiv"),
    "%": ("bvurem", "bvsrem"),
    "&": ("bvand", "bvand"),
    "|": ("bvor", "bvor"),
    "^": ("bvxor", "bvxor"),
}


def integer_constant(text: str, model: DataModel) -> Value:
    """C11 6.4.4.1: the first type of the list that can hold it."""
    digits = text.rstrip("uUlL")
    suffix = text[len(digits) :].lower()
    lowered = digits.lower()
    base = (
        16
        if lowered.startswith("0x")
        else 2
        if lowered.startswith("0b")
        else 8
        if lowered.startswith("0")
        else 10
    )
    number = int(digits, 0) if base in (2, 16) else int(digits, base)
    rank = 5 if "ll" in suffix else 4 if "l" in suffix else 3
    kinds = [
        t.INT,
        t.UNSIGNED,
        t.long(model.long, signed=True),
        t.long(model.long, signed=False),
        t.LONG_LONG,
        t.UNSIGNED_LONG_LONG,
    ]
    for kind in kinds:
        if kind.rank < rank or ("u" in suffix and kind.signed):
            continue
        if "u" not in suffix and base == 10 and not kind.signed:
            continue
        if number <= kind.high:
            return Value(bv.constant(number, kind.width), kind)
    raise UnsupportedConstruct(f"the number {text} does not fit into any type")


def string_codes(text: str, node: c_ast.Node, reader: Expressions) -> list[int]:
    """The bytes of a string literal; pycparser gives neighbours as one, with what is between them where
    the first ends in an escape that would go on (`"\\x41" "1"`)."""
    if not text.startswith('"'):
        raise reader.refuse(node, f"the string {text[:20]}")
    found: list[int] = []
    rest = text[1:-1]
    while rest:
        if rest.startswith('" "'):
            rest = rest[3:]
            continue
        if rest[0] != "\\":
            found += rest[0].encode("utf-8", "surrogateescape")
            rest = rest[1:]
            continue
        match = re.match(r"\\(x[0-9a-fA-F]+|[0-7]{1,3}|.)", rest)
        assert match is not None
        found.append(character(f"'{match.group()}'", node, reader) & 255)
        rest = rest[match.end() :]
    return found


ESCAPES = {"n": 10, "t": 9, "r": 13, "a": 7, "b": 8, "f": 12, "v": 11, "e": 27}


def character(text: str, node: c_ast.Node, reader: Expressions) -> int:
    inner = text[1:-1]
    if not text.startswith("'"):
        raise reader.refuse(node, f"the character {text}")
    if inner.startswith("\\"):
        rest = inner[1:]
        if rest in ESCAPES:
            return ESCAPES[rest]
        if rest.startswith("x"):
            value = int(rest[1:], 16)
        elif rest[0] in "01234567":
            value = int(rest, 8)
        elif len(rest) == 1 and rest in "\\'\"?":
            value = ord(rest)
        else:
            raise reader.refuse(node, f"the character {text}")
    elif len(inner) == 1 and ord(inner) < 128:
        value = ord(inner)
    else:
        raise reader.refuse(node, f"the character {text}")
    return bv.signed(value & 255, 8)
