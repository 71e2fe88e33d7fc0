"""A C program as verification wants it: its graph, its sources, what a verdict is relative to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from assay.records import dataclass
from assay.transition_system.interface import Capabilities, SourceHash, SourceProblem
from assay.transition_system.language_options import LanguageOptions, OptionProblem
from assay.transition_system.sequential.control_flow import ControlFlow, SequentialProgram
from assay.transition_system.sequential.inlining import inlined, is_recursive, without_bounds
from assay.transition_system.sequential.slicing import failing_part

if TYPE_CHECKING:
    from assay.languages.c.preprocessing import Preprocessed

LANGUAGE = "c"
SEMANTICS_VERSION = 1
CHECKS = ("overflow", "division", "bounds", "allocation")
MISSING = "C programs need pycparser; install what they need with: pip install 'assay-mc[c]'"

WITHIN = "indexes and pointers, also those compared, are within live objects"
# A local has one number in all its lives: bounds tell an object that lives from one that does not.
ONE_LIFE = "no pointer to a local is kept from one life of it to the next"


@dataclass(frozen=True)
class CProgram:
    files: tuple[Path, ...]
    flags: tuple[str, ...]  # -I and -D
    checks: tuple[str, ...]
    data_model: str
    sources: Sequence[SourceHash]
    expanded: Sequence[str]  # digests of the preprocessed texts
    program: SequentialProgram
    rules: tuple[str, ...] = ()  # by name
    texts: tuple[str, ...] = ()  # that were parsed, with the rules in them
    woven: tuple[str, ...] = ()  # texts with the rules in them; none: it is compiled as it was read
    as_read: tuple[str, ...] = ()  # by the preprocessor: files may have changed since

    language = LANGUAGE
    capabilities = Capabilities()

    def opened(self) -> CProgram:
        return self

    @property
    def semantics(self) -> Mapping[str, object]:
        return {
            "version": SEMANTICS_VERSION,
            "data_model": self.data_model,
            "checks": list(self.checks),
            "flags": list(self.flags),
            "rules": list(self.rules),
            "granted": list(self.granted),
            "expanded": list(self.expanded),
        }

    @cached_property
    def flow(self) -> ControlFlow:
        return failing_part(inlined(self.program))

    def flow_at(self, recursion: int) -> ControlFlow:
        return self.flow if recursion == 0 else failing_part(inlined(self.program, recursion))

    def flows(self) -> Iterator[tuple[ControlFlow, bool]]:
        """What to look at, one after the other, and whether a proof of it is one of the program. Recursion is
        copied deeper and deeper: first without asking whether that was deep enough."""
        if not is_recursive(self.program):
            yield self.flow, True
            return
        depth = 1
        while True:
            whole = inlined(self.program, depth)
            yield failing_part(without_bounds(whole)), False
            yield failing_part(whole), True
            depth *= 2

    @property
    def granted(self) -> tuple[str, ...]:
        """What a proof takes for granted and nobody checked, in few words: a headline says no more."""
        found = [ONE_LIFE if "bounds" in self.checks else WITHIN]
        silent = sorted(name.removesuffix("__real") for name in self.program.externals)
        if silent:
            more = f" and {len(silent) - 2} others" if len(silent) > 3 else ""
            shown = silent if len(silent) <= 3 else silent[:2]
            verb = "changes" if len(silent) == 1 else "change"
            correct = " and touches" if len(silent) == 1 else " and touch"
            said = f"{correct} only what is there" if "bounds" in self.checks else ""
            found.append(f"{', '.join(f'{name}()' for name in shown)}{more} {verb} nothing{said}")
        return (*found, *self.program.granted)

    @property
    def allocates(self) -> bool:
        from assay.languages.c.memory import HEAP

        return HEAP in self.program.globals

    @property
    def notes(self) -> tuple[str, ...]:
        assumed = {
            "overflow": "signed overflow wraps",
            "division": "a division by zero ends the program",
            "bounds": "indexes and pointers, also those compared, are taken to be within live objects",
            "allocation": "malloc is taken to succeed, and to be asked for less than 2 GiB",
        }
        if not self.allocates:
            del assumed["allocation"]
        left_out = {name: text for name, text in assumed.items() if name not in self.checks}
        said = f"{', '.join(left_out.values())} (--check {','.join(left_out)})"
        return (*self.program.notes, *([said] if left_out else []))


def load(
    path: Path, options: LanguageOptions, changed: Callable[[Preprocessed], Preprocessed] | None = None
) -> CProgram:
    """`changed`: puts something into the text of the first file, before gcc judges it once more."""
    try:
        from assay.languages.c.lowering import lower
    except ImportError:
        raise SourceProblem(MISSING) from None
    from assay.languages.c.preprocessing import DATA_MODELS, preprocess, require_accepted, without_prelude
    from assay.languages.c.rules import load as load_rule
    from assay.languages.c.rules import require_concerned, woven
    from assay.languages.c.rules import sources as rule_sources

    if options.invariants or options.step_invariants or options.ltl or options.terminates:
        raise OptionProblem("invariants and formulas are not read for C programs; write assertions")
    checks = checks_of(options.checks)
    if options.data_model and options.data_model not in DATA_MODELS:
        raise OptionProblem(f"data-model: expected one of {', '.join(DATA_MODELS)}, got {options.data_model}")
    model = DATA_MODELS[options.data_model or "LP64"]
    flags = (*(f"-D{one}" for one in options.defines), *(f"-I{one}" for one in options.includes))
    files = (path, *map(Path, options.c_sources))
    texts = [preprocess(file, model, flags) for file in files]
    if changed is not None:
        texts[0] = changed(texts[0])
        require_accepted(texts[0], model)
    rules = [load_rule(one) for one in options.rules]
    require_concerned(texts, rules)
    if rules:
        texts = woven(texts, rules)
        for one in texts:
            require_accepted(one, model)
    program = lower(texts, model, checks)
    return CProgram(
        files,
        flags,
        checks,
        model.name,
        (*(SourceHash(one.path, one.sha256) for one in texts), *rule_sources(rules)),
        tuple(one.expanded_sha256 for one in texts),
        program,
        tuple(one.name for one in rules),
        tuple(one.text for one in texts),
        tuple(without_prelude(one.text) for one in texts) if rules else (),
        tuple(one.expanded for one in texts),
    )


def checks_of(given: Sequence[str]) -> tuple[str, ...]:
    asked = [name.strip() for one in given for name in one.split(",") if name.strip()]
    unknown = [name for name in asked if name not in CHECKS]
    if unknown:
        raise OptionProblem(f"check: expected some of {', '.join(CHECKS)}, got {unknown[0]}")
    return tuple(name for name in CHECKS if name in asked)
