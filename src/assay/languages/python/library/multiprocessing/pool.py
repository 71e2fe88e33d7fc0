"""`multiprocessing.pool.ThreadPool` for programs under the machine.

What a pool of CPython does in threads of its own is done by threads here, too, where a program can tell: one goes
through the iterables that the pool was given and makes tasks of them, another takes what the workers computed, stores
it and calls callbacks, one result after the other. So a worker can be at its next task before the result of the last one
is there. Only the thread that watches the workers is left out; it has a number, as all threads of a pool do.
"""

import itertools
import threading
from multiprocessing.context import TimeoutError

import _assay
from _thread import _require_time

_GenericAlias = type(list[int])

_RUN = "RUN"
_CLOSE = "CLOSE"
_TERMINATE = "TERMINATE"

_UNCHANGING = (tuple, range, str, bytes)
_PLAIN = (list, dict, *_UNCHANGING)  # going through one calls no function of the program


@_assay.atomic
def _start(threads):
    for thread in threads:
        thread.start()


class Pool:
    def __init__(self, *arguments, **keywords):
        _assay.unsupported("processes are not modelled; use ThreadPool while checking")


class ThreadPool(Pool):
    def __init__(self, processes=None, initializer=None, initargs=()):
        if processes is None:
            processes = 4  # for the processors that `os.cpu_count` tells
        if processes < 1:
            raise ValueError("Number of processes must be at least 1")
        if initializer is not None and not callable(initializer):
            raise TypeError("initializer must be a callable")
        self._processes = processes
        self._pool_state = _RUN
        self._pool_sources = []  # (job, the tasks of it that are still to be made, whether no function of the program makes them)
        self._pool_tasks = []
        self._pool_results = []
        self._pool_unfinished = 0  # jobs
        self._pool_workers = []
        for _ in range(processes):
            self._pool_workers.append(
                threading.Thread(target=worker, args=(self, initializer, initargs), daemon=True)
            )
        threading._next_number()
        self._pool_helpers = tuple(
            threading.Thread(target=target, args=(self,), daemon=True)
            for target in (_handle_tasks, _handle_results)
        )
        _start((*self._pool_workers, *self._pool_helpers))

    def __repr__(self):
        state, size = self._pool_state, len(self._pool_workers)
        return f"<multiprocessing.pool.{type(self).__name__} state={state} pool_size={size}>"

    def __reduce__(self):
        raise NotImplementedError("pool objects cannot be passed between processes or pickled")

    def __enter__(self):
        self._require_running()
        return self

    def __exit__(self, exc_type, exc_val, exc_tb):
        self.terminate()

    @_assay.atomic
    def _require_running(self):
        if self._pool_state != _RUN:
            raise ValueError("Pool not running")

    @_assay.atomic
    def _add_job(self, job, tasks, is_plain):
        """Tasks in a list are there at once."""
        self._pool_unfinished += 1
        if type(tasks) is list and not self._pool_sources:
            self._pool_tasks.extend(tasks)
        else:
            self._pool_sources.append((job, iter(tasks), is_plain))

    @_assay.atomic
    def _job_is_done(self):
        self._pool_unfinished -= 1

    def _is_over(self):
        """Within atomic code."""
        return self._pool_state == _TERMINATE or (self._pool_state == _CLOSE and self._pool_unfinished == 0)

    @_assay.atomic
    def _next_source(self):
        """What functions of the program make is left to the caller; else one task is made, or there is no more of them."""
        if self._is_over():
            return (True, None)
        if not self._pool_sources:
            _assay.block()
        source = self._pool_sources[0]
        job, tasks, is_plain = source
        if not is_plain:
            return (False, source)
        for task in tasks:
            self._pool_tasks.append(task)
            job._job_length_so_far = task[1] + 1
            return (False, None)
        self._end_source(job)
        return (False, None)

    @_assay.atomic
    def _add_task(self, job, task):
        """Whether more are wanted."""
        if self._pool_state == _TERMINATE:
            return False
        self._pool_tasks.append(task)
        job._job_length_so_far = task[1] + 1
        return True

    @_assay.atomic
    def _end_source(self, job):
        del self._pool_sources[0]
        job._set_length(job._job_length_so_far)

    @_assay.atomic
    def _next_task(self):
        if self._pool_tasks:
            return self._pool_tasks.pop(0)
        if not self._is_over():
            _assay.block()
        return None

    @_assay.atomic
    def _add_result(self, job, index, is_success, value):
        self._pool_results.append((job, index, is_success, value))

    @_assay.atomic
    def _store_result(self):
        """Whether to go on, and what is to be called before it is told that the job is done."""
        if self._is_over():
            return (False, None)
        if not self._pool_results:
            _assay.block()
        job, index, is_success, value = self._pool_results.pop(0)
        return (True, job._store(index, is_success, value))

    def apply(self, func, args=(), kwds={}):
        return self.apply_async(func, args, kwds).get()

    def apply_async(self, func, args=(), kwds={}, callback=None, error_callback=None):
        self._require_running()
        job = ApplyResult(self, callback, error_callback)
        self._add_job(job, [(job, 0, func, args, kwds)], True)
        return job

    def map(self, func, iterable, chunksize=None):
        return self.map_async(func, iterable, chunksize).get()

    def map_async(self, func, iterable, chunksize=None, callback=None, error_callback=None):
        return self._map(func, iterable, _map_star, chunksize, callback, error_callback)

    def starmap(self, func, iterable, chunksize=None):
        return self.starmap_async(func, iterable, chunksize).get()

    def starmap_async(self, func, iterable, chunksize=None, callback=None, error_callback=None):
        return self._map(func, iterable, _starmap_star, chunksize, callback, error_callback)

    def _map(self, func, iterable, mapper, chunksize, callback, error_callback):
        self._require_running()
        is_known = type(iterable) in _UNCHANGING
        if not hasattr(iterable, "__len__"):
            iterable = list(iterable)
            is_known = True
        if chunksize is None:
            chunksize, extra = divmod(len(iterable), len(self._pool_workers) * 4)
            if extra:
                chunksize += 1
        if len(iterable) == 0:
            chunksize = 0
        job = MapResult(self, chunksize, len(iterable), callback, error_callback)
        if chunksize > 0:
            tasks = _tasks_of(job, mapper, _chunks_of(func, iterable, chunksize))
            self._add_job(job, list(tasks) if is_known else tasks, type(iterable) in _PLAIN)
        return job

    def imap(self, func, iterable, chunksize=1):
        return self._imap(IMapIterator, func, iterable, chunksize)

    def imap_unordered(self, func, iterable, chunksize=1):
        return self._imap(IMapUnorderedIterator, func, iterable, chunksize)

    def _imap(self, kind, func, iterable, chunksize):
        self._require_running()
        if chunksize == 1:
            job = kind(self)
            self._add_job(job, _tasks_of(job, func, iterable), type(iterable) in _PLAIN)
            return job
        if chunksize < 1:
            raise ValueError(f"Chunksize must be 1+, not {chunksize:n}")
        job = kind(self)
        tasks = _tasks_of(job, _map_star, _chunks_of(func, iterable, chunksize))
        self._add_job(job, tasks, type(iterable) in _PLAIN)
        return (item for chunk in job for item in chunk)

    @_assay.atomic
    def close(self):
        if self._pool_state == _RUN:
            self._pool_state = _CLOSE

    @_assay.atomic
    def _end(self):
        self._pool_state = _TERMINATE
        self._pool_tasks.clear()

    def terminate(self):
        self._end()
        for thread in self._pool_helpers:
            if thread is not threading.current_thread():
                thread.join()

    def join(self):
        if self._pool_state == _RUN:
            raise ValueError("Pool is still running")
        for thread in (*self._pool_helpers, *self._pool_workers):
            thread.join()


