import threading

lock = threading.Lock()
held = []


def numbers():
    with lock:
        yield 1
        yield 2


def first():
    for number in numbers():
        return number
    return None


def other():
    held.append(not lock.acquire(blocking=False))


ts = [threading.Thread(target=first), threading.Thread(target=other)]
for t in ts:
    t.start()
for t in ts:
    t.join()
assert not lock.locked() or held == [False]
