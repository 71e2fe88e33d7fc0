import threading


class Database:
    _lock = threading.Lock()
    _connection = None

    def __init__(self):
        self.url = None

    @classmethod
    def connect(cls):
        if cls._connection is None:
            with cls._lock:
                if cls._connection is None:
                    cls._connection = cls()
                    cls._connection.url = "db://prod"
        return cls._connection


def client():
    connection = Database.connect()
    assert connection.url is not None


threads = [threading.Thread(target=client) for _ in range(2)]
for t in threads:
    t.start()
for t in threads:
    t.join()