def _map_star(function_and_items):
    return list(map(*function_and_items))


def _starmap_star(function_and_items):
    return list(itertools.starmap(*function_and_items))


def _chunks_of(func, iterable, size):
    iterator = iter(iterable)
    while True:
        chunk = tuple(itertools.islice(iterator, size))
        if not chunk:
            return
        yield (func, chunk)


def _raise(problem):
    raise problem


def _tasks_of(job, func, iterable):
    index = -1
    try:
        for index, item in enumerate(iterable):
            yield (job, index, func, (item,), {})
    except Exception as problem:
        yield (job, index + 1, _raise, (problem,), {})


def worker(pool, initializer, initargs):
    """What a worker does; CPython names its thread so."""
    if initializer is not None:
        try:
            initializer(*initargs)
        except BaseException:
            if threading.excepthook is not threading.__excepthook__:
                _assay.unsupported(
                    "a pool begins another worker where an initializer failed, which is not modelled; let it catch "
                    "its exceptions"
                )
            raise
    while True:
        task = pool._next_task()
        if task is None:
            return
        job, index, func, args, kwds = task
        try:
            is_success, value = True, func(*args, **kwds)
        except Exception as problem:
            is_success, value = False, problem
        except BaseException:
            _assay.unsupported(
                "a pool begins another worker where a task ended its thread, which is not modelled; let the task raise an "
                "Exception"
            )
        pool._add_result(job, index, is_success, value)
        task = job = func = args = kwds = value = None


