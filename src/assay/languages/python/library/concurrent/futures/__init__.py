"""The module `concurrent.futures` for programs under the machine.

A future never goes back from done, so waiting for one is one atomic piece. The pool creates threads as CPython does: one
per submission while no worker has said that it is idle, up to the maximum. When a worker says so differs between 3.11
(after each task) and 3.12 (when the queue of tasks is empty), and follows the Python that runs the checker.

Futures that were done before `as_completed` was called come in any order, as from a set.
"""

from collections import namedtuple
from enum import sys as _interpreter

import _assay
import threading
from _thread import _cannot_copy_queue, _cannot_copy_rlock, _require_time

_GenericAlias = type(list[int])

FIRST_COMPLETED = "FIRST_COMPLETED"
FIRST_EXCEPTION = "FIRST_EXCEPTION"
ALL_COMPLETED = "ALL_COMPLETED"

_PENDING = "PENDING"
_RUNNING = "RUNNING"
_CANCELLED = "CANCELLED"
_CANCELLED_AND_NOTIFIED = "CANCELLED_AND_NOTIFIED"
_FINISHED = "FINISHED"

_tells_when_queue_is_empty = _interpreter.version_info >= (3, 12)

TimeoutError = TimeoutError


class _Error(Exception):
    pass


class CancelledError(_Error):
    pass


class InvalidStateError(_Error):
    pass


class BrokenExecutor(RuntimeError):
    pass


class _BrokenThreadPool(BrokenExecutor):
    pass


_DoneAndNotDoneFutures = namedtuple("_DoneAndNotDoneFutures", "done not_done")


class Future:
    """The outcome of a call that somebody makes."""

    __reduce_ex__ = _cannot_copy_rlock

    def __init__(self):
        self._future_state = _PENDING
        self._future_result = None
        self._future_exception = None
        self._future_callbacks = []
        self._future_arrivals = []  # lists of `as_completed` into which this future goes when it is done

    @_assay.atomic
    def __repr__(self):
        state = self._future_state
        text = "cancelled" if state == _CANCELLED_AND_NOTIFIED else state.lower()
        if state == _FINISHED:
            if self._future_exception is not None:
                text += " raised " + type(self._future_exception).__name__
            else:
                text += " returned " + type(self._future_result).__name__
        return f"<{type(self).__name__} at 0x\u22ef state={text}>"

    def cancel(self):
        cancelled, callbacks = self._try_to_cancel()
        self._call_back(callbacks)
        return cancelled

    @_assay.atomic
    def _try_to_cancel(self):
        if self._future_state in (_RUNNING, _FINISHED):
            return (False, ())
        if self._future_state != _PENDING:
            return (True, ())
        self._future_state = _CANCELLED
        return (True, self._take_callbacks())

    @_assay.atomic
    def cancelled(self):
        return self._future_state in (_CANCELLED, _CANCELLED_AND_NOTIFIED)

    @_assay.atomic
    def running(self):
        return self._future_state == _RUNNING

    @_assay.atomic
    def done(self):
        return self._future_state in (_CANCELLED, _CANCELLED_AND_NOTIFIED, _FINISHED)

    def result(self, timeout=None):
        cancelled, exception, result = self._wait(timeout)
        if cancelled:
            raise CancelledError()
        if exception is not None:
            raise exception
        return result

    def exception(self, timeout=None):
        cancelled, exception, _result = self._wait(timeout)
        if cancelled:
            raise CancelledError()
        return exception

    @_assay.atomic
    def _wait(self, timeout):
        if self._future_state in (_PENDING, _RUNNING):
            if timeout is not None:
                _require_time(timeout)
                raise TimeoutError()
            _assay.block()
        return (self._future_state != _FINISHED, self._future_exception, self._future_result)

    def add_done_callback(self, fn):
        if not self._keep_callback(fn):
            self._call_back((fn,))

    @_assay.atomic
    def _keep_callback(self, fn):
        if self._future_state in (_PENDING, _RUNNING):
            self._future_callbacks.append(fn)
            return True
        return False

    def _take_callbacks(self):
        """Within atomic code."""
        callbacks = tuple(self._future_callbacks)
        if callbacks:
            self._future_callbacks.clear()
        return callbacks

    def _call_back(self, callbacks):
        for callback in callbacks:
            try:
                callback(self)
            except Exception:  # CPython logs it and goes on
                pass

    @_assay.atomic
    def set_running_or_notify_cancel(self):
        if self._future_state == _CANCELLED:
            self._future_state = _CANCELLED_AND_NOTIFIED
            self._announce()
            return False
        if self._future_state != _PENDING:
            raise RuntimeError("Future in unexpected state")
        self._future_state = _RUNNING
        return True

    def _announce(self):
        """Within atomic code: tells those who wait in `as_completed`."""
        for arrivals in self._future_arrivals:
            arrivals.append(self)

    def set_result(self, result):
        self._call_back(self._finish(None, result))

    def set_exception(self, exception):
        self._call_back(self._finish(exception, None))

    @_assay.atomic
    def _finish(self, exception, result):
        if self._future_state not in (_PENDING, _RUNNING):
            raise InvalidStateError(self._future_state + ": " + repr(self))
        self._future_exception = exception
        self._future_result = result
        self._future_state = _FINISHED
        self._announce()
        return self._take_callbacks()

    __class_getitem__ = classmethod(_GenericAlias)


