"""What a model claims of runs that never end, as automata over labels of its states.

Which claims are checked: all `ltl` blocks and `never` claims, and acceptance cycles if a process has an
`accept` label; or, if the user names some or gives formulas, exactly these. Each is a property of its own.
With a claim SPIN looks for cycles through accept labels of claim and processes at once; here they are two
questions. Non-progress cycles are looked for if the user asks, and so is a run that never ends.

A formula is read as text (`assay.automata.parser`), because SPIN's own reading of it is sometimes not what
is meant. What cannot be made an automaton stays on the list of what is not checked, with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import field, replace

from assay.automata.automaton import BuchiAutomaton
from assay.automata.formula import (
    Always,
    And,
    Atom,
    Eventually,
    Formula,
    Iff,
    Implies,
    Next,
    Not,
    Or,
    Release,
    Truth,
    Until,
    WeakUntil,
    atoms,
    conjunction,
    disjunction,
    parts,
)
from assay.automata.parser import Misreading, parse
from assay.languages.promela import operations as ops
from assay.languages.promela import syntax
from assay.languages.promela.acting_claims import ActingClaim, acting_claim, acts
from assay.languages.promela.claim_automata import (
    as_long_as,
    cannot_be_evaluated,
    infinitely_often,
    never,
    with_failures,
)
from assay.languages.promela.control import ControlGraph, GraphBuilder
from assay.languages.promela.footprint import index_can_fail
from assay.languages.promela.layout import Layout
from assay.languages.promela.operations import Expr, Process, Source
from assay.languages.promela.parser import parse_expression
from assay.languages.promela.plan import Label
from assay.languages.promela.resolve import Resolver, nearest
from assay.languages.promela.unparse import unparse
from assay.records import dataclass
from assay.transition_system.interface import SourceProblem, TemporalProperty, Unchecked, UnsupportedConstruct
from assay.transition_system.language_options import LanguageOptions
from assay.transition_system.termination import OVER, termination

MOST_LABELS = 64  # of a model: what the engine keeps in one word
AT_ACCEPT = "some process is at an accept label"
AT_PROGRESS = "some process is at a progress label"
MOVES = "some process can move"
CLAIM_ACCEPTS = "the claim is where it accepts"
_NAME = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True, slots=True)
class Asked:
    """A claim as it was written, before names are resolved."""

    title: str  # "the ltl claim 'safe'"
    name: str
    text: str
    claim: syntax.Claim | None  # of the model; None: given with the options
    formula: Formula | None = None  # None: a never claim
    atoms: Mapping[str, syntax.Expression] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    by_name: bool = False  # somebody wants to know about exactly this one


@dataclass(frozen=True, slots=True)
class Watched:
    """All that is to be checked of runs that never end, and what is not and why."""

    temporal: tuple[TemporalProperty, ...] = ()
    labels: Mapping[int, Label] = field(default_factory=dict)
    unchecked: tuple[Unchecked, ...] = ()
    reasons: tuple[str, ...] = ()  # why there is no proof
    acting: ActingClaim | None = None  # the one that executes C, and is part of the program

    @property
    def has_claim(self) -> bool:
        return any(each.kind in ("ltl", "never") for each in self.temporal)


def title_of(claim: syntax.Claim) -> str:
    return f"the {claim.kind} claim" + (f" '{claim.name}'" if claim.name else "")


# --- what is asked for ---------------------------------------------------------------


def asked(units: Sequence[object], options: LanguageOptions) -> list[Asked]:
    """The formulas and never claims that are to be checked; raises SourceProblem if one is no formula."""
    if options.safety_only:
        return []
    proctypes = [unit.name for unit in units if isinstance(unit, syntax.Proctype)]
    claims = [unit for unit in units if isinstance(unit, syntax.Claim) and unit.kind in ("ltl", "never")]
    if not options.ltl:
        return [_of_model(claim, proctypes, by_name=False) for claim in claims]
    named = {claim.name: claim for claim in claims if claim.name}
    found = []
    for text in dict.fromkeys(options.ltl):
        if text in named:
            found.append(_of_model(named[text], proctypes, by_name=True))
            continue
        if _NAME.fullmatch(text.strip()) and text.strip() not in {"true", "false", *_globals(units)}:
            near = nearest(text.strip(), [*named, *_globals(units)])
            raise SourceProblem(
                f"the model has no ltl block and no variable '{text.strip()}'",
                where="formula:1:1",
                hint=f"did you mean '{near}'?" if near else "write a formula over the variables of the model",
            )
        found.append(_read("the formula", text, "formula", None, proctypes))
    return found


def _globals(units: Sequence[object]) -> Iterator[str]:
    for unit in units:
        if isinstance(unit, syntax.Declare):
            yield from (variable.name for variable in unit.variables)


def _of_model(claim: syntax.Claim, proctypes: Collection[str], *, by_name: bool) -> Asked:
    if claim.formula is None:
        text = f"never claim{' ' + claim.name if claim.name else ''}"
        return Asked(title_of(claim), claim.name or "", text, claim, by_name=by_name)
    assert claim.formula_where is not None
    where = claim.formula_where
    read = _read(
        title_of(claim), claim.formula.rstrip("; \t\n"), where.file, where, proctypes, claim.name or ""
    )
    return replace(read, claim=claim, by_name=by_name)


def _read(
    title: str,
    text: str,
    file: str,
    where: syntax.Location | None,
    proctypes: Collection[str],
    name: str = "",
) -> Asked:
    line, column = (where.line, where.column) if where is not None else (1, 1)
    reading = parse(" " * (column - 1) + text, name=file, line=line)
    read_atoms = {
        atom.text: parse_expression(atom.text, file, proctypes=proctypes, line=atom.line, column=atom.column)
        for atom in reading.atoms
    }
    warnings = tuple(_warnings(reading.misreadings, file, of_model=where is not None))
    return Asked(
        title, name, " ".join(text.split()), None, reading.formula, read_atoms, warnings, where is None
    )


def _warnings(misreadings: Iterable[Misreading], file: str, *, of_model: bool) -> Iterator[str]:
    for each in misreadings:
        if of_model and each.reader == "spin -f":
            continue  # a block is not given to it
        yield f"{file}:{each.line}:{each.column}: {each.sentence}"


def labels_meant(claims: Iterable[Asked]) -> Iterator[syntax.Expression]:
    """What the formulas look at, as far as it is not in the model's text already."""
    for each in claims:
        if each.claim is None:
            yield from each.atoms.values()


