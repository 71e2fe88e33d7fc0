"""Locks, identities of threads and thread-local data: what `threading` stands on.

A lock is one attribute, the owner: the object that stands for the thread (`_assay.current()`), not a number, so that
states do not depend on the order in which numbers were given. Numbers for `get_ident` are given when they are first
asked for, the smallest that no living thread has.

A wait with a timeout needs no clock: the thread that waits may be left out for any time, so at the moment at which it
is scheduled it either gets what it wants or its time has run out.

CPython's own `threading.py` (3.11 to 3.13) runs on this module too; tests compare it with ours.
"""

import _assay

TIMEOUT_MAX = 9223372036.0
error = RuntimeError


class _Identity:
    """Stands for a thread that has no `threading.Thread`."""

    def __init__(self):
        self._ident = None
        self._thread_locals = None
        self._sentinel = None
        self._handle = None
        self._dummy = None


_numbered = []  # place n - 1 has the living thread whose ident is n, or None
_local_arguments = {}  # `local` object -> what it was made with, for its __init__ in other threads
_shutdown_handles = []  # threads that the end of the program waits for (`start_joinable_thread`)
if _assay.current() is None:
    _assay.adopt(_Identity())
_main_identity = _assay.current()


@_assay.atomic
def _number_of(identity):
    _assay.observes("ends of threads")
    if identity._ident is None:
        place = 0
        while place < len(_numbered) and _numbered[place] is not None:
            place += 1
        if place == len(_numbered):
            _numbered.append(identity)
        else:
            _numbered[place] = identity
        identity._ident = place + 1
    return identity._ident


def _forget(identity):
    """Within atomic code: the thread has ended, its number is free and its local data are gone."""
    if identity._ident is not None:
        _numbered[identity._ident - 1] = None
        while _numbered and _numbered[-1] is None:
            _numbered.pop()
    identity._thread_locals = None


def get_ident():
    return _number_of(_assay.current())


get_native_id = get_ident


def _is_unlimited(blocking, timeout):
    """Whether acquire waits as long as it takes; raises what CPython raises for arguments that make no sense."""
    if isinstance(timeout, (int, float)) and timeout == -1:
        return bool(blocking)
    if not blocking:
        raise ValueError("can't specify a timeout for a non-blocking call")
    if timeout < 0:
        raise ValueError("timeout value must be positive")
    if isinstance(timeout, (int, float)) and timeout > TIMEOUT_MAX:
        raise OverflowError("timeout value is too large")
    return False


def _require_time(timeout):
    """Fails where CPython would when it waits that long: it compares the time, and hands it to the system."""
    if not hasattr(type(timeout), "_stands_for"):
        if timeout > TIMEOUT_MAX:
            raise OverflowError("timestamp too large to convert to C _PyTime_t")
        if timeout > 0 and not isinstance(timeout, (int, float)):
            raise TypeError("'" + type(timeout).__name__ + "' object cannot be interpreted as an integer")


# What `copy` and its relatives ask for, of objects that are a lock or have one in CPython.


def _cannot_copy_lock(self, protocol):
    raise TypeError("cannot pickle '_thread.lock' object")


def _cannot_copy_rlock(self, protocol):
    raise TypeError("cannot pickle '_thread.RLock' object")


def _cannot_copy_local(self, protocol):
    raise TypeError("cannot pickle '_thread._local' object")


def _cannot_copy_queue(self, protocol):
    raise TypeError("cannot pickle '_queue.SimpleQueue' object")


