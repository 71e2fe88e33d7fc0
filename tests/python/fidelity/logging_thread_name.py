# fails
import logging

got = []


class H(logging.Handler):
    def emit(self, record):
        got.append(record.threadName)


log = logging.getLogger("z")
log.addHandler(H())
log.error("x")
assert got != ["MainThread"]
