"""Looked at once without the lock and once with it: only one connection is opened.

In Python this is right: a name is bound only after the object has been made.
"""

import threading


class Connection:
    opened = 0

    def __init__(self):
        Connection.opened += 1
        self.ready = True


connection = None
lock = threading.Lock()


def get_connection():
    global connection
    if connection is None:
        with lock:
            if connection is None:
                connection = Connection()
    return connection


def use():
    assert get_connection().ready


threads = [threading.Thread(target=use) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert Connection.opened == 1, f"{Connection.opened} connections were opened"
