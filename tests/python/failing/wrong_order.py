import threading

log = []
ready = threading.Semaphore(0)


def first():
    log.append("first")
    ready.release()


def second():
    ready.acquire()
    log.append("second")


def third():
    log.append("third")


ts = [threading.Thread(target=f) for f in (first, second, third)]
for t in ts:
    t.start()
for t in ts:
    t.join()
assert log == ["first", "second", "third"], log
