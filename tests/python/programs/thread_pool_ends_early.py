# verdict: bytecode=violated:assertion
from multiprocessing.pool import ThreadPool

done = []
with ThreadPool(1) as pool:  # leaving it ends the pool: nobody waits for the tasks
    pool.apply_async(done.append, (1,))
assert done == [1]
