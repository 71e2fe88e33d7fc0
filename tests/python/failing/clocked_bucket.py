import threading, time


class Bucket:
    def __init__(self):
        self.tokens = 1.0
        self.last = time.monotonic()

    def take(self):
        now = time.monotonic()
        self.tokens = min(1.0, self.tokens + (now - self.last))
        self.last = now
        if self.tokens >= 1:
            self.tokens -= 1
            return True
        return False


b = Bucket()
got = []
t = threading.Thread(target=lambda: got.append(b.take()))
t.start()
t.join()
assert got == [True]
