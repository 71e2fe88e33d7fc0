"""No program: what import_in_thread.py imports."""

import threading

_lock = threading.Lock()
_items = []


def record(x):
    with _lock:
        _items.append(x)


def count():
    return len(_items)
