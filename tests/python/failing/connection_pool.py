import threading


class Pool:
    def __init__(self, size):
        self._free = threading.Semaphore(size)
        self.in_use = 0
        self.most = 0
        self._lock = threading.Lock()

    def acquire(self):
        self._free.acquire()
        with self._lock:
            self.in_use += 1
            self.most = max(self.most, self.in_use)

    def release(self):
        with self._lock:
            self.in_use -= 1
        self._free.release()


pool = Pool(1)


def query(fails):
    pool.acquire()
    try:
        if fails:
            pool._free.release()
            return
    finally:
        pool.release()


workers = [
    threading.Thread(target=query, args=(number == 0,), name=f"worker-{number}") for number in range(3)
]
for worker in workers:
    worker.start()
for worker in workers:
    worker.join()
assert pool.most == 1
