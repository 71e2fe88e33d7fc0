"""A daemon still runs between the last thing that main does and its end."""

import threading

flag = False


def watcher():
    assert not flag


threading.Thread(target=watcher, daemon=True).start()
flag = True
