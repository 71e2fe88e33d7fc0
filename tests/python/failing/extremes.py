import threading
from dataclasses import dataclass


@dataclass
class Range:
    low: int
    high: int


class Monitor:
    def __init__(self):
        self.range = Range(5, 5)

    def shift(self, amount):
        self.range.low += amount
        self.range.high += amount

    def width(self):
        return self.range.high - self.range.low


monitor = Monitor()
widths = []
mover = threading.Thread(target=monitor.shift, args=(3,), name="mover")
watcher = threading.Thread(target=lambda: widths.append(monitor.width()), name="watcher")
mover.start()
watcher.start()
mover.join()
watcher.join()
assert widths == [0]
