"""A timeout can run out between the store and the release."""

import threading

lock = threading.RLock()
flag = False


def worker():
    global flag
    lock.acquire()
    flag = True
    lock.release()


def watcher():
    if flag:
        assert lock.acquire(timeout=1)
        lock.release()


threads = [threading.Thread(target=target) for target in (worker, watcher)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
