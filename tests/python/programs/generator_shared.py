# verdict: bytecode=violated:exception gil=violated:exception
import threading


def ids():
    n = 0
    while True:
        n += 1
        yield n


gen = ids()
out = []


def take():
    out.append(next(gen))


ts = [threading.Thread(target=take) for _ in range(2)]
for t in ts:
    t.start()
for t in ts:
    t.join()
