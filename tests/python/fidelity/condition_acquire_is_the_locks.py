# fails
import threading


class C(threading.Condition):
    taken = 0

    def acquire(self, *a, **k):
        C.taken += 1
        return super().acquire(*a, **k)


c = C()
c.acquire()
c.release()
assert C.taken == 1
