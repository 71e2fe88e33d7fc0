# verdict: bytecode=violated:assertion
import threading


class Name(str):
    def __new__(cls, text, rank=0):
        self = super().__new__(cls, text)
        self.rank = rank
        return self


current = Name("nobody")


def take(name, rank):
    global current
    if current.rank < rank:
        current = Name(name, rank)


ts = [threading.Thread(target=take, args=a) for a in (("ann", 1), ("bob", 2))]
for t in ts:
    t.start()
for t in ts:
    t.join()
assert current == "bob" and current.rank == 2
