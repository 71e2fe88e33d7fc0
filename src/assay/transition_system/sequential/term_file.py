"""Terms as lists of numbers and words, and back: how they go to another process, or into a file.

    ["v", name]                       a variable; the reader knows it by its name
    ["c", value, width]               a constant; width 0 is a truth value
    [operator, parameters, operands]  operands are positions of nodes before this one
    ["e", width]                      the bound variable of `forall`, only below one

What is read is checked as if a stranger had written it: widths, sorts, positions and the number of nodes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from assay.transition_system.sequential.bitvectors import (
    ARITHMETIC,
    BOOLEAN,
    COMPARISONS,
    Array,
    Bits,
    Sort,
    Term,
    arithmetic,
    compare,
    complement,
    concat,
    constant,
    constant_array,
    each,
    extended,
    extract,
    forall,
    in_order,
    ite,
    minus,
    negated,
    select,
    store,
    truth,
    variables_of,
)
from assay.transition_system.sequential.bitvectors import all_of as conjunction
from assay.transition_system.sequential.bitvectors import any_of as disjunction
from assay.transition_system.sequential.bitvectors import equal as equality

MOST_NODES = 1_000_000
MOST_WIDTH = 4096


class TermProblem(ValueError):
    """What is read is no list of terms."""


def _written(terms: Iterable[Term]) -> tuple[list[list[Any]], dict[Term, int]]:
    nodes: list[list[Any]] = []
    positions: dict[Term, int] = {}
    for one in in_order(list(terms)):
        positions[one] = len(nodes)
        if one.operator == "variable":
            is_bound = isinstance(one.sort, Bits) and one is each(one.width)
            nodes.append(["e", one.width] if is_bound else ["v", one.name])
        elif one.operator == "constant":
            nodes.append(["c", one.value, one.width if isinstance(one.sort, Bits) else 0])
        else:
            parameters = list(one.parameters)
            if one.operator == "const":
                assert isinstance(one.sort, Array)
                parameters = [one.sort.index]
            nodes.append([one.operator, parameters, [positions[each] for each in one.operands]])
    return nodes, positions


def dump(terms: Sequence[Term]) -> dict[str, Any]:
    nodes, positions = _written(terms)
    return {"nodes": nodes, "terms": [positions[one] for one in terms]}


def load(given: Any, variables: Mapping[str, Term]) -> list[Term]:
    if not isinstance(given, dict) or not isinstance(given.get("nodes"), list):
        raise TermProblem("expected a list of nodes")
    nodes, wanted = given["nodes"], given.get("terms")
    if len(nodes) > MOST_NODES:
        raise TermProblem(f"more than {MOST_NODES} nodes")
    made: list[Term] = []
    for node in nodes:
        made.append(_node(node, made, variables))
    if not isinstance(wanted, list):
        raise TermProblem("expected a list of terms")
    found = [_at(made, position) for position in wanted]
    if not variables_of(*found) <= variables_of(*variables.values()):
        raise TermProblem("a bound variable is not below its quantifier")
    return found


def _at(made: Sequence[Term], position: Any) -> Term:
    if type(position) is not int or not 0 <= position < len(made):
        raise TermProblem(f"there is no node {position!r} yet")
    return made[position]


def _number(value: Any, low: int, high: int) -> int:
    if type(value) is not int or not low <= value <= high:
        raise TermProblem(f"expected a number from {low} to {high}, got {str(value)[:40]}")
    return value


def _node(node: Any, made: Sequence[Term], variables: Mapping[str, Term]) -> Term:
    if not isinstance(node, list) or not node:
        raise TermProblem("expected a node")
    if node[0] == "v" and len(node) == 2 and isinstance(node[1], str):
        if node[1] not in variables:
            raise TermProblem(f"the program has no variable {node[1][:80]!r}")
        return variables[node[1]]
    if node[0] == "e" and len(node) == 2:
        return each(_number(node[1], 1, MOST_WIDTH))
    if node[0] == "c" and len(node) == 3:
        width = _number(node[2], 0, MOST_WIDTH)
        if width == 0:
            return truth(bool(_number(node[1], 0, 1)))
        return constant(_number(node[1], 0, (1 << width) - 1), width)
    if len(node) != 3 or list(map(type, node)) != [str, list, list]:
        raise TermProblem("expected an operator, its parameters and its operands")
    return _applied(node[0], node[1], [_at(made, position) for position in node[2]])


def _applied(operator: Any, parameters: list[Any], operands: list[Term]) -> Term:
    sorts = [one.sort for one in operands]
    widths = [one.width if isinstance(one, Bits) else 0 for one in sorts]
    same = len(set(sorts)) == 1
    if operator in ARITHMETIC and _is(operands, 2) and same and widths[0]:
        return arithmetic(operator, *operands)
    if operator in COMPARISONS and _is(operands, 2) and same and widths[0]:
        return compare(operator, *operands)
    if operator in ("and", "or") and operands and sorts == [BOOLEAN] * len(sorts):
        return conjunction(operands) if operator == "and" else disjunction(operands)
    if operator == "=" and _is(operands, 2) and same:
        return equality(*operands)
    if operator == "forall" and sorts == [BOOLEAN] and len(parameters) == 1:
        return _quantified(_number(parameters[0], 1, MOST_WIDTH), operands[0])
    if operator == "not" and sorts == [BOOLEAN]:
        return negated(operands[0])
    if operator == "ite" and _is(operands, 3) and sorts[0] == BOOLEAN and sorts[1] == sorts[2]:
        return ite(*operands)
    if operator in ("bvnot", "bvneg") and _is(operands, 1) and widths[0]:
        return complement(operands[0]) if operator == "bvnot" else minus(operands[0])
    if operator == "concat" and _is(operands, 2) and all(widths) and sum(widths) <= MOST_WIDTH:
        return concat(*operands)
    if operator == "extract" and _is(operands, 1) and widths[0] and len(parameters) == 2:
        high = _number(parameters[0], 0, widths[0] - 1)
        return extract(high, _number(parameters[1], 0, high), operands[0])
    if operator in ("zero_extend", "sign_extend") and _is(operands, 1) and widths[0] and len(parameters) == 1:
        width = widths[0] + _number(parameters[0], 1, MOST_WIDTH - widths[0])
        return extended(operands[0], width, is_signed=operator == "sign_extend")
    return _of_arrays(operator, parameters, operands, sorts)


def _quantified(width: int, body: Term) -> Term:
    if any(one.operator == "forall" for one in in_order((body,))):
        raise TermProblem("a quantifier is below another")
    return forall(width, body)


def _of_arrays(operator: Any, parameters: list[Any], operands: list[Term], sorts: list[Sort]) -> Term:
    if operator == "const" and _is(operands, 1) and isinstance(sorts[0], Bits) and len(parameters) == 1:
        return constant_array(Array(_number(parameters[0], 1, 64), sorts[0].width), operands[0])
    array = sorts[0] if sorts else None
    if isinstance(array, Array) and len(sorts) > 1 and sorts[1] == Bits(array.index):
        if operator == "select" and _is(operands, 2):
            return select(*operands)
        if operator == "store" and _is(operands, 3) and sorts[2] == Bits(array.element):
            return store(*operands)
    raise TermProblem(f"{str(operator)[:40]!r} is not applied to such operands")


def _is(operands: Sequence[Term], count: int) -> bool:
    return len(operands) == count
