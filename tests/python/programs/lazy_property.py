# verdict: bytecode=verified
import threading
from functools import cached_property

made = []


class Service:
    @cached_property
    def client(self):
        made.append(1)
        return object()


s = Service()
out = []


def use():
    out.append(s.client)


ts = [threading.Thread(target=use) for _ in range(2)]
for t in ts:
    t.start()
for t in ts:
    t.join()
assert len(made) == 1
