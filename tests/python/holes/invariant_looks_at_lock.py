"""An invariant over a lock and what it protects."""

import threading

import assay

lock = threading.Lock()
flag = False
assay.invariant(lambda: not (flag and lock.locked()), name="never both")


def worker():
    global flag
    with lock:
        flag = True


def watcher():
    with lock:
        pass


threads = [threading.Thread(target=target) for target in (worker, watcher)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
