"""API rules, and the program with a rule woven into it: written from docs/formats/certificate.md ("Rules").

The parsed program is changed, not its text: a function that the rule watches gets another name, and a new one
of the old name calls it between the events of the rule.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from assay.checker.c.lexer import WORD, Token, tokens
from assay.checker.c.problems import CannotCheck, NoProgram
from assay.checker.c.reading import REAL
from assay.checker.c.syntax import Node, Parser, parse
from assay.checker.records import dataclass

COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
HEAD = re.compile(r"\s*(?:(state)|([A-Za-z_]\w*)\s*\.\s*(entry|return))\s*\{")
FAILED = "__assay_rule_failed"
LEAVES = re.compile(r"\b(?:return|goto)\b")
NOWHERE = Token("id", "", 0, 0, False)


@dataclass(frozen=True)
class Event:
    function: str
    event: str
    body: str
    line: int


@dataclass(frozen=True)
class Rule:
    name: str
    state: str
    events: tuple[Event, ...]


def read_rule(text: str, name: str) -> Rule:
    text = COMMENT.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)
    state, events, at = "", [], 0
    while text[at:].strip():
        head = HEAD.match(text, at)
        if head is None:
            raise NoProgram(f"the rule {name} has neither a state nor an event in line {_line(text, at)}")
        end = _closing(text, head.end(), name)
        body = text[head.end() : end]
        if head.group(1):
            if state:
                raise NoProgram(f"the rule {name} has two states")
            state = body
        else:
            events.append(Event(head.group(2), head.group(3), body, _line(text, head.end())))
        at = end + 1
    return Rule(re.sub(r"\W", "_", name), state, tuple(events))


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def _closing(text: str, at: int, name: str) -> int:
    depth = 1
    while at < len(text):
        found = WORD.match(text, at)
        at = found.end() if found else at + 1
        if found and found.lastgroup == "op":
            depth += {"{": 1, "}": -1}.get(found.group(), 0)
            if depth == 0:
                return found.start()
    raise NoProgram(f"the rule {name} has a brace that is not closed")


def require_own_names(text: str, rule: Rule) -> None:
    """A program that has the names which weaving adds could change what the rule says."""
    reserved = {f"__{rule.name}_{name}" for name in _declared(parse(rule.state))} | {FAILED}
    reserved |= {event.function + REAL for event in rule.events}
    taken = sorted(reserved & set(re.findall(r"[A-Za-z_$][\w$]*", text)))
    if taken:
        raise NoProgram(f"the program uses the name '{taken[0]}', which the rule {rule.name} needs")


OF_FUNCTIONS = ("function", "named", "typeof")  # types that are, or may be


def woven(trees: Sequence[list[Node]], rules: Sequence[Rule]) -> list[list[Node]]:
    """Of each file. A function is watched where it is defined, in each file that has a static one, and one
    that no file defines in the first that declares it."""
    names = [_names_of(tree) for tree in trees]
    called = [rule.name for rule in rules]
    if len(set(called)) < len(called):
        raise NoProgram("two rules have one name")
    functions = dict.fromkeys(event.function for rule in rules for event in rule.events)
    hosts = {function: _hosts(trees, function) for function in functions}
    found = [list(tree) for tree in trees]
    for rule in rules:
        concerned = sorted({number for event in rule.events for number in hosts[event.function]})
        if not concerned:
            raise NoProgram(f"the program declares none of the functions of the rule {rule.name}")
        for number in concerned:
            parser = Parser(tokens(_own_names(rule.state, _declared(parse(rule.state)), rule)))
            parser.scopes = [names[number]]
            is_first = number == concerned[0]
            found[number] += [_remembered(node, len(concerned) > 1, is_first) for node in parser.file()]
    for function, numbers in hosts.items():
        about = [rule for rule in rules if any(event.function == function for event in rule.events)]
        for number in numbers:
            declared = _declarations_of(trees[number], function)
            found[number] = _around(found[number], function, declared, about, names[number])
    return found


def _names_of(tree: list[Node]) -> dict[str, bool]:
    """Whether each is that of a type."""
    named = [node for node in tree if node.kind == "declare" and node.name is not None]
    return {node.name: "typedef" in node.storage for node in named}


def _remembered(node: Node, is_shared: bool, is_first: bool) -> Node:
    """What the rule remembers is its file's own, or one for all files: of the first, if there are several."""
    if node.kind != "declare" or node.name is None or "typedef" in node.storage:
        return node
    if node.storage or node.type.kind == "function":
        raise CannotCheck("a state of a rule with a storage class or a function", node.line, node.column)
    storage = {"extern"} if is_shared and not is_first else set() if is_shared else {"static"}
    init = None if storage == {"extern"} else node.init
    return Node("declare", node, name=node.name, type=node.type, storage=storage, init=init)


def _hosts(trees: Sequence[list[Node]], function: str) -> list[int]:
    """The files in which the function is watched."""
    found = {number: _declarations_of(tree, function) for number, tree in enumerate(trees)}
    for number, declared in found.items():
        if not declared:
            _require_no_other_declaration(trees[number], function)
    known = [number for number, declared in found.items() if declared]
    static = [number for number in known if any("static" in node.storage for node in found[number])]
    others = [number for number in known if number not in static]
    defined = [number for number in others if any(node.kind == "define" for node in found[number])]
    return sorted([*static, *(defined or others[:1])])


