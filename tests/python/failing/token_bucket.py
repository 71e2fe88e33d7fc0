import threading, time


class TokenBucket:
    def __init__(self, capacity):
        self.tokens = capacity
        self.lock = threading.Lock()

    def take(self):
        with self.lock:
            available = self.tokens
        if available > 0:
            with self.lock:
                self.tokens -= 1
            return True
        return False


bucket = TokenBucket(1)
served = []


def client(name):
    if bucket.take():
        served.append(name)


ts = [threading.Thread(target=client, args=(n,), name=n) for n in ("c1", "c2")]
[t.start() for t in ts]
[t.join() for t in ts]
assert len(served) == 1, f"served {served}, tokens left {bucket.tokens}"
