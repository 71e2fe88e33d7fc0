"""Tasks on several Dask workers that hand each other what they made, all to all, round by round.

What a worker has for the others lies on its table until each has come for it, over Dask's own connections
(and under its TLS): the scheduler sees nothing of it. All tasks of a meeting must be at work at once, so they
leave the thread pool of their workers while they are: nobody's meeting keeps another's from beginning.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Self

PICK_UP = "assay_pick_up"  # what a worker asks another
ASK_AGAIN_SECONDS = 1.0  # an answer does not take longer
ANSWER_SECONDS = 30.0
TICK_SECONDS = 0.1
FAILED_SECONDS = 60.0  # for the reason of the one that failed to arrive where it is waited for


class PeerLost(OSError):
    """A worker that was to take part does not answer."""

    def __init__(self, address: str) -> None:
        super().__init__(f"the worker at {address} was lost")
        self.address = address

    def __reduce__(self) -> tuple[type[PeerLost], tuple[str]]:
        return PeerLost, (self.address,)


class NobodyWaits(Exception):
    """For the result of this task."""


class _Table:
    """Of one Dask worker. Used on its event loop alone."""

    def __init__(self) -> None:
        self._rounds: dict[tuple[str, int], Sequence[bytes]] = {}
        self._failed: set[str] = set()
        self._changed = asyncio.Event()

    def put(self, meeting: str, number: int, contents: Sequence[bytes]) -> None:
        self._rounds[meeting, number] = contents
        # Whoever begins a round has come for all of the last but one.
        self._rounds.pop((meeting, number - 2), None)
        self._tell()

    def fail(self, meeting: str) -> None:
        self._failed.add(meeting)
        self._tell()

    def clear(self, group: str) -> None:
        """Of all meetings whose names begin so."""
        for key in [key for key in self._rounds if key[0].startswith(group)]:
            del self._rounds[key]
        self._failed = {one for one in self._failed if not one.startswith(group)}

    def _tell(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    async def pick_up(self, meeting: str, number: int, index: int) -> dict[str, Any]:
        from distributed.protocol.serialize import to_serialize

        loop = asyncio.get_running_loop()
        until = loop.time() + ASK_AGAIN_SECONDS
        while (meeting, number) not in self._rounds:
            if meeting in self._failed:
                return {"said": "failed"}
            left = until - loop.time()
            if left <= 0:
                return {"said": "not yet"}
            changed = self._changed
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(changed.wait(), left)
        content: Any = to_serialize
        return {"said": "here", "content": content(self._rounds[meeting, number][index])}


_tables: dict[str, _Table] = {}


def _on_the_loop(worker: Any, function: Callable[[], object]) -> None:
    async def call() -> None:
        function()

    asyncio.run_coroutine_threadsafe(call(), worker.loop.asyncio_loop).result(ANSWER_SECONDS)


def open_table() -> None:
    """Called by a task on every worker before the first meeting: others may ask from then on."""
    from distributed import get_worker

    worker = get_worker()

    def make() -> None:
        if worker.address not in _tables:
            _tables[worker.address] = _Table()
            worker.handlers[PICK_UP] = _tables[worker.address].pick_up

    _on_the_loop(worker, make)


def clear_table(group: str) -> None:
    from distributed import get_worker

    worker = get_worker()
    table = _tables.get(worker.address)
    if table is not None:
        _on_the_loop(worker, lambda: table.clear(group))


class Meeting:
    """What one of the tasks has of it: a context manager, in a task of a Dask worker. `clear_table` knows the
    first part of its name, up to a colon."""

    def __init__(self, name: str, addresses: Sequence[str], own: int, is_wanted: Callable[[], bool]) -> None:
        from distributed import get_worker, secede

        self._worker: Any = get_worker()
        self._name = name
        self._addresses = addresses
        self._own = own
        self._is_wanted = is_wanted
        self._round = 0
        self._table = _tables[self._worker.address]
        clear_table(name.partition(":")[0])
        leave: Any = secede
        leave()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        if kind is not None:
            _on_the_loop(self._worker, lambda: self._table.fail(self._name))

    def exchange(self, contents: Sequence[bytes]) -> list[bytes]:
        """One for each task of the meeting; answers what each had for this one (the own one as it is). Raises
        `PeerLost`, and `NobodyWaits` if meanwhile this task was given up."""
        self._round += 1
        exchanged = asyncio.run_coroutine_threadsafe(
            self._exchanged(self._round, contents), self._worker.loop.asyncio_loop
        )
        while True:
            try:
                return exchanged.result(TICK_SECONDS)
            except TimeoutError:
                if exchanged.done() or not self._is_wanted():
                    exchanged.cancel()
                    raise NobodyWaits from None

    async def _exchanged(self, number: int, contents: Sequence[bytes]) -> list[bytes]:
        self._table.put(self._name, number, contents)
        return await asyncio.gather(
            *(
                _itself(contents[self._own]) if index == self._own else self._from(address, number)
                for index, address in enumerate(self._addresses)
            )
        )

    async def _from(self, address: str, number: int) -> bytes:
        until: float | None = None
        while True:
            try:
                peer = self._worker.rpc(address)
                answer = await asyncio.wait_for(
                    getattr(peer, PICK_UP)(meeting=self._name, number=number, index=self._own), ANSWER_SECONDS
                )
            except (OSError, TimeoutError):
                raise PeerLost(address) from None
            said = answer.get("said") if isinstance(answer, dict) else None
            if said == "here":
                content: bytes = answer["content"]
                return content
            if said == "failed":
                # Its reason goes to whoever waits for the results, who gives us up then.
                until = until or time.monotonic() + FAILED_SECONDS
                await asyncio.sleep(TICK_SECONDS)
            if said is None or (until is not None and time.monotonic() > until):
                raise PeerLost(address)


async def _itself(content: bytes) -> bytes:
    return content
