# verdict: bytecode=verified
import threading

log = []


def swap():
    log.append("swap")


barrier = threading.Barrier(2, action=swap)


def phase():
    for i in range(2):
        barrier.wait()


ts = [threading.Thread(target=phase) for _ in range(2)]
for t in ts:
    t.start()
for t in ts:
    t.join()
assert log == ["swap"] * 2