def _is_announced(future):
    """Within atomic code: done in the eyes of `wait` and `as_completed`."""
    return future._future_state in (_CANCELLED_AND_NOTIFIED, _FINISHED)


def wait(fs, timeout=None, return_when=ALL_COMPLETED):
    futures = list(dict.fromkeys(fs))
    done = set(_wait_for(futures, timeout, return_when))
    return _DoneAndNotDoneFutures(done, set(futures) - done)


@_assay.atomic
def _wait_for(futures, timeout, return_when):
    done = []
    failed = False
    for future in futures:
        if _is_announced(future):
            done.append(future)
            if future._future_exception is not None:
                failed = True
    enough = (
        len(done) == len(futures)
        or (return_when == FIRST_COMPLETED and len(done) > 0)
        or (return_when == FIRST_EXCEPTION and failed)
    )
    if not enough:
        if return_when not in (FIRST_COMPLETED, FIRST_EXCEPTION, ALL_COMPLETED):
            raise ValueError("Invalid return condition: " + repr(return_when))
        if timeout is None:
            _assay.block()
        _require_time(timeout)
    return done


def as_completed(fs, timeout=None):
    if timeout is not None:
        timeout + 0.0  # CPython adds it to a clock
    futures = list(dict.fromkeys(fs))
    total = len(futures)
    finished, pending, arrivals = _watch(futures)
    finished = list(set(finished))
    try:
        while finished:
            yield finished.pop()
        while pending:
            arrived = _take_arrivals(arrivals, timeout)
            if not arrived:
                raise TimeoutError(str(len(pending)) + " (of " + str(total) + ") futures unfinished")
            for future in arrived:
                _stop_watching([future], arrivals)
                pending.remove(future)
                yield future
    finally:
        if pending:
            _stop_watching(pending, arrivals)


@_assay.atomic
def _watch(futures):
    arrivals = []
    finished = []
    pending = []
    for future in futures:
        if _is_announced(future):
            finished.append(future)
        else:
            future._future_arrivals.append(arrivals)
            pending.append(future)
    return (finished, pending, arrivals)


@_assay.atomic
def _take_arrivals(arrivals, timeout):
    if not arrivals:
        if timeout is None:
            _assay.block()
        _require_time(timeout)
    arrived = list(arrivals)
    arrivals.clear()
    return arrived


@_assay.atomic
def _stop_watching(futures, arrivals):
    for future in futures:
        watched = future._future_arrivals
        for place in range(len(watched)):
            if watched[place] is arrivals:
                del watched[place]
                break


class Executor:
    def submit(self, fn, /, *args, **kwargs):
        raise NotImplementedError()

    def map(self, fn, *iterables, timeout=None, chunksize=1):
        if timeout is not None:
            timeout + 0.0  # CPython adds it to a clock
        futures = [self.submit(fn, *args) for args in zip(*iterables)]
        return _results(futures, timeout)

    def shutdown(self, wait=True, *, cancel_futures=False):
        pass

    def __enter__(self):
        return self

    def __exit__(self, exc_type, exc_val, exc_tb):
        self.shutdown(wait=True)
        return False


def _results(futures, timeout):
    try:
        futures.reverse()
        while futures:
            future = futures.pop()
            try:
                result = future.result(timeout)
            except (TimeoutError, CancelledError):
                future.cancel()
                raise
            del future
            yield result
    finally:
        for future in futures:
            future.cancel()


# How a worker asks for its next task.
_LOOK = 0  # without waiting
_TELL = 1  # after saying that it is idle
_WAIT = 2

# What it is answered.
_TASK = 0
_SKIP = 1  # the task was cancelled
_NOTHING_YET = 2
_AGAIN = 3
_LEAVE = 4

_pools_created = [0]
_exiting = [False]  # the main thread has ended: workers leave when nothing is left to do


_main_is_seen = (
    _assay.mentions("main_thread") or _assay.mentions("enumerate") or _assay.mentions("current_thread")
)
_workers = []  # of all pools, where the program can see that the main thread waits for them before it ends


