"""A timeout may expire, however long it is: the program must not rely on the contrary."""

import threading

ready = threading.Event()


def prepare():
    ready.set()


threading.Thread(target=prepare).start()
assert ready.wait(timeout=3600), "it took longer than an hour"
