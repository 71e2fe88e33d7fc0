"""An event remembers that it was set, so it does not matter who comes first."""

import threading

happened = threading.Event()
seen = []


def wait_for_it():
    happened.wait()
    seen.append(1)


waiter = threading.Thread(target=wait_for_it)
waiter.start()
happened.set()
waiter.join()
assert seen == [1]