def _declarations_of(tree: list[Node], function: str) -> list[Node]:
    return [
        node
        for node in tree
        if node.kind in ("declare", "define") and node.name == function and _is_function(node)
    ]


def _require_no_other_declaration(tree: list[Node], function: str) -> None:
    """Inside of a function: nobody would be put around it."""
    waiting = list(tree)
    while waiting:
        node = waiting.pop()
        if node.kind == "declare" and node.name == function and node.type.kind in OF_FUNCTIONS:
            raise CannotCheck(f"'{function}' declared inside of a function", node.line, node.column)
        for part in node.parts.values():
            waiting += [one for one in (part if isinstance(part, list) else [part]) if isinstance(one, Node)]


def _is_function(node: Node) -> bool:
    if node.type.kind == "named":
        raise CannotCheck(f"'{node.name}', whose type has a name", node.line, node.column)
    return bool(node.type.kind == "function")


def _around(
    tree: list[Node], function: str, declared: list[Node], rules: Sequence[Rule], names: dict[str, bool]
) -> list[Node]:
    """Between the events of all rules that watch it, in their order."""
    defined = next((node for node in declared if node.kind == "define"), None)
    model = defined or declared[-1]
    kind = model.type
    if kind.is_variadic or kind.is_open:
        raise CannotCheck(f"a rule about {function}, which does not say what it is given")
    given = [one for one in kind.parameters if not (one.type.kind == "base" and one.type.words == ("void",))]
    parameters = [
        Node("parameter", NOWHERE, name=f"__{position + 1}", type=one.type)
        for position, one in enumerate(given)
    ]
    wrapped = Node("function", model, of=kind.of, parameters=parameters, is_variadic=False, is_open=False)
    kept = model.storage & {"static"}
    prototype = Node("declare", model, name=function, type=kind, storage=kept, init=None)
    real = Node("declare", model, name=function + REAL, type=kind, storage=set(), init=None)
    found: list[Node] = []
    for node in tree:
        if node is defined:
            found += [
                prototype,
                Node("define", node, name=function + REAL, type=kind, storage=node.storage, body=node.body),
            ]
        else:
            found.append(node)
    found.append(real)
    arguments = [Node("name", NOWHERE, name=one.name) for one in parameters]
    call = Node("call", NOWHERE, function=Node("name", NOWHERE, name=function + REAL), arguments=arguments)
    is_void = kind.of.kind == "base" and kind.of.words == ("void",)
    items = [one for rule in rules for one in _bodies(rule, function, "entry", len(parameters), names)]
    if is_void:
        items.append(Node("expression", NOWHERE, value=call))
    else:
        items.append(Node("declare", NOWHERE, name="__result", type=kind.of, storage=set(), init=call))
    for rule in rules:
        items += _bodies(rule, function, "return", len(parameters), names)
    if not is_void:
        items.append(Node("return", NOWHERE, value=Node("name", NOWHERE, name="__result")))
    body = Node("compound", NOWHERE, items=items)
    found.append(Node("define", model, name=function, type=wrapped, storage=set(), body=body))
    return found


def _bodies(rule: Rule, function: str, event: str, count: int, names: dict[str, bool]) -> list[Node]:
    found: list[Node] = []
    own = _declared(parse(rule.state))
    for one in rule.events:
        if (one.function, one.event) != (function, event):
            continue
        body = _own_names(one.body, own, rule)
        body = re.sub(r"\babort\s*(?:\(\s*\))?\s*;", f"{FAILED}();", body)
        for argument in re.findall(r"\$(\w+)", body):
            if not (argument == "return" and event == "return") and not (
                argument.isdigit() and 1 <= int(argument) <= count
            ):
                raise NoProgram(f"the rule {rule.name} speaks of ${argument} at the {event} of {function}")
        body = re.sub(r"\$(\d+)", r"__\1", body.replace("$return", "__result"))
        if LEAVES.search(body):
            raise NoProgram(f"the rule {rule.name} has an event that leaves {function}")
        parser = Parser(tokens(f'# {one.line} ""\n{{{body}}}'))
        parser.scopes = [names, {}]
        found.append(parser.compound())
        if parser.now.kind != "end":
            raise NoProgram(f"the rule {rule.name} has an event that is no block")
    return found


def _own_names(text: str, own: set[str], rule: Rule) -> str:
    """Names of the state are the rule's own."""
    pieces, at = [], 0
    while at < len(text):
        found = WORD.match(text, at)
        if found is None:
            raise NoProgram(f"the rule {rule.name} has a character that is none of C")
        word = found.group()
        pieces.append(f"__{rule.name}_{word}" if found.lastgroup == "id" and word in own else word)
        at = found.end()
    return "".join(pieces)


def _declared(nodes: list[Node]) -> set[str]:
    """All names that declarations of the state declare, members and enumerators too."""
    found: set[str] = set()
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        if node.kind in ("declare", "enumerator", "member", "parameter") and node.name:
            found.add(node.name)
        for part in node.parts.values():
            if isinstance(part, Node):
                waiting.append(part)
            elif isinstance(part, list):
                waiting += [one for one in part if isinstance(one, Node)]
    return found
