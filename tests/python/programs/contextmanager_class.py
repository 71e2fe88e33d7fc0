# verdict: bytecode=verified
import threading


class Timer:
    def __enter__(self):
        import time

        self.t0 = time.perf_counter()
        return self

    def __exit__(self, *exc):
        import time

        self.elapsed = time.perf_counter() - self.t0
        return False


class Guard:
    def __init__(self):
        self._l = threading.Lock()
        self.owner = None

    def __enter__(self):
        self._l.acquire()
        self.owner = threading.get_ident()
        return self

    def __exit__(self, *a):
        assert self.owner == threading.get_ident()
        self.owner = None
        self._l.release()


g = Guard()


def w():
    with Timer() as t, g:
        pass
    print(f"{t.elapsed:.3f}")


ts = [threading.Thread(target=w) for _ in range(2)]
for t in ts:
    t.start()
for t in ts:
    t.join()
