"""A cache with a size limit checks the limit outside of the lock, and grows beyond it."""

import threading

import assay

LIMIT = 1

cache = {}
lock = threading.Lock()


def remember(key, value):
    if len(cache) < LIMIT:
        with lock:
            cache[key] = value


assay.invariant(lambda: len(cache) <= LIMIT, name="the cache keeps to its limit")
threads = [threading.Thread(target=remember, args=(key, key.upper())) for key in ("a", "b")]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
