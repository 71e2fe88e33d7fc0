# verdict: bytecode=violated:deadlock
import threading

lock = threading.Lock()


def parse(x):
    lock.acquire()
    try:
        value = int(x)
    except ValueError:
        return None
    lock.release()
    return value


ts = [threading.Thread(target=parse, args=(x,)) for x in ("1", "x", "2")]
for t in ts:
    t.start()
for t in ts:
    t.join()