class LockType:
    """What `threading.Lock()` makes. Whoever is first takes a free lock; any thread may release it."""

    _stored_in_c = ()

    def __init__(self):
        self._lock_owner = None

    @_assay.atomic
    def acquire(self, blocking=True, timeout=-1):
        unlimited = _is_unlimited(blocking, timeout)
        if not unlimited:
            _assay.observes("releases of locks")
        if self._lock_owner is not None:
            if not unlimited:
                return False
            _assay.block()
        self._lock_owner = _assay.current()
        return True

    @_assay.early("releases of locks")
    def release(self):
        if self._lock_owner is not _assay.current():
            _assay.observes("releases of locks")
        if self._lock_owner is None:
            raise RuntimeError("release unlocked lock")
        self._lock_owner = None

    @_assay.atomic
    def locked(self):
        _assay.observes("releases of locks")
        return self._lock_owner is not None

    @_assay.atomic
    def __enter__(self):
        if self._lock_owner is not None:
            _assay.block()
        self._lock_owner = _assay.current()
        return True

    @_assay.early("releases of locks")
    def __exit__(self, kind, value, traceback):
        if self._lock_owner is not _assay.current():
            _assay.observes("releases of locks")
        if self._lock_owner is None:
            raise RuntimeError("release unlocked lock")
        self._lock_owner = None

    __reduce_ex__ = _cannot_copy_lock
    acquire_lock = acquire
    release_lock = release
    locked_lock = locked

    @_assay.atomic
    def __repr__(self):
        _assay.observes("releases of locks")
        return (
            "<" + ("unlocked" if self._lock_owner is None else "locked") + " _thread.lock object at 0x\u22ef>"
        )

    def _at_fork_reinit(self):
        self._lock_owner = None

    # What Condition needs, each within atomic code.

    def _condition_owned(self):
        if self._lock_owner is not _assay.current():
            _assay.observes("releases of locks")
        return self._lock_owner is not None  # as in CPython: by anyone

    def _condition_release(self):
        self._lock_owner = None

    def _condition_free(self):
        return self._lock_owner is None

    def _condition_take(self, saved):
        self._lock_owner = _assay.current()


lock = LockType


def allocate_lock():
    return LockType()


allocate = allocate_lock


class RLock:
    """A lock that its owner may take again."""

    __reduce_ex__ = _cannot_copy_rlock
    _stored_in_c = ()

    def __init__(self):
        self._lock_owner = None
        self._lock_depth = 0

    @_assay.atomic
    def acquire(self, blocking=True, timeout=-1):
        unlimited = _is_unlimited(blocking, timeout)
        if not unlimited:
            _assay.observes("releases of locks")
        me = _assay.current()
        if self._lock_owner is not me:
            if self._lock_owner is not None:
                if not unlimited:
                    return False
                _assay.block()
            self._lock_owner = me
        self._lock_depth += 1
        return True

    @_assay.early("releases of locks")
    def release(self):
        if self._lock_owner is not _assay.current():
            raise RuntimeError("cannot release un-acquired lock")
        self._lock_depth -= 1
        if self._lock_depth == 0:
            self._lock_owner = None

    @_assay.atomic
    def __enter__(self):
        me = _assay.current()
        if self._lock_owner is not me:
            if self._lock_owner is not None:
                _assay.block()
            self._lock_owner = me
        self._lock_depth += 1
        return True

    @_assay.early("releases of locks")
    def __exit__(self, kind, value, traceback):
        if self._lock_owner is not _assay.current():
            raise RuntimeError("cannot release un-acquired lock")
        self._lock_depth -= 1
        if self._lock_depth == 0:
            self._lock_owner = None

    @_assay.atomic
    def locked(self):
        _assay.observes("releases of locks")
        return self._lock_owner is not None

    @_assay.atomic
    def __repr__(self):
        _assay.observes("releases of locks")
        status = "unlocked" if self._lock_owner is None else "locked"
        owner = "0" if self._lock_owner is None else "\u22ef"
        return f"<{status} _thread.RLock object owner={owner} count={self._lock_depth} at 0x\u22ef>"

    @_assay.atomic
    def _is_owned(self):
        return self._lock_owner is _assay.current()

    @_assay.atomic
    def _recursion_count(self):
        return self._lock_depth if self._lock_owner is _assay.current() else 0

    @_assay.atomic
    def _release_save(self):
        _assay.observes("releases of locks")
        if self._lock_owner is None:
            raise RuntimeError("cannot release un-acquired lock")
        saved = (self._lock_depth, self._lock_owner)
        self._lock_depth = 0
        self._lock_owner = None
        return saved

    @_assay.atomic
    def _acquire_restore(self, saved):
        if self._lock_owner is not None:
            _assay.block()
        self._lock_depth, self._lock_owner = saved

    def _at_fork_reinit(self):
        self._lock_owner = None
        self._lock_depth = 0

    # What Condition needs, each within atomic code.

    def _condition_owned(self):
        return self._lock_owner is _assay.current()

    def _condition_release(self):
        depth = self._lock_depth
        self._lock_depth = 0
        self._lock_owner = None
        return depth

    def _condition_free(self):
        return self._lock_owner is None

    def _condition_take(self, saved):
        self._lock_owner = _assay.current()
        self._lock_depth = saved


