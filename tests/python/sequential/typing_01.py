from typing import Any, Callable, Generic, NamedTuple, Optional, Protocol, TypeVar, Union, cast

T = TypeVar("T")


class Box(Generic[T]):
    def __init__(self, value: T) -> None:
        self.value = value

    def get(self) -> T:
        return self.value


class Speaks(Protocol):
    def speak(self) -> str: ...


class Dog:
    def speak(self) -> str:
        return "woof"


def talk(s: Speaks) -> str:
    return s.speak()


class P(NamedTuple):
    x: int
    y: int = 3


def apply(f: Callable[[int], Any], n: Optional[int] = None) -> Union[int, str]:
    return f(n or 1)


print(Box(3).get(), Box[str]("s").get(), talk(Dog()), P(1), P(1, 2).y, apply(str), cast(int, "x"))
