import threading


class Settings:
    _instance = None
    _lock = threading.Lock()

    def __init__(self):
        self.region = None
        self.retries = 0

    def load(self):
        self.retries = 3
        self.region = "eu-1"

    @classmethod
    def get(cls):
        if cls._instance is None:
            with cls._lock:
                if cls._instance is None:
                    cls._instance = cls()
                    cls._instance.load()
        return cls._instance


def request(number):
    settings = Settings.get()
    url = "https://" + settings.region + "/api"
    assert url == "https://eu-1/api"


handlers = [threading.Thread(target=request, args=(n,), name=f"handler-{n}") for n in range(2)]
for handler in handlers:
    handler.start()
for handler in handlers:
    handler.join()
