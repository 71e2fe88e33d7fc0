# verdict: sync=verified
import threading
from functools import wraps
from typing import Callable, TypeVar, Any

T = TypeVar("T")


def memoize(func: Callable[..., T]) -> Callable[..., T]:
    cache: dict[Any, T] = {}
    lock = threading.Lock()

    @wraps(func)
    def wrapper(*args):
        with lock:
            if args not in cache:
                cache[args] = func(*args)
            return cache[args]

    wrapper.cache_info = lambda: len(cache)
    return wrapper


calls = []


@memoize
def slow(n: int) -> int:
    calls.append(n)
    return n + 1


ts = [threading.Thread(target=slow, args=(5,)) for _ in range(2)]
for t in ts:
    t.start()
for t in ts:
    t.join()
assert calls == [5]
assert slow.cache_info() == 1
