# fails
import threading


class W:
    def __init__(self):
        self.parts = []

    def write(self, s):
        self.parts.append(s)


w = W()


def p(n):
    print(n, file=w)


ts = [threading.Thread(target=p, args=(i,)) for i in range(2)]
for t in ts:
    t.start()
for t in ts:
    t.join()
assert "".join(w.parts) in ("0\n1\n", "1\n0\n")
