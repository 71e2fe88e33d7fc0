"""The module `threading` for programs under the machine.

Each operation is as few atomic pieces as what others can see of it allows. Two arguments are used throughout:

- A thread that waits can be left out of the schedule for any time. So a wait with a timeout is an attempt that either
  succeeds or gives up when it is scheduled, and a wait whose arrival nobody can see (Event, Semaphore, Barrier's
  entrance) is one piece: being delayed just before it looks the same as waiting in it.
- Where the arrival can be seen there are two pieces. `Condition.wait` gives up its lock in the first one, together
  with its place in the queue of waiters, and takes the lock back in the second.

The queue of waiters holds the threads themselves: a thread waits in one place at a time. To be notified is to be no
longer in the queue. A waiter whose time has run out stays in it until it has the lock again, so a notification can
hit it and be lost, as in CPython.

`enumerate` answers in the order in which threads were started; the order of CPython is not fixed. An exception that
leaves `run` is reported by the machine and ends the run, unless the program has an `excepthook` of its own.
"""

from enum import sys as _interpreter

from _thread import LockType as _LockType
from _thread import RLock as _RLock
from _thread import (
    TIMEOUT_MAX,
    _cannot_copy_lock,
    _forget,
    _Identity,
    _main_identity,
    _number_of,
    _require_time,
    get_ident,
    get_native_id,
)
from _thread import _local as local
from _thread import stack_size

import _assay

__all__ = [
    "Barrier", "BoundedSemaphore", "BrokenBarrierError", "Condition", "Event", "Lock", "RLock", "Semaphore",
    "ExceptHookArgs", "TIMEOUT_MAX", "Thread", "ThreadError", "Timer", "active_count", "current_thread", "enumerate", "get_ident",
    "get_native_id", "local", "main_thread", "stack_size",
]  # fmt: skip

ThreadError = RuntimeError

if _interpreter.version_info >= (3, 13):
    Lock = _LockType
else:
    from _thread import allocate_lock as Lock


def RLock(*args, **kwargs):
    """A function in every version: nothing can be derived from it."""
    return _RLock(*args, **kwargs)


def _beginning(thing):
    """Of its text, with a character in place of its address's digits."""
    return f"<{type(thing).__module__}.{type(thing).__qualname__} at 0x\u22ef"


def _place_of(thread, waiters):
    """The position of the thread among the waiters, by identity; -1 if it is not there."""
    position = 0
    for waiter in waiters:
        if waiter is thread:
            return position
        position += 1
    return -1


