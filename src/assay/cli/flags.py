"""The flags of searches and of languages, each from its one table of options."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, TypeVar

import click

from assay.cli.caching import cache_size
from assay.cli.quantities import Count, CountOrShare, Definition, Duration, Memory
from assay.search.options import Option, SearchOptions, table
from assay.transition_system import language_options
from assay.transition_system.language_options import REDUCTIONS, LanguageOption

Command = TypeVar("Command", bound=Callable[..., Any])
DEFAULTS = {one.name: one.default for one in fields(SearchOptions)}


def search_flags(command: Command) -> Command:
    """Adds them all to a command, which is given their values by the names of the API."""
    for name, option in reversed(list(table())):
        command = _flag(option, DEFAULTS[name])(command)
    return command


def asked_of_the_search(given: Mapping[str, Any]) -> dict[str, Any]:
    """What the API is asked for: what was left out has its default there."""
    asked = {option.name: given[option.name] for _, option in table() if given[option.name] is not None}
    asked["search"] = given["search"] or _usual_search(given)
    asked["cache_size"] = cache_size(given)
    asked["check_deadlock"] = not given["check_deadlock"]  # the flag is --no-deadlock
    return asked


WITHOUT_REDUCTION = {
    "dead-variables": "Keep values that are never read again.",
    "merging": "Do not merge statements that only one process can see.",
    "partial-order": "Explore all orders of independent steps.",
}


def language_flags(command: Command) -> Command:
    """The same for what front ends are asked for; each reduction can be switched off."""
    for _, option in reversed(list(language_options.table())):
        if option.kind != "reductions":
            command = _language_flag(option)(command) if option.flag else command
            continue
        for name in reversed(REDUCTIONS):
            command = click.option(f"--no-{name}", is_flag=True, help=WITHOUT_REDUCTION[name])(command)
        everything = "Explore the whole graph: all reductions off."
        command = click.option("--no-reductions", is_flag=True, help=everything)(command)
    return command


def asked_of_the_language(given: Mapping[str, Any]) -> dict[str, Any]:
    asked = {
        option.name: given[option.name]
        for _, option in language_options.table()
        if given.get(option.name) is not None
    }
    asked["reductions"] = [
        name
        for name in REDUCTIONS
        if not given["no_reductions"] and not given[f"no_{name.replace('-', '_')}"]
    ]
    return asked


def _language_flag(option: LanguageOption) -> Callable[[Command], Command]:
    if option.kind == "switch":
        return click.option(option.flag, option.name, is_flag=True, help=option.help)
    kinds: dict[str, Any] = {"choice": click.Choice(option.choices), "definitions": Definition()}
    return click.option(
        option.flag,
        option.name,
        type=kinds.get(option.kind),
        multiple=option.kind not in {"choice", "text"},
        metavar=option.metavar,
        help=option.help,
    )


def _usual_search(given: Mapping[str, Any]) -> str:
    if given["cache_size"]:
        return "cached"
    return "dfs" if given["storage"] == "bitstate" else "bfs"


class OptionChoice(click.Choice[str]):
    """What the table lists; the engine may have more, and is asked only about what the table has not."""

    def __init__(self, option: Option) -> None:
        super().__init__(option.choices)
        self.option = option

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value not in self.choices and value in self.option.all_choices():
            return value
        return super().convert(value, param, ctx)


def _flag(option: Option, default: Any) -> Callable[[Command], Command]:
    if option.kind == "switch":
        return click.option(option.flag, option.name, is_flag=True, help=option.help)
    low = max(1, int(option.low)) if default == 0 and not option.shown else int(option.low)
    kinds: dict[str, Any] = {
        "choice": lambda: OptionChoice(option),
        "count": lambda: Count(low, int(option.high)),
        "count or share": lambda: CountOrShare(int(option.high)),
        "memory": Memory,
        "duration": Duration,
        "directory": lambda: None,
        "names": lambda: None,
        "address": lambda: None,
    }
    return click.option(
        option.flag,
        option.name,
        type=kinds[option.kind](),
        metavar={"directory": "DIR", "names": "NAMES", "address": "ADDRESS"}.get(option.kind),
        default=_told(default, option) if option.shown else None,
        show_default=option.shown,
        help=option.help,
    )


def _told(default: Any, option: Option) -> Any:
    return f"{default >> 20}MiB" if option.kind == "memory" else default
