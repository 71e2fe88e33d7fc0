"""A thread dies of an exception. The others go on as if nothing had happened; the checker does not."""

import threading

prices = {"apple": 3, "pear": 4}
total = 0
lock = threading.Lock()


def add(fruit):
    global total
    with lock:
        total += prices[fruit]


threads = [threading.Thread(target=add, args=(fruit,)) for fruit in ("apple", "plum")]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
