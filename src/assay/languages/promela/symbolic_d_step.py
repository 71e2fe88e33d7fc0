"""d_steps as guarded transitions: each statement inside is a step of its own, at a location that nobody else
sees.

As in `code_d_step`, whose rules these are: the first executable option is taken, only the first statement may
block, and what blocks later is a failure. A statement inside is a value of the process's control beyond its
locations; from the first to the last of them the process holds the control `atomic`. How often loops have
gone round is counted in a variable, which is 0 wherever somebody sees it: one that never ends is a failure.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from assay.languages.promela import operations as ops
from assay.languages.promela.code_d_step import entry_guards, in_choice
from assay.languages.promela.control import Chain, ControlGraph, Kind, Node, Transition
from assay.languages.promela.plan import MAXIMAL_D_STEP_WORK
from assay.records import dataclass
from assay.transition_system.interface import ViolationFacts
from assay.transition_system.symbolic import At, NotExpressible
from assay.transition_system.terms import FALSE, ONE, TRUE, ZERO, Number, Term, apply, both, either, negated

if TYPE_CHECKING:
    from assay.languages.promela.symbolic_form import Adding, Form, Scope, Value

ROUNDS = "rounds of a d_step"  # the variable
INSIDE = 0x8000  # what is added to the number of a statement inside
DONE = None  # behind the last statement
SILENT = (ops.OtherwiseOp, ops.Skip, ops.PrintText)


class _Blocked:
    """Where a statement that cannot be executed leads when there is no other option."""


BLOCKED = _Blocked()
Following = Node | _Blocked | None


def all_nodes(chain: Chain) -> Iterator[Node]:
    for node in chain.nodes():
        yield node
        for option in node.options:
            yield from all_nodes(option)
        if node.inner is not None:
            yield from all_nodes(node.inner)


def jumps_about(chain: Chain) -> bool:
    """Whether it may go round where nobody counts."""
    return any(node.kind is Kind.GOTO and node.target is None for node in all_nodes(chain))


def has_loops(chain: Chain) -> bool:
    return any(node.is_loop for node in all_nodes(chain))


@dataclass(frozen=True, slots=True)
class Way:
    """Where a step leads, and the loops that it begins again on the way."""

    to: At
    rounds: tuple[Node, ...] = ()
    is_out: bool = False


def guard_of(form: Form, scope: Scope, chain: Chain, moved: Term) -> Value:
    """Whether a d_step can begin; an evaluation that fails on the way is a failure of the step."""
    from assay.languages.promela.symbolic_form import Value

    guards = entry_guards(chain)
    if guards is None or (
        in_choice(chain) and any(isinstance(one.operation, ops.OtherwiseOp) for one in guards)
    ):
        return Value(TRUE)
    truth: Term = FALSE
    failures: list[tuple[Term, ViolationFacts]] = []
    for node in guards:
        assert node.operation is not None
        value = form.executable(scope, node.operation, moved)
        reached = negated(either(truth, *(condition for condition, _ in failures)))
        failures += [(both(reached, condition), facts) for condition, facts in value.failures]
        truth = either(truth, value.truth)
    return Value(truth, tuple(failures))


class DStepForm:
    """The steps of one d_step of the process in one slot."""

    def __init__(self, form: Form, scope: Scope, graph: ControlGraph, transition: Transition) -> None:
        assert transition.d_step is not None
        assert scope.process is not None
        self.form = form
        self.scope = scope
        self.graph = graph
        self.transition = transition
        self.chain = transition.d_step
        self.inside = {node.number: node for node in all_nodes(self.chain)}
        self.next: dict[int, Following] = {}
        self.otherwise: dict[int, Following] = {}
        self.walk(self.chain, BLOCKED, DONE)

    def walk(self, chain: Chain, otherwise: Following, after: Following) -> None:
        """What follows each statement, and what follows if it cannot be executed."""
        nodes = list(chain.nodes())
        for node, following in zip(nodes, [*nodes[1:], after], strict=True):
            self.next[node.number] = following
            self.otherwise[node.number] = otherwise
            if node.kind is Kind.CHOICE:
                back = node if node.is_loop else node.next
                if back is not None and back.number not in self.inside:
                    back = DONE
                starts: list[Following] = [option.start for option in node.options]
                for option, other in zip(node.options, [*starts[1:], BLOCKED], strict=True):
                    self.walk(option, other, back)
            elif node.kind is Kind.PLAIN:
                assert node.inner is not None
                self.walk(node.inner, otherwise, following)
            elif node.kind is Kind.UNLESS:
                self.refuse(node, "unless inside d_step")
            if node.kind is not Kind.JOIN:
                otherwise = BLOCKED

    def refuse(self, node: Node, what: str) -> None:
        raise NotExpressible(f"{what} cannot be said in guarded transitions", where=node.source.where)

    def resolved(self, place: Following, rounds: list[Node] | None = None) -> Following:
        """The next statement that does something; the loops on the way there are added to `rounds`."""
        seen = set()
        while isinstance(place, Node):
            if place.number in seen:
                self.refuse(place, "a d_step that never ends")
            seen.add(place.number)
            if place.kind in (Kind.JOIN, Kind.BREAK_TARGET):
                place = self.next[place.number]
            elif place.kind is Kind.GOTO:
                place = self.jump(place)
            elif place.kind is Kind.PLAIN:
                assert place.inner is not None
                place = place.inner.start
            elif place.kind is Kind.CHOICE:
                if place.is_loop and rounds is not None:
                    rounds.append(place)
                place = place.options[0].start if place.options else BLOCKED
            elif place.kind is Kind.OPERATION and isinstance(place.operation, SILENT):
                place = self.next[place.number]
            elif place.kind is Kind.OPERATION:
                return place
            else:
                self.refuse(place, "this construct inside d_step")
        return place

    def jump(self, node: Node) -> Following:
        target = node.target
        if target is None:
            location = self.graph.jumps.get(node.number)
            target = None if location is None else self.inside.get(location)
        if target is not None and target.number in self.inside:
            return target
        if target is None or target.kind not in (Kind.JOIN, Kind.BREAK_TARGET):
            self.refuse(node, "a jump out of a d_step")
        return DONE

    def way(self, place: Following) -> Way | None:
        """None: it blocks."""
        rounds: list[Node] = []
        place = self.resolved(place, rounds)
        if place is DONE:
            return Way(self.form.landing(self.scope, self.transition), tuple(rounds), is_out=True)
        if isinstance(place, _Blocked):
            return None
        assert isinstance(place, Node)
        at: At = ((self.scope.slot, self.form.inside(self.scope, place)), self.holding)
        return Way(at, tuple(rounds))

    def adding(self, source: At, provided: Term, text: ops.Source, way: Way) -> Adding:
        """Steps that go this way, and count the rounds."""
        adding = self.form.adding(self.scope, self.transition, source, provided, text, way.to)
        if not has_loops(self.chain):
            return adding
        count: Term = self.form.variables[ROUNDS]
        for node in way.rounds:
            count = apply("+", count, ONE)
            facts = ViolationFacts(
                "endless-d_step",
                f"a d_step loops more than {MAXIMAL_D_STEP_WORK} times",
                node.source.where.file,
                node.source.where.line,
            )
            adding.limits.append((apply(">", count, Number(MAXIMAL_D_STEP_WORK)), facts))
        adding.always = {ROUNDS: ZERO if way.is_out else count}
        return adding

    @property
    def holding(self) -> tuple[int, int]:
        return (self.form.holder, self.scope.slot + 1)

    def add_inside(self) -> None:
        """The steps of every statement that can be come to."""
        pending = [self.resolved(self.chain.start)]
        seen: set[int] = set()
        while pending:
            place = pending.pop()
            if not isinstance(place, Node) or place.number in seen:
                continue
            seen.add(place.number)
            self.statement(place)
            pending += [self.resolved(self.next[place.number]), self.resolved(self.otherwise[place.number])]

    def statement(self, node: Node) -> None:
        form, operation = self.form, node.operation
        assert operation is not None
        if any(isinstance(part, ops.IsTimeout) for part in ops.operation_reads(operation)):
            self.refuse(node, "timeout inside d_step")
        if isinstance(operation, ops.Stop) or any(
            isinstance(part, ops.StartProcess) for part in ops.operation_reads(operation)
        ):
            self.refuse(node, "a process that starts or ends inside d_step")
        if isinstance(operation, ops.SendMessage) and form.is_rendezvous(operation.channel):
            self.refuse(node, "a rendezvous send inside d_step")
        source: At = ((self.scope.slot, form.inside(self.scope, node)), self.holding)
        following, other = self.way(self.next[node.number]), self.way(self.otherwise[node.number])
        if following is None:  # there is nothing behind it that could be executed
            raise NotExpressible("a choice without options inside d_step", where=node.source.where)
        going = self.adding(source, TRUE, node.source, following)
        facts = ViolationFacts(
            "d_step-blocks",
            "a statement inside d_step blocks",
            self.transition.source.where.file,
            self.transition.source.where.line,
        )
        can = form.executable(self.scope, operation, FALSE)
        form.operate(going, operation, self.scope)
        cannot = both(negated(can.fails), negated(can.truth))
        if other is None:
            going.failure(cannot, facts)
        else:
            self.adding(source, TRUE, node.source, other).step(cannot, {})
