"""What is asked of runs that never end: each property is searched for on its own, after the states."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from assay.evidence.counterexample import Counterexample, Trace, TraceProblem, described_by, translate
from assay.evidence.properties import Property, Standing
from assay.evidence.result import Violation
from assay.evidence.verdict import Judgement, SearchFacts, StopReason, Verdict, judge
from assay.execution.model_process import ModelProcess
from assay.records import dataclass
from assay.transition_system.interface import (
    CANNOT_BE_EVALUATED,
    Program,
    TemporalProperty,
    ViolationFacts,
    Waiting,
)
from assay.transition_system.language_options import OptionProblem
from assay.verification.request import Phase, Request
from assay.verification.searches import Searches
from assay.verification.spilling import identity_of

if TYPE_CHECKING:
    from assay.search.cycles import CycleOutcome, FoundLasso, PartRequest

NOT_BEGUN = SearchFacts(stop_reason=StopReason.TIME, stop_detail="before the search for cycles began")


@dataclass(frozen=True, slots=True)
class Answer:
    """To one question."""

    wanted: TemporalProperty
    outcome: CycleOutcome

    @property
    def standing(self) -> Standing:
        facts = self.outcome.facts
        if facts.violation_count:
            return Standing.VIOLATED
        return Standing.HOLDS if judge(facts).verdict is Verdict.VERIFIED else Standing.NOT_DECIDED

    @property
    def property(self) -> Property:
        return Property(self.wanted.kind, title(self.wanted), self.standing)


def title(wanted: TemporalProperty) -> str:
    return f"{wanted.name}: {wanted.text}" if wanted.name else wanted.text


def processes_for_fairness(program: Program, wanted: TemporalProperty, *, fair: bool) -> int:
    """For how many there is fairness; 0: none was asked for."""
    if not (fair or wanted.always_fair):
        return 0
    if not program.process_limit:
        raise OptionProblem(f"fair: the steps of a program in {program.language} belong to no process")
    return program.process_limit


def answers(
    program: Program,
    request: Request,
    process: ModelProcess,
    name: str,
    searches: Searches,
    certificates: Sequence[PartRequest] = (),
) -> list[Answer]:
    """`certificates`: where the part about each property goes, if parts are wanted."""
    if not program.temporal:
        return []
    from assay.search.cycles import CycleOutcome

    found = []
    for number, wanted in enumerate(program.temporal):
        request.listener(Phase(f"searching for a run that violates {title(wanted)} in", name))
        if request.deadline is not None and time.monotonic() >= request.deadline:
            found.append(Answer(wanted, CycleOutcome(NOT_BEGUN, None, 0)))
            continue
        processes = processes_for_fairness(program, wanted, fair=request.language_options.fair)
        try:
            outcome = searches.find_violation(
                program.opening,
                wanted,
                request.options,
                processes=processes,
                deadline=request.deadline,
                on_progress=request.listener,
                process=process,
                certificate=certificates[number] if certificates else None,
                directory=_directory_for(request, number),
                identity=[
                    *identity_of(request, program, with_graph=False),
                    ("property", f"{wanted.kind} {title(wanted)}, fair for {processes}"),
                ],
            )
        except OptionProblem as problem:  # fairness for more processes than can be counted
            outcome = CycleOutcome(SearchFacts(stop_detail=str(problem)), None, 0)
        found.append(Answer(wanted, outcome))
        if outcome.facts.stop_reason is StopReason.INTERRUPTED:
            break
    if request.options.spill_directory:
        with contextlib.suppress(OSError):
            Path(request.options.spill_directory).rmdir()  # if nothing was left in it
    return found


def _directory_for(request: Request, number: int) -> Path | None:
    """Inside of the directory of the search for states: each search has its own."""
    if not request.options.spill_directory:
        return None
    directory = Path(request.options.spill_directory)
    directory.mkdir(mode=0o700, exist_ok=True)
    return directory / f"runs-{number + 1}"


def with_answers(
    judgement: Judgement, asked: Sequence[TemporalProperty], given: Sequence[Answer]
) -> Judgement:
    """The judgement over the states and over all properties of runs, which must all hold."""
    if not asked:
        return judgement
    reasons = list(judgement.reasons)
    for answer in given:
        if answer.standing is Standing.NOT_DECIDED:
            reasons += [f"{title(answer.wanted)}: {reason}" for reason in judge(answer.outcome.facts).reasons]
    for wanted in asked[len(given) :]:
        reasons.append(f"{title(wanted)}: nobody looked at it any more")
    if judgement.verdict is Verdict.VIOLATED or any(one.standing is Standing.VIOLATED for one in given):
        return Judgement(Verdict.VIOLATED, judgement.complete, tuple(reasons))
    if judgement.verdict is Verdict.VERIFIED and not reasons:
        return judgement
    return Judgement(Verdict.INCOMPLETE, judgement.complete, tuple(reasons))


def standings_of(asked: Sequence[TemporalProperty], given: Sequence[Answer]) -> list[Property]:
    left = [Property(one.kind, title(one), Standing.NOT_DECIDED) for one in asked[len(given) :]]
    return [*(answer.property for answer in given), *left]


def is_told_by(answer: Answer, violations: Sequence[Violation]) -> bool:
    """A run that ends in a deadlock never ends well; where one is reported, that is said once."""
    lasso = answer.outcome.lasso
    return (
        answer.wanted.kind == "termination"
        and lasso is not None
        and lasso.loop_start == len(lasso.positions)
        and any(one.kind == "deadlock" for one in violations)
    )


def violation_of(program: Program, answer: Answer) -> Violation:
    facts = facts_of(answer.wanted)
    lasso = answer.outcome.lasso
    run = None if lasso is None else _in_words(program, answer.wanted, lasso, facts)
    return Violation(kind=facts.kind, message=facts.message, counterexample=run)


def _in_words(
    program: Program, wanted: TemporalProperty, lasso: FoundLasso, facts: ViolationFacts
) -> Counterexample | None:
    if lasso.run is None:
        return None
    run = translate(program, 0, lasso.positions, lasso.run, violation=facts, loop_start=lasso.loop_start)
    run = _with_conditions(run, lasso, _conditions_of(wanted))
    if lasso.loop_start == len(lasso.positions):  # nobody can move
        return run
    if _is_decided_on_the_way(wanted, lasso):
        return replace(run, waiting=())
    last = lasso.run.final if lasso.run.final is not None else lasso.run.steps[-1].state
    standing = described_by(program, lasso.run).describe_everybody(last)
    return replace(run, waiting=tuple(_bystanders(standing, lasso)))


def _is_decided_on_the_way(wanted: TemporalProperty, lasso: FoundLasso) -> bool:
    """Whatever follows, fair or not, the property is violated: who stands still did not bring it about."""
    if wanted.progress_label is not None:  # the automaton alone says nothing
        return False
    locations = {0}
    for letter in lasso.atoms:
        if locations & wanted.automaton.accepting_everything:
            return True
        valuation = wanted.automaton.valuation(letter)
        locations = {to for one in locations for to in wanted.automaton.successors(one, valuation)}
    return bool(locations & wanted.automaton.accepting_everything)


def _conditions_of(wanted: TemporalProperty) -> list[str]:
    """The atoms that a reader has written; the others are the front end's."""
    if wanted.kind == "never":
        return [atom for atom in wanted.automaton.atoms if not atom.endswith(CANNOT_BE_EVALUATED)]
    written = _bare(wanted.text)
    return [atom for atom in wanted.automaton.atoms if _bare(atom) in written]


