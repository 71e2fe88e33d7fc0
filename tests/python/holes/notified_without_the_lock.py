"""A condition on a plain lock is notified while somebody else has the lock."""

import threading

condition = threading.Condition(threading.Lock())
flag = False


def worker():
    global flag
    with condition:
        flag = True


def watcher():
    if flag:
        try:
            condition.notify()
        except RuntimeError:
            return
        raise AssertionError("somebody had the lock")


threads = [threading.Thread(target=target) for target in (worker, watcher)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