class _local:
    """Attributes that each thread has for itself; they are kept with the thread and go with it.

    Whatever is asked of one first makes what the running thread has of it: in a thread that is new to a subclass, its
    __init__ runs even if a method is all that is looked for.
    """

    __reduce_ex__ = _cannot_copy_local

    def __new__(cls, /, *args, **kwargs):
        if cls.__init__ is object.__init__:
            if args or kwargs:
                raise TypeError("Initialization arguments are not supported")
            return object.__new__(cls)
        self = object.__new__(cls)
        _make_space(self, (args, kwargs))
        return self

    def __getattribute__(self, name):
        space = _space_of(self)
        if name == "__dict__":
            return space
        found, value = _read_local(space, name)
        if found and not _has_descriptor(self, name, "__get__"):
            return value
        if type(self) is _local and not hasattr(_local, name):
            raise AttributeError(_no_attribute(self, name))
        return object.__getattribute__(self, name)

    def __setattr__(self, name, value):
        if name == "__dict__":
            raise AttributeError("'" + type(self).__name__ + "' object attribute '__dict__' is read-only")
        space = _space_of(self)
        if _has_descriptor(self, name, "__set__"):
            object.__setattr__(self, name, value)
        else:
            _write_local(space, name, value)

    def __delattr__(self, name):
        if name == "__dict__":
            raise AttributeError("'" + type(self).__name__ + "' object attribute '__dict__' is read-only")
        space = _space_of(self)
        if _has_descriptor(self, name, "__delete__"):
            object.__delattr__(self, name)
        elif not _delete_local(space, name):
            raise AttributeError(_no_attribute(self, name))


def _no_attribute(local, name):
    kind = "_thread._local" if type(local) is _local else type(local).__name__
    return "'" + kind + "' object has no attribute '" + name + "'"


def _has_descriptor(local, name, use):
    """Whether the class has something under this name that decides over it, as a property or a slot does."""
    for base in type(local).__mro__:
        if base is _local:
            return False
        is_there, value = _assay.own_attribute(base, name)
        if is_there:
            kind = type(value)
            return hasattr(kind, use) and (hasattr(kind, "__set__") or hasattr(kind, "__delete__"))
    return False


@_assay.atomic
def _read_local(space, name):
    if name in space:
        return (True, space[name])
    return (False, None)


@_assay.atomic
def _write_local(space, name, value):
    space[name] = value


@_assay.atomic
def _delete_local(space, name):
    if name in space:
        del space[name]
        return True
    return False


@_assay.atomic
def _make_space(local, arguments):
    if arguments is not None:
        _local_arguments[local] = arguments
    me = _assay.current()
    if me._thread_locals is None:
        me._thread_locals = {}
    space = {}
    me._thread_locals[local] = space
    return space


@_assay.atomic
def _find_space(local):
    spaces = _assay.current()._thread_locals
    space = None if spaces is None else spaces.get(local)
    return (space, _local_arguments.get(local))


def _space_of(local):
    """The namespace of the running thread; in a thread that is new to a subclass, its __init__ runs first."""
    space, arguments = _find_space(local)
    if space is None:
        space = _make_space(local, None)
        if arguments is not None:
            try:
                local.__init__(*arguments[0], **arguments[1])
            except BaseException:
                _drop_space(local)
                raise
    return space


