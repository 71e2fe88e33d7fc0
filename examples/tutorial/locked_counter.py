"""The counter with a lock: whatever the schedule, no update is lost."""

import threading

counter = 0
lock = threading.Lock()


def count():
    global counter
    with lock:
        counter += 1


threads = [threading.Thread(target=count) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert counter == 2, f"counted to {counter}"
