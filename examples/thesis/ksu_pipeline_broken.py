"""NASA KSU pipeline, broken: a connector is looked at before it is locked.

Between the look and the lock the event may arrive, and its notification goes to nobody; who waits
for it then waits for ever: a deadlock.
"""

import threading

import assay

STAGES = 2  # in the thesis: 4
LISTENERS = 1  # 1
EVENTS = 1
STOP = -1


class Connector:
    def __init__(self):
        self.event = None
        self.changed = threading.Condition()

    def add(self, event):
        with self.changed:
            while self.event is not None:
                self.changed.wait()
            assert self.event is None, "an event would be lost"
            self.event = event
            self.changed.notify_all()

    def take(self):
        if self.event is None:
            with self.changed:
                self.changed.wait()
        with self.changed:
            event = self.event
            self.event = None
            self.changed.notify_all()
            return event


class Stage(threading.Thread):
    def __init__(self, position, source, targets):
        super().__init__()
        self.position = position
        self.source = source
        self.targets = targets

    def run(self):
        expected = self.position + 1
        event = None
        while event != STOP:
            event = self.source.take()
            if event == STOP:
                stopped[self.position] = True
            else:
                assert event == expected, "an event overtook another"
                expected += 1
                event += 1
            for target in self.targets:
                target.add(event)


class Listener(threading.Thread):
    def __init__(self, number, source):
        super().__init__()
        self.number = number
        self.source = source

    def run(self):
        while (event := self.source.take()) != STOP:
            heard[self.number] += 1
            assert event == STAGES + heard[self.number], "an event was lost or came twice"
        assert heard[self.number] == EVENTS, "the stop came too early"


connectors = [Connector() for _ in range(STAGES + LISTENERS)]
stopped = [False] * STAGES
heard = [0] * LISTENERS
sent = 0


def main():
    global sent
    assay.invariant(
        lambda: all(c.event is None or c.event == STOP or 0 < c.event <= STAGES + EVENTS for c in connectors),
        name="connectors hold events",
    )
    assay.invariant(lambda: max(heard) <= sent, name="nothing is heard that was not sent")
    assay.invariant(lambda: sorted(stopped, reverse=True) == stopped, name="stages stop in order")

    threads = [Stage(n, connectors[n], [connectors[n + 1]]) for n in range(STAGES - 1)]
    threads.append(Stage(STAGES - 1, connectors[STAGES - 1], connectors[STAGES:]))
    threads += [Listener(number, connectors[STAGES + number]) for number in range(LISTENERS)]
    for thread in threads:
        thread.start()
    for event in range(1, EVENTS + 1):
        sent = event
        connectors[0].add(event)
    connectors[0].add(STOP)
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    main()
