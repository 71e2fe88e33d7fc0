"""Random terms over bit vectors, and random graphs."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from assay.transition_system.sequential import bitvectors as bv
from assay.transition_system.sequential.control_flow import (
    Assign,
    Assume,
    Choose,
    ControlFlow,
    Edge,
    Failure,
    Place,
)

WIDTHS = (1, 3, 8)
NAMES = [bv.variable(f"{name}{width}", bv.Bits(width)) for width in WIDTHS for name in "xy"]
MEMORY = bv.variable("memory", bv.Array(3, 8))
HERE = Place("program.c", 1)


def raw(operator: str, operands: tuple[bv.Term, ...], sort: bv.Sort, *parameters: Any) -> bv.Term:
    """Without any simplification."""
    return bv._made(operator, operands, sort, *parameters)


@st.composite
def vectors(draw: st.DrawFn, width: int, depth: int) -> bv.Term:
    kind = draw(st.integers(0, 7)) if depth else draw(st.integers(0, 1))
    inner = depth - 1
    if kind == 0:
        return bv.constant(draw(st.integers(0, (1 << width) - 1)), width)
    if kind == 1:
        return draw(st.sampled_from([one for one in NAMES if one.width == width]))
    if kind == 2:
        operator = draw(st.sampled_from(sorted(bv.ARITHMETIC)))
        return raw(operator, (draw(vectors(width, inner)), draw(vectors(width, inner))), bv.Bits(width))
    if kind == 3:
        operator = draw(st.sampled_from(["bvnot", "bvneg"]))
        return raw(operator, (draw(vectors(width, inner)),), bv.Bits(width))
    if kind == 4:
        operands = (draw(truths(inner)), draw(vectors(width, inner)), draw(vectors(width, inner)))
        return raw("ite", operands, bv.Bits(width))
    if kind == 5 and width > 1:
        narrow = draw(st.sampled_from([one for one in WIDTHS if one < width]))
        operator = draw(st.sampled_from(["zero_extend", "sign_extend"]))
        return raw(operator, (draw(vectors(narrow, inner)),), bv.Bits(width), width - narrow)
    if kind == 6 and width < 8:
        wide = draw(st.sampled_from([one for one in WIDTHS if one > width]))
        low = draw(st.integers(0, wide - width))
        return raw("extract", (draw(vectors(wide, inner)),), bv.Bits(width), low + width - 1, low)
    if width == 8:
        return raw("select", (draw(arrays(inner)), draw(vectors(3, inner))), bv.Bits(8))
    return bv.constant(1, width)


@st.composite
def arrays(draw: st.DrawFn, depth: int) -> bv.Term:
    kind = draw(st.integers(0, 2)) if depth > 0 else 0
    if kind == 0:
        return MEMORY
    if kind == 1:
        return raw("const", (draw(vectors(8, depth - 1)),), MEMORY.sort)
    operands = (draw(arrays(depth - 1)), draw(vectors(3, depth - 1)), draw(vectors(8, depth - 1)))
    return raw("store", operands, MEMORY.sort)


@st.composite
def truths(draw: st.DrawFn, depth: int) -> bv.Term:
    kind = draw(st.integers(0, 4)) if depth > 0 else 0
    if kind == 0:
        return bv.truth(draw(st.booleans()))
    if kind == 1:
        width = draw(st.sampled_from(WIDTHS))
        operator = draw(st.sampled_from([*sorted(bv.COMPARISONS), "="]))
        return raw(operator, (draw(vectors(width, depth - 1)), draw(vectors(width, depth - 1))), bv.BOOLEAN)
    if kind == 2:
        return raw("not", (draw(truths(depth - 1)),), bv.BOOLEAN)
    if kind == 3:
        operands = tuple(draw(truths(depth - 1)) for _ in range(draw(st.integers(2, 3))))
        return raw(draw(st.sampled_from(["and", "or"])), operands, bv.BOOLEAN)
    operands = (draw(truths(depth - 1)), draw(truths(depth - 1)), draw(truths(depth - 1)))
    return raw("ite", operands, bv.BOOLEAN)


def simplified(term: bv.Term) -> bv.Term:
    done: dict[bv.Term, bv.Term] = {}
    for one in bv.in_order((term,)):
        done[one] = bv.remade(one, tuple(done[each] for each in one.operands))
    return done[term]


@st.composite
def values(draw: st.DrawFn) -> dict[bv.Term, bv.Value]:
    numbers: dict[bv.Term, bv.Value] = {one: draw(st.integers(0, (1 << one.width) - 1)) for one in NAMES}
    elements = draw(st.dictionaries(st.integers(0, 7), st.integers(0, 255), max_size=3))
    return {**numbers, MEMORY: bv.ArrayValue(draw(st.integers(0, 255)), elements)}


X, Y = NAMES[-2], NAMES[-1]


@st.composite
def graphs(draw: st.DrawFn) -> ControlFlow:
    """Conditions of a location's edges exclude each other; the last location fails."""
    count = draw(st.integers(2, 6))
    edges = []
    for source in range(count - 1):
        target = st.integers(0, count - 1)
        kind = draw(st.integers(0, 2))
        if kind == 0:
            condition = simplified(draw(truths(2)))
            edges.append(Edge(source, draw(target), Assume(condition), HERE))
            edges.append(Edge(source, draw(target), Assume(bv.negated(condition)), HERE))
        elif kind == 1:
            value = simplified(draw(vectors(8, 2)))
            edges.append(Edge(source, draw(target), Assign(((X, value), (Y, X))), HERE))
        else:
            edges.append(Edge(source, draw(target), Choose(X, "input", True), HERE))
    failures = {count - 1: Failure("assertion", "fails", HERE)}
    return ControlFlow(0, count, tuple(edges), failures, (*NAMES, MEMORY), {})
