"""A notification that comes before anybody waits is lost: the waiter then waits for ever."""

import threading

changed = threading.Condition()


def wait_for_it():
    with changed:
        changed.wait()


waiter = threading.Thread(target=wait_for_it)
waiter.start()
with changed:
    changed.notify()
waiter.join()
