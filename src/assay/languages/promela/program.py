"""A Promela file as a compiled program: parse, resolve, build graphs, generate, compile.

Also the way back: violation codes, states and steps in the words of the source.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import fields, is_dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from assay.languages.promela import operations as ops
from assay.languages.promela import syntax
from assay.languages.promela.claim_moves import VIOLATED
from assay.languages.promela.claims import Watched, labels_meant, watched
from assay.languages.promela.claims import asked as claims_asked
from assay.languages.promela.code_foreign import FAULT_KINDS
from assay.languages.promela.compiler import SharedObject, compile_model
from assay.languages.promela.control import ControlGraph, Edge, GraphBuilder, Transition
from assay.languages.promela.dead_variables import resets, without_influence
from assay.languages.promela.events import Event, EventClaim, event_claim, only_claim
from assay.languages.promela.footprint import Visibility, most_processes, operations_of
from assay.languages.promela.generate import generate
from assay.languages.promela.layout import (
    CLAIM_LOCATION_OFFSET,
    CLAIM_PID,
    EVENT_LOCATION_OFFSET,
    MAXIMAL_PROCESSES,
    PROCESS_COUNT_OFFSET,
    PROCESS_LOCATION_OFFSET,
    PROCESS_TYPE_OFFSET,
    Block,
    Layout,
)
from assay.languages.promela.merging import fused
from assay.languages.promela.operations import Process, Scalar, Structure
from assay.languages.promela.parser import parse_expression, parse_preprocessed
from assay.languages.promela.partial_order import plan as partial_order
from assay.languages.promela.plan import Plan, Property, ViolationTable
from assay.languages.promela.preprocess import PreprocessedText, preprocess
from assay.languages.promela.resolve import Resolver, Scope
from assay.languages.promela.stuck import PROCESS_COUNT, Moment, Reason, Unknown
from assay.records import dataclass
from assay.transition_system.interface import (
    Capabilities,
    Opening,
    SourceHash,
    SourceProblem,
    StepFacts,
    TemporalProperty,
    Unchecked,
    ViolationFacts,
    Waiting,
)
from assay.transition_system.language_options import REDUCTIONS, LanguageOptions, OptionProblem

if TYPE_CHECKING:
    from assay.transition_system.symbolic import SymbolicSystem

LARGEST_ACTIVE = 255
ENDED = "-end-"  # where a process stands that has only to go
MOST_SAID = 300  # characters of what C printed before it failed
MAXIMAL_PROCTYPES = 255
ACTING = (
    "executes C, as one of the processes: "
    "runs that it does not go along with are not looked at, nor deadlocks"
)
MAXIMAL_LOCATIONS = 65_535


@dataclass(eq=False)
class PromelaModel:
    """A model after name resolution: what the later stages work on."""

    resolver: Resolver
    processes: list[Process]
    graphs: dict[str, ControlGraph]
    claims: list[syntax.Claim]  # of runs that never end
    watched: Watched
    events: EventClaim | None
    sources: tuple[syntax.SourceFile, ...]

    @property
    def file(self) -> str:
        """The first one; none where the model is a text."""
        return self.sources[0].path if self.sources else ""


def build(model: syntax.Model, options: LanguageOptions) -> PromelaModel:
    """Resolves the units in the order of the source; a later unit may use earlier names only,
    except that processes may run one another, and that claims come last."""
    asked = claims_asked(model.units, options)
    resolver = Resolver()
    processes: list[Process] = []
    claims: list[syntax.Claim] = []
    bodies: list[tuple[Process, syntax.Proctype, Scope]] = []
    for unit in model.units:
        match unit:
            case syntax.MtypeDeclaration():
                resolver.declare_mtype(unit)
            case syntax.Typedef():
                resolver.declare_typedef(unit)
            case syntax.Declare(_, variables):
                for variable in variables:
                    declare_global(resolver, variable)
            case syntax.Exclusive(_, direction, channels):
                for channel in channels:
                    symbol = resolver.global_scope.find(channel.name)
                    if symbol is not None:
                        symbol.exclusive_receive |= direction == "xr"
                        symbol.exclusive_send |= direction == "xs"
            case syntax.Claim():
                claims.append(unit)
            case syntax.EmbeddedCDeclaration():
                resolver.embedded.declare(unit)
            case syntax.Proctype():
                process = declare_process(resolver, unit, len(processes))
                processes.append(process)
                bodies.append((process, unit, parameters_of(resolver, unit, process)))
    if not processes:
        raise SourceProblem("the model has no process", where=None, hint="add an init or an active proctype")
    if len(processes) > MAXIMAL_PROCTYPES:
        raise SourceProblem(
            f"at most {MAXIMAL_PROCTYPES} proctypes, got {len(processes)}", where=processes[-1].where
        )
    if sum(p.instances for p in processes) > MAXIMAL_PROCESSES:
        raise SourceProblem(
            f"more than {MAXIMAL_PROCESSES} processes at the start", where=processes[-1].where
        )
    if not any(p.instances for p in processes):
        raise SourceProblem(
            "no process is started",
            where=processes[0].where,
            hint="add 'init', or 'active' before a proctype",
        )
    builders: dict[str, GraphBuilder] = {}
    for process, unit, scope in bodies:
        builder = GraphBuilder(resolver, process, scope)
        builder.read(unit.body)
        if builder.count > MAXIMAL_LOCATIONS:
            raise SourceProblem(
                f"'{process.name}' has more than {MAXIMAL_LOCATIONS} statements", where=unit.where
            )
        if unit.provided is not None:
            process.provided = resolver.expression(unit.provided, scope)
        builders[process.name] = builder
    note_claim_uses(resolver, claims)
    for proctype, label in remote_labels([*model.units, *labels_meant(asked)]):
        if proctype in builders:
            builders[proctype].keep_label(label)
    graphs = {name: builder.finish() for name, builder in builders.items()}
    of_events = only_claim(claims)
    events = event_claim(of_events, resolver, len(processes)) if of_events is not None else None
    claims = [claim for claim in claims if claim is not of_events]
    suggestions = suggested([unit for unit in model.units if all(unit is not claim for claim in claims)])
    watch = watched(asked, claims, suggestions, resolver, graphs, options)
    return PromelaModel(resolver, processes, graphs, claims, watch, events, model.sources)


def suggested(units: Sequence[object]) -> list[Unchecked]:
    """What the labels and declarations of a model ask about."""
    found = [node for unit in units for node in nodes_of(unit)]
    labels = {node.label for node in found if isinstance(node, syntax.Labelled)}
    unchecked = []
    if any(label.startswith("accept") for label in labels):
        unchecked.append(Unchecked("acceptance", "acceptance cycles", asked=False))
    if any(label.startswith("progress") for label in labels):
        unchecked.append(Unchecked("progress", "non-progress cycles", asked=False))
    if any(isinstance(node, syntax.Exclusive) for node in found):
        unchecked.append(Unchecked("exclusive", "whether xr and xs are true", asked=False))
    return unchecked


def note_claim_uses(resolver: Resolver, claims: Sequence[syntax.Claim]) -> None:
    """SPIN keeps `_last` in the state as soon as a claim mentions it, checked or not."""
    for claim in claims:
        if "_last" in (claim.formula or "") or (claim.body is not None and "_last" in repr(claim.body)):
            resolver.uses_last = True
            resolver.first_uses.setdefault("_last", claim.where)


def remote_labels(units: Sequence[object]) -> Iterator[tuple[str, str]]:
    """Every label that is referred to from outside its process, claims included."""
    for unit in units:
        for node in nodes_of(unit):
            if isinstance(node, syntax.RemoteLabel):
                yield node.proctype, node.label


def nodes_of(node: object) -> Iterator[object]:
    """A part of the syntax tree and everything in it."""
    if isinstance(node, tuple):
        for item in node:
            yield from nodes_of(item)
    elif is_dataclass(node) and not isinstance(node, syntax.Location):
        yield node
        for item in fields(node):
            yield from nodes_of(getattr(node, item.name))


def declare_global(resolver: Resolver, variable: syntax.Variable) -> None:
    symbol = resolver.declare(variable, resolver.global_scope, None)
    initial = variable.initial
    if isinstance(initial, tuple):
        symbol.initial = tuple(resolver.expression(e, resolver.global_scope) for e in initial)
    elif isinstance(initial, syntax.Expression):
        symbol.initial = resolver.expression(initial, resolver.global_scope)


def declare_process(resolver: Resolver, unit: syntax.Proctype, number: int) -> Process:
    if unit.name in resolver.processes:
        raise SourceProblem(f"proctype '{unit.name}' is declared twice", where=unit.where)
    instances = resolver.constant(unit.active) if unit.active is not None else int(unit.is_init)
    if not 0 <= instances <= LARGEST_ACTIVE:
        raise SourceProblem(f"expected at most {LARGEST_ACTIVE} instances, got {instances}", where=unit.where)
    priority = 1
    if unit.priority is not None:
        priority = resolver.constant(unit.priority)
        resolver.uses_priority = True
        resolver.first_uses.setdefault("priorities", unit.where)
        if not 1 <= priority <= 255:
            raise SourceProblem(f"expected a priority between 1 and 255, got {priority}", where=unit.where)
    process = Process(
        unit.name, number, unit.where, instances=instances, priority=priority, is_init=unit.is_init
    )
    resolver.processes[unit.name] = process
    return process


def parameters_of(resolver: Resolver, unit: syntax.Proctype, process: Process) -> Scope:
    scope = resolver.global_scope.open()
    for variable in unit.parameters:
        symbol = resolver.declare(variable, scope, process)
        if symbol.length is not None:
            raise SourceProblem(
                f"parameter '{symbol.name}' is an array",
                where=variable.where,
                hint="pass its elements one by one, or in a typedef",
            )
        symbol.parameter = True
        symbol.assigned = True
        whole = syntax.Reference(variable.where, (syntax.Part(symbol.name, None),))
        if isinstance(symbol.type, Structure):
            process.parameters += resolver.structure_places(whole, scope)
        else:
            process.parameters.append(resolver.scalar_place(whole, scope))
    return scope


def parse_properties(model: PromelaModel, options: LanguageOptions) -> list[Property]:
    properties = []
    scope = model.resolver.global_scope
    for text in options.invariants:
        expression = parse_expression(text, proctypes=tuple(model.resolver.processes))
        properties.append(Property(text, model.resolver.expression(expression, scope), over_step=False))
    for text in options.step_invariants:
        expression = parse_expression(text, allow_next=True, proctypes=tuple(model.resolver.processes))
        properties.append(Property(text, model.resolver.expression(expression, scope), over_step=True))
    require_about_states(model, properties, "an invariant")
    return properties


def parse_match(model: PromelaModel, options: LanguageOptions) -> list[Property]:
    """What states are compared by."""
    if not options.match:
        return []
    from assay.languages.promela.embedded_c import path_coverage

    keys = []
    texts = [text for text in options.match if text != path_coverage.PATH]
    if path_coverage.is_asked(options):
        path_coverage.require_paths(options, has_embedded_c=bool(model.resolver.embedded))
        texts += path_coverage.KEYS
    for text in texts:
        expression = parse_expression(text, "--match", proctypes=tuple(model.resolver.processes))
        value = model.resolver.expression(expression, model.resolver.global_scope)
        keys.append(Property(text, value, over_step=False))
    require_about_states(model, keys, "what states are compared by")
    return keys


def require_about_states(model: PromelaModel, properties: Sequence[Property], what: str) -> None:
    not_in_a_state = {
        ops.OwnPid: "_pid",
        ops.IsEnabled: "enabled()",
        ops.StartProcess: "run",
        ops.IsTimeout: "timeout",
    }
    for prop in properties:
        for part in ops.subexpressions(prop.expression):
            if isinstance(part, ops.AtLabel):
                require_location(model, part)
            if type(part) in not_in_a_state or (isinstance(part, ops.PriorityOf) and part.process is None):
                name = not_in_a_state.get(type(part), "_priority")
                raise SourceProblem(
                    f"{name} means nothing in {what}: '{prop.text}'",
                    hint="name variables, channels and locations of the model",
                )


def require_location(model: PromelaModel, reference: ops.AtLabel) -> None:
    """Refuses a label that control never rests at: asking for it would be false in every state."""
    graph = model.graphs.get(reference.proctype)
    location = graph.location_of(reference.label) if graph is not None else None
    if graph is not None and location is not None and location not in graph.edges:
        raise SourceProblem(
            f"no process ever rests at '{reference.proctype}@{reference.label}'",
            where=reference.where,
            hint="the label stands at a goto, at the start of an option or at code that is never reached; "
            "write 'skip' behind it",
        )


def reductions_of(model: PromelaModel, options: LanguageOptions) -> frozenset[str]:
    """Those that are on.

    Merging and partial order keep every run up to steps that no property can see: their cycle proviso holds
    for every cycle of states, whoever searches, and what atoms read is visible (decision 0003). That is
    enough for what does not notice stuttering. Fairness asks besides who is enabled: steps that are private
    keep that, unless somebody waits for nobody else to move.
    """
    if model.resolver.embedded.looks_at_others:  # at any local variable, at any time
        return frozenset()
    asked = options.reductions & set(REDUCTIONS)
    noticed = not all(each.stutter_invariant for each in model.watched.temporal)
    if noticed or (is_fair(model, options) and model.resolver.uses_timeout):
        return asked & {"dead-variables"}
    return asked


def is_fair(model: PromelaModel, options: LanguageOptions) -> bool:
    """Is anything asked of fair runs alone?"""
    return any(options.fair or each.always_fair for each in model.watched.temporal)


def plan_of(
    model: PromelaModel,
    properties: list[Property],
    reductions: frozenset[str],
    options: LanguageOptions,
    match: Sequence[Property] = (),
) -> Plan:
    fair = is_fair(model, options)
    resolver = model.resolver
    labels, acting = dict(model.watched.labels), model.watched.acting
    symbols = [*resolver.globals, *(s for p in model.processes for s in p.symbols)]
    visibility = Visibility(
        model.processes,
        model.graphs,
        resolver.globals,
        [
            *(p.expression for p in (*properties, *match)),
            *(label.expression for label in labels.values()),
            *(condition for _, condition, _ in (acting.questions if acting is not None else ())),
        ],
        fair=fair,
    )
    # A hidden variable is no part of the state where that cannot matter, reductions or not.
    kept = [] if "dead-variables" in reductions else [symbol for symbol in symbols if not symbol.hidden]
    unread = without_influence(symbols, model.processes, visibility, kept)
    layout = Layout(
        resolver.globals,
        model.processes,
        unread,
        has_events=model.events is not None,
        has_claim=acting is not None,
    )
    for symbol in symbols:  # every shape gets its number before code is generated
        if symbol.channel is not None:
            layout.queue_layout(symbol.channel)
    plan = Plan(resolver, model.processes, model.graphs, layout, properties, ViolationTable())
    plan.match = list(match)
    if resolver.embedded:
        from assay.languages.promela.embedded_c.linking import linked  # most models have none

        plan.foreign = linked(resolver.embedded, layout, model.processes, model.file, options)
    plan.labels, plan.counts_claim, plan.events = labels, model.watched.has_claim, model.events
    plan.acting = acting
    over_steps = any(p.over_step for p in properties)
    if "dead-variables" in reductions:
        plan.resets = resets(model.processes, model.graphs, visibility, layout)
    steps_count = (
        over_steps
        or resolver.uses_last
        or resolver.uses_enabled
        or resolver.uses_priority
        or resolver.uses_pc_value
    )
    if "merging" in reductions and not steps_count:
        plan.fused = fused(model.processes, model.graphs, visibility)
    if "partial-order" in reductions and not over_steps:
        plan.ample = partial_order(
            model.processes, model.graphs, visibility, layout, resolver, plan.fused, fair=fair
        )
    return plan


def counts_processes(model: PromelaModel) -> bool:
    """Does a process read `_nr_pr`?"""
    conditions = [process.provided for process in model.processes if process.provided is not None]
    return any(
        isinstance(part, ops.ProcessCount)
        for parts in (
            *(ops.subexpressions(condition) for condition in conditions),
            *(
                ops.operation_reads(operation)
                for graph in model.graphs.values()
                for transition in graph.transitions.values()
                for operation in operations_of(transition)
            ),
        )
        for part in parts
    )


MOST_DESCRIBED = 10_000


class PromelaProgram:
    """Implements `Program`."""

    language = "promela"

    def __init__(
        self,
        path: Path,
        options: LanguageOptions,
        model: PromelaModel,
        plan: Plan,
        shared_object: SharedObject,
    ) -> None:
        self.path = path
        self.options = options
        self.model = model
        self.plan = plan
        self._said = ""
        self._shared_object = shared_object
        self._described: dict[tuple[str, bytes], dict[str, object]] = {}  # blocks of a state

    @property
    def capabilities(self) -> Capabilities:
        """Embedded C is made for one address: one thread at a time executes it."""
        image = self.plan.foreign
        if image is None:
            return Capabilities(threads=True, on_disk=True, lossy=True, apart=True, compiled=True)
        return Capabilities(
            on_disk=not image.is_numbered,
            lossy=True,
            apart=True,
            compiled=True,
            matches_by_key=image.has_unmatched,
            foreign=True,
            deadlocks=self.plan.acting is None,
        )

    @property
    def opening(self) -> Opening:
        """A shared object that lives as long as this program."""
        image = self.plan.foreign
        settings: dict[str, object] = {} if image is None else {"foreign": True}
        if image is not None and image.is_numbered:
            settings["numbered"] = True
        if image is not None and self.options.foreign_code:
            settings["confined"] = list(self.options.readable)
        if image is not None and image.only_declared:
            settings["declared"] = True
        if image is not None and image.covered is not None:
            settings["covered"] = list(image.covered)
        return Opening(str(self._shared_object.path), settings=settings)

    def code_coverage(self, noted: bytes) -> list[dict[str, object]]:
        """What a search came to of the embedded C, by function."""
        from assay.languages.promela.embedded_c import path_coverage

        blocks = self.plan.foreign.blocks if self.plan.foreign is not None else ()
        files = [source.path for source in self.sources]
        return [one.as_json() for one in path_coverage.coverage(blocks, noted, files)]

    @property
    def sources(self) -> Sequence[SourceHash]:
        own = self.plan.foreign.sources if self.plan.foreign is not None else ()
        return [SourceHash(s.path, s.sha256) for s in (*self.model.sources, *own)]

    @property
    def semantics(self) -> Mapping[str, object]:
        return {
            "language": "Promela as SPIN 6.5 understands it",
            "reductions": sorted(reductions_of(self.model, self.options)),
            "safety_only": self.options.safety_only and bool(self.model.claims),
            "defines": list(self.options.defines),
            **({self.model.events.kind: self.model.events.text} if self.model.events is not None else {}),
            **({"never": ACTING} if self.plan.acting is not None else {}),
            **({"embedded_c": self._how_c_is_compiled()} if self.plan.foreign is not None else {}),
        }

    def _how_c_is_compiled(self) -> Mapping[str, object]:
        options = self.options
        return {
            "files": [Path(name).name for name in options.c_sources],
            "flags": [*options.cflags, *options.ldflags],
            "sanitized": options.sanitize,
            "tracking": options.tracking or "all",
        }

    @cached_property
    def graph(self) -> str:
        """Of the code without its checks: reductions and layout may depend on what is checked."""
        unchecked = replace(self.plan, properties=[], violations=ViolationTable(), labels={})
        return hashlib.sha256(generate(unchecked).encode()).hexdigest()

    @property
    def caveats(self) -> Sequence[str]:
        foreign = self.plan.foreign
        return [*self.model.watched.reasons, *(foreign.caveats if foreign is not None else [])]

    @property
    def unchecked(self) -> Sequence[Unchecked]:
        return self.model.watched.unchecked

    @property
    def monitors(self) -> Sequence[tuple[str, str]]:
        return [(self.model.events.kind, self.model.events.text)] if self.model.events is not None else []

    @property
    def temporal(self) -> Sequence[TemporalProperty]:
        return self.model.watched.temporal

    @cached_property
    def process_limit(self) -> int:
        return most_processes(self.model.processes, self.model.graphs)

    @property
    def notes(self) -> Sequence[str]:
        notes = []
        if self.plan.acting is not None:
            notes.append(f"{self.plan.acting.title} {ACTING}; --safety checks the model without it")
        if self.model.watched.has_claim and counts_processes(self.model):
            notes.append(
                "_nr_pr counts the claim as a process, for the processes too, as in SPIN; not with --safety"
            )
        return notes

    def doubts(self, untracked: Sequence[tuple[int, int, bool]]) -> Sequence[str]:
        if self.plan.foreign is None or not untracked:
            return []
        from assay.languages.promela.embedded_c.tracking import forgotten

        return forgotten(self.plan.foreign, self.model.resolver.embedded.fragments, untracked)

    def opened(self) -> PromelaProgram:
        _ = self.opening  # there when the compiler is done
        return self

    def knowing(self, words: Mapping[str, object]) -> PromelaProgram:
        """`said`: what embedded C printed in the last step of a run."""
        other = copy(self)
        other._said = " ".join(str(words.get("said", "")).split())  # noqa: SLF001 (of the same class)
        return other

    def without(self, assumption: str) -> PromelaProgram:
        raise RuntimeError(f"no model assumes anything that a search could refute, such as {assumption!r}")

    def symbolic(self, predicates: Sequence[str] = ()) -> SymbolicSystem:
        from assay.languages.promela.symbolic_form import symbolic_form

        with syntax.deep_recursion():
            return symbolic_form(self.model, self.plan.properties, (*self.options.predicates, *predicates))

    def symbolic_state(self, system: SymbolicSystem, state: bytes) -> tuple[int | None, ...]:
        from assay.languages.promela.symbolic_form import symbolic_state

        return symbolic_state(self, system, state)

    # --- the way back to the source ---

    def describe_violation(self, code: int) -> ViolationFacts:
        if code == 0:
            return ViolationFacts("deadlock", "invalid end state: nobody can move and not everybody may stop")
        facts = self.plan.violations.facts[code - 1]
        if self._said and facts.kind in FAULT_KINDS:
            return replace(facts, message=f"{facts.message}: {self._said[:MOST_SAID]}")
        return facts

    @cached_property
    def mtype_names(self) -> dict[str, dict[int, str]]:
        return {
            name: {i + 1: n for i, n in enumerate(names)}
            for name, names in self.model.resolver.mtype_sets.items()
        }

    def blocks(self, state: bytes) -> list[tuple[int, int, Process]]:
        """(pid, offset, process) of every living process."""
        result = []
        offset = self.plan.layout.globals.size
        for pid in range(state[PROCESS_COUNT_OFFSET]):
            process = self.model.processes[state[offset + PROCESS_TYPE_OFFSET]]
            result.append((pid, offset, process))
            offset += self.plan.layout.processes[process.name].size
        return result

    def describe_state(self, state: bytes) -> Mapping[str, object]:
        values: dict[str, object] = {}
        layout = self.plan.layout
        if self.model.events is not None:
            values[self.model.events.kind] = self.event_location(state)
        if self.plan.acting is not None:
            values["never@"] = self.plan.acting.line(self.claim_location(state))
        values.update(self.describe_block(state, 0, layout.globals, ""))
        for pid, offset, process in self.blocks(state):
            name = process_title(process, pid)
            values[f"{name}@"] = self.location_line(process, self.location(state, offset))
            values.update(self.describe_block(state, offset, layout.processes[process.name], f"{name}."))
        if self.plan.foreign is not None:
            values.update(self.describe_memory(state))
        return values

    def describe_memory(self, state: bytes) -> Mapping[str, object]:
        """The variables of embedded C, where a state came with the memory behind it."""
        image = self.plan.foreign
        assert image is not None
        last = self.blocks(state)[-1:]
        size = self.plan.layout.globals.size
        for _, offset, process in last:
            size = offset + self.plan.layout.processes[process.name].size
        return image.values_in(state[size:])

    def event_location(self, state: bytes) -> str:
        """Where a trace or notrace is: what it expects next."""
        events = self.expected_events(state)
        return " or ".join(f"({event.source.text})" for event in events) or ENDED

    def expected_events(self, state: bytes) -> Sequence[Event]:
        claim = self.model.events
        if claim is None:
            return ()
        return claim.locations[self.event_number(state)]

    @staticmethod
    def claim_location(state: bytes) -> int:
        return int.from_bytes(state[CLAIM_LOCATION_OFFSET : CLAIM_LOCATION_OFFSET + 2], "little")

    @staticmethod
    def location(state: bytes, offset: int) -> int:
        at = offset + PROCESS_LOCATION_OFFSET
        return int.from_bytes(state[at : at + 2], "little")

    def location_line(self, process: Process, location: int) -> str:
        edges = self.model.graphs[process.name].edges.get(location, [])
        if not edges:
            return f"location {location}"
        source = edges[0].transition.source
        if isinstance(edges[0].transition.operation, ops.Stop):
            return ENDED
        return f"{source.where.file.rpartition('/')[2]}:{source.where.line}"

    def describe_block(self, state: bytes, base: int, block: Block, prefix: str) -> dict[str, object]:
        """Most blocks of a run are those of the state before: each is put into words once."""
        key = prefix, state[base : base + block.size]
        values = self._described.get(key)
        if values is None:
            if len(self._described) >= MOST_DESCRIBED:
                self._described.clear()
            values = self._described[key] = self._block_in_words(state, base, block, prefix)
        return values

    def _block_in_words(self, state: bytes, base: int, block: Block, prefix: str) -> dict[str, object]:
        values: dict[str, object] = {}
        for symbol, offset in block.offsets.items():
            if symbol.name.startswith("_for_"):
                continue
            values[prefix + symbol.identifier] = self.value_of(
                state, base + offset, symbol.type, symbol.length
            )
        for queue in block.queues:
            layout = queue.layout
            if not layout.shape.capacity:
                continue
            name = queue.symbol.identifier
            if queue.symbol.length is not None:
                name += f"[{queue.element}]"
            name = ".".join([name, *queue.path])
            start = base + queue.offset
            messages = []
            for slot in range(state[start]):
                at = start + layout.first_message + slot * layout.stride
                fields = [
                    self.scalar_value(state, at + offset, scalar)
                    for offset, scalar in zip(layout.field_offsets, layout.shape.fields, strict=True)
                ]
                messages.append(fields[0] if len(fields) == 1 else fields)
            values[prefix + name] = messages
        return values

    def value_of(self, state: bytes, offset: int, type_: ops.Type, length: int | None) -> object:
        if length is not None:
            size, _ = self.plan.layout.size_of(type_)
            return [self.value_of(state, offset + i * size, type_, None) for i in range(length)]
        if isinstance(type_, Structure):
            offsets = self.plan.layout.structure_layout(type_).offsets
            return {
                f.name: self.value_of(state, offset + offsets[f.name], f.type, f.length) for f in type_.fields
            }
        return self.scalar_value(state, offset, type_)

    def scalar_value(self, state: bytes, offset: int, scalar: Scalar) -> object:
        value = int.from_bytes(state[offset : offset + scalar.size], "little", signed=scalar.signed)
        if scalar.name == "mtype":
            return self.mtype_names.get(scalar.mtype_set or "", {}).get(value, value)
        if scalar.name == "bool":
            return bool(value)
        return value

    def describe_step(self, before: bytes, process: int, transition: int) -> StepFacts:
        if process == CLAIM_PID and self.plan.acting is not None:
            source = self.plan.acting.move(transition).source
            return StepFacts("never", source.where.file, source.where.line, source.text)
        kind = next((p for pid, _, p in self.blocks(before) if pid == process), None)
        if kind is None:
            return StepFacts(f"process {process}", str(self.path), 0, "?")
        t = self.model.graphs[kind.name].transitions.get(transition)
        if t is None:  # an error met while finding out who may run
            return StepFacts(process_title(kind, process), kind.where.file, kind.where.line, "provided (...)")
        merged = self.plan.fused.get((kind.name, transition), ())
        first, *rest = (self.describe_transition(kind, process, part) for part in (t, *merged))
        target = (t, *merged)[-1].target
        title = process_title(kind, process)
        forgets = tuple(
            f"{title}.{symbol.identifier}" for symbol in self.plan.resets.get((kind.name, target), ())
        )
        return replace(first, then=tuple(rest), forgets=forgets)

    @staticmethod
    def describe_transition(kind: Process, process: int, transition: Transition) -> StepFacts:
        title = process_title(kind, process)
        operations = list(operations_of(transition))
        written = (place.symbol for operation in operations for place in ops.operation_writes(operation))
        return StepFacts(
            title,
            transition.source.where.file,
            transition.source.where.line,
            transition.source.text,
            writes=tuple(
                symbol.identifier if symbol.owner is None else f"{title}.{symbol.identifier}"
                for symbol in written
            ),
            moves_messages=any(isinstance(one, ops.SendMessage | ops.ReceiveMessage) for one in operations),
        )

    def describe_waiting(self, state: bytes) -> Sequence[Waiting]:
        if self.plan.acting is not None and self.claim_location(state) == VIOLATED:
            return []  # nobody waits: there is nothing more to look at
        waiting = list(self.describe_everybody(state))
        if self.event_is_missing(state):
            events = self.expected_events(state)
            where = events[0].source.where
            text = " or ".join(event.source.text for event in events)
            waiting.append(Waiting("the trace", where.file, where.line, text))
        return waiting

    def describe_everybody(self, state: bytes) -> Sequence[Waiting]:
        result = []
        for pid, offset, process in self.blocks(state):
            graph = self.model.graphs[process.name]
            location = self.location(state, offset)
            if location in graph.end_locations:
                continue
            edges = graph.edges.get(location, [])
            texts = list(dict.fromkeys(e.transition.source.text for e in edges))
            where = edges[0].transition.source.where if edges else process.where
            title, text = process_title(process, pid), " or ".join(texts)
            reasons = self.reasons(state, pid, process, edges)
            alone = reasons[0] if len(reasons) == 1 else None
            result.append(
                Waiting(
                    title,
                    where.file,
                    where.line,
                    text,
                    number=pid,
                    awaited=alone.awaited if alone else "",
                    what=alone.what if alone else "",
                    reason=", or ".join(one.text for one in reasons),
                )
            )
        return result

    def reasons(self, state: bytes, pid: int, process: Process, edges: Sequence[Edge]) -> list[Reason]:
        """What a process that cannot move waits for, each once; nothing if that is not known of all."""
        blocks = self.blocks(state)
        moment = Moment(state, self.plan.layout, blocks, pid, self.scalar_value)
        if process.provided is not None:
            with suppress(Unknown):
                if not moment.value(process.provided):
                    found = moment.condition(process.provided, "")
                    return [replace(found, text=f"its provided clause{found.text[2:]}")] if found else []
        found_all: dict[str, Reason] = {}
        for edge in edges:
            transition = edge.transition
            operation = next(iter(operations_of(transition)))
            if isinstance(operation, ops.OtherwiseOp):
                continue
            found = moment.reason(operation, transition.source.text)
            if found is None:
                return []
            more = self.partners(state, blocks, pid, found) + self.lingering(state, blocks, found)
            found_all[found.text] = replace(found, text=found.text + more)
        return list(found_all.values())

    def lingering(self, state: bytes, blocks: Sequence[tuple[int, int, Process]], reason: Reason) -> str:
        """Who has ended and is counted nevertheless, if somebody waits for a number of processes."""
        if reason.what != PROCESS_COUNT:
            return ""
        ended = [
            process_title(process, pid)
            for pid, offset, process in blocks
            if self.location_line(process, self.location(state, offset)) == ENDED
        ]
        if not ended:
            return ""
        last = process_title(blocks[-1][2], blocks[-1][0])
        if len(ended) == 1:
            return f": {ended[0]} has ended, but counts until {last}, started after it, is gone"
        return f": {' and '.join(ended)} have ended, but count until {last}, started after them, is gone"

    def partners(
        self, state: bytes, blocks: Sequence[tuple[int, int, Process]], pid: int, reason: Reason
    ) -> str:
        """Who is left that could do what somebody at a channel waits for: nobody, one, or (empty) several."""
        if not (reason.sends or reason.receives):
            return ""
        wanted = ops.ReceiveMessage if reason.sends else ops.SendMessage
        able = []
        for other, offset, process in blocks:
            moment = Moment(state, self.plan.layout, blocks, other, self.scalar_value)
            for operation in self.operations_ahead(process, self.location(state, offset)):
                if other == pid or not isinstance(operation, wanted):
                    continue
                try:
                    name = moment.channel(operation.channel).name
                except Unknown:
                    return ""  # it may be any
                if name == reason.what:
                    able.append(process_title(process, other))
                    break
        does = "receive from it" if reason.sends else "send to it"
        if not able:
            meets = reason.awaited in {"a receiver", "a sender"}
            return ", which nobody is left to do" if meets else f", and nobody is left to {does}"
        return f", and only {able[0]} can {does}" if len(able) == 1 else ""

    def operations_ahead(self, process: Process, location: int) -> Iterator[ops.Operation]:
        """Of all statements that a process may still come to."""
        graph = self.model.graphs[process.name]
        seen, pending = {location}, [location]
        while pending:
            for edge in graph.edges.get(pending.pop(), ()):
                yield from operations_of(edge.transition)
                if edge.transition.target not in seen:
                    seen.add(edge.transition.target)
                    pending.append(edge.transition.target)

    def event_is_missing(self, state: bytes) -> bool:
        """Would this state be no valid end because of a trace?"""
        claim = self.model.events
        return claim is not None and not claim.is_negated and self.event_number(state) not in claim.ends

    @staticmethod
    def event_number(state: bytes) -> int:
        return int.from_bytes(state[EVENT_LOCATION_OFFSET : EVENT_LOCATION_OFFSET + 2], "little")


def process_title(process: Process, pid: int) -> str:
    return f"{process.name}[{pid}]"


def load(path: Path, options: LanguageOptions) -> PromelaProgram:
    """Everything before the search; raises `SourceProblem` if the model is wrong."""
    return load_text(path, preprocess(path, options.defines), options)


def load_text(path: Path, text: PreprocessedText, options: LanguageOptions) -> PromelaProgram:
    if options.audit_tracking and options.tracking != "declared":
        raise OptionProblem(
            "--audit-tracking looks for what --tracking declared leaves out; by default nothing is"
        )
    with syntax.deep_recursion():
        model, plan, code = translate(parse_preprocessed(text), options)
    return PromelaProgram(path, options, model, plan, compile_model(code))


def translate(tree: syntax.Model, options: LanguageOptions) -> tuple[PromelaModel, Plan, str]:
    """From the syntax tree to C, without compiling it."""
    model = build(tree, options)
    properties = parse_properties(model, options)
    match = parse_match(model, options)
    reductions = reductions_of(model, options)
    if model.resolver.embedded.locals:
        from assay.languages.promela.embedded_c.linking import add_locals

        add_locals(model.resolver.embedded, model.processes, model.file, options)
    model.resolver.embedded.find_symbols(model.resolver.globals, model.processes)
    plan = plan_of(model, properties, reductions, options, match)
    plan.match_anywhere = options.match_anywhere
    return model, plan, generate(plan)
