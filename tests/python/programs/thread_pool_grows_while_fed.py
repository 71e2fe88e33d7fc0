# verdict: bytecode=violated:assertion
from multiprocessing.pool import ThreadPool

pool = ThreadPool(1)
numbers = [-1]
results = pool.imap(abs, numbers)
numbers.append(-2)  # another thread of the pool goes through the list, now or later
assert list(results) == [1]
