"""Double-checked once more, but the object is put up for use before it is ready."""

import threading


class Connection:
    def __init__(self):
        self.ready = False

    def open(self):
        self.ready = True


connection = None
lock = threading.Lock()


def get_connection():
    global connection
    if connection is None:
        with lock:
            if connection is None:
                connection = Connection()
                connection.open()
    return connection


def use():
    assert get_connection().ready, "used before it was open"


threads = [threading.Thread(target=use) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