class Condition:
    """A condition variable; waiters are notified in the order of their arrival."""

    def __init__(self, lock=None):
        if lock is None:
            lock = RLock()
        lock.acquire, lock.release  # CPython takes both, and fails without
        self._lock = lock
        self._waiters = []
        self._lock_is_ours = type(lock) is _LockType or type(lock) is _RLock
        kind = type(self)
        if kind.acquire is not Condition.acquire or kind.release is not Condition.release:
            self.acquire = lock.acquire  # as in CPython, where methods of a subclass are hidden by these
            self.release = lock.release

    def acquire(self, *args, **kwargs):
        return self._lock.acquire(*args, **kwargs)

    def release(self):
        return self._lock.release()

    def __enter__(self):
        return self._lock.__enter__()

    def __exit__(self, *args):
        return self._lock.__exit__(*args)

    def __repr__(self):
        return "<Condition(" + repr(self._lock) + ", " + str(self._count_waiters()) + ")>"

    @_assay.atomic
    def _count_waiters(self):
        _assay.observes("releases of locks")
        return len(self._waiters)

    def wait(self, timeout=None):
        if not self._lock_is_ours:
            return self._wait_with_foreign_lock(timeout)
        saved = self._enqueue_and_release()
        if timeout is None:
            self._wake(saved)
            return True
        outcome = self._wake_or_give_up(saved)
        if outcome is None:
            self._take_lock_and_leave_queue(saved)
        _require_time(timeout)  # which fails without having waited, and takes the lock again
        return outcome is True

    @_assay.early("releases of locks")
    def _enqueue_and_release(self):
        lock = self._lock
        if not lock._condition_owned():
            raise RuntimeError("cannot wait on un-acquired lock")
        self._waiters.append(_assay.current())
        return lock._condition_release()

    @_assay.atomic
    def _wake(self, saved):
        if _place_of(_assay.current(), self._waiters) >= 0 or not self._lock._condition_free():
            _assay.block()
        self._lock._condition_take(saved)

    @_assay.atomic
    def _wake_or_give_up(self, saved):
        """True: notified, and has the lock. False: time ran out, has the lock. None: time ran out, no lock yet."""
        _assay.observes("releases of locks")
        place = _place_of(_assay.current(), self._waiters)
        if not self._lock._condition_free():
            if place < 0:
                _assay.block()
            return None
        self._lock._condition_take(saved)
        if place < 0:
            return True
        del self._waiters[place]
        return False

    @_assay.atomic
    def _take_lock_and_leave_queue(self, saved):
        if not self._lock._condition_free():
            _assay.block()
        self._lock._condition_take(saved)
        place = _place_of(_assay.current(), self._waiters)
        if place >= 0:
            del self._waiters[place]

    def wait_for(self, predicate, timeout=None):
        result = predicate()
        while not result:
            if timeout is not None:
                _require_time(timeout)
            in_time = self.wait(timeout)
            result = predicate()
            if timeout is not None and not result and (not in_time or _assay.choose(2) == 1):
                break  # a notification may come when the time for the next wait has run out
        return result

    def notify(self, n=1):
        if self._lock_is_ours:
            self._notify(n)
            return
        if not self._foreign_lock_is_owned():
            raise RuntimeError("cannot notify on un-acquired lock")
        self._remove_waiters(n)

    def notify_all(self):
        if self._lock_is_ours:
            self._notify(None)
            return
        if not self._foreign_lock_is_owned():
            raise RuntimeError("cannot notify on un-acquired lock")
        self._remove_waiters(None)

    notifyAll = notify_all

    @_assay.early("releases of locks")
    def _notify(self, n):
        if not self._lock._condition_owned():
            raise RuntimeError("cannot notify on un-acquired lock")
        if n is None:
            self._waiters.clear()
        elif self._waiters and n > 0:
            del self._waiters[:n]

    @_assay.atomic
    def _remove_waiters(self, n):
        if n is None:
            self._waiters.clear()
        elif self._waiters and n > 0:
            del self._waiters[:n]

    # With a lock that the program wrote itself, its methods are called one by one.

    def _foreign_lock_is_owned(self):
        lock = self._lock
        if hasattr(lock, "_is_owned"):
            return lock._is_owned()
        if lock.acquire(False):
            lock.release()
            return False
        return True

    def _wait_with_foreign_lock(self, timeout):
        lock = self._lock
        if not self._foreign_lock_is_owned():
            raise RuntimeError("cannot wait on un-acquired lock")
        self._enqueue()
        saved = None
        if hasattr(lock, "_release_save"):
            saved = lock._release_save()
        else:
            lock.release()
        notified = False
        try:
            if timeout is not None:
                _require_time(timeout)
            notified = self._notified_in_time() if timeout is not None else self._await_notification()
        finally:
            if hasattr(lock, "_acquire_restore"):
                lock._acquire_restore(saved)
            else:
                lock.acquire()
            if not notified:
                self._leave_queue()
        return notified

    @_assay.atomic
    def _enqueue(self):
        self._waiters.append(_assay.current())

    @_assay.atomic
    def _await_notification(self):
        if _place_of(_assay.current(), self._waiters) >= 0:
            _assay.block()
        return True

    @_assay.atomic
    def _notified_in_time(self):
        return _place_of(_assay.current(), self._waiters) < 0

    @_assay.atomic
    def _leave_queue(self):
        place = _place_of(_assay.current(), self._waiters)
        if place >= 0:
            del self._waiters[place]


class Semaphore:
    """Counts down to zero, where acquire waits. Whoever is first takes what was released."""

    __reduce_ex__ = _cannot_copy_lock

    def __init__(self, value=1):
        if value < 0:
            raise ValueError("semaphore initial value must be >= 0")
        self._value = value

    @_assay.atomic
    def acquire(self, blocking=True, timeout=None):
        if not blocking and timeout is not None:
            raise ValueError("can't specify timeout for non-blocking acquire")
        if self._value == 0:
            if timeout is not None:
                _require_time(timeout)
            if not blocking or timeout is not None:
                return False
            _assay.block()
        self._value -= 1
        return True

    __enter__ = acquire  # that of a subclass is not called

    def __exit__(self, kind, value, traceback):
        self.release()

    @_assay.atomic
    def release(self, n=1):
        if n < 1:
            raise ValueError("n must be one or more")
        self._value += n

    @_assay.atomic
    def __repr__(self):
        return f"{_beginning(self)}: value={self._value}>"


