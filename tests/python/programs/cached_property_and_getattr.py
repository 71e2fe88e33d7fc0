# verdict: bytecode=verified gil=verified
import functools
import threading


class Lazy:
    @functools.cached_property
    def value(self):
        return 1

    def __getattr__(self, name):
        return 2


lazy = Lazy()
seen = []


def look():
    seen.append(lazy.value)


threads = [threading.Thread(target=look) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert seen == [1, 1]
