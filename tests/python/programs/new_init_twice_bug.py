# verdict: bytecode=violated:assertion
import threading


class Config:
    _inst = None
    _lock = threading.Lock()

    def __new__(cls):
        with cls._lock:
            if cls._inst is None:
                cls._inst = super().__new__(cls)
        return cls._inst

    def __init__(self):
        self.values = []


c = Config()


def w():
    Config().values.append(1)


ts = [threading.Thread(target=w) for _ in range(2)]
for t in ts:
    t.start()
for t in ts:
    t.join()
assert len(c.values) == 2
