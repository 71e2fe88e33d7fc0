"""What the C generator works from: the resolved model with every reduction decided."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from assay.languages.promela.acting_claims import ActingClaim
from assay.languages.promela.control import ControlGraph, Transition
from assay.languages.promela.events import EventClaim
from assay.languages.promela.layout import Layout
from assay.languages.promela.operations import Expr, Process, Symbol
from assay.languages.promela.partial_order import AmplePlan
from assay.languages.promela.resolve import Resolver
from assay.languages.promela.syntax import Location
from assay.records import dataclass
from assay.transition_system.interface import ViolationFacts

if TYPE_CHECKING:
    from assay.languages.promela.embedded_c.image import BuiltImage

MAXIMAL_CHAIN = 100_000
MAXIMAL_D_STEP_WORK = 50_000_000


@dataclass(slots=True)
class ViolationTable:
    """Codes that a model reports; 0 is an invalid end state."""

    facts: list[ViolationFacts] = field(default_factory=list)
    codes: dict[ViolationFacts, int] = field(default_factory=dict)

    def code(self, kind: str, message: str, where: Location | None = None, *, prop: str = "") -> int:
        file, line = (where.file, where.line) if where else (None, None)
        facts = ViolationFacts(kind, message, file, line, property=prop)
        if facts not in self.codes:
            self.facts.append(facts)
            self.codes[facts] = len(self.facts)
        return self.codes[facts]


@dataclass(frozen=True, slots=True)
class Property:
    text: str
    expression: Expr
    over_step: bool


@dataclass(frozen=True, slots=True)
class Label:
    """An atomic proposition of claims. `undefined` is the number of the label that tells that this
    one cannot be evaluated, if that can happen; then this one is false."""

    text: str
    expression: Expr
    undefined: int | None = None


@dataclass(eq=False, slots=True)
class Plan:
    """Everything the generator needs; reductions have been decided before."""

    resolver: Resolver
    processes: list[Process]
    graphs: dict[str, ControlGraph]
    layout: Layout
    properties: list[Property]
    violations: ViolationTable
    fused: dict[tuple[str, int], list[Transition]] = field(default_factory=dict)
    resets: dict[tuple[str, int], list[Symbol]] = field(default_factory=dict)
    ample: AmplePlan = field(default_factory=AmplePlan)
    labels: dict[int, Label] = field(default_factory=dict)
    counts_claim: bool = False  # `_nr_pr` counts the claim, as it does in SPIN
    events: EventClaim | None = None  # trace or notrace
    acting: ActingClaim | None = None  # a never claim that executes C
    foreign: BuiltImage | None = None  # embedded C, linked
    match: list[Property] = field(default_factory=list)  # what states are compared by; empty: whole
    match_anywhere: bool = False  # wherever processes stand


@dataclass(slots=True)
class Context:
    """What the generated expression may refer to, and what evaluating it can lead to."""

    process: Process | None
    state: str = "g"
    own: str = "p"
    pid: str = "(int)pid"
    fails: bool = False
    violates: bool = False  # the effect may set `c->violation`
    offered: bool = False  # during a rendezvous: `channel` is the one that holds the message
    counts_claim: bool = True  # in `_nr_pr`, where the plan says that one is watching
