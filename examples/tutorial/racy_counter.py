"""Two threads count without a lock: `counter += 1` reads, adds and writes, and an update is lost."""

import threading

counter = 0


def count():
    global counter
    counter += 1


threads = [threading.Thread(target=count) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert counter == 2, f"counted to {counter}"
