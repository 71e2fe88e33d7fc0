"""Who releases the lock first leaves the other one with an error."""

import threading

lock = threading.Lock()
flag = False


def worker():
    global flag
    lock.acquire()
    flag = True
    lock.release()


def watcher():
    if flag:
        try:
            lock.release()
        except RuntimeError:
            return
        raise AssertionError("it was still taken")


threads = [threading.Thread(target=target) for target in (worker, watcher)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