class BoundedSemaphore(Semaphore):
    """A semaphore that must not be released more often than it was acquired."""

    def __init__(self, value=1):
        Semaphore.__init__(self, value)
        self._initial_value = value

    @_assay.atomic
    def release(self, n=1):
        if n < 1:
            raise ValueError("n must be one or more")
        if self._value + n > self._initial_value:
            raise ValueError("Semaphore released too many times")
        self._value += n

    @_assay.atomic
    def __repr__(self):
        return f"{_beginning(self)}: value={self._value}/{self._initial_value}>"


class Event:
    """A flag to wait for.

    One piece suffices for wait: a waiter that passes between a `set` and a `clear` looks like one that was woken by
    the `set`, and one that does not pass there looks like one that had not yet arrived.
    """

    __reduce_ex__ = _cannot_copy_lock

    def __init__(self):
        self._event_flag = False

    @_assay.atomic
    def is_set(self):
        return self._event_flag

    isSet = is_set

    @_assay.atomic
    def set(self):
        self._event_flag = True

    @_assay.atomic
    def clear(self):
        self._event_flag = False

    @_assay.atomic
    def wait(self, timeout=None):
        if not self._event_flag:
            if timeout is None:
                _assay.block()
            _require_time(timeout)
        return self._event_flag

    @_assay.atomic
    def __repr__(self):
        return f"{_beginning(self)}: {'set' if self._event_flag else 'unset'}>"


class BrokenBarrierError(RuntimeError):
    pass


_FILLING = 0
_DRAINING = 1
_RESETTING = -1
_BROKEN = -2


# Whether the program can see that the last thread has arrived and not yet let the others go.
_counts_waiting = _assay.mentions("n_waiting")


class Barrier:
    """Lets a number of threads wait for each other, again and again.

    While the last thread runs the action it holds the barrier (`_barrier_busy`), as CPython holds its lock: all others
    wait before they touch it, except the properties.
    """

    __reduce_ex__ = _cannot_copy_lock

    def __init__(self, parties, action=None, timeout=None):
        if not isinstance(parties, int) or parties < 1:
            _assay.unsupported(
                "a barrier for less than one thread is not modelled: versions of Python differ"
            )
        self._barrier_action = action
        self._barrier_timeout = timeout
        self._barrier_parties = parties
        self._barrier_state = _FILLING
        self._barrier_count = 0
        self._barrier_busy = False

    def __repr__(self):
        if self.broken:
            return f"{_beginning(self)}: broken>"
        return f"{_beginning(self)}: waiters={self.n_waiting}/{self.parties}>"

    def wait(self, timeout=None):
        if timeout is None:
            timeout = self._barrier_timeout
        index = self._enter()
        if index + 1 < self._barrier_parties:
            if timeout is None:
                self._pass()
            else:
                if not isinstance(timeout, (int, float)) and not hasattr(type(timeout), "_stands_for"):
                    _assay.unsupported(
                        "a barrier with a time that is no number is not modelled; give a number"
                    )
                self._pass_in_time()
        elif self._barrier_action or _counts_waiting:
            done = False
            try:
                if self._barrier_action:
                    self._barrier_action()
                done = True
            finally:
                self._finish_action(done)
        return index

    @_assay.atomic
    def _enter(self):
        if self._barrier_busy or self._barrier_state in (_DRAINING, _RESETTING):
            _assay.block()
        if self._barrier_state == _BROKEN:
            raise BrokenBarrierError
        index = self._barrier_count
        if index + 1 < self._barrier_parties:
            self._barrier_count += 1
        elif self._barrier_action or _counts_waiting:
            self._barrier_count += 1
            self._barrier_busy = True
        elif index > 0:
            self._barrier_state = _DRAINING
        return index

    @_assay.atomic
    def _finish_action(self, done):
        self._barrier_busy = False
        self._barrier_state = _DRAINING if done else _BROKEN
        self._leave()

    @_assay.atomic
    def _pass(self):
        if self._barrier_busy or self._barrier_state == _FILLING:
            _assay.block()
        broken = self._barrier_state < 0
        self._leave()
        if broken:
            raise BrokenBarrierError

    @_assay.atomic
    def _pass_in_time(self):
        if self._barrier_busy:
            _assay.block()
        if self._barrier_state == _FILLING:
            self._barrier_state = _BROKEN
        if self._barrier_state < 0:
            self._leave()
            raise BrokenBarrierError
        self._leave()

    def _leave(self):
        """Within atomic code: one thread less; the last one makes the barrier ready again."""
        self._barrier_count -= 1
        if self._barrier_count == 0 and self._barrier_state in (_DRAINING, _RESETTING):
            self._barrier_state = _FILLING

    @_assay.atomic
    def reset(self):
        if self._barrier_busy:
            _assay.block()
        if self._barrier_count == 0:
            self._barrier_state = _FILLING
        elif self._barrier_state in (_FILLING, _BROKEN):
            self._barrier_state = _RESETTING

    @_assay.atomic
    def abort(self):
        if self._barrier_busy:
            _assay.block()
        self._barrier_state = _BROKEN

    @property
    def parties(self):
        return self._barrier_parties

    @property
    def n_waiting(self):
        # CPython reads the two without a lock: the number may belong to a later moment than the state.
        return self._read_count() if self._read_state() == _FILLING else 0

    @property
    def broken(self):
        return self._read_state() == _BROKEN

    @_assay.atomic
    def _read_state(self):
        return self._barrier_state

    @_assay.atomic
    def _read_count(self):
        return self._barrier_count


