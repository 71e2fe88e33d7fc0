"""Only between the store and the end of `with` is the lock taken and the flag set."""

import threading

lock = threading.Lock()
flag = False


def worker():
    global flag
    with lock:
        flag = True


def watcher():
    if flag:
        assert lock.acquire(blocking=False)
        lock.release()


threads = [threading.Thread(target=target) for target in (worker, watcher)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
