# verdict: bytecode=violated:assertion gil=violated:assertion sync=violated:data-race
import threading


class Config:
    _instance = None

    def __new__(cls):
        if cls._instance is None:
            cls._instance = super().__new__(cls)
        return cls._instance


seen = []


def use():
    seen.append(Config())


ts = [threading.Thread(target=use) for _ in range(2)]
for t in ts:
    t.start()
for t in ts:
    t.join()
assert seen[0] is seen[1]