# Whether the program looks at what a thread is to call.
_shows_target = _assay.mentions("_target") or _assay.mentions("_args") or _assay.mentions("_kwargs")

_NEW = 0
_RUNNING = 1
_LEFT = 2  # `run` is over and the thread is no longer listed; whether it is still alive is decided when asked
_DONE = 3

_threads_created = [0]  # how many threads were given a name
_active = []  # started and not yet left, in the order of their start
_exit_calls = []  # called at the end of the main thread, last one first
_atexit_calls = []  # the same when all threads but daemons have ended (`atexit`)


@_assay.atomic
def _next_number():
    _threads_created[0] += 1
    return _threads_created[0]


@_assay.atomic
def _is_daemon(thread):
    return thread._daemonic


class Thread:
    """A thread of control, and at the same time what stands for it in the machine."""

    __reduce_ex__ = _cannot_copy_lock

    def __init__(self, group=None, target=None, name=None, args=(), kwargs=None, *, daemon=None):
        assert group is None, "group argument must be None for now"
        if kwargs is None:
            kwargs = {}
        if name:
            name = str(name)
        else:
            name = "Thread-" + str(_next_number())
            if target is not None:
                target_name = getattr(target, "__name__", None)
                if target_name is not None:
                    name = name + " (" + str(target_name) + ")"
        self._target = target
        self._name = name
        self._args = args
        self._kwargs = kwargs
        self._daemonic = _is_daemon(current_thread()) if daemon is None else daemon
        self._ident = None
        self._thread_locals = None
        self._thread_state = _NEW

    def start(self):
        run = self.run
        if getattr(run, "__func__", None) is Thread.run and not _shows_target:
            self._start_target()
        else:
            self._start_run(run)

    @_assay.atomic
    def _start_target(self):
        self._check_initialized("thread.__init__() not called")
        if self._thread_state != _NEW:
            raise RuntimeError("threads can only be started once")
        if self._daemonic:
            _assay.observes("ends of threads")
        self._thread_state = _RUNNING
        _active.append(self)
        target, args, kwargs = self._target, self._args, self._kwargs
        # CPython forgets them when `run` is over; here the new thread gets them at once.
        self._target = self._args = self._kwargs = None
        if target is None:
            _assay.start(self, _run_nothing, (), {}, bool(self._daemonic))
        else:
            _assay.start(self, _run_target, (target, args, kwargs), {}, bool(self._daemonic))

    @_assay.atomic
    def _start_run(self, run):
        self._check_initialized("thread.__init__() not called")
        if self._thread_state != _NEW:
            raise RuntimeError("threads can only be started once")
        if self._daemonic:
            _assay.observes("ends of threads")
        self._thread_state = _RUNNING
        _active.append(self)
        _assay.start(self, _run_method, (run,), {}, bool(self._daemonic))

    def run(self):
        if _shows_target:
            try:
                if self._target is not None:
                    self._target(*self._args, **self._kwargs)
            finally:
                del self._target, self._args, self._kwargs
            return
        target, args, kwargs = self._take_target()
        if target is not None:
            target(*args, **kwargs)

    @_assay.atomic
    def _take_target(self):
        taken = (self._target, self._args, self._kwargs)
        self._target = self._args = self._kwargs = None
        return taken

    @_assay.atomic
    def join(self, timeout=None):
        self._check_initialized("Thread.__init__() not called")
        if self._thread_state == _NEW:
            raise RuntimeError("cannot join thread before it is started")
        if self is _assay.current():
            raise RuntimeError("cannot join current thread")
        if timeout is not None and self._thread_state != _DONE:
            _require_time(timeout)
        if timeout is None:
            if self._thread_state == _RUNNING:
                _assay.block()
            self._thread_state = _DONE
        elif self._thread_state == _LEFT and _assay.choose(2) == 1:
            self._thread_state = _DONE

    @_assay.atomic
    def is_alive(self):
        self._check_initialized("Thread.__init__() not called")
        if self._thread_state == _LEFT and _assay.choose(2) == 1:
            self._thread_state = _DONE
        return self._thread_state == _RUNNING or self._thread_state == _LEFT

    def _check_initialized(self, message):
        if not hasattr(self, "_thread_state"):
            raise RuntimeError(message)

    @property
    def name(self):
        return _read_name(self)

    @name.setter
    def name(self, name):
        _write_name(self, str(name))

    @property
    def ident(self):
        return None if _is_new(self) else _number_of(self)

    @property
    def native_id(self):
        return None if _is_new(self) else _number_of(self)

    @property
    def daemon(self):
        return _is_daemon(self)

    @daemon.setter
    def daemon(self, daemonic):
        _set_daemon(self, daemonic)

    def isDaemon(self):
        return self.daemon

    def setDaemon(self, daemonic):
        self.daemon = daemonic

    def getName(self):
        return self.name

    def setName(self, name):
        self.name = name

    @_assay.atomic
    def __repr__(self):
        status = ("initial", "started", "started", "stopped")[self._thread_state]
        if self._daemonic:
            status += " daemon"
        ident = "" if self._thread_state == 0 else " \u22ef"
        return f"<{type(self).__name__}({self._name}, {status}{ident})>"


