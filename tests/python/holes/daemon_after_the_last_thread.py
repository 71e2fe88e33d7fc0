"""The daemon still runs between the last store of the last thread and its end."""

import threading

flag = False


def worker():
    global flag
    threading.main_thread().join()
    flag = True


def watcher():
    assert not flag


threading.Thread(target=watcher, daemon=True).start()
threading.Thread(target=worker).start()