@_assay.atomic
def _drop_space(local):
    del _assay.current()._thread_locals[local]


def start_new_thread(function, args, kwargs=None, /):
    """A thread that the end of the program does not wait for."""
    if not callable(function):
        raise TypeError("first arg must be callable")
    if not isinstance(args, tuple):
        raise TypeError("2nd arg must be a tuple")
    if kwargs is None:
        kwargs = {}
    elif not isinstance(kwargs, dict):
        raise TypeError("optional 3rd arg must be a dictionary")
    identity = _Identity()
    _start(identity, function, args, kwargs, True)
    return _number_of(identity)


start_new = start_new_thread


@_assay.atomic
def _start(identity, function, args, kwargs, daemon):
    if daemon:
        _assay.observes("ends of threads")
    _assay.start(identity, _run, (function, args, kwargs), {}, daemon)


def _run(function, args, kwargs):
    try:
        function(*args, **kwargs)
    except SystemExit:
        pass
    _end()


@_assay.atomic
def _end():
    me = _assay.current()
    if me._sentinel is not None:
        me._sentinel._lock_owner = None
        me._sentinel = None
    if me._handle is not None:
        me._handle._handle_done = True
        if me._handle in _shutdown_handles:
            _shutdown_handles.remove(me._handle)
        me._handle = None
    _forget(me)


def _set_sentinel():
    """A lock that is released when the running thread ends."""
    sentinel = LockType()
    _assay.current()._sentinel = sentinel
    return sentinel


class _ThreadHandle:
    """How CPython 3.13 waits for the end of a thread."""

    def __init__(self):
        self._handle_ident = None
        self._handle_identity = None
        self._handle_done = False

    @property
    def ident(self):
        return self._handle_ident

    @_assay.atomic
    def is_done(self):
        return self._handle_done

    @_assay.atomic
    def _set_done(self):
        self._handle_done = True

    @_assay.atomic
    def join(self, timeout=None):
        if self._handle_identity is not None and self._handle_identity is _assay.current():
            raise RuntimeError("Cannot join current thread")
        if self._handle_done:
            return
        if timeout is None or timeout < 0:
            _assay.block()


def _make_thread_handle(ident):
    handle = _ThreadHandle()
    handle._handle_ident = ident
    return handle


def start_joinable_thread(function, handle=None, daemon=True):
    if not callable(function):
        raise TypeError("thread function must be callable")
    if handle is None:
        handle = _ThreadHandle()
    identity = _Identity()
    handle._handle_identity = identity
    handle._handle_ident = _number_of(identity)
    identity._handle = handle
    _start_joinable(identity, handle, function, daemon)
    return handle


@_assay.atomic
def _start_joinable(identity, handle, function, daemon):
    if not daemon:
        _shutdown_handles.append(handle)
    if daemon:
        _assay.observes("ends of threads")
    _assay.start(identity, _run, (function, (), {}), {}, daemon)


@_assay.atomic
def _shutdown():
    if _shutdown_handles:
        _assay.block()


def _get_main_thread_ident():
    return _number_of(_main_identity)


def _is_main_interpreter():
    return True


def daemon_threads_allowed():
    return True


def exit():
    raise SystemExit


exit_thread = exit


_sizes_of_stacks = [0] if _assay.mentions("stack_size") else None  # or every state would have it


@_assay.atomic
def stack_size(size=0, /):
    if not isinstance(size, int):
        raise TypeError("'" + type(size).__name__ + "' object cannot be interpreted as an integer")
    if size < 0:
        raise ValueError("size must be 0 or a positive value")
    if 0 < size < 32768:
        raise ValueError("size not valid: " + str(size) + " bytes")
    before = _sizes_of_stacks[0]
    _sizes_of_stacks[0] = size
    return before


def _excepthook(args, /):
    """Not called: an exception that leaves a thread ends the run, and the machine reports it."""


def _ExceptHookArgs(args, /):
    return tuple(args)