@_assay.atomic
def _read_name(thread):
    thread._check_initialized("Thread.__init__() not called")
    return thread._name


@_assay.atomic
def _write_name(thread, name):
    thread._check_initialized("Thread.__init__() not called")
    thread._name = name


@_assay.atomic
def _is_new(thread):
    thread._check_initialized("Thread.__init__() not called")
    return thread._thread_state == _NEW


@_assay.atomic
def _set_daemon(thread, daemonic):
    thread._check_initialized("Thread.__init__() not called")
    if thread._thread_state != _NEW:
        raise RuntimeError("cannot set daemon status of active thread")
    thread._daemonic = daemonic


class ExceptHookArgs(tuple):
    """What the program's `excepthook` gets: a sequence whose items have names."""

    __slots__ = ()

    @property
    def exc_type(self):
        return self[0]

    @property
    def exc_value(self):
        return self[1]

    @property
    def exc_traceback(self):
        return self[2]

    @property
    def thread(self):
        return self[3]


def __excepthook__(args):
    """The machine reports what is raised again."""
    if args.exc_type is not SystemExit:
        raise args.exc_value


excepthook = __excepthook__


def _run_target(target, args, kwargs):
    if _assay.mentions("excepthook"):
        _run_hooked(target, args, kwargs)
        return
    try:
        target(*args, **kwargs)
    except SystemExit:
        pass
    _leave()


