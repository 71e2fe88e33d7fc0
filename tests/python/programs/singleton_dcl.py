# verdict: bytecode=verified
import threading


class Config:
    _instance = None
    _lock = threading.Lock()

    def __new__(cls, *args, **kwargs):
        if cls._instance is None:
            with cls._lock:
                if cls._instance is None:
                    obj = super().__new__(cls)
                    obj.settings = {"debug": True}
                    cls._instance = obj
        return cls._instance


results = []


def use():
    c = Config()
    assert c.settings["debug"]
    results.append(c)


ts = [threading.Thread(target=use) for _ in range(2)]
for t in ts:
    t.start()
for t in ts:
    t.join()
assert results[0] is results[1]
