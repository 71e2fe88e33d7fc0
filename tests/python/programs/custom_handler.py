# verdict: bytecode=verified
import logging, threading


class ListHandler(logging.Handler):
    def __init__(self):
        super().__init__()
        self.lines = []

    def emit(self, record):
        self.lines.append(self.format(record))


logger = logging.getLogger()
h = ListHandler()
logger.addHandler(h)
logger.setLevel(logging.INFO)


def w(i):
    logger.info("hello %d", i)


ts = [threading.Thread(target=w, args=(i,)) for i in range(2)]
for t in ts:
    t.start()
for t in ts:
    t.join()
assert sorted(h.lines) == ["hello 0", "hello 1"]
