# verdict: bytecode=violated:assertion
import threading, assay
from dataclasses import dataclass


@dataclass(frozen=True)
class Key:
    n: int


k = Key(assay.choose(2, 1))
d = {k: 0}
log = []


def look():
    log.append(0)
    assert Key(1) not in d


def other():
    log.append(1)


ts = [threading.Thread(target=look), threading.Thread(target=other)]
for t in ts:
    t.start()
for t in ts:
    t.join()
