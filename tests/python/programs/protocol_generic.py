# verdict: bytecode=verified
from __future__ import annotations
import threading
from typing import Generic, Protocol, TypeVar, Optional, runtime_checkable

T = TypeVar("T")


@runtime_checkable
class SupportsClose(Protocol):
    def close(self) -> None: ...


class Box(Generic[T]):
    def __init__(self) -> None:
        self._item: Optional[T] = None
        self._cond = threading.Condition()
        self._closed = False

    def put(self, item: T) -> None:
        with self._cond:
            self._cond.wait_for(lambda: self._item is None)
            self._item = item
            self._cond.notify_all()

    def take(self) -> T:
        with self._cond:
            self._cond.wait_for(lambda: self._item is not None)
            item, self._item = self._item, None
            self._cond.notify_all()
            assert item is not None
            return item

    def close(self) -> None:
        self._closed = True


box: Box[int] = Box()
assert isinstance(box, SupportsClose)
out: list[int] = []


def producer():
    for i in range(1, 4):
        box.put(i)


def consumer():
    for _ in range(3):
        out.append(box.take())


ts = [threading.Thread(target=f) for f in (producer, consumer)]
for t in ts:
    t.start()
for t in ts:
    t.join()
assert out == [1, 2, 3]
