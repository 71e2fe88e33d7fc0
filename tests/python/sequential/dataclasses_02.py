from dataclasses import FrozenInstanceError, dataclass, replace


@dataclass(frozen=True, order=True)
class Version:
    major: int
    minor: int = 0


v = Version(1, 2)
print(v < Version(1, 3), sorted([Version(2), Version(1, 9), Version(1)]), max(v, Version(0, 99)))
print({v: "a"}[Version(1, 2)], len({v, Version(1, 2), Version(3)}))
try:
    v.major = 5
except FrozenInstanceError as error:
    print(error)
print(replace(v, minor=9), v)
