# verdict: bytecode=verified gil=verified
from threading import Lock, Thread


class SingletonMeta(type):
    _instances = {}
    _lock: Lock = Lock()

    def __call__(cls, *args, **kwargs):
        with cls._lock:
            if cls not in cls._instances:
                instance = super().__call__(*args, **kwargs)
                cls._instances[cls] = instance
        return cls._instances[cls]


class Singleton(metaclass=SingletonMeta):
    value: str = None

    def __init__(self, value: str) -> None:
        self.value = value


def test_singleton(value: str, out) -> None:
    singleton = Singleton(value)
    out.append(singleton.value)


if __name__ == "__main__":
    out = []
    process1 = Thread(target=test_singleton, args=("FOO", out))
    process2 = Thread(target=test_singleton, args=("BAR", out))
    process1.start()
    process2.start()
    process1.join()
    process2.join()
    assert out[0] == out[1]
