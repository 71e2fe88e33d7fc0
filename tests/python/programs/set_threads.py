# verdict: bytecode=verified
import threading

active = set()
lock = threading.Lock()


class W(threading.Thread):
    def run(self):
        with lock:
            active.add(self)
        with lock:
            active.discard(self)


ws = {W() for _ in range(2)}
for w in ws:
    w.start()
for w in ws:
    w.join()
assert not active
