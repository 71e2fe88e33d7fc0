"""Two threads find that the connection is not there yet, and both open one."""

import threading


class Connection:
    opened = 0

    def __init__(self):
        Connection.opened += 1


connection = None


def get_connection():
    global connection
    if connection is None:
        connection = Connection()
    return connection


threads = [threading.Thread(target=get_connection) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert Connection.opened == 1, f"{Connection.opened} connections were opened"
