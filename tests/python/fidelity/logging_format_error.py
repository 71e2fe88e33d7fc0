# fails
import logging

got = []


class H(logging.Handler):
    def emit(self, record):
        got.append(record.getMessage())


log = logging.getLogger("z")
log.addHandler(H())
log.error("%d", "s")
assert len(got) == 1
