"""A wait runs out of time while somebody has the lock, and its notification is lost."""

import threading

condition = threading.Condition()
ready = False
outcome = []


def waiter():
    with condition:
        if not ready:
            outcome.append(condition.wait(timeout=1))


def worker():
    global ready
    with condition:
        ready = True
        condition.notify()


threads = [threading.Thread(target=target) for target in (waiter, worker)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert outcome != [False]
