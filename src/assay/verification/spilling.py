"""Searches that keep their states on disk: what a checkpoint belongs to, and when to reach for them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from assay import __version__
from assay.evidence.verdict import StopReason
from assay.search.spilled import identity_in
from assay.transition_system.interface import Program
from assay.transition_system.language_options import LanguageOptions
from assay.verification.request import Request

MEANING = "meaning of the program"
CONTINUABLE = {
    StopReason.TIME,
    StopReason.INTERRUPTED,
    StopReason.MEMORY,
    StopReason.STATES,
    StopReason.DISK,
    StopReason.CLUSTER,
}


def identity_of(request: Request, program: Program, *, with_graph: bool) -> list[tuple[str, str]]:
    """By name, everything that decides what the search sees; limits on time, memory and states do not."""
    options, language = request.options, request.language_options
    return [
        ("version of Assay", __version__),
        ("program", " ".join(source.sha256 for source in program.sources)),
        (MEANING, json.dumps(dict(program.semantics), sort_keys=True, default=str)),
        ("list of invariants", json.dumps(language.invariants)),
        ("list of step invariants", json.dumps(language.step_invariants)),
        *options.identity(),
        ("choice about certificates", "one is written" if with_graph else "none is written"),
    ]


def found_out_before(request: Request) -> LanguageOptions:
    """The options of the language, with what a certificate needs and what a search that is to be continued
    found out about the program."""
    options = replace(request.language_options, portable=request.certificate is not None)
    if not request.options.resume:
        return options
    meaning = json.loads(identity_in(request.options.spill_directory).get(MEANING, "{}"))
    names = meaning.get("not_final") if isinstance(meaning, dict) else None
    # To assume less of the program is never wrong, whoever wrote these names.
    known = tuple(str(name) for name in names) if isinstance(names, list) else ()
    return replace(options, not_final=known or options.not_final)


def how_to_go_on(request: Request, stopped: Sequence[StopReason], *, problem: str = "") -> list[str]:
    """What a user can do about searches that limits stopped, or a certificate that a `problem` prevented."""
    options = request.options
    if options.spill_directory:
        if CONTINUABLE.isdisjoint(stopped) and not problem:
            return []
        return [f"the search can be continued: the same command with --resume ({options.spill_directory})"]
    if StopReason.MEMORY in stopped and options.storage == "exact":
        return ["to search on in the same memory, exactly, keep the states on disk: --spill DIR"]
    return []
