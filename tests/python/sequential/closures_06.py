# memo in a closure
def memoize(f):
    memo = {}

    def wrapper(n):
        if n not in memo:
            memo[n] = f(n)
        return memo[n]

    wrapper.memo = memo
    return wrapper


@memoize
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


print(fib(60), len(fib.memo))
