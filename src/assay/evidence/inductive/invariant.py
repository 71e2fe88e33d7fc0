"""An invariant that is written down: for each location a conjunction; a location that is not named is never
entered.

As JSON it is what a certificate holds (docs/formats/certificate.md). Whoever reads one believes nothing of
it: that it is read is only that it is well formed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.records import dataclass
from assay.transition_system.symbolic import Location, State, SymbolicSystem
from assay.transition_system.terms import NoTerm, Term, evaluate, from_json, shown, to_json

MOST_LOCATIONS = 100_000
MOST_CONJUNCTS = 1_000_000


class NoInvariant(Exception):
    """What was read is no invariant of this program, in one sentence."""


@dataclass(frozen=True, slots=True)
class InductiveInvariant:
    conjuncts: Mapping[Location, tuple[Term, ...]]

    def at(self, location: Location) -> tuple[Term, ...] | None:
        return self.conjuncts.get(location)

    def holds(self, system: SymbolicSystem, state: State) -> bool:
        """In plain Python, of one state."""
        controls = len(system.controls)
        here = self.at(state[:controls])
        if here is None:
            return False
        values = {one.name: value for one, value in zip(system.variables, state[controls:], strict=True)}
        return all(evaluate(one, values) for one in here)

    @property
    def size(self) -> int:
        return sum(map(len, self.conjuncts.values()))

    def text(self, system: SymbolicSystem) -> str:
        """For people."""
        return "\n".join(
            f"{system.location_text(location)}: {' && '.join(map(shown, here)) or 'true'}"
            for location, here in sorted(self.conjuncts.items())
        )

    def as_json(self, system: SymbolicSystem) -> dict[str, Any]:
        return {
            "controls": [control.name for control in system.controls],
            "locations": [
                {"at": list(location), "holds": [to_json(one) for one in here]}
                for location, here in sorted(self.conjuncts.items())
            ],
        }

    @classmethod
    def from_json(cls, data: Any, system: SymbolicSystem) -> InductiveInvariant:
        """Raises `NoInvariant` for whatever is not exactly one."""
        if not isinstance(data, dict) or data.keys() != {"controls", "locations"}:
            raise NoInvariant("it is no list of locations")
        if data["controls"] != [control.name for control in system.controls]:
            raise NoInvariant("its locations are those of other processes")
        listed = data["locations"]
        if not isinstance(listed, list) or len(listed) > MOST_LOCATIONS:
            raise NoInvariant(f"it lists no locations, or more than {MOST_LOCATIONS:,}")
        conjuncts: dict[Location, tuple[Term, ...]] = {}
        count = 0
        for item in listed:
            if not isinstance(item, dict) or item.keys() != {"at", "holds"}:
                raise NoInvariant("a location in it has no conjunction")
            location = cls._location(item["at"], system)
            if location in conjuncts:
                raise NoInvariant("it names a location twice")
            holds = item["holds"]
            if not isinstance(holds, list):
                raise NoInvariant("a location in it has no conjunction")
            count += len(holds)
            if count > MOST_CONJUNCTS:
                raise NoInvariant(f"it has more than {MOST_CONJUNCTS:,} conjuncts")
            try:
                conjuncts[location] = tuple(from_json(one, system.by_name) for one in holds)
            except NoTerm as problem:
                raise NoInvariant(
                    f"at {system.location_text(location)} it has no condition: {problem}"
                ) from None
        return cls(conjuncts)

    @staticmethod
    def _location(given: Any, system: SymbolicSystem) -> Location:
        if (
            not isinstance(given, list)
            or len(given) != len(system.controls)
            or not all(type(value) is int for value in given)
        ):
            raise NoInvariant("a location in it is none")
        for control, value in zip(system.controls, given, strict=True):
            if value not in control.texts:
                raise NoInvariant(f"{control.name} is never at location {value}")
        return tuple(given)
