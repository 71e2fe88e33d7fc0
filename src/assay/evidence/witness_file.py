"""SV-COMP's verification witnesses, format 2.0 and 2.1, as YAML (Ayaziová et al. 2024, "Software Verification
Witnesses 2.0").

    violation_sequence   segments, each with waypoints to avoid and one to follow; the last is the target
    invariant_set        invariants of loops and of locations, as C expressions

Lines and columns begin with 1; a column that is left out is the leftmost that fits. Whoever wrote a file may
be a stranger: it is read as plain data with limits, and what is not understood is refused by its name.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from assay.evidence.reading import read_regular_file
from assay.records import dataclass
from assay.transition_system.interface import SourceProblem

VERSIONS = ("2.0", "2.1")
VIOLATION, CORRECTNESS = "violation_sequence", "invariant_set"
WAYPOINTS = ("assumption", "branching", "function_enter", "function_return", "target")
INVARIANTS = ("loop_invariant", "location_invariant")
MOST_BYTES = 4 << 20
MOST_NODES = 200_000
MOST_DEPTH = 40
MOST_CHARACTERS = 10_000  # of an expression
MOST_SEGMENTS = 5_000
MISSING = "witnesses need PyYAML; install it with: pip install 'assay-mc[c]'"
UNREACHABLE = "CHECK( init(main()), LTL(G ! call(reach_error())) )"
NO_OVERFLOW = "CHECK( init(main()), LTL(G ! overflow) )"
ASSERTIONS = "CHECK( init(main()), LTL(G assert) )"


class WitnessProblem(Exception):
    """The file is no witness, or says something that is not understood."""


@dataclass(frozen=True, slots=True)
class Location:
    line: int
    column: int | None = None
    file: str = ""
    function: str = ""

    def __str__(self) -> str:
        return f"{self.line}" + (f":{self.column}" if self.column is not None else "")


@dataclass(frozen=True, slots=True)
class Waypoint:
    kind: str
    location: Location
    value: str = ""  # of the constraint; empty: none
    is_avoided: bool = False


@dataclass(frozen=True, slots=True)
class Invariant:
    kind: str
    location: Location
    value: str


@dataclass(frozen=True, slots=True)
class Task:
    files: Mapping[str, str]  # names with SHA-256
    specification: str
    data_model: str


@dataclass(frozen=True, slots=True)
class Witness:
    version: str
    task: Task
    producer: str
    segments: Sequence[Sequence[Waypoint]] = ()
    invariants: Sequence[Invariant] | None = None  # None: it is about a violation

    @property
    def is_about_a_violation(self) -> bool:
        return self.invariants is None


def _yaml() -> Any:
    try:
        import yaml
    except ImportError:
        raise SourceProblem(MISSING) from None
    return yaml


# --- reading ---


def looks_like_a_witness(path: Path) -> bool:
    """By its name, or by how it begins."""
    if path.suffix in (".yml", ".yaml"):
        return True
    try:
        content = read_regular_file(path, MOST_BYTES)
    except (OSError, ValueError):
        return False
    return b"entry_type:" in content[:2000].split(b"\0")[0]


def read_witness(path: Path) -> Witness:
    content = read_regular_file(path, MOST_BYTES)
    return from_text(content.decode("utf-8", "replace"))


def from_text(text: str) -> Witness:
    yaml = _yaml()
    try:
        _require_small(yaml, text)
        data = yaml.load(text, Loader=_loader(yaml))
    except (yaml.YAMLError, ValueError, RecursionError) as problem:
        said = " ".join(str(problem).split())[:200]
        raise WitnessProblem(f"it is no YAML: {said}") from None
    entries = _list(data, "the file")
    known = [
        one for one in entries if isinstance(one, dict) and one.get("entry_type") in (VIOLATION, CORRECTNESS)
    ]
    if len(known) != 1 or len(entries) != 1:
        raise WitnessProblem(f"expected one entry, {VIOLATION} or {CORRECTNESS}, found {len(entries)}")
    entry = known[0]
    metadata = _mapping(entry.get("metadata"), "metadata")
    version = str(metadata.get("format_version", ""))
    if version not in VERSIONS:
        raise WitnessProblem(
            f"format_version {version[:20]!r} is not understood; it may be {' or '.join(VERSIONS)}"
        )
    task = _task(_mapping(metadata.get("task"), "task"))
    producer = str(_mapping(metadata.get("producer"), "producer").get("name", ""))[:100]
    content = _list(entry.get("content"), "content")
    if len(content) > MOST_SEGMENTS:
        raise WitnessProblem(f"more than {MOST_SEGMENTS} segments or invariants")
    if entry["entry_type"] == VIOLATION:
        return Witness(version, task, producer, _segments(content))
    return Witness(version, task, producer, (), tuple(_invariant(one) for one in content))


def _loader(yaml: Any) -> Any:
    """Plain data, without times and the like; a number stays one."""
    return yaml.SafeLoader


def _require_small(yaml: Any, text: str) -> None:
    """Aliases would let a short text stand for a huge one."""
    depth = 0
    for count, event in enumerate(yaml.parse(text, Loader=yaml.SafeLoader)):
        if isinstance(event, yaml.AliasEvent):
            raise WitnessProblem("it has aliases, which no witness needs")
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if count > MOST_NODES or depth > MOST_DEPTH:
            raise WitnessProblem("it is larger or deeper than a witness may be")


def _mapping(given: Any, what: str) -> Mapping[str, Any]:
    if not isinstance(given, dict):
        raise WitnessProblem(f"{what}: expected names with values")
    return given


def _list(given: Any, what: str) -> Sequence[Any]:
    if not isinstance(given, list):
        raise WitnessProblem(f"{what}: expected a list")
    return given


def _task(given: Mapping[str, Any]) -> Task:
    hashes = _mapping(given.get("input_file_hashes"), "input_file_hashes")
    if str(given.get("language", "C")) != "C":
        raise WitnessProblem(f"it is about a program in {str(given.get('language'))[:40]!r}")
    return Task(
        {str(name): str(digest) for name, digest in hashes.items()},
        str(given.get("specification", "")).strip(),
        str(given.get("data_model", "")),
    )


def _segments(content: Sequence[Any]) -> tuple[tuple[Waypoint, ...], ...]:
    found = []
    for number, one in enumerate(content, start=1):
        given = _list(_mapping(one, f"segment {number}").get("segment"), f"segment {number}")
        points = tuple(_waypoint(_mapping(each, "waypoint").get("waypoint"), number) for each in given)
        if [point.is_avoided for point in points] != [True] * (len(points) - 1) + [False]:
            raise WitnessProblem(f"segment {number}: expected waypoints to avoid and then one to follow")
        is_last = number == len(content)
        if (points[-1].kind == "target") != is_last or any(point.kind == "target" for point in points[:-1]):
            raise WitnessProblem(
                f"segment {number}: the target is followed in the last segment, and only there"
            )
        found.append(points)
    if not found:
        raise WitnessProblem("there is no segment, so no target")
    return tuple(found)


def _waypoint(given: Any, segment: int) -> Waypoint:
    point = _mapping(given, f"segment {segment}: waypoint")
    kind, action = str(point.get("type")), str(point.get("action"))
    if kind not in WAYPOINTS:
        raise WitnessProblem(f"segment {segment}: a waypoint of type {kind[:40]!r} is not understood")
    if action not in ("follow", "avoid"):
        raise WitnessProblem(f"segment {segment}: expected follow or avoid, got {action[:40]!r}")
    constraint = point.get("constraint")
    value = ""
    if constraint is not None:
        raw = _mapping(constraint, f"segment {segment}: constraint").get("value", "")
        value = {True: "true", False: "false"}.get(raw, str(raw)) if isinstance(raw, bool) else str(raw)
    if kind in ("assumption", "branching") and not value:
        raise WitnessProblem(f"segment {segment}: a waypoint of type {kind} needs a constraint")
    return Waypoint(
        kind, _location(point.get("location"), f"segment {segment}"), _short(value), action == "avoid"
    )


def _invariant(given: Any) -> Invariant:
    one = _mapping(_mapping(given, "content").get("invariant"), "invariant")
    kind, form = str(one.get("type")), str(one.get("format", "c_expression"))
    if kind not in INVARIANTS:
        raise WitnessProblem(f"an invariant of type {kind[:40]!r} is not understood")
    if form not in ("c_expression", "ext_c_expression"):
        raise WitnessProblem(f"an invariant in the format {form[:40]!r} is not understood")
    return Invariant(kind, _location(one.get("location"), "invariant"), _short(str(one.get("value", ""))))


def _short(value: str) -> str:
    if len(value) > MOST_CHARACTERS:
        raise WitnessProblem(f"an expression of more than {MOST_CHARACTERS} characters")
    return value


def _location(given: Any, what: str) -> Location:
    one = _mapping(given, f"{what}: location")
    line, column = one.get("line"), one.get("column")
    if type(line) is not int or line < 1:
        raise WitnessProblem(f"{what}: a location needs a line from 1")
    if column is not None and (type(column) is not int or column < 1):
        raise WitnessProblem(f"{what}: columns begin with 1")
    return Location(line, column, str(one.get("file_name", "")), str(one.get("function", "")))


# --- writing ---


def as_text(witness: Witness, version: str) -> str:
    """`version`: of the tool that writes it."""
    names = list(witness.task.files)
    metadata = {
        "format_version": witness.version,
        "uuid": str(uuid.uuid4()),
        "creation_time": datetime.now(UTC).isoformat(timespec="seconds"),
        "producer": {"name": "Assay", "version": version},
        "task": {
            "input_files": names,
            "input_file_hashes": dict(witness.task.files),
            "specification": witness.task.specification,
            "data_model": witness.task.data_model,
            "language": "C",
        },
    }
    if witness.invariants is None:
        content: list[Any] = [
            {"segment": [{"waypoint": _point_as_data(one)} for one in segment]}
            for segment in witness.segments
        ]
        kind = VIOLATION
    else:
        content = [
            {
                "invariant": {
                    "type": one.kind,
                    "location": _location_as_data(one.location),
                    "value": one.value,
                    "format": "c_expression",
                }
            }
            for one in witness.invariants
        ]
        kind = CORRECTNESS
    data = [{"entry_type": kind, "metadata": metadata, "content": content}]
    return str(_yaml().safe_dump(data, sort_keys=False, allow_unicode=True, width=110))


def _location_as_data(one: Location) -> dict[str, Any]:
    found: dict[str, Any] = {"file_name": one.file, "line": one.line}
    if one.column is not None:
        found["column"] = one.column
    if one.function:
        found["function"] = one.function
    return found


def _point_as_data(one: Waypoint) -> dict[str, Any]:
    found: dict[str, Any] = {"type": one.kind, "action": "avoid" if one.is_avoided else "follow"}
    if one.value:
        is_acsl = one.kind == "function_return"
        found["constraint"] = {"value": one.value}
        if one.kind in ("assumption", "function_return"):
            found["constraint"]["format"] = "acsl_expression" if is_acsl else "c_expression"
    return {**found, "location": _location_as_data(one.location)}