# --- automata ------------------------------------------------------------------------


class _Labels:
    """Numbers for atoms: the same text is the same label, whoever asks."""

    def __init__(self) -> None:
        self.labels: dict[int, Label] = {}
        self.numbers: dict[str, int] = {}

    def copy(self) -> _Labels:
        copied = _Labels()
        copied.labels, copied.numbers = dict(self.labels), dict(self.numbers)
        return copied

    def add(self, text: str, expression: Expr) -> None:
        if text in self.numbers:
            return
        number = self._new(text)
        undefined = self._new(cannot_be_evaluated(text)) if may_be_undefined(expression) else None
        self.labels[number] = Label(text, expression, undefined)

    def _new(self, text: str) -> int:
        if len(self.numbers) == MOST_LABELS:
            raise UnsupportedConstruct(
                f"the claims look at more than {MOST_LABELS} conditions",
                where="formula",
                hint="check some of them at a time: --ltl NAME",
            )
        return self.numbers.setdefault(text, len(self.numbers))

    @property
    def fallible(self) -> set[str]:
        return {label.text for label in self.labels.values() if label.undefined is not None}


def may_be_undefined(expression: Expr) -> bool:
    """Can evaluating it be an error, in some state?"""
    for part in ops.subexpressions(expression):
        match part:
            case ops.BinaryOp("/" | "%", _, right, _):
                if not isinstance(right, ops.Const) or right.value in (0, -1):
                    return True
            case ops.Load(place) | ops.RemoteLoad(_, _, place) if index_can_fail(place):
                return True
            case (
                ops.ChannelLength(channel) | ops.ChannelState(_, channel) | ops.PollMessage(channel, _, _, _)
            ):
                shape = channel.symbol.channel
                if shape is None or not Layout.is_fixed_channel(channel.symbol):
                    return True
                if index_can_fail(channel) or (isinstance(part, ops.PollMessage) and shape.capacity == 0):
                    return True
            case ops.IsEnabled() | ops.ForeignValue():
                return True
    return False


