"""The lock is looked at between the store and the release."""

import threading

lock = threading.Lock()
flag = False


def worker():
    global flag
    with lock:
        flag = True


def watcher():
    if flag:
        look = getattr(lock, "lock" + "ed")
        assert not look()


threads = [threading.Thread(target=target) for target in (worker, watcher)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
