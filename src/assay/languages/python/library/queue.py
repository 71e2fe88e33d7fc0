"""The module `queue` for programs under the machine.

An operation is one atomic piece on the queue's content: nobody can see a thread arrive at a queue, and CPython's
queues lose no wake-up, so waiting is the same as not being scheduled, and a timeout may have run out whenever the
thread is scheduled and cannot go on.

That is not so when the program looks inside: it overrides `_put` and its relatives, uses `mutex` or the conditions, or
puts items into a PriorityQueue whose comparison may run code of its own or fail. Then the queue goes on, for good, with
locks and conditions as CPython's does (`_queue_locks`).
"""

from collections import deque
from heapq import heappop, heappush

import _assay
import threading
from _thread import _cannot_copy_lock, _cannot_copy_queue, _require_time

_GenericAlias = type(list[int])

__all__ = ["Empty", "Full", "LifoQueue", "PriorityQueue", "Queue", "ShutDown", "SimpleQueue"]


class Empty(Exception):
    __module__ = "_queue"  # as in CPython


class Full(Exception):
    pass


class ShutDown(Exception):
    pass


# Unfinished tasks are counted only where somebody asks; otherwise the count would grow without end.
_counts_tasks = _assay.mentions("task_done") or _assay.mentions("unfinished_tasks")

# What an atomic piece answers.
_DONE = 0
_USE_LOCKS = 1  # the queue has got locks
_NOT_POSSIBLE = 2  # Full or Empty
_SHUT_DOWN = 3


class Queue:
    __reduce_ex__ = _cannot_copy_lock

    def __init__(self, maxsize=0):
        self.maxsize = maxsize
        self._queue_locks = None
        self._init(maxsize)
        self.unfinished_tasks = 0
        self._is_shutdown = False
        kind = type(self)
        if not (
            (kind._put is Queue._put and kind._get is Queue._get)
            or (kind._put is PriorityQueue._put and kind._get is PriorityQueue._get)
            or (kind._put is LifoQueue._put and kind._get is LifoQueue._get)
        ) or not (
            kind._qsize is Queue._qsize
            or kind._qsize is PriorityQueue._qsize
            or kind._qsize is LifoQueue._qsize
        ):
            self._use_locks()

    # The four that a subclass may override.

    def _init(self, maxsize):
        self.queue = deque()

    def _qsize(self):
        return len(self.queue)

    def _put(self, item):
        self.queue.append(item)

    def _get(self):
        return self.queue.popleft()

    # The locks, made when they are first needed.

    @_assay.atomic
    def _use_locks(self):
        if self._queue_locks is None:
            mutex = threading.Lock()
            self._queue_locks = (
                mutex,
                threading.Condition(mutex),
                threading.Condition(mutex),
                threading.Condition(mutex),
            )
        return self._queue_locks

    @property
    def mutex(self):
        return self._use_locks()[0]

    @property
    def not_empty(self):
        return self._use_locks()[1]

    @property
    def not_full(self):
        return self._use_locks()[2]

    @property
    def all_tasks_done(self):
        return self._use_locks()[3]

    # Operations: first the atomic piece, then the same with locks.

    def put(self, item, block=True, timeout=None):
        outcome = self._put_at_once(item, block, timeout)
        if outcome == _NOT_POSSIBLE:
            raise Full
        if outcome == _SHUT_DOWN:
            raise ShutDown
        if outcome == _USE_LOCKS:
            self._put_with_locks(item, block, timeout)

    @_assay.atomic
    def _put_at_once(self, item, block, timeout):
        if self._queue_locks is not None:
            return _USE_LOCKS
        if not self._accepts(item):
            self._use_locks()
            return _USE_LOCKS
        if self._is_shutdown:
            return _SHUT_DOWN
        if self.maxsize > 0:
            if block and timeout is not None and timeout < 0:
                raise ValueError("'timeout' must be a non-negative number")
            if self._qsize() >= self.maxsize:
                if block and timeout is not None:
                    _require_time(timeout)
                if not block or timeout is not None:
                    return _NOT_POSSIBLE
                _assay.block()
        self._put(item)
        if _counts_tasks:
            self.unfinished_tasks += 1
        elif self.unfinished_tasks == 0:
            self.unfinished_tasks = 1  # only zero or not matters, to `join`
        return _DONE

    def _accepts(self, item):
        """Whether `_put` and `_get` stay free of the program's code and of errors when this item comes."""
        return True

    def _put_with_locks(self, item, block, timeout):
        mutex, not_empty, not_full, all_tasks_done = self._use_locks()
        with mutex:
            if self._is_shut_down():
                raise ShutDown
            if self.maxsize > 0:
                if block and timeout is not None and timeout < 0:
                    raise ValueError("'timeout' must be a non-negative number")
                while self._qsize() >= self.maxsize:
                    if not block:
                        raise Full
                    if not not_full.wait(timeout) and self._qsize() >= self.maxsize:
                        raise Full
                    if self._is_shut_down():
                        raise ShutDown
            self._put(item)
            self._add_task()
            not_empty.notify()

    @_assay.atomic
    def _is_shut_down(self):
        return self._is_shutdown

    @_assay.atomic
    def _add_task(self):
        if _counts_tasks or self.unfinished_tasks == 0:
            self.unfinished_tasks += 1

    def get(self, block=True, timeout=None):
        outcome, item = self._get_at_once(block, timeout)
        if outcome == _NOT_POSSIBLE:
            raise Empty
        if outcome == _SHUT_DOWN:
            raise ShutDown
        if outcome == _USE_LOCKS:
            return self._get_with_locks(block, timeout)
        return item

    @_assay.atomic
    def _get_at_once(self, block, timeout):
        if self._queue_locks is not None:
            return (_USE_LOCKS, None)
        empty = not self._qsize()
        if empty and self._is_shutdown:
            return (_SHUT_DOWN, None)
        if block and timeout is not None and timeout < 0:
            raise ValueError("'timeout' must be a non-negative number")
        if empty:
            if block and timeout is not None:
                _require_time(timeout)
            if not block or timeout is not None:
                return (_NOT_POSSIBLE, None)
            _assay.block()
        return (_DONE, self._get())

    def _get_with_locks(self, block, timeout):
        mutex, not_empty, not_full, all_tasks_done = self._use_locks()
        with mutex:
            if self._is_shut_down() and not self._qsize():
                raise ShutDown
            if block and timeout is not None and timeout < 0:
                raise ValueError("'timeout' must be a non-negative number")
            while not self._qsize():
                if not block:
                    raise Empty
                if not not_empty.wait(timeout) and not self._qsize():
                    raise Empty
                if self._is_shut_down() and not self._qsize():
                    raise ShutDown
            item = self._get()
            not_full.notify()
            return item

    def put_nowait(self, item):
        return self.put(item, block=False)

    def get_nowait(self):
        return self.get(block=False)

    def task_done(self):
        if self._task_done_at_once() == _USE_LOCKS:
            mutex, not_empty, not_full, all_tasks_done = self._use_locks()
            with mutex:
                if self._count_down():
                    all_tasks_done.notify_all()

    @_assay.atomic
    def _task_done_at_once(self):
        if self._queue_locks is not None:
            return _USE_LOCKS
        self._count_down()
        return _DONE

    @_assay.atomic
    def _count_down(self):
        if self.unfinished_tasks <= 0:
            raise ValueError("task_done() called too many times")
        self.unfinished_tasks -= 1
        return self.unfinished_tasks == 0

    def join(self):
        if self._join_at_once() == _USE_LOCKS:
            mutex, not_empty, not_full, all_tasks_done = self._use_locks()
            with mutex:
                while self._has_tasks():
                    all_tasks_done.wait()

    @_assay.atomic
    def _join_at_once(self):
        if self._queue_locks is not None:
            return _USE_LOCKS
        if self.unfinished_tasks:
            _assay.block()
        return _DONE

    @_assay.atomic
    def _has_tasks(self):
        return self.unfinished_tasks > 0

    def qsize(self):
        size = self._qsize_at_once()
        if size < 0:
            with self._use_locks()[0]:
                return self._qsize()
        return size

    @_assay.atomic
    def _qsize_at_once(self):
        if self._queue_locks is not None:
            return -1
        return self._qsize()

    def empty(self):
        return not self.qsize()

    def full(self):
        return 0 < self.maxsize <= self.qsize()

    @property
    def is_shutdown(self):
        return self._is_shut_down()

    def shutdown(self, immediate=False):
        if self._shut_down_at_once(immediate) == _USE_LOCKS:
            mutex, not_empty, not_full, all_tasks_done = self._use_locks()
            with mutex:
                self._set_shut_down()
                if immediate:
                    while self._qsize():
                        self._get()
                        if self._has_tasks():
                            self._count_down()
                    all_tasks_done.notify_all()
                not_empty.notify_all()
                not_full.notify_all()

    @_assay.atomic
    def _set_shut_down(self):
        self._is_shutdown = True

    @_assay.atomic
    def _shut_down_at_once(self, immediate):
        if self._queue_locks is not None:
            return _USE_LOCKS
        self._is_shutdown = True
        if immediate:
            while self._qsize():
                self._get()
                if self.unfinished_tasks > 0:
                    self.unfinished_tasks -= 1
        return _DONE

    __class_getitem__ = classmethod(_GenericAlias)


