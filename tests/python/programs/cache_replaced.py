# verdict: bytecode=violated:assertion
import threading
from functools import cache

is_computing = threading.Event()
is_kept = threading.Event()


@cache
def settings():
    if threading.current_thread() is slow:
        is_computing.set()
        is_kept.wait()
    return ["settings"]


def use():
    is_computing.wait()
    first = settings()
    is_kept.set()
    slow.join()
    assert settings() is first


slow = threading.Thread(target=settings)
fast = threading.Thread(target=use)
slow.start()
fast.start()
