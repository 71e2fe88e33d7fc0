"""A cache whose entries expire; a janitor drops the old ones."""

import threading
from dataclasses import dataclass


@dataclass
class Entry:
    value: str
    expires: int


class Clock:
    def __init__(self):
        self.now = 0

    def tick(self):
        self.now += 1


class TTLCache:
    def __init__(self, clock, ttl):
        self.clock = clock
        self.ttl = ttl
        self.entries: dict[str, Entry] = {}

    def put(self, key, value):
        self.entries[key] = Entry(value, self.clock.now + self.ttl)

    def get(self, key, default=None):
        if key not in self.entries:
            return default
        entry = self.entries[key]
        if entry.expires <= self.clock.now:
            return default
        return entry.value

    def sweep(self):
        for key in list(self.entries):
            if self.entries[key].expires <= self.clock.now:
                del self.entries[key]


def janitor(cache, clock):
    clock.tick()
    cache.sweep()


def request(cache, answers):
    answers.append(cache.get("user:7", "miss"))


def main():
    clock = Clock()
    cache = TTLCache(clock, ttl=1)
    cache.put("user:7", "Grace")
    answers = []
    sweeper = threading.Thread(target=janitor, args=(cache, clock), name="janitor")
    handler = threading.Thread(target=request, args=(cache, answers), name="handler")
    sweeper.start()
    handler.start()
    sweeper.join()
    handler.join()
    assert answers in (["Grace"], ["miss"])


main()
