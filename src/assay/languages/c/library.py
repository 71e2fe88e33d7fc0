"""Functions that programs call and do not define: inputs, assumptions, failures, and what only prints."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from pycparser import c_ast

from assay.languages.c import types as t
from assay.languages.c.declarations import FunctionName, width_of
from assay.languages.c.expressions import Expressions
from assay.languages.c.memory import FIRST_OF_HEAP, HEAP, LARGEST, POINTER_BITS, SIZES, number_of, root
from assay.languages.c.places import InMemory, Value
from assay.languages.c.rules import FAILED, REAL
from assay.transition_system.sequential import bitvectors as bv
from assay.transition_system.sequential.bitvectors import Term
from assay.transition_system.sequential.control_flow import Assign, Assume, Failure

Known = Callable[[Expressions, c_ast.FuncCall, Sequence[c_ast.Node]], Value]

# With what `printf` of glibc takes between the sign and the letter.
STORES = re.compile(r"%[^%a-zA-Z]*(?:[hlqjzZtLIw][^%a-zA-Z]*)*n")
NOTHING = Value(bv.constant(0, 32), t.VOID)
INPUTS: Mapping[str, t.Type] = {
    "int": t.INT,
    "uint": t.UNSIGNED,
    "unsigned_int": t.UNSIGNED,
    "unsigned": t.UNSIGNED,
    "char": t.CHAR,
    "uchar": t.UNSIGNED_CHAR,
    "unsigned_char": t.UNSIGNED_CHAR,
    "short": t.SHORT,
    "ushort": t.UNSIGNED_SHORT,
    "unsigned_short": t.UNSIGNED_SHORT,
    "longlong": t.LONG_LONG,
    "ulonglong": t.UNSIGNED_LONG_LONG,
    "bool": t.TRUTH,
    "_Bool": t.TRUTH,
    "u8": t.UNSIGNED_CHAR,
    "u16": t.UNSIGNED_SHORT,
    "u32": t.UNSIGNED,
    "pointer": t.Pointer(t.VOID),
    "pchar": t.Pointer(t.CHAR),
    "charp": t.Pointer(t.CHAR),
}
LONG_INPUTS = frozenset({"long", "ulong", "unsigned_long", "size_t", "loff_t", "sector_t"})
OF_THE_PROGRAM = frozenset({"size_t", "loff_t", "sector_t", "u8", "u16", "u32"})


def evaluated(reader: Expressions, node: c_ast.FuncCall, given: Sequence[c_ast.Node]) -> list[Value]:
    found: list[Value] = reader.apart(node, *(lambda one=one: reader.value(one) for one in given))
    return found


def assume(reader: Expressions, node: c_ast.FuncCall, given: Sequence[c_ast.Node]) -> Value:
    (value,) = evaluated(reader, node, given)
    reader.graph.act(Assume(reader.as_truth(value)), reader.place(node), reader.text(node))
    return NOTHING


def check(reader: Expressions, node: c_ast.FuncCall, given: Sequence[c_ast.Node]) -> Value:
    (value,) = evaluated(reader, node, given)
    text = reader.text(node)
    failure = Failure("assertion", f"{text} fails", reader.place(node))
    reader.graph.require(reader.as_truth(value), failure, text)
    return NOTHING


def error(reader: Expressions, node: c_ast.FuncCall, given: Sequence[c_ast.Node]) -> Value:
    evaluated(reader, node, given)
    text = reader.text(node)
    reader.graph.fail(Failure("error", f"{text} is reached", reader.place(node)), text)
    return NOTHING


def assertion_failed(reader: Expressions, node: c_ast.FuncCall, given: Sequence[c_ast.Node]) -> Value:
    """What `assert` of assert.h calls."""
    said = given[0].value[1:-1] if given and isinstance(given[0], c_ast.Constant) else reader.text(node)
    place = reader.place(node)
    reader.graph.fail(Failure("assertion", f"assert({said}) fails", place), f"assert({said})")
    return NOTHING


def rule_failed(reader: Expressions, node: c_ast.FuncCall, given: Sequence[c_ast.Node]) -> Value:
    """`abort` in a rule."""
    evaluated(reader, node, given)
    place = reader.place(node)
    message = (
        f"{reader.graph.name.partition('@')[0].replace(REAL, '')}() breaks the rule {Path(place.file).stem}"
    )
    reader.graph.fail(Failure("rule", message, place), "abort")
    return NOTHING


def stop(reader: Expressions, node: c_ast.FuncCall, given: Sequence[c_ast.Node]) -> Value:
    evaluated(reader, node, given)
    reader.graph.stop(reader.place(node), reader.text(node))
    return NOTHING


def nothing(reader: Expressions, node: c_ast.FuncCall, given: Sequence[c_ast.Node]) -> Value:
    evaluated(reader, node, given)
    return NOTHING


def formatted(reader: Expressions, node: c_ast.FuncCall, given: Sequence[c_ast.Node]) -> Value:
    """`%n` stores through an argument, and a format that is not written there may have one; where nothing
    that is printed is an address, there is nothing to store to."""
    position = 1 if isinstance(node.name, c_ast.ID) and node.name.name.startswith("fprintf") else 0
    text = given[position] if len(given) > position else None
    format_ = text.value if isinstance(text, c_ast.Constant) and text.type == "string" else "%n"
    values = evaluated(reader, node, given)
    has_address = any(
        not isinstance(one.type, t.Integer) or one.pointer is not None for one in values[position + 1 :]
    )
    if has_address and _may_store(format_):
        raise reader.refuse(node, "printing with a format that may store something")
    return _count_of_characters(reader, node)


def _may_store(format_: str) -> bool:
    """By its text in the program; what is written in other ways (`%\\x6e`) is not read here."""
    shown = re.sub(r"\\[abfnrtv'\"?\\]", " ", format_).replace("%%", "")
    return "\\" in shown or STORES.search(shown) is not None


def printed(reader: Expressions, node: c_ast.FuncCall, given: Sequence[c_ast.Node]) -> Value:
    evaluated(reader, node, given)
    return _count_of_characters(reader, node)


def _count_of_characters(reader: Expressions, node: c_ast.FuncCall) -> Value:
    result = reader.graph.temporary(bv.Bits(32), "printed")
    reader.graph.choose(result, "printf", reader.place(node), is_input=False)
    return Value(result, t.INT)


def absolute(reader: Expressions, node: c_ast.FuncCall, given: Sequence[c_ast.Node]) -> Value:
    """`abs` and its relatives: the least number has none (C11 7.22.6.1)."""
    name = node.name.name.removesuffix(REAL).removeprefix("__builtin_")
    kind = t.INT if name == "abs" else t.long(64 if name == "llabs" else reader.model.long, signed=True)
    (value,) = evaluated(reader, node, given)
    term = reader.converted(value, kind, node)
    if "overflow" in reader.known.checks:
        least = bv.constant(1 << (kind.width - 1), kind.width)
        reader.require(
            bv.negated(bv.equal(term, least)), "overflow", f"{reader.text(node)} has no result", node
        )
    is_negative = bv.compare("bvslt", term, bv.constant(0, kind.width))
    return Value(bv.ite(is_negative, bv.minus(term), term), kind)


def expected(reader: Expressions, node: c_ast.FuncCall, given: Sequence[c_ast.Node]) -> Value:
    """`__builtin_expect` takes and gives a long."""
    kind = t.long(reader.model.long, signed=True)
    return Value(reader.converted(evaluated(reader, node, given)[0], kind, node), kind)


# --- memory ---


def new_object(reader: Expressions, size: Term, node: c_ast.Node) -> Term:
    """A pointer to one that nobody had before; `size` has 64 bits and is not too large."""
    reader.memory.uses_heap = True
    place, text = reader.place(node), reader.text(node)
    left = bv.negated(bv.equal(HEAP, bv.constant(-1, HEAP.width)))
    reader.graph.act(Assume(left), place, text)
    pointer = reader.graph.temporary(bv.Bits(POINTER_BITS), "pointer")
    reader.graph.assign(pointer, bv.concat(HEAP, bv.constant(0, 32)), place)
    following = bv.arithmetic("bvadd", HEAP, bv.constant(1, HEAP.width))
    reader.graph.assign(HEAP, following, place, text)
    if "bounds" in reader.known.checks:
        length = bv.arithmetic("bvadd", bv.extract(31, 0, size), bv.constant(1, 32))
        reader.graph.assign(SIZES, bv.store(SIZES, number_of(pointer), length), place)
    return pointer


def allocated(reader: Expressions, size: Term, node: c_ast.FuncCall, origin: str) -> Value:
    """With `--check allocation` it may fail; else it does not, and sizes are such that it need not."""
    reader.known.allocates = True
    points = reader.memory.region("heap", id(node))
    place, text = reader.place(node), reader.text(node)
    fits = bv.compare("bvule", size, bv.constant(LARGEST, 64))
    kind = t.Pointer(t.VOID)
    if "allocation" not in reader.known.checks:
        reader.graph.act(Assume(fits), place, text)
        return Value(new_object(reader, size, node), kind, points)
    graph = reader.graph
    succeeds = graph.temporary(bv.Bits(8), "input")
    graph.choose(succeeds, origin, place, is_input=True)
    yes, no, meet = graph.location(), graph.location(), graph.location()
    result = graph.temporary(bv.Bits(POINTER_BITS), "pointer")
    is_there = bv.all_of((bv.negated(bv.equal(succeeds, bv.constant(0, 8))), fits))
    graph.branch(is_there, yes, no, place, f"{text} succeeds")
    graph.here = yes
    graph.assign(result, new_object(reader, size, node), place)
    graph.jump(meet, place)
    graph.here = no
    graph.assign(result, bv.constant(0, POINTER_BITS), place)
    graph.jump(meet, place)
    graph.here = meet
    return Value(result, kind, points)


def size_argument(reader: Expressions, value: Value, node: c_ast.Node) -> Term:
    kind = t.long(reader.model.long, signed=False)
    return bv.resized(reader.converted(value, kind, node), 64, is_signed=False)


def malloc(reader: Expressions, node: c_ast.FuncCall, given: Sequence[c_ast.Node]) -> Value:
    value = evaluated(reader, node, given)[0]
    found = allocated(reader, size_argument(reader, value, node), node, "malloc")
    assert found.points is not None
    reader.memory.starts_with_anything(found.points)
    return found


def alloca(reader: Expressions, node: c_ast.FuncCall, given: Sequence[c_ast.Node]) -> Value:
    """Memory until the function returns: as `malloc` gives it, if nobody asks what lives how long. It does
    not fail."""
    if "bounds" in reader.known.checks:
        raise reader.refuse(node, "alloca with --check bounds", "use malloc and free")
    size = size_argument(reader, evaluated(reader, node, given)[0], node)
    reader.graph.act(
        Assume(bv.compare("bvule", size, bv.constant(LARGEST, 64))), reader.place(node), reader.text(node)
    )
    points = reader.memory.region("heap", id(node))
    reader.memory.starts_with_anything(points)
    return Value(new_object(reader, size, node), t.Pointer(t.VOID), points)


def calloc(reader: Expressions, node: c_ast.FuncCall, given: Sequence[c_ast.Node]) -> Value:
    """New memory holds zeros, unless it shares pointers with memory that holds anything."""
    count, size = (size_argument(reader, one, node) for one in evaluated(reader, node, given))
    whole = bv.arithmetic("bvmul", count, size)
    wide = [bv.extended(one, 128, is_signed=False) for one in (count, size)]
    exact = bv.equal(bv.arithmetic("bvmul", *wide), bv.extended(whole, 128, is_signed=False))
    whole = bv.ite(exact, whole, bv.constant(-1, 64))  # too large for anybody
    found = allocated(reader, whole, node, "calloc")
    assert found.points is not None
    if root(found.points).has_any_content:
        _clear(reader, found, whole, node)
    return found


def _clear(reader: Expressions, found: Value, size: Term, node: c_ast.FuncCall) -> None:
    assert found.points is not None
    kinds = [one for one in root(found.points).used if isinstance(one, t.Struct | t.Integer | t.Pointer)]
    if not size.is_constant or len(kinds) > 1:
        raise reader.refuse(node, "calloc of an unknown size, for memory that malloc gives too")
    if kinds:
        pointer = Value(found.term, t.Pointer(kinds[0]), found.points)
        count = size.value // reader.size(kinds[0], node)
        place = InMemory(pointer.term, found.points, t.ArrayOf(kinds[0], count))
        _set(reader, place, 0, node, is_checked=False)


def realloc(reader: Expressions, node: c_ast.FuncCall, given: Sequence[c_ast.Node]) -> Value:
    """A new object with what the old one holds (C11 7.22.3.5), element by element. So many are copied as the
    new one has: what the old one has not was never set there, and is any value here too."""
    asked = {"bounds", "allocation"} & set(reader.known.checks)
    if asked:
        raise reader.refuse(node, f"realloc with --check {min(asked)}", "use malloc and copy")
    pointer, count = _pointers(reader, node, given)
    if pointer.term.is_constant and pointer.term.value == 0:
        found = allocated(reader, size_argument(reader, count, node), node, "realloc")
        assert found.points is not None
        reader.memory.starts_with_anything(found.points)
        return found
    kind = pointer.type.target if isinstance(pointer.type, t.Pointer) else t.VOID
    while isinstance(kind, t.ArrayOf):
        kind = kind.element
    if pointer.points is None or not isinstance(kind, t.Integer | t.Pointer | t.Struct):
        raise reader.refuse(node, f"realloc of {pointer.type}", "use malloc and copy")
    graph, place, text = reader.graph, reader.place(node), reader.text(node)
    each = bv.constant(max(1, reader.size(kind, node)), 64)
    size = _kept(reader, Value(size_argument(reader, count, node), t.UNSIGNED_LONG_LONG), node)
    old = _kept(reader, Value(pointer.term, t.Pointer(kind), pointer.points), node)
    found = allocated(reader, size.term, node, "realloc")
    assert found.points is not None
    reader.memory.starts_with_anything(found.points)
    reader.memory.unify(old.points, found.points)
    new = _kept(reader, Value(found.term, t.Pointer(kind), found.points), node)
    counter = graph.temporary(bv.Bits(64), "pointer")
    graph.assign(counter, bv.constant(0, 64), place)
    head, body, after = graph.point(place), graph.location(), graph.location()
    is_null = bv.equal(old.term, bv.constant(0, POINTER_BITS))
    graph.branch(is_null, after, head, place, f"{text} is given NULL")
    graph.here = head
    more = bv.compare("bvult", bv.arithmetic("bvmul", counter, each), size.term)
    graph.branch(more, body, after, place, text)
    graph.here = body
    source, target = (reader.followed(reader.moved(one, counter, node), node) for one in (old, new))
    reader.copy(target, source, node)
    graph.assign(counter, bv.arithmetic("bvadd", counter, bv.constant(1, 64)), place)
    graph.jump(head, place)
    graph.here = after
    if size.term.is_constant and size.term.value:
        return Value(new.term, t.Pointer(t.VOID), found.points)
    # Of no bytes: NULL or not, which is for the library to say.
    is_there = graph.temporary(bv.Bits(8), "pointer")
    graph.choose(is_there, "realloc", place, is_input=False)
    is_nothing = bv.all_of((bv.equal(size.term, bv.constant(0, 64)), bv.equal(is_there, bv.constant(0, 8))))
    result = graph.temporary(bv.Bits(POINTER_BITS), "pointer")
    graph.assign(result, bv.ite(is_nothing, bv.constant(0, POINTER_BITS), new.term), place)
    return Value(result, t.Pointer(t.VOID), found.points)


def free(reader: Expressions, node: c_ast.FuncCall, given: Sequence[c_ast.Node]) -> Value:
    (value,) = evaluated(reader, node, given)
    if "bounds" not in reader.known.checks:
        return NOTHING
    number = number_of(value.term)
    is_null = bv.equal(value.term, bv.constant(0, POINTER_BITS))
    is_first = bv.equal(bv.extract(31, 0, value.term), bv.constant(0, 32))
    of_heap = bv.compare("bvule", bv.constant(FIRST_OF_HEAP, 32), number)
    lives = reader.is_within(value.term, 0)
    fine = bv.any_of((is_null, bv.all_of((is_first, of_heap, lives))))
    reader.require(
        fine, "bounds", f"{reader.text(node)} frees what malloc did not give, or not any more", node
    )
    reader.effects.writes.add(SIZES)
    dead = bv.ite(is_null, SIZES, bv.store(SIZES, number, bv.constant(0, 32)))
    reader.graph.assign(SIZES, dead, reader.place(node), reader.text(node))
    return NOTHING


def _typed(
    reader: Expressions, value: Value, size: Value, node: c_ast.FuncCall, *, is_bytes: bool = False
) -> InMemory:
    """The elements that a number of bytes is, by the type of the pointer."""
    if not size.term.is_constant:
        raise reader.refuse(node, "a number of bytes that is not known before the program runs")
    if not isinstance(value.type, t.Pointer) or value.points is None:
        raise reader.refuse(node, f"this use of {value.type}")
    kind: t.Type = value.type.target
    while isinstance(kind, t.ArrayOf):
        kind = kind.element
    count = size.term.value
    each = 0 if isinstance(kind, t.Void | t.Function | t.Unmodelled) else reader.size(kind, node)
    if is_bytes or each == 0 or count % each:
        kind, each = t.CHAR, 1
    pointer = Value(value.term, t.Pointer(kind), value.points)
    reader.memory.cast(value.points, value.type.target, kind)
    place = reader.followed(pointer, node)
    if each == 1:
        reader.memory.is_moved_as(value.points, kind)
    return InMemory(place.address, place.region, t.ArrayOf(kind, count // each))


def _pointers(reader: Expressions, node: c_ast.FuncCall, given: Sequence[c_ast.Node]) -> list[Value]:
    """Of arguments, as they are before they become `void *`."""
    plain = []
    for one in given:
        while isinstance(one, c_ast.Cast):
            one = one.expr  # noqa: PLW2901
        plain.append(one)
    return evaluated(reader, node, plain)


def _set(reader: Expressions, place: InMemory, byte: int, node: c_ast.FuncCall, *, is_checked: bool) -> None:
    if is_checked:
        reader.require_access(place, reader.size(place.type, node), node)
    values: dict[Term, Term] = {}
    for one in reader.scalars(place, node):
        assert isinstance(one.type, t.Integer | t.Pointer)
        width = width_of(one.type)
        if isinstance(one.type, t.Pointer) and byte:
            raise reader.refuse(node, "setting the bytes of a pointer")
        if isinstance(one.type, t.Integer) and one.type.bits is not None and byte:
            raise reader.refuse(node, "setting the bytes of a bit-field")
        value = Value(bv.constant(int.from_bytes(bytes([byte]) * (width // 8), "little"), width), one.type)
        name, new = reader.stored(one, value, node, values)
        values[name] = new
    if values:
        reader.graph.act(Assign(tuple(values.items())), reader.place(node), reader.text(node))


def _kept(reader: Expressions, value: Value, node: c_ast.FuncCall) -> Value:
    """In a variable, which memory that changes does not change."""
    found = reader.graph.temporary(value.term.sort, "pointer")
    reader.graph.assign(found, value.term, reader.place(node))
    return Value(found, value.type, value.points)


def _one_by_one(reader: Expressions, target: Value, source: Value, size: Value, node: c_ast.FuncCall) -> None:
    """A loop over bytes that are copied from a pointer, or set to an integer."""
    graph, place = reader.graph, reader.place(node)
    text = t.Pointer(t.CHAR)
    to = _kept(reader, reader.adapted(target, text, node), node)
    is_copy = isinstance(source.type, t.Pointer)
    of = _kept(reader, reader.adapted(source, text if is_copy else t.CHAR, node), node)
    count = _kept(reader, Value(size_argument(reader, size, node), t.UNSIGNED_LONG_LONG), node)
    counter = graph.temporary(bv.Bits(64), "pointer")
    graph.assign(counter, bv.constant(0, 64), place)
    head, body, after = graph.point(place), graph.location(), graph.location()
    graph.jump(head, place)
    graph.here = head
    graph.branch(bv.compare("bvult", counter, count.term), body, after, place, reader.text(node))
    graph.here = body
    value, index = of, counter
    if is_copy:  # objects that overlap: from the end, if the target comes later (C11 7.24.2.2)
        last = bv.arithmetic("bvsub", bv.arithmetic("bvsub", count.term, counter), bv.constant(1, 64))
        index = bv.ite(bv.compare("bvule", to.term, of.term), counter, last)
        value = reader.read(reader.followed(reader.moved(of, index, node), node), node)
    reader.write(reader.followed(reader.moved(to, index, node), node), value, node)
    graph.assign(counter, bv.arithmetic("bvadd", counter, bv.constant(1, 64)), place)
    graph.jump(head, place)
    graph.here = after


def memset(reader: Expressions, node: c_ast.FuncCall, given: Sequence[c_ast.Node]) -> Value:
    pointer, byte, size = _pointers(reader, node, given)
    if not (byte.term.is_constant and size.term.is_constant):
        _one_by_one(reader, pointer, byte, size, node)
        return Value(pointer.term, t.Pointer(t.VOID), pointer.points)
    _set(reader, _typed(reader, pointer, size, node), byte.term.value & 255, node, is_checked=True)
    return Value(pointer.term, t.Pointer(t.VOID), pointer.points)


def memcpy(reader: Expressions, node: c_ast.FuncCall, given: Sequence[c_ast.Node]) -> Value:
    target, source, size = _pointers(reader, node, given)
    if not size.term.is_constant:
        _one_by_one(reader, target, source, size, node)
        return Value(target.term, t.Pointer(t.VOID), target.points)
    to, of = _typed(reader, target, size, node), _typed(reader, source, size, node)
    if to.type != of.type:
        to, of = (_typed(reader, one, size, node, is_bytes=True) for one in (target, source))
    reader.copy(to, of, node)
    return Value(target.term, t.Pointer(t.VOID), target.points)


def _as_declared(reader: Expressions, node: c_ast.FuncCall, name: str, kind: t.Type) -> Value:
    """Any value of a type. What the program declares must be of that type: gcc believes a declaration, and
    not the name. Where the name has a type of the program (`loff_t`), the declaration says what that is;
    truth values may be integers, which then are 0 or 1."""
    word = name.removeprefix("__VERIFIER_nondet_")
    found = reader.scope.find(node.name.name)
    said = found.type.result if isinstance(found, FunctionName) else t.INT  # as C has it without one
    if isinstance(found, FunctionName) and word in OF_THE_PROGRAM and isinstance(said, t.Integer):
        kind = said
    if isinstance(said, t.Integer) and kind is t.TRUTH:
        value = reader.any_value(kind, name, node)
        return value if said.is_truth else Value(reader.converted(value, said, node), said)
    is_same = isinstance(said, t.Pointer) and isinstance(kind, t.Pointer)
    if isinstance(said, t.Integer) and isinstance(kind, t.Integer):
        is_same = (said.width, said.signed, said.is_truth) == (kind.width, kind.signed, kind.is_truth)
    if not is_same:
        raise reader.refuse(node, f"an input '{name}' of type {said}", f"declare it with {kind}")
    return reader.any_value(kind, name, node)


def nondeterministic(name: str) -> Known | None:
    found = re.fullmatch(r"__VERIFIER_nondet_(\w+)", name)
    if found is None:
        return None
    word = found.group(1)

    def chosen(reader: Expressions, node: c_ast.FuncCall, given: Sequence[c_ast.Node]) -> Value:
        evaluated(reader, node, given)
        kind = INPUTS.get(word)
        if word in LONG_INPUTS:
            kind = t.long(reader.model.long, signed=word in ("long", "loff_t"))
        if kind is None:
            raise reader.refuse(node, f"the input '{name}'")
        return _as_declared(reader, node, name, kind)

    return chosen


GIVES_A_POINTER = frozenset(
    "malloc __builtin_malloc alloca __builtin_alloca calloc realloc memset __builtin_memset memcpy memmove "
    "__builtin_memcpy".split()
)
GIVES_AN_INTEGER: Mapping[str, t.Integer] = {
    **dict.fromkeys(("printf", "fprintf", "puts", "putchar", "fflush", "abs", "__builtin_abs"), t.INT),
    "llabs": t.LONG_LONG,
}


def gives(name: str, said: t.Type, long_bits: int) -> bool:
    """Whether a function of the library gives what the program declares, or the program takes nothing."""
    name = name.removesuffix(REAL)
    if name in GIVES_A_POINTER:
        return isinstance(said, t.Pointer | t.Void)
    known = (
        t.long(long_bits, signed=True) if name in ("labs", "__builtin_labs") else GIVES_AN_INTEGER.get(name)
    )
    if known is None or isinstance(said, t.Void):
        return True
    return isinstance(said, t.Integer) and (said.width, said.signed) == (known.width, known.signed)


def without_underscores(name: str) -> str:
    """As the library calls what has another name for compilers: `__strcpy_chk`, `_longjmp`."""
    return name.removesuffix(REAL).removeprefix("__builtin_").strip("_").removesuffix("_chk")


def function(name: str) -> Known | None:
    """Also for what a rule was woven around."""
    name = name.removesuffix(REAL)
    return FUNCTIONS.get(name) or nondeterministic(name)


FUNCTIONS: Mapping[str, Known] = {
    FAILED: rule_failed,
    "__VERIFIER_assume": assume,
    "assume": assume,
    "__builtin_assume": assume,
    "__VERIFIER_assert": check,
    "__VERIFIER_error": error,
    "reach_error": error,
    "__assert_fail": assertion_failed,
    "__assert": assertion_failed,
    "abort": stop,
    "exit": stop,
    "_exit": stop,
    "_Exit": stop,
    "__builtin_unreachable": stop,
    "__builtin_trap": stop,
    "__builtin_abort": stop,
    "printf": formatted,
    "fprintf": formatted,
    "puts": printed,
    "putchar": printed,
    "fflush": printed,
    "__builtin_expect": expected,
    **dict.fromkeys(("abs", "labs", "llabs", "__builtin_abs", "__builtin_labs"), absolute),
    "malloc": malloc,
    "__builtin_malloc": malloc,
    "calloc": calloc,
    "alloca": alloca,
    "__builtin_alloca": alloca,
    "realloc": realloc,
    "free": free,
    "__builtin_free": free,
    "memset": memset,
    "__builtin_memset": memset,
    "memcpy": memcpy,
    "memmove": memcpy,
    "__builtin_memcpy": memcpy,
    "__VERIFIER_atomic_begin": nothing,
    "__VERIFIER_atomic_end": nothing,
}
# Their meaning is fixed, whatever body the program gives them.
ALWAYS = frozenset({"reach_error", "__VERIFIER_error", "__VERIFIER_assume", "__assert_fail"})
# They change memory, or their results say something about it, in ways that nobody has written down here.
NOT_MODELLED = frozenset(
    "sprintf snprintf vsprintf vsnprintf sscanf scanf "
    "fscanf fgets gets fread read recv bcopy memccpy qsort strtok strtol strtoul getline setjmp "
    "longjmp sigsetjmp siglongjmp strdup strndup posix_memalign aligned_alloc memalign valloc reallocarray "
    "strsep pthread_create raise kill signal sigaction atexit on_exit at_quick_exit fork vfork bsearch "
    "vprintf vfprintf dprintf strcasestr strchrnul memrchr rawmemchr "
    "memmem index rindex stpncpy mempcpy strxfrm swab strtoll strtoull strtod strtof strtold getcwd "
    "realpath readlink gettimeofday clock_gettime gmtime_r localtime_r fstat lstat recvfrom recvmsg "
    "getrusage frexp modf remquo cxa_atexit cxa_at_quick_exit cxa_thread_atexit_impl register_atfork "
    "pthread_atfork sigsetjmp_cancel libc_start_main setcontext swapcontext makecontext tsearch twalk ftw "
    "nftw lfind thrd_create call_once pthread_once qsort_r".split()
)
OF_BYTES = frozenset({"memcpy", "memmove", "memset"})  # by another name than those that are read
# They write through a pointer that they are given, unless it is NULL.
WRITES_WHAT_IT_IS_GIVEN = frozenset(
    "accept accept4 asctime_r asprintf clock_getres clock_nanosleep confstr crypt_r ctime_r drand48_r "
    "erand48 explicit_bzero fgetpos fgets_unlocked fgetws fread_unlocked fstatat fstatfs fstatvfs fwscanf "
    "getaddrinfo getdelim getdents getdomainname getentropy getgrgid_r getgroups gethostname getitimer "
    "getloadavg getlogin_r getnameinfo getopt getopt_long getpeername getpwnam_r getpwuid_r getrandom "
    "getresgid getresuid getrlimit getsockname getsockopt getsubopt getwd glob iconv inet_aton inet_pton "
    "initstate_r ioctl jrand48 lcong48 lrand48_r lsearch mblen mbrlen mbrtowc mbsnrtowcs mbsrtowcs "
    "mbstowcs mbtowc memfrob mkdtemp mkostemp mkstemp mktemp mktime mrand48_r nanosleep nrand48 "
    "open_memstream pipe pipe2 poll ppoll pread preadv prlimit pselect pthread_attr_getdetachstate "
    "pthread_getname_np pthread_join ptsname_r rand_r random_r readdir_r readlinkat readv recvmmsg "
    "regcomp regerror regexec sched_getaffinity sched_getparam seed48 select sem_getvalue setitimer "
    "setstate_r sigaltstack sigemptyset sigfillset sigpending sigprocmask sigwait socketpair srand48_r "
    "stat statfs statvfs strerror_r strfmon strfry strftime strlcat strlcpy strptime strtoimax strtok_r "
    "strtoumax swprintf swscanf sysinfo tcgetattr time timegm timer_gettime times timespec_get tmpnam "
    "tmpnam_r ttyname_r uname vasprintf vfscanf vscanf vsscanf wait wait3 wait4 waitid waitpid wcpcpy "
    "wcpncpy wcrtomb wcscat wcscpy wcsftime wcsncat wcsncpy wcsnrtombs wcsrtombs wcstod wcstok wcstol "
    "wcstombs wcstoul wcsxfrm wctomb wmemcpy wmemmove wmempcpy wmemset".split()
)
