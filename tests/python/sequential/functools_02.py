from functools import cache, lru_cache, wraps


@cache
def fib(n):
    print("computing", n)
    return n if n < 2 else fib(n - 1) + fib(n - 2)


print(fib(5), fib(5))


@lru_cache(maxsize=2)
def square(n):
    print("square", n)
    return n * n


print(square(1), square(2), square(1), square(3), square(2))
print(square.cache_info())
square.cache_clear()
print(square(1))


def deco(f):
    @wraps(f)
    def wrapper(*a):
        return f(*a)

    return wrapper


@deco
def named():
    """Doc."""


print(named.__name__, named.__doc__, named.__wrapped__ is not None)
