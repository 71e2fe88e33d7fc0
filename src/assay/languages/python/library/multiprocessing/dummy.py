"""`multiprocessing.dummy`: threads under the names of processes."""

import threading
from multiprocessing.pool import ThreadPool
from queue import Queue
from threading import Barrier, BoundedSemaphore, Condition, Event, Lock, RLock, Semaphore

current_process = threading.current_thread
JoinableQueue = Queue


def Pool(processes=None, initializer=None, initargs=()):
    return ThreadPool(processes, initializer, initargs)
