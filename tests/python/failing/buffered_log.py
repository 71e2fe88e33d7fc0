import threading


class BufferedLog:
    def __init__(self, limit):
        self.buffer = []
        self.limit = limit
        self.flushed = []

    def log(self, msg):
        self.buffer.append(msg)
        if len(self.buffer) >= self.limit:
            self.flush()

    def flush(self):
        pending, self.buffer = self.buffer, []
        self.flushed.extend(pending)


log = BufferedLog(1)
t1 = threading.Thread(target=log.log, args=("a",))
t2 = threading.Thread(target=log.log, args=("b",))
t1.start()
t2.start()
t1.join()
t2.join()
log.flush()
assert sorted(log.flushed) == ["a", "b"], log.flushed