def watched(
    claims: Sequence[Asked],
    all_claims: Sequence[syntax.Claim],  # of runs that never end
    suggested: Sequence[Unchecked],
    resolver: Resolver,
    graphs: Mapping[str, ControlGraph],
    options: LanguageOptions,
) -> Watched:
    """`suggested` is what labels and declarations ask about."""
    if options.safety_only:
        left = [Unchecked("claim", title_of(claim), asked=False) for claim in all_claims]
        return Watched(unchecked=(*left, *suggested))
    temporal: list[TemporalProperty] = []
    tried = {id(each.claim) for each in claims if each.claim is not None}
    unchecked = [
        Unchecked("claim", title_of(claim), asked=False) for claim in all_claims if id(claim) not in tried
    ]
    reasons: list[str] = []
    labels = _Labels()
    acting: ActingClaim | None = None
    is_alone = len(claims) == 1 and not (options.progress or options.terminates or options.fair)
    for each in claims:
        attempt = labels.copy()
        try:
            found, acting = _property(each, resolver, graphs, attempt, is_alone=is_alone)
            temporal.append(found)
            labels = attempt
        except UnsupportedConstruct as problem:
            if each.by_name:
                raise
            unchecked.append(Unchecked("claim", each.title, asked=True))
            reasons.append(f"{each.title} is not checked: {problem}")
    for suggestion in suggested:
        if suggestion.kind == "acceptance" and not options.ltl:
            labels.add(AT_ACCEPT, ops.SomebodyAt("accept"))
            automaton = infinitely_often(AT_ACCEPT)
            temporal.append(
                TemporalProperty(
                    "acceptance", "", "acceptance cycles", automaton, (labels.numbers[AT_ACCEPT],)
                )
            )
        elif suggestion.kind != "progress" or not options.progress:
            unchecked.append(suggestion)
    if options.progress:
        labels.add(AT_PROGRESS, ops.SomebodyAt("progress"))
        labels.add(MOVES, ops.SomebodyMoves())
        temporal.append(
            TemporalProperty(
                "progress",
                "",
                "non-progress cycles",
                as_long_as(MOVES),  # a run that ends does not go on without progress
                (labels.numbers[MOVES],),
                labels.numbers[AT_PROGRESS],
            )
        )
    if options.terminates:
        labels.add(OVER, ops.IsOver())
        temporal.append(termination(labels.numbers[OVER], fair=True))
    return Watched(tuple(temporal), labels.labels, tuple(unchecked), tuple(reasons), acting)


def _property(
    each: Asked,
    resolver: Resolver,
    graphs: Mapping[str, ControlGraph],
    labels: _Labels,
    *,
    is_alone: bool,
) -> tuple[TemporalProperty, ActingClaim | None]:
    resolver.in_claim = True
    try:
        if each.formula is None:
            return _of_never(each, resolver, graphs, labels, is_alone=is_alone)
        return _of_formula(each, each.formula, resolver, graphs, labels), None
    finally:
        resolver.in_claim = False


