import _queue
import concurrent.futures
import concurrent.futures.process
import concurrent.futures.thread
import multiprocessing
import multiprocessing.context
import queue
import time
import timeit
from concurrent.futures._base import FINISHED, CancelledError, Error, Future

print(Future is concurrent.futures.Future, CancelledError is concurrent.futures.CancelledError, FINISHED)
print(issubclass(CancelledError, Error), timeit.default_timer is time.perf_counter)
print(concurrent.futures.thread.ThreadPoolExecutor is concurrent.futures.ThreadPoolExecutor)
print(issubclass(concurrent.futures.process.BrokenProcessPool, concurrent.futures.BrokenExecutor))
print(
    multiprocessing.TimeoutError is multiprocessing.context.TimeoutError,
    _queue.SimpleQueue is queue.SimpleQueue,
)


class Own(concurrent.futures.process.ProcessPoolExecutor):
    pass


try:
    queue.Queue().get_nowait()
except _queue.Empty:
    print("empty")
future = Future()
future.cancel()
try:
    future.result()
except CancelledError:
    print("cancelled")
