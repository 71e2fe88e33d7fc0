# verdict: bytecode=verified
import threading
from contextlib import contextmanager
from queue import Queue, Empty


class Connection:
    def __init__(self, ident: int):
        self.ident = ident
        self.in_use = False

    def __repr__(self):
        return f"<Connection {self.ident}>"


class PoolTimeout(Exception):
    pass


class Pool:
    def __init__(self, size):
        self._q = Queue(maxsize=size)
        for i in range(size):
            self._q.put(Connection(i))

    @contextmanager
    def connection(self, timeout=None):
        try:
            conn = self._q.get(timeout=timeout)
        except Empty:
            raise PoolTimeout("no connection") from None
        assert not conn.in_use
        conn.in_use = True
        try:
            yield conn
        finally:
            conn.in_use = False
            self._q.put(conn)


pool = Pool(1)


def job(i):
    with pool.connection() as c:
        print(i, c)


ts = [threading.Thread(target=job, args=(i,)) for i in range(3)]
for t in ts:
    t.start()
for t in ts:
    t.join()
