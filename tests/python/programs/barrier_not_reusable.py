# verdict: bytecode=violated:assertion
import threading


class Barrier:
    """LBoS 3.5.2 barrier non-solution #2"""

    def __init__(self, n):
        self.n = n
        self.count = 0
        self.mutex = threading.Semaphore(1)
        self.turnstile = threading.Semaphore(0)

    def wait(self):
        self.mutex.acquire()
        self.count += 1
        if self.count == self.n:
            self.turnstile.release()
        self.mutex.release()
        self.turnstile.acquire()
        self.turnstile.release()
        self.mutex.acquire()
        self.count -= 1
        if self.count == 0:
            self.turnstile.acquire()
        self.mutex.release()


b = Barrier(2)
rounds = [0, 0]


def work(me):
    for r in range(2):
        rounds[me] += 1
        b.wait()
        assert abs(rounds[0] - rounds[1]) <= 1 and rounds[1 - me] >= r + 1


ts = [threading.Thread(target=work, args=(i,)) for i in range(2)]
for t in ts:
    t.start()
for t in ts:
    t.join()
