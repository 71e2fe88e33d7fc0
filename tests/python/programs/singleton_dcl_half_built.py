# verdict: gil=violated:exception
import threading


class Config:
    _instance = None
    _lock = threading.Lock()

    @classmethod
    def get(cls):
        if cls._instance is None:
            with cls._lock:
                if cls._instance is None:
                    cls._instance = cls()
                    cls._instance.load()
        return cls._instance

    def load(self):
        self.settings = {"debug": True}


def use():
    assert Config.get().settings["debug"]


ts = [threading.Thread(target=use) for _ in range(2)]
for t in ts:
    t.start()
for t in ts:
    t.join()
