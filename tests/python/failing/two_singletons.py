import threading


class Config:
    _instance = None
    created = 0

    @classmethod
    def get(cls):
        if cls._instance is None:
            cls._instance = cls()
            cls.created += 1
        return cls._instance


results = {}


def user(name):
    results[name] = Config.get()


a = threading.Thread(target=user, args=("a",))
b = threading.Thread(target=user, args=("b",))
a.start()
b.start()
a.join()
b.join()
assert results["a"] is results["b"], "two configurations"