def _of_formula(
    each: Asked, formula: Formula, resolver: Resolver, graphs: Mapping[str, ControlGraph], labels: _Labels
) -> TemporalProperty:
    # One spelling of each condition, so that equal ones are one atom and claims share labels.
    spelled = {text: unparse(expression) for text, expression in each.atoms.items()}
    meant = {spelled[text]: expression for text, expression in each.atoms.items()}
    formula = _changed(formula, lambda part: Atom(spelled[part.text]) if isinstance(part, Atom) else None)

    def resolved(text: str) -> Expr:
        expression = resolver.expression(meant[text], resolver.global_scope)
        _require_meaning(expression, text, meant[text].where)
        return expression

    fallible = {text for text in meant if may_be_undefined(resolved(text))}
    if fallible:
        formula = _changed(formula, lambda part: _as_one_atom(part, meant, fallible))
    warnings = list(each.warnings)
    for text in atoms(formula):
        warnings.extend(_never_there(resolved(text), graphs))
    try:
        from assay.automata import questions  # most models have no formulas
        from assay.automata.translation import violating

        automaton = violating(formula)
        if automaton.accepts_nothing:
            warnings.append(f"{each.title} holds for every program: no run of any model violates it")
        elif questions.is_always_false(formula):
            warnings.append(f"{each.title} holds for no program: every run of every model violates it")
        stutters = questions.is_stutter_invariant(formula)
    except UnsupportedConstruct:
        raise
    except SourceProblem as problem:  # too large
        raise UnsupportedConstruct(problem.message, where=problem.where, hint=problem.hint) from None
    for text in automaton.atoms:
        labels.add(text, resolved(text))
    return _finished("ltl", each, automaton, labels, warnings, stutter_invariant=stutters)


def _of_never(
    each: Asked,
    resolver: Resolver,
    graphs: Mapping[str, ControlGraph],
    labels: _Labels,
    *,
    is_alone: bool,
) -> tuple[TemporalProperty, ActingClaim | None]:
    assert each.claim is not None
    assert each.claim.body is not None
    builder = GraphBuilder(
        resolver, Process(each.title, len(graphs), each.claim.where), resolver.global_scope.open()
    )
    builder.read(each.claim.body)
    warnings = list(each.warnings)

    def atom_of(condition: Expr, source: Source) -> str:
        _require_meaning(condition, source.text, source.where)
        warnings.extend(_never_there(condition, graphs))
        labels.add(source.text, condition)
        return source.text

    graph = builder.finish()
    if acts(graph):
        acting = _acting(each, graph, is_alone=is_alone)
        for text, condition, where in acting.questions:
            _require_meaning(condition, text, where)
            warnings.extend(_never_there(condition, graphs))
        labels.add(CLAIM_ACCEPTS, ops.ClaimAccepts())
        automaton = infinitely_often(CLAIM_ACCEPTS)
        once = list(dict.fromkeys(warnings))
        return _finished("never", each, automaton, labels, once, stutter_invariant=False), acting
    automaton = never(graph, atom_of)
    if automaton.accepts_nothing:
        warnings.append(
            f"{each.title} can be violated by no program: it neither ends nor has a loop with an accept label"
        )
    once = list(dict.fromkeys(warnings))
    return _finished("never", each, automaton, labels, once, stutter_invariant=False), None


def _acting(each: Asked, graph: ControlGraph, *, is_alone: bool) -> ActingClaim:
    assert each.claim is not None
    where = each.claim.where
    if not is_alone:
        raise UnsupportedConstruct(
            f"{each.title} executes C and so changes the runs that others are asked about",
            where=where,
            hint=f"check it alone: --ltl {each.name}"
            if each.name
            else "check it alone: without other claims, --progress, --terminates and --fair",
        )
    return acting_claim(each.title, where, graph)


