"""A task waits for another one that needs the same, only worker: a deadlock."""

from concurrent.futures import ThreadPoolExecutor


def outer(pool):
    return pool.submit(lambda: 1).result() + 1


with ThreadPoolExecutor(max_workers=1) as pool:
    assert pool.submit(outer, pool).result() == 2
