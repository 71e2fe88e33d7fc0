"""Checks a certificate about a C program against the program's text: the whole way."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import fspath
from typing import TYPE_CHECKING, Any

from assay.checker.c.memory import Addressed
from assay.checker.c.preprocessing import FLAGS, expand, without_markers
from assay.checker.c.problems import CannotCheck, NoProgram, NoProof
from assay.checker.c.proofs import Obligation, Proof, contracts_of, recursion_of
from assay.checker.c.reading import POINTERS, Program
from assay.checker.c.rules import Rule, read_rule, require_own_names, woven
from assay.checker.c.solvers import Solvers
from assay.checker.c.syntax import Node, parse
from assay.checker.c.terms import FALSE, either
from assay.checker.records import dataclass

if TYPE_CHECKING:
    from os import PathLike

SEMANTICS_VERSION = 1
CHECKS = ("overflow", "division", "bounds", "allocation")
MOST_FRAMES = 12_000
MOST_ADDRESSED = 200  # the program is read once more for each
MOST_BYTES_OF_A_RULE = 1 << 20


@dataclass(frozen=True)
class CheckedProof:
    obligations: int
    solvers: tuple[str, ...]


@contextmanager
def deep() -> Iterator[None]:
    """Expressions are as deep as they are; whoever is deeper than this is refused."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, MOST_FRAMES))
    try:
        yield
    except RecursionError:
        raise CannotCheck("an expression or statement that is nested too deeply") from None
    finally:
        sys.setrecursionlimit(before)


def strings(semantics: Mapping[str, Any], key: str) -> list[str]:
    found = semantics.get(key)
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise NoProof(f"'{key}' of the semantics is no list of texts")
    return found


def check_c(
    files: Sequence[tuple[str | PathLike[str], bytes]],
    sources: Sequence[tuple[str, str]],
    semantics: Mapping[str, Any],
    body: Any,
    rule_files: Sequence[tuple[str, bytes]],
    decide: Callable[[Sequence[Obligation]], tuple[str, ...]] | None = None,
) -> CheckedProof:
    """`files` have the hashes that the certificate names. `decide` says who has decided all obligations;
    without it solvers are asked. Raises NoProgram, NoProof and CannotCheck."""
    model = semantics.get("data_model")
    if model not in FLAGS:
        raise NoProof("the certificate names no data model that there is")
    flags, checks = strings(semantics, "flags"), strings(semantics, "checks")
    if not all(one[:2] in ("-D", "-I") and len(one) > 2 and one[2] != "-" for one in flags):
        raise NoProof("the certificate names flags that are neither macros nor folders")
    if checks != [one for one in CHECKS if one in checks]:
        raise NoProof("the certificate names checks that there are not")
    if len(sources) != len(files) + len(rule_files):
        raise NoProof("the certificate speaks of another number of files")
    wanted_rules = sources[len(files) :]
    rules = [_rule(name, text, wanted) for (name, text), wanted in zip(rule_files, wanted_rules, strict=True)]
    expanded = [expand(source, path, model, flags) for path, source in files]
    names = [fspath(path).rpartition("/")[2] for path, _ in files]
    with deep():
        program = read(expanded, model, checks, rules, recursion_of(body), contracts_of(body), names)
        ours = {
            "version": SEMANTICS_VERSION,
            "data_model": model,
            "checks": checks,
            "flags": flags,
            "rules": [one.name for one in rules],
            "granted": granted(program, checks),
            "expanded": [hashlib.sha256(without_markers(one)).hexdigest() for one in expanded],
        }
        for key in sorted({*ours, *semantics}):
            if key not in ours or json.dumps(ours[key]) != json.dumps(semantics.get(key)):
                raise NoProof(f"the certificate is about the program under other semantics: {key} differs")
        proof = Proof(body, program)
        wanted = list(proof.obligations())
    try:
        return CheckedProof(len(wanted), (decide or asked)(wanted))
    except NoProof as problem:
        if proof.left_out:
            raise CannotCheck(f"{proof.left_out} ({problem})") from None
        if program.left_open is not None:
            raise CannotCheck(f"{program.left_open} ({problem})") from None
        if program.uses_memory and body["nodes"]:  # it may need what others say of memory
            raise CannotCheck(f"a proof that needs another memory than the checker's ({problem})") from None
        raise


