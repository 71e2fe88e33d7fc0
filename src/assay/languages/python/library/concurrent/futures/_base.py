"""`concurrent.futures._base`, where many programs look for what the package itself has."""

from concurrent.futures import _CANCELLED as CANCELLED
from concurrent.futures import _CANCELLED_AND_NOTIFIED as CANCELLED_AND_NOTIFIED
from concurrent.futures import _FINISHED as FINISHED
from concurrent.futures import _PENDING as PENDING
from concurrent.futures import _RUNNING as RUNNING
from concurrent.futures import (
    ALL_COMPLETED,
    FIRST_COMPLETED,
    FIRST_EXCEPTION,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    InvalidStateError,
    TimeoutError,
    as_completed,
    wait,
)
from concurrent.futures import _DoneAndNotDoneFutures as DoneAndNotDoneFutures
from concurrent.futures import _Error as Error