def _handle_tasks(pool):
    while True:
        is_over, source = pool._next_source()
        if is_over:
            return
        if source is not None:
            job, tasks, _is_plain = source
            for task in tasks:
                if not pool._add_task(job, task):
                    return
            pool._end_source(job)
            source = job = tasks = task = None


def _handle_results(pool):
    while True:
        goes_on, due = pool._store_result()
        if not goes_on:
            return
        if due is not None:
            callback, job, value = due
            callback(value)
            job._tell()
            due = callback = job = value = None


class ApplyResult:
    def __init__(self, pool, callback, error_callback):
        self._job_pool = pool
        self._job_callback = callback
        self._job_error_callback = error_callback
        self._job_length_so_far = 0
        self._job_is_ready = False
        self._job_is_success = False
        self._job_value = None

    @_assay.atomic
    def ready(self):
        return self._job_is_ready

    def successful(self):
        if not self.ready():
            raise ValueError(f"{self!r} not ready")
        return self._job_is_success

    @_assay.atomic
    def wait(self, timeout=None):
        if not self._job_is_ready:
            if timeout is None:
                _assay.block()
            _require_time(timeout)

    def get(self, timeout=None):
        self.wait(timeout)
        if not self.ready():
            raise TimeoutError
        if self._job_is_success:
            return self._job_value
        raise self._job_value

    def _set_length(self, length):
        pass

    def _store(self, index, is_success, value):
        return self._settle(is_success, value)

    def _settle(self, is_success, value):
        """Within atomic code. A callback comes before anybody is told."""
        self._job_is_success = is_success
        self._job_value = value
        callback = self._job_callback if is_success else self._job_error_callback
        if callback is not None:
            return (callback, self, value)
        self._tell()
        return None

    @_assay.atomic
    def _tell(self):
        self._job_is_ready = True
        self._job_pool._job_is_done()

    __class_getitem__ = classmethod(_GenericAlias)


AsyncResult = ApplyResult


class MapResult(ApplyResult):
    def __init__(self, pool, chunksize, length, callback, error_callback):
        ApplyResult.__init__(self, pool, callback, error_callback)
        self._job_is_success = True
        self._job_value = [None] * length
        self._job_chunk_size = chunksize
        self._job_is_ready = chunksize <= 0
        self._job_missing = 0 if chunksize <= 0 else length // chunksize + bool(length % chunksize)

    def _store(self, index, is_success, value):
        self._job_missing -= 1
        if is_success and self._job_is_success:
            size = self._job_chunk_size
            self._job_value[index * size : (index + 1) * size] = value
        elif self._job_is_success:
            self._job_is_success = False
            self._job_value = value
        if self._job_missing == 0:
            return self._settle(self._job_is_success, self._job_value)
        return None


class IMapIterator:
    def __init__(self, pool):
        self._job_pool = pool
        self._job_items = []
        self._job_early = {}  # results that came before others which are due
        self._job_index = 0
        self._job_length_so_far = 0
        self._job_length = None
        self._job_consumer = None

    def __iter__(self):
        return self

    def next(self, timeout=None):
        is_success, value = self._take(timeout)
        if is_success:
            return value
        raise value

    __next__ = next

    @_assay.atomic
    def _take(self, timeout):
        if self._job_consumer is None:
            self._job_consumer = _assay.current()
        elif self._job_consumer is not _assay.current():
            _assay.unsupported(
                "several threads that take from one iterator of a pool are not modelled; let one thread take"
            )
        if self._job_items:
            return self._job_items.pop(0)
        if self._job_index == self._job_length:
            raise StopIteration
        if timeout is None:
            _assay.block()
        _require_time(timeout)
        raise TimeoutError

    def _set_length(self, length):
        self._job_length = length
        if self._job_index == length:
            self._job_pool._job_is_done()

    def _store(self, index, is_success, value):
        self._job_early[index] = (is_success, value)
        while self._job_index in self._job_early:
            self._job_items.append(self._job_early.pop(self._job_index))
            self._job_index += 1
        if self._job_index == self._job_length:
            self._job_pool._job_is_done()


class IMapUnorderedIterator(IMapIterator):
    def _store(self, index, is_success, value):
        self._job_items.append((is_success, value))
        self._job_index += 1
        if self._job_index == self._job_length:
            self._job_pool._job_is_done()
