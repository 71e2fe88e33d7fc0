# recursion
def factorial(n):
    return 1 if n <= 1 else n * factorial(n - 1)


def fibonacci(n):
    if n < 2:
        return n
    return fibonacci(n - 1) + fibonacci(n - 2)


def is_even(n):
    return True if n == 0 else is_odd(n - 1)


def is_odd(n):
    return False if n == 0 else is_even(n - 1)


print(factorial(20), factorial(1))
print([fibonacci(n) for n in range(15)])
print(is_even(10), is_odd(7), is_even(3))
