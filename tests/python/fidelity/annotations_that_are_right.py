# holds
import queue
import threading
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, Optional, TypeVar, Union

T = TypeVar("T")
tasks: "queue.Queue[int]" = queue.Queue()
table: dict[str, list[int]] = {}


@dataclass
class Job(Generic[T]):
    number: int
    parts: list[int] = field(default_factory=list)
    kinds: ClassVar[int] = 2
    parent: Optional["Job[T]"] = None


class Pool:
    lock: Any
    items: deque[Job[int]]

    def __init__(
        self, size: int | None = None, *more: str, call: Callable[[int], None] | None = None
    ) -> None:
        self.items: list[Union[int, str]] = []
        local: not_defined = 1
        self.size = local

    def each(self, thread: threading.Thread, event: threading.Event) -> Iterator[T]:
        yield from self.items


def work(pool: Pool, q: queue.Queue) -> None:
    def inner(x: int) -> list[T]:
        return [x]

    q.put(inner(1)[0])


t = threading.Thread(target=work, args=(Pool(), tasks))
t.start()
t.join()
assert tasks.get() == 1
