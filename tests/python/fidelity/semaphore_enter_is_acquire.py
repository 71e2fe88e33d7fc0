# fails
import threading


class S(threading.Semaphore):
    entered = 0

    def acquire(self, *a, **k):
        S.entered += 1
        return super().acquire(*a, **k)


with S(1):
    assert S.entered == 1