def read(
    expanded: Sequence[bytes],
    model: str,
    checks: Sequence[str],
    rules: Sequence[Rule],
    recursion: int,
    contracts: Sequence[str] = (),
    names: Sequence[str] = (),
) -> Program:
    """`names` are those of files, for people."""
    parsed: list[tuple[str, list[Node]]] = []
    for number, one in enumerate(expanded):
        text = one.decode("utf-8", "surrogateescape")
        for rule in rules:
            require_own_names(text, rule)
        name = names[number] if number < len(names) else f"file {number}"
        try:
            tree = parse(text)
        except CannotCheck as problem:
            raise problem.within(name if len(expanded) > 1 else "") from None
        parsed.append((name if all(name != one for one, _ in parsed) else f"{name} ({number})", tree))
    whole = woven([tree for _, tree in parsed], rules)
    trees = {name: tree for (name, _), tree in zip(parsed, whole, strict=True)}
    addressed: set[object] = set()
    while True:
        try:
            return Program(trees, model, checks, recursion, contracts, addressed)
        except Addressed as found:
            if len(addressed) >= MOST_ADDRESSED:
                raise CannotCheck(f"more than {MOST_ADDRESSED} objects in memory") from None
            addressed |= {found.key, POINTERS}


def _rule(name: str, text: bytes, wanted: tuple[str, str]) -> Rule:
    if len(text) > MOST_BYTES_OF_A_RULE:
        raise CannotCheck(f"a rule of more than {MOST_BYTES_OF_A_RULE} bytes")
    if hashlib.sha256(text).hexdigest() != wanted[1]:
        raise NoProgram(f"the rule {name} is another one: its SHA-256 differs from that of {wanted[0]!a}")
    return read_rule(text.decode("utf-8", "replace"), name)


def granted(program: Program, checks: Sequence[str]) -> list[str]:
    """What the proof takes for granted, as the header says it."""
    is_bounded = "bounds" in checks
    within = "indexes and pointers, also those compared, are within live objects"
    found = ["no pointer to a local is kept from one life of it to the next" if is_bounded else within]
    names = [f"{name}()" for name in sorted(program.externals)]
    if names:
        shown = names if len(names) <= 3 else names[:2]
        more = f" and {len(names) - 2} others" if len(names) > 3 else ""
        one = len(names) == 1
        touched = f" and {'touches' if one else 'touch'} only what is there" if is_bounded else ""
        found.append(f"{', '.join(shown)}{more} {'changes' if one else 'change'} nothing{touched}")
    if program.has_heap and "allocation" not in checks:
        found.append("malloc succeeds")
    if program.has_foreign_pointers:
        found.append("pointers from outside point to nothing of the program")
    return found


def asked(wanted: Sequence[Obligation]) -> tuple[str, ...]:
    """Who has decided them. All at once; one by one where that does not hold, to name the one that is not
    met."""
    if all(one.refutation is FALSE for one in wanted):
        return ()
    solvers = Solvers()
    if not any(solvers.installed()):
        raise CannotCheck("proofs without cvc5 (pip install cvc5) or Bitwuzla (pip install bitwuzla)")
    if solvers.never_holds(either(one.refutation for one in wanted)) is not True:
        for one in wanted:
            met = solvers.never_holds(one.refutation)
            if met is False:
                raise NoProof(f"an obligation is not met: {one.text}")
            if met is None:
                raise CannotCheck(f"an obligation that no solver decides in time: {one.text}")
    return tuple(solvers.used)
