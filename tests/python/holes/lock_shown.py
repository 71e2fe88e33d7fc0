"""The text of a lock tells whether it is taken."""

import threading

lock = threading.Lock()
flag = False


def worker():
    global flag
    with lock:
        flag = True


def watcher():
    if flag:
        assert "unlocked" in f"{lock}"


threads = [threading.Thread(target=target) for target in (worker, watcher)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
