from typing import TYPE_CHECKING, ClassVar, Final, Literal, TypedDict

if TYPE_CHECKING:
    from nowhere import Nothing


class Movie(TypedDict):
    name: str
    year: int


LIMIT: Final = 10
Mode = Literal["r", "w"]


class A:
    count: ClassVar[int] = 0


def open_it(mode: Mode) -> "Nothing":
    return mode


m: Movie = {"name": "x", "year": 1}
print(m, LIMIT, open_it("r"), A.count, m["year"], Movie(name="y", year=2))