def _finished(
    kind: str,
    each: Asked,
    automaton: BuchiAutomaton,
    labels: _Labels,
    warnings: Sequence[str],
    *,
    stutter_invariant: bool,
) -> TemporalProperty:
    automaton = with_failures(automaton, labels.fallible)
    return TemporalProperty(
        kind,
        each.name,
        each.text,
        automaton,
        tuple(labels.numbers[text] for text in automaton.atoms),
        stutter_invariant=stutter_invariant,
        warnings=tuple(warnings),
    )


def _require_meaning(condition: Expr, text: str, where: syntax.Location) -> None:
    """Refuses what means something to a process only."""
    for part in ops.subexpressions(condition):
        name = {ops.OwnPid: "_pid", ops.StartProcess: "run", ops.IsTimeout: "timeout"}.get(type(part), "")
        if isinstance(part, ops.PriorityOf) and part.process is None:
            name = "_priority"
        if isinstance(part, ops.Load) and part.place.symbol.owner is not None:
            name = f"the claim's own variable '{part.place.symbol.name}'"
        if name:
            raise UnsupportedConstruct(
                f"{name} in a claim is not supported: '{text}'",
                where=where,
                hint="name variables, channels and locations of the model",
            )


def _never_there(condition: Expr, graphs: Mapping[str, ControlGraph]) -> Iterator[str]:
    for part in ops.subexpressions(condition):
        if isinstance(part, ops.AtLabel) and part.proctype in graphs:
            graph = graphs[part.proctype]
            location = graph.location_of(part.label)
            if location is not None and location not in graph.edges:
                yield (
                    f"{part.where}: no process ever rests at '{part.proctype}@{part.label}', so it is never "
                    "true; write 'skip' behind the label"
                )


# --- formulas over conditions that can be undefined ----------------------------------


def _changed(formula: Formula, change: Callable[[Formula], Formula | None]) -> Formula:
    """With every outermost part replaced for which `change` has something else."""
    changed = change(formula)
    if changed is not None:
        return changed
    inner = [_changed(part, change) for part in parts(formula)]
    match formula:
        case And():
            return conjunction(inner)
        case Or():
            return disjunction(inner)
        case Not() | Next() | Always() | Eventually():
            return replace(formula, operand=inner[0])
        case Implies() | Iff() | Until() | WeakUntil() | Release():
            return replace(formula, left=inner[0], right=inner[1])
    return formula


def _as_one_atom(
    formula: Formula, meant: dict[str, syntax.Expression], fallible: AbstractSet[str]
) -> Formula | None:
    """`i < n && a[i] == 1` is evaluated from the left, as a whole: a normal form would forget that."""
    if isinstance(formula, Atom) or not fallible & set(atoms(formula)):
        return None
    expression = _as_expression(formula, meant)
    if expression is None:
        return None
    text = unparse(expression)
    meant[text] = expression
    return Atom(text)


def _as_expression(formula: Formula, meant: Mapping[str, syntax.Expression]) -> syntax.Expression | None:
    """None if it is temporal."""
    inner = [_as_expression(part, meant) for part in parts(formula)]
    if any(part is None for part in inner):
        return None
    operands = [part for part in inner if part is not None]
    where = operands[0].where if operands else syntax.Location("formula", 1, 1)
    match formula:
        case Truth(value):
            return syntax.Number(where, int(value))
        case Atom(text):
            return meant[text]
        case Not():
            return syntax.Unary(where, "!", operands[0])
        case And():
            return _chained("&&", operands)
        case Or():
            return _chained("||", operands)
        case Implies():
            return _chained("||", [syntax.Unary(where, "!", operands[0]), operands[1]])
        case Iff():
            negated = [syntax.Unary(where, "!", operand) for operand in operands]
            return syntax.Binary(where, "==", negated[0], negated[1])
    return None


def _chained(operator: str, operands: Sequence[syntax.Expression]) -> syntax.Expression:
    joined = operands[0]
    for operand in operands[1:]:
        joined = syntax.Binary(joined.where, operator, joined, operand)
    return joined
