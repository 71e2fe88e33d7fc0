"""A thread is started before what it needs is there: whether it works depends on who is faster."""

import threading

settings = None


def work():
    assert settings is not None, "the thread was faster than the settings"


worker = threading.Thread(target=work)
worker.start()
settings = {"colour": "blue"}
worker.join()
