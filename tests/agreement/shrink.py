"""Make a program small while it keeps a property, such as two tools disagreeing about it.

Greedy: try the largest removals first, keep whatever still has the property,
start again until nothing can be removed. The property decides everything; a
candidate that no tool accepts simply does not have it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from tests.agreement.generator import Form, Node, leaf


def size(node: Node) -> int:
    return 1 + len(node.head) + len(node.label) + sum(size(child) for child in node.children)


def shrink(tree: Node, keeps: Callable[[Node], bool], *, attempts: int = 400) -> Node:
    """The smallest tree found for which `keeps` holds; `tree` itself must have the property."""
    refused: set[Node] = set()
    improved = True
    while improved and attempts > 0:
        improved = False
        for candidate in sorted(variants(tree), key=size):
            if candidate in refused:
                continue
            if attempts <= 0:
                break
            attempts -= 1
            if keeps(candidate):
                tree = candidate
                improved = True
                break
            refused.add(candidate)
    return tree


def variants(node: Node) -> Iterator[Node]:
    """Every tree that is one simplification smaller."""
    for position, child in enumerate(node.children):
        before, after = node.children[:position], node.children[position + 1 :]
        if (before or after) and node.form is not Form.UNLESS:
            yield replace(node, children=before + after)
        if child.form in (Form.BLOCK, Form.CHOICE, Form.UNLESS):
            for inner in _contents(child):
                if node.form is Form.UNLESS:
                    continue
                yield replace(node, children=(*before, *inner, *after))
        for smaller in variants(child):
            yield replace(node, children=(*before, smaller, *after))
    if node.label:
        yield replace(node, label="")
    if node.form is Form.LEAF:
        for text in _simpler(node.head):
            yield replace(node, head=text)
    if node.form is Form.UNIT:
        for text in _simpler_head(node.head):
            yield replace(node, head=text)


def _contents(node: Node) -> Iterator[tuple[Node, ...]]:
    if node.form is Form.BLOCK:
        yield node.children
    elif node.form is Form.UNLESS:
        for child in node.children:
            yield (child,)
    else:
        for option in node.children:
            yield tuple(child for child in option.children if child.head not in ("else", "break")) or (
                leaf("skip"),
            )


def _simpler(text: str) -> Iterator[str]:
    if text not in ("skip", "else", "break") and not re.match(
        r"(bit|bool|byte|short|int|unsigned|pid|mtype|chan|typedef|hidden|show|#|Record|Outer)", text
    ):
        yield "skip"
    for found in re.finditer(r"\([^()]*\)", text):
        before, after = text[: found.start()], text[found.end() :]
        if before and (before[-1].isalnum() or before[-1] in "_?!"):
            continue
        if text != found[0]:
            yield before + "0" + after
            yield before + "1" + after
        yield before + found[0][1:-1] + after
    yield from (text.replace(f" {operator} ", " ", 1) for operator in () if operator in text)
    assigned = re.match(r"^(\S+ = )(.+)$", text)
    if assigned and not assigned[2].isdigit() and not re.match(r"(chan|mtype|typedef)", text):
        yield assigned[1] + "0"
        yield assigned[1] + "1"
    shorter = re.sub(r" % \d+$", "", text)
    if shorter != text:
        yield shorter
    declared = re.match(r"^(\w+ \w+) = .*$", text)
    if declared and not text.startswith("chan"):
        yield declared[1]


def _simpler_head(text: str) -> Iterator[str]:
    for pattern in (r" provided \(.*\)$", r" priority \d+", r" \[\d+\]"):
        shorter = re.sub(pattern, "", text)
        if shorter != text:
            yield shorter