def _run_hooked(function, args, kwargs):
    try:
        function(*args, **kwargs)
    except BaseException as exception:
        hook = excepthook
        if hook is not __excepthook__:
            hook(ExceptHookArgs((type(exception), exception, _assay.traceback(), current_thread())))
        elif type(exception) is not SystemExit:
            raise
    _leave()


def _run_nothing():
    _leave()


def _run_method(run):
    if _assay.mentions("excepthook"):
        _run_hooked(run, (), {})
        return
    try:
        run()
    except SystemExit:
        pass
    _leave()


@_assay.early("ends of threads")
def _leave():
    me = _assay.current()
    me._thread_state = _LEFT
    del _active[_place_of(me, _active)]
    _forget(me)


class Timer(Thread):
    """Calls a function at some time after its start, unless it is cancelled before."""

    def __init__(self, interval, function, args=None, kwargs=None):
        Thread.__init__(self)
        self.interval = interval
        self.function = function
        self.args = args if args is not None else []
        self.kwargs = kwargs if kwargs is not None else {}
        self.finished = Event()

    def cancel(self):
        self.finished.set()

    def run(self):
        if not self.finished.is_set():
            self.function(*self.args, **self.kwargs)
        self.finished.set()


class _MainThread(Thread):
    def __init__(self):
        Thread.__init__(self, name="MainThread", daemon=False)
        self._thread_state = _RUNNING


class _DummyThread(Thread):
    """A thread that `_thread.start_new_thread` started, seen through `current_thread`."""

    def __init__(self):
        Thread.__init__(self, name="Dummy-" + str(_next_number()), daemon=True)
        self._thread_state = _RUNNING
        self._ident = get_ident()

    def is_alive(self):
        return True

    def join(self, timeout=None):
        raise AssertionError("cannot join a dummy thread")


_main = _MainThread()
_active.append(_main)
if _assay.current() is _main_identity:
    _assay.adopt(_main)


def current_thread():
    me = _assay.current()
    if type(me) is _Identity:
        dummy = _dummy_of(me)
        if dummy is None:
            dummy = _DummyThread()
            _set_dummy(me, dummy)
        return dummy
    return me


@_assay.atomic
def _dummy_of(identity):
    return identity._dummy


@_assay.atomic
def _set_dummy(identity, dummy):
    identity._dummy = dummy
    _active.append(dummy)


currentThread = current_thread


def main_thread():
    return _main


@_assay.atomic
def active_count():
    _assay.observes("ends of threads")
    return len(_active)


activeCount = active_count


@_assay.atomic
def enumerate():
    _assay.observes("ends of threads")
    return list(_active)


def _register_atexit(function, *args, **kwargs):
    _exit_calls.append((function, args, kwargs))


@_assay.atomic
def _main_is_over():
    """It stays among those that `enumerate` lists."""
    _main._thread_state = _DONE


@_assay.atomic
def _wait_for_threads():
    for thread in _active:
        if not thread._daemonic and thread is not _main:
            _assay.block()


# Whether anything depends on how the main thread ends.
_end_matters = (
    _assay.mentions("main_thread")
    or _assay.mentions("current_thread")
    or _assay.mentions("currentThread")
    or _assay.mentions("enumerate")
    or _assay.mentions("active_count")
    or _assay.mentions("activeCount")
    or _assay.mentions("futures")
    or _assay.mentions("atexit")
)


def _shutdown():
    """What the main thread does at its end; the compiler adds the call."""
    if not _end_matters:
        _assay.pause()  # daemons still run between the last thing that main does and its end
        return
    call = _next_call(_exit_calls)
    while call is not None:
        call[0](*call[1], **call[2])
        call = _next_call(_exit_calls)
    _main_is_over()
    if _assay.mentions("atexit"):
        _wait_for_threads()
        call = _next_call(_atexit_calls)
        while call is not None:
            call[0](*call[1], **call[2])
            call = _next_call(_atexit_calls)


@_assay.atomic
def _next_call(calls):
    return calls.pop() if calls else None


def settrace(func):
    if func is not None:
        _assay.unsupported(
            "a function that traces is not modelled: it runs between any two lines; leave it out"
        )


def setprofile(func):
    if func is not None:
        _assay.unsupported("a function that profiles is not modelled: it runs at each call; leave it out")


def gettrace():
    return None


def getprofile():
    return None
