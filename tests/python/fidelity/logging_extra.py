# holds
import logging

got = []


class H(logging.Handler):
    def emit(self, record):
        got.append(record.user)


log = logging.getLogger("z")
log.addHandler(H())
log.error("x", extra={"user": 5})
assert got == [5]
