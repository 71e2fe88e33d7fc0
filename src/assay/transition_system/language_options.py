"""The one table of what a caller may ask of the front end of a language.

Each field of `LanguageOptions` says everything about one option: its name in the API and in JSON, its flag,
what it is for, which languages have it and what is said to a user of another one. The command line, the API
and the JSON output read it here; an option of a language is added here and in the language's front end. The
rows stand together, and not with their languages, because most have several languages, and because a flag is
shown, and refused, before the language of a program is known and its front end imported.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, fields
from pathlib import Path
from typing import Any, Literal, TypedDict

from assay.records import dataclass

# What a front end may leave out because no property can notice; a language has some of them.
REDUCTIONS = ("dead-variables", "merging", "partial-order")

Kind = Literal["texts", "definitions", "reductions", "choice", "text", "switch"]


class OptionProblem(ValueError):
    """An option has a value that it cannot have, or that does not go with the others."""


def require_readable(option: str, path: Path) -> None:
    """A file that the user names and that is none, or that nobody may read, is a mistake in the command."""
    if not path.is_file():
        raise OptionProblem(f"{option}: expected a file, got {path}, which is none")
    if not os.access(path, os.R_OK):
        raise OptionProblem(f"{option}: {path} cannot be read: {os.strerror(errno.EACCES)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageOption:
    name: str  # in the API and in JSON
    flag: str  # empty: the command line asks in another way
    kind: Kind
    help: str
    metavar: str | None = None
    choices: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()  # that have it; empty: all
    refusal: str = ""  # what a user of another language is told

    def value(self, given: Any) -> Any:
        """What a front end is given for what a caller gave."""
        if self.kind in {"texts", "definitions"}:
            return tuple(given)
        return known_reductions(given) if self.kind == "reductions" else given

    def default(self) -> Any:
        """Of the API: a caller who says nothing wants all reductions."""
        defaults = {"reductions": REDUCTIONS, "choice": "", "text": "", "switch": False}
        return defaults.get(self.kind, ())

    def as_json(self, value: Any) -> object:
        if self.kind in {"choice", "text"}:
            return value or None
        return value if self.kind == "switch" else sorted(value) if self.kind == "reductions" else list(value)

    def from_json(self, value: object) -> Any:
        """What `as_json` wrote; what is not there is null."""
        if self.kind == "switch":
            return value is True
        if self.kind in {"choice", "text"}:
            return str(value or "")
        if value is not None and not (isinstance(value, list) and all(isinstance(one, str) for one in value)):
            raise OptionProblem(f"there is no list of texts under {self.name!r}")
        texts = tuple(value or ())
        return frozenset(texts) if self.kind == "reductions" else texts


def _option(default: Any, name: str, flag: str, kind: Kind, text: str, **more: Any) -> Any:
    option = LanguageOption(name=name, flag=flag, kind=kind, help=text, **more)
    return field(default=default, metadata={"option": option})


@dataclass(frozen=True, slots=True)
class LanguageOptions:
    """What a front end is given: the properties to check, and the options of its language."""

    invariants: tuple[str, ...] = _option(
        (), "invariants", "--invariant", "texts",
        "Must hold in every state, for example 'critical <= 1'. Repeatable.", metavar="EXPR",
    )  # fmt: skip
    step_invariants: tuple[str, ...] = _option(
        (), "step_invariants", "--step-invariant", "texts",
        "Must hold between every two consecutive states: 'x == 5 implies next.x == 8'. Repeatable.",
        metavar="EXPR",
    )  # fmt: skip
    ltl: tuple[str, ...] = _option(
        (), "ltl", "--ltl", "texts",
        "Check this formula: one of the model's own by its name, or one over its variables, "
        "'[] (p -> <> q)'. Repeatable [all that the model has].",
        metavar="NAME|FORMULA",
    )  # fmt: skip
    progress: bool = _option(
        False, "progress", "--progress", "switch",
        "No run goes on for ever without passing a progress label.",
        languages=("promela",), refusal="progress: what counts as progress is marked in Promela models",
    )  # fmt: skip
    terminates: bool = _option(
        False, "terminates", "--terminates", "switch",
        "Every run ends, if whoever can always move does.",
    )  # fmt: skip
    fair: bool = _option(
        False, "fair", "--fair", "switch",
        "Only runs in which whoever can always move does (weak fairness).",
        languages=("promela", "python"),
        refusal="fair: steps belong to processes or threads in programs, not in classes",
    )  # fmt: skip
    safety_only: bool = _option(
        False, "safety", "--safety", "switch", "Check safety only and say that claims were left out."
    )  # fmt: skip
    reductions: frozenset[str] = _option(
        frozenset(), "reductions", "", "reductions", "What may be left out because no property can notice."
    )  # fmt: skip
    defines: tuple[str, ...] = _option(
        (), "defines", "-D", "definitions", "Define a macro. Repeatable.",
        languages=("promela", "c"), refusal="-D defines macros, which are of Promela and C",
    )  # fmt: skip
    includes: tuple[str, ...] = _option(
        (), "includes", "-I", "texts", "C: look for headers in this folder. Repeatable.", metavar="FOLDER",
        languages=("c",), refusal="-I names folders of headers, which are of C programs",
    )  # fmt: skip
    checks: tuple[str, ...] = _option(
        (), "checks", "--check", "texts",
        "C: check this too, for every operation: overflow, division, bounds. Repeatable.", metavar="WHAT",
        languages=("c",), refusal="check: overflow, division and bounds are checked in C programs",
    )  # fmt: skip
    rules: tuple[str, ...] = _option(
        (), "rules", "--rule", "texts",
        "C: how functions may be called: a file in SLIC's form, or a rule of the library. Repeatable.",
        metavar="FILE|NAME",
        languages=("c",), refusal="rule: rules are about calls in C programs",
    )  # fmt: skip
    data_model: str = _option(
        "", "data_model", "--data-model", "choice",
        "C: the widths of long and of pointers [LP64].",
        choices=("LP64", "ILP32"),
        languages=("c",), refusal="data_model: widths of types are a choice in C programs",
    )  # fmt: skip
    show: tuple[str, ...] = _option(
        (), "show", "--show", "texts",
        "C: show this of the way to the verdict: steps of the engines, boolean-program, instrumented (with "
        "the rules woven in), slice. Repeatable.", metavar="WHAT",
        languages=("c",), refusal="show: steps of proofs are shown for C programs",
    )  # fmt: skip
    no_slicing: bool = _option(
        False, "no_slicing", "--no-slicing", "switch",
        "C: give the engines all of the program, also what no failure depends on.",
        languages=("c",), refusal="no_slicing: what is sliced is C programs",
    )  # fmt: skip
    granularity: str = _option(
        "", "granularity", "--granularity", "choice",
        "Python: where threads may switch: at every shared access [default], where CPython with its lock "
        "does, or only at synchronisation.",
        choices=("bytecode", "gil", "sync"),
        languages=("python",),
        refusal="granularity: where threads switch is a choice in Python programs",
    )  # fmt: skip
    tracking: str = _option(
        "", "tracking", "--tracking", "choice",
        "Embedded C: what of its memory is part of the state: all of it [default], or only what c_track "
        "declares, as in SPIN.",
        choices=("all", "declared"),
        languages=("promela",), refusal="tracking: C is embedded in Promela models",
    )  # fmt: skip
    audit_tracking: bool = _option(
        False, "audit_tracking", "--audit-tracking", "switch",
        "With --tracking declared: name every variable that embedded C changes and no c_track declares.",
        languages=("promela",), refusal="audit_tracking: C is embedded in Promela models",
    )  # fmt: skip
    c_sources: tuple[str, ...] = _option(
        (), "c_sources", "--c-source", "texts",
        "Embedded C, and C programs: compile and link this file of C too. Repeatable.", metavar="FILE",
        languages=("promela", "c"), refusal="c_sources: files of C belong to Promela models and C programs",
    )  # fmt: skip
    cflags: tuple[str, ...] = _option(
        (), "cflags", "--cflags", "texts",
        "Embedded C: flags for its compiler, '-DN=3 -Iinclude'. Repeatable.", metavar="FLAGS",
        languages=("promela",), refusal="cflags: C is embedded in Promela models",
    )  # fmt: skip
    ldflags: tuple[str, ...] = _option(
        (), "ldflags", "--ldflags", "texts",
        "Embedded C: flags for its linker, '-Llib -lring': static libraries. Repeatable.", metavar="FLAGS",
        languages=("promela",), refusal="ldflags: C is embedded in Promela models",
    )  # fmt: skip
    sanitize: bool = _option(
        False, "sanitize", "--sanitize", "switch",
        "Embedded C: compile it with checks of addresses and of undefined behaviour.",
        languages=("promela",), refusal="sanitize: C is embedded in Promela models",
    )  # fmt: skip
    language: str = _option(
        "", "language", "--language", "choice",
        "What the program is written in [told by the ending of its name, else guessed from its text].",
        choices=("promela", "python", "c"),
        languages=("promela", "python", "c"), refusal="language: model.py:ClassName is a class of Python",
    )  # fmt: skip
    predicates: tuple[str, ...] = _option(
        (), "predicates", "--predicates", "texts",
        "What a search by abstraction begins with, for example 'x > 3'. Repeatable [guards and properties].",
        metavar="EXPR",
    )  # fmt: skip
    match: tuple[str, ...] = _option(
        (), "match", "--match", "texts",
        "Compare states by where processes stand and the value of this expression; the rest is restored, not "
        "compared. Finds errors, proves nothing. path: by the path taken through embedded C. Repeatable.",
        metavar="EXPR|path",
    )  # fmt: skip
    match_anywhere: bool = _option(
        False, "match_anywhere", "--match-anywhere", "switch",
        "With --match: do not compare where processes stand either.",
    )  # fmt: skip
    python: str = _option(
        "", "python", "--python", "text",
        "Python: where the program finds its packages: a virtual environment, its interpreter, or a folder "
        "of packages [the environment that Assay runs in].",
        metavar="VENV",
        languages=("python",), refusal="python: packages are found for Python programs",
    )  # fmt: skip
    import_from: tuple[str, ...] = _option(
        (), "import_from", "", "texts",
        "Python: folders in which the program finds modules too, before those of its environment.",
        languages=("python",), refusal="import_from: modules are found for Python programs",
    )  # fmt: skip
    not_final: tuple[str, ...] = ()  # assumptions of a front end that a search found to fail
    foreign_code: bool = False  # who certifies agrees that embedded C is executed, confined
    readable: tuple[str, ...] = ()  # files that who executes it needs nevertheless
    portable: bool = False  # states shall be the same bytes in every process, as certificates need them

    @classmethod
    def from_keywords(cls, given: Mapping[str, Any]) -> LanguageOptions:
        """From the words of the API."""
        return cls(
            **{name: option.value(given.get(option.name, option.default())) for name, option in table()}
        )

    @classmethod
    def from_json(cls, written: Mapping[str, object]) -> LanguageOptions:
        """What `as_json` wrote, and assumptions that failed. Raises `OptionProblem`."""
        values = {name: option.from_json(written.get(option.name)) for name, option in table()}
        failed = written.get("not_final")
        return cls(**values, not_final=tuple(map(str, failed)) if isinstance(failed, list) else ())

    def as_json(self) -> dict[str, object]:
        """In the words of the API and of JSON."""
        return {option.name: option.as_json(getattr(self, name)) for name, option in table()}

    def require_those_of(self, language: str) -> None:
        """Refuses what was asked for and the language does not have."""
        untouched = LanguageOptions()
        for name, option in table():
            has_it = not option.languages or language in option.languages
            if not has_it and getattr(self, name) != getattr(untouched, name):
                raise OptionProblem(f"{option.refusal}; this program is in {language}")
        if self.safety_only and (self.ltl or self.progress or self.terminates):
            raise OptionProblem(
                "--safety checks no claim; leave it away, or --ltl, --progress and --terminates"
            )


class LanguageKeywords(TypedDict, total=False):
    """The same words for whoever checks types; a test holds both together."""

    invariants: Iterable[str]
    step_invariants: Iterable[str]
    ltl: Iterable[str]
    progress: bool
    terminates: bool
    fair: bool
    safety: bool
    reductions: Iterable[str]
    defines: Iterable[str]
    includes: Iterable[str]
    checks: Iterable[str]
    rules: Iterable[str]
    data_model: str
    show: Iterable[str]
    no_slicing: bool
    granularity: str
    tracking: str
    audit_tracking: bool
    c_sources: Iterable[str]
    cflags: Iterable[str]
    ldflags: Iterable[str]
    sanitize: bool
    language: str
    predicates: Iterable[str]
    match: Iterable[str]
    match_anywhere: bool
    python: str
    import_from: Iterable[str]


def table() -> Iterator[tuple[str, LanguageOption]]:
    """Every option with the name of its field."""
    for one in fields(LanguageOptions):
        if (option := one.metadata.get("option")) is not None:
            yield one.name, option


def known_reductions(names: Iterable[str]) -> frozenset[str]:
    chosen = frozenset(names)
    unknown = sorted(chosen - set(REDUCTIONS))
    if unknown:
        raise OptionProblem(f"reductions: expected some of {', '.join(REDUCTIONS)}, got {', '.join(unknown)}")
    return chosen