class PriorityQueue(Queue):
    def _init(self, maxsize):
        self.queue = []
        self._queue_shape = None

    def _qsize(self):
        return len(self.queue)

    def _put(self, item):
        heappush(self.queue, item)

    def _get(self):
        return heappop(self.queue)

    def _accepts(self, item):
        shape = _shape_of(item)
        if self._queue_shape is None:
            self._queue_shape = shape
        return shape is not None and shape == self._queue_shape


class LifoQueue(Queue):
    def _init(self, maxsize):
        self.queue = []

    def _qsize(self):
        return len(self.queue)

    def _put(self, item):
        self.queue.append(item)

    def _get(self):
        return self.queue.pop()


def _shape_of(item):
    """Two items of the same shape compare without an error and without code of the program; None: not sure."""
    kind = type(item)
    if kind is int or kind is float or kind is bool:
        return "number"
    if kind is str or kind is bytes:
        return kind.__name__
    if kind is tuple:
        shapes = []
        for part in item:
            shape = _shape_of(part)
            if shape is None:
                return None
            shapes.append(shape)
        return tuple(shapes)
    return None


class SimpleQueue:
    """Unbounded, first in, first out."""

    __reduce_ex__ = _cannot_copy_queue
    _stored_in_c = ()

    def __init__(self):
        self._simple_items = deque()

    @_assay.atomic
    def put(self, item, block=True, timeout=None):
        self._simple_items.append(item)

    @_assay.atomic
    def get(self, block=True, timeout=None):
        if block and timeout is not None and timeout < 0:
            raise ValueError("'timeout' must be a non-negative number")
        if block and timeout is not None:
            _require_time(timeout)
        if not self._simple_items:
            if not block or timeout is not None:
                raise Empty
            _assay.block()
        return self._simple_items.popleft()

    def put_nowait(self, item):
        self.put(item)

    def get_nowait(self):
        return self.get(False)

    @_assay.atomic
    def empty(self):
        return not self._simple_items

    @_assay.atomic
    def qsize(self):
        return len(self._simple_items)

    __class_getitem__ = classmethod(_GenericAlias)
