"""Replicated workers: they take items from a common pool until the work is done.

A whole item may fall into parts that go back to the pool, so an empty pool does not mean the end:
the work is done when the pool is empty and nobody is busy.
"""

import threading

import assay

WORKERS = 2  # in the thesis: 5
ITEMS = 1  # 2
PARTS = 2  # that a whole item may fall into
WHOLE, PART = "whole", "part"


class WorkPool:
    def __init__(self):
        self.items = [WHOLE] * ITEMS
        self.busy = 0
        self.expected = ITEMS
        self.finished = False
        self.changed = threading.Condition()

    def take(self):
        """An item, or None when there will be no more."""
        with self.changed:
            while not self.items and self.busy > 0:
                self.changed.wait()
            if not self.items:
                assert tally.results == self.expected, "finished before all results were there"
                self.finished = True
                return None
            assert not self.finished, "there is work after the end"
            self.busy += 1
            assert self.busy <= WORKERS, "more work going on than workers"
            return self.items.pop()

    def give_back(self, parts):
        """The caller is no longer busy; what is left of its item can be taken."""
        with self.changed:
            assert self.busy > 0, "somebody gave back what nobody took"
            self.expected += len(parts)
            self.items.extend(parts)
            self.busy -= 1
            self.changed.notify_all()


class Tally:
    def __init__(self):
        self.results = 0
        self.lock = threading.Lock()

    def add(self):
        with self.lock:
            self.results += 1


pool = WorkPool()
tally = Tally()


def work():
    while (item := pool.take()) is not None:
        parts = assay.choose([], [PART] * PARTS) if item == WHOLE else []
        tally.add()
        pool.give_back(parts)


def main():
    assay.invariant(lambda: 0 <= pool.busy <= WORKERS, name="nobody is busy twice")
    assay.invariant(lambda: len(pool.items) <= ITEMS * PARTS, name="the pool does not grow for ever")
    assay.invariant(lambda: tally.results <= pool.expected, name="no result without an item")
    assay.invariant(
        lambda: not (pool.finished and (pool.items or pool.busy)), name="finished means that nothing is left"
    )
    workers = [threading.Thread(target=work) for _ in range(WORKERS)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert pool.finished, "all workers went home without finishing"


if __name__ == "__main__":
    main()
