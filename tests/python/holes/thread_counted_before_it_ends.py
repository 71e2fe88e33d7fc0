"""A thread whose work is done is still there for a while."""

import threading

flag = False


def worker():
    global flag
    flag = True


def watcher():
    if flag:
        assert threading.active_count() < 3


threads = [threading.Thread(target=target) for target in (worker, watcher)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