def _bare(text: str) -> str:
    return "".join(letter for letter in text if letter not in " ()")


def _with_conditions(run: Counterexample, lasso: FoundLasso, known: Sequence[str]) -> Counterexample:
    """What each step does to the conditions of the formula, and which stay as they are on the cycle."""
    if not lasso.atoms or run.omitted:
        return run
    first = len(lasso.positions) + 1 - len(lasso.atoms)  # a position that only chooses where to begin
    steps = list(run.steps)
    for number in range(first, len(lasso.positions)):
        before, after = lasso.atoms[number - first], lasso.atoms[number - first + 1]
        last = max((i for i, step in enumerate(steps) if step.transition == number), default=None)
        if last is not None and before != after:
            changed = [atom for atom in known if _truth(atom, before) != _truth(atom, after)]
            texts = [f"{atom} {_truth(atom, after, 'becomes')}" for atom in changed]
            steps[last] = replace(steps[last], conditions=tuple(texts))
    cycle = lasso.atoms[max(0, lasso.loop_start - first) :]
    lasting = [(atom, {_truth(atom, letter) for letter in cycle}) for atom in known]
    return replace(
        run,
        steps=tuple(steps),
        conditions=tuple(f"{atom} {min(values)}" for atom, values in lasting if len(values) == 1),
    )


def _truth(atom: str, letter: Collection[str], verb: str = "is") -> str:
    """What is the matter with a condition where the atoms of a letter are true."""
    if atom + CANNOT_BE_EVALUATED in letter:
        return CANNOT_BE_EVALUATED.strip()
    return f"{verb} {'true' if atom in letter else 'false'}"


def _bystanders(standing: Sequence[Waiting], lasso: FoundLasso) -> Iterator[Waiting]:
    """Who does not move on the cycle, and why."""
    for one in standing:
        if one.number in lasso.moving:
            continue
        how = "sometimes" if one.number in lasso.sometimes else "waits"
        yield replace(one, how="starves" if one.number in lasso.starved else how)


def facts_of(wanted: TemporalProperty) -> ViolationFacts:
    if wanted.kind == "progress":
        return ViolationFacts(wanted.kind, "a run goes on for ever without progress")
    if wanted.kind == "acceptance":
        return ViolationFacts(wanted.kind, "a run passes an accept label again and again")
    if wanted.kind == "termination":
        return ViolationFacts(wanted.kind, "a run never ends")
    return ViolationFacts(wanted.kind, f"{title(wanted)} does not hold")


def replay_temporal(program: Program, recorded: Trace, *, fair: bool) -> Counterexample:
    from assay.search.cycles import replay_lasso

    run = recorded.counterexample
    assert run.loop_start is not None
    wanted = next((one for one in program.temporal if facts_of(one) == run.violation), None)
    if wanted is None:
        raise TraceProblem(f"the program no longer asks for: {run.violation.message}; verify it again")
    processes = processes_for_fairness(program, wanted, fair=fair)
    executed = replay_lasso(program.opening, wanted, run.positions, run.loop_start, processes)
    told = None if executed is None else _in_words(program, wanted, executed, run.violation)
    if told is None:
        raise TraceProblem(f"the run no longer shows that {run.violation.message}; verify the program again")
    return told