@_assay.atomic
def _exit_begins():
    _exiting[0] = True
    return list(_workers)


def _exit():
    for worker in _exit_begins():
        worker.join()


threading._register_atexit(_exit)


@_assay.atomic
def _next_pool_number():
    _pools_created[0] += 1
    return _pools_created[0] - 1


class ThreadPoolExecutor(Executor):
    __reduce_ex__ = _cannot_copy_queue

    def __init__(self, max_workers=None, thread_name_prefix="", initializer=None, initargs=()):
        if max_workers is None:
            max_workers = 8  # for the four processors that `os.cpu_count` tells
        if max_workers <= 0:
            raise ValueError("max_workers must be greater than 0")
        if initializer is not None and not callable(initializer):
            raise TypeError("initializer must be a callable")
        self._max_workers = max_workers
        self._thread_name_prefix = thread_name_prefix or ("ThreadPoolExecutor-" + str(_next_pool_number()))
        self._initializer = initializer
        self._initargs = initargs
        self._pool_tasks = []
        self._pool_threads = []
        self._pool_idle = 0  # stays 0 when there are all threads, because then it does not matter
        self._pool_broken = None
        self._pool_shutdown = False

    def submit(self, fn, /, *args, **kwargs):
        future = Future()
        self._submit((future, fn, args, kwargs))
        return future

    @_assay.atomic
    def _submit(self, task):
        if self._pool_broken is not None:
            raise _BrokenThreadPool(self._pool_broken)
        if self._pool_shutdown:
            raise RuntimeError("cannot schedule new futures after shutdown")
        if _exiting[0]:
            raise RuntimeError("cannot schedule new futures after interpreter shutdown")
        self._pool_tasks.append(task)
        if self._pool_idle > 0:
            self._pool_idle -= 1
            return
        count = len(self._pool_threads)
        if count < self._max_workers:
            thread = threading.Thread(
                name=self._thread_name_prefix + "_" + str(count), target=_work, args=(self,)
            )
            self._pool_threads.append(thread)
            if _main_is_seen:
                _workers.append(thread)
            thread.start()

    @_assay.atomic
    def _next_task(self, stage):
        may_grow = len(self._pool_threads) < self._max_workers
        if stage == _TELL and may_grow:
            self._pool_idle += 1
            return (_AGAIN, None)
        if self._pool_tasks:
            task = self._pool_tasks.pop(0)
            return (_TASK if task[0].set_running_or_notify_cancel() else _SKIP, task)
        if self._pool_shutdown or _exiting[0]:
            return (_LEAVE, None)
        if stage == _LOOK and may_grow:
            return (_NOTHING_YET, None)
        _assay.block()

    @_assay.atomic
    def _take_all_tasks(self):
        tasks = list(self._pool_tasks)
        self._pool_tasks.clear()
        return tasks

    @_assay.atomic
    def _break(self, reason):
        self._pool_broken = reason

    def _initializer_failed(self):
        reason = "A thread initializer failed, the thread pool is not usable anymore"
        self._break(reason)
        for task in self._take_all_tasks():
            task[0].set_exception(_BrokenThreadPool(reason))

    @_assay.atomic
    def _close(self, cancel_futures):
        self._pool_shutdown = True
        return self._take_all_tasks() if cancel_futures else ()

    @_assay.atomic
    def _current_threads(self):
        return list(self._pool_threads)

    def shutdown(self, wait=True, *, cancel_futures=False):
        for task in self._close(cancel_futures):
            task[0].cancel()
        if wait:
            for thread in self._current_threads():
                thread.join()


def _work(pool):
    """What a worker does."""
    if pool._initializer is not None:
        try:
            pool._initializer(*pool._initargs)
        except BaseException:
            pool._initializer_failed()
            return
    first_stage = _LOOK if _tells_when_queue_is_empty else _WAIT
    next_stage = _LOOK if _tells_when_queue_is_empty else _TELL
    stage = first_stage
    while True:
        answer, task = pool._next_task(stage)
        if answer == _LEAVE:
            return
        if answer == _TASK:
            _run_task(task)
            stage = next_stage
        elif answer == _SKIP:
            stage = next_stage
        elif answer == _NOTHING_YET:
            stage = _TELL
        else:
            stage = _WAIT
        task = None


def _run_task(task):
    future, fn, args, kwargs = task
    try:
        result = fn(*args, **kwargs)
    except BaseException as exception:
        future.set_exception(exception)
    else:
        future.set_result(result)


class ProcessPoolExecutor(Executor):
    def __init__(self, *args, **kwargs):
        _assay.unsupported("processes are not modelled; use ThreadPoolExecutor while checking")
