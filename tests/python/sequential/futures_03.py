# a pool whose tasks are waited for one by one
from concurrent.futures import ThreadPoolExecutor, as_completed, wait

with ThreadPoolExecutor(max_workers=1) as pool:
    print(pool.submit(pow, 2, 5).result())
    print(list(pool.map(lambda x: x + 1, [1, 2, 3])))
    f = pool.submit(lambda: 1 / 0)
    print(type(f.exception()).__name__)
    done, pending = wait([pool.submit(str, n) for n in range(3)])
    print(sorted(d.result() for d in done), len(pending))
    print(sorted(d.result() for d in as_completed([pool.submit(abs, -n) for n in range(3)])))
try:
    pool.submit(print)
except RuntimeError as error:
    print(error)
