import copy
import queue
import threading
from concurrent.futures import Future, ThreadPoolExecutor


class A:
    def __init__(self, x):
        self.x = x


for make in (
    threading.Lock,
    threading.RLock,
    threading.Condition,
    threading.Event,
    threading.Semaphore,
    lambda: threading.Barrier(2),
    threading.Thread,
    queue.Queue,
    queue.SimpleQueue,
    Future,
    threading.local,
    queue.PriorityQueue,
    lambda: ThreadPoolExecutor(1),
):
    for copier in (copy.deepcopy, copy.copy):
        try:
            copier(A(make()))
            print("copied")
        except TypeError as e:
            print(e)
