"""A thread without an object still runs between the last thing that main does and its end."""

import _thread

flag = False


def watcher():
    assert not flag


_thread.start_new_thread(watcher, ())
flag = True
