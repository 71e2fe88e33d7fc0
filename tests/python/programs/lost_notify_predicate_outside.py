# verdict: bytecode=violated:deadlock
import threading

cond = threading.Condition()
ready = False


def consumer():
    while not ready:
        with cond:
            cond.wait()


def producer():
    global ready
    ready = True
    with cond:
        cond.notify()


ts = [threading.Thread(target=f) for f in (consumer, producer)]
for t in ts:
    t.start()
for t in ts:
    t.join()
