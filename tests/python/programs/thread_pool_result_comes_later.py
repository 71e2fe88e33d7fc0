# verdict: bytecode=violated:assertion
from multiprocessing.pool import ThreadPool

begun = []
pool = ThreadPool(1)
first = pool.apply_async(abs, (-1,))
second = pool.apply_async(begun.append, (1,))
if begun:  # the worker has come to the second task; another thread has yet to store the result of the first
    assert first.ready()
