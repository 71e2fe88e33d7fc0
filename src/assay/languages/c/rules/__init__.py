"""API rules in SLIC's form (Ball and Rajamani 2001), and the program with a rule woven into it.

    state { enum { Unlocked, Locked } lock = Unlocked; }
    KeAcquireSpinLock.return { if (lock == Locked) abort; lock = Locked; }

`state` declares what the rule remembers. An event is the `entry` or the `return` of a function; its body is
C over the state, with `$1`, `$2`, ... for the arguments and `$return` for what the function returned. `abort`
says that the rule is broken. Names of the state are the rule's own: they meet none of the program's.

Weaving is done in the text: a function that the rule names becomes `NAME__real`, and a function of the old
name calls the rule around it. So whoever called it calls that, through pointers and from other files too,
lines and columns stay what they were, and the result can be read, and compiled.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from pycparser import c_ast, c_generator

from assay.languages.c.parsing import ParseError, parse
from assay.languages.c.preprocessing import TOKEN, Preprocessed
from assay.records import dataclass
from assay.transition_system.interface import SourceHash, SourceProblem

LIBRARY = Path(__file__).parent
EVENTS = ("entry", "return")
MOST_BYTES = 1 << 20
FAILED = "__assay_rule_failed"
REAL = "__real"
ALONE = re.compile(r"\s*\)\s*\(")
OF_A_WRAPPER = re.compile(r"__(result|\d+)")  # names of variables that weaving adds
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Event:
    function: str
    event: str
    body: str  # between the braces
    line: int


@dataclass(frozen=True, slots=True)
class Rule:
    name: str
    file: str
    sha256: str
    state: str
    state_line: int
    events: tuple[Event, ...]


def names() -> list[str]:
    return sorted(file.stem for file in LIBRARY.glob("*.rule"))


def load(given: str) -> Rule:
    """A file, or the name of one of the library."""
    from hashlib import sha256

    path = Path(given)
    shown = given
    if given in names() and not path.is_file():
        path = LIBRARY / f"{given}.rule"
        shown = path.name  # the same wherever Assay is installed
    try:
        with path.open("rb") as file:
            text = file.read(MOST_BYTES + 1)
    except OSError as problem:
        hint = f"the library has {', '.join(names())}"
        raise SourceProblem(f"the rule cannot be read: {problem.strerror}", where=path, hint=hint) from None
    if len(text) > MOST_BYTES:
        raise SourceProblem(f"a rule of more than {MOST_BYTES} bytes", where=path)
    return read(text.decode("utf-8", "replace"), path.stem, shown, sha256(text).hexdigest())


def read(text: str, name: str, file: str, digest: str = "") -> Rule:
    text = re.sub(
        r"/\*.*?\*/|//[^\n]*", lambda found: re.sub(r"[^\n]", " ", found.group()), text, flags=re.DOTALL
    )
    state, state_line = "", 1
    events: list[Event] = []
    position = 0
    while True:
        rest = re.compile(r"\s*").match(text, position)
        position = rest.end() if rest else position
        if position >= len(text):
            break
        line = text.count("\n", 0, position) + 1
        head = re.compile(r"(state)\s*\{|([A-Za-z_]\w*)\s*\.\s*(\w+)\s*\{").match(text, position)
        if head is None:
            raise SourceProblem(
                "expected 'state {' or 'function.entry {' or 'function.return {'", where=f"{file}:{line}"
            )
        end = _closing(text, head.end(), f"{file}:{line}")
        body, body_line = text[head.end() : end], text.count("\n", 0, head.end()) + 1
        if head.group(1):
            if state:
                raise SourceProblem("a rule has one state", where=f"{file}:{line}")
            state, state_line = body, body_line
        elif head.group(3) not in EVENTS:
            raise SourceProblem(f"expected entry or return, got '{head.group(3)}'", where=f"{file}:{line}")
        else:
            events.append(Event(head.group(2), head.group(3), body, body_line))
        position = end + 1
    if not events:
        raise SourceProblem("a rule without an event says nothing", where=file)
    return Rule(re.sub(r"\W", "_", name), file, digest, state, state_line, tuple(events))


def _closing(text: str, start: int, where: str) -> int:
    depth = 1
    for token in TOKEN.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(token.group(), 0)
        if depth == 0:
            return token.start()
    raise SourceProblem("a brace is not closed", where=where)


# --- weaving ---


def woven(files: Sequence[Preprocessed], rules: Sequence[Rule]) -> list[Preprocessed]:
    """The texts with the rules in them. A function is watched where it is defined, and one that no file
    defines in the first that declares it; everybody else calls it by its name, as before."""
    texts = [file.text for file in files]
    for rule in rules:
        for file in files:
            _require_own_names(file, rule)
    _require_different_names(rules)
    functions = dict.fromkeys(event.function for rule in rules for event in rule.events)
    hosts_of = {function: _hosts(texts, function, files) for function in functions}
    watched: dict[int, list[str]] = {}
    for function, hosts in hosts_of.items():
        for number in hosts:
            watched.setdefault(number, []).append(function)
            texts[number] = _renamed(texts[number], function)
    for rule in rules:
        concerned = sorted({number for event in rule.events for number in hosts_of[event.function]})
        for position, number in enumerate(concerned or [0]):
            is_shared = len(concerned) > 1
            texts[number] += (
                _shared_state(rule, is_first=position == 0) if is_shared else _own_state(rule)
            ) + "\n"
    for number, mine in watched.items():
        texts[number] += "\n".join(_wrappers(rules, mine, texts[number], files[number])) + "\n"
    return [replace(file, text=text) for file, text in zip(files, texts, strict=True)]


def _require_different_names(rules: Sequence[Rule]) -> None:
    """What two rules remember would be one thing."""
    for position, rule in enumerate(rules):
        if rule.name in {one.name for one in rules[:position]}:
            raise SourceProblem(
                f"two rules are called '{rule.name}'", where=rule.file, hint="give one file another name"
            )


def _hosts(texts: Sequence[str], function: str, files: Sequence[Preprocessed]) -> list[int]:
    """The files in which the function is watched."""
    found = {}
    for number, (text, file) in enumerate(zip(texts, files, strict=True)):
        declared = _declared_functions(text, function, file.path)
        if declared:
            found[number] = declared
    static = [number for number, each in found.items() if any("static" in one.storage for one, _ in each)]
    others = [number for number in found if number not in static]
    defined = [number for number in others if any(is_body for _, is_body in found[number])]
    return sorted([*static, *(defined or others[:1])])


def _require_own_names(file: Preprocessed, rule: Rule) -> None:
    """A program with these names could change what the rule remembers, or what happens when it is broken."""
    reserved = {f"__{rule.name}_{name}" for name in _names_of_state(rule)} | {FAILED}
    reserved |= {event.function + REAL for event in rule.events}
    taken = sorted(reserved & {token.group("word") for token in TOKEN.finditer(file.text)})
    if taken:
        raise SourceProblem(
            f"the program uses the name '{taken[0]}', which the rule {rule.name} needs",
            where=file.path,
            hint="call it otherwise",
        )


def require_concerned(files: Sequence[Preprocessed], rules: Sequence[Rule]) -> None:
    for rule in rules:
        if not any(re.search(rf"\b{event.function}\b", file.text) for file in files for event in rule.events):
            wanted = ", ".join(sorted({event.function for event in rule.events}))
            raise SourceProblem(
                f"the program mentions none of the functions of the rule: {wanted}", where=rule.file
            )


def _declared_functions(text: str, function: str, path: str) -> list[tuple[c_ast.Decl, bool]]:
    """Each declaration of the function, and whether it has a body."""
    if not re.search(rf"\b{function}\b", text):
        return []
    try:
        tree = parse(text, path)
    except ParseError as problem:
        raise SourceProblem(f"gcc accepts this, and our parser does not: {problem}", where=path) from None
    found = []
    for node in tree.ext:
        is_body = isinstance(node, c_ast.FuncDef)
        declared = node.decl if is_body else node
        is_it = isinstance(declared, c_ast.Decl) and declared.name == function
        if is_it and isinstance(declared.type, c_ast.FuncDecl):
            found.append((declared, is_body))
    if not found:
        _require_no_other_declaration(tree, function)
    return found


def _require_no_other_declaration(tree: c_ast.FileAST, function: str) -> None:
    """Inside of a function, or by a type that has a name: nobody would be put around it."""
    functions: set[str] = set()  # names of types

    class Declarations(c_ast.NodeVisitor):  # type: ignore[misc]
        def visit_Typedef(self, node: c_ast.Typedef) -> None:  # noqa: N802
            if is_function(node.type):
                functions.add(node.name)

        def visit_Decl(self, node: c_ast.Decl) -> None:  # noqa: N802
            if node.name == function and is_function(node.type):
                raise SourceProblem(
                    f"a rule cannot watch '{function}' where it is declared like this",
                    where=f"{node.coord.file}:{node.coord.line}",
                    hint="declare it outside of functions, with its parameters",
                )
            self.generic_visit(node)

    def is_function(kind: c_ast.Node) -> bool:
        inner = kind.type if isinstance(kind, c_ast.TypeDecl) else kind
        is_named = isinstance(inner, c_ast.IdentifierType) and inner.names[-1] in functions
        return is_named or isinstance(inner, c_ast.FuncDecl | c_ast.TypeOf)

    Declarations().visit(tree)


def _renamed(text: str, function: str) -> str:
    """Definitions get the other name, with a declaration in front of them."""
    pieces: list[str] = []
    done, depth, start = 0, 0, 0  # `start`: where the declaration at file scope begins
    named: re.Match[str] | None = None
    enclosing, before = 0, ""  # parentheses, and the word before: a parameter or a struct is another thing
    for token in TOKEN.finditer(text):
        word = token.group()
        if token.group("line") is not None:
            if depth == 0 and named is None:
                start = token.end() + 1  # behind the end of the line, which belongs to the marker
            continue
        if depth == 0 and word == function and named is None:
            is_alone = before == "(" and ALONE.match(text, token.end()) is not None  # `int (function)(void)`
            if before not in ("struct", "union", "enum") and (enclosing == 0 or is_alone):
                named = token
        before = word
        enclosing += {"(": 1, ")": -1}.get(word, 0) if depth == 0 else 0
        if word == "{":
            header = text[start : token.start()]
            if depth == 0 and named is not None and ")" in header and "=" not in header:
                real = text[start : named.start()] + function + REAL + _marker(text, named.end())
                pieces += [text[done:start], _flat(header) + ";", _marker(text, start), real]
                done = named.end()
            depth += 1
        elif word == "}":
            depth -= 1
        if depth == 0 and word in (";", "}"):
            start, named = token.end(), None
    return "".join([*pieces, text[done:]])


def _flat(header: str) -> str:
    return " " + " ".join(header.split())


MARKER = re.compile(r'^#[ ]+(\d+)[ ]+("(?:[^"\\\n]|\\.)*")[^\n]*\n', re.MULTILINE)


def _marker(text: str, offset: int) -> str:
    """What follows is where it was, line and column: certificates call places by these."""
    line, file, begin = 1, '""', 0
    for found in MARKER.finditer(text, 0, offset):
        line, file, begin = int(found.group(1)), found.group(2), found.end()
    line += text.count("\n", begin, offset)
    column = offset - (text.rfind("\n", 0, offset) + 1)
    return f"\n# {line} {file}\n{' ' * column}"


def _own_state(rule: Rule) -> str:
    text = _with_names(rule.state, _names_of_state(rule), rule, "static ")
    return f'\n# {rule.state_line} "{rule.file}"\n{text}'


def _shared_state(rule: Rule, *, is_first: bool) -> str:
    """What several files remember together: the first has it, the others know of it."""
    own, generator = _names_of_state(rule), c_generator.CGenerator()
    if is_first:
        text = _with_names(rule.state, own, rule, "")
    else:
        declared = []
        for node in parse(rule.state, rule.file).ext:
            if isinstance(node, c_ast.Decl) and node.name is not None:
                node.init, node.storage = None, ["extern"]
            declared.append(f"{generator.visit(node)};")
        text = _with_names(" ".join(" ".join(declared).split()), own, rule, "")
    return f'\n# {rule.state_line} "{rule.file}"\n{text}'


def _wrappers(
    rules: Sequence[Rule], functions: Sequence[str], text: str, file: Preprocessed
) -> Iterator[str]:
    for function in functions:
        declared = _declared_functions(text, function, file.path)
        mine = [rule for rule in rules if any(event.function == function for event in rule.events)]
        yield from _wrapper(mine, function, next((one for one, body in declared if body), declared[-1][0]))


def _wrapper(rules: Sequence[Rule], function: str, declared: c_ast.Decl) -> Iterator[str]:
    """One for all rules that watch the function: around a wrapper there would be another of the same name."""
    generator = c_generator.CGenerator()
    kind = declared.type
    given = [] if kind.args is None else list(kind.args.params)
    if any(isinstance(one, c_ast.EllipsisParam) for one in given):
        raise SourceProblem(
            f"'{function}' takes any number of arguments, which a rule cannot watch", where=rules[0].file
        )
    kinds = [generator.visit(_unnamed(one)) for one in given]
    if kinds == ["void"]:
        kinds = []
    result = generator.visit(c_ast.Typename(None, [], None, _unnamed_type(kind.type)))
    typed = (
        ", ".join(_declared(generator, one, f"__{i + 1}") for i, one in enumerate(given)) if kinds else "void"
    )
    names_ = ", ".join(f"__{i + 1}" for i in range(len(kinds)))
    is_void = result.strip() == "void"
    yield f"{_result(generator, kind.type, f'{function}{REAL}({typed})')};"
    yield f"{_result(generator, kind.type, f'{function}({typed})')} {{"
    for rule in rules:
        yield from _bodies(rule, function, "entry", len(kinds))
    call = f"{function}{REAL}({names_})"
    yield f"{call};" if is_void else f"{_result(generator, kind.type, '__result')} = {call};"
    for rule in rules:
        yield from _bodies(rule, function, "return", len(kinds))
    yield "}" if is_void else "return __result; }"


def _bodies(rule: Rule, function: str, event: str, count: int) -> Iterator[str]:
    own = _names_of_state(rule)
    for one in rule.events:
        if (one.function, one.event) != (function, event):
            continue
        body = _with_names(one.body, own, rule, "")
        body = re.sub(r"\babort\s*(?:\(\s*\))?\s*;", f"{FAILED}();", body)
        for found in re.finditer(r"\$(\w+)", body):
            word = found.group(1)
            if word == "return" and event == "return":
                continue
            if not word.isdigit() or not 1 <= int(word) <= count:
                line = one.line + body.count("\n", 0, found.start())
                raise SourceProblem(
                    f"${word} is nothing that {function} has at its {event}", where=f"{rule.file}:{line}"
                )
        body = body.replace("$return", "__result")
        body = re.sub(r"\$(\d+)", r"__\1", body)
        leaving = next((found for found in TOKEN.finditer(body) if found.group() in ("return", "goto")), None)
        if leaving is not None:
            line = one.line + body.count("\n", 0, leaving.start())
            raise SourceProblem(
                f"'{leaving.group()}' in an event would leave {function}()",
                where=f"{rule.file}:{line}",
                hint="write if and else",
            )
        yield f'\n# {one.line} "{rule.file}"\n{{{body}}}'


def _result(generator: c_generator.CGenerator, kind: c_ast.Node, declarator: str) -> str:
    """The type with a declarator in it."""
    text = str(generator.visit(c_ast.Typename(None, [], None, _unnamed_type(kind))))
    if "(" in text or "[" in text:
        raise SourceProblem(f"a rule cannot watch a function that returns {text}")
    return f"{text} {declarator}"


def _declared(generator: c_generator.CGenerator, node: c_ast.Node, name: str) -> str:
    inner = node.type
    while not isinstance(inner, c_ast.TypeDecl):
        inner = inner.type
    before, inner.declname = inner.declname, name
    try:
        shown = c_ast.Decl(name, [], [], [], [], node.type, None, None)
        return str(generator.visit(shown))
    finally:
        inner.declname = before


def _unnamed(node: c_ast.Node) -> c_ast.Node:
    return c_ast.Typename(None, [], None, _unnamed_type(node.type))


def _unnamed_type(kind: c_ast.Node) -> c_ast.Node:
    if isinstance(kind, c_ast.TypeDecl):
        return c_ast.TypeDecl(None, kind.quals, None, kind.type)
    if isinstance(kind, c_ast.PtrDecl):
        return c_ast.PtrDecl(kind.quals, _unnamed_type(kind.type))
    return kind


def _names_of_state(rule: Rule) -> set[str]:
    try:
        tree = parse(f'# {rule.state_line} "{rule.file}"\n{rule.state}', rule.file)
    except ParseError as problem:
        place, _, what = str(problem).rpartition(": ")
        if ":" not in place:  # it ends too early
            last = rule.state_line + rule.state.rstrip().count("\n")
            place, what = f"{rule.file}:{last}", f"{what}; is there a semicolon after each declaration?"
        raise SourceProblem(f"the state of the rule cannot be read: {what}", where=place) from None
    found: set[str] = set()

    class Names(c_ast.NodeVisitor):  # type: ignore[misc]
        def visit_Decl(self, node: c_ast.Decl) -> None:  # noqa: N802
            found.add(node.name)
            self.generic_visit(node)

        def visit_Enumerator(self, node: c_ast.Enumerator) -> None:  # noqa: N802
            found.add(node.name)

    Names().visit(tree)
    return {one for one in found if one}


def _with_names(text: str, own: set[str], rule: Rule, storage: str) -> str:
    """Names of the state become the rule's own; declarations of the state become static ones."""

    def renamed(token: re.Match[str]) -> str:
        return f"__{rule.name}_{token.group()}" if token.group("word") in own else token.group()

    named = TOKEN.sub(renamed, text)
    if not storage:
        return named
    pieces, depth, begins = [], 0, True
    for token in TOKEN.finditer(named):
        if begins:
            pieces.append((token.start(), storage))
        begins = False
        depth += {"{": 1, "}": -1}.get(token.group(), 0)
        if token.group() == ";" and depth == 0:
            begins = True
    for position, text_ in reversed(pieces):
        named = named[:position] + text_ + named[position:]
    return named


def sources(rules: Sequence[Rule]) -> tuple[SourceHash, ...]:
    return tuple(SourceHash(rule.file, rule.sha256) for rule in rules)
