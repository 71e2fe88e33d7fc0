# verdict: bytecode=verified
import threading, time


class TokenBucket:
    def __init__(self, rate, capacity):
        self.rate = rate
        self.capacity = capacity
        self.tokens = capacity
        self.timestamp = time.monotonic()
        self.lock = threading.Lock()

    def allow(self, n=1):
        with self.lock:
            now = time.monotonic()
            elapsed = now - self.timestamp
            self.tokens = min(self.capacity, self.tokens + elapsed * self.rate)
            self.timestamp = now
            if self.tokens >= n:
                self.tokens -= n
                return True
            return False


bucket = TokenBucket(1, 2)
granted = []


def client():
    if bucket.allow():
        granted.append(1)


ts = [threading.Thread(target=client) for _ in range(2)]
for t in ts:
    t.start()
for t in ts:
    t.join()
assert len(granted) <= 2
