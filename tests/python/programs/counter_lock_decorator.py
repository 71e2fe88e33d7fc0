# verdict: bytecode=verified sync=verified
import functools
import threading


def synchronized(method):
    @functools.wraps(method)
    def wrapper(self, *args, **kwargs):
        with self._lock:
            return method(self, *args, **kwargs)

    return wrapper


class Counter:
    def __init__(self):
        self._lock = threading.RLock()
        self._n = 0

    @synchronized
    def add(self, n=1):
        self._n += n

    @synchronized
    def add_twice(self):
        self.add()
        self.add()

    @property
    def value(self):
        with self._lock:
            return self._n


c = Counter()
threads = [threading.Thread(target=c.add_twice), threading.Thread(target=lambda: c.add(3))]
[t.start() for t in threads]
[t.join() for t in threads]
assert c.value == 5
