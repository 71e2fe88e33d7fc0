"""A readers-writer lock whose writer forgets to look for readers."""

import threading
from contextlib import contextmanager


class ReadWriteLock:
    def __init__(self):
        self._mutex = threading.Lock()
        self._readers = 0
        self._writing = threading.Lock()

    @contextmanager
    def reading(self):
        with self._writing:
            with self._mutex:
                self._readers += 1
        try:
            yield
        finally:
            with self._mutex:
                self._readers -= 1

    @contextmanager
    def writing(self):
        with self._writing:
            yield


class Route:
    def __init__(self, host, port):
        self.lock = ReadWriteLock()
        self.host = host
        self.port = port

    def address(self):
        with self.lock.reading():
            host = self.host
            port = self.port
            return f"{host}:{port}"

    def move(self, host, port):
        with self.lock.writing():
            self.host = host
            self.port = port


route = Route("old", 80)
seen = []


def client():
    seen.append(route.address())


def operator():
    route.move("new", 443)


a = threading.Thread(target=client, name="client")
b = threading.Thread(target=operator, name="operator")
a.start()
b.start()
a.join()
b.join()
assert seen[0] in {"old:80", "new:443"}, seen
