# fails
import logging

got = []


class H(logging.Handler):
    def emit(self, record):
        got.append(self.format(record))


log = logging.getLogger("q")
log.addHandler(H())
try:
    1 / 0
except ZeroDivisionError:
    log.exception("bad")
assert got == ["bad"]
