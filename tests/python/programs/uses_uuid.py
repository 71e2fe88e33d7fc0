# verdict: bytecode=verified
import uuid, threading

lock = threading.Lock()
ids = []


def make():
    i = uuid.uuid4()
    with lock:
        ids.append(i)


ts = [threading.Thread(target=make) for _ in range(2)]
for t in ts:
    t.start()
for t in ts:
    t.join()
assert ids[0] != ids[1]
assert len(set(ids)) == 2
