# verdict: bytecode=verified
import threading
from contextlib import contextmanager


class RWLock:
    def __init__(self):
        self.w_lock = threading.Lock()
        self.num_r_lock = threading.Lock()
        self.num_r = 0

    def r_acquire(self):
        self.num_r_lock.acquire()
        self.num_r += 1
        if self.num_r == 1:
            self.w_lock.acquire()
        self.num_r_lock.release()

    def r_release(self):
        assert self.num_r > 0
        self.num_r_lock.acquire()
        self.num_r -= 1
        if self.num_r == 0:
            self.w_lock.release()
        self.num_r_lock.release()

    @contextmanager
    def r_locked(self):
        try:
            self.r_acquire()
            yield
        finally:
            self.r_release()

    @contextmanager
    def w_locked(self):
        try:
            self.w_lock.acquire()
            yield
        finally:
            self.w_lock.release()


lock = RWLock()
x = y = 0


def reader():
    with lock.r_locked():
        assert x == y


def writer():
    global x, y
    with lock.w_locked():
        x += 1
        y += 1


ts = [threading.Thread(target=f) for f in (reader, reader, writer)]
for t in ts:
    t.start()
for t in ts:
    t.join()
