# verdict: bytecode=violated:deadlock
from concurrent.futures import ThreadPoolExecutor

executor = ThreadPoolExecutor(max_workers=1)


def wait_on_future():
    f = executor.submit(pow, 5, 2)
    print(f.result())


executor.submit(wait_on_future)
