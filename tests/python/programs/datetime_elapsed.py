# verdict: bytecode=verified
import threading
from datetime import datetime, timedelta


class Cache:
    def __init__(self, ttl):
        self.ttl = timedelta(seconds=ttl)
        self.data = {}
        self.lock = threading.Lock()

    def set(self, k, v):
        with self.lock:
            self.data[k] = (v, datetime.now())

    def get(self, k):
        with self.lock:
            if k in self.data:
                v, at = self.data[k]
                if datetime.now() - at < self.ttl:
                    return v
                del self.data[k]
            return None


c = Cache(5)


def use():
    c.set("a", 1)
    assert c.get("a") in (1, None)


ts = [threading.Thread(target=use) for _ in range(2)]
for t in ts:
    t.start()
for t in ts:
    t.join()
