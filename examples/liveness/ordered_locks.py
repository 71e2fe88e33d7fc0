"""Two threads need two locks each, and both take the left one first."""

import threading

left = threading.Lock()
right = threading.Lock()


def work():
    with left, right:
        pass


threads = [threading.Thread(target=work, name=name) for name in ("Anna", "Bert")]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
