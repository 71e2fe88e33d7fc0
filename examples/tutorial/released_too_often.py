"""A bounded semaphore notices that a slot is given back which nobody took."""

import threading

slots = threading.BoundedSemaphore(1)
busy = []


def work(name):
    slots.acquire()
    busy.append(name)
    try:
        if len(busy) > 1:
            slots.release()
    finally:
        slots.release()


threads = [threading.Thread(target=work, args=(name,)) for name in ("first", "second")]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
